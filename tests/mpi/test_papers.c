/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two cases of the appendices of Dalcin, Mortensen and Keyes, Fast parallel multidimensional
 * FFT using advanced MPI: a 3-d array on a 2-d grid and a 4-d array on a 3-d grid, forward and
 * backward, compared with serial FFTW and recovered to 1e-8.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/harness.h"
#include "api/weft.h"

enum { AXES = 4 };

typedef struct {
    int axes;
    ptrdiff_t n[AXES];
} shape;

static const shape shapes[] = {{3, {42, 127, 256}}, {4, {16, 17, 18, 19}}};

/* The number at a point of the input: not periodic, and as large as in the paper's programs. */
static double value(ptrdiff_t point, int part)
{
    return part ? 0.5 - (double)(point % 1009) : (double)(point % 911);
}

/* A part of the array: the place in the whole of its i-th point. */
typedef struct {
    const shape *whole;
    ptrdiff_t count[AXES], start[AXES];
} part;

static ptrdiff_t points(const part *it)
{
    ptrdiff_t product = 1;
    for (int axis = 0; axis < it->whole->axes; axis++)
        product *= it->count[axis];
    return product;
}

static ptrdiff_t point(const part *it, ptrdiff_t i)
{
    ptrdiff_t place = 0, step = 1;
    for (int axis = it->whole->axes - 1; axis >= 0; axis--) {
        place += step * (it->start[axis] + i % it->count[axis]);
        i /= it->count[axis];
        step *= it->whole->n[axis];
    }
    return place;
}

static fftw_complex *serial(const shape *it, ptrdiff_t total)
{
    int n[AXES];
    fftw_complex *all = fftw_alloc_complex((size_t)total);
    for (int axis = 0; axis < it->axes; axis++)
        n[axis] = (int)it->n[axis];
    fftw_plan plan = fftw_plan_dft(it->axes, n, all, all, FFTW_FORWARD, FFTW_ESTIMATE);
    for (ptrdiff_t i = 0; i < total; i++)
        for (int p = 0; p < 2; p++)
            all[i][p] = value(i, p);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return all;
}

/* How far the output is from the serial one, relative to its largest number. */
static double difference(const part *out, fftw_complex *mine, ptrdiff_t total)
{
    fftw_complex *all = serial(out->whole, total);
    double largest = 0, worst = 0;
    for (ptrdiff_t i = 0; i < total; i++)
        largest = fmax(largest, fmax(fabs(all[i][0]), fabs(all[i][1])));
    for (ptrdiff_t i = 0; i < points(out); i++)
        for (int p = 0; p < 2; p++) {
            const double error = fabs(mine[i][p] - all[point(out, i)][p]);
            worst = error <= worst ? worst : error;
        }
    fftw_free(all);
    return worst / largest;
}

/* Each way a plan of its own, as in the paper; the axes of `out` are whole from the first on. */
START_TEST(forward_and_backward)
{
    const shape *it = &shapes[_i / 2];
    const unsigned flags = FFTW_ESTIMATE;
    ptrdiff_t total = 1;
    part in = {.whole = it}, out = {.whole = it};
    double worst = 0;
    for (int axis = 0; axis < it->axes; axis++)
        total *= it->n[axis];
    setenv("WEFT_BACKEND", _i % 2 ? "alltoallw" : "auto", 1); /* the paper's own way, and any */
    weft_grid grid = weft_grid_create(MPI_COMM_WORLD, it->axes - 1, NULL);
    all_true(grid != NULL, "no grid: %s", weft_last_error());
    const ptrdiff_t numbers = weft_local_size(it->axes, it->n, 1, grid, WEFT_DFT_FORWARD, flags,
                                              in.count, in.start, out.count, out.start);
    fftw_complex *a = fftw_alloc_complex((size_t)numbers);
    fftw_complex *b = fftw_alloc_complex((size_t)numbers);
    fftw_plan there = weft_plan_dft(it->axes, it->n, a, b, grid, FFTW_FORWARD, flags);
    fftw_plan back = weft_plan_dft(it->axes, it->n, b, a, grid, FFTW_BACKWARD, flags);
    unsetenv("WEFT_BACKEND");
    all_true(there && back, "no plan: %s", weft_last_error());
    for (ptrdiff_t i = 0; i < points(&in); i++)
        for (int p = 0; p < 2; p++)
            a[i][p] = value(point(&in, i), p);
    fftw_execute(there);
    const double error = difference(&out, b, total);
    memset(a, 0, sizeof *a * (size_t)numbers);
    fftw_execute(back);
    for (ptrdiff_t i = 0; i < points(&in); i++)
        for (int p = 0; p < 2; p++) {
            const double off = fabs(a[i][p] / (double)total - value(point(&in, i), p));
            worst = off <= worst ? worst : off;
        }
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    weft_grid_free(grid);
    fftw_free(a);
    fftw_free(b);
    all_true(error < 1e-13, "the transform is off by %g of its largest number", error);
    all_true(worst < 1e-8, "values differ by %g after forward and backward", worst);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("papers");
    TCase *tests = tcase_create("appendices");
    tcase_add_loop_test(tests, forward_and_backward, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
