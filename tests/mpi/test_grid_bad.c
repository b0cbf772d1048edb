/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bad input of grids, transforms on them and redistribution: every rank gets NULL, or 0, and a
 * sentence that says what is wrong.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/harness.h"
#include "kernels/base/precision.h"
#include "api/weft.h"

static FFTW(complex) a[4096], b[4096];
static weft_real *const ra = (weft_real *)a, *const rb = (weft_real *)b;
/* Two dimensions of all ranks, one of all, and one of this rank alone. */
static weft_grid two, one, alone;
static weft_distribution whole, cube, other_size, other_axes, lonely;

#define WORLD  MPI_COMM_WORLD
#define GOOD   FFTW_ESTIMATE
#define N(...) ((const ptrdiff_t[]){__VA_ARGS__})
#define D(...) ((const int[]){__VA_ARGS__})

static weft_distribution boxes(int axes, const ptrdiff_t *start, const ptrdiff_t *count)
{
    return WEFT(distribution_boxes)(WORLD, axes, N(8, 8, 8), start, count);
}

static FFTW(plan) kinds(const ptrdiff_t *n, const int *kind, unsigned flags)
{
    return WEFT(plan_many_kinds)(3, n, 1, a, b, two, kind, flags);
}

static void keep(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis, void *data)
{
    (void)values, (void)count, (void)index, (void)axis, (void)data;
}

static FFTW(plan) operator(const int *kind, weft_operator apply, unsigned flags)
{
    return WEFT(plan_operator)(3, N(8, 8, 8), NULL, 1, a, b, two, kind, apply, NULL, WORLD,
                               GOOD | flags);
}

static FFTW(plan) times(const int *kind, const void *factors, int complex)
{
    return WEFT(plan_multiply)(3, N(8, 8, 8), NULL, 1, a, b, two, kind, factors, complex, WORLD,
                               GOOD);
}

