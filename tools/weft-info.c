/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-info: what this Weft was built from and with, and the backends it has; with --nodes, as an
 * MPI program, on how many nodes its ranks are. */
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
#include "tools/info/facts.h"
#include "tools/info/plan.h"
#include "tools/info/volume.h"

static const char *const usage =
    "Usage: weft-info [--json]\n"
    "       mpiexec -n RANKS weft-info --nodes\n"
    "       weft-info --volume SIZES [--gnuplot]\n"
    "       weft-info --plan SIZES [-n RANKS] [--grid GRID] [--kind KIND] [--svg FILE] ...\n"
    "Prints the version of Weft, its precisions, the MPI and the FFTW that it was built with and\n"
    "those in use, vector instructions, caches and shared memory, devices (GPUs), the settings in\n"
    "force and where each came from, and the backends, those of WEFT_PLUGINS included.\n"
    "With --nodes, on how many nodes these ranks are, which share memory, and who says so.\n"
    "With --volume, how much of an array, as 256x256x256, changes ranks in a transform, forward:\n"
    "in rows (WEFT_ROWS) beside slabs and grids, on 16 to 65536 ranks; with --gnuplot as what\n"
    "gnuplot makes an SVG of.\n"
    "\n"
    "With --plan, without MPI, who holds what of an array before, between and after its "
    "transform,\n"
    "and what moves where, as 256x256x256 is planned by FFTW_ESTIMATE:\n"
    "  -n RANKS              on so many ranks (1)\n"
    "  --grid GRID           on a process grid, as 4x2; without it on slabs\n"
    "  --kind KIND           c2c (default), r2c or c2r\n"
    "  --backward            c2c backward\n"
    "  --howmany N           so many interleaved transforms (1)\n"
    "  --transposed          transposed output (on grids, of what goes backward: input; of c2r: "
    "input)\n"
    "  --one-node            all ranks share memory\n"
    "  --svg FILE            a picture of it, too; with --force over a file that is there\n"
    "\n"
    "Please report bugs to " WEFT_BUG_ADDRESS ".\n";

/* MPI libraries tell their name and version in one or in many lines: the first ones suffice. */
static void tell_mpi(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, version, subversion;
    MPI_Get_library_version(text, &length);
    MPI_Get_version(&version, &subversion);
    text[strcspn(text, "\n")] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '\t')
            *c = ' ';
    info_section("MPI");
    info_fact("library", "%s (MPI %d.%d)", text, version, subversion);
    info_fact("compiler", "%s", WEFT_MPI_CHOICE);
#ifdef HAVE_MPI_LARGE_COUNT
    info_fact("large counts", "yes");
#else
    info_fact("large counts", "no: beyond 2^31 elements, derived types are used");
#endif
}

static void tell_precision(const char *library, const char *type, const char *fftw, int threads)
{
    info_fact(library, "%s, on %s, FFTW's threads: %s", type, fftw, threads ? "yes" : "no");
}

static void tell_libraries(void)
{
    info_section("Weft");
    info_fact("version", "%s", PACKAGE_VERSION);
#ifdef HAVE_FFTW_THREADS
    tell_precision("libweft", "double", fftw_version, 1);
#else
    tell_precision("libweft", "double", fftw_version, 0);
#endif
#if defined(WEFT_HAVE_FLOAT) && defined(HAVE_FFTWF_THREADS)
    tell_precision("libweftf", "float", fftwf_version, 1);
#elif defined(WEFT_HAVE_FLOAT)
    tell_precision("libweftf", "float", fftwf_version, 0);
#else
    info_fact("libweftf", "not built");
#endif
#if defined(WEFT_HAVE_LONG_DOUBLE) && defined(HAVE_FFTWL_THREADS)
    tell_precision("libweftl", "long double", fftwl_version, 1);
#elif defined(WEFT_HAVE_LONG_DOUBLE)
    tell_precision("libweftl", "long double", fftwl_version, 0);
#else
    info_fact("libweftl", "not built");
#endif
#ifdef _OPENMP
    info_fact("OpenMP", "yes, threads inside passes");
#else
    info_fact("OpenMP", "no");
#endif
}

