/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans with an operator between the forward and the backward transform, against serial FFTW with a
 * loop between the two: every kind of transform on every grid, in slabs, by an operator and by
 * factors. The factors of the tests depend on the index and are never 0 or 1, so a point that is
 * left out, visited twice, or visited with another index has a wrong result.
 */
#include <math.h>
#include <string.h>
#include "tests/mpi/grids.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/problems.h"
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

TEST(every_grid, .to = SORTS)
{
    for (int turn = 0; turn < (ranks < 4 ? 2 : 1); turn++)
        on_every_grid(sort_of[_i], ranks > 5 ? 4 : ranks > 3 ? 2 : 1);
}

/* Sizes for which passes have several tiles, and copies use vectors. */
TEST(larger_arrays, .to = SORTS)
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

/* Runs in two halves, by messages that the other ranks may send late. */
TEST(started_and_finished, .to = 2)
{
    char text[PROBLEM_TEXT] = "";
    grids_case asked = {.rank = 3,
                        .n = {12, 10, 9},
                        .howmany = 1,
                        .kind = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_R2C},
                        .dimensions = 1,
                        .dims = {ranks},
                        .flags = FFTW_ESTIMATE,
                        .operates = 1,
                        .backend = _i ? "waitall" : "pairwise"};
    problem it;
    const bool made = problem_on_grid(&it, &asked, MPI_COMM_WORLD, text);
    it.halves = made;
    if (made)
        problem_try(&it, MPI_COMM_WORLD, text);
    all_true(!text[0], "%s", text);
}

/* The operators of weft.h, on sin(x) cos(2 y) + 3 in a box of lengths 2 pi, 1 and 2 pi, where the
 * wave number of cos(2 y) is 4 pi. */
TEST(operators_of_the_library, .to = 3)
{
    static const weft_operator operators[] = {WEFT(inverse_laplacian), WEFT(derivative),
                                              WEFT(gaussian_filter)};
    const double two_pi = 8 * atan(1), square = 1 + 4 * two_pi * two_pi, width = 0.05;
    const double length[3] = {two_pi, 1, two_pi};
    const ptrdiff_t n[3] = {16, 12, 10};
    const int kind[3] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_R2C};
    const double wave_factor[] = {-1 / square, 2 * two_pi, exp(-width * width * square / 2)},
                 mean_factor[] = {7, 0, 1};
    weft_wave wave = {3, n, length, 1, 1. / (16 * 12 * 10), _i == 0 ? 7. / (16 * 12 * 10) : width,
                      1};
    weft_grid line = WEFT(grid_create)(MPI_COMM_WORLD, 1, NULL);
    ptrdiff_t count[3], start[3];
    const ptrdiff_t numbers =
        WEFT(local_size)(3, n, 1, line, WEFT_DFT_R2C, WEFT_UNPADDED, count, start, NULL, NULL);
    weft_real *u = FFTW(malloc)(sizeof *u * 2 * (size_t)numbers);
    FFTW(plan)
    plan = WEFT(plan_operator)(3, n, NULL, 1, u, u, line, kind, operators[_i], &wave, MPI_COMM_NULL,
                               FFTW_ESTIMATE | WEFT_UNPADDED);
    all_true(plan, "%s", WEFT(last_error)());
    double error = 0;
    for (int turn = 0; turn < 2; turn++) {
        for (ptrdiff_t i = 0; i < count[0] * 120; i++) {
            const double x = two_pi / 16 * (double)(start[0] + i / 120),
                         y = two_pi / 12 * (double)(i / 10 % 12),
                         other = _i == 1 ? -sin(2 * y) : cos(2 * y),
                         right = wave_factor[_i] * sin(x) * other + 3 * mean_factor[_i];
            if (turn == 0)
                u[i] = (weft_real)(sin(x) * cos(2 * y) + 3);
            else
                error = fmax(error, fabs((double)u[i] - right));
        }
        if (turn == 0)
            FFTW(execute)(plan);
    }
    all_true(error < (sizeof *u == sizeof(float) ? 1e-4 : 1e-12), "operator %d is wrong by %g", _i,
             error);
    FFTW(destroy_plan)(plan);
    FFTW(free)(u);
    WEFT(grid_free)(line);
}

AROUND(.start = variant_begin)
