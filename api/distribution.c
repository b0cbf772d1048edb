/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distributions: layouts that programs describe. A box may be part of a larger enclosing array,
 * with halos or padding around it. Every rank knows the sizes of the enclosing arrays of all ranks,
 * because it computes how many numbers the other ranks have and may read them in place.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "api/grid.h"
#include "api/mpi-state.h"

/* With at most this many boxes every message has less than 2^31 bytes, for any number of axes. */
enum { MOST_BOXES = 1 << 22 };

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

weft_distribution weft_distribution_from_layout(const char *function, MPI_Comm comm, int ranks,
                                                const weft_layout *layout)
{
    ptrdiff_t size[WEFT_MAX_RANK];
    for (int axis = 0; axis < layout->axes; axis++)
        size[axis] = layout->axis[axis].size;
    weft_distribution made = make(function, comm, ranks, layout->axes, size);
    if (made && !weft_layout_copy(layout, &made->layout)) {
        free(made);
        return NULL;
    }
    if (made) {
        made->layout.howmany = 1;
        made->box = (weft_box *)made->layout.box;
        made->first = (int *)made->layout.first;
        made->enclosing = (ptrdiff_t *)made->layout.enclosing;
        made->first_enclosing = (int *)made->layout.first_enclosing;
    }
    return made;
}

void weft_distribution_drop(weft_distribution distribution)
{
    if (distribution) {
        free(distribution->box);
        free(distribution->first);
        free(distribution->enclosing);
        free(distribution->first_enclosing);
    }
    free(distribution);
}

/* Divides the axes of the layout between the dimensions of the grid. */
static bool divide(const char *function, weft_layout *layout, const weft_process_grid *process_grid,
                   const int *axis, unsigned flags)
{
    bool taken[WEFT_MAX_RANK] = {false};
    if (process_grid->axes > layout->axes || flags & ~WEFT_FFTW_BLOCKS)
        return weft_error("%s: the grid has %d dimensions for %d axes, and the flags are 0x%x; a "
                          "grid can have at most as many dimensions as there are axes, and the "
                          "flags must be 0 or WEFT_FFTW_BLOCKS",
                          function, process_grid->axes, layout->axes, flags);
    layout->grid_axes = process_grid->axes;
    for (int g = 0; g < process_grid->axes; g++) {
        const int divided = axis ? axis[g] : g;
        if (divided < 0 || divided >= layout->axes || taken[divided])
            return weft_error("%s: dimension %d of the grid is to divide axis %d; each dimension "
                              "must divide a different axis, 0 to %d",
                              function, g, divided, layout->axes - 1);
        const int place = weft_process_grid_place(process_grid, g);
        taken[divided] = true;
        layout->grid[place] = process_grid->extent[g];
        layout->axis[divided].grid_axis = place;
        layout->axis[divided].rule = flags & WEFT_FFTW_BLOCKS ? WEFT_BLOCKS : WEFT_BALANCED;
    }
    return true;
}

weft_distribution weft_distribution_on_grid(const char *function, const struct weft_grid_s *grid,
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
    if (made && divide(function, &made->layout, &grid->process_grid, axis, flags))
        return made;
    weft_distribution_drop(made);
    return NULL;
}

/* Counts the boxes of all ranks and sets `first` of the layout, which is NULL if every rank has one
 * box. */
static bool count_boxes(weft_distribution made, int boxes)
{
    int64_t all = 0;
    bool one = true;
    made->first = malloc(sizeof *made->first * ((size_t)made->ranks + 1));
    if (!made->first)
        weft_error("no memory for the boxes of %d ranks", made->ranks);
    if (!weft_agree(made->comm, made->first))
        return false;
    MPI_Allgather(&boxes, 1, MPI_INT, made->first + 1, 1, MPI_INT, made->comm);
    made->first[0] = 0;
    for (int rank = 0; rank < made->ranks; rank++) {
        one &= made->first[rank + 1] == 1;
        all += made->first[rank + 1];
        made->first[rank + 1] = all > MOST_BOXES ? MOST_BOXES : (int)all;
    }
    made->layout.first = one ? NULL : made->first;
    made->layout.boxes = made->ranks;
    if (all > MOST_BOXES)
        weft_error("the ranks have %lld boxes together; at most %d are allowed", (long long)all,
                   MOST_BOXES);
    return all <= MOST_BOXES;
}

