/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every kind of transform of three and four axes in rows, against serial FFTW: sizes, so that one
 * axis is divided, or two, or three, with ranks that hold nothing; backends, sides and what else
 * there is vary along the way. And rows against grids, by a clock of the test's own.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/grids.h"
#include "tests/mpi/harness.h"

enum { ROUNDS = 12, TIMED = 3 };

START_TEST(every_kind)
{
    static const ptrdiff_t liked[][8] = {{1, 2, 2, 3, 5, 8, 9, 12}, {1, 1, 2, 2, 3, 4, 5, 6}};
    unsigned state = 30 + (unsigned)_i;
    for (int round = 0; round < ROUNDS; round++) {
        grids_case it = {.rank = 3 + round % 2, .dimensions = 1, .dims = {ranks}};
        for (int a = 0; a < it.rank; a++)
            it.n[a] = liked[it.rank - 3][arrays_random(&state, 8)];
        if (round % 3 == 0) /* more ranks than the first sizes have indices */
            it.n[0] = it.n[it.rank - 1] = 1 + (ptrdiff_t)arrays_random(&state, 2);
        it.howmany = arrays_random(&state, 4) == 0 ? 3 : 1;
        grids_any_kinds(&it, _i, &state);
        grids_any_flags(&it, &state);
        grids_in_rows(&it);
        it.backend = backend_by_chance(arrays_random(&state, 1000));
        it.null = arrays_random(&state, 4) == 0;
        grids_check(&it, MPI_COMM_WORLD);
    }
}
END_TEST

START_TEST(timed_plans)
{
    static const unsigned flags[TIMED] = {FFTW_MEASURE, FFTW_MEASURE | WEFT_SAME_LAYOUT,
                                          FFTW_PATIENT | FFTW_DESTROY_INPUT};
    grids_case it = {.rank = 3, .n = {2, 5, 6}, .howmany = 1, .dimensions = 1, .dims = {ranks}};
    unsigned state = 4;
    for (it.n[0] = 2; it.n[0] < 10; it.n[0] += 7) {
        it.flags = flags[_i] | WEFT_ROWS;
        it.in_place = it.n[0] == 2;
        grids_any_kinds(&it, _i == 1 ? GRIDS_C2R : GRIDS_FORWARD, &state);
        grids_check(&it, MPI_COMM_WORLD);
    }
}
END_TEST

/* Of three runs, each of which looks at the clock before and after, those of one candidate take
 * half as long as those of others. */
enum { LOOKS = 6 };
static int looks, favourite;

double MPI_Wtime(void)
{
    const int look = looks++;
    return look % 2 == 0 ? 0 : look / LOOKS == favourite ? 1 : 2;
}

/* Whether what is laid out on the tuned grid is what another one has with these flags. */
static bool laid_out_as(weft_grid tuned, weft_grid other, const ptrdiff_t *n, unsigned flags)
{
    bool same = true;
    for (int process = 0; process < ranks; process++) {
        ptrdiff_t told[2][12] = {{0}};
        for (int i = 0; i < 2; i++)
            WEFT(local_size_process)
        (process, 3, n, 1, i ? other : tuned, WEFT_DFT_FORWARD, i ? flags : 0, told[i], told[i] + 3,
         told[i] + 6, told[i] + 9);
        same = same && memcmp(told[0], told[1], sizeof told[0]) == 0;
    }
    return same;
}

/* Candidate by candidate wins; rows, the last, are timed only where more than one axis is divided,
 * and only where they may be taken. */
START_TEST(the_fastest_wins)
{
    const ptrdiff_t sizes[2][3] = {{2, 6, 8}, {16, 6, 8}}, *n = sizes[_i];
    int timed[2], dims[2];
    for (int rows = 0; rows < 2; rows++) {
        timed[rows] = 1;
        for (favourite = 0; favourite < timed[rows]; favourite++) {
            looks = 0;
            weft_grid tuned = WEFT(grid_tune)(MPI_COMM_WORLD, 2, 3, n, 1, WEFT_DFT_FORWARD,
                                              FFTW_ESTIMATE | (rows ? WEFT_ROWS : 0));
            timed[rows] = looks / LOOKS;
            all_true(tuned, "%s", WEFT(last_error)());
            WEFT(grid_dims)(tuned, dims);
            weft_grid plain = WEFT(grid_create)(MPI_COMM_WORLD, 2, dims);
            const bool wins = rows && timed[1] > timed[0] && favourite == timed[1] - 1;
            all_true(WEFT(grid_rows)(tuned) == wins && !WEFT(grid_rows)(plain) &&
                         laid_out_as(tuned, plain, n, wins ? WEFT_ROWS : 0),
                     "candidate %d of %d: in rows %d", favourite, timed[rows],
                     WEFT(grid_rows)(tuned));
            WEFT(grid_free)(plain);
            WEFT(grid_free)(tuned);
        }
    }
    all_true(timed[1] - timed[0] == (ranks > n[0]), "%d and %d candidates", timed[0], timed[1]);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("rows " WEFT_PRECISION);
    TCase *tests = tcase_create("against serial FFTW");
    tcase_add_loop_test(tests, every_kind, 0, GRIDS_SORTS);
    tcase_add_loop_test(tests, timed_plans, 0, TIMED);
    tcase_add_loop_test(tests, the_fastest_wins, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
