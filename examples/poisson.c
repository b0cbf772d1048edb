/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Poisson's equation, -Laplace u = f in the unit cube, u = 0 on its faces, by finite differences:
 * the difference operator multiplies each sine (FFTW_RODFT00) by a number, so a transform, a
 * division and a transform solve it. Differences of second order are exact for polynomials of
 * degree 3, so the result is exact.
 *
 *     mpicc poisson.c -o poisson `pkg-config --cflags --libs weft` -lm
 *     mpiexec -n 4 ./poisson
 *     mpiexec -n 4 ./poisson --compare
 *
 * One plan does all three (weft_plan_operator). --compare times it against two plans and a loop,
 * which need only FFTW's interface.
 */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

enum { MOST = 127 };

static ptrdiff_t n[3] = {47, 35, 39}; /* points inside the cube; n + 1 intervals */
static double eigenvalue[3][MOST];    /* factor of a sine under differences along an axis */

static double place(ptrdiff_t i, int axis)
{
    return (double)(i + 1) / (double)(n[axis] + 1);
}

/* A function of one axis that is 0 at both ends; its curvature is -u'' = 2 + 6 x. */
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

static void find_eigenvalues(void)
{
    for (int axis = 0; axis < 3; axis++)
        for (ptrdiff_t i = 0; i < n[axis]; i++) {
            const double intervals = (double)(n[axis] + 1),
                         half = sin(acos(-1) / 2 * (double)(i + 1) / intervals);
            eigenvalue[axis][i] = 4 * half * half * intervals * intervals;
        }
}

/* The factor of two sine transforms. */
static double normalization(void)
{
    return 8 * (double)((n[0] + 1) * (n[1] + 1) * (n[2] + 1));
}

/* The division, for points of the spectrum that follow one another along `axis` from `index` on. */
static void divide(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis, void *data)
{
    const double points = normalization();
    double *u = values, others = 0;
    (void)data;
    for (int a = 0; a < 3; a++)
        others += a == axis ? 0 : eigenvalue[a][index[a]];
    for (ptrdiff_t i = 0; i < count; i++)
        u[i] /= (others + eigenvalue[axis][index[axis] + i]) * points;
}

typedef struct {
    ptrdiff_t local0, start0, local1, start1;
    double *u;
    fftw_plan solve, there, back;
} problem;

static fftw_plan made(fftw_plan plan)
{
    if (!plan) {
        fprintf(stderr, "poisson: %s\n", weft_last_error());
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return plan;
}

static problem make(unsigned rigor)
{
    const fftw_r2r_kind sine = FFTW_RODFT00;
    const int kind[3] = {FFTW_RODFT00, FFTW_RODFT00, FFTW_RODFT00};
    problem it;
    find_eigenvalues();
    it.u = fftw_alloc_real((size_t)fftw_mpi_local_size_3d_transposed(
        n[0], n[1], n[2], MPI_COMM_WORLD, &it.local0, &it.start0, &it.local1, &it.start1));
    it.solve = made(weft_plan_operator(3, n, NULL, 1, it.u, it.u, NULL, kind, divide, NULL,
                                       MPI_COMM_WORLD, rigor));
    it.there = made(fftw_mpi_plan_r2r_3d(n[0], n[1], n[2], it.u, it.u, MPI_COMM_WORLD, sine, sine,
                                         sine, rigor | FFTW_MPI_TRANSPOSED_OUT));
    it.back = made(fftw_mpi_plan_r2r_3d(n[0], n[1], n[2], it.u, it.u, MPI_COMM_WORLD, sine, sine,
                                        sine, rigor | FFTW_MPI_TRANSPOSED_IN));
    return it;
}

static void drop(problem *it)
{
    fftw_destroy_plan(it->solve);
    fftw_destroy_plan(it->there);
    fftw_destroy_plan(it->back);
    fftw_free(it->u);
}

static void solve_by_two_plans(problem *it)
{
    fftw_execute(it->there); /* to axis 1, axis 0, axis 2 */
    for (ptrdiff_t j = 0; j < it->local1; j++)
        for (ptrdiff_t i = 0; i < n[0]; i++)
            divide(it->u + (j * n[0] + i) * n[2], n[2], (ptrdiff_t[]){i, it->start1 + j, 0}, 2,
                   NULL);
    fftw_execute(it->back);
}

/* Sets u to f, or returns the largest error of u. */
static double visit(problem *it, bool first)
{
    double error = 0, most;
    for (ptrdiff_t i = 0, at = 0; i < it->local0; i++)
        for (ptrdiff_t j = 0; j < n[1]; j++)
            for (ptrdiff_t k = 0; k < n[2]; k++, at++) {
                const double x[3] = {place(it->start0 + i, 0), place(j, 1), place(k, 2)};
                if (first)
                    it->u[at] = source(x);
                else
                    error = fmax(error, fabs(it->u[at] - exact(x)));
            }
    MPI_Allreduce(&error, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static int by_value(const void *a, const void *b)
{
    return *(const double *)a < *(const double *)b ? -1 : 1;
}

/* Prints the medians of alternating runs on 127^3 points. */
static void compare(int rank)
{
    enum { RUNS = 11 };
    double seconds[2][RUNS];
    n[0] = n[1] = n[2] = MOST;
    problem it = make(FFTW_MEASURE);
    visit(&it, true);
    for (int run = 0; run < 2 * RUNS; run++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double spent = -MPI_Wtime();
        if (run % 2)
            solve_by_two_plans(&it);
        else
            fftw_execute(it.solve);
        spent += MPI_Wtime();
        MPI_Allreduce(&spent, &seconds[run % 2][run / 2], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    for (int way = 0; way < 2; way++)
        qsort(seconds[way], RUNS, sizeof seconds[way][0], by_value);
    if (rank == 0)
        printf("poisson: one plan %.3f ms, two plans and a loop %.3f ms\n",
               1e3 * seconds[0][RUNS / 2], 1e3 * seconds[1][RUNS / 2]);
    drop(&it);
}

int main(int argc, char **argv)
{
    double error = 0;
    int rank;

    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && strcmp(argv[1], "--compare") == 0) {
        compare(rank);
    } else {
        problem it = make(FFTW_ESTIMATE);
        for (int way = 0; way < 2; way++) {
            visit(&it, true);
            if (way == 0)
                fftw_execute(it.solve);
            else
                solve_by_two_plans(&it);
            error = fmax(error, visit(&it, false));
        }
        drop(&it);
        if (rank == 0)
            printf("poisson: largest error %.1e\n", error);
    }
    fftw_mpi_cleanup();
    MPI_Finalize();
    return error < 1e-13 ? EXIT_SUCCESS : EXIT_FAILURE;
}
