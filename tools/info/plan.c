/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info --plan: reads the command line, finds the path that the planner takes by default,
 * computes what its exchanges move, and prints all of this. The program does not plan or run
 * anything: it intersects the boxes of layouts. */
#include "tools/info/plan.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "api/request.h"
#include "api/weft.h"
#include "backends/exchange/exchange.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "planner/path/process-grid.h"
#include "planner/wisdom/decision.h"

enum { MOST_RANKS = 4096 };

typedef struct {
    const char *grid, *kind, *picture;
    long ranks;
    ptrdiff_t size[WEFT_MAX_RANK], howmany;
    int axes;
    bool transposed, backward, one_node, force;
} options;

static bool bad(const char *format, const char *text)
{
    fputs("weft-info: ", stderr);
    fprintf(stderr, format, text);
    fputs("; weft-info --help lists the options\n", stderr);
    return false;
}

static bool read_option(options *it, int letter, const char *text)
{
    char *end;
    ptrdiff_t number = 0;
    const bool is_number =
        text && weft_parse_whole(text, &end, 1, PTRDIFF_MAX, &number) && *end == '\0';
    switch (letter) {
    case 'p':
        it->axes = weft_parse_sizes(text, "", 1, PTRDIFF_MAX, it->size, WEFT_MAX_RANK);
        return it->axes > 0 ||
               bad("--plan is \"%s\"; it must be sizes such as 256x256x256 that fit a ptrdiff_t",
                   text);
    case 'n':
        it->ranks = number;
        return (is_number && number <= MOST_RANKS) ||
               bad("-n is \"%s\"; it must be a number of ranks from 1 to 4096", text);
    case 'm':
        it->howmany = number;
        return is_number ||
               bad("--howmany is \"%s\"; it must be a whole number from 1 on that fits a ptrdiff_t",
                   text);
    case 'g':
        it->grid = text;
        return true;
    case 'k':
        it->kind = text;
        return !strcmp(text, "c2c") || !strcmp(text, "r2c") || !strcmp(text, "c2r") ||
               bad("--kind is \"%s\"; it must be c2c, r2c or c2r", text);
    case 's':
        it->picture = text;
        return true;
    default:
        *(letter == 't'   ? &it->transposed
          : letter == 'b' ? &it->backward
          : letter == 'o' ? &it->one_node
                          : &it->force) = true;
        return true;
    }
}

static bool read_options(int arguments, char **argument, options *it)
{
    static const struct option names[] = {{"plan", 1, NULL, 'p'},       {"grid", 1, NULL, 'g'},
                                          {"kind", 1, NULL, 'k'},       {"howmany", 1, NULL, 'm'},
                                          {"transposed", 0, NULL, 't'}, {"backward", 0, NULL, 'b'},
                                          {"one-node", 0, NULL, 'o'},   {"svg", 1, NULL, 's'},
                                          {"force", 0, NULL, 'f'},      {NULL, 0, NULL, 0}};
    *it = (options){.kind = "c2c", .ranks = 1, .howmany = 1};
    opterr = 0;
    for (int letter; (letter = getopt_long(arguments, argument, ":n:", names, NULL)) != -1;) {
        const char name[] = {'-', (char)optopt, '\0'};
        if (letter == '?' && optopt && !strchr(argument[optind - 1], '=')) /* as in --force=1 */
            return bad("there is no option %s with --plan", name);
        if (letter == ':' || letter == '?')
            return bad(letter == ':' ? "the option %s needs a value"
                                     : "there is no option %s with --plan",
                       argument[optind - 1]);
        if (!read_option(it, letter, optarg))
            return false;
    }
    if (optind < arguments)
        return bad("\"%s\" is not an option; --plan accepts one size", argument[optind]);
    if (it->backward && strcmp(it->kind, "c2c") != 0)
        return bad("--backward is only for --kind c2c, and --kind is %s", it->kind);
    return true;
}

/* Makes the request for a transform on a grid, with the kinds of weft.h. */
static bool ask_grid(const options *it, weft_request *request, weft_problem *problem)
{
    weft_process_grid grid;
    int each[WEFT_MAX_RANK];
    if (!weft_process_grid_parse(it->grid, &grid) || grid.axes == 0) {
        weft_error("--grid is \"%s\"; it must be dimensions such as 4x2", it->grid);
        return false;
    }
    if (weft_process_grid_ranks(&grid) != it->ranks) {
        weft_error("the grid %s has %d ranks, but -n is %ld", it->grid,
                   weft_process_grid_ranks(&grid), it->ranks);
        return false;
    }
    const bool back = request->sign == FFTW_BACKWARD;
    for (int axis = 0; axis < it->axes; axis++)
        each[axis] = back ? WEFT_DFT_BACKWARD : WEFT_DFT_FORWARD;
    if (request->asked != WEFT_ASK_C2C)
        each[it->axes - 1] = request->asked == WEFT_ASK_R2C ? WEFT_DFT_R2C : WEFT_DFT_C2R;
    if (it->transposed)
        request->flags |= back ? WEFT_TRANSPOSED_IN : WEFT_TRANSPOSED_OUT;
    request->asked = WEFT_ASK_KINDS;
    request->process_grid = &grid;
    request->each = each;
    return weft_request_valid(request, 0, (int)it->ranks, problem);
}

