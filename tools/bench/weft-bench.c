/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-bench: times Weft, each of its backends and another library with FFTW-MPI's interface on the
 * same problems in one run. Started under mpiexec; rank 0 prints.
 */
#define _GNU_SOURCE
#include <fftw3.h>
#include <getopt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench.h"
#include "config.h"

static const char usage[] =
    "Usage: mpiexec -n RANKS weft-bench [options] [SIZES ...]\n"
    "Times distributed transforms, as 256x256x256; more sizes, more cases.\n"
    "\n"
    "  --kind KIND           c2c (default), r2c, c2r, r2r or transpose\n"
    "  --howmany N           so many interleaved transforms (1)\n"
    "  --precision P         double (default), float or long\n"
    "  --transposed          transposed output (of c2r: input)\n"
    "  --scrambled           1-d: scrambled output\n"
    "  --in-place            input and output are one array\n"
    "  --grid GRID           on a process grid, as 4x2; dimensions of 0 are chosen\n"
    "  --suite SUITE         the standard suite of cases, or those of papers on grids\n"
    "  --only WORD           of the cases just those whose name contains WORD\n"
    "  --rigor R             estimate, measure (default), patient or exhaustive\n"
    "  --backends all|LIST   also Weft with each of these backends forced (waitall,bruck:4,...)\n"
    "  --against LIBRARY     also this library, as /usr/lib/libfftw3_mpi.so; ratios are its\n"
    "                        time over the others'\n"
    "  --weft LIBRARY        the Weft to time (default: the one installed with this program)\n"
    "  --seconds S           about so long for each case (1)\n"
    "  --json                JSON instead of a table\n"
    "  --help                this text\n";

typedef struct {
    bench_case model; /* what options say of all sizes given */
    bench_case cases[BENCH_MAX_CASES];
    int count;
    const char *only, *backends, *against, *weft;
    unsigned rigor;
    double seconds;
    bool json, suite, papers, help;
    char error[256];
} options;

static int choice(const char *text, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    return -1;
}

static bool set_choice(options *o, const char *option, const char *text, const char *const *words,
                       int *value)
{
    *value = choice(text, words);
    if (*value < 0)
        snprintf(o->error, sizeof o->error, "--%s does not know %s", option, text);
    return *value >= 0;
}

static bool one_option(options *o, int letter, const char *text)
{
    static const char *const kinds[] = {"c2c", "r2c", "c2r", "r2r", "transpose", NULL};
    static const char *const precisions[] = {"double", "float", "long", NULL};
    static const char *const rigors[] = {"estimate", "measure", "patient", "exhaustive", NULL};
    static const char *const suites[] = {"standard", "papers", NULL};
    static const unsigned rigor[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT, FFTW_EXHAUSTIVE};
    int value = 0;
    bool ok = true;
    switch (letter) {
    case 'k':
        ok = set_choice(o, "kind", text, kinds, &value);
        o->model.kind = (bench_kind)value;
        break;
    case 'p':
        ok = set_choice(o, "precision", text, precisions, &value);
        o->model.precision = (bench_precision)value;
        break;
    case 'r':
        ok = set_choice(o, "rigor", text, rigors, &value);
        o->rigor = ok ? rigor[value] : 0;
        break;
    case 's':
        ok = set_choice(o, "suite", text, suites, &value);
        o->suite = ok;
        o->papers = value == 1;
        break;
    case 'g':
        ok = bench_case_grid(text, &o->model);
        break;
    case 'm':
        o->model.howmany = atol(text);
        ok = o->model.howmany > 0;
        break;
    case 'S':
        o->seconds = atof(text);
        ok = o->seconds > 0;
        break;
    case 't':
        o->model.transposed = true;
        break;
    case 'c':
        o->model.scrambled = true;
        break;
    case 'i':
        o->model.in_place = true;
        break;
    case 'o':
        o->only = text;
        break;
    case 'b':
        o->backends = text;
        break;
    case 'a':
        o->against = text;
        break;
    case 'w':
        o->weft = text;
        break;
    case 'j':
        o->json = true;
        break;
    case 'h':
        o->help = true;
        break;
    default:
        ok = false;
    }
    if (!ok && !o->error[0])
        snprintf(o->error, sizeof o->error, "an option is unknown or lacks a good value%s%s",
                 text ? ": " : "", text ? text : "");
    return ok;
}

static bool read_options(int argc, char **argv, options *o)
{
    static const struct option names[] = {
        {"kind", 1, NULL, 'k'},       {"howmany", 1, NULL, 'm'},   {"precision", 1, NULL, 'p'},
        {"transposed", 0, NULL, 't'}, {"scrambled", 0, NULL, 'c'}, {"in-place", 0, NULL, 'i'},
        {"suite", 1, NULL, 's'},      {"only", 1, NULL, 'o'},      {"rigor", 1, NULL, 'r'},
        {"backends", 1, NULL, 'b'},   {"against", 1, NULL, 'a'},   {"weft", 1, NULL, 'w'},
        {"grid", 1, NULL, 'g'},       {"seconds", 1, NULL, 'S'},   {"json", 0, NULL, 'j'},
        {"help", 0, NULL, 'h'},       {NULL, 0, NULL, 0}};
    opterr = 0;
    for (int letter; (letter = getopt_long(argc, argv, "", names, NULL)) != -1;)
        if (!one_option(o, letter, optarg))
            return false;
    if (o->suite)
        o->count = o->papers ? bench_papers_suite(o->cases) : bench_standard_suite(o->cases);
    for (; optind < argc; optind++) {
        if (o->count == BENCH_MAX_CASES || !bench_case_sizes(argv[optind], &o->model)) {
            snprintf(o->error, sizeof o->error, "not sizes as 256x256x256, or too many: %s",
                     argv[optind]);
            return false;
        }
        o->cases[o->count++] = o->model;
    }
    for (int i = 0; i < o->count; i++)
        if (o->cases[i].kind == BENCH_TRANSPOSE && o->cases[i].grid_axes > 0) {
            snprintf(o->error, sizeof o->error, "--grid is for transforms, not for transposes");
            return false;
        }
    if (o->count == 0 && !o->help)
        snprintf(o->error, sizeof o->error, "give sizes, as 128x128x128, or --suite standard");
    return o->count > 0 || o->help;
}