/* Collects a list of all ranks: of each box of a rank, `axes` numbers of `one` and then of `other`.
 * The list of a rank begins with element first[rank]. `counts` has room for 2 numbers a rank. */
static void gather(const struct weft_distribution_s *made, int rank, const int *first,
                   const ptrdiff_t *one, const ptrdiff_t *other, ptrdiff_t *all, int *counts)
{
    const int axes = made->layout.axes;
    const size_t bytes = sizeof *all * (size_t)axes;
    int *places = counts + made->ranks;
    for (int i = first[rank]; i < first[rank + 1]; i++, one += axes, other += axes) {
        memcpy(all + (ptrdiff_t)i * 2 * axes, one, bytes);
        memcpy(all + (ptrdiff_t)i * 2 * axes + axes, other, bytes);
    }
    for (int i = 0; i < made->ranks; i++) {
        counts[i] = (first[i + 1] - first[i]) * 2 * (int)bytes;
        places[i] = first[i] * 2 * (int)bytes;
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all, counts, places, MPI_BYTE, made->comm);
}

/* Collects the boxes of all ranks. */
static bool gather_boxes(weft_distribution made, int rank, int boxes, const ptrdiff_t *start,
                         const ptrdiff_t *count)
{
    if (!count_boxes(made, boxes))
        return false;
    const size_t axes = (size_t)made->layout.axes, all = (size_t)made->first[made->ranks];
    ptrdiff_t *list = malloc(sizeof *list * (2 * axes * all + 1));
    int *counts = malloc(2 * sizeof *counts * (size_t)made->ranks);
    made->layout.box = made->box = calloc(all + 1, sizeof *made->box);
    bool ok = list && counts && made->box;
    if (!ok)
        weft_error("no memory for the boxes of %d ranks", made->ranks);
    ok = weft_agree(made->comm, ok);
    if (ok)
        gather(made, rank, made->first, start, count, list, counts);
    for (size_t box = 0; ok && box < all; box++)
        for (size_t axis = 0; axis < axes; axis++) {
            const ptrdiff_t *of = list + box * 2 * axes;
            made->box[box].span[axis] = (weft_span){of[axis], of[axes + axis]};
        }
    free(list);
    free(counts);
    return ok;
}

weft_distribution weft_distribution_from_boxes(const char *function, MPI_Comm comm, int axes,
                                               const ptrdiff_t *size, int boxes,
                                               const ptrdiff_t *start, const ptrdiff_t *count)
{
    int rank, ranks;
    weft_error_clear();
    if (!weft_comm_usable_on_all(function, comm, &rank, &ranks))
        return NULL;
    WEFT_ERRORS_ARE_FATAL(comm);
    bool valid = weft_sizes_valid(function, axes, size, 1);
    if (valid && (boxes < 0 || boxes > MOST_BOXES)) {
        weft_error("%s: the number of boxes is %d; it must be 0 to %d", function, boxes,
                   MOST_BOXES);
        valid = false;
    } else if (valid && boxes > 0 && (!start || !count)) {
        weft_error("%s: the start or the count of the box is NULL", function);
        valid = false;
    }
    weft_distribution made = valid ? make(function, comm, ranks, axes, size) : NULL;
    if (!weft_agree_both(comm, made != NULL, size, made ? sizeof *size * (size_t)axes : 0,
                         "the size", NULL) ||
        !weft_agree(comm, gather_boxes(made, rank, boxes, start, count)) ||
        !weft_agree(comm, weft_boxes_tile(&made->layout))) {
        weft_distribution_drop(made);
        return NULL;
    }
    return made;
}

