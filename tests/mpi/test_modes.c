/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transforms whose spectrum has fewer or more modes than the grid has points, against serial FFTW
 * (modes.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/distributions.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/modes.h"

static bool halved(const modes_case *c)
{
    return modes_real(c, 0) || modes_real(c, 1);
}

/* As most programs divide: the first axes, or those after the first, by a grid. */
static weft_distribution aligned(const grids_case *it, bool first, const ptrdiff_t *n, box *mine)
{
    int axis[ARRAYS_RANK], at[ARRAYS_RANK], rest = rank;
    weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, it->dimensions, it->dims);
    for (int g = it->dimensions - 1; g >= 0; rest /= it->dims[g--])
        at[g] = rest % it->dims[g];
    for (int a = 0; a < it->rank; a++) {
        const int g = a - first;
        const bool divided = g >= 0 && g < it->dimensions;
        const ptrdiff_t parts = divided ? it->dims[g] : 1, i = divided ? at[g] : 0;
        const ptrdiff_t more = i < n[a] % parts ? i : n[a] % parts;
        mine->start[a] = n[a] / parts * i + more;
        mine->count[a] = n[a] / parts + (i < n[a] % parts);
    }
    for (int g = 0; g < it->dimensions; g++)
        axis[g] = g + first;
    weft_distribution made = WEFT(distribution_grid)(grid, it->rank, n, axis, 0);
    WEFT(grid_free)(grid);
    return made;
}

/* Where a side's numbers lie, whose boxes get halos around them, another on every rank, or none. */
static arrays_map map_of(const modes_case *c, int side, const ptrdiff_t *length, const box *mine,
                         unsigned *state, weft_distribution *distribution)
{
    arrays_part part = {.rank = c->it.rank, .tuple = c->it.howmany * (modes_real(c, side) ? 1 : 2)};
    const unsigned most = 1 + 2 * arrays_random(state, 2);
    unsigned own = *state + 7919 * (unsigned)rank;
    bool empty = false;
    for (int axis = 0; axis < part.rank; axis++)
        empty |= mine->count[axis] == 0;
    for (int axis = 0; axis < part.rank; axis++) {
        part.length[axis] = length[axis];
        part.start[axis] = mine->start[axis];
        part.before[axis] = empty ? 0 : arrays_random(&own, most);
        part.count[axis] = part.stored[axis] = mine->count[axis];
        part.stored[axis] += empty ? 0 : part.before[axis] + arrays_random(&own, most);
        part.order[axis] = axis;
    }
    weft_distribution bare = *distribution;
    *distribution = WEFT(distribution_embedded)(bare, part.stored, part.before);
    all_true(*distribution != NULL, "%s", WEFT(last_error)());
    WEFT(distribution_free)(bare);
    return arrays_map_of(&part);
}

/* Plans, and runs twice, c2c then once more, in place where that was not planned, or the other way
 * round. */
static void run(const modes_case *c, const weft_distribution side[2], const arrays_map map[2],
                weft_real *const all[2], weft_real largest, char *text)
{
    const grids_case *it = &c->it;
    const ptrdiff_t numbers = map[0].slots > map[1].slots ? map[0].slots : map[1].slots;
    weft_real *in = arrays_fresh(numbers, 0), *other = arrays_fresh(numbers, 0);
    weft_real *out = it->in_place ? in : other;
    FFTW(plan)
    plan = WEFT(plan_between_modes)(side[0], side[1], c->modes, it->howmany, it->null ? NULL : in,
                                    it->null ? NULL : out, it->kind, it->flags);
    if (!plan)
        snprintf(text, GRIDS_TEXT, "no plan: %s", WEFT(last_error)());
    for (int turn = 0; plan && turn < (halved(c) ? 2 : 3); turn++) {
        if (turn == 2)
            out = it->in_place ? other : in;
        arrays_spoil(out, numbers);
        arrays_fill(in, &map[0], all[0]);
        grids_execute(it, plan, in, out);
        if (arrays_right(out, &map[1], all[1], largest, text, GRIDS_TEXT) && grids_preserves(it) &&
            out != in)
            arrays_unchanged(in, &map[0], all[0], text, GRIDS_TEXT);
        if (!arrays_kept_holes(out, &map[1], out == in ? &map[0] : NULL) ||
            (out != in && !arrays_kept_holes(in, &map[0], turn == 2 ? &map[1] : NULL)))
            snprintf(text, GRIDS_TEXT, "something was written around a box");
        if (!arrays_guarded(in, numbers) || !arrays_guarded(other, numbers))
            snprintf(text, GRIDS_TEXT, "something was written beyond the allocation");
    }
    if (plan)
        FFTW(destroy_plan)(plan);
    arrays_free(other, 0);
    arrays_free(in, 0);
}

