/* SPDX-License-Identifier: BSD-3-Clause */
/* The three sorts behind one face. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/fuzz/problems.h"

bool fuzz_one_in(unsigned *state, unsigned so_many)
{
    return arrays_random(state, so_many) == 0;
}

static unsigned some_rigor(unsigned *state)
{
    if (fuzz_one_in(state, 32))
        return FFTW_WISDOM_ONLY | (fuzz_one_in(state, 2) ? FFTW_MEASURE : 0);
    if (fuzz_one_in(state, 64))
        return fuzz_one_in(state, 8)   ? FFTW_EXHAUSTIVE
               : fuzz_one_in(state, 4) ? FFTW_PATIENT
                                       : FFTW_MEASURE;
    return FFTW_ESTIMATE;
}

static unsigned with_rigor(unsigned flags, unsigned *state)
{
    return (flags & ~(unsigned)FFTW_ESTIMATE) | some_rigor(state);
}

static unsigned flags_of(const problem *it)
{
    return it->sort == ON_SLABS  ? it->slabs.flags
           : it->sort == ON_GRID ? it->on_grid.flags
                                 : it->between.modal.it.flags;
}

bool problem_estimates(const problem *it)
{
    return flags_of(it) & (FFTW_ESTIMATE | FFTW_WISDOM_ONLY);
}

/* A line out of order, instead. */
static bool scramble(problem *it, unsigned *state, MPI_Comm comm)
{
    dropin_case *slabs = &it->slabs;
    const unsigned flag = fuzz_one_in(state, 2) ? FFTW_MPI_SCRAMBLED_IN : FFTW_MPI_SCRAMBLED_OUT;
    slabs->entry = fuzz_one_in(state, 2) ? DROPIN_BASIC : DROPIN_SHAPED;
    slabs->howmany = 1;
    slabs->in_block = slabs->out_block = 0;
    slabs->flags |= flag;
    it->scrambled = malloc(sizeof *it->scrambled * (size_t)slabs->n[0]);
    *(flag == FFTW_MPI_SCRAMBLED_IN ? &slabs->in_order : &slabs->out_order) = it->scrambled;
    return problem_scrambled(slabs, it->scrambled, comm);
}

static bool make_slabs(problem *it, unsigned *state, MPI_Comm comm)
{
    dropin_case *slabs = &it->slabs;
    dropin_any(slabs, state, comm);
    slabs->flags = with_rigor(slabs->flags, state);
    slabs->by_libfftw3 = fuzz_one_in(state, 4);
    if (fuzz_one_in(state, 64))
        slabs->howmany = 0, slabs->entry = DROPIN_MANY;
    if (slabs->what == DROPIN_C2C && slabs->rank == 1 && fuzz_one_in(state, 2) &&
        !scramble(it, state, comm))
        return false;
    it->in_place = slabs->in_place;
    it->shift = slabs->shift;
    it->new_shift = slabs->new_shift;
    for (int s = 0; s < 2; s++) {
        it->side[s] = dropin_map(slabs, s, comm);
        it->whole[s] = dropin_whole(slabs, s);
        it->all[s] = FFTW(malloc)(sizeof *it->all[s] * (size_t)(it->whole[s] + 1));
    }
    dropin_compute(slabs, it->all[0], it->all[1]);
    it->numbers = dropin_allocation(slabs, comm, it->side[0].slots, it->side[1].slots);
    it->exact = slabs->what == DROPIN_TRANSPOSE;
    return true;
}

/* Up to 20, of many axes mostly less. */
static ptrdiff_t some_length(int axes, unsigned *state)
{
    static const unsigned longest[] = {0, 100, 20, 10, 5, 4};
    return 1 + (ptrdiff_t)arrays_random(state, fuzz_one_in(state, 10) ? 20 : longest[axes]);
}

static void choose_grid_case(grids_case *it, unsigned *state)
{
    it->rank = 2 + (int)arrays_random(state, 4);
    it->dimensions = 1 + (int)arrays_random(state, (unsigned)it->rank - 1);
    it->howmany = fuzz_one_in(state, 4) ? 1 + (ptrdiff_t)arrays_random(state, 4) : 1;
    for (int axis = 0; axis < it->rank; axis++)
        it->n[axis] = some_length(it->rank, state);
    grids_any_kinds(it, (int)arrays_random(state, GRIDS_SORTS), state);
    grids_any_flags(it, state);
    if ((it->rank == 3 || it->rank == 4) && fuzz_one_in(state, 4))
        grids_in_rows(it);
    it->flags = with_rigor(it->flags, state);
}

/* The dimensions of some grid, or none: the library chooses. */
static void choose_dims(int *dims, int dimensions, int ranks, unsigned *state)
{
    const int turns = fuzz_one_in(state, 2) ? 1 + (int)arrays_random(state, 12) : 0;
    memset(dims, 0, sizeof *dims * (size_t)dimensions);
    for (int turn = 0; turn < turns; turn++)
        if (!grids_next(dimensions, dims, ranks))
            memset(dims, 0, sizeof *dims * (size_t)dimensions);
}

