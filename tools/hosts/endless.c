/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans without end (argument `planning`), or runs a plan without end (`running`), for
 * tools/hosts/faults: makes the file $FOLDER/begun when it has begun, and ends when rank 0 finds
 * the file $FOLDER/stop. Fails if a result is wrong. */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

enum { N = 64 };

static fftw_plan planned(fftw_complex *array, unsigned rigor)
{
    weft_forget_wisdom();
    fftw_forget_wisdom();
    fftw_plan plan =
        fftw_mpi_plan_dft_3d(N, N, N, array, array, MPI_COMM_WORLD, FFTW_FORWARD, rigor);
    if (!plan)
        MPI_Abort(MPI_COMM_WORLD, 3);
    return plan;
}

/* Transforms a point at index 1 of the last axis into a wave along that axis. */
static int right(fftw_plan plan, fftw_complex *array, ptrdiff_t rows, int rank)
{
    const double angle = 8 * atan(1) / N;
    int wrong = 0, any;
    memset(array, 0, (size_t)rows * N * sizeof *array);
    if (rank == 0)
        array[1][0] = 1;
    fftw_execute(plan);
    for (ptrdiff_t i = 0; i < rows * N; i++)
        wrong |= !(hypot(array[i][0] - cos(angle * (double)(i % N)),
                         array[i][1] + sin(angle * (double)(i % N))) < 1e-12);
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return !any;
}

/* Opens a file of $FOLDER. */
static int opened(const char *name, const char *mode)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("FOLDER"), name);
    FILE *file = fopen(path, mode);
    if (file)
        fclose(file);
    return file != NULL;
}

int main(int argc, char **argv)
{
    int rank, good = 1;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int planning = argc > 1 && strcmp(argv[1], "planning") == 0;
    ptrdiff_t rows, start;
    fftw_complex *array =
        fftw_alloc_complex((size_t)fftw_mpi_local_size_3d(N, N, N, MPI_COMM_WORLD, &rows, &start));
    fftw_plan plan = planned(array, FFTW_ESTIMATE);
    for (int stop = 0; good && !stop;) {
        good = right(plan, array, rows * N, rank);
        stop = rank == 0 && (!opened("begun", "w") || opened("stop", "r"));
        MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (planning) {
            fftw_destroy_plan(plan);
            plan = planned(array, FFTW_PATIENT);
        }
    }
    if (rank == 0)
        puts(good ? "all results are right" : "WRONG result");
    fftw_destroy_plan(plan);
    fftw_free(array);
    MPI_Finalize();
    return !good;
}