static bool order_of(const char *function, int axes, const int *given, int *order)
{
    bool seen[WEFT_MAX_RANK] = {false};
    for (int i = 0; i < axes; i++) {
        order[i] = given ? given[i] : i;
        if (order[i] < 0 || order[i] >= axes || seen[order[i]])
            return weft_error(
                "%s: order[%d] is %d; the order must contain each axis, 0 to %d, once", function, i,
                order[i], axes - 1);
        seen[order[i]] = true;
    }
    return true;
}

weft_distribution weft_distribution_in_rows(const char *function, const struct weft_grid_s *grid,
                                            int axes, const ptrdiff_t *size, const int *given)
{
    int order[WEFT_MAX_RANK];
    weft_error_clear();
    if (!grid) {
        weft_error("%s: the grid is NULL", function);
        return NULL;
    }
    if (!weft_sizes_valid(function, axes, size, 1) || !order_of(function, axes, given, order))
        return NULL;
    weft_distribution made = make(function, grid->comm, grid->ranks, axes, size);
    if (made)
        weft_layout_set_rows(&made->layout, order, grid->ranks);
    return made;
}

static bool spectral(int kind)
{
    return kind >= WEFT_DFT_FORWARD && kind <= WEFT_DFT_C2R;
}

/* Whether the spectral side has the size that the number of modes requires. */
static bool has_modes(const char *function, int axis, ptrdiff_t modes, bool halved, ptrdiff_t size)
{
    const ptrdiff_t wanted = halved && modes > 0 ? modes / 2 + 1 : modes;
    return size == wanted ||
           weft_error(
               "%s: modes[%d] is %td, but the distribution of the spectrum has a size of %td%s",
               function, axis, modes, size, halved ? ", not of modes / 2 + 1" : "");
}

bool weft_distributions_fit(const char *function, const struct weft_distribution_s *from,
                            const struct weft_distribution_s *to, const int *kind,
                            const ptrdiff_t *modes)
{
    int same;
    if (!from || !to)
        return weft_error("%s: a distribution is NULL", function);
    MPI_Comm_compare(from->comm, to->comm, &same);
    if (same != MPI_IDENT && same != MPI_CONGRUENT)
        return weft_error("%s: the distributions belong to different communicators; both must be "
                          "made with the same one",
                          function);
    if (from->layout.axes != to->layout.axes)
        return weft_error("%s: one distribution has %d axes, the other %d", function,
                          from->layout.axes, to->layout.axes);
    const int last = from->layout.axes - 1;
    for (int axis = 0; axis <= last; axis++) {
        const ptrdiff_t before = from->layout.axis[axis].size, after = to->layout.axis[axis].size;
        const bool r2c = kind && axis == last && kind[last] == WEFT_DFT_R2C,
                   c2r = kind && axis == last && kind[last] == WEFT_DFT_C2R;
        if (modes && spectral(kind[axis])) {
            const bool backward = kind[axis] == WEFT_DFT_BACKWARD || c2r;
            if (!has_modes(function, axis, modes[axis], r2c || c2r, backward ? before : after))
                return false;
        } else if ((r2c ? before / 2 + 1 : before) != (c2r ? after / 2 + 1 : after)) {
            return weft_error(
                "%s: axis %d has a size of %td in one distribution, of %td in the other%s",
                function, axis, before, after, r2c || c2r ? "; the complex one has n / 2 + 1" : "");
        }
    }
    return true;
}

