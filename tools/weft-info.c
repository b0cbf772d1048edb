/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info: prints what this Weft was built with and which backends it has. As an MPI program it
 * also prints, with --nodes, on how many nodes its ranks run, and checks transforms with --check.
 */
#include <mpi.h>
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/exchange.h"
#include "backends/exchange/nodes.h"
#include "backends/table.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "tools/bench/output.h"
#include "tools/info/check.h"
#include "tools/info/facts.h"
#include "tools/info/plan.h"
#include "tools/info/volume.h"

/* clang-format off */
static const char *const usage =
    "Usage: weft-info [--json]\n"
    "       [mpiexec -n RANKS] weft-info --check\n"
    "       mpiexec -n RANKS weft-info --nodes\n"
    "       weft-info --volume SIZES [--gnuplot]\n"
    "       weft-info --plan SIZES [-n RANKS] [--grid GRID] [--kind KIND] [--svg FILE] ...\n"
    "\n"
    "Without options it prints how Weft was built (version, compiler, flags, precisions, MPI, FFTW),\n"
    "what this machine has (vector instructions, caches, shared memory, GPUs), the settings and their\n"
    "sources, and the backends, also from WEFT_PLUGINS. With --json it prints this as JSON.\n"
    "  --check               run about 200 small transforms and compare them with serial FFTW; the\n"
    "                        exit status is 1 when one is wrong. Run it after installing Weft.\n"
    "  --nodes               print the number of nodes of the ranks, and how Weft found it\n"
    "  --volume SIZES        print how much of an array, as 256x256x256, moves between ranks in a\n"
    "                        transform, for slabs, grids and rows on 16 to 65536 ranks\n"
    "  --gnuplot             print this as input for gnuplot, which makes an SVG of it\n"
    "\n"
    "  --plan SIZES          print, without MPI, the plan of FFTW_ESTIMATE: which part each rank has\n"
    "                        before, during and after the transform, and what moves. Options:\n"
    "  -n RANKS              on this many ranks (default: 1)\n"
    "  --grid GRID           on a process grid, as 4x2 (default: slabs)\n"
    "  --kind KIND           c2c (default), r2c or c2r\n"
    "  --backward            c2c backward\n"
    "  --howmany N           N interleaved transforms (default: 1)\n"
    "  --transposed          transposed output; for c2r and for c2c backward on a grid: input\n"
    "  --one-node            all ranks share memory\n"
    "  --svg FILE            also draw it; an existing file is kept unless --force is given\n"
    "  --force               write over an existing file\n"
    "\n"
    "  --help, --version     print this, or the version\n"
    "\n"
    "Please report bugs to " WEFT_BUG_ADDRESS ".\n";
/* clang-format on */

/* MPI libraries return their name and version in one line or in many; the first ones suffice. */
static void report_mpi(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, version, subversion;
    MPI_Get_library_version(text, &length);
    MPI_Get_version(&version, &subversion);
    text[strcspn(text, "\n")] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '\t')
            *c = ' ';
    info_heading("MPI");
    info_fact("library", "%s (MPI %d.%d)", text, version, subversion);
    info_fact("compiler", "%s", WEFT_MPI_REASON);
}

static void report_precision(const char *library, const char *type, const char *fftw, int threads)
{
    info_fact(library, "%s, uses %s%s", type, fftw, threads ? " and FFTW's threads" : "");
}

static void report_libraries(void)
{
    info_heading("Weft");
    info_fact("version", "%s", PACKAGE_VERSION);
    info_fact("compiler", "%s", info_compiler);
    info_fact("flags", "%s", info_flags);
#ifdef HAVE_FFTW_THREADS
    report_precision("libweft", "double", fftw_version, 1);
#else
    report_precision("libweft", "double", fftw_version, 0);
#endif
#if defined(WEFT_HAVE_FLOAT) && defined(HAVE_FFTWF_THREADS)
    report_precision("libweftf", "float", fftwf_version, 1);
#elif defined(WEFT_HAVE_FLOAT)
    report_precision("libweftf", "float", fftwf_version, 0);
#else
    info_fact("libweftf", "not built");
#endif
#if defined(WEFT_HAVE_LONG_DOUBLE) && defined(HAVE_FFTWL_THREADS)
    report_precision("libweftl", "long double", fftwl_version, 1);
#elif defined(WEFT_HAVE_LONG_DOUBLE)
    report_precision("libweftl", "long double", fftwl_version, 0);
#else
    info_fact("libweftl", "not built");
#endif
#ifdef _OPENMP
    info_fact("OpenMP", "yes: each rank may use several threads");
#else
    info_fact("OpenMP", "no: each rank uses one thread");
#endif
}

/* Prints each backend with its parameter, the values that it offers for 8 ranks, and its
 * conditions. */
