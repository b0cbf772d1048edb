/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes plans on slabs. It runs one of them as often as the first argument says; and another one on
 * half of the ranks, once before and once after it is planned again. Rank 0 prints the times, in
 * microseconds since 1970, and the first plan. */
#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static void transform(MPI_Comm comm, ptrdiff_t n, int times, int print)
{
    ptrdiff_t count, start, numbers = fftw_mpi_local_size_2d(n, n, comm, &count, &start);
    fftw_complex *a = fftw_alloc_complex((size_t)numbers + 1);
    fftw_plan plan = fftw_mpi_plan_dft_2d(n, n, a, a, comm, FFTW_FORWARD, FFTW_ESTIMATE);
    if (!plan)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (ptrdiff_t i = 0; i < numbers; i++)
        a[i][0] = a[i][1] = 0;
    for (int i = 0; i < times; i++)
        fftw_execute(plan);
    if (print) {
        fftw_print_plan(plan);
        printf("\n");
    }
    fftw_destroy_plan(plan);
    fftw_free(a);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Comm half;
    const double begin = now();
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    if (argc > 2) /* even and odd ranks run a plan first, separately */
        transform(half, 10, 1, 0);
    transform(MPI_COMM_WORLD, 12, argc > 1 ? atoi(argv[1]) : 3, rank == 0);
    transform(half, 8, 1, 0);
    transform(MPI_COMM_WORLD, 16, 0, 0);
    transform(half, 8, 1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("from %.0f to %.0f\n", begin, now());
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
