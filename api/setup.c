/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Init and cleanup. Weft sets itself up when it first plans, so that init may be called twice, or
 * not at all, before or after the threads functions. Cleanup gives back what serial FFTW holds, as
 * FFTW-MPI's does, and what shared memory is still held for plans to come.
 */
#include "api/entries.h"
#include "kernels/base/error.h"
#include "backends/memory/window.h"

void weft_mpi_init(void)
{
    weft_error_clear();
}

void weft_mpi_cleanup(void)
{
    weft_window_cleanup();
    FFTW(cleanup)();
}