/* A case is a line of this function, found by its number; the text must occur in the error. */
static const char *made(int which, const void **result)
{
    static const FFTW(r2r_kind) dct[] = {FFTW_REDFT10, FFTW_REDFT10, FFTW_REDFT10};
    const bool first = rank == 0, last = rank == ranks - 1;
    const ptrdiff_t all[3] = {8, 8, 8}, zero[3] = {0};
    const ptrdiff_t hole[3] = {first ? 7 : 0, 8, 8}, beyond[3] = {first ? 1 : 0, 0, 0};
    switch (which) {
#define CASE(number, call, text)                                                                   \
    case number:                                                                                   \
        *result = call;                                                                            \
        return text;
        CASE(0, WEFT(grid_create)(WORLD, 2, D(ranks + 1, 1)),
             "the product of the grid's dimensions is not")
        CASE(1, WEFT(grid_create)(WORLD, 2, D(ranks + 1, 0)),
             "the product of the grid's dimensions is not")
        CASE(2, WEFT(grid_create)(WORLD, 2, D(1 << 20, 1 << 20)),
             "the product of the grid's dimensions is not")
        CASE(3, WEFT(grid_create)(WORLD, 2, D(-1, 0)), "dimension 0 of the grid is -1")
        CASE(4, WEFT(grid_create)(WORLD, 0, NULL), "the grid has 0 dimensions")
        CASE(5, WEFT(grid_create)(WORLD, 1000, NULL), "the grid has 1000 dimensions")
        CASE(6, WEFT(grid_create)(MPI_COMM_NULL, 2, NULL), "MPI_COMM_NULL")
        CASE(7, WEFT(plan_dft_2d)(8, 8, a, b, two, FFTW_FORWARD, GOOD),
             "the grid has 2 dimensions and the array 2 axes")
        CASE(8, WEFT(plan_dft)(1, N(64), a, b, one, FFTW_FORWARD, GOOD), "the rank is 1")
        CASE(9, WEFT(plan_dft_3d)(8, 8, 8, a, b, NULL, FFTW_FORWARD, GOOD), "the grid is NULL")
        CASE(10, WEFT(plan_dft_3d)(8, 8, 8, a, b, two, 5, GOOD), "sign is 5")
        CASE(11, WEFT(plan_dft_3d)(8, 0, 8, a, b, two, FFTW_FORWARD, GOOD), "n[1] is 0")
        CASE(12, WEFT(plan_dft)(3, NULL, a, b, two, FFTW_FORWARD, GOOD), "NULL")
        CASE(13, WEFT(plan_dft)(-1, N(8), a, b, two, FFTW_FORWARD, GOOD), "the rank is -1")
        CASE(14, WEFT(plan_many_dft)(3, N(8, 8, 8), -1, a, b, two, FFTW_FORWARD, GOOD),
             "howmany is -1")
        CASE(15, WEFT(plan_dft_3d)(8, 8, 8, a, b, two, FFTW_FORWARD, GOOD | WEFT_TRANSPOSED_IN),
             "needs a side that is aligned along the first axis")
        CASE(16, WEFT(plan_dft_3d)(8, 8, 8, a, b, two, FFTW_BACKWARD, GOOD | WEFT_TRANSPOSED_OUT),
             "needs a side that is aligned along the first axis")
        CASE(17, WEFT(plan_dft_r2c_3d)(8, 8, 8, ra, b, two, GOOD | WEFT_REVERSED), "WEFT_REVERSED")
        CASE(18, WEFT(plan_dft_3d)(8, 8, 8, a, b, two, -1, GOOD | WEFT_REVERSED | WEFT_SAME_LAYOUT),
             "WEFT_REVERSED")
        CASE(19, WEFT(plan_dft_3d)(8, 8, 8, a, b, two, -1, GOOD | 1U << 31), "unknown bits")
        CASE(20, WEFT(plan_dft_r2c_3d)(8, 8, 8, ra, a, two, GOOD | WEFT_UNPADDED), "WEFT_UNPADDED")
        CASE(21, WEFT(plan_r2r_3d)(8, 8, 8, ra, rb, two, dct[0], (FFTW(r2r_kind))99, dct[0], GOOD),
             "kind[1] is 99")
        CASE(22, WEFT(plan_r2r)(3, N(8, 8, 8), ra, rb, two, NULL, GOOD), "NULL")
        CASE(23, WEFT(plan_r2r_3d)(1, 8, 8, ra, rb, two, FFTW_REDFT00, dct[0], dct[0], GOOD),
             "for FFTW_REDFT00 it must be at least 2")
        CASE(24, kinds(N(8, 8, 8), D(WEFT_DFT_R2C, WEFT_NONE, WEFT_NONE), GOOD),
             "kind[0] is r2c or c2r")
        CASE(25, kinds(N(8, 8, 8), D(WEFT_DFT_FORWARD, WEFT_DFT_BACKWARD, WEFT_NONE), GOOD),
             "must have the same direction")
        CASE(26, kinds(N(8, 8, 8), D(WEFT_DFT_BACKWARD, WEFT_NONE, WEFT_DFT_R2C), GOOD),
             "must have the same direction")
        CASE(27, kinds(N(8, 8, 8), D(WEFT_NONE, WEFT_R2R, WEFT_NONE), GOOD), "kind[1] is")
        CASE(28, kinds(N(8, 8, 8), NULL, GOOD), "NULL")
        CASE(29, WEFT(plan_dft_3d)(8, 8, 8, NULL, NULL, two, 0, GOOD), "sign is 0")
        CASE(30, WEFT(plan_dft_3d)(1 << 30, 1 << 30, 1 << 30, a, b, two, -1, GOOD),
             "more bytes than can be counted")
        CASE(31, boxes(3, zero, hole), "leave a hole: they contain 448 of 512")
        CASE(32, boxes(3, beyond, all), "the box of rank 0 has 8 indices from index 1 on")
        CASE(33, boxes(3, NULL, all), "the start or the count of the box is NULL")
        CASE(34, boxes(0, zero, all), "the rank is 0")
        CASE(35, WEFT(distribution_boxes)(MPI_COMM_NULL, 3, N(8, 8, 8), zero, all), "MPI_COMM_NULL")
        CASE(36, WEFT(distribution_grid)(two, 1, N(8), NULL, 0),
             "the grid has 2 dimensions for 1 axes")
        CASE(37, WEFT(distribution_grid)(two, 3, N(8, 8, 8), D(1, 1), 0), "to divide axis 1")
        CASE(38, WEFT(distribution_grid)(two, 3, N(8, 8, 8), D(0, 3), 0), "to divide axis 3")
        CASE(39, WEFT(distribution_grid)(two, 3, N(8, 8, 8), NULL, WEFT_UNPADDED),
             "the flags are 0x")
        CASE(40, WEFT(distribution_grid)(NULL, 3, N(8, 8, 8), NULL, 0), "the grid is NULL")
        CASE(41, WEFT(plan_redistribute)(whole, NULL, 1, ra, rb, GOOD), "a distribution is NULL")
        CASE(42, WEFT(plan_redistribute)(whole, other_size, 1, ra, rb, GOOD),
             "axis 2 has a size of 8 in one distribution, of 9 in the other")
        CASE(43, WEFT(plan_redistribute)(whole, other_axes, 1, ra, rb, GOOD),
             "one distribution has 3 axes, the other 2")
        CASE(44, WEFT(plan_redistribute)(whole, cube, -3, ra, rb, GOOD), "howmany is -3")
        CASE(45, WEFT(plan_redistribute)(whole, cube, 1, ra, rb, GOOD | 1U << 24), "unknown bits")
        CASE(46,
             WEFT(plan_redistribute_boxes)(3, N(8, 8, 8), 1, zero, hole, zero, hole, ra, rb, WORLD,
                                           GOOD),
             "leave a hole")
        CASE(47, WEFT(grid_tune)(WORLD, 3, 3, N(8, 8, 8), 1, WEFT_R2R, GOOD),
             "the grid has 3 dimensions and the array 3 axes")
        CASE(48, WEFT(grid_tune)(WORLD, 0, 3, N(8, 8, 8), 1, WEFT_R2R, GOOD),
             "the grid has 0 dimensions")
        CASE(49, WEFT(grid_tune)(WORLD, 2, 3, N(8, 8, 8), 1, 7, GOOD), "the kind is 7")
        CASE(50, WEFT(grid_tune)(WORLD, 2, 3, N(8, -8, 8), 1, WEFT_R2R, GOOD), "n[1] is -8")
        CASE(51, WEFT(grid_tune)(MPI_COMM_NULL, 2, 3, N(8, 8, 8), 1, WEFT_R2R, GOOD),
             "MPI_COMM_NULL")
        /* one rank alone is wrong, or asks for something else (there are no such cases of one) */
        CASE(52, WEFT(grid_create)(WORLD, 2, D(last ? -2 : 0, 0)), "dimension 0 of the grid is -2")
        CASE(53, WEFT(plan_dft_3d)(8, 8, 8, a, b, two, last ? 5 : -1, GOOD), "sign is 5")
        CASE(54, kinds(N(8, 8, 8), last ? NULL : D(0, 0, 0), GOOD), "the array of kinds is NULL")
        CASE(55, WEFT(plan_redistribute)(whole, last ? NULL : cube, 1, ra, rb, GOOD),
             "a distribution is NULL")
        CASE(56, boxes(last ? 0 : 3, zero, all), "the rank is 0")
        CASE(57, WEFT(plan_between)(NULL, NULL, 1, a, b, D(0, 0, 0), GOOD),
             "both distributions are NULL")
        CASE(58, WEFT(plan_between_modes)(NULL, NULL, N(8, 8, 8), 1, a, b, D(0, 0, 0), GOOD),
             "both distributions are NULL")
        CASE(59, WEFT(plan_between)(NULL, NULL, 1, a, b, NULL, GOOD), "both distributions are NULL")
        CASE(60,
             WEFT(plan_r2r_3d)(8, 8, 8, ra, rb, two, dct[0], dct[0],
                               (FFTW(r2r_kind))WEFT_DFT_BACKWARD, GOOD),
             "kind[2] is 66")
        CASE(61,
             WEFT(plan_r2r_3d)(8, 8, 8, ra, rb, two, (FFTW(r2r_kind)) - 7, dct[0], dct[0], GOOD),
             "kind[0] is -7")
        CASE(62, operator(D(WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD), NULL, 0),
             "the operator is NULL")
        CASE(63, operator(D(WEFT_DFT_BACKWARD, WEFT_NONE, WEFT_NONE), keep, 0),
             "kind[0] is WEFT_DFT_BACKWARD; a plan with an operator")
        CASE(64, operator(D(WEFT_NONE, WEFT_NONE, WEFT_DFT_C2R), keep, 0),
             "kind[2] is WEFT_DFT_C2R")
        CASE(65, operator(D(WEFT_NONE, WEFT_NONE, WEFT_DFT_R2C), keep, WEFT_ROWS),
             "WEFT_ROWS cannot be combined with an operator")
        CASE(66, operator(D(WEFT_NONE, WEFT_NONE, WEFT_DFT_R2C), keep, WEFT_REVERSED),
             "WEFT_REVERSED")
        CASE(67, times(D(WEFT_NONE, WEFT_NONE, WEFT_DFT_R2C), NULL, 0),
             "the array of factors is NULL")
        CASE(68, times(D(WEFT_NONE, FFTW_REDFT10, WEFT_NONE), ra, 1),
             "the factors are complex, but the spectrum of r2r kinds is real")
        CASE(69, operator(D(WEFT_NONE, WEFT_NONE, WEFT_DFT_R2C), last ? NULL : keep, 0),
             "the operator is NULL")
        CASE(70, ranks == 1 ? NULL : WEFT(plan_redistribute)(whole, lonely, 1, ra, rb, GOOD),
             "the distributions belong to different communicators")
        CASE(71, ranks == 1 ? NULL : boxes(3, zero, all), "the boxes of ranks 0 and 1 overlap")
        CASE(72, ranks == 1 ? NULL : WEFT(grid_create)(WORLD, 2, last ? D(1, 0) : D(0, 1)),
             "the process grid differs between ranks")
        CASE(73,
             ranks == 1 ? NULL : WEFT(plan_dft_3d)(8, 8, 8 + last, a, b, two, FFTW_FORWARD, GOOD),
             "the size differs between ranks")
        CASE(74,
             ranks == 1 ? NULL
                        : WEFT(plan_dft_3d)(8, 8, 8, a, b, last ? one : two, FFTW_FORWARD, GOOD),
             "the process grid differs between ranks")
        CASE(75,
             ranks == 1 ? NULL
                        : WEFT(plan_dft_3d)(8, 8, 8, a, b, two, FFTW_FORWARD,
                                            GOOD | (last ? WEFT_SAME_LAYOUT : 0)),
             "differs between ranks")
        CASE(76, ranks == 1 ? NULL : WEFT(plan_redistribute)(whole, cube, 1 + last, ra, rb, GOOD),
             "howmany differs between ranks")
#undef CASE
    default:
        return NULL;
    }
}

