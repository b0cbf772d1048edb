/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times passes on one process. First, whole transforms made of passes, as in a slab transform,
 * against serial FFTW with the same libfftw3 in the same run. Then, passes that pack for peers, or
 * that read data packed by peers, against the same pass with contiguous memory on that side.
 * Contenders take turns, so that a disturbance of the machine affects all of them; the output has
 * the best times and their ratio. Not installed.
 *
 *     bench-pass [-e] [-p] [-v] [-s seconds] [-k word]
 *         -e  plan with FFTW_ESTIMATE, -p with FFTW_PATIENT (default: FFTW_MEASURE)
 *         -v  print how each pass works, and how long planning took
 *         -s  seconds for each case (default 1)
 *         -k  only cases whose name contains this word
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/kernels/bench-pass.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"

enum { MIN_RUNS = 5, STEPS = 2 };

typedef struct {
    unsigned flags;
    bool verbose;
    double seconds;
    const char *word;
} bench_options;

/* A contender: consecutive passes, or an FFTW plan. */
typedef struct {
    fftw_plan plan;
    weft_pass *pass[STEPS];
    void *from[STEPS], *to[STEPS];
    void *work;
    double best;
} contender;

static void run(const contender *c)
{
    if (c->plan)
        fftw_execute(c->plan);
    for (int s = 0; s < STEPS && c->pass[s]; s++)
        weft_pass_run(c->pass[s], (const void *const[2]){c->from[s], NULL},
                      (void *const[2]){c->to[s], NULL}, c->work);
}

static void take_turns(contender *c, int contenders, double seconds)
{
    double begin = weft_clock();
    for (int round = 0; round < MIN_RUNS || weft_clock() - begin < seconds; round++)
        for (int k = 0; k < contenders; k++) {
            double start = weft_clock();
            run(&c[k]);
            double time = weft_clock() - start;
            if (round > 0 && (round == 1 || time < c[k].best))
                c[k].best = time;
        }
}

static weft_pass *make(const bench_options *options, const char *name, const weft_pass_spec *spec)
{
    double start = weft_clock();
    weft_pass *pass = weft_pass_create(spec);
    if (!pass) {
        fprintf(stderr, "bench-pass: %s\n", weft_error_text());
        exit(EXIT_FAILURE);
    }
    if (options->verbose)
        printf("    %-8s %s (planned in %.3f s)\n", name, pass->text, weft_clock() - start);
    return pass;
}

static void drop(contender *c)
{
    if (c->plan)
        fftw_destroy_plan(c->plan);
    for (int s = 0; s < STEPS; s++)
        weft_pass_destroy(c->pass[s]);
    free(c->work);
}

static void give_workspace(contender *c)
{
    size_t bytes = 64;
    for (int s = 0; s < STEPS && c->pass[s]; s++)
        if (bytes < c->pass[s]->workspace)
            bytes = c->pass[s]->workspace;
    c->work = aligned_alloc(64, (bytes + 63) / 64 * 64);
}

/* Times the passes of a slab on one process against FFTW. */
static void whole(const bench_options *options, const char *name, const transform *t, void *in,
                  void *out, void *middle)
{
    contender c[2] = {{.best = 0}};
    slab_view given, between, result;
    bool back = t->kind == WEFT_C2R; /* c2r transforms n0 first */
    void *end = t->in_place ? in : out;
    slab_views(t, &given, &between, &result);
    double start = weft_clock();
    c[0].plan = serial_plan(t, in, end, options->flags);
    if (options->verbose)
        printf("    FFTW     planned in %.3f s\n", weft_clock() - start);
    weft_pass_spec first = slab_pass(t, back, &given, &between, options->flags);
    weft_pass_spec second = slab_pass(t, !back, &between, &result, options->flags);
    first.may_destroy = second.may_destroy = t->in_place || back;
    first.in_place = !t->transposed && (back || t->in_place);
    second.in_place = !t->transposed && !back;
    c[1].pass[0] = make(options, "pass 1", &first);
    c[1].pass[1] = make(options, "pass 2", &second);
    c[1].from[0] = in;
    c[1].to[0] = c[1].from[1] = t->transposed ? middle : back ? in : end;
    c[1].to[1] = end;
    give_workspace(&c[1]);
    take_turns(c, 2, options->seconds);
    printf("%-36s  FFTW %9.3f ms  passes %9.3f ms  ratio %.3f\n", name, 1e3 * c[0].best,
           1e3 * c[1].best, c[1].best / c[0].best);
    drop(&c[0]);
    drop(&c[1]);
}

typedef enum { PACKS_ROWS, PACKS_PLANES, UNPACKS, PACKINGS } pass_packing;
static const char *const packings[] = {
    "pass 1, blocks [n0][n1 part][n2]",
    "pass 1, blocks [n1 part][n0][n2] apart",
    "pass 2, blocks [n1][n0 part][n2]",
};

