/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Poisson's equation, -Laplace u = f in the unit cube, u = 0 on its faces, by finite differences:
 * sines (FFTW_RODFT00) are what the difference operator leaves as they are, so that a transform, a
 * division and a transform solve it. Differences of second order are exact for polynomials of
 * degree 3, and so is what is found here.
 *
 *     mpicc poisson.c -o poisson `pkg-config --cflags --libs weft` -lm
 *     mpiexec -n 4 ./poisson
 */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const ptrdiff_t n[3] = {47, 35, 39}; /* points inside the cube; n + 1 intervals */

static double place(ptrdiff_t i, int axis)
{
    return (double)(i + 1) / (double)(n[axis] + 1);
}

/* A bubble of one axis, 0 at both ends, and how it is curved: -u'' = 2 + 6 x. */
static double bubble(double x)
{
    return x * (1 - x) * (2 + x);
}

static double curve(double x)
{
    return 2 + 6 * x;
}

static double exact(const double x[3])
{
    return bubble(x[0]) * bubble(x[1]) * bubble(x[2]);
}

static double source(const double x[3])
{
    return curve(x[0]) * bubble(x[1]) * bubble(x[2]) + bubble(x[0]) * curve(x[1]) * bubble(x[2]) +
           bubble(x[0]) * bubble(x[1]) * curve(x[2]);
}

/* What the differences along an axis make of its sine number i: they multiply it. */
static double factor(ptrdiff_t i, int axis)
{
    const double intervals = (double)(n[axis] + 1),
                 half = sin(acos(-1) / 2 * (double)(i + 1) / intervals);
    return 4 * half * half * intervals * intervals;
}

int main(int argc, char **argv)
{
    const fftw_r2r_kind sine = FFTW_RODFT00;
    const double points =
        8 * (double)((n[0] + 1) * (n[1] + 1) * (n[2] + 1)); /* sines twice multiply by that */
    ptrdiff_t local0, start0, local1, start1;
    double most, error = 0;
    int rank;

    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    const ptrdiff_t numbers = fftw_mpi_local_size_3d_transposed(n[0], n[1], n[2], MPI_COMM_WORLD,
                                                                &local0, &start0, &local1, &start1);
    double *u = fftw_alloc_real((size_t)numbers);
    fftw_plan there = fftw_mpi_plan_r2r_3d(n[0], n[1], n[2], u, u, MPI_COMM_WORLD, sine, sine, sine,
                                           FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
    fftw_plan back = fftw_mpi_plan_r2r_3d(n[0], n[1], n[2], u, u, MPI_COMM_WORLD, sine, sine, sine,
                                          FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_IN);
    if (!there || !back) {
        fprintf(stderr, "poisson: no plan\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }

    for (ptrdiff_t i = 0, at = 0; i < local0; i++)
        for (ptrdiff_t j = 0; j < n[1]; j++)
            for (ptrdiff_t k = 0; k < n[2]; k++, at++)
                u[at] = source((double[]){place(start0 + i, 0), place(j, 1), place(k, 2)});

    fftw_execute(there); /* to axis 1, axis 0, axis 2 */
    for (ptrdiff_t j = 0, at = 0; j < local1; j++)
        for (ptrdiff_t i = 0; i < n[0]; i++)
            for (ptrdiff_t k = 0; k < n[2]; k++, at++)
                u[at] /= (factor(i, 0) + factor(start1 + j, 1) + factor(k, 2)) * points;
    fftw_execute(back);

    for (ptrdiff_t i = 0, at = 0; i < local0; i++)
        for (ptrdiff_t j = 0; j < n[1]; j++)
            for (ptrdiff_t k = 0; k < n[2]; k++, at++)
                error = fmax(error, fabs(u[at] - exact((double[]){place(start0 + i, 0), place(j, 1),
                                                                  place(k, 2)})));
    MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("poisson: largest error %.1e\n", most);

    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(u);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return most < 1e-13 ? EXIT_SUCCESS : EXIT_FAILURE;
}