static bool ask(const options *it, weft_problem *problem)
{
    weft_request request = {.function = "--plan",
                            .axes = it->axes,
                            .size = it->size,
                            .howmany = it->howmany,
                            .comm = MPI_COMM_NULL,
                            .sign = FFTW_FORWARD};
    request.asked = !strcmp(it->kind, "c2c")   ? WEFT_ASK_C2C
                    : !strcmp(it->kind, "r2c") ? WEFT_ASK_R2C
                                               : WEFT_ASK_C2R;
    if (it->backward || request.asked == WEFT_ASK_C2R)
        request.sign = FFTW_BACKWARD;
    if (it->grid)
        return ask_grid(it, &request, problem);
    if (it->transposed)
        request.flags |= request.asked == WEFT_ASK_C2R ? WEFT_TRANSPOSED_IN : WEFT_TRANSPOSED_OUT;
    return weft_request_valid(&request, 0, (int)it->ranks, problem);
}

static size_t number_bytes(bool real)
{
    return real ? sizeof(double) : sizeof(fftw_complex);
}

/* Adds the bytes that one rank sends in an exchange. */
static bool add_traffic(info_plan *plan, int stage, int rank)
{
    const weft_stage *from = &plan->path.stage[stage], *to = from + 1;
    const int ranks = plan->problem.ranks;
    info_traffic *traffic = &plan->traffic[stage];
    double sum = 0;
    int messages = 0;
    weft_exchange *exchange = weft_exchange_describe(
        &from->after, &to->before, number_bytes(from->real_after), 0, NULL, rank, ranks);
    if (!exchange)
        return false;
    const int *group = weft_base(exchange)->group;
    for (int peer = 0; peer < exchange->ranks; peer++) {
        const double bytes =
            (double)weft_exchange_sent(exchange, peer)->elements * (double)exchange->element;
        traffic->bytes[(size_t)rank * (size_t)ranks + (size_t)group[peer]] = bytes;
        messages += group[peer] != rank && bytes > 0;
        sum += group[peer] != rank ? bytes : 0;
    }
    traffic->talking = exchange->ranks > traffic->talking ? exchange->ranks : traffic->talking;
    traffic->all += sum;
    if (sum > traffic->most)
        traffic->most = sum;
    if (messages > traffic->most_messages)
        traffic->most_messages = messages;
    weft_exchange_destroy(exchange);
    return true;
}

/* Finds the path that the planner takes if it times nothing. */
static bool find_path(const options *it, info_plan *plan)
{
    static const weft_process_grid none;
    weft_path *path = malloc(WEFT_PATHS_CAPACITY * sizeof *path);
    const bool ok = path && weft_path_candidates(&plan->problem, &none, it->one_node, path) > 0;
    if (!path)
        weft_error("no memory for a plan");
    if (ok)
        plan->path = path[0];
    free(path);
    return ok;
}

static void name_plan(const options *it, char *text, size_t capacity)
{
    weft_writer to = weft_write_to(text, capacity);
    weft_write(&to, "%s ", it->kind);
    for (int axis = 0; axis < it->axes; axis++)
        weft_write(&to, "%s%td", axis ? "x" : "", it->size[axis]);
    if (it->howmany > 1)
        weft_write(&to, "*%td", it->howmany);
    weft_write(&to, "%s%s", it->backward ? " backward" : "", it->transposed ? " transposed" : "");
}

static bool make_plan(const options *it, info_plan *plan)
{
    if (!ask(it, &plan->problem) || !find_path(it, plan))
        return false;
    const size_t ranks = (size_t)plan->problem.ranks;
    name_plan(it, plan->name, sizeof plan->name);
    weft_problem_shape(&plan->problem, &plan->path.through, plan->shape, sizeof plan->shape);
    for (int stage = 0; stage + 1 < plan->path.stages; stage++) {
        plan->traffic[stage].bytes = calloc(ranks * ranks, sizeof(double));
        if (!plan->traffic[stage].bytes) {
            weft_error("no memory for a table of the bytes that %zu ranks send", ranks);
            return false;
        }
        for (int rank = 0; rank < (int)ranks; rank++)
            if (!add_traffic(plan, stage, rank))
                return false;
    }
    return true;
}

