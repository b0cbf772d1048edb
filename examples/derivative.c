/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A spectral derivative on a process grid. The program transforms a real function in a periodic
 * box to wave numbers, multiplies by i k, and transforms back. The grid divides two axes, so more
 * ranks than planes have work. weft_local_size says which part each rank has. All ranks of a node
 * can access memory of weft_alloc_*, which saves copies.
 *
 *     mpicc derivative.c -o derivative `pkg-config --cflags --libs weft` -lm
 *     mpiexec -n 4 ./derivative
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft.h>

static const ptrdiff_t n[3] = {48, 45, 40};

typedef struct {
    ptrdiff_t count[3], start[3];
} part;

/* The angle of point `at` along an axis. */
static double angle(const part *real, int axis, ptrdiff_t at)
{
    return 2 * acos(-1) * (double)(real->start[axis] + at) / (double)n[axis];
}

/* exp(sin x + sin y + sin z), or its derivative by x. The grid does not divide the last axis, whose
 * rows are padded. */
static double exact(const part *real, ptrdiff_t i, ptrdiff_t j, ptrdiff_t k, int derived)
{
    const double x = angle(real, 0, i), y = angle(real, 1, j), z = angle(real, 2, k);
    return exp(sin(x) + sin(y) + sin(z)) * (derived ? cos(x) : 1);
}

static void fill(const part *real, double *u)
{
    const ptrdiff_t row = 2 * (n[2] / 2 + 1);
    for (ptrdiff_t i = 0; i < real->count[0]; i++)
        for (ptrdiff_t j = 0; j < real->count[1]; j++)
            for (ptrdiff_t k = 0; k < n[2]; k++)
                u[(i * real->count[1] + j) * row + k] = exact(real, i, j, k, 0);
}

/* Multiplies by i k of the first axis. The number of points is even, so the highest wave number has
 * no derivative. */
static void derive(const part *half, fftw_complex *spectrum)
{
    const ptrdiff_t plane = half->count[1] * half->count[2];
    for (ptrdiff_t i = 0; i < half->count[0]; i++) {
        const ptrdiff_t at = half->start[0] + i, wave = at < n[0] / 2   ? at
                                                        : at > n[0] / 2 ? at - n[0]
                                                                        : 0;
        for (ptrdiff_t rest = 0; rest < plane; rest++)
            spectrum[i * plane + rest] *= I * (double)wave / (double)(n[0] * n[1] * n[2]);
    }
}

static double largest_error(const part *real, const double *u)
{
    const ptrdiff_t row = 2 * (n[2] / 2 + 1);
    double error = 0, most;
    for (ptrdiff_t i = 0; i < real->count[0]; i++)
        for (ptrdiff_t j = 0; j < real->count[1]; j++)
            for (ptrdiff_t k = 0; k < n[2]; k++)
                error = fmax(error,
                             fabs(u[(i * real->count[1] + j) * row + k] - exact(real, i, j, k, 1)));
    MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

int main(int argc, char **argv)
{
    part real, half; /* of this rank: real numbers, spectrum */
    int dims[2], rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    weft_grid grid = weft_grid_create(MPI_COMM_WORLD, 2, NULL);
    weft_grid_dims(grid, dims);

    const ptrdiff_t numbers = weft_local_size(3, n, 1, grid, WEFT_DFT_R2C, 0, real.count,
                                              real.start, half.count, half.start);
    double *u = weft_alloc_real(2 * numbers, MPI_COMM_WORLD);
    fftw_complex *spectrum = weft_alloc_complex(numbers, MPI_COMM_WORLD);
    fftw_plan there = weft_plan_dft_r2c_3d(n[0], n[1], n[2], u, spectrum, grid, FFTW_ESTIMATE);
    fftw_plan back = weft_plan_dft_c2r_3d(n[0], n[1], n[2], spectrum, u, grid, FFTW_ESTIMATE);
    if (!there || !back) {
        fprintf(stderr, "derivative: no plan: %s\n", weft_last_error());
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }

    fill(&real, u);
    fftw_execute(there);
    derive(&half, spectrum);
    fftw_execute(back);
    const double most = largest_error(&real, u);
    if (rank == 0)
        printf("derivative: on %d x %d ranks, largest error %.1e\n", dims[0], dims[1], most);

    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    weft_grid_free(grid);
    weft_free(u);
    weft_free(spectrum);
    MPI_Finalize();
    return most < 1e-11 ? EXIT_SUCCESS : EXIT_FAILURE;
}
