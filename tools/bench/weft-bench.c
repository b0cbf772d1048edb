/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-bench: times Weft, each of its backends, and another library with FFTW-MPI's interface, all
 * on the same problems in one run. mpiexec starts it; rank 0 prints.
 */
#include <stdlib.h>
#include <string.h>
#include "tools/bench/bar.h"
#include "tools/bench/bench.h"
#include "tools/bench/output.h"
#include "tools/bench/plot.h"

static int add_contender(bench_contender *contender, int count, bench_library *library,
                         const char *label, const char *backend)
{
    if (count == BENCH_MAX_CONTENDERS)
        return count;
    contender[count].library = library;
    snprintf(contender[count].label, sizeof contender[count].label, "%s", label);
    snprintf(contender[count].backend, sizeof contender[count].backend, "%s", backend);
    return count + 1;
}

static int add_backends(bench_contender *contender, int count, bench_library *weft,
                        const char *list)
{
    if (strcmp(list, "all") == 0) {
        const char *name;
        for (int place = 0; (name = bench_library_backend(weft, place)); place++)
            count = add_contender(contender, count, weft, name, name);
        return count;
    }
    char *copy = strdup(list), *rest = copy;
    for (char *name; copy && (name = strsep(&rest, ","));)
        count = add_contender(contender, count, weft, name, name);
    free(copy);
    return count;
}

/* Whether the library has the backend NAME of a text "NAME" or "NAME:VALUE". */
static bool has_backend(bench_library *weft, const char *text)
{
    const char *name, *value = strchr(text, ':');
    const size_t length = strcspn(text, ":");
    if (value && (!value[1] || value[1 + strspn(value + 1, "0123456789")]))
        return false;
    for (int place = 0; (name = bench_library_backend(weft, place)); place++)
        if (strlen(name) == length && strncmp(name, text, length) == 0)
            return true;
    return false;
}

/* Makes a small plan, because Weft loads plug-ins when it makes its first plan. */
static void load_plugins(bench_library *weft, int rank)
{
    static fftw_complex in[16], out[16];
    const bench_case little = {.axes = 2, .size = {4, 4}, .howmany = 1};
    int any = rank == 0 && getenv("WEFT_PLUGINS");
    MPI_Bcast(&any, 1, MPI_INT, 0, MPI_COMM_WORLD);
    void *plan = any ? bench_plan(weft, &little, in, out, FFTW_ESTIMATE) : NULL;
    if (plan)
        bench_destroy(weft, &little, plan);
}

/* Whether Weft has all backends of the list. */
static bool backends_known(bench_library *weft, const char *list, int rank)
{
    char *copy = strdup(list), *rest = copy, *name = copy;
    bool known = copy && strcmp(list, "all") == 0;
    load_plugins(weft, rank);
    while (copy && !known && (name = strsep(&rest, ",")) && has_backend(weft, name))
        ;
    if (!known && name && rank == 0) {
        fprintf(stderr, "weft-bench: there is no backend \"%.100s\"; there are", name);
        const char *other;
        for (int place = 0; (other = bench_library_backend(weft, place)); place++)
            fprintf(stderr, "%s%s", place ? ", " : " ", other);
        fputc('\n', stderr);
    }
    known = known || (copy && !name);
    free(copy);
    return known;
}

/* Adds contenders for which WEFT_MACHINE describes other caches: a server with a small cache per
 * core, one with a large cache per core, a laptop, a machine without a third level, and a machine
 * whose caches are unknown. */
static int add_machines(bench_contender *contender, int count, bench_library *weft)
{
    static const char *const machine[] = {"l2=1M l3=32M cores=8", "l2=2M l3=105M cores=2",
                                          "l2=1M l3=8M cores=4", "l2=8M l3=0 cores=12", "unknown"};
    for (size_t i = 0; i < sizeof machine / sizeof *machine; i++) {
        char label[64];
        snprintf(label, sizeof label, "as %s", machine[i]);
        const int place = count;
        count = add_contender(contender, count, weft, label, "");
        if (count > place)
            snprintf(contender[place].machine, sizeof contender[place].machine, "%s", machine[i]);
    }
    return count;
}

