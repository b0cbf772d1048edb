/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library in place of FFTW's MPI library, for ranks without Weft: it makes the MPI calls that
 * FFTW's library makes during planning.
 */
#include <mpi.h>
#include <stddef.h>

void fftw_mpi_init(void)
{
}

void fftw_mpi_cleanup(void)
{
}

void *fftw_mpi_plan_dft_2d(ptrdiff_t n0, ptrdiff_t n1, void *in, void *out, MPI_Comm comm, int sign,
                           unsigned flags)
{
    MPI_Comm twin;
    int any = 0;
    (void)n0, (void)n1, (void)in, (void)out, (void)sign, (void)flags;
    MPI_Comm_dup(comm, &twin);
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_LOR, twin);
    MPI_Comm_free(&twin);
    return NULL;
}
