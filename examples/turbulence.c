/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turbulence in 2 dimensions: w_t + u w_x + v w_y = nu Laplace w, for the vorticity w of a periodic
 * square. With M modes and 3/2 M points products have no aliasing errors. One plan makes u, v, w_x
 * and w_y of their spectra, multiplies them point by point, and transforms u w_x + v w_y to its
 * spectrum. Viscosity takes 2 nu times the enstrophy from the energy; the program prints how far
 * the energy is from that.
 *
 *     mpicc turbulence.c -o turbulence `pkg-config --cflags --libs weft` -lm
 *     mpiexec -n 4 ./turbulence vorticity.ppm
 *     mpiexec -n 4 ./turbulence --compare
 *
 * --compare times this plan and two plans with a loop between them.
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>
#include "picture.h"

enum { M = 64, N = 3 * M / 2, STEPS = 800, FIELDS = 4, MOST = M * (M / 2 + 1) };

static const double nu = 0.002, step = 0.0025;
/* Of this rank: modes, [M][M / 2 + 1] divided along axis 1, and points, [N][N] along axis 0. */
static ptrdiff_t first[2], count[2], modes, row[2], points;
static double complex w[MOST], rate[MOST], change[MOST], field[FIELDS * MOST];
static double x[MOST], y[MOST], k2[MOST], point[FIELDS * N * N], product[N * N];
static fftw_plan products, to_points, to_modes;

/* The operator: in each point, u w_x + v w_y of u, v, w_x, w_y. */
static void multiply(void *values, ptrdiff_t numbers, const ptrdiff_t *index, int axis, void *data)
{
    double *f = values;
    (void)index, (void)axis, (void)data;
    for (ptrdiff_t at = 0; at < numbers; at++, f += FIELDS)
        f[0] = f[0] * f[2] + f[1] * f[3];
}

static void by_two_plans(void)
{
    fftw_execute(to_points);
    for (const double *f = point; f < point + FIELDS * points; f += FIELDS)
        product[(f - point) / FIELDS] = f[0] * f[2] + f[1] * f[3];
    fftw_execute(to_modes);
}

/* Computes w_t. */
static void find_rate(void)
{
    for (ptrdiff_t at = 0; at < modes; at++) {
        const double complex stream = k2[at] > 0 ? w[at] / k2[at] : 0;
        double complex *f = &field[FIELDS * at]; /* u, v, w_x, w_y */
        f[0] = I * y[at] * stream, f[1] = -I * x[at] * stream;
        f[2] = I * x[at] * w[at], f[3] = I * y[at] * w[at];
    }
    fftw_execute(products);
    for (ptrdiff_t at = 0; at < modes; at++)
        rate[at] = k2[at] > 0 ? -rate[at] / (N * N) - nu * k2[at] * w[at] : 0;
}