/* Adds each contender without a setting once more, as a disturbed one. */
static int add_disturbed(bench_contender *contender, int count)
{
    const int until = count;
    for (int i = 0; i < until && count < BENCH_MAX_CONTENDERS; i++) {
        contender[count] = contender[i];
        contender[count].disturbed = true;
        snprintf(contender[count].label, sizeof contender[count].label, "%.40s disturbed",
                 contender[i].label);
        count++;
    }
    return count;
}

/* The contenders of all timings, and where the results are printed. */
typedef struct {
    const bench_options *options;
    bench_contender contender[BENCH_MAX_CONTENDERS];
    int contenders, reference;
    bool prints, first;
    bench_summary summary;
    FILE *json; /* for the picture; NULL: none */
} session;

/* Times one case, or with --lifecycle several cases in turn, and prints the result. Returns false
 * if any of them could not be timed. */
static bool time_and_print(session *to, const bench_case *that, int cases, const char *name)
{
    static bench_result result[BENCH_MAX_CONTENDERS];
    const bench_options *o = to->options;
    const int reference = to->reference;
    const bool timed = o->lifecycle
                           ? bench_time_lives(that, cases, to->contender, to->contenders, o->rigor,
                                              o->seconds, result)
                           : bench_time(that, to->contender, to->contenders, o->rigor, o->seconds,
                                        o->split || o->plot || o->format != BENCH_TABLE, result);
    if (to->prints)
        bench_bar_end();
    if (!timed) {
        if (to->prints)
            fprintf(stderr, "weft-bench: there is no memory for the arrays of %s\n", name);
        return false;
    }
    if (cases == 1)
        bench_sum_up(&to->summary, name, result, reference);
    if (to->prints && o->format == BENCH_TABLE)
        bench_print_case(stdout, o, name, to->contender, to->contenders, result, reference);
    bench_sum_up_failures(&to->summary, to->contender, to->contenders, result);
    if (to->prints && (to->json || o->format == BENCH_JSON))
        bench_print_json(to->json ? to->json : stdout, name, to->contender, to->contenders, result,
                         reference, to->first);
    if (to->prints && o->format == BENCH_CSV)
        bench_print_csv(stdout, name, to->contender, to->contenders, result, reference);
    to->first = false;
    return result[reference + 1].made;
}

/* The picture needs the results as JSON, beside the table. */
static void begin_json(session *to, const bench_surroundings *where, char **text, size_t *length)
{
    static bench_options as_json;
    as_json = *to->options;
    as_json.format = BENCH_JSON;
    to->json = open_memstream(text, length);
    if (to->json)
        bench_print_head(to->json, &as_json, where);
}