enum { CASES = 77, OF_SEVERAL = 70 };

START_TEST(nothing_is_made_and_why_is_said)
{
    const void *result = NULL;
    const char *text = made(_i, &result);
    all_true(result == NULL, "case %d: made, where the error is \"%s\"", _i, text);
    all_true((ranks == 1 && _i >= OF_SEVERAL) || strstr(WEFT(last_error)(), text) != NULL,
             "case %d: \"%s\" does not say \"%s\"", _i, WEFT(last_error)(), text);
}
END_TEST

START_TEST(bad_sizes_are_zero)
{
    static const struct {
        int process, rnk;
        ptrdiff_t n0, howmany;
        int kind;
        unsigned flags;
        bool grid;
        const char *text;
    } row[] = {{0, 3, 8, 1, WEFT_R2R, 0, false, "the grid is NULL"},
               {-1, 3, 8, 1, WEFT_R2R, 0, true, "the process is -1; it must be 0 to"},
               {10000, 3, 8, 1, WEFT_R2R, 0, true, "the process is 10000; it must be 0 to"},
               {0, 3, 0, 1, WEFT_R2R, 0, true, "n[0] is 0"},
               {0, 3, 8, -1, WEFT_R2R, 0, true, "howmany is -1"},
               {0, 2, 8, 1, WEFT_R2R, 0, true, "the grid has 2 dimensions and the array 2 axes"},
               {0, 3, 8, 1, WEFT_NONE, 0, true, "the kind is 64"},
               {0, 3, 8, 1, FFTW_REDFT10, 0, true, "the kind is"},
               {0, 3, 8, 1, WEFT_DFT_C2R, WEFT_TRANSPOSED_OUT, true,
                "needs a side that is aligned along the first"},
               {0, 3, 8, 1, WEFT_R2R, 1U << 31, true, "unknown bits"}};
    const ptrdiff_t n[3] = {row[_i].n0, 8, 8};
    const ptrdiff_t size = WEFT(local_size_process)(
        row[_i].process, row[_i].rnk, n, row[_i].howmany, row[_i].grid ? two : NULL, row[_i].kind,
        row[_i].flags, NULL, NULL, NULL, NULL);
    all_true(size == 0 && strstr(WEFT(last_error)(), row[_i].text), "case %d: %td, \"%s\"", _i,
             size, WEFT(last_error)());
}
END_TEST