/* Each with its parameter and its values for 8 ranks, and whether it applies. */
static void tell_backends(void)
{
    const weft_backend *backend;
    weft_layout from, to;
    const ptrdiff_t size[] = {64, 64};
    weft_layout_init(&from, 2, size, 1);
    from.grid_axes = 1;
    from.grid[0] = 8;
    to = from;
    from.axis[0].grid_axis = to.axis[1].grid_axis = 0;
    weft_exchange *exchange = weft_exchange_describe(&from, &to, 16, 0, 0, 8);
    info_section("Backends");
    for (int place = 0; exchange && (backend = weft_backend_at(place)); place++) {
        char values[120];
        int value[16];
        weft_writer text = weft_write_to(values, sizeof values);
        const int count = backend->values ? backend->values(exchange, value, 16) : 0;
        for (int i = 0; i < count && i < 16; i++)
            weft_write(&text, "%s%d", i ? ", " : "; on 8 ranks tries ", value[i]);
        const char *why = backend->memory ? "where ranks share memory: weft-info --nodes"
                          : backend->cost && backend->cost->by_node
                              ? "where some ranks share nodes and others do not: weft-info --nodes"
                              : weft_exchange_refused(exchange, backend, count > 0 ? value[0] : 0);
        info_fact(backend->name, "%s%s%s%s%s; applies %s%s", backend->about,
                  backend->parameter ? " (:" : "", backend->parameter ? backend->parameter : "",
                  backend->parameter ? ")" : "", values,
                  why && strncmp(why, "where", 5) != 0 ? "not to slabs in blocks: " : "",
                  why ? why : "always");
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
        weft_agree(MPI_COMM_WORLD, !*nodes.why); /* the first reason */
        free(nodes.leader);
    }
    const char *why = weft_error_text();
    if (rank == 0 && found)
        printf("Nodes         %d for %d rank%s, %s%s%s\n", count, ranks, ranks > 1 ? "s" : "",
               own ? "found by sharing memory: MPI takes each rank for a node of its own"
                   : "as MPI says",
               *why ? "; some have no memory to share: " : "", why);
    else if (rank == 0)
        fprintf(stderr, "weft-info: %s\n", why);
    MPI_Finalize();
    return found ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--nodes"))
        return print_nodes();
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--plan", 6))
            return info_plan_main(argc, argv);
    const bool plot = argc == 4 && !strcmp(argv[3], "--gnuplot");
    if ((argc == 3 || plot) && !strcmp(argv[1], "--volume"))
        return info_volume(argv[2], plot);
    const bool json = argc == 2 && !strcmp(argv[1], "--json");
    if (argc > 1 && !json) {
        int help = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");
        if (!strcmp(argv[1], "--version")) {
            puts("weft-info " PACKAGE_VERSION);
            if (*WEFT_HOME_PAGE)
                puts(WEFT_HOME_PAGE);
            return EXIT_SUCCESS;
        }
        if (!help)
            fprintf(stderr, "weft-info: unknown argument \"%s\"\n", argv[1]);
        fputs(usage, help ? stdout : stderr);
        return help ? EXIT_SUCCESS : 2;
    }

    const char *plugins = weft_setting("WEFT_PLUGINS");
    const bool loaded = !plugins || !*plugins || weft_plugins_load(plugins);
    tell_libraries();
    tell_mpi();
    info_providers();
    info_vectors(fftw_version);
    info_machine();
    info_devices();
    info_settings();
    tell_backends();
    info_print(json);
    if (!loaded)
        fprintf(stderr, "weft-info: %s\n", weft_error_text());
    return loaded ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    return bench_printed("weft-info", run(argc, argv));
}