static bool make_on_grid(problem *it, unsigned *state, MPI_Comm comm, char text[PROBLEM_TEXT])
{
    grids_case *on_grid = &it->on_grid;
    arrays_part part[2];
    int me, ranks;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &ranks);
    choose_grid_case(on_grid, state);
    choose_dims(on_grid->dims, on_grid->dimensions, ranks, state);
    it->grid = WEFT(grid_create)(comm, on_grid->dimensions, on_grid->dims);
    if (!it->grid)
        return false;
    WEFT(grid_dims)(it->grid, on_grid->dims);
    it->in_place = on_grid->in_place;
    for (int s = 0; s < 2; s++) {
        part[s] = grids_part(on_grid, s, me);
        it->side[s] =
            on_grid->flags & WEFT_ROWS ? grids_rows_map(&part[s]) : arrays_map_of(&part[s]);
        it->whole[s] = grids_whole(on_grid, s);
        it->all[s] = FFTW(malloc)(sizeof *it->all[s] * (size_t)(it->whole[s] + 1));
    }
    grids_compute(on_grid, it->all[0], it->all[1]);
    grids_check_sizes(on_grid, it->grid, part, me, &it->numbers, text);
    it->numbers *= grids_sort(on_grid) == WEFT_R2R ? 1 : 2;
    return true;
}

/* Modes that are fewer or more than the points, along axes that may have such. */
static void choose_modes(modes_case *modal, unsigned *state)
{
    for (int axis = 0; axis < modal->it.rank; axis++) {
        ptrdiff_t *modes = &modal->modes[axis];
        if (modal->it.kind[axis] <= WEFT_NONE || fuzz_one_in(state, 4))
            continue;
        *modes = fuzz_one_in(state, 4) ? (2 * *modes + 2) / 3 /* the 3/2 rule */
                                       : 1 + (ptrdiff_t)arrays_random(state, 2 * (unsigned)*modes);
    }
}

static void choose_between(problem *it, unsigned *state)
{
    modes_case *modal = &it->between.modal;
    grids_case *of = &modal->it;
    it->between.moves = fuzz_one_in(state, 3);
    of->rank =
        it->between.moves ? 1 + (int)arrays_random(state, 4) : 2 + (int)arrays_random(state, 3);
    of->howmany = fuzz_one_in(state, 2) ? 1 + (ptrdiff_t)arrays_random(state, 3) : 1;
    for (int axis = 0; axis < of->rank; axis++) {
        of->n[axis] = some_length(of->rank, state);
        of->kind[axis] = WEFT_NONE;
    }
    memcpy(modal->modes, of->n, sizeof of->n);
    it->between.by_boxes = it->between.moves && fuzz_one_in(state, 2);
    it->between.by_modes = !it->between.moves && fuzz_one_in(state, 2);
    if (!it->between.moves)
        grids_any_kinds(of, (int)arrays_random(state, GRIDS_SORTS), state);
    if (it->between.by_modes)
        choose_modes(modal, state);
    of->in_place = modes_real(modal, 0) == modes_real(modal, 1) && fuzz_one_in(state, 2);
    of->flags = some_rigor(state);
    if (!it->between.moves && fuzz_one_in(state, 4))
        of->flags |= of->in_place ? FFTW_CONSERVE_MEMORY : FFTW_DESTROY_INPUT;
}

static bool make_between(problem *it, unsigned *state, MPI_Comm comm, char text[PROBLEM_TEXT])
{
    modes_case *modal = &it->between.modal;
    char wrong[DISTRIBUTIONS_TEXT];
    choose_between(it, state);
    it->in_place = modal->it.in_place;
    modes_compute(modal, it->all);
    it->exact = it->between.moves;
    for (int s = 0; s < 2; s++) {
        ptrdiff_t length[GRIDS_RANK];
        modes_lengths(modal, s, length);
        it->whole[s] = modes_whole(modal, s, length);
        it->made[s] = distributions_side(
            state, comm, modal->it.rank, length, modal->it.howmany * (modes_real(modal, s) ? 1 : 2),
            it->between.by_boxes ? &it->between.side[s] : NULL, &it->side[s], wrong);
        if (wrong[0])
            snprintf(text, PROBLEM_TEXT, "%s", wrong);
        if (it->side[s].slots > it->numbers)
            it->numbers = it->side[s].slots;
    }
    return it->made[0] && it->made[1];
}