/* Times the same pass with contiguous memory and with blocks for, or from, peers. */
static void packed(const bench_options *options, const char *name, const ptrdiff_t *size,
                   pass_packing how, fftw_complex *in, fftw_complex *out)
{
    enum { CONTENDERS = 4 };
    static const int peers[CONTENDERS] = {1, 2, 4, 16};
    contender c[CONTENDERS] = {{.best = 0}};
    const transform t = {.axes = 3, .size = {size[0], size[1], size[2]}, .kind = WEFT_FORWARD};
    slab_view natural, turned, blocks;
    divide(&natural, 3, size, order_012, 0, 1);
    divide(&turned, 3, size, order_102, 0, 1);
    for (int k = 0; k < CONTENDERS; k++) {
        bool first = how != UNPACKS;
        char peers_name[16];
        divide(&blocks, 3, size, how == PACKS_ROWS && k ? order_012 : order_102, first, peers[k]);
        for (int p = 0; how == PACKS_PLANES && p < peers[k]; p++)
            blocks.block[p].offset += 4 * p;
        weft_pass_spec spec = slab_pass(&t, !first, first ? &natural : &blocks,
                                        first ? &blocks : &turned, options->flags);
        snprintf(peers_name, sizeof peers_name, "%d", peers[k]);
        c[k].pass[0] = make(options, peers_name, &spec);
        c[k].from[0] = in;
        c[k].to[0] = out;
        give_workspace(&c[k]);
    }
    take_turns(c, CONTENDERS, options->seconds);
    printf("%-52s  1: %8.3f ms", name, 1e3 * c[0].best);
    for (int k = 1; k < CONTENDERS; k++)
        printf("  %d: %.3f", peers[k], c[k].best / c[0].best);
    printf("\n");
    for (int k = 0; k < CONTENDERS; k++)
        drop(&c[k]);
}

static bench_options parse(int arguments, char **argument)
{
    bench_options options = {.flags = FFTW_MEASURE, .seconds = 1};
    int letter;
    while ((letter = getopt(arguments, argument, "epvs:k:")) != -1) {
        if (letter == 'e')
            options.flags = FFTW_ESTIMATE;
        else if (letter == 'p')
            options.flags = FFTW_PATIENT;
        else if (letter == 'v')
            options.verbose = true;
        else if (letter == 's')
            options.seconds = atof(optarg);
        else if (letter == 'k')
            options.word = optarg;
        else {
            fprintf(stderr, "usage: bench-pass [-e | -p] [-v] [-s seconds] [-k word]\n");
            exit(EXIT_FAILURE);
        }
    }
    return options;
}

static bool wanted(const bench_options *options, const char *name)
{
    return !options->word || strstr(name, options->word);
}

/* Allocates three arrays of `elements` complex numbers. */
static bool allocate(size_t elements, fftw_complex **array)
{
    for (int a = 0; a < 3; a++) {
        array[a] = fftw_alloc_complex(elements);
        if (!array[a]) {
            fprintf(stderr, "bench-pass: no memory for %zu complex numbers\n", elements);
            return false;
        }
        memset(array[a], 0, elements * sizeof *array[a]);
    }
    return true;
}

static const struct {
    const char *kind_name;
    int axes;
    ptrdiff_t size[AXES];
    weft_kind kind;
} problems[] = {
    {"c2c", 3, {256, 256, 256}, WEFT_FORWARD}, {"c2c", 3, {128, 128, 128}, WEFT_FORWARD},
    {"c2c", 3, {100, 120, 90}, WEFT_FORWARD},  {"c2c", 3, {32, 512, 512}, WEFT_FORWARD},
    {"c2c", 2, {2048, 4096}, WEFT_FORWARD},    {"c2c", 2, {500, 600}, WEFT_FORWARD},
    {"r2c", 3, {256, 256, 256}, WEFT_R2C},     {"r2c", 3, {100, 120, 90}, WEFT_R2C},
    {"r2c", 2, {2048, 4096}, WEFT_R2C},        {"c2r", 3, {256, 256, 256}, WEFT_C2R},
    {"c2r", 3, {100, 120, 90}, WEFT_C2R},      {"r2r", 3, {128, 128, 128}, WEFT_REDFT10},
};

static bool wholes(const bench_options *options)
{
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        for (int method = 0; method < 4; method++) {
            transform t = {.axes = problems[k].axes, .kind = problems[k].kind};
            char name[80];
            size_t elements = 1;
            int used = 0;
            t.in_place = method & 1;
            t.transposed = method & 2;
            for (int a = 0; a < t.axes; a++) {
                t.size[a] = problems[k].size[a];
                elements *= (size_t)t.size[a] + (a == t.axes - 1 ? 2 : 0);
                used += snprintf(name + used, sizeof name - (size_t)used, "%s%td", a ? "x" : "",
                                 t.size[a]);
            }
            snprintf(name + used, sizeof name - (size_t)used, " %s %s%s", problems[k].kind_name,
                     t.in_place ? "in place" : "out of place", t.transposed ? " transposed" : "");
            fftw_complex *array[3];
            if (!wanted(options, name))
                continue;
            if (!allocate(elements, array))
                return false;
            whole(options, name, &t, array[0], array[1], array[2]);
            for (int a = 0; a < 3; a++)
                fftw_free(array[a]);
        }
    }
    return true;
}

static bool packeds(const bench_options *options)
{
    for (size_t k = 0; k < 3; k++) {
        const ptrdiff_t *size = problems[k].size;
        for (pass_packing how = 0; how < PACKINGS; how++) {
            char name[80];
            fftw_complex *array[3];
            snprintf(name, sizeof name, "%tdx%tdx%td %s", size[0], size[1], size[2], packings[how]);
            if (!wanted(options, name))
                continue;
            if (!allocate((size_t)(size[0] * size[1] * size[2]) + 4 * MOST_PEERS, array))
                return false;
            packed(options, name, size, how, array[0], array[1]);
            for (int a = 0; a < 3; a++)
                fftw_free(array[a]);
        }
    }
    return true;
}

int main(int arguments, char **argument)
{
    bench_options options = parse(arguments, argument);
    return wholes(&options) && packeds(&options) ? EXIT_SUCCESS : EXIT_FAILURE;
}
