/* SPDX-License-Identifier: BSD-3-Clause */
/* Invalid arguments: one argument of a valid problem is changed. */
#include <limits.h>
#include <stdint.h>
#include "tests/fuzz/fuzz.h"

static ptrdiff_t bad_size(unsigned *state)
{
    static const ptrdiff_t bad[] = {0, -1, -7, PTRDIFF_MIN, PTRDIFF_MAX, PTRDIFF_MAX / 16};
    return bad[arrays_random(state, sizeof bad / sizeof *bad)];
}

static int bad_rank(unsigned *state)
{
    static const int bad[] = {0, -1, INT_MIN, INT_MAX, 31, 1000};
    return bad[arrays_random(state, sizeof bad / sizeof *bad)];
}

static ptrdiff_t bad_count(unsigned *state)
{
    static const ptrdiff_t bad[] = {-1, PTRDIFF_MIN, PTRDIFF_MAX, PTRDIFF_MAX / 8};
    return bad[arrays_random(state, sizeof bad / sizeof *bad)];
}

static int bad_kind(unsigned *state)
{
    static const int bad[] = {-1, 11, 63, WEFT_R2R, 1000, INT_MIN, INT_MAX};
    return bad[arrays_random(state, sizeof bad / sizeof *bad)];
}

/* Chooses a block that is too small for all indices. */
static bool spoil_block(dropin_case *it, unsigned *state, MPI_Comm comm)
{
    int order[DROPIN_RANK], ranks;
    const bool out = arrays_random(state, 2);
    ptrdiff_t *block = out ? &it->out_block : &it->in_block;
    MPI_Comm_size(comm, &ranks);
    const ptrdiff_t n = dropin_length(it, out, dropin_arrange(it, out, order));
    const ptrdiff_t least = (n + ranks - 1) / ranks;
    it->entry = DROPIN_MANY;
    *block =
        arrays_random(state, 2) || least == 1 ? -1 - (ptrdiff_t)arrays_random(state, 9) : least - 1;
    return true;
}

static const char *spoil_slabs(dropin_case *it, unsigned *state, MPI_Comm comm)
{
    static const unsigned signs[] = {FFTW_MPI_SCRAMBLED_IN, FFTW_MPI_SCRAMBLED_OUT};
    const int axis = (int)arrays_random(state, (unsigned)it->rank);
    switch (arrays_random(state, 7)) {
    case 0:
        it->n[axis] = bad_size(state);
        return "size";
    case 1:
        if (it->what == DROPIN_TRANSPOSE)
            return NULL;
        it->entry = DROPIN_MANY;
        it->rank = bad_rank(state);
        return "rank";
    case 2:
        it->entry = DROPIN_MANY;
        it->howmany = bad_count(state);
        return "howmany";
    case 3:
        return spoil_block(it, state, comm) ? "block" : NULL;
    case 4:
        it->flags |= 1U << 31;
        return "unknown flag";
    case 5:
        if (it->what != DROPIN_R2R)
            return NULL;
        it->kind[axis] = (FFTW(r2r_kind))bad_kind(state);
        return "kind";
    default:
        it->flags |= it->rank == 1 ? FFTW_MPI_TRANSPOSED_OUT : signs[arrays_random(state, 2)];
        return "order";
    }
}

static const char *spoil_on_grid(grids_case *it, unsigned *state)
{
    const int axis = (int)arrays_random(state, (unsigned)it->rank);
    switch (arrays_random(state, 6)) {
    case 0:
        it->n[axis] = bad_size(state);
        return "size";
    case 1:
        it->howmany = bad_count(state);
        return "howmany";
    case 2:
        it->flags |= 1U << 31;
        return "unknown flag";
    case 3:
        if (grids_sort(it) != WEFT_R2R)
            return NULL;
        it->kind[axis] = bad_kind(state);
        return it->kind[axis] == 11 || it->kind[axis] > 0 ? "kind" : "negative kind";
    case 4:
        it->flags |= WEFT_REVERSED | WEFT_SAME_LAYOUT;
        return "layouts";
    default:
        it->flags |= WEFT_SAME_LAYOUT | WEFT_TRANSPOSED_IN | WEFT_TRANSPOSED_OUT;
        return "orders";
    }
}

/* Only plan_redistribute_boxes has sizes and boxes as arguments. */
static const char *spoil_between(problem *it, unsigned *state)
{
    grids_case *of = &it->between.it;
    const int axis = (int)arrays_random(state, (unsigned)of->rank);
    const int side = (int)arrays_random(state, 2);
    switch (arrays_random(state, it->between.by_boxes ? 5 : it->between.only_copies ? 2 : 4)) {
    case 0:
        of->howmany = bad_count(state);
        return "howmany";
    case 1:
        of->flags |= 1U << (23 + arrays_random(state, 9));
        return "unknown flag";
    case 2:
        if (it->between.by_boxes)
            of->n[axis] = bad_size(state);
        else
            of->kind[axis] = bad_kind(state);
        return it->between.by_boxes ? "size" : "kind";
    case 3:
        if (it->between.by_boxes)
            of->rank = bad_rank(state);
        else if (it->between.by_modes)
            it->between.modes[axis] = bad_size(state);
        else
            return NULL;
        return it->between.by_boxes ? "rank" : "number of modes";
    default:
        it->between.side[side].start[axis] = -1 - (ptrdiff_t)arrays_random(state, 3);
        it->between.side[side].count[axis] += 1;
        return "box";
    }
}

const char *problem_spoil(problem *it, unsigned *state, MPI_Comm comm)
{
    if (it->sort == ON_SLABS)
        return spoil_slabs(&it->slabs, state, comm);
    return it->sort == ON_GRID ? spoil_on_grid(&it->on_grid, state) : spoil_between(it, state);
}