/* A wish for a grid that cannot be is for plans and grids of transforms alone. */
static bool make_between_without_wish(problem *it, unsigned *state, MPI_Comm comm,
                                      char text[PROBLEM_TEXT])
{
    char *wish = getenv("WEFT_GRID") ? strdup(getenv("WEFT_GRID")) : NULL;
    unsetenv("WEFT_GRID");
    const bool made = make_between(it, state, comm, text);
    if (wish)
        setenv("WEFT_GRID", wish, 1);
    free(wish);
    return made;
}

/* Other numbers than those of other problems, so that none is right in place of another. */
static void scale(problem *it, unsigned *state)
{
    const weft_real by = (weft_real)(1 + arrays_random(state, 50)) / 16;
    for (int s = 0; s < 2; s++)
        for (ptrdiff_t i = 0; i < it->whole[s]; i++)
            it->all[s][i] *= by;
    it->largest = it->exact ? 0 : arrays_largest(it->all[1], it->whole[1]);
}

bool problem_any(problem *it, unsigned *state, MPI_Comm comm, char text[PROBLEM_TEXT])
{
    memset(it, 0, sizeof *it);
    const unsigned which = arrays_random(state, 12);
    it->sort = which < 5 ? ON_SLABS : which < 8 ? ON_GRID : BETWEEN;
    bool made = true;
    if (it->sort == ON_SLABS)
        made = make_slabs(it, state, comm);
    else if (it->sort == ON_GRID)
        made = make_on_grid(it, state, comm, text);
    else
        made = make_between_without_wish(it, state, comm, text);
    if (made)
        scale(it, state);
    it->may_fail = flags_of(it) & FFTW_WISDOM_ONLY;
    return made;
}

void problem_free(problem *it)
{
    for (int s = 0; s < 2; s++) {
        free(it->side[s].global);
        FFTW(free)(it->all[s]);
        WEFT(distribution_free)(it->made[s]);
    }
    free(it->scrambled);
    WEFT(grid_free)(it->grid);
    memset(it, 0, sizeof *it);
}

FFTW(plan) problem_plan(const problem *it, weft_real *in, weft_real *out, MPI_Comm comm)
{
    if (it->sort == ON_SLABS)
        return dropin_plan(&it->slabs, in, out, comm);
    if (it->sort == ON_GRID)
        return grids_plan(&it->on_grid, it->grid, in, out);
    const modes_case *modal = &it->between.modal;
    const grids_case *of = &modal->it;
    const box *side = it->between.side;
    if (it->between.by_boxes)
        return WEFT(plan_redistribute_boxes)(of->rank, of->n, of->howmany, side[0].start,
                                             side[0].count, side[1].start, side[1].count, in, out,
                                             comm, of->flags);
    if (it->between.moves)
        return WEFT(plan_redistribute)(it->made[0], it->made[1], of->howmany, in, out, of->flags);
    if (it->between.by_modes)
        return WEFT(plan_between_modes)(it->made[0], it->made[1], modal->modes, of->howmany, in,
                                        out, of->kind, of->flags);
    return WEFT(plan_between)(it->made[0], it->made[1], of->howmany, in, out, of->kind, of->flags);
}

void problem_execute(const problem *it, FFTW(plan) plan, weft_real *in, weft_real *out)
{
    if (it->sort == ON_SLABS)
        dropin_execute(&it->slabs, plan, in, out);
    else
        grids_execute(it->sort == ON_GRID ? &it->on_grid : &it->between.modal.it, plan, in, out);
}

bool problem_preserves(const problem *it, bool in_place)
{
    dropin_case slabs = it->slabs;
    grids_case other = it->sort == ON_GRID ? it->on_grid : it->between.modal.it;
    slabs.in_place = other.in_place = in_place;
    return it->sort == ON_SLABS ? dropin_preserves(&slabs) : grids_preserves(&other);
}

bool problem_keeps_holes(const problem *it)
{
    return it->sort == BETWEEN;
}

bool problem_fits_in_place(const problem *it)
{
    const modes_case *modal = &it->between.modal;
    return it->sort == BETWEEN ? modes_real(modal, 0) == modes_real(modal, 1)
                               : it->sort == ON_SLABS || !(it->on_grid.flags & WEFT_UNPADDED);
}

void problem_describe(const problem *it, char text[PROBLEM_TEXT])
{
    if (it->sort == ON_SLABS) {
        dropin_describe(&it->slabs, text);
    } else if (it->sort == ON_GRID) {
        grids_describe(&it->on_grid, text);
    } else {
        const modes_case *modal = &it->between.modal;
        int at = snprintf(text, PROBLEM_TEXT, "%s",
                          it->between.by_boxes ? "redistribute boxes "
                          : it->between.moves  ? "redistribute "
                                               : "between ");
        grids_describe(&modal->it, text + at);
        at = (int)strlen(text);
        for (int axis = 0; it->between.by_modes && axis < modal->it.rank; axis++)
            at += snprintf(text + at, PROBLEM_TEXT - (size_t)at, "%s%td", axis ? "x" : ", modes ",
                           modal->modes[axis]);
    }
}
