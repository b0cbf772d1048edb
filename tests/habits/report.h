/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of this folder share: they print every number they compute, in an order that
 * does not depend on the ranks, so that the output under two libraries can be compared; and they
 * know themselves what is right, of serial FFTW or by arithmetic. Nothing in here is of Weft.
 */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks, wrong;

/* After MPI_Init. */
static inline void look_around(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

static inline void require(int holds, const char *sentence)
{
    if (holds)
        return;
    fprintf(stderr, "rank %d of %d: not so: %s\n", rank, ranks, sentence);
    wrong = 1;
}

/* A plan that the program cannot go on without. */
static inline fftw_plan planned(fftw_plan plan, const char *name)
{
    if (!plan) {
        fprintf(stderr, "rank %d of %d: no plan: %s\n", rank, ranks, name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return plan;
}

/* The number at place i of the whole array. */
static inline double number(ptrdiff_t i)
{
    return (double)(i * 7919 % 1009) / 1009 - 0.5;
}

static inline void fill(void *numbers, ptrdiff_t count, ptrdiff_t from)
{
    for (ptrdiff_t i = 0; i < count; i++)
        ((double *)numbers)[i] = number(from + i);
}

/* Lines of real numbers, padded as transforms in place want them; and without the padding again. */
static inline ptrdiff_t padded(ptrdiff_t line)
{
    return 2 * (line / 2 + 1);
}

static inline void fill_padded(double *numbers, ptrdiff_t lines, ptrdiff_t line, ptrdiff_t from)
{
    for (ptrdiff_t i = 0; i < lines; i++)
        fill(numbers + i * padded(line), line, (from + i) * line);
}

static inline void remove_padding(double *numbers, ptrdiff_t lines, ptrdiff_t line)
{
    for (ptrdiff_t i = 0; i < lines; i++)
        for (ptrdiff_t k = 0; k < line; k++)
            numbers[i * line + k] = numbers[i * padded(line) + k];
}

/* Rank 0 prints what all ranks hold. */
static inline void show(const char *name, const double *numbers, int count)
{
    int total = 0;
    int *counts = malloc(sizeof *counts * (size_t)ranks), *at = malloc(sizeof *at * (size_t)ranks);
    MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++) {
        at[i] = total;
        total += counts[i];
    }
    double *all = malloc(sizeof *all * (size_t)(total + 1));
    MPI_Gatherv(numbers, count, MPI_DOUBLE, all, counts, at, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < total && rank == 0; i++)
        printf("%s %d %.15g\n", name, i, all[i]);
    free(all);
    free(at);
    free(counts);
}

/* Collective: shows what each rank holds, which should be what it expects. */
static inline void compare(const char *name, const void *numbers, const double *expected,
                           ptrdiff_t count)
{
    const double *mine = numbers;
    for (ptrdiff_t i = 0; i < count; i++)
        if (!(fabs(mine[i] - expected[i]) < 1e-11 * (1 + fabs(expected[i])))) {
            fprintf(stderr, "rank %d of %d: %s: number %td is %.15g, not %.15g\n", rank, ranks,
                    name, i, mine[i], expected[i]);
            wrong = 1;
            break;
        }
    show(name, mine, (int)count);
}

/* The same, of transforms of the whole array: count numbers of it from `from` on, times scale. */
static inline void compare_scaled(const char *name, const void *numbers, double scale,
                                  ptrdiff_t count, ptrdiff_t from)
{
    double *expected = malloc(sizeof *expected * (size_t)(count + 1));
    for (ptrdiff_t i = 0; i < count; i++)
        expected[i] = scale * number(from + i);
    compare(name, numbers, expected, count);
    free(expected);
}

/* Serial FFTW on the whole array, as fill makes it; to be freed by fftw_free. */
static inline double *whole_dft(int dims, const int *n, int sign)
{
    int total = 1;
    for (int i = 0; i < dims; i++)
        total *= n[i];
    fftw_complex *all = fftw_alloc_complex((size_t)total);
    fftw_plan plan = fftw_plan_dft(dims, n, all, all, sign, FFTW_ESTIMATE);
    fill(all, 2 * total, 0);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return (double *)all;
}

/* The same of real numbers. */
static inline double *whole_r2c(int dims, const int *n)
{
    ptrdiff_t lines = 1;
    for (int i = 0; i < dims - 1; i++)
        lines *= n[i];
    const ptrdiff_t line = n[dims - 1];
    double *all = fftw_alloc_real((size_t)(lines * padded(line)));
    fftw_plan plan = fftw_plan_dft_r2c(dims, n, all, (fftw_complex *)all, FFTW_ESTIMATE);
    fill_padded(all, lines, line, 0);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return all;
}

/* The numbers of a transform of n0 x n1 rows of so many numbers, in transposed order, from n1 =
 * start on. */
static inline double *turned(const double *all, ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t row,
                             ptrdiff_t start, ptrdiff_t count)
{
    double *part = malloc(sizeof *part * (size_t)(n0 * count * row + 1));
    for (ptrdiff_t i = 0; i < n0 * count * row; i++)
        part[i] = all[(i / row % n0 * n1 + start + i / row / n0) * row + i % row];
    return part;
}

/* The end of a program: 0 where all ranks were right. */
static inline int verdict(void)
{
    int any;
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any ? EXIT_FAILURE : EXIT_SUCCESS;
}