static void end_json(session *to)
{
    if (to->json) {
        bench_print_end(to->json, BENCH_JSON, &to->summary);
        fclose(to->json);
    }
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* The cases that are wanted, and the widths of the first two columns. */
static int choose_cases(bench_options *o, const session *to, bench_case *chosen)
{
    int cases = 0;
    char name[96];
    o->case_width = o->by_width = 8;
    for (int i = 0; i < o->count; i++) {
        bench_case_name(&o->cases[i], name, sizeof name);
        if (o->only && !strstr(name, o->only))
            continue;
        chosen[cases++] = o->cases[i];
        o->case_width = larger(o->case_width, (int)strlen(name));
    }
    for (int i = 0; i < to->contenders; i++)
        o->by_width = larger(o->by_width, (int)strlen(to->contender[i].label));
    return cases;
}

/* `json`: the results, to be drawn and freed; NULL without --plot. */
static int bench(bench_options *o, bench_library *weft, bench_library *other, int rank, char **json)
{
    static session to;
    static bench_case chosen[BENCH_MAX_CASES];
    static bench_surroundings where;
    size_t length;
    int count = 0, failed = 0;
    char name[96];
    to = (session){.options = o, .reference = -1, .prints = rank == 0, .first = true};
    bench_surroundings_find(&where);
    if (rank == 0)
        bench_surroundings_warn(&where);
    if (other)
        to.reference = count =
            add_contender(to.contender, count, other,
                          bench_library_is_weft(other) ? "other Weft" : "FFTW-MPI", "") -
            1;
    count = add_contender(to.contender, to.reference + 1, weft, "weft", "");
    if (o->count > 0 && o->cases[0].operates) {
        count = add_contender(to.contender, count, weft, "two plans", "");
        to.contender[count - 1].separate = true;
    }
    if (o->disturbed)
        count = add_disturbed(to.contender, count);
    if (o->machines)
        count = add_machines(to.contender, count, weft);
    if (o->backends)
        count = add_backends(to.contender, count, weft, o->backends);
    to.contenders = count;
    const int cases = choose_cases(o, &to, chosen);
    if (rank == 0 && cases > 0)
        bench_print_head(stdout, o, &where);
    if (rank == 0 && cases > 0 && o->plot)
        begin_json(&to, &where, json, &length);
    const double begin = MPI_Wtime();
    for (int i = 0; i < cases; i++) {
        bench_case_name(&chosen[i], name, sizeof name);
        if (rank == 0)
            bench_bar((double)i / cases, MPI_Wtime() - begin, i + 1, cases, name);
        failed += !time_and_print(&to, &chosen[i], 1, name);
    }
    if (o->lifecycle && cases > 1) {
        snprintf(name, sizeof name, "all %d in turn", cases);
        failed += !time_and_print(&to, chosen, cases, name);
    }
    if (cases == 0 && rank == 0)
        fprintf(stderr, "weft-bench: --only is \"%s\"; no case has that in its name\n", o->only);
    if (rank == 0 && cases > 0)
        bench_print_end(stdout, o->format, &to.summary);
    end_json(&to);
    return cases == 0 ? 2 : failed ? 1 : 0;
}

/* Loads FFTW's library of threads, which must happen before libweft is opened. */
static void open_threads(const bench_options *o, int rank)
{
    bool wanted = false;
    for (int i = 0; i < o->count; i++)
        wanted |= o->cases[i].threads > 1;
    if (wanted && !bench_library_with_threads() && rank == 0)
        fputs("weft-bench: FFTW's threads are not installed, so --threads is ignored and plans "
              "use one thread\n",
              stderr);
}

static int open_and_bench(bench_options *o, int rank, char **json)
{
    char error[1024] = "";
    open_threads(o, rank);
    bench_library *weft = bench_library_open_weft(o->weft, error, sizeof error), *other = NULL;
    if (weft && o->against)
        other = bench_library_open(o->against, error, sizeof error);
    int ok = weft && (other || !o->against), all, status = 2;
    MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (all && (!o->backends || backends_known(weft, o->backends, rank))) {
        status = bench(o, weft, other, rank, json);
    } else if (!ok) {
        fprintf(stderr, "weft-bench: %s cannot be opened: %s\n",
                weft      ? o->against
                : o->weft ? o->weft
                          : "Weft's library",
                error);
    }
    if (weft)
        bench_library_close(weft);
    if (other)
        bench_library_close(other);
    return status;
}

static int print_help(int rank)
{
    if (rank == 0)
        printf("%s%s%s", bench_usage, bench_case_usage, bench_more_usage);
    return 0;
}

static int complain(int rank, const char *why)
{
    if (rank == 0)
        fprintf(stderr, "weft-bench: %s; weft-bench --help lists the options\n", why);
    return 2;
}

/* Times; on rank 0 the exit status of drawing counts, too. */
static int run(bench_options *o, int rank, int ranks, char **json)
{
    int possible = rank > 0 || !o->plot || plot_possible(o->plot, o->force);
    MPI_Bcast(&possible, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!possible)
        return 2;
    for (int i = 0; i < o->count; i++)
        bench_choose_grid(&o->cases[i], ranks);
    return open_and_bench(o, rank, json);
}

int main(int argc, char **argv)
{
    static bench_options o;
    char *json = NULL;
    int rank, ranks, provided;
    const bool read = bench_options_read(argc, argv, &o);
    if (read && o.files > 0 && !o.help)
        return bench_is_first() ? plot_files(o.plot, o.force, o.results, o.files) : 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int status = !read    ? complain(rank, o.error)
                 : o.help ? print_help(rank)
                          : run(&o, rank, ranks, &json);
    status = bench_printed("weft-bench", status);
    MPI_Finalize();
    if (json) { /* gnuplot is a child process, which MPI need not allow */
        const int drawn = plot_json(o.plot, o.force, json);
        status = status ? status : drawn;
        free(json);
    }
    return status;
}
