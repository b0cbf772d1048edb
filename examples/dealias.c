/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The product of two fields by the 3/2 rule: both have M modes along each axis, and are multiplied
 * on a grid of N = 3 M / 2 points. The product has waves that M modes cannot represent; they are
 * truncated and do not appear as longer waves. The transforms themselves pad and truncate spectra.
 * weft_plan_convolution does all of this in one plan, without the array of products.
 *
 *     mpicc dealias.c -o dealias `pkg-config --cflags --libs weft` -lm
 *     mpiexec -n 2 ./dealias
 *     mpiexec -n 2 ./dealias 128 --time
 *
 * M is 16 or the argument. With --time it compares forward and backward transforms with transforms
 * of N modes, to and from which the program copies M modes. It also compares the product by one
 * plan with the product by three plans, with and without such copies.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

static const int there[3] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_R2C};
static const int back[3] = {WEFT_DFT_BACKWARD, WEFT_DFT_BACKWARD, WEFT_DFT_C2R};
static int rank;

/* A grid of n^3 points and a spectrum with a given number of modes, both in slabs. */
typedef struct {
    ptrdiff_t modes;
    weft_distribution points, spectrum;
    ptrdiff_t start[3], count[3]; /* of this rank's spectrum */
    double *field;
    fftw_complex *number;
    fftw_plan forward, backward;
} transform;

/* The product by one plan, of two interleaved spectra. */
typedef struct {
    fftw_complex *two, *product;
    fftw_plan plan;
} convolution;

