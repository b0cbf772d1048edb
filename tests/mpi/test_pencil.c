/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two programs of Dalcin, Mortensen and Keyes as tests: a 3-d array on a 2-d grid and a 4-d
 * array on a 3-d grid, forward and backward; redistribution between random tilings; pencils between
 * FFTW's slabs; and what is refused.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "mpi/dropin.h"
#include "mpi/harness.h"
#include "weft.h"

static unsigned next(unsigned *state, unsigned bound)
{
    return arrays_random(state, bound);
}

/* Forward and backward: the input is back, times the number of points. */
static void round_trip(int rank, const ptrdiff_t *n)
{
    ptrdiff_t count[8], start[8], points = 1, mine = 1;
    double worst = 0;
    weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, rank - 1, NULL);
    all_true(grid, "no grid: %s", WEFT(last_error)());
    const ptrdiff_t numbers =
        WEFT(local_size)(rank, n, 1, grid, WEFT_DFT_FORWARD, 0, count, start, NULL, NULL);
    FFTW(complex) *a = FFTW(malloc)(sizeof *a * (size_t)numbers);
    FFTW(complex) *b = FFTW(malloc)(sizeof *b * (size_t)numbers);
    FFTW(plan) there = WEFT(plan_dft)(rank, n, a, b, grid, FFTW_FORWARD, FFTW_ESTIMATE);
    FFTW(plan) back = WEFT(plan_dft)(rank, n, b, a, grid, FFTW_BACKWARD, FFTW_ESTIMATE);
    all_true(there && back, "no plan: %s", WEFT(last_error)());
    for (int axis = 0; axis < rank; axis++) {
        points *= n[axis];
        mine *= count[axis];
    }
    for (ptrdiff_t i = 0; i < mine; i++) {
        ((weft_real *)a[i])[0] = (weft_real)i;
        ((weft_real *)a[i])[1] = (weft_real)-i;
    }
    FFTW(execute)(there);
    memset(a, 0, sizeof *a * (size_t)numbers);
    FFTW(execute)(back);
    for (ptrdiff_t i = 0; i < mine; i++) {
        const weft_real *x = (const weft_real *)a[i];
        worst = fmax(worst, fabs((double)x[0] / (double)points - (double)i));
        worst = fmax(worst, fabs((double)x[1] / (double)points + (double)i));
    }
    FFTW(destroy_plan)(there);
    FFTW(destroy_plan)(back);
    WEFT(grid_free)(grid);
    FFTW(free)(a);
    FFTW(free)(b);
    all_true(worst < 1e-8, "values differ by %g after forward and backward", worst);
}

START_TEST(three_axes_on_two)
{
    round_trip(3, (const ptrdiff_t[]){42, 31, 64});
}
END_TEST

START_TEST(four_axes_on_three)
{
    round_trip(4, (const ptrdiff_t[]){16, 17, 18, 19});
}
END_TEST

/* Cuts a box in two, again and again, for ranks from `from` up to `until`; keeps rank's. */
static void tile(unsigned *state, int from, int until, int rank, ptrdiff_t *start, ptrdiff_t *count)
{
    while (until - from > 1) {
        const int middle = from + 1 + (int)next(state, (unsigned)(until - from - 1));
        const int axis = (int)next(state, 3);
        const ptrdiff_t part = (ptrdiff_t)next(state, (unsigned)count[axis] + 1);
        unsigned other = *state + 1;
        if (rank < middle) {
            count[axis] = part;
            until = middle;
        } else {
            start[axis] += part;
            count[axis] -= part;
            from = middle;
            other += 7;
        }
        *state = other;
    }
}

/* The place of an element in the whole array, as a number. */
static weft_real value(const ptrdiff_t *n, const ptrdiff_t *start, const ptrdiff_t *count,
                       ptrdiff_t many, ptrdiff_t i)
{
    ptrdiff_t at[3], rest = i / many;
    for (int axis = 2; axis >= 0; axis--) {
        at[axis] = start[axis] + rest % count[axis];
        rest /= count[axis];
    }
    return (weft_real)(((at[0] * n[1] + at[1]) * n[2] + at[2]) * many + i % many);
}

START_TEST(redistribution)
{
    unsigned state = 99 + (unsigned)_i;
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int turn = 0; turn < (ranks > 4 ? 1 : 4); turn++) {
        ptrdiff_t n[3], start[2][3] = {{0}}, count[2][3], size[2];
        const ptrdiff_t many = 1 + (ptrdiff_t)next(&state, 2);
        const bool in_place = next(&state, 2);
        for (int axis = 0; axis < 3; axis++)
            n[axis] = 1 + (ptrdiff_t)next(&state, 9);
        for (int side = 0; side < 2; side++) {
            unsigned seed = next(&state, 100000);
            memcpy(count[side], n, sizeof n);
            tile(&seed, 0, ranks, rank, start[side], count[side]);
            size[side] = count[side][0] * count[side][1] * count[side][2] * many;
        }
        const size_t room = (size_t)(size[0] > size[1] ? size[0] : size[1]) + 1;
        weft_real *in = FFTW(malloc)(sizeof *in * room);
        weft_real *out = in_place ? in : FFTW(malloc)(sizeof *out * room);
        FFTW(plan)
        plan = WEFT(plan_redistribute_boxes)(3, n, many, start[0], count[0], start[1], count[1], in,
                                             out, MPI_COMM_WORLD, FFTW_ESTIMATE);
        all_true(plan, "no plan: %s", WEFT(last_error)());
        for (ptrdiff_t i = 0; i < size[0]; i++)
            in[i] = value(n, start[0], count[0], many, i);
        FFTW(execute)(plan);
        ptrdiff_t wrong = 0;
        for (ptrdiff_t i = 0; i < size[1]; i++)
            wrong += !(out[i] == value(n, start[1], count[1], many, i));
        FFTW(destroy_plan)(plan);
        if (!in_place)
            FFTW(free)(out);
        FFTW(free)(in);
        all_true(wrong == 0, "%td of %td elements are wrong", wrong, size[1]);
    }
}
END_TEST

