/* SPDX-License-Identifier: BSD-3-Clause */
/* The three sorts of problems behind one interface. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/problems.h"
#include "tests/mpi/twins.h"
#include "tools/info/whole.h"

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

/* Returns the case of a problem that is not on slabs. */
static const grids_case *case_of(const problem *it)
{
    return it->sort == ON_GRID ? &it->on_grid : &it->between.it;
}

static unsigned *flags_of(const problem *it)
{
    return (unsigned *)(it->sort == ON_SLABS ? &it->slabs.flags : &case_of(it)->flags);
}

void problem_set_rigor(problem *it, unsigned rigor)
{
    *flags_of(it) &= ~(unsigned)(FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE | FFTW_WISDOM_ONLY);
    *flags_of(it) |= rigor;
    it->may_fail = false;
}

bool problem_estimates(const problem *it)
{
    return *flags_of(it) & (FFTW_ESTIMATE | FFTW_WISDOM_ONLY);
}

/* Changes the problem to a line in scrambled order. */
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

/* Returns the whole problem, with the kinds of weft.h. */
static whole_problem of_slabs(const dropin_case *slabs)
{
    const int back = slabs->what == DROPIN_C2R ||
                     (slabs->what == DROPIN_C2C && slabs->sign != FFTW_FORWARD),
              last = slabs->rank - 1;
    whole_problem whole = {.axes = slabs->rank, .howmany = slabs->howmany};
    for (int axis = 0; axis <= last; axis++) {
        whole.n[axis] = slabs->n[axis];
        whole.kind[axis] = slabs->what == DROPIN_R2R         ? (int)slabs->kind[axis]
                           : slabs->what == DROPIN_TRANSPOSE ? WEFT_NONE
                           : back                            ? WEFT_DFT_BACKWARD
                                                             : WEFT_DFT_FORWARD;
    }
    if (dropin_halved(slabs))
        whole.kind[last] = back ? WEFT_DFT_C2R : WEFT_DFT_R2C;
    return whole;
}

void problem_times(problem *it, weft_real by)
{
    for (int s = 0; s < 2 && by != 1; s++)
        for (ptrdiff_t i = 0; i < it->whole[s]; i++)
            it->all[s][i] *= by;
    it->largest *= by;
}

void problem_compute(problem *it, weft_real by)
{
    const whole_problem of = it->sort == ON_SLABS ? of_slabs(&it->slabs) : grids_whole(case_of(it));
    whole_array whole;
    if (!whole_compute(&of, &whole)) {
        fputs("no memory for the whole array\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    for (int s = 0; s < 2; s++) {
        it->all[s] = whole.number[s];
        it->whole[s] = whole_numbers(&whole, s);
        it->tuple[s] = whole.tuple[s];
        memcpy(it->length[s], whole.length[s], sizeof it->length[s]);
    }
    it->largest = it->exact ? 0 : whole.largest;
    problem_times(it, by);
}

/* Fills in the rest of the problem from its case on slabs. */
static void finish_slabs(problem *it, MPI_Comm comm)
{
    const dropin_case *slabs = &it->slabs;
    it->sort = ON_SLABS;
    it->in_place = slabs->in_place;
    it->shift = slabs->shift;
    it->new_shift = slabs->new_shift;
    it->nulls = slabs->nulls;
    it->null = slabs->null;
    it->new_arrays = slabs->new_arrays;
    it->other_place = slabs->other_place;
    it->exact = slabs->what == DROPIN_TRANSPOSE;
    problem_compute(it, 1);
    for (int s = 0; s < 2; s++)
        it->side[s] = dropin_map(slabs, s, comm);
    it->numbers = dropin_allocation(slabs, comm, it->side[0].slots, it->side[1].slots);
}

void problem_on_slabs(problem *it, const dropin_case *asked, MPI_Comm comm)
{
    *it = (problem){.slabs = *asked};
    finish_slabs(it, comm);
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
    finish_slabs(it, comm);
    return true;
}

/* Returns a length up to 20, smaller with many axes. */
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
    else if (fuzz_one_in(state, 4))
        grids_any_operator(it, state);
    it->flags = with_rigor(it->flags, state);
}

/* Chooses the dimensions of a grid, or none: then the library chooses. */
static void choose_dims(int *dims, int dimensions, int ranks, unsigned *state)
{
    const int turns = fuzz_one_in(state, 2) ? 1 + (int)arrays_random(state, 12) : 0;
    memset(dims, 0, sizeof *dims * (size_t)dimensions);
    for (int turn = 0; turn < turns; turn++)
        if (!grids_next(dimensions, dims, ranks))
            memset(dims, 0, sizeof *dims * (size_t)dimensions);
}

