/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every kind of transform of three and four axes in rows, against serial FFTW: sizes, so that one
 * axis is divided, or two, or three, with ranks that hold nothing; backends, sides and what else
 * there is vary along the way.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/grids.h"
#include "tests/mpi/harness.h"

enum { ROUNDS = 12, TIMED = 3 };

static const char *some_backend(unsigned *state)
{
    int count = 0;
    while (backend_for_all(count))
        count++;
    const unsigned which = arrays_random(state, 2 * (unsigned)count);
    if (which % 5 == 4)
        return "waitsome*3";
    return which < (unsigned)count ? backend_for_all((int)which) : NULL;
}

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
        it.backend = some_backend(&state);
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

static Suite *suite(void)
{
    Suite *suite = suite_create("rows " WEFT_PRECISION);
    TCase *tests = tcase_create("against serial FFTW");
    tcase_add_loop_test(tests, every_kind, 0, GRIDS_SORTS);
    tcase_add_loop_test(tests, timed_plans, 0, TIMED);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