START_TEST(pencils_between_slabs)
{
    static const char *const wish[] = {NULL, "auto", "1x2", "2x1", "2x2", "4x2", "2x4", "3x1"};
    static const ptrdiff_t sizes[][3] = {{2, 8, 9}, {8, 2, 6}, {2, 2, 30}, {3, 3, 5}};
    unsigned state = 5;
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int what = DROPIN_C2C; what <= DROPIN_R2R; what++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            if (ranks > 3 && (s + (size_t)what + (size_t)_i) % 4 != 0)
                continue;
            dropin_case it = {.what = (dropin_what)what, .rank = 3, .in_place = next(&state, 2)};
            memcpy(it.n, sizes[s], sizeof sizes[s]);
            it.flags = dropin_orders(it.what, 3, next(&state, 4));
            dropin_options(&it, &state, MPI_COMM_WORLD);
            if (wish[_i])
                setenv("WEFT_GRID", wish[_i], 1);
            dropin_check(&it, MPI_COMM_WORLD);
            unsetenv("WEFT_GRID");
        }
}
END_TEST

static void refused(const void *result, const char *what)
{
    all_true(!result && strlen(WEFT(last_error)()) > 20, "%s was not refused, or not with why (%s)",
             what, WEFT(last_error)());
}

START_TEST(bad_input)
{
    static const ptrdiff_t n[3] = {8, 8, 8}, zero[3] = {0};
    FFTW(complex) data[512];
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int wrong[2] = {ranks + 1, 1}, negative[2] = {-1, 0};
    refused(WEFT(grid_create)(MPI_COMM_WORLD, 2, wrong), "a grid of other dims");
    refused(WEFT(grid_create)(MPI_COMM_WORLD, 2, negative), "a negative dimension");
    refused(WEFT(grid_create)(MPI_COMM_WORLD, 0, NULL), "a grid of no dimensions");
    refused(WEFT(grid_create)(MPI_COMM_NULL, 2, NULL), "the null communicator");
    weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, 2, NULL);
    all_true(grid, "no grid: %s", WEFT(last_error)());
    const unsigned estimate = FFTW_ESTIMATE;
    refused(WEFT(plan_dft_2d)(8, 8, data, data, grid, FFTW_FORWARD, estimate),
            "a grid of as many dimensions as the array");
    refused(WEFT(plan_dft_3d)(8, 8, 8, data, data, grid, 5, estimate), "a sign of 5");
    refused(WEFT(plan_dft_3d)(8, 0, 8, data, data, grid, FFTW_FORWARD, estimate), "a size of 0");
    refused(WEFT(plan_dft_3d)(8, 8, 8, data, data, NULL, FFTW_FORWARD, estimate), "no grid");
    refused(
        WEFT(plan_dft_3d)(8, 8, 8, data, data, grid, FFTW_FORWARD, estimate | WEFT_TRANSPOSED_IN),
        "a transposed side that is not aligned along the first axis");
    refused(WEFT(plan_dft_r2c_3d)(8, 8, 8, (weft_real *)data, data, grid, estimate | WEFT_REVERSED),
            "r2c from the first axis");
    const ptrdiff_t all[3] = {8, 8, 8}, hole[3] = {rank == 0 ? 7 : 0, 8, 8};
    refused(WEFT(distribution_boxes)(MPI_COMM_WORLD, 3, n, zero, hole), "a hole");
    const ptrdiff_t late[3] = {rank == 0 ? 5 : 0, 0, 0};
    refused(WEFT(distribution_boxes)(MPI_COMM_WORLD, 3, n, late, all), "a box beyond the array");
    if (ranks > 1)
        refused(WEFT(distribution_boxes)(MPI_COMM_WORLD, 3, n, zero, all), "boxes that overlap");
    weft_distribution a = WEFT(distribution_grid)(grid, 3, n, NULL, 0);
    weft_grid alone = WEFT(grid_create)(MPI_COMM_SELF, 2, NULL);
    weft_distribution b = WEFT(distribution_grid)(alone, 3, n, NULL, 0);
    if (ranks > 1)
        refused(WEFT(plan_redistribute)(a, b, 1, (weft_real *)data, (weft_real *)data, estimate),
                "a distribution of another communicator");
    WEFT(distribution_free)(a);
    WEFT(distribution_free)(b);
    WEFT(grid_free)(alone);
    WEFT(grid_free)(grid);
}
END_TEST

START_TEST(tuned_grid)
{
    static const ptrdiff_t n[3] = {12, 10, 8};
    int dims[2] = {0, 0}, ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    weft_grid grid = WEFT(grid_tune)(MPI_COMM_WORLD, 2, 3, n, 1, WEFT_DFT_R2C, FFTW_ESTIMATE);
    all_true(grid, "no grid: %s", WEFT(last_error)());
    const int count = WEFT(grid_dims)(grid, dims);
    WEFT(grid_free)(grid);
    all_true(count == 2 && dims[0] * dims[1] == ranks, "a grid of %d x %d", dims[0], dims[1]);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("pencil " WEFT_PRECISION);
    TCase *tests = tcase_create("grids");
    tcase_add_test(tests, three_axes_on_two);
    tcase_add_test(tests, four_axes_on_three);
    tcase_add_loop_test(tests, redistribution, 0, 10);
    tcase_add_loop_test(tests, pencils_between_slabs, 0, 8);
    tcase_add_test(tests, bad_input);
    tcase_add_test(tests, tuned_grid);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
