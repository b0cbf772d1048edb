/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Init and cleanup. Weft sets itself up when it first plans, so that init may be called twice, or
 * not at all, before or after the threads functions. Cleanup gives back what serial FFTW holds, as
 * FFTW-MPI's does.
 */
#include "entries.h"
#include "error.h"

void WEFT(mpi_init)(void)
{
    weft_error_clear();
}

void WEFT(mpi_cleanup)(void)
{
    FFTW(cleanup)();
}
