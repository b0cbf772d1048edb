/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Grids in column-major order: which of them tuning tries if several ranks share nodes, by a clock
 * of the test, and whether all ranks have the same order; and rows compared with grids. Eight ranks
 * are on four nodes, rank r on node r % 4, if MPI can pretend them:
 *
 *     4 x 2, row-major    0 1        column-major    0 4
 *                         2 3                        1 5
 *                         4 5                        2 6
 *                         6 7                        3 7
 *
 * In row-major order half of the blocks leave a node along rows, and half along columns. In
 * column-major order none leaves along rows, and 3/4 leave along columns.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/dropin.h"
#include "tests/mpi/grids.h"
#include "tests/mpi/harness.h"

/* A candidate has three runs, each of which reads the clock before and after. The runs of one
 * candidate take half as long as the runs of other candidates. */
enum { LOOKS = 6 };
static int looks, favourite;

double MPI_Wtime(void)
{
    const int look = looks++;
    return look % 2 == 0 ? 0 : look / LOOKS == favourite ? 1 : 2;
}

static bool four_nodes(void)
{
    MPI_Comm node;
    int here;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    return ranks == 8 && here == 2;
}

static weft_grid tune(int dims[2], const ptrdiff_t *n, int wanted, unsigned flags)
{
    looks = 0;
    favourite = wanted;
    weft_grid tuned =
        WEFT(grid_tune)(MPI_COMM_WORLD, 2, 3, n, 1, WEFT_DFT_FORWARD, FFTW_ESTIMATE | flags);
    all_true(tuned, "%s", WEFT(last_error)());
    WEFT(grid_dims)(tuned, dims);
    return tuned;
}

/* Whether distributions on the tuned grid, with these flags, equal those on another grid. */
static bool laid_out_as(weft_grid tuned, weft_grid other, const ptrdiff_t *n, unsigned flags)
{
    bool same = true;
    for (int process = 0; process < ranks; process++) {
        ptrdiff_t reported[2][12] = {{0}};
        for (int i = 0; i < 2; i++)
            WEFT(local_size_process)
        (process, 3, n, 1, i ? other : tuned, WEFT_DFT_FORWARD, i ? flags : 0, reported[i],
         reported[i] + 3, reported[i] + 6, reported[i] + 9);
        same = same && memcmp(reported[0], reported[1], sizeof reported[0]) == 0;
    }
    return same;
}

/* Plans on a tuned grid are right, and its layout is the one of a grid created with the same
 * dimensions and order. */
static void check_tuned(weft_grid tuned, int dims[2], const ptrdiff_t *n)
{
    const bool rows = WEFT(grid_rows)(tuned);
    grids_case it = {.rank = 3,
                     .n = {n[0], n[1], n[2]},
                     .howmany = 1,
                     .kind = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD},
                     .dimensions = 2,
                     .dims = {dims[0], dims[1]},
                     .column_major = WEFT(grid_column_major)(tuned),
                     .flags = FFTW_ESTIMATE};
    weft_grid plain = (it.column_major ? WEFT(grid_create_column_major)
                                       : WEFT(grid_create))(MPI_COMM_WORLD, 2, dims);
    all_true(!WEFT(grid_rows)(plain) && laid_out_as(tuned, plain, n, rows ? WEFT_ROWS : 0),
             "%d x %d, column-major %d, in rows %d: another layout", dims[0], dims[1],
             it.column_major, rows);
    WEFT(grid_free)(plain);
    grids_check(&it, MPI_COMM_WORLD);
}

/* Each candidate wins once. Grids in column-major order are timed if the flags allow them and fewer
 * blocks leave nodes; rows, the last candidate, if the flags allow them and they divide more than
 * one axis. */
TEST(the_fastest_wins, .to = 2)
{
    static const unsigned allowed[] = {0, WEFT_EITHER_ORDER, WEFT_ROWS};
    const ptrdiff_t sizes[2][3] = {{2, 6, 8}, {16, 6, 8}}, *n = sizes[_i];
    int timed[3] = {1, 1, 1}, found[3] = {0}, dims[2];
    for (int which = 0; which < 3; which++)
        for (int i = 0; i < timed[which]; i++) {
            weft_grid tuned = tune(dims, n, i, allowed[which]);
            timed[which] = looks / LOOKS;
            const bool column_major = WEFT(grid_column_major)(tuned);
            found[which] += column_major;
            all_true(!column_major || (dims[0] == 4 && dims[1] == 2), "%d x %d", dims[0], dims[1]);
            all_true(WEFT(grid_rows)(tuned) == (which == 2 && i == timed[0]),
                     "candidate %d of %d: in rows %d", i, timed[which], WEFT(grid_rows)(tuned));
            check_tuned(tuned, dims, n);
            WEFT(grid_free)(tuned);
        }
    all_true(found[0] == 0 && found[1] == four_nodes() && found[2] == 0, "%d, %d and %d orders",
             found[0], found[1], found[2]);
    all_true(timed[1] - timed[0] == found[1] && timed[2] - timed[0] == (ranks > n[0]),
             "%d, %d and %d candidates", timed[0], timed[1], timed[2]);
}

/* The order of WEFT_GRID counts only if the program allows either order. Nothing is timed. */
TEST(the_grid_of_the_environment_has_an_order)
{
    const ptrdiff_t size[3] = {16, 6, 8};
    int dims[2];
    char wanted_order[64];
    snprintf(wanted_order, sizeof wanted_order, "%dx1:column-major", ranks);
    setenv("WEFT_GRID", wanted_order, 1);
    for (int either = 0; either < 2; either++) {
        weft_grid tuned = tune(dims, size, 0, either ? WEFT_EITHER_ORDER : 0);
        all_true(dims[0] == ranks && WEFT(grid_column_major)(tuned) == either && looks == 0,
                 "%d x %d, column-major %d", dims[0], dims[1], WEFT(grid_column_major)(tuned));
        WEFT(grid_free)(tuned);
    }
    static const int given[3][2] = {
        {0, 0}, {0, 1}, {1, 0}}; /* the last one contradicts WEFT_GRID */
    for (int i = 0; i < 3; i++) {
        weft_grid made = WEFT(grid_create)(MPI_COMM_WORLD, 2, given[i]);
        WEFT(grid_dims)(made, dims);
        all_true(made && dims[i == 2] == ranks && dims[i < 2] == 1 &&
                     !WEFT(grid_column_major)(made),
                 "%d x %d", dims[0], dims[1]);
        WEFT(grid_free)(made);
    }
    unsetenv("WEFT_GRID");
}

TEST(all_ranks_have_the_same_order)
{
    const int dims[2] = {ranks, 1};
    weft_grid grid =
        (rank == 0 ? WEFT(grid_create) : WEFT(grid_create_column_major))(MPI_COMM_WORLD, 2, dims);
    if (ranks > 1)
        refused(grid, "the process grid");
    all_true(grid || ranks > 1, "no grid of one rank");
    WEFT(grid_free)(grid);
}

static void start(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    setenv("MPIR_CVAR_NUM_CLIQUES", "4", 1);
}

AROUND(.start = start)