/* Fills in the rest of the problem from its case on a grid. */
static bool finish_on_grid(problem *it, MPI_Comm comm, char text[PROBLEM_TEXT])
{
    grids_case *on_grid = &it->on_grid;
    arrays_part part[2];
    int me;
    MPI_Comm_rank(comm, &me);
    it->sort = ON_GRID;
    it->grid = on_grid->column_major
                   ? WEFT(grid_create_column_major)(comm, on_grid->dimensions, on_grid->dims)
                   : WEFT(grid_create)(comm, on_grid->dimensions, on_grid->dims);
    if (!it->grid)
        return false;
    WEFT(grid_dims)(it->grid, on_grid->dims);
    it->in_place = on_grid->in_place;
    it->null = on_grid->null ? 3 : 0;
    it->shared = on_grid->shared;
    it->backend = on_grid->backend;
    problem_compute(it, 1);
    grids_case sizes = *on_grid;
    sizes.operates = 0;
    memset(sizes.modes, 0, sizeof sizes.modes);
    for (int s = 0; s < 2; s++) {
        part[s] = grids_part(on_grid, s, me);
        it->side[s] =
            on_grid->flags & WEFT_ROWS ? grids_rows_map(&part[s]) : arrays_map_of(&part[s]);
        part[s] = grids_part(&sizes, s, me);
    }
    grids_check_sizes(&sizes, it->grid, part, me, &it->numbers, text);
    it->whole_problem = grids_whole(on_grid);
    if (on_grid->flags & WEFT_ROWS)
        grids_check_boxes(on_grid, it->grid, it->side, me, text);
    it->numbers *= grids_sort(on_grid) == WEFT_R2R ? 1 : 2;
    for (int s = 0; s < 2; s++)
        it->numbers = it->side[s].slots > it->numbers ? it->side[s].slots : it->numbers;
    return true;
}

bool problem_on_grid(problem *it, const grids_case *asked, MPI_Comm comm, char text[PROBLEM_TEXT])
{
    *it = (problem){.on_grid = *asked, .new_arrays = true};
    if (finish_on_grid(it, comm, text))
        return true;
    snprintf(text, PROBLEM_TEXT, "no grid: %.400s", WEFT(last_error)());
    return false;
}

static bool make_on_grid(problem *it, unsigned *state, MPI_Comm comm, char text[PROBLEM_TEXT])
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    choose_grid_case(&it->on_grid, state);
    choose_dims(it->on_grid.dims, it->on_grid.dimensions, ranks, state);
    it->on_grid.column_major = !(it->on_grid.flags & WEFT_ROWS) && fuzz_one_in(state, 4);
    return finish_on_grid(it, comm, text);
}

/* Chooses fewer or more modes than points, along axes that allow it. */
static void choose_modes(grids_case *of, unsigned *state)
{
    for (int axis = 0; axis < of->rank; axis++) {
        const ptrdiff_t n = of->n[axis];
        if (of->kind[axis] <= WEFT_NONE || fuzz_one_in(state, 4))
            of->modes[axis] = n;
        else if (fuzz_one_in(state, 4))
            of->modes[axis] = (2 * n + 2) / 3; /* the 3/2 rule */
        else
            of->modes[axis] = 1 + (ptrdiff_t)arrays_random(state, 2 * (unsigned)n);
    }
}

static bool changes_type(const grids_case *of)
{
    return grids_sort(of) == WEFT_DFT_R2C || grids_sort(of) == WEFT_DFT_C2R;
}

static void choose_between(problem *it, unsigned *state)
{
    grids_case *of = &it->between.it;
    const bool copies = it->between.only_copies = fuzz_one_in(state, 3);
    of->rank = copies ? 1 + (int)arrays_random(state, 4) : 2 + (int)arrays_random(state, 3);
    of->howmany = fuzz_one_in(state, 2) ? 1 + (ptrdiff_t)arrays_random(state, 3) : 1;
    for (int axis = 0; axis < of->rank; axis++) {
        of->n[axis] = some_length(of->rank, state);
        of->kind[axis] = WEFT_NONE;
    }
    const bool special = fuzz_one_in(state, 2);
    it->between.by_boxes = copies && special;
    if (!copies)
        grids_any_kinds(of, (int)arrays_random(state, GRIDS_SORTS), state);
    if (!copies && special)
        choose_modes(of, state);
    of->in_place = !changes_type(of) && fuzz_one_in(state, 2);
    of->flags = some_rigor(state);
    if (!copies && fuzz_one_in(state, 4))
        of->flags |= of->in_place ? FFTW_CONSERVE_MEMORY : FFTW_DESTROY_INPUT;
}

static bool make_between(problem *it, unsigned *state, MPI_Comm comm, char text[PROBLEM_TEXT])
{
    const grids_case *of = &it->between.it;
    char wrong[DISTRIBUTIONS_TEXT];
    choose_between(it, state);
    it->in_place = of->in_place;
    it->exact = it->between.only_copies;
    problem_compute(it, 1);
    for (int s = 0; s < 2; s++) {
        it->made[s] = distributions_side(state, comm, of->rank, it->length[s], it->tuple[s],
                                         it->between.by_boxes ? &it->between.side[s] : NULL,
                                         &it->side[s], wrong);
        if (wrong[0])
            snprintf(text, PROBLEM_TEXT, "%s", wrong);
        if (it->side[s].slots > it->numbers)
            it->numbers = it->side[s].slots;
    }
    return it->made[0] && it->made[1];
}

