/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In the place of FFTW's MPI library, on ranks that Weft does not reach: what that library's calls
 * of MPI are while it plans. STRANGER: the library; else the program.
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

#ifdef STRANGER
void *fftw_mpi_plan_dft_2d(ptrdiff_t n0, ptrdiff_t n1, void *in, void *out, MPI_Comm comm, int sign,
                           unsigned flags);
void fftw_mpi_init(void);

void fftw_mpi_init(void)
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
#else
#include <fftw3-mpi.h>

int main(int argc, char **argv)
{
    static fftw_complex array[64];
    int rank;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fftw_plan plan =
        fftw_mpi_plan_dft_2d(8, 8, array, array, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    printf("rank %d: %s\n", rank, plan ? "a plan" : "no plan");
    if (plan)
        fftw_destroy_plan(plan);
    MPI_Finalize();
    return 0;
}
#endif
