/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributions: layouts that programs describe. */
#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "api/grid.h"
#include "api/mpi-state.h"

static weft_distribution make(const char *function, MPI_Comm comm, int ranks, int axes,
                              const ptrdiff_t *size)
{
    struct weft_distribution_s *made = calloc(1, sizeof *made);
    if (!made) {
        weft_error("%s: no memory for a distribution", function);
        return NULL;
    }
    made->comm = comm;
    made->ranks = ranks;
    weft_layout_init(&made->layout, axes, size, 1);
    return made;
}

void weft_distribution_drop(weft_distribution distribution)
{
    if (distribution)
        free(distribution->box);
    free(distribution);
}

/* Divides the axes of the layout. */
static bool divide(const char *function, weft_layout *layout, const weft_process_grid *process_grid,
                   const int *axis, unsigned flags)
{
    bool taken[WEFT_MAX_RANK] = {false};
    if (process_grid->axes > layout->axes || flags & ~WEFT_FFTW_BLOCKS) {
        weft_error("%s: a grid of %d dimensions for %d axes, or flags 0x%x other than "
                   "WEFT_FFTW_BLOCKS",
                   function, process_grid->axes, layout->axes, flags);
        return false;
    }
    layout->grid_axes = process_grid->axes;
    for (int g = 0; g < process_grid->axes; g++) {
        const int divided = axis ? axis[g] : g;
        if (divided < 0 || divided >= layout->axes || taken[divided]) {
            weft_error("%s: dimension %d of the grid divides axis %d, which is no axis or divided "
                       "by another one",
                       function, g, divided);
            return false;
        }
        taken[divided] = true;
        layout->grid[g] = process_grid->extent[g];
        layout->axis[divided].grid_axis = g;
        layout->axis[divided].rule = flags & WEFT_FFTW_BLOCKS ? WEFT_BLOCKS : WEFT_BALANCED;
    }
    return true;
}

weft_distribution weft_distribution_on(const char *function, const struct weft_grid_s *grid,
                                       int axes, const ptrdiff_t *size, const int *axis,
                                       unsigned flags)
{
    weft_error_clear();
    if (!grid) {
        weft_error("%s: the grid is NULL", function);
        return NULL;
    }
    if (!weft_sizes_valid(function, axes, size, 1))
        return NULL;
    weft_distribution made = make(function, grid->comm, grid->ranks, axes, size);
    if (made && divide(function, &made->layout, &grid->process_grid, axis, flags) &&
        weft_layout_valid(&made->layout, grid->ranks))
        return made;
    weft_distribution_drop(made);
    return NULL;
}

/* Everybody's box, from everybody. */
static bool gather(weft_distribution made, const ptrdiff_t *start, const ptrdiff_t *count)
{
    const int axes = made->layout.axes;
    ptrdiff_t mine[2 * WEFT_MAX_RANK];
    ptrdiff_t *all = malloc(sizeof *all * 2 * (size_t)axes * (size_t)made->ranks);
    made->box = calloc((size_t)made->ranks, sizeof *made->box);
    if (!all || !made->box)
        weft_error("no memory for the boxes of %d ranks", made->ranks);
    if (!weft_agree(made->comm, all && made->box)) {
        free(all);
        return false;
    }
    for (int axis = 0; axis < axes; axis++) {
        mine[axis] = start[axis];
        mine[axes + axis] = count[axis];
    }
    const int bytes = 2 * axes * (int)sizeof *mine;
    MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, made->comm);
    for (int rank = 0; rank < made->ranks; rank++)
        for (int axis = 0; axis < axes; axis++) {
            const ptrdiff_t *of = all + (ptrdiff_t)rank * 2 * axes;
            made->box[rank].span[axis] = (weft_span){of[axis], of[axes + axis]};
        }
    free(all);
    made->layout.box = made->box;
    made->layout.boxes = made->ranks;
    return true;
}

weft_distribution weft_distribution_of(const char *function, MPI_Comm comm, int axes,
                                       const ptrdiff_t *size, const ptrdiff_t *start,
                                       const ptrdiff_t *count)
{
    int rank, ranks;
    weft_error_clear();
    if (!weft_comm_usable(function, comm, &rank, &ranks))
        return NULL;
    WEFT_ERRORS_ARE_FATAL(comm);
    bool valid = weft_sizes_valid(function, axes, size, 1);
    if (valid && (!start || !count)) {
        weft_error("%s: the start or the count of the box is NULL", function);
        valid = false;
    }
    weft_distribution made = valid ? make(function, comm, ranks, axes, size) : NULL;
    if (!weft_agree_both(comm, made != NULL, size, made ? sizeof *size * (size_t)axes : 0,
                         "the size", NULL) ||
        !weft_agree(comm, gather(made, start, count)) ||
        !weft_agree(comm, weft_layout_valid(&made->layout, ranks))) {
        weft_distribution_drop(made);
        return NULL;
    }
    return made;
}

bool weft_distributions_fit(const char *function, const struct weft_distribution_s *from,
                            const struct weft_distribution_s *to)
{
    int same;
    if (!from || !to) {
        weft_error("%s: a distribution is NULL", function);
        return false;
    }
    MPI_Comm_compare(from->comm, to->comm, &same);
    if (same != MPI_IDENT && same != MPI_CONGRUENT) {
        weft_error("%s: the distributions are of different communicators", function);
        return false;
    }
    if (from->layout.axes != to->layout.axes) {
        weft_error("%s: one distribution has %d axes, the other %d", function, from->layout.axes,
                   to->layout.axes);
        return false;
    }
    for (int axis = 0; axis < from->layout.axes; axis++)
        if (from->layout.axis[axis].size != to->layout.axis[axis].size) {
            weft_error("%s: axis %d has a size of %td in one distribution, of %td in the other",
                       function, axis, from->layout.axis[axis].size, to->layout.axis[axis].size);
            return false;
        }
    return true;
}