/* Whether a box fits into its enclosing array. */
static bool fits(const char *function, int axes, const weft_box *box, const ptrdiff_t *size,
                 const ptrdiff_t *offset)
{
    ptrdiff_t left = PTRDIFF_MAX;
    for (int axis = 0; axis < axes; axis++) {
        const ptrdiff_t count = box->span[axis].count;
        if (offset[axis] < 0 || offset[axis] > size[axis] || size[axis] - offset[axis] < count)
            return weft_error("%s: a box of %td indices along axis %d does not fit an enclosing "
                              "array of %td indices at offset %td",
                              function, count, axis, size[axis], offset[axis]);
        left /= size[axis];
    }
    return left > 0 ||
           weft_error("%s: an enclosing array has more elements than can be counted", function);
}

static bool all_fit(const char *function, const weft_layout *layout, int rank,
                    const ptrdiff_t *size, const ptrdiff_t *offset)
{
    weft_boxes boxes = weft_boxes_of(layout, rank);
    weft_box box;
    for (ptrdiff_t i = 0; weft_boxes_next(&boxes, &box); i += layout->axes) {
        if (!size || !offset)
            return weft_error("%s: the array of sizes or of offsets is NULL", function);
        if (!fits(function, layout->axes, &box, size + i, offset + i))
            return false;
    }
    return true;
}

/* Counts the enclosing arrays of each rank: each of its boxes has one. */
static void count_enclosing(weft_distribution made)
{
    made->first_enclosing[0] = 0;
    for (int rank = 0; rank < made->ranks; rank++)
        made->first_enclosing[rank + 1] =
            made->first_enclosing[rank] + weft_layout_list(&made->layout, rank, NULL, NULL);
}

/* Copies the distribution without its enclosing arrays and allocates memory for the descriptions of
 * new ones. Returns NULL with an error if there is no memory. */
static weft_distribution copy_without_enclosing(const char *function,
                                                const struct weft_distribution_s *distribution)
{
    weft_layout layout = distribution->layout;
    layout.enclosing = NULL;
    layout.first_enclosing = NULL;
    layout.padded = 0;
    weft_distribution made =
        weft_distribution_from_layout(function, distribution->comm, distribution->ranks, &layout);
    if (!made)
        return NULL;
    const size_t ranks = (size_t)made->ranks, axes = (size_t)layout.axes;
    made->first_enclosing = calloc(ranks + 1, sizeof *made->first_enclosing);
    if (made->first_enclosing) {
        count_enclosing(made);
        made->enclosing =
            calloc((size_t)made->first_enclosing[ranks] * 2 * axes + 1, sizeof *made->enclosing);
    }
    if (made->enclosing)
        return made;
    weft_error("%s: no memory for the arrays around boxes", function);
    weft_distribution_drop(made);
    return NULL;
}

weft_distribution weft_distribution_embed(const char *function,
                                          const struct weft_distribution_s *distribution,
                                          const ptrdiff_t *size, const ptrdiff_t *offset)
{
    int rank, ranks;
    weft_error_clear();
    if (!distribution) {
        weft_error("%s: the distribution is NULL", function);
        return NULL;
    }
    if (!weft_comm_usable(function, distribution->comm, &rank, &ranks))
        return NULL;
    WEFT_ERRORS_ARE_FATAL(distribution->comm);
    const uint64_t digest = weft_layout_digest(&distribution->layout);
    int *counts = malloc(2 * sizeof *counts * (size_t)ranks);
    weft_distribution made = NULL;
    if (!counts)
        weft_error("%s: no memory for the arrays around boxes", function);
    else if (all_fit(function, &distribution->layout, rank, size, offset))
        made = copy_without_enclosing(function, distribution);
    if (weft_agree_both(distribution->comm, made, &digest, sizeof digest, "the distribution",
                        NULL)) {
        gather(made, rank, made->first_enclosing, size, offset, made->enclosing, counts);
        made->layout.enclosing = made->enclosing;
        made->layout.first_enclosing = made->first_enclosing;
        made->layout.enclosing_ranks = ranks;
    } else {
        weft_distribution_drop(made);
        made = NULL;
    }
    free(counts);
    return made;
}
