/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/modes.h"
#include "tests/whole.h"

static bool halved(const modes_case *c)
{
    return grids_sort(&c->it) == WEFT_DFT_R2C || grids_sort(&c->it) == WEFT_DFT_C2R;
}

int modes_spectral_side(const modes_case *c)
{
    const int sort = grids_sort(&c->it);
    return sort == WEFT_DFT_FORWARD || sort == WEFT_DFT_R2C;
}

bool modes_real(const modes_case *c, int side)
{
    const int sort = grids_sort(&c->it);
    return sort == WEFT_R2R || sort == (side ? WEFT_DFT_C2R : WEFT_DFT_R2C);
}

static ptrdiff_t points(const grids_case *it, const ptrdiff_t *length)
{
    ptrdiff_t count = it->howmany;
    for (int axis = 0; axis < it->rank; axis++)
        count *= length[axis];
    return count;
}

ptrdiff_t modes_whole(const modes_case *c, int side, const ptrdiff_t *length)
{
    return points(&c->it, length) * (modes_real(c, side) ? 1 : 2);
}

/* Of all frequencies. */
static const ptrdiff_t *full_lengths(const modes_case *c, int side)
{
    return side == modes_spectral_side(c) ? c->modes : c->it.n;
}

void modes_lengths(const modes_case *c, int side, ptrdiff_t *length)
{
    const int last = c->it.rank - 1;
    memcpy(length, full_lengths(c, side), sizeof *length * (size_t)c->it.rank);
    if (halved(c) && !modes_real(c, side))
        length[last] = length[last] / 2 + 1;
}

void modes_compute(const modes_case *c, weft_real *all[2])
{
    whole_problem problem = {.axes = c->it.rank, .howmany = c->it.howmany};
    whole_array whole;
    for (int axis = 0; axis < problem.axes; axis++) {
        problem.n[axis] = c->it.n[axis];
        problem.modes[axis] = c->modes[axis];
        problem.kind[axis] = c->it.kind[axis];
    }
    if (!whole_compute(&problem, &whole)) {
        fputs("no memory for the whole array\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    for (int side = 0; side < 2; side++)
        all[side] = whole.number[side];
}