static void print_boxes(const info_plan *plan, const weft_layout *layout)
{
    for (int rank = 0; rank < plan->problem.ranks; rank++) {
        weft_box box;
        weft_layout_box(layout, rank, &box);
        printf("     rank %-4d ", rank);
        if (weft_box_empty(layout->axes, &box)) {
            puts("nothing");
            continue;
        }
        for (int axis = 0; axis < layout->axes; axis++)
            printf("%s%td-%td", axis ? " x " : "", box.span[axis].start,
                   box.span[axis].start + box.span[axis].count - 1);
        putchar('\n');
    }
}

static void print_stage(const info_plan *plan, int i)
{
    const weft_stage *stage = &plan->path.stage[i];
    char divided[128], transformed[128], bytes[32], after[32];
    info_divided(&stage->before, divided, sizeof divided);
    info_transformed(stage, transformed, sizeof transformed);
    info_bytes(info_stage_bytes(plan, &stage->before, stage->real_before), bytes, sizeof bytes);
    info_bytes(info_stage_bytes(plan, &stage->after, stage->real_after), after, sizeof after);
    printf("%3d  %s: %s; order in memory", i, info_stage_name(plan, i), divided);
    for (int axis = 0; axis < stage->before.axes; axis++)
        printf(" n%d", stage->before.order[axis]);
    printf("; %s, %s per rank", stage->real_before ? "real" : "complex", bytes);
    if (weft_stage_transforms(stage))
        printf("; transforms %s", transformed);
    if (stage->real_before != stage->real_after)
        printf(", then %s, %s per rank", stage->real_after ? "real" : "complex", after);
    putchar('\n');
    print_boxes(plan, &stage->before);
}

static void print_pairs(const info_plan *plan, const info_traffic *traffic)
{
    const size_t ranks = (size_t)plan->problem.ranks;
    for (size_t from = 0; from < ranks; from++) {
        double sum = 0;
        int messages = 0;
        char bytes[32];
        for (size_t to = 0; to < ranks; to++)
            if (to != from && traffic->bytes[from * ranks + to] > 0) {
                sum += traffic->bytes[from * ranks + to];
                messages++;
            }
        info_bytes(sum, bytes, sizeof bytes);
        printf("     rank %-4zu sends %s in %d message%s%s", from, bytes, messages,
               messages == 1 ? "" : "s", messages ? ", to" : "");
        for (size_t to = 0; to < ranks; to++)
            if (to != from && traffic->bytes[from * ranks + to] > 0)
                printf(" %zu", to);
        putchar('\n');
    }
}

static void print_plan(const info_plan *plan)
{
    char most[32], all[32];
    printf("%s on %d rank%s, weft-%s, double; each range of indices has both its ends\n",
           plan->name, plan->problem.ranks, plan->problem.ranks == 1 ? "" : "s", plan->shape);
    for (int stage = 0; stage < plan->path.stages; stage++) {
        print_stage(plan, stage);
        if (stage + 1 == plan->path.stages)
            break;
        const info_traffic *traffic = &plan->traffic[stage];
        info_bytes(traffic->most, most, sizeof most);
        info_bytes(traffic->all, all, sizeof all);
        printf("     exchange among %d ranks: a rank sends at most %s in %d message%s; %s in all\n",
               traffic->talking, most, traffic->most_messages,
               traffic->most_messages == 1 ? "" : "s", all);
        print_pairs(plan, traffic);
    }
}

static bool write_picture(const info_plan *plan, const options *it)
{
    FILE *file = fopen(it->picture, it->force ? "w" : "wx");
    const bool ok = file && info_draw(plan, file);
    const bool closed = file && fclose(file) == 0;
    if (ok && closed)
        return true;
    if (!file && errno == EEXIST)
        fprintf(stderr, "weft-info: %s exists; --force overwrites it\n", it->picture);
    else
        fprintf(stderr, "weft-info: %s cannot be written: %s\n", it->picture, strerror(errno));
    return false;
}

int info_plan_main(int arguments, char **argument)
{
    static info_plan plan;
    options it;
    int status = 2;
    if (!read_options(arguments, argument, &it))
        return status;
    if (!make_plan(&it, &plan)) {
        fprintf(stderr, "weft-info: %s\n", weft_error_text());
    } else if (!it.picture || write_picture(&plan, &it)) {
        print_plan(&plan);
        status = 0;
    }
    for (int stage = 0; stage < WEFT_MAX_STAGES; stage++)
        free(plan.traffic[stage].bytes);
    return status;
}
