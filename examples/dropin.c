/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A quantum-mechanical wave packet spreads freely in a periodic square: i psi_t = -1/2 Laplace psi.
 * The program transforms forward, multiplies each wave number by a factor, and transforms back. It
 * uses only functions of FFTW's MPI library, with slabs in transposed order, which saves an
 * exchange in each transform. dropin.cc and dropin.f90 are the same program in C++ and Fortran.
 *
 *     mpicc dropin.c -o dropin `pkg-config --cflags --libs weft` -lm
 *     mpicc dropin.c -o dropin -lfftw3_mpi `pkg-config --cflags --libs fftw3` -lm (FFTW-MPI)
 *     mpiexec -n 4 ./dropin
 */
#include <complex.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const ptrdiff_t n0 = 192, n1 = 160;
static const double width = 24, time = 0.6, pi = 3.14159265358979323846;

/* The exact solution on an infinite line, with mean momentum p. The packet is far from the borders,
 * so they do not matter. */
static double complex packet(double x, double p, double t)
{
    const double complex spread = 1 + I * t;
    return cexp((-(x - I * p) * (x - I * p) / 2 - spread * p * p / 2) / spread) / csqrt(spread);
}

static double complex exact(ptrdiff_t i0, ptrdiff_t i1, double t)
{
    const double x = width * ((double)i0 / (double)n0 - 0.5),
                 y = width * ((double)i1 / (double)n1 - 0.5);
    return packet(x, 2, t) * packet(y, -1, t);
}

/* The wave number of index i out of n: 0, 1, 2, ..., -2, -1. */
static double wave(ptrdiff_t i, ptrdiff_t n)
{
    return 2 * pi / width * (double)(i <= n / 2 ? i : i - n);
}

int main(int argc, char **argv)
{
    ptrdiff_t rows, first_row, columns, first_column; /* of this rank: input, transposed spectrum */
    double most, error = 0;
    int rank;

    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    const ptrdiff_t numbers = fftw_mpi_local_size_2d_transposed(
        n0, n1, MPI_COMM_WORLD, &rows, &first_row, &columns, &first_column);
    fftw_complex *psi = fftw_alloc_complex((size_t)numbers);
    fftw_plan forward = fftw_mpi_plan_dft_2d(n0, n1, psi, psi, MPI_COMM_WORLD, FFTW_FORWARD,
                                             FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
    fftw_plan backward = fftw_mpi_plan_dft_2d(n0, n1, psi, psi, MPI_COMM_WORLD, FFTW_BACKWARD,
                                              FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_IN);
    if (!forward || !backward) {
        fprintf(stderr, "dropin: no plan\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }

    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < n1; j++)
            psi[i * n1 + j] = exact(first_row + i, j, 0);

    fftw_execute(forward);
    for (ptrdiff_t j = 0; j < columns; j++)
        for (ptrdiff_t i = 0; i < n0; i++) {
            const double k0 = wave(i, n0), k1 = wave(first_column + j, n1);
            psi[j * n0 + i] *= cexp(-I * time * (k0 * k0 + k1 * k1) / 2) / (double)(n0 * n1);
        }
    fftw_execute(backward);

    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < n1; j++)
            error = fmax(error, cabs(psi[i * n1 + j] - exact(first_row + i, j, time)));
    MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("dropin: largest error %.1e\n", most);

    fftw_destroy_plan(forward);
    fftw_destroy_plan(backward);
    fftw_free(psi);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return most < 1e-12 ? EXIT_SUCCESS : EXIT_FAILURE;
}
