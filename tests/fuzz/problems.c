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
        return fuzz_one_in(state, 4) ? FFTW_PATIENT : FFTW_MEASURE;
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
                                 : it->moved.flags;
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
        it->all[s] = FFTW(malloc)(sizeof *it->all[s] * (size_t)(dropin_whole(slabs, s) + 1));
    }
    dropin_compute(slabs, it->all[0], it->all[1]);
    it->numbers = dropin_allocation(slabs, comm, it->side[0].slots, it->side[1].slots);
    if (slabs->what != DROPIN_TRANSPOSE)
        it->largest = arrays_largest(it->all[1], dropin_whole(slabs, true));
    return true;
}

static void choose_grid_case(grids_case *it, unsigned *state)
{
    static const unsigned longest[] = {0, 0, 24, 10, 5, 4};
    it->rank = 2 + (int)arrays_random(state, 4);
    it->dimensions = 1 + (int)arrays_random(state, (unsigned)it->rank - 1);
    it->howmany = fuzz_one_in(state, 4) ? 1 + (ptrdiff_t)arrays_random(state, 4) : 1;
    for (int axis = 0; axis < it->rank; axis++)
        it->n[axis] = 1 + (ptrdiff_t)arrays_random(state, longest[it->rank]);
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
        it->all[s] = FFTW(malloc)(sizeof *it->all[s] * (size_t)(grids_whole(on_grid, s) + 1));
    }
    grids_compute(on_grid, it->all[0], it->all[1]);
    grids_check_sizes(on_grid, it->grid, part, me, &it->numbers, text);
    it->numbers *= grids_sort(on_grid) == WEFT_R2R ? 1 : 2;
    it->largest = arrays_largest(it->all[1], grids_whole(on_grid, true));
    return true;
}

static arrays_map map_of_box(const problem *it, const box *held)
{
    arrays_part part = {.rank = it->moved.axes, .tuple = it->moved.howmany};
    for (int axis = 0; axis < part.rank; axis++) {
        part.order[axis] = axis;
        part.length[axis] = it->moved.n[axis];
        part.start[axis] = held->start[axis];
        part.count[axis] = part.stored[axis] = held->count[axis];
    }
    return arrays_map_of(&part);
}

static bool make_moved(problem *it, unsigned *state, MPI_Comm comm)
{
    ptrdiff_t whole = it->moved.howmany = 1 + (ptrdiff_t)arrays_random(state, 3);
    it->moved.axes = 1 + (int)arrays_random(state, ARRAYS_RANK);
    it->moved.by_boxes = fuzz_one_in(state, 2);
    it->moved.flags = some_rigor(state);
    it->in_place = fuzz_one_in(state, 2);
    for (int axis = 0; axis < it->moved.axes; axis++) {
        it->moved.n[axis] = 1 + (ptrdiff_t)arrays_random(state, it->moved.axes > 3 ? 4 : 10);
        whole *= it->moved.n[axis];
    }
    it->numbers = 0;
    for (int s = 0; s < 2; s++) {
        it->made[s] =
            distributions_any(state, comm, it->moved.axes, it->moved.n, &it->moved.side[s]);
        it->side[s] = map_of_box(it, &it->moved.side[s]);
        it->all[s] = FFTW(malloc)(sizeof *it->all[s] * (size_t)whole);
        arrays_noise(it->all[s], whole);
        if (it->side[s].slots > it->numbers)
            it->numbers = it->side[s].slots;
    }
    return it->made[0] && it->made[1];
}

/* A wish for a grid that cannot be is for plans and grids of transforms alone. */
static bool make_moved_without_wish(problem *it, unsigned *state, MPI_Comm comm,
                                    char text[PROBLEM_TEXT])
{
    char *wish = getenv("WEFT_GRID") ? strdup(getenv("WEFT_GRID")) : NULL;
    unsetenv("WEFT_GRID");
    const bool made = make_moved(it, state, comm);
    if (wish)
        setenv("WEFT_GRID", wish, 1);
    free(wish);
    if (!made)
        snprintf(text, PROBLEM_TEXT, "no distribution: %.400s", WEFT(last_error)());
    return made;
}

bool problem_any(problem *it, unsigned *state, MPI_Comm comm, char text[PROBLEM_TEXT])
{
    memset(it, 0, sizeof *it);
    const unsigned which = arrays_random(state, 8);
    it->sort = which < 5 ? ON_SLABS : which < 7 ? ON_GRID : MOVED;
    bool made = true;
    if (it->sort == ON_SLABS)
        made = make_slabs(it, state, comm);
    else if (it->sort == ON_GRID)
        made = make_on_grid(it, state, comm, text);
    else
        made = make_moved_without_wish(it, state, comm, text);
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
    if (it->moved.by_boxes)
        return WEFT(plan_redistribute_boxes)(it->moved.axes, it->moved.n, it->moved.howmany,
                                             it->moved.side[0].start, it->moved.side[0].count,
                                             it->moved.side[1].start, it->moved.side[1].count, in,
                                             out, comm, it->moved.flags);
    return WEFT(plan_redistribute)(it->made[0], it->made[1], it->moved.howmany, in, out,
                                   it->moved.flags);
}

void problem_execute(const problem *it, FFTW(plan) plan, weft_real *in, weft_real *out)
{
    if (it->sort == ON_SLABS)
        dropin_execute(&it->slabs, plan, in, out);
    else if (it->sort == ON_GRID)
        grids_execute(&it->on_grid, plan, in, out);
    else
        FFTW(mpi_execute_r2r)(plan, in, out);
}

bool problem_preserves(const problem *it, bool in_place)
{
    dropin_case slabs = it->slabs;
    grids_case on_grid = it->on_grid;
    slabs.in_place = on_grid.in_place = in_place;
    return it->sort == ON_SLABS  ? dropin_preserves(&slabs)
           : it->sort == ON_GRID ? grids_preserves(&on_grid)
                                 : !in_place;
}

bool problem_fits_in_place(const problem *it)
{
    return it->sort != ON_GRID || !(it->on_grid.flags & WEFT_UNPADDED);
}

void problem_describe(const problem *it, char text[PROBLEM_TEXT])
{
    if (it->sort == ON_SLABS) {
        dropin_describe(&it->slabs, text);
    } else if (it->sort == ON_GRID) {
        grids_describe(&it->on_grid, text);
    } else {
        int at = snprintf(text, PROBLEM_TEXT, "redistribute");
        for (int axis = 0; axis < it->moved.axes; axis++)
            at += snprintf(text + at, PROBLEM_TEXT - (size_t)at, "%c%td", axis ? 'x' : ' ',
                           it->moved.n[axis]);
        snprintf(text + at, PROBLEM_TEXT - (size_t)at, " *%td flags 0x%x%s%s", it->moved.howmany,
                 it->moved.flags, it->in_place ? " in place" : "",
                 it->moved.by_boxes ? " by boxes" : "");
    }
}