static void report_backends(void)
{
    const weft_backend *backend;
    weft_layout from, to;
    const ptrdiff_t size[] = {64, 64};
    weft_layout_init(&from, 2, size, 1);
    from.grid_axes = 1;
    from.grid[0] = 8;
    to = from;
    from.axis[0].grid_axis = to.axis[1].grid_axis = 0;
    weft_exchange *exchange = weft_exchange_describe(&from, &to, 16, 0, NULL, 0, 8);
    info_heading("Backends");
    for (int place = 0; exchange && (backend = weft_backend_at(place)); place++) {
        char values[120];
        int value[16];
        weft_writer text = weft_write_to(values, sizeof values);
        const int count = backend->values ? backend->values(exchange, value, 16) : 0;
        for (int i = 0; i < count && i < 16; i++)
            weft_write(&text, "%s%d", i ? ", " : "; on 8 ranks it tries ", value[i]);
        const char *parameter = backend->parameter,
                   *why = weft_exchange_why_refused(exchange, backend, count > 0 ? value[0] : 0);
        const bool memory = backend->memory != NULL,
                   by_node = backend->cost && backend->cost->by_node;
        info_fact(backend->name, "%s%s%s%s%s%s%s", backend->about, parameter ? " (parameter: " : "",
                  parameter ? parameter : "", parameter ? values : "", parameter ? ")" : "",
                  memory    ? "; needs ranks that share memory: see weft-info --nodes"
                  : by_node ? "; needs several nodes with several ranks each: see weft-info --nodes"
                  : why     ? "; cannot exchange slabs: "
                            : "",
                  !memory && !by_node && why ? why : "");
    }
    weft_exchange_destroy(exchange);
}

static int print_nodes(void)
{
    weft_nodes nodes;
    int rank, ranks, count = 0, own = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const bool found = weft_nodes_find(MPI_COMM_WORLD, &nodes);
    if (found) {
        for (int r = 0; r < ranks; r++)
            count += nodes.leader[r] == r;
        own = nodes.own;
        MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
        weft_error("%s", nodes.why);
        weft_agree(MPI_COMM_WORLD,
                   !*nodes.why); /* all ranks get the reason of the lowest rank that has one */
        free(nodes.leader);
    }
    const char *why = weft_error_text();
    if (rank == 0 && found)
        printf("%d rank%s on %d node%s (%s)%s%s\n", ranks, ranks > 1 ? "s" : "", count,
               count > 1 ? "s" : "",
               own ? "Weft found that they share memory; MPI says that each rank has its own node"
                   : "as MPI says",
               *why ? "; some ranks cannot share memory: " : "", why);
    else if (rank == 0)
        fprintf(stderr, "weft-info: %s\n", why);
    MPI_Finalize();
    return found ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int print_facts(bool json)
{
    const char *plugins = weft_setting("WEFT_PLUGINS");
    const bool loaded = !plugins || !*plugins || weft_plugins_load(plugins);
    report_libraries();
    report_mpi();
    info_providers();
    info_vectors(fftw_version);
    info_machine();
    info_devices();
    info_settings();
    report_backends();
    info_print(json);
    if (!loaded)
        fprintf(stderr, "weft-info: %s\n", weft_error_text());
    return loaded ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Prints an error in one sentence and returns the exit status. */
static int refuse(const char *format, const char *word, const char *other)
{
    fputs("weft-info: ", stderr);
    fprintf(stderr, format, word, other);
    fputs("; weft-info --help lists the options\n", stderr);
    return 2;
}

static int print_version(void)
{
    puts("weft-info " PACKAGE_VERSION);
    if (*WEFT_HOME_PAGE)
        puts(WEFT_HOME_PAGE);
    return EXIT_SUCCESS;
}

static int print_help(void)
{
    fputs(usage, stdout);
    return EXIT_SUCCESS;
}

static int print_json(void)
{
    return print_facts(true);
}

static int run(int argc, char **argv)
{
    static const struct {
        const char *option;
        int (*run)(void);
    } alone[] = {{"--check", info_check}, {"--nodes", print_nodes}, {"--json", print_json},
                 {"--help", print_help},  {"-h", print_help},       {"--version", print_version}};
    if (argc < 2)
        return print_facts(false);
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--plan", 6))
            return bench_is_first() ? info_plan_main(argc, argv) : EXIT_SUCCESS;
    const bool plot = argc == 4 && !strcmp(argv[3], "--gnuplot");
    if (!strcmp(argv[1], "--volume"))
        return argc == 3 || plot ? info_volume(argv[2], plot)
                                 : refuse("--volume needs sizes such as 256x256x256, and accepts "
                                          "only --gnuplot after them",
                                          "", "");
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (!strcmp(argv[1], alone[i].option))
            return argc == 2 ? alone[i].run()
                             : refuse("%s accepts no other argument, and \"%s\" was given", argv[1],
                                      argv[2]);
    return refuse("the first option cannot be \"%s\"%s", argv[1], "");
}

int main(int argc, char **argv)
{
    return bench_printed("weft-info", run(argc, argv));
}
