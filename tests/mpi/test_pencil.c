/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pencils between the slabs of FFTW's interface: printed plans show where the planner uses them;
 * interface and results stay the same. And grids that timing chooses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/dropin.h"
#include "tests/mpi/grids.h"
#include "backends/exchange/nodes.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/variants.h"
#include "api/weft.h"

static const char *const options[] = {
    NULL, "auto", "1x2", "2x1", "2x2", "4x2", "2x4", "3x1", "2x2:column-major", "4x2:column-major"};

/* Most axes are shorter than the number of ranks. */
static const ptrdiff_t sizes[][3] = {{2, 8, 9}, {8, 2, 6}, {2, 2, 30}, {3, 3, 5}, {1, 8, 9}};
enum { OPTIONS = 10, SIZES = 5 };

TEST(pencils_between_slabs, .to = OPTIONS)
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

/* Timed plans, also with four axes. */
TEST(races_between_slabs_and_pencils, .to = 5)
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

/* Whether all ranks are on one node, as Weft finds them (test_nodes and test_nodes_alone check
 * that). MPI does not always tell: MPICH 5.0.2 in Debian sid says that each rank is alone. */
static bool on_one_node(void)
{
    weft_nodes nodes;
    int others = 0;
    all_true(weft_nodes_find(MPI_COMM_WORLD, &nodes), "%s", WEFT(last_error)());
    for (int other = 0; other < ranks; other++)
        others += nodes.leader[other] != 0;
    free(nodes.leader);
    return others == 0;
}

/* The first line of a printed plan, on slabs of [n0][8][9] or on a grid of two dimensions; # means
 * the number of ranks. */
static const struct {
    ptrdiff_t n0;
    int dims[2]; /* 0, 0: slabs */
    const char *wanted;
    int least, most;              /* ranks */
    const char *together, *apart; /* all ranks on one node, or not */
} printed[] = {
    {8, {0, 0}, NULL, 1, 64, "(weft-slab-#\n", "(weft-slab-#\n"},
    /* one slab: with enough ranks pencils compute so much less per rank that the model chooses
     * them; on several nodes messages take longer than 72 numbers on one rank */
    {1, {0, 0}, NULL, 4, 64, "(weft-slab-#-through-1x#\n", "(weft-slab-#\n"},
    {8, {0, 0}, "#x1", 2, 64, "(weft-slab-#-through-#x1\n", "(weft-slab-#-through-#x1\n"},
    {4, {1, 0}, NULL, 1, 64, "(weft-grid-1x#\n", "(weft-grid-1x#\n"},
    /* on one node, with a long axis 0, two and a half sweeps, otherwise three */
    {16, {2, 2}, NULL, 4, 4, "(weft-grid-2x2-through-#\n", "(weft-grid-2x2\n"},
    {2, {2, 2}, NULL, 4, 4, "(weft-grid-2x2\n", "(weft-grid-2x2\n"},
};

static void fill_in(const char *text, char *to, size_t capacity)
{
    size_t at = 0;
    for (to[0] = '\0'; *text; text++)
        at += (size_t)(*text == '#' ? snprintf(to + at, capacity - at, "%d", ranks)
                                    : snprintf(to + at, capacity - at, "%c", *text));
}

TEST(the_printed_plan_says_what_it_goes_through, .to = NUMBER(printed))
{
    const ptrdiff_t n[3] = {printed[_i].n0, 8, 9};
    char expected[64], wanted[32];
    if (ranks < printed[_i].least || ranks > printed[_i].most)
        return;
    fill_in(on_one_node() ? printed[_i].together : printed[_i].apart, expected, sizeof expected);
    fill_in(printed[_i].wanted ? printed[_i].wanted : "auto", wanted, sizeof wanted);
    weft_grid grid =
        printed[_i].dims[0] ? WEFT(grid_create)(MPI_COMM_WORLD, 2, printed[_i].dims) : NULL;
    setenv("WEFT_GRID", wanted, 1);
    FFTW(plan)
    plan = grid ? WEFT(plan_dft)(3, n, NULL, NULL, grid, FFTW_FORWARD, FFTW_ESTIMATE)
                : FFTW(mpi_plan_dft)(3, n, NULL, NULL, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    unsetenv("WEFT_GRID");
    char *said = plan ? FFTW(sprint_plan)(plan) : strdup(WEFT(last_error)());
    const bool right = strncmp(said, expected, strlen(expected)) == 0;
    all_true(right, "not %s, but %s", expected, said);
    free(said);
    FFTW(destroy_plan)(plan);
    WEFT(grid_free)(grid);
}

TEST(tuned_grids_can_be_planned_on, .to = 5)
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

static void start(int *argc, char ***argv)
{
    variant_begin(argc, argv);
    variant_force(0);
}

AROUND(.start = start)