static void check(const modes_case *c, unsigned *state)
{
    char text[GRIDS_TEXT] = "", name[GRIDS_TEXT];
    ptrdiff_t length[2][ARRAYS_RANK];
    weft_distribution side[2];
    arrays_map map[2];
    weft_real *all[2];
    const bool natural = arrays_random(state, 2);
    modes_compute(c, all);
    for (int s = 0; s < 2; s++) {
        modes_lengths(c, s, length[s]);
        box mine;
        side[s] = natural ? aligned(&c->it, s == modes_spectral_side(c), length[s], &mine)
                          : distributions_any(state, MPI_COMM_WORLD, c->it.rank, length[s], &mine);
        map[s] = map_of(c, s, length[s], &mine, state, &side[s]);
    }
    const weft_real largest = arrays_largest(all[1], modes_whole(c, 1, length[1]));
    if (c->it.backend)
        setenv("WEFT_BACKEND", c->it.backend, 1);
    run(c, side, map, all, largest, text);
    unsetenv("WEFT_BACKEND");
    for (int s = 0; s < 2; s++) {
        WEFT(distribution_free)(side[s]);
        free(map[s].global);
        FFTW(free)(all[s]);
    }
    grids_describe(&c->it, name);
    all_true(!text[0], "%s, %td x %td x %td modes, %s: %s", name, c->modes[0], c->modes[1],
             c->it.rank > 2 ? c->modes[2] : 1, natural ? "aligned" : "anyhow", text);
}

static void any_kinds(modes_case *c, int sort, unsigned *state)
{
    static const int kind[4][2] = {{WEFT_DFT_FORWARD, WEFT_DFT_FORWARD},
                                   {WEFT_DFT_BACKWARD, WEFT_DFT_BACKWARD},
                                   {WEFT_DFT_FORWARD, WEFT_DFT_R2C},
                                   {WEFT_DFT_BACKWARD, WEFT_DFT_C2R}};
    for (int axis = 0; axis < c->it.rank; axis++) {
        const bool last = axis == c->it.rank - 1;
        c->it.kind[axis] = kind[sort][last];
        if (!last && arrays_random(state, 6) == 0) {
            c->it.kind[axis] = WEFT_NONE;
            c->modes[axis] = c->it.n[axis];
        }
    }
}

static void any_flags(modes_case *c, unsigned *state)
{
    grids_case *it = &c->it;
    it->in_place = !halved(c) && arrays_random(state, 3) == 0;
    it->null = (it->in_place || halved(c)) && arrays_random(state, 4) == 0;
    it->flags = arrays_random(state, 6)   ? FFTW_ESTIMATE
                : arrays_random(state, 3) ? FFTW_MEASURE
                                          : FFTW_PATIENT;
    if (arrays_random(state, 4) == 0)
        it->flags |= it->in_place ? FFTW_CONSERVE_MEMORY : FFTW_DESTROY_INPUT;
    it->backend = backend_by_chance(arrays_random(state, 1000));
}

START_TEST(any_number_of_modes)
{
    unsigned state = 900 + (unsigned)_i;
    for (int turn = 0; turn < (ranks > 4 ? 5 : 20); turn++) {
        modes_case c = {.it = {.rank = 2 + (int)arrays_random(&state, 3)}};
        for (int axis = 0; axis < c.it.rank; axis++) {
            c.it.n[axis] = 1 + arrays_random(&state, c.it.rank > 3 ? 5 : 13);
            c.modes[axis] = 1 + arrays_random(&state, 2 * (unsigned)c.it.n[axis]);
            if (arrays_random(&state, 4) == 0) /* the 3/2 rule */
                c.modes[axis] = (2 * c.it.n[axis] + 2) / 3;
        }
        c.it.howmany = arrays_random(&state, 4) ? 1 : 2;
        c.it.dimensions = 1 + (int)arrays_random(&state, (unsigned)c.it.rank - 1);
        for (unsigned g = arrays_random(&state, 3) + 1; g > 0; g--)
            if (!grids_next(c.it.dimensions, c.it.dims, ranks))
                grids_next(c.it.dimensions, c.it.dims, ranks);
        any_kinds(&c, _i, &state);
        any_flags(&c, &state);
        check(&c, &state);
    }
}
END_TEST