static transform make(weft_grid grid, ptrdiff_t n, ptrdiff_t m)
{
    const ptrdiff_t points[3] = {n, n, n}, modes[3] = {m, m, m}, half[3] = {m, m, m / 2 + 1};
    transform made = {.modes = m};
    made.points = weft_distribution_grid(grid, 3, points, NULL, 0);
    made.spectrum = weft_distribution_grid(grid, 3, half, (const int[]){1}, 0);
    const ptrdiff_t reals = weft_distribution_box(made.points, rank, NULL, NULL),
                    numbers = weft_distribution_box(made.spectrum, rank, made.start, made.count);
    made.field = fftw_alloc_real((size_t)reals + 1);
    made.number = fftw_alloc_complex((size_t)numbers + 1);
    made.forward = m < n ? weft_plan_between_modes(made.points, made.spectrum, modes, 1, made.field,
                                                   made.number, there, FFTW_MEASURE)
                         : weft_plan_dft_r2c(3, points, made.field, made.number, grid,
                                             FFTW_MEASURE | WEFT_UNPADDED);
    made.backward = m < n ? weft_plan_between_modes(made.spectrum, made.points, modes, 1,
                                                    made.number, made.field, back, FFTW_MEASURE)
                          : weft_plan_dft_c2r(3, points, made.number, made.field, grid,
                                              FFTW_MEASURE | WEFT_UNPADDED);
    if (!made.forward || !made.backward) {
        fprintf(stderr, "no plan: %s\n", weft_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return made;
}

static convolution make_convolution(const transform *it, weft_grid grid, ptrdiff_t n)
{
    const ptrdiff_t points[3] = {n, n, n}, modes[3] = {it->modes, it->modes, it->modes};
    const size_t numbers = (size_t)(it->count[0] * it->count[1] * it->count[2]) + 1;
    convolution made = {fftw_alloc_complex(2 * numbers), fftw_alloc_complex(numbers), NULL};
    made.plan = weft_plan_convolution(3, points, modes, 2, made.two, made.product, grid, back,
                                      MPI_COMM_NULL, FFTW_MEASURE);
    if (!made.plan) {
        fprintf(stderr, "no plan: %s\n", weft_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(made.two, 0, 2 * numbers * sizeof *made.two);
    return made;
}

static void drop(transform *it)
{
    fftw_destroy_plan(it->forward);
    fftw_destroy_plan(it->backward);
    fftw_free(it->field);
    fftw_free(it->number);
    weft_distribution_free(it->points);
    weft_distribution_free(it->spectrum);
}

/* The place of a wave in this rank's spectrum; NULL: another rank has it. */
static double *number_of(const transform *it, const int wave[3])
{
    ptrdiff_t place = 0;
    for (int axis = 0; axis < 3; axis++) {
        const ptrdiff_t k =
            (wave[axis] < 0 ? wave[axis] + it->modes : wave[axis]) - it->start[axis];
        if (k < 0 || k >= it->count[axis])
            return NULL;
        place = place * it->count[axis] + k;
    }
    return it->number[place];
}

/* The spectrum of a cosine; the other half of it is not stored. */
static void set_cosine(const transform *it, const int wave[3])
{
    memset(it->number, 0,
           sizeof *it->number * (size_t)(it->count[0] * it->count[1] * it->count[2]));
    double *number = number_of(it, wave);
    if (number)
        number[0] = 0.5;
}

/* The product of the field and another, transformed forward. */
static void product_forward(const transform *it, const double *other, ptrdiff_t n)
{
    const ptrdiff_t reals = weft_distribution_box(it->points, rank, NULL, NULL);
    for (ptrdiff_t i = 0; i < reals; i++)
        it->field[i] *= other[i] / (double)(n * n * n);
    fftw_execute(it->forward);
}

/* Largest error of the product of cos(a x) and cos(b x). The result is half the cosine of (a -
 * b) x, because the wave a + b is truncated. */
static double multiply(const transform *it, const convolution *by, ptrdiff_t n)
{
    const int m = (int)it->modes, a[3] = {m / 3, -m / 5, m / 4}, b[3] = {m / 4, m / 8, m / 3},
              left[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const ptrdiff_t reals = weft_distribution_box(it->points, rank, NULL, NULL);
    double *first = fftw_alloc_real((size_t)reals + 1), worst = 0;
    const ptrdiff_t numbers = it->count[0] * it->count[1] * it->count[2];
    for (int f = 0; f < 2; f++) {
        set_cosine(it, f ? b : a);
        for (ptrdiff_t i = 0; i < numbers; i++)
            by->two[2 * i + f][0] = it->number[i][0];
        fftw_execute(it->backward);
        if (f == 0)
            memcpy(first, it->field, sizeof *first * (size_t)reals);
    }
    fftw_execute(by->plan);
    product_forward(it, first, n);
    double *kept = number_of(it, left);
    for (ptrdiff_t i = 0; i < numbers; i++) {
        const double right = it->number[i] == kept ? 0.25 : 0;
        worst = fmax(worst, hypot(it->number[i][0] - right, it->number[i][1]));
        worst = fmax(worst, hypot(by->product[i][0] - right, by->product[i][1]));
    }
    fftw_free(first);
    return worst;
}

/* Copies this rank's part of the M modes into a spectrum of all modes, or out of it. */
static void copy_modes(const transform *all, ptrdiff_t m, fftw_complex *few, int into)
{
    const ptrdiff_t n = all->modes, row = m / 2 + 1;
    if (into)
        memset(all->number, 0,
               sizeof *few * (size_t)(all->count[0] * all->count[1] * all->count[2]));
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < all->count[1]; j++) {
            const ptrdiff_t k = all->start[1] + j;
            if ((2 * i >= m && 2 * (n - i) >= m) || (2 * k >= m && 2 * (n - k) >= m))
                continue;
            fftw_complex *at = all->number + (i * all->count[1] + j) * all->count[2];
            memcpy(into ? at : few, into ? few : at, sizeof *few * (size_t)row);
            few += row;
        }
}

/* The product by three transforms, two backward and one forward, on n points; `few` is NULL if
 * the plans themselves pad and truncate the spectra, else an array of M modes. */
static void by_three_plans(const transform *it, ptrdiff_t m, fftw_complex *few, double *other)
{
    const ptrdiff_t reals = weft_distribution_box(it->points, rank, NULL, NULL);
    for (int f = 0; f < 2; f++) {
        if (few)
            copy_modes(it, m, few, 1);
        fftw_execute(it->backward);
        if (f == 0)
            memcpy(other, it->field, sizeof *other * (size_t)reals);
    }
    product_forward(it, other, 3 * m / 2);
    if (few)
        copy_modes(it, m, few, 0);
}

/* The shortest time of several runs in seconds: of the product by one plan (`by`) or by three
 * plans (`other` is then a second array of points), or else of a forward and a backward
 * transform; with copies if `few` is not NULL. */
static double seconds(const transform *it, ptrdiff_t m, fftw_complex *few, const convolution *by,
                      double *other)
{
    double least = HUGE_VAL, slowest;
    for (int run = 0; run < 10; run++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        if (by) {
            fftw_execute(by->plan);
        } else if (other) {
            by_three_plans(it, m, few, other);
        } else {
            if (few)
                copy_modes(it, m, few, 1);
            fftw_execute(it->backward);
            fftw_execute(it->forward);
            if (few)
                copy_modes(it, m, few, 0);
        }
        const double mine = MPI_Wtime() - begin;
        MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        least = fmin(least, slowest);
    }
    return least;
}

/* MB on this rank of a plan, of two arrays of points, and of the spectrum that is padded by
 * copies. */
static double megabytes(const transform *it, int copies)
{
    const ptrdiff_t reals = weft_distribution_box(it->points, rank, NULL, NULL),
                    numbers = copies ? it->count[0] * it->count[1] * it->count[2] : 0;
    return 1e-6 * (double)(weft_plan_memory(it->backward, NULL, NULL) +
                           2 * (reals + numbers) * (ptrdiff_t)sizeof(double));
}

static void compare(const transform *it, const convolution *by, weft_grid grid, ptrdiff_t n)
{
    const ptrdiff_t m = it->modes;
    transform all = make(grid, n, n);
    const size_t most = (size_t)(n * all.count[1] * (m / 2 + 1)),
                 reals = (size_t)weft_distribution_box(it->points, rank, NULL, NULL);
    fftw_complex *few = fftw_alloc_complex(most + 1);
    double *other = fftw_alloc_real(reals + 1);
    memset(few, 0, sizeof *few * (most + 1));
    const double one = seconds(it, m, NULL, by, NULL), three = seconds(it, m, NULL, NULL, other),
                 padded = seconds(&all, m, few, NULL, other);
    const double within = seconds(it, m, NULL, NULL, NULL),
                 copied = seconds(&all, m, few, NULL, NULL);
    if (rank == 0) {
        printf("dealias: product by one plan: %.2e s, %.1f MB; by three plans: %.2e s, %.1f MB; "
               "with copies: %.2e s, %.1f MB\n",
               one, 1e-6 * (double)weft_plan_memory(by->plan, NULL, NULL), three, megabytes(it, 0),
               padded, megabytes(&all, 1));
        printf("dealias: %td modes of %td points: %.2e s; with copies: %.2e s\n", m, n, within,
               copied);
    }
    fftw_free(other);
    fftw_free(few);
    drop(&all);
}

int main(int argc, char **argv)
{
    double most;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const ptrdiff_t m = argc > 1 && atoi(argv[1]) >= 16 ? atoi(argv[1]) : 16, n = 3 * m / 2;
    weft_grid grid = weft_grid_create(MPI_COMM_WORLD, 1, NULL);
    transform it = make(grid, n, m);
    convolution by = make_convolution(&it, grid, n);
    const double worst = multiply(&it, &by, n);
    MPI_Allreduce(&worst, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("dealias: largest error %.1e\n", most);
    if (argc > 1 && strcmp(argv[argc - 1], "--time") == 0)
        compare(&it, &by, grid, n);
    fftw_destroy_plan(by.plan);
    fftw_free(by.two);
    fftw_free(by.product);
    drop(&it);
    weft_grid_free(grid);
    MPI_Finalize();
    return most < 1e-12 ? 0 : 1;
}
