/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heat spreads in a periodic cube of width 2 pi: u_t = Laplace u. The program transforms a hot
 * spot, multiplies the mode k by exp(-k^2 t), and transforms back. The exact result is a wider
 * spot. It uses only functions of FFTW's MPI library. The picture shows the plane z = pi before and
 * after.
 *
 *     mpicc heat.c -o heat `pkg-config --cflags --libs weft` -lm
 *     mpicc heat.c -o heat -lfftw3_mpi `pkg-config --cflags --libs fftw3` -lm (FFTW-MPI)
 *     mpiexec -n 4 ./heat heat.ppm
 */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "picture.h"

enum { N = 64, ROW = N + 2 }; /* rows of real numbers are padded */

static const double time = 0.05, width = 0.3; /* of the spot at the beginning */

/* One axis of the spot and of its periodic images, after t. */
static double profile(double x, double t)
{
    const double pi = acos(-1), square = width * width + 2 * t;
    double sum = 0;
    for (int image = -2; image <= 2; image++)
        sum += exp(-pow(x - pi + 2 * pi * image, 2) / (2 * square));
    return sum * width / sqrt(square);
}

static double exact(ptrdiff_t i, int j, int k, double t)
{
    const double step = 2 * acos(-1) / N;
    return profile(step * (double)i, t) * profile(step * j, t) * profile(step * k, t);
}

static double wave(ptrdiff_t i)
{
    return (double)(i <= N / 2 ? i : i - N);
}

/* The rows of the plane z = pi, from a column of the picture on. */
static void take_plane(const double *u, ptrdiff_t rows, double plane[N][2 * N], int column)
{
    for (ptrdiff_t i = 0; i < rows; i++)
        for (int j = 0; j < N; j++)
            plane[i][column + j] = u[(i * N + j) * ROW + N / 2];
}

int main(int argc, char **argv)
{
    static double plane[N][2 * N];
    ptrdiff_t rows, row, columns, column;
    double error = 0, most;
    int rank, right;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const ptrdiff_t numbers = fftw_mpi_local_size_3d_transposed(N, N, N / 2 + 1, MPI_COMM_WORLD,
                                                                &rows, &row, &columns, &column);
    double *u = fftw_alloc_real((size_t)(2 * numbers));
    fftw_complex *mode = (fftw_complex *)u;
    fftw_plan there = fftw_mpi_plan_dft_r2c_3d(N, N, N, u, mode, MPI_COMM_WORLD,
                                               FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
    fftw_plan back = fftw_mpi_plan_dft_c2r_3d(N, N, N, mode, u, MPI_COMM_WORLD,
                                              FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_IN);
    if (!there || !back)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                u[(i * N + j) * ROW + k] = exact(row + i, j, k, 0);
    take_plane(u, rows, plane, 0);
    fftw_execute(there);
    for (ptrdiff_t j = 0, at = 0; j < columns; j++) /* the order of the axes is 1, 0, 2 */
        for (int i = 0; i < N; i++)
            for (int k = 0; k <= N / 2; k++, at++) {
                const double square = pow(wave(column + j), 2) + pow(wave(i), 2) + pow(k, 2);
                mode[at][0] *= exp(-square * time) / pow(N, 3);
                mode[at][1] *= exp(-square * time) / pow(N, 3);
            }
    fftw_execute(back);
    take_plane(u, rows, plane, N);

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                error = fmax(error, fabs(u[(i * N + j) * ROW + k] - exact(row + i, j, k, time)));
    MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("heat: largest error %.1e\n", most);
    right = most < 1e-12 && (argc < 2 || picture(argv[1], N, 2 * N, rows, plane[0]));
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(u);
    MPI_Finalize();
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
