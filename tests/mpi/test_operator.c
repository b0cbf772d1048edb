/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans with an operator between the forward and the backward transform, against serial FFTW with a
 * loop between the two: every kind of transform on every grid, in slabs, by an operator and by
 * factors. The factors of the tests depend on the index and are never 0 or 1, so a point that is
 * left out, visited twice, or visited with another index has a wrong result.
 */
#include <string.h>
#include "tests/mpi/grids.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/variants.h"

enum { SORTS = 5 };
static const int sort_of[SORTS] = {GRIDS_FORWARD, GRIDS_R2C, GRIDS_R2R, GRIDS_MIXED,
                                   GRIDS_MIXED_REAL};

/* Kinds that have a way back. */
static void some_kinds(grids_case *it, int sort, unsigned *state)
{
    do
        grids_any_kinds(it, sort, state);
    while (it->kind[it->rank - 1] == WEFT_DFT_C2R);
}

static void some_modes(grids_case *it, unsigned *state)
{
    const bool some = arrays_random(state, 3) == 0;
    for (int a = 0; a < it->rank; a++)
        it->modes[a] = !some ? 0
                       : it->kind[a] <= WEFT_NONE
                           ? it->n[a]
                           : 1 + (ptrdiff_t)arrays_random(state, 2 * (unsigned)it->n[a]);
}

static void on_every_grid(int sort, int share)
{
    static const ptrdiff_t liked[][8] = {{1, 2, 5, 8, 9, 12, 16, 30},
                                         {1, 2, 3, 4, 6, 7, 8, 20},
                                         {1, 2, 3, 4, 5, 6, 3, 4},
                                         {1, 2, 3, 4, 3, 2, 4, 2}};
    unsigned state = 11 + (unsigned)sort;
    for (int axes = 2; axes <= GRIDS_RANK; axes++)
        for (int dimensions = 1; dimensions < axes; dimensions++) {
            grids_case it = {.rank = axes, .dimensions = dimensions};
            for (int turn = 0; grids_next(dimensions, it.dims, ranks); turn++) {
                if ((turn + sort) % share != 0)
                    continue;
                for (int a = 0; a < axes; a++)
                    it.n[a] = liked[axes - 2][arrays_random(&state, 8)];
                it.column_major = turn / share % 2;
                it.howmany = arrays_random(&state, 3) == 0 ? 3 : 1;
                some_kinds(&it, sort, &state);
                grids_any_flags(&it, &state);
                some_modes(&it, &state);
                it.operates = 1 + (int)arrays_random(&state, 2);
                const char *backend = backend_by_chance(arrays_random(&state, 1000));
                it.backend = variant.nodes ? NULL : backend;
                grids_check(&it, MPI_COMM_WORLD);
            }
        }
}

START_TEST(every_grid)
{
    for (int turn = 0; turn < (ranks < 4 ? 4 : 1); turn++)
        on_every_grid(sort_of[_i], ranks > 5 ? 4 : ranks > 3 ? 2 : 1);
}
END_TEST

/* Sizes for which passes have several tiles, and copies use vectors. */
START_TEST(larger_arrays)
{
    static const ptrdiff_t sizes[][GRIDS_RANK] = {{64, 64, 64}, {100, 30, 48}, {30, 128, 1}};
    static const unsigned flags[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_ESTIMATE | FFTW_UNALIGNED};
    unsigned state = 3;
    for (int s = 0; s < 3; s++) {
        grids_case it = {.rank = 3, .howmany = 1 + s % 2, .dimensions = 1, .dims = {ranks}};
        memcpy(it.n, sizes[s], sizeof it.n);
        some_kinds(&it, sort_of[_i], &state);
        it.flags = flags[s] | WEFT_FFTW_BLOCKS;
        it.operates = 1 + s % 2;
        it.in_place = s % 2;
        grids_check(&it, MPI_COMM_WORLD);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("operator " WEFT_PRECISION);
    TCase *tests = tcase_create("against serial FFTW and a loop");
    tcase_add_loop_test(tests, every_grid, 0, SORTS);
    tcase_add_loop_test(tests, larger_arrays, 0, SORTS);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    variant_begin(&argc, &argv);
    return run_mpi(&argc, &argv, suite);
}
