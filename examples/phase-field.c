/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A phase-field crystal in 3 dimensions (the Swift-Hohenberg equation),
 *
 *     du/dt = r u - (1 + Laplace)^2 u - u^3,
 *
 * in a periodic box. A step adds the cubic term in space and solves the linear part in Fourier
 * space: the spectrum is divided by 1 + dt ((1 - k^2)^2 - r). weft_plan_operator does that in one
 * plan. A very small wave, whose cube does not matter, grows by a known factor; the program checks
 * it.
 *
 *     mpicc phase-field.c -o phase-field `pkg-config --cflags --libs weft` -lm
 *     mpiexec -n 4 ./phase-field
 *     mpiexec -n 4 ./phase-field --compare 128
 *
 * --compare times a step with this plan and a step with two plans and a loop, for n^3 points.
 */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

static const double dt = 0.5, r = 0.2;

typedef struct {
    ptrdiff_t n; /* points along each axis, of a box of length 2 pi */
    ptrdiff_t local, start, local1, start1;
    double *u; /* padded rows of n numbers */
} field;

static double wave_number(ptrdiff_t index, ptrdiff_t n)
{
    return (double)(index > n / 2 ? index - n : index);
}

/* The factor of the linear part of a step, for a wave with this square of the wave number. */
static double growth(double square)
{
    return 1 / (1 + dt * ((1 - square) * (1 - square) - r));
}

/* The operator: `count` numbers of the spectrum along an axis. */
static void step_in_fourier_space(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis,
                                  void *data)
{
    fftw_complex *spectrum = values;
    const ptrdiff_t n = ((const field *)data)->n;
    const double points = (double)(n * n * n);
    double others = 0;
    for (int a = 0; a < 3; a++)
        others += a == axis ? 0 : wave_number(index[a], n) * wave_number(index[a], n);
    for (ptrdiff_t i = 0; i < count; i++) {
        const double k = wave_number(index[axis] + i, n);
        const double factor = growth(others + k * k) / points;
        spectrum[i][0] *= factor;
        spectrum[i][1] *= factor;
    }
}

static void add_cubic_term(const field *it)
{
    const ptrdiff_t row = 2 * (it->n / 2 + 1);
    for (ptrdiff_t i = 0; i < it->local * it->n; i++)
        for (ptrdiff_t k = 0; k < it->n; k++) {
            double *u = &it->u[i * row + k];
            *u -= dt * *u * *u * *u;
        }
}

static double wave(const field *it, ptrdiff_t i, ptrdiff_t j)
{
    const double step = 8 * atan(1) / (double)it->n;
    return 1e-6 * sin(step * (double)(it->start + i)) * cos(step * (double)j);
}

static field make_field(ptrdiff_t n)
{
    field it = {.n = n};
    const ptrdiff_t numbers = fftw_mpi_local_size_3d_transposed(
        n, n, n / 2 + 1, MPI_COMM_WORLD, &it.local, &it.start, &it.local1, &it.start1);
    it.u = fftw_alloc_real(2 * (size_t)numbers);
    memset(it.u, 0, 2 * (size_t)numbers * sizeof *it.u);
    return it;
}

static fftw_plan plan_step(field *it, unsigned flags)
{
    const ptrdiff_t n[3] = {it->n, it->n, it->n};
    const int kind[3] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_R2C};
    fftw_plan plan = weft_plan_operator(3, n, NULL, 1, it->u, it->u, NULL, kind,
                                        step_in_fourier_space, it, MPI_COMM_WORLD, flags);
    if (!plan) {
        fprintf(stderr, "phase-field: %s\n", weft_last_error());
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return plan;
}

/* Ten steps of a small wave; returns the largest relative error. */
static double check(void)
{
    enum { STEPS = 10 };
    field it = make_field(24);
    fftw_plan plan = plan_step(&it, FFTW_ESTIMATE);
    const ptrdiff_t row = 2 * (it.n / 2 + 1);
    double error = 0, most;
    for (int turn = 0; turn < 2; turn++) {
        const double grown = pow(growth(2), STEPS); /* k = (1, 1, 0) */
        for (ptrdiff_t i = 0; i < it.local; i++)
            for (ptrdiff_t j = 0; j < it.n; j++)
                for (ptrdiff_t k = 0; k < it.n; k++) {
                    double *u = &it.u[(i * it.n + j) * row + k];
                    if (turn == 0)
                        *u = wave(&it, i, j);
                    else
                        error = fmax(error, fabs(*u / grown - wave(&it, i, j)) / 1e-6);
                }
        for (int step = 0; step < STEPS && turn == 0; step++) {
            add_cubic_term(&it);
            fftw_execute(plan);
        }
    }
    fftw_destroy_plan(plan);
    fftw_free(it.u);
    MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* The same step by two plans, in transposed order, and a loop over the spectrum. */
static void by_two_plans(field *it, fftw_plan there, fftw_plan back)
{
    const ptrdiff_t half = it->n / 2 + 1;
    fftw_complex *spectrum = (fftw_complex *)it->u;
    fftw_execute(there);
    for (ptrdiff_t j = 0; j < it->local1; j++)
        for (ptrdiff_t i = 0; i < it->n; i++) {
            const ptrdiff_t index[3] = {i, it->start1 + j, 0};
            step_in_fourier_space(spectrum + (j * it->n + i) * half, half, index, 2, it);
        }
    fftw_execute(back);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Prints the medians of alternating runs. */
static void compare(ptrdiff_t n)
{
    enum { RUNS = 11 };
    double seconds[2][RUNS];
    int rank;
    field it = make_field(n);
    fftw_plan plan = plan_step(&it, FFTW_MEASURE);
    fftw_plan there = fftw_mpi_plan_dft_r2c_3d(n, n, n, it.u, (fftw_complex *)it.u, MPI_COMM_WORLD,
                                               FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
    fftw_plan back = fftw_mpi_plan_dft_c2r_3d(n, n, n, (fftw_complex *)it.u, it.u, MPI_COMM_WORLD,
                                              FFTW_MEASURE | FFTW_MPI_TRANSPOSED_IN);
    for (int run = 0; run < RUNS; run++)
        for (int way = 0; way < 2; way++) {
            MPI_Barrier(MPI_COMM_WORLD);
            const double begin = MPI_Wtime();
            if (way == 0)
                fftw_execute(plan);
            else
                by_two_plans(&it, there, back);
            double spent = MPI_Wtime() - begin;
            MPI_Allreduce(&spent, &seconds[way][run], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int way = 0; way < 2; way++)
        qsort(seconds[way], RUNS, sizeof seconds[way][0], by_value);
    if (rank == 0)
        printf("%td^3: one plan %.2f ms, two plans and a loop %.2f ms\n", n,
               1e3 * seconds[0][RUNS / 2], 1e3 * seconds[1][RUNS / 2]);
    fftw_destroy_plan(plan);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(it.u);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && strcmp(argv[1], "--compare") == 0)
        compare(argc > 2 ? atol(argv[2]) : 64);
    const double error = check();
    if (rank == 0)
        printf("phase-field: largest error %.1e\n", error);
    fftw_mpi_cleanup();
    MPI_Finalize();
    return error < 1e-10 ? EXIT_SUCCESS : EXIT_FAILURE;
}