/* The Weft of this program's own build or installation, else the loader's. */
static bench_library *open_weft(const char *asked, char *error, size_t room)
{
    static const char *const beside[] = {"/.libs/libweft.so", "/../.libs/libweft.so",
                                         "/../lib/libweft.so"};
    char program[512], name[600];
    if (asked)
        return bench_library_open(asked, error, room);
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    if (strrchr(program, '/'))
        *strrchr(program, '/') = '\0';
    for (size_t i = 0; length > 0 && i < sizeof beside / sizeof beside[0]; i++) {
        snprintf(name, sizeof name, "%s%s", program, beside[i]);
        if (access(name, R_OK) == 0)
            return bench_library_open(name, error, room);
    }
    return bench_library_open(WEFT_LIBDIR "/libweft.so", error, room);
}

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

/* Ranks on one core wait for one another and time the scheduler. */
static void warn_of_shared_cores(int rank)
{
    int ranks, core = sched_getcpu(), cores[4096] = {0};
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &ranks);
    cpu_set_t set;
    CPU_ZERO(&set);
    const bool bound = sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1;
    if (ranks <= 4096)
        MPI_Gather(&core, 1, MPI_INT, cores, 1, MPI_INT, 0, node);
    bool shared = ranks > sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; rank == 0 && ranks <= 4096 && i < ranks; i++)
        for (int j = 0; j < i; j++)
            shared |= cores[i] == cores[j];
    if (rank == 0 && shared)
        fprintf(stderr, "weft-bench: ranks share a core: times say little\n");
    else if (rank == 0 && !bound && ranks > 1)
        fprintf(stderr,
                "weft-bench: ranks are not bound to cores (-bind-to core): times may jump\n");
    MPI_Comm_free(&node);
}

static int bench(const options *o, bench_library *weft, bench_library *other, int rank)
{
    static bench_contender contender[BENCH_MAX_CONTENDERS];
    static bench_result result[BENCH_MAX_CONTENDERS];
    const bool json = o->json && rank == 0, table = !o->json && rank == 0;
    int count = 0, failed = 0, reference = -1;
    bool first = true;
    bench_summary summary = {0};
    char name[96];
    if (other)
        reference = count = add_contender(contender, count, other, "other library", "") - 1;
    count = add_contender(contender, reference + 1, weft, "weft", "");
    if (o->backends)
        count = add_backends(contender, count, weft, o->backends);
    if (json)
        printf("[\n");
    if (table)
        bench_print_head(stdout);
    for (int i = 0; i < o->count; i++) {
        bench_case_name(&o->cases[i], name, sizeof name);
        if (o->only && !strstr(name, o->only))
            continue;
        if (!bench_time(&o->cases[i], contender, count, o->rigor, o->seconds, result)) {
            failed++;
            if (rank == 0)
                fprintf(stderr, "weft-bench: no memory for %s\n", name);
            continue;
        }
        failed += !result[reference + 1].made;
        bench_sum_up(&summary, &o->cases[i], result, reference);
        if (table)
            bench_print_case(stdout, &o->cases[i], contender, count, result, reference);
        if (json)
            bench_print_json(stdout, &o->cases[i], contender, count, result, reference, first);
        first = false;
    }
    if (table)
        bench_print_summary(stdout, &summary);
    if (json)
        printf("\n]\n");
    return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
    static options o;
    char error[1024] = "";
    int rank, ranks, status = 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    o = (options){.model = {.howmany = 1}, .rigor = FFTW_MEASURE, .seconds = 1};
    if (!read_options(argc, argv, &o)) {
        if (rank == 0)
            fprintf(stderr, "weft-bench: %s\nweft-bench --help says more\n", o.error);
    } else if (o.help) {
        if (rank == 0)
            fputs(usage, stdout);
        status = 0;
    } else {
        bench_library *weft = open_weft(o.weft, error, sizeof error), *other = NULL;
        if (weft && o.against)
            other = bench_library_open(o.against, error, sizeof error);
        int ok = weft && (other || !o.against), all;
        MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
        if (all) {
            warn_of_shared_cores(rank);
            for (int i = 0; i < o.count; i++)
                bench_choose_grid(&o.cases[i], ranks);
            status = bench(&o, weft, other, rank);
        } else if (!ok) {
            fprintf(stderr, "weft-bench: cannot open %s: %s\n",
                    weft     ? o.against
                    : o.weft ? o.weft
                             : "Weft's library",
                    error);
        }
        if (weft)
            bench_library_close(weft);
        if (other)
            bench_library_close(other);
    }
    MPI_Finalize();
    return status;
}