/* Ignores WEFT_GRID, which may be invalid: only transforms on grids test it. */
static bool make_between_freely(problem *it, unsigned *state, MPI_Comm comm,
                                char text[PROBLEM_TEXT])
{
    char *wanted = problem_setting("WEFT_GRID", NULL);
    const bool made = make_between(it, state, comm, text);
    free(problem_setting("WEFT_GRID", wanted));
    free(wanted);
    return made;
}

bool problem_any(problem *it, unsigned *state, MPI_Comm comm, char text[PROBLEM_TEXT])
{
    memset(it, 0, sizeof *it);
    const unsigned which = arrays_random(state, 12);
    it->sort = which < 5 ? ON_SLABS : which < 8 ? ON_GRID : BETWEEN;
    const bool made = it->sort == ON_SLABS  ? make_slabs(it, state, comm)
                      : it->sort == ON_GRID ? make_on_grid(it, state, comm, text)
                                            : make_between_freely(it, state, comm, text);
    if (made) /* different from other problems */
        problem_times(it, (weft_real)(1 + arrays_random(state, 50)) / 16);
    it->may_fail = *flags_of(it) & FFTW_WISDOM_ONLY;
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
    free(it->factors);
    WEFT(grid_free)(it->grid);
    memset(it, 0, sizeof *it);
}

FFTW(plan) problem_plan(const problem *it, weft_real *in, weft_real *out, MPI_Comm comm)
{
    if (it->sort == ON_SLABS)
        return dropin_plan(&it->slabs, in, out, comm);
    if (it->sort == ON_GRID && it->on_grid.operates)
        return grids_operator_plan(&it->on_grid, it->grid, in, out, &it->whole_problem,
                                   (weft_real **)(uintptr_t)&it->factors, comm);
    if (it->sort == ON_GRID)
        return grids_plan(&it->on_grid, it->grid, in, out);
    const grids_case *of = &it->between.it;
    const ptrdiff_t many = of->howmany;
    const box *from = &it->between.side[0], *to = &it->between.side[1];
    if (it->between.by_boxes)
        return WEFT(plan_redistribute_boxes)(of->rank, of->n, many, from->start, from->count,
                                             to->start, to->count, in, out, comm, of->flags);
    if (it->between.only_copies)
        return WEFT(plan_redistribute)(it->made[0], it->made[1], many, in, out, of->flags);
    if (of->modes[0] > 0)
        return WEFT(plan_between_modes)(it->made[0], it->made[1], of->modes, many, in, out,
                                        of->kind, of->flags);
    return WEFT(plan_between)(it->made[0], it->made[1], many, in, out, of->kind, of->flags);
}

void problem_execute(const problem *it, FFTW(plan) plan, weft_real *in, weft_real *out)
{
    if (it->sort == ON_SLABS)
        dropin_execute(&it->slabs, plan, in, out);
    else
        grids_execute(case_of(it), plan, in, out);
}

bool problem_preserves(const problem *it, bool in_place)
{
    dropin_case slabs = it->slabs;
    grids_case other = *case_of(it);
    slabs.in_place = other.in_place = in_place;
    return it->sort == ON_SLABS ? dropin_preserves(&slabs) : grids_preserves(&other);
}

bool problem_keeps_holes(const problem *it)
{
    return it->sort == BETWEEN;
}

bool problem_fits_in_place(const problem *it)
{
    return it->sort == BETWEEN ? !changes_type(&it->between.it)
                               : it->sort == ON_SLABS || !(it->on_grid.flags & WEFT_UNPADDED);
}

void problem_describe(const problem *it, char text[PROBLEM_TEXT])
{
    const char *sort = it->sort == ON_GRID       ? ""
                       : it->between.by_boxes    ? "redistribute boxes "
                       : it->between.only_copies ? "redistribute "
                                                 : "between ";
    if (it->sort == ON_SLABS)
        dropin_describe(&it->slabs, text);
    else
        grids_describe(case_of(it), stpcpy(text, sort));
}

bool problem_fits_device(problem *it)
{
    if (!twins_begun())
        return true;
    const grids_case *of = case_of(it);
    bool fits = it->sort == ON_SLABS ? it->slabs.what != DROPIN_R2R : !it->on_grid.operates;
    for (int axis = 0; it->sort != ON_SLABS && axis < of->rank; axis++)
        fits = fits && of->kind[axis] >= WEFT_NONE &&
               (of->modes[axis] == 0 || of->modes[axis] == of->n[axis]);
    it->null = it->shared = 0;
    it->other_place = false;
    it->new_shift = it->shift;
    it->backend = twin_backend(it->backend);
    return fits;
}
