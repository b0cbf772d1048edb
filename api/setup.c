/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Init and cleanup. Weft sets itself up when it first plans, so that init may be called twice, or
 * not at all, before or after the threads functions; whichever comes first looks who else is
 * loaded. Cleanup gives back what serial FFTW holds, as FFTW-MPI's does, and what shared memory is
 * still held for plans to come.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api/entries.h"
#include "api/loaded.h"
#include "api/mpi-state.h"
#include "api/planning.h"
#include "backends/memory/window.h"
#include "kernels/base/error.h"
#include "planner/handle.h"
#include "planner/workspace.h"

static const void *execute(void)
{
    void (*const function)(const FFTW(plan)) = FFTW(execute);
    const void *address;
    memcpy(&address, &function, sizeof address);
    return address;
}

/* A plan of fftw_execute's own library, which is what libfftw3's are; only where its name does not
 * tell, because it sets up the planner. */
static bool plans_alike(void)
{
    FFTW(complex) in[2], out[2];
    FFTW(plan) plan = FFTW(plan_dft_1d)(2, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
    const bool alike = plan && weft_handle_resembles(plan);
    if (plan)
        FFTW(destroy_plan)(plan);
    return alike;
}

/* Other libraries have FFTW's functions, too, but not its plans, which Weft's have to be for them.
 * A tool that stands between has FFTW's. */
static void check_fftw(void)
{
    void *library = weft_library_of(execute());
    const char *version = library ? dlsym(library, "fftw" WEFT_LETTER "_version") : FFTW(version);
    if (library)
        dlclose(library);
    if (version ? strncmp(version, "fftw-3.", 7) != 0 : !plans_alike())
        weft_end("%s is not FFTW's but that of %s (%s), which cannot run Weft's plans; have the "
                 "program load FFTW's libfftw3%s before that",
                 "fftw" WEFT_LETTER "_execute", weft_file_of(execute()),
                 version ? version : "of no known version", WEFT_LETTER);
}

/* One line of rank 0, by which users see that it is Weft. */
static void introduce(void)
{
    char mpi[200];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && weft_is_verbose())
        fprintf(stderr, "weft: Weft %s (%s), %s, on %s (%s) and %s (%s)\n", PACKAGE_VERSION,
                WEFT_PRECISION, weft_file_of(WEFT_PRECISION), FFTW(version),
                weft_file_of(execute()), weft_mpi_title(mpi, sizeof mpi), weft_mpi_file());
}

void weft_set_up(void)
{
    static atomic_bool checked, introduced;
    const bool running = weft_mpi_running();
    if (!atomic_exchange(&checked, true))
        check_fftw();
    if (running && !atomic_exchange(&introduced, true))
        introduce();
}

void weft_mpi_init(void)
{
    weft_error_clear();
    weft_set_up();
}

void weft_mpi_cleanup(void)
{
    weft_window_cleanup();
    weft_workspace_cleanup();
    weft_plan_cleanup();
    FFTW(cleanup)();
}
