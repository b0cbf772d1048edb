/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests whether fewer ranks transform small arrays on grids faster: each group of neighbouring
 * ranks gives its data to one of them, these ranks transform, and the results go back. Prints the
 * microseconds for 16^3 and 32^3 on all ranks, on a quarter of them, and so on. tools/scale/run
 * --show fewer runs this program.
 */
#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weft.h>

/* Returns at the same simulated time on all ranks; returns that time. */
static double together(void)
{
    double now = MPI_Wtime(), begin;
    MPI_Allreduce(&now, &begin, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    begin += 1e-3;
    nanosleep(&(struct timespec){.tv_nsec = (long)((begin - MPI_Wtime()) * 1e9)}, NULL);
    return begin;
}

/* The largest value of all ranks, in microseconds. */
static double most(double t)
{
    MPI_Allreduce(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return t * 1e6;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (ptrdiff_t n = 16; n <= 32; n *= 2)
        for (int few = ranks; few >= 1; few /= 4) {
            const int each =
                ranks / few; /* number of neighbours that give their data to one rank */
            const ptrdiff_t N[] = {n, n, n}, all = n * n * n;
            MPI_Comm sub, near;
            MPI_Comm_split(MPI_COMM_WORLD, rank % each ? MPI_UNDEFINED : 0, rank, &sub);
            MPI_Comm_split(MPI_COMM_WORLD, rank / each, rank, &near);
            double *a = calloc((size_t)all * 2 + 1000, 16), *b = calloc((size_t)all * 2 + 1000, 16);
            double took[3] = {0};
            fftw_plan plan = NULL;
            if (sub != MPI_COMM_NULL && few > 1) {
                weft_grid grid = weft_grid_create(sub, 2, NULL);
                plan = weft_plan_dft(3, N, (fftw_complex *)a, (fftw_complex *)a, grid, -1,
                                     FFTW_ESTIMATE);
                weft_grid_free(grid);
            }
            const int own = (int)(2 * all / ranks);
            for (int turn = 0; turn < 2; turn++) {
                double t = together();
                if (each > 1)
                    MPI_Gather(b, own, MPI_DOUBLE, a, own, MPI_DOUBLE, 0, near);
                took[0] = most(MPI_Wtime() - t);
                t = together();
                if (plan)
                    fftw_execute(plan);
                took[1] = most(MPI_Wtime() - t);
                t = together();
                if (each > 1)
                    MPI_Scatter(a, own, MPI_DOUBLE, b, own, MPI_DOUBLE, 0, near);
                took[2] = most(MPI_Wtime() - t);
            }
            if (rank == 0)
                printf("%td^3 on %d of %d ranks: there %.2f transform %.2f back %.2f sum %.2f\n", n,
                       few, ranks, took[0], took[1], took[2], took[0] + took[1] + took[2]),
                    fflush(stdout);
            if (plan)
                fftw_destroy_plan(plan);
            free(a);
            free(b);
            MPI_Comm_free(&near);
            if (sub != MPI_COMM_NULL)
                MPI_Comm_free(&sub);
        }
    MPI_Finalize();
    return 0;
}
