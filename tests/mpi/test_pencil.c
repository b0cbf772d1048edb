/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pencils between the slabs of FFTW's interface: that they are taken where they should be, as the
 * printed plan says, and that interface and results stay the same. And grids that timing chooses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/dropin.h"
#include "tests/mpi/grids.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/variants.h"
#include "api/weft.h"

static const char *const options[] = {
    NULL, "auto", "1x2", "2x1", "2x2", "4x2", "2x4", "3x1", "2x2:column-major", "4x2:column-major"};

/* Most are shorter than there are ranks. */
static const ptrdiff_t sizes[][3] = {{2, 8, 9}, {8, 2, 6}, {2, 2, 30}, {3, 3, 5}, {1, 8, 9}};
enum { OPTIONS = 10, SIZES = 5 };

START_TEST(pencils_between_slabs)
{
    unsigned state = 5;
    for (int what = DROPIN_C2C; what <= DROPIN_R2R; what++)
        for (int s = 0; s < SIZES; s++) {
            if (ranks > 3 && (s + what + _i) % 4 != 0)
                continue;
            dropin_case it = {
                .what = (dropin_what)what, .rank = 3, .in_place = arrays_random(&state, 2)};
            memcpy(it.n, sizes[s], sizeof sizes[s]);
            it.flags = dropin_orders(it.what, 3, arrays_random(&state, 4));
            dropin_options(&it, &state, MPI_COMM_WORLD);
            if (options[_i])
                setenv("WEFT_GRID", options[_i], 1);
            dropin_check(&it, MPI_COMM_WORLD);
            unsetenv("WEFT_GRID");
        }
}
END_TEST

/* Timed ones, of four axes as well. */
START_TEST(races_between_slabs_and_pencils)
{
    static const dropin_case row[] = {
        {.what = DROPIN_C2C, .rank = 3, .n = {2, 12, 8}, .flags = FFTW_MEASURE},
        {.what = DROPIN_R2C, .rank = 3, .n = {12, 2, 9}, .flags = FFTW_MEASURE, .in_place = true},
        {.what = DROPIN_C2R, .rank = 4, .n = {1, 5, 6, 4}, .flags = FFTW_MEASURE},
        {.what = DROPIN_R2R, .rank = 4, .n = {2, 3, 4, 5}, .flags = FFTW_PATIENT},
        {.what = DROPIN_C2C, .rank = 3, .n = {16, 16, 8}, .flags = FFTW_PATIENT}};
    dropin_case it = row[_i];
    it.howmany = 1;
    it.sign = FFTW_BACKWARD;
    for (int axis = 0; axis < it.rank; axis++)
        it.kind[axis] = FFTW_REDFT11;
    dropin_check(&it, MPI_COMM_WORLD);
}
END_TEST

/* What fftw_print_plan says of a plan for [n0][8][9]. */
static void print(ptrdiff_t n0, unsigned flags, char *text, size_t capacity)
{
    FFTW(complex) *array = FFTW(alloc_complex)(4096);
    FFTW(plan)
    plan = FFTW(mpi_plan_dft_3d)(n0, 8, 9, array, array, MPI_COMM_WORLD, FFTW_FORWARD, flags);
    char *said = plan ? FFTW(sprint_plan)(plan) : NULL;
    snprintf(text, capacity, "%s", said ? said : WEFT(last_error)());
    free(said);
    if (plan)
        FFTW(destroy_plan)(plan);
    FFTW(free)(array);
}

/* Of how many ranks this rank's node is. */
static int ranks_here(void)
{
    MPI_Comm node;
    int here;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    return here;
}

START_TEST(the_printed_plan_says_what_it_goes_through)
{
    char said[200], expected[64], wanted[32];
    const bool together = ranks_here() == ranks;
    snprintf(expected, sizeof expected, "(weft-slab-%d\n", ranks);
    print(8, FFTW_ESTIMATE, said, sizeof said);
    all_true(strncmp(said, expected, strlen(expected)) == 0, "%s", said);
    /* one slab: with enough ranks pencils have so much less to do that the model takes them; on
     * several nodes it knows that messages take longer than 72 numbers on the rank that has them */
    if (together)
        snprintf(expected, sizeof expected, "(weft-slab-%d-through-1x%d\n", ranks, ranks);
    print(1, FFTW_ESTIMATE, said, sizeof said);
    all_true(ranks < 4 || strncmp(said, expected, strlen(expected)) == 0, "%s", said);
    snprintf(expected, sizeof expected, "(weft-slab-%d-through-%dx1\n", ranks, ranks);
    snprintf(wanted, sizeof wanted, "%dx1", ranks);
    setenv("WEFT_GRID", wanted, 1);
    print(8, FFTW_ESTIMATE, said, sizeof said);
    unsetenv("WEFT_GRID");
    all_true(ranks == 1 || strncmp(said, expected, strlen(expected)) == 0, "%s", said);
}
END_TEST

/* What a plan for [n0][6][8] on a grid prints first. */
static void expect_grid(ptrdiff_t n0, const int *dims, const char *expected)
{
    const ptrdiff_t n[3] = {n0, 6, 8};
    FFTW(complex) *array = FFTW(alloc_complex)((size_t)n0 * 6 * 8);
    weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, 2, dims);
    FFTW(plan) plan = WEFT(plan_dft)(3, n, array, array, grid, FFTW_FORWARD, FFTW_ESTIMATE);
    all_true(plan != NULL, "no plan: %s", WEFT(last_error)());
    char *said = FFTW(sprint_plan)(plan);
    const bool right = strncmp(said, expected, strlen(expected)) == 0;
    free(said);
    FFTW(destroy_plan)(plan);
    WEFT(grid_free)(grid);
    FFTW(free)(array);
    all_true(right, "the plan does not begin with %s", expected);
}

