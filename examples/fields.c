/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three plans in flight: each transforms one component of a vector field, and while one plan waits
 * for messages the program starts the next. The program removes the gradient part of the field, as
 * codes for incompressible flow do at every step. The exact result is known.
 *
 *     mpicc fields.c -o fields `pkg-config --cflags --libs weft` -lm
 *     mpiexec -n 4 ./fields
 *     WEFT_BACKEND=waitall mpiexec -n 4 ./fields 128 --time
 *
 * There are N^3 points: 32, or the argument. --time compares three fields at a time with one after
 * another. It helps if runs wait for messages; exchanges through shared memory hardly wait.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

enum { FIELDS = 3 };

static int rank;
static ptrdiff_t n = 32, numbers, points;
static ptrdiff_t start[3], count[3]; /* of this rank's points */
static ptrdiff_t first[3], waves[3]; /* and waves */
static double *field[FIELDS];
static fftw_complex *wave[FIELDS];
static fftw_plan there[FIELDS], back[FIELDS];

static void make(weft_grid grid)
{
    const ptrdiff_t size[3] = {n, n, n};
    numbers =
        weft_local_size(3, size, 1, grid, WEFT_DFT_R2C, WEFT_UNPADDED, count, start, waves, first);
    points = count[0] * count[1] * count[2];
    for (int c = 0; c < FIELDS; c++) {
        field[c] = fftw_alloc_real((size_t)(2 * numbers + 1));
        wave[c] = fftw_alloc_complex((size_t)numbers + 1);
        there[c] =
            weft_plan_dft_r2c(3, size, field[c], wave[c], grid, FFTW_MEASURE | WEFT_UNPADDED);
        back[c] = weft_plan_dft_c2r(3, size, wave[c], field[c], grid, FFTW_MEASURE | WEFT_UNPADDED);
        if (!there[c] || !back[c]) {
            fprintf(stderr, "fields: no plan: %s\n", weft_last_error());
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static void run(fftw_plan *plan, void **in, void **out)
{
    if (!weft_execute_many(FIELDS, plan, in, out)) {
        fprintf(stderr, "fields: %s\n", weft_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* The curl (sin y, sin z, sin x), with or without the gradient of sin x cos 2y. */
static void vector_at(const double x[3], int gradient, double u[FIELDS])
{
    for (int c = 0; c < FIELDS; c++)
        u[c] = sin(x[(c + 1) % 3]);
    if (gradient) {
        u[0] += cos(x[0]) * cos(2 * x[1]);
        u[1] -= 2 * sin(x[0]) * sin(2 * x[1]);
    }
}

static void place(ptrdiff_t i, double x[3])
{
    const double step = 2 * acos(-1) / (double)n;
    for (int axis = 2; axis >= 0; i /= count[axis--])
        x[axis] = step * (double)(start[axis] + i % count[axis]);
}

static void fill(void)
{
    double x[3], u[FIELDS];
    for (ptrdiff_t i = 0; i < points; i++) {
        place(i, x);
        vector_at(x, 1, u);
        for (int c = 0; c < FIELDS; c++)
            field[c][i] = u[c];
    }
}

/* Removes the component along k: u - k (k u) / k^2. */
static void project(void)
{
    for (ptrdiff_t i = 0; i < waves[0] * waves[1] * waves[2]; i++) {
        double k[3], k2 = 0;
        ptrdiff_t rest = i;
        for (int axis = 2; axis >= 0; rest /= waves[axis--]) {
            const ptrdiff_t at = first[axis] + rest % waves[axis];
            k[axis] = (double)(2 * at < n ? at : at - n);
            k2 += k[axis] * k[axis];
        }
        for (int part = 0; part < 2; part++) {
            double along = 0;
            for (int c = 0; c < FIELDS; c++)
                along += k[c] * wave[c][i][part];
            for (int c = 0; c < FIELDS; c++)
                wave[c][i][part] -= k2 > 0 ? k[c] * along / k2 : 0;
        }
    }
}

static double largest_error(void)
{
    double x[3], u[FIELDS], worst = 0, all;
    for (ptrdiff_t i = 0; i < points; i++) {
        place(i, x);
        vector_at(x, 0, u);
        for (int c = 0; c < FIELDS; c++)
            worst = fmax(worst, fabs(field[c][i] / (double)(n * n * n) - u[c]));
    }
    MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds for the forward transforms of three fields, for both ways in turn: medians of many runs.
 */
static void compare(void)
{
    enum { RUNS = 31 };
    double seconds[2][RUNS];
    for (int run = 0; run < 2 * RUNS; run++) {
        fill();
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        if (run % 2)
            weft_execute_many(FIELDS, there, (void **)field, (void **)wave);
        else
            for (int c = 0; c < FIELDS; c++)
                fftw_execute(there[c]);
        const double mine = MPI_Wtime() - begin;
        MPI_Allreduce(&mine, &seconds[run % 2][run / 2], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    for (int way = 0; way < 2; way++)
        qsort(seconds[way], RUNS, sizeof seconds[way][0], by_value);
    if (rank == 0)
        printf("fields: %d of %td^3 one after the other %.2e s, at a time %.2e s\n", FIELDS, n,
               seconds[0][RUNS / 2], seconds[1][RUNS / 2]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && atoi(argv[1]) >= 8)
        n = atoi(argv[1]);
    weft_grid grid = weft_grid_create(MPI_COMM_WORLD, 1, NULL);
    make(grid);
    fill();
    run(there, (void **)field, (void **)wave);
    project();
    run(back, (void **)wave, (void **)field);
    const double error = largest_error();
    if (rank == 0)
        printf("fields: largest error %.1e\n", error);
    if (argc > 1 && strcmp(argv[argc - 1], "--time") == 0)
        compare();
    for (int c = 0; c < FIELDS; c++) {
        fftw_destroy_plan(there[c]);
        fftw_destroy_plan(back[c]);
        fftw_free(field[c]);
        fftw_free(wave[c]);
    }
    weft_grid_free(grid);
    MPI_Finalize();
    return error < 1e-12 ? 0 : 1;
}
