/* SPDX-License-Identifier: BSD-3-Clause */
/* Tilings come of cutting boxes in two, grids of any axes in any order. */
#include <string.h>
#include "tests/mpi/distributions.h"

/* Cuts some box in two until there is one for every rank; some stay empty. */
static void tile(unsigned *state, int axes, const ptrdiff_t *n, int ranks, box *boxes)
{
    boxes[0] = (box){.start = {0}};
    memcpy(boxes[0].count, n, sizeof *n * (size_t)axes);
    for (int made = 1; made < ranks; made++) {
        box *old = &boxes[arrays_random(state, (unsigned)made)];
        const int axis = (int)arrays_random(state, (unsigned)axes);
        const ptrdiff_t kept = (ptrdiff_t)arrays_random(state, (unsigned)old->count[axis] + 1);
        boxes[made] = *old;
        boxes[made].start[axis] += kept;
        boxes[made].count[axis] -= kept;
        old->count[axis] = kept;
    }
}

/* What this rank of the grid, the last dimension varying fastest, or the first, has of divided
 * axes. */
static box on_grid(const ptrdiff_t *n, int axes, const int *dims, int dimensions, bool column_major,
                   const int *divided, bool blocks, int rank)
{
    box it = {.start = {0}};
    memcpy(it.count, n, sizeof *n * (size_t)axes);
    for (int i = 0, rest = rank; i < dimensions; i++) {
        const int g = column_major ? i : dimensions - 1 - i;
        const ptrdiff_t size = n[divided[g]], block = (size + dims[g] - 1) / dims[g];
        const ptrdiff_t at = rest % dims[g], more = size % dims[g];
        const ptrdiff_t plain = at * (size / dims[g]) + (at < more ? at : more);
        const ptrdiff_t begin = !blocks ? plain : at * block < size ? at * block : size;
        ptrdiff_t count = size / dims[g] + (at < more);
        if (blocks)
            count = size - begin < block ? size - begin : block;
        it.start[divided[g]] = begin;
        it.count[divided[g]] = count;
        rest /= dims[g];
    }
    return it;
}

weft_distribution distributions_any(unsigned *state, MPI_Comm comm, int axes, const ptrdiff_t *n,
                                    box *mine)
{
    box boxes[DISTRIBUTIONS_MOST_RANKS];
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (arrays_random(state, 2)) {
        tile(state, axes, n, ranks, boxes);
        *mine = boxes[rank];
        return WEFT(distribution_boxes)(comm, axes, n, mine->start, mine->count);
    }
    int dims[ARRAYS_RANK], divided[ARRAYS_RANK];
    const int dimensions = 1 + (int)arrays_random(state, (unsigned)axes);
    const bool blocks = arrays_random(state, 2);
    for (int axis = 0; axis < axes; axis++)
        divided[axis] = axis;
    for (int axis = axes - 1; axis > 0; axis--) {
        const int other = (int)arrays_random(state, (unsigned)axis + 1), kept = divided[axis];
        divided[axis] = divided[other];
        divided[other] = kept;
    }
    const bool column_major = arrays_random(state, 2);
    weft_grid grid = column_major ? WEFT(grid_create_column_major)(comm, dimensions, NULL)
                                  : WEFT(grid_create)(comm, dimensions, NULL);
    WEFT(grid_dims)(grid, dims);
    weft_distribution made =
        WEFT(distribution_grid)(grid, axes, n, divided, blocks ? WEFT_FFTW_BLOCKS : 0);
    WEFT(grid_free)(grid);
    *mine = on_grid(n, axes, dims, dimensions, column_major, divided, blocks, rank);
    return made;
}