START_TEST(boxes_of_no_such_process_hold_nothing)
{
    const bool none = WEFT(distribution_box)(NULL, 0, NULL, NULL) == 0 &&
                      WEFT(distribution_box)(whole, ranks, NULL, NULL) == 0 &&
                      WEFT(distribution_box)(whole, -1, NULL, NULL) == 0;
    all_true(none && WEFT(last_error)()[0], "a box");
    WEFT(distribution_free)(NULL);
    WEFT(grid_free)(NULL);
    all_true(WEFT(grid_dims)(NULL, NULL) == 0, "dimensions of no grid");
}
END_TEST

/* What WEFT_GRID says on rank 0 counts. */
START_TEST(a_wish_that_is_no_grid_is_refused)
{
    static const char *const wanted[] = {"4x", "0x2", "2*2", "best", "99999999999x1"};
    setenv("WEFT_GRID", rank == 0 ? wanted[_i] : "auto", 1);
    weft_grid grid = WEFT(grid_create)(WORLD, 2, NULL);
    all_true(!grid && strstr(WEFT(last_error)(), "WEFT_GRID is") &&
                 strstr(WEFT(last_error)(), wanted[_i]),
             "grid_create with WEFT_GRID=%s: \"%s\"", wanted[_i], WEFT(last_error)());
    grid = WEFT(grid_tune)(WORLD, 2, 3, N(8, 8, 8), 1, WEFT_R2R, GOOD);
    all_true(!grid && strstr(WEFT(last_error)(), "WEFT_GRID is"), "grid_tune with %s", wanted[_i]);
    FFTW(plan) plan = WEFT(plan_dft_3d)(8, 8, 8, a, b, two, FFTW_FORWARD, GOOD);
    all_true(!plan && strstr(WEFT(last_error)(), "WEFT_GRID is"), "a plan with %s", wanted[_i]);
    unsetenv("WEFT_GRID");
}
END_TEST

