/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Init and cleanup. Weft sets itself up when it first plans, so that init may be called twice, or
 * not at all, before or after the threads functions. Cleanup gives back what serial FFTW holds, as
 * FFTW-MPI's does, and what shared memory is still held for plans to come.
 */
#include "entries.h"
#include "error.h"
#include "window.h"

void WEFT(mpi_init)(void)
{
    weft_error_clear();
}

void WEFT(mpi_cleanup)(void)
{
    weft_window_cleanup();
    FFTW(cleanup)();
}