/* What cannot be, of 6 x 6 x 6 points: NULL and a sentence. */
static const struct {
    ptrdiff_t modes[3], to[3];
    int kind[3];
    bool in_place;
    const char *says;
} bad[] = {
    {{13, 6, 6},
     {13, 6, 6},
     {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD},
     false,
     "modes[0] is 13; of 6 points it must be 1 to 12"},
    {{6, 0, 6},
     {6, 1, 6},
     {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD},
     false,
     "modes[1] is 0"},
    {{6, 4, 6}, {6, 4, 4}, {WEFT_DFT_FORWARD, WEFT_NONE, WEFT_DFT_R2C}, false, "axis 1 has"},
    {{6, 4, 6},
     {6, 6, 4},
     {WEFT_DFT_FORWARD, WEFT_NONE, WEFT_DFT_R2C},
     false,
     "only axes with Fourier transforms"},
    {{4, 6, 6},
     {5, 6, 6},
     {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD},
     false,
     "has a size of 5"},
    {{6, 6, 8},
     {6, 6, 8},
     {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_R2C},
     false,
     "modes / 2 + 1"},
    {{6, 6, 4}, {6, 6, 3}, {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_R2C}, true, "two arrays"}};

START_TEST(modes_must_fit)
{
    static weft_real memory[2][13 * 40 * 2];
    const ptrdiff_t n[3] = {6, 6, 6};
    weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, 1, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        weft_distribution side[2] = {WEFT(distribution_grid)(grid, 3, n, NULL, 0),
                                     WEFT(distribution_grid)(grid, 3, bad[i].to, NULL, 0)};
        FFTW(plan)
        plan = WEFT(plan_between_modes)(side[0], side[1], bad[i].modes, 1, memory[0],
                                        memory[!bad[i].in_place], bad[i].kind, FFTW_ESTIMATE);
        all_true(!plan && strstr(WEFT(last_error)(), bad[i].says), "not %s but %s", bad[i].says,
                 WEFT(last_error)());
        plan = WEFT(plan_between_modes)(side[0], side[0], NULL, 1, memory[0], memory[1],
                                        bad[i].kind, FFTW_ESTIMATE);
        all_true(!plan && strstr(WEFT(last_error)(), "modes is NULL"), "%s", WEFT(last_error)());
        WEFT(distribution_free)(side[0]);
        WEFT(distribution_free)(side[1]);
    }
    WEFT(grid_free)(grid);
}
END_TEST

/* The grid can be counted in bytes, a spectrum of twice as many modes along both axes cannot, or
 * of long doubles not even be addressed. */
START_TEST(too_many_to_be_counted)
{
    static const int kind[2] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD};
    const ptrdiff_t large = (ptrdiff_t)1 << (sizeof(ptrdiff_t) > 4 ? 27 : 11),
                    n[2] = {2 * large, large}, modes[2] = {4 * large, 2 * large};
    weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, 1, NULL);
    weft_distribution side[2] = {WEFT(distribution_grid)(grid, 2, n, NULL, 0),
                                 WEFT(distribution_grid)(grid, 2, modes, NULL, 0)};
    FFTW(plan)
    plan = WEFT(plan_between_modes)(side[0], side[1], modes, 2, NULL, NULL, kind, FFTW_ESTIMATE);
    const char *said = WEFT(last_error)();
    all_true(side[1] && !plan &&
                 (strstr(said, "more bytes than can be counted") ||
                  (sizeof(weft_real) > sizeof(double) && strstr(said, "than can be addressed"))),
             "planned, or \"%s\"", said);
    WEFT(distribution_free)(side[0]);
    WEFT(distribution_free)(side[1]);
    WEFT(grid_free)(grid);
}
END_TEST

/* 6 and 7 modes of a halved axis are 4 numbers. */
START_TEST(modes_are_the_same_on_all_ranks)
{
    static const int kind[2] = {WEFT_DFT_FORWARD, WEFT_DFT_R2C};
    static weft_real memory[2][200];
    const ptrdiff_t n[2] = {8, 9}, to[2] = {8, 4}, modes[2] = {8, rank == ranks - 1 ? 7 : 6};
    weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, 1, NULL);
    weft_distribution side[2] = {WEFT(distribution_grid)(grid, 2, n, NULL, 0),
                                 WEFT(distribution_grid)(grid, 2, to, NULL, 0)};
    FFTW(plan)
    plan = WEFT(plan_between_modes)(side[0], side[1], modes, 1, memory[0], memory[1], kind,
                                    FFTW_ESTIMATE);
    all_true(ranks == 1 ? plan != NULL
                        : !plan && strstr(WEFT(last_error)(), "the number of modes differs"),
             "%s", WEFT(last_error)());
    if (plan)
        FFTW(destroy_plan)(plan);
    WEFT(distribution_free)(side[0]);
    WEFT(distribution_free)(side[1]);
    WEFT(grid_free)(grid);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("modes " WEFT_PRECISION);
    TCase *tests = tcase_create("spectra");
    tcase_add_loop_test(tests, any_number_of_modes, 0, 4);
    tcase_add_test(tests, modes_must_fit);
    tcase_add_test(tests, too_many_to_be_counted);
    tcase_add_test(tests, modes_are_the_same_on_all_ranks);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