static void make_good_ones(void)
{
    ptrdiff_t start[3] = {0}, count[3] = {0};
    two = WEFT(grid_create)(WORLD, 2, NULL);
    one = WEFT(grid_create)(WORLD, 1, NULL);
    alone = WEFT(grid_create)(MPI_COMM_SELF, 1, NULL);
    whole = WEFT(distribution_grid)(one, 3, N(8, 8, 8), NULL, 0);
    cube = WEFT(distribution_grid)(two, 3, N(8, 8, 8), D(2, 0), WEFT_FFTW_BLOCKS);
    other_size = WEFT(distribution_grid)(one, 3, N(8, 8, 9), NULL, 0);
    lonely = WEFT(distribution_grid)(alone, 3, N(8, 8, 8), NULL, 0);
    for (int axis = 0; rank == 0 && axis < 2; axis++)
        count[axis] = 8;
    other_axes = WEFT(distribution_boxes)(WORLD, 2, N(8, 8), start, count);
}

START_TEST(good_ones_are_made)
{
    all_true(two && one && alone && whole && cube && other_size && other_axes && lonely, "%s",
             WEFT(last_error)());
    FFTW(plan) plan = WEFT(plan_redistribute)(whole, cube, 1, ra, rb, GOOD);
    all_true(plan && WEFT(last_error)()[0] == '\0', "\"%s\"", WEFT(last_error)());
    FFTW(destroy_plan)(plan);
}
END_TEST

/* MPICH's MPI_Dims_create chooses 20 at most. */
START_TEST(many_dimensions_can_be_chosen)
{
    static const int rows[] = {20, 21, 30};
    const int axes = rows[_i];
    int given[30] = {0}, dims[30] = {0}, product = 1;
    given[3] = ranks % 2 == 0 ? 2 : 1;
    weft_grid grid = WEFT(grid_create)(WORLD, axes, _i ? NULL : given);
    WEFT(grid_dims)(grid, dims);
    for (int g = 0; g < axes; g++)
        product *= dims[g];
    all_true(grid && product == ranks && (_i || dims[3] == given[3]), "%d dimensions: %d, \"%s\"",
             axes, product, WEFT(last_error)());
    WEFT(grid_free)(grid);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("bad input on grids");
    TCase *tests = tcase_create("input");
    make_good_ones();
    tcase_add_test(tests, good_ones_are_made);
    tcase_add_loop_test(tests, nothing_is_made_and_why_is_said, 0, CASES);
    tcase_add_loop_test(tests, bad_sizes_are_zero, 0, 10);
    tcase_add_loop_test(tests, many_dimensions_can_be_chosen, 0, 3);
    tcase_add_test(tests, boxes_of_no_such_process_hold_nothing);
    tcase_add_loop_test(tests, a_wish_that_is_no_grid_is_refused, 0, 5);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    const int status = run_mpi(&argc, &argv, suite);
    weft_distribution made_ones[] = {whole, cube, other_size, other_axes, lonely};
    for (int i = 0; i < 5; i++)
        WEFT(distribution_free)(made_ones[i]);
    WEFT(grid_free)(two);
    WEFT(grid_free)(one);
    WEFT(grid_free)(alone);
    return status;
}