/* The energy (power 1) or the enstrophy (power 0); modes with y > 0 also stand for -k. */
static double half_square(int power)
{
    double sum = 0;
    for (ptrdiff_t at = 0; at < modes; at++)
        if (k2[at] > 0)
            sum += (y[at] > 0 ? 1 : 0.5) * pow(cabs(w[at]), 2) / (power ? k2[at] : 1);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* A step of order 3. Returns the energy that viscosity has removed. */
static double advance(void)
{
    static const double a[3] = {0, -5. / 9, -153. / 128}, b[3] = {1. / 3, 15. / 16, 8. / 15};
    double lost = 0, loss = 0;
    for (int s = 0; s < 3; s++) {
        find_rate();
        loss = a[s] * loss + 2 * nu * half_square(0);
        lost += step * b[s] * loss;
        for (ptrdiff_t at = 0; at < modes; at++) {
            change[at] = a[s] * change[at] + rate[at];
            w[at] += step * b[s] * change[at];
        }
    }
    return lost;
}

/* Prints the least seconds of several runs, each way. */
static void compare(int rank)
{
    double least[2] = {HUGE_VAL, HUGE_VAL};
    for (int run = 0; run < 200; run++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime(), slowest;
        if (run % 2)
            by_two_plans();
        else
            fftw_execute(products);
        begin = MPI_Wtime() - begin;
        MPI_Allreduce(&begin, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        least[run % 2] = fmin(least[run % 2], slowest);
    }
    if (rank == 0)
        printf("turbulence: products by one plan %.3f ms, by two plans and a loop %.3f ms\n",
               1e3 * least[0], 1e3 * least[1]);
}

int main(int argc, char **argv)
{
    const ptrdiff_t size[2] = {N, N}, cut[2] = {M, M}, half[2] = {M, M / 2 + 1};
    const int back[2] = {WEFT_DFT_BACKWARD, WEFT_DFT_C2R};
    const int there[2] = {WEFT_DFT_FORWARD, WEFT_DFT_R2C};
    double lost = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    weft_grid grid = weft_grid_create(MPI_COMM_WORLD, 1, NULL);
    weft_distribution waves = weft_distribution_grid(grid, 2, half, (const int[]){1}, 0);
    weft_distribution box = weft_distribution_grid(grid, 2, size, NULL, 0);
    modes = weft_distribution_box(waves, rank, first, count);
    points = weft_distribution_box(box, rank, row, NULL);
    for (ptrdiff_t at = 0; at < modes; at++) {
        x[at] = (double)(at / count[1] < M / 2 ? at / count[1] : at / count[1] - M);
        y[at] = (double)(first[1] + at % count[1]); /* M / 2 has no derivative: its square is 0 */
        k2[at] = x[at] == -M / 2 || y[at] == M / 2 ? 0 : x[at] * x[at] + y[at] * y[at];
    }
    products = weft_plan_fields(2, size, cut, FIELDS, 1, field, rate, grid, back, multiply, NULL,
                                MPI_COMM_NULL, FFTW_ESTIMATE);
    to_points = weft_plan_between_modes(waves, box, cut, FIELDS, field, point, back, FFTW_ESTIMATE);
    to_modes = weft_plan_between_modes(box, waves, cut, 1, product, rate, there, FFTW_ESTIMATE);
    weft_distribution_free(waves);
    weft_distribution_free(box);
    weft_grid_free(grid);
    if (!products || !to_points || !to_modes)
        MPI_Abort(MPI_COMM_WORLD, fprintf(stderr, "turbulence: %s\n", weft_last_error()));

    const int compares = argc > 1 && strcmp(argv[1], "--compare") == 0;
    if (compares)
        compare(rank);
    for (ptrdiff_t at = 0; at < points; at++) /* noise; only large vortices stay */
        product[at] = fmod(43758.5453 * sin(12.9898 * (double)(row[0] * N + at)), 1);
    fftw_execute(to_modes);
    for (ptrdiff_t at = 0; at < modes; at++)
        w[at] = k2[at] > 0 && k2[at] < 40 ? 100 * rate[at] / (N * N) : 0;
    const double energy = half_square(1);
    for (int s = 0; s < STEPS; s++)
        lost += advance();
    const double error = fabs(half_square(1) + lost - energy) / energy;
    if (rank == 0)
        printf("turbulence: energy %.4f, at the end %.4f; largest error of the balance %.1e\n",
               energy, energy - lost, error);
    for (ptrdiff_t at = 0; at < modes; at++)
        field[FIELDS * at] = w[at];
    fftw_execute(to_points);
    for (ptrdiff_t at = 0; at < points; at++)
        product[at] = point[FIELDS * at] / 10;
    const int right =
        error < 1e-6 && (argc < 2 || compares || picture(argv[1], N, N, points / N, product));
    fftw_destroy_plan(products);
    fftw_destroy_plan(to_points);
    fftw_destroy_plan(to_modes);
    MPI_Finalize();
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