START_TEST(plans_on_grids_print_their_grid)
{
    char expected[64];
    snprintf(expected, sizeof expected, "(weft-grid-1x%d\n", ranks);
    expect_grid(4, (const int[]){1, 0}, expected);
}
END_TEST

/* Two sweeps and a half on one node, where axis 0 is long enough; and else three. */
START_TEST(on_one_node_grids_go_through_slabs)
{
    if (ranks != 4)
        return;
    expect_grid(16, (const int[]){2, 2},
                ranks_here() == ranks ? "(weft-grid-2x2-through-4\n" : "(weft-grid-2x2\n");
    expect_grid(2, (const int[]){2, 2}, "(weft-grid-2x2\n");
}
END_TEST

START_TEST(tuned_grids_can_be_planned_on)
{
    static const struct {
        int rnk, dimensions;
        ptrdiff_t n[4], howmany;
        int kind;
        unsigned flags;
    } row[] = {{3, 2, {12, 10, 8}, 1, WEFT_DFT_R2C, FFTW_ESTIMATE},
               {3, 1, {5, 6, 7}, 2, WEFT_DFT_BACKWARD, FFTW_ESTIMATE | WEFT_SAME_LAYOUT},
               {4, 3, {3, 4, 5, 6}, 1, WEFT_R2R, FFTW_ESTIMATE},
               {4, 2, {2, 8, 5, 6}, 1, WEFT_DFT_C2R, FFTW_ESTIMATE | WEFT_TRANSPOSED_IN},
               {2, 1, {8, 9}, 1, WEFT_DFT_FORWARD, FFTW_MEASURE}};
    int product = 1;
    grids_case it = {.rank = row[_i].rnk, .howmany = row[_i].howmany, .flags = row[_i].flags};
    weft_grid grid = WEFT(grid_tune)(MPI_COMM_WORLD, row[_i].dimensions, row[_i].rnk, row[_i].n,
                                     row[_i].howmany, row[_i].kind, row[_i].flags);
    all_true(grid != NULL, "no grid: %s", WEFT(last_error)());
    it.dimensions = WEFT(grid_dims)(grid, it.dims);
    WEFT(grid_free)(grid);
    for (int g = 0; g < it.dimensions; g++)
        product *= it.dims[g];
    all_true(it.dimensions == row[_i].dimensions && product == ranks, "%d dimensions, %d ranks",
             it.dimensions, product);
    for (int axis = 0; axis < it.rank; axis++) {
        it.n[axis] = row[_i].n[axis];
        it.kind[axis] = row[_i].kind == WEFT_DFT_R2C   ? WEFT_DFT_FORWARD
                        : row[_i].kind == WEFT_DFT_C2R ? WEFT_DFT_BACKWARD
                        : row[_i].kind == WEFT_R2R     ? (int)FFTW_RODFT10
                                                       : row[_i].kind;
    }
    if (row[_i].kind != WEFT_R2R)
        it.kind[it.rank - 1] = row[_i].kind;
    grids_check(&it, MPI_COMM_WORLD);
}
END_TEST

/* Where the user says which grid, nothing is timed. */
START_TEST(the_wish_comes_before_timing)
{
    static const ptrdiff_t n[3] = {6, 6, 6};
    int dims[2] = {0, 0};
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%dx1", ranks);
    setenv("WEFT_GRID", wanted, 1);
    weft_grid tuned = WEFT(grid_tune)(MPI_COMM_WORLD, 2, 3, n, 1, WEFT_R2R, FFTW_ESTIMATE);
    WEFT(grid_dims)(tuned, dims);
    all_true(tuned && dims[0] == ranks && dims[1] == 1, "tuned: %d x %d", dims[0], dims[1]);
    weft_grid made = WEFT(grid_create)(MPI_COMM_WORLD, 2, (const int[]){0, 1});
    WEFT(grid_dims)(made, dims);
    all_true(made && dims[0] == ranks && dims[1] == 1, "made: %d x %d", dims[0], dims[1]);
    WEFT(grid_free)(made);
    made = WEFT(grid_create)(MPI_COMM_WORLD, 2, (const int[]){1, 0}); /* the program knows better */
    WEFT(grid_dims)(made, dims);
    unsetenv("WEFT_GRID");
    WEFT(grid_free)(made);
    WEFT(grid_free)(tuned);
    all_true(dims[0] == 1 && dims[1] == ranks, "made: %d x %d", dims[0], dims[1]);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("pencil " WEFT_PRECISION);
    TCase *tests = tcase_create("grids");
    tcase_add_loop_test(tests, pencils_between_slabs, 0, OPTIONS);
    tcase_add_loop_test(tests, races_between_slabs_and_pencils, 0, 5);
    tcase_add_test(tests, the_printed_plan_says_what_it_goes_through);
    tcase_add_test(tests, plans_on_grids_print_their_grid);
    tcase_add_test(tests, on_one_node_grids_go_through_slabs);
    tcase_add_loop_test(tests, tuned_grids_can_be_planned_on, 0, 5);
    tcase_add_test(tests, the_wish_comes_before_timing);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    variant_begin(&argc, &argv);
    variant_force(0);
    return run_mpi(&argc, &argv, suite);
}
