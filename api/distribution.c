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
#include "kernels/base/memory.h"
#include "api/mpi-state.h"
#include "api/planning.h"
#include "planner/handle.h"

/* With at most this many boxes all boxes have less than 2^31 bytes. */
enum { MOST_BOXES = 1 << 21 };

static weft_distribution make(MPI_Comm comm, int ranks, int axes, const ptrdiff_t *size)
{
    struct weft_distribution_s *made = weft_new(1, sizeof *made, "a distribution");
    if (made) {
        made->comm = comm;
        made->ranks = ranks;
        weft_layout_init(&made->layout, axes, size, 1);
    }
    return made;
}

/* The same for all ranks of a grid; NULL with an error if an argument is not valid. */
static weft_distribution make_on(const char *function, weft_grid grid, int axes,
                                 const ptrdiff_t *size)
{
    weft_error_clear();
    return weft_grid_given(function, grid) && weft_sizes_valid(function, axes, size, 1)
               ? make(grid->comm, grid->ranks, axes, size)
               : NULL;
}

void WEFT(distribution_free)(weft_distribution distribution)
{
    if (distribution)
        weft_layout_drop(&distribution->layout);
    free(distribution);
}

/* Returns the distribution if `ok`; else frees it, prints the error and returns NULL. */
static weft_distribution kept_if(bool ok, weft_distribution made, MPI_Comm comm)
{
    if (!ok)
        WEFT(distribution_free)(made);
    return weft_or_error(ok ? made : NULL, comm);
}

static MPI_Comm comm_of(weft_grid grid)
{
    return grid ? grid->comm : MPI_COMM_NULL;
}

static weft_distribution from_layout(MPI_Comm comm, int ranks, const weft_layout *layout)
{
    weft_distribution made = make(comm, ranks, 0, NULL);
    if (made) {
        made->layout = *layout;
        made->layout.howmany = 1;
        weft_layout_keep(layout);
    }
    return made;
}

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

weft_distribution WEFT(distribution_grid)(weft_grid grid, int rnk, const ptrdiff_t *n,
                                          const int *axis, unsigned flags)
{
    const char *function = OWN_NAME("distribution_grid");
    weft_distribution made = make_on(function, grid, rnk, n);
    return kept_if(made && divide(function, &made->layout, &grid->process_grid, axis, flags), made,
                   comm_of(grid));
}

/* Makes a list and counts the boxes of all ranks. False, on all ranks and with an error, if there
 * are too many or a rank has no memory. */
static bool count_boxes(weft_distribution made, int boxes)
{
    int64_t all = 0;
    weft_box_list *list = made->layout.boxes = weft_box_list_new(made->ranks);
    if (!weft_agree(made->comm, list))
        return false;
    MPI_Allgather(&boxes, 1, MPI_INT, list->first + 1, 1, MPI_INT, made->comm);
    for (int rank = 0; rank < made->ranks; rank++) {
        all += list->first[rank + 1];
        list->several |= list->first[rank + 1] != 1;
        list->first[rank + 1] = all > MOST_BOXES ? MOST_BOXES : (int)all;
    }
    return all <= MOST_BOXES ||
           weft_error("the ranks have %lld boxes together; at most %d are allowed", (long long)all,
                      MOST_BOXES);
}

/* Collects an array of all ranks; rank r has the elements first[r] to first[r + 1] - 1. False, on
 * all ranks and with an error: a rank has no memory. */
static bool gather(const struct weft_distribution_s *made, const int *first, size_t element,
                   void *all)
{
    MPI_Datatype type;
    int *count = weft_new((size_t)made->ranks, sizeof *count, "the boxes of all ranks");
    const bool ok = weft_agree(made->comm, count);
    for (int i = 0; ok && i < made->ranks; i++)
        count[i] = first[i + 1] - first[i];
    if (ok) {
        MPI_Type_create_hvector(1, (int)element, 0, MPI_BYTE, &type);
        MPI_Type_commit(&type);
        MPI_Allgatherv(MPI_IN_PLACE, 0, type, all, count, first, type, made->comm);
        MPI_Type_free(&type);
    }
    free(count);
    return ok;
}

static bool gather_boxes(weft_distribution made, int rank, int boxes, const ptrdiff_t *start,
                         const ptrdiff_t *count)
{
    if (!count_boxes(made, boxes))
        return false;
    weft_box_list *list = made->layout.boxes;
    list->box =
        weft_new((size_t)list->first[made->ranks], sizeof *list->box, "the boxes of all ranks");
    if (!weft_agree(made->comm, list->box))
        return false;
    for (int i = list->first[rank]; i < list->first[rank + 1]; i++)
        for (int axis = 0; axis < made->layout.axes; axis++)
            list->box[i].span[axis] = (weft_span){*start++, *count++};
    return gather(made, list->first, sizeof *list->box, list->box);
}

weft_distribution weft_distribution_from_boxes(const char *function, MPI_Comm comm, int axes,
                                               const ptrdiff_t *size, int boxes,
                                               const ptrdiff_t *start, const ptrdiff_t *count)
{
    int rank, ranks;
    weft_error_clear();
    if (!weft_comm_usable_on_all(function, comm, &rank, &ranks))
        return weft_or_error(NULL, comm);
    WEFT_ERRORS_ARE_FATAL(comm);
    bool valid = weft_sizes_valid(function, axes, size, 1);
    if (valid && (boxes < 0 || boxes > MOST_BOXES))
        valid = weft_error("%s: the number of boxes is %d; it must be 0 to %d", function, boxes,
                           MOST_BOXES);
    else if (valid && boxes > 0 && (!start || !count))
        valid = weft_error("%s: the start or the count of the box is NULL", function);
    weft_distribution made = valid ? make(comm, ranks, axes, size) : NULL;
    const bool ok = weft_agree_both(comm, made != NULL, size,
                                    made ? sizeof *size * (size_t)axes : 0, "the size", NULL) &&
                    weft_agree(comm, gather_boxes(made, rank, boxes, start, count)) &&
                    weft_agree(comm, weft_boxes_tile(&made->layout));
    return kept_if(ok, made, comm);
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

weft_distribution WEFT(distribution_rows)(weft_grid grid, int rnk, const ptrdiff_t *n,
                                          const int *given)
{
    int order[WEFT_MAX_RANK];
    const char *function = OWN_NAME("distribution_rows");
    weft_distribution made = make_on(function, grid, rnk, n);
    const bool ok = made && order_of(function, rnk, given, order);
    if (ok)
        weft_layout_set_rows(&made->layout, order, grid->ranks);
    return kept_if(ok, made, comm_of(grid));
}

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

/* Copies the distribution without its enclosing arrays and allocates memory for the descriptions of
 * new ones, one for each box of each rank. NULL with an error: no memory. */
static weft_distribution copy_to_embed(const struct weft_distribution_s *distribution)
{
    weft_layout layout = distribution->layout;
    layout.enclosing = NULL;
    layout.padded = 0;
    weft_distribution made = from_layout(distribution->comm, distribution->ranks, &layout);
    weft_box_list *list = made ? weft_box_list_new(made->ranks) : NULL;
    if (list) {
        made->layout.enclosing = list;
        for (int rank = 0; rank < made->ranks; rank++)
            list->first[rank + 1] = list->first[rank] + weft_layout_list(&layout, rank, NULL, NULL);
        list->enclosing = weft_new((size_t)list->first[made->ranks] * 2 * (size_t)layout.axes,
                                   sizeof *list->enclosing, "the arrays around boxes");
        if (list->enclosing)
            return made;
    }
    WEFT(distribution_free)(made);
    return NULL;
}

weft_distribution WEFT(distribution_embedded)(weft_distribution distribution,
                                              const ptrdiff_t *sizes, const ptrdiff_t *offsets)
{
    const char *function = OWN_NAME("distribution_embedded");
    const MPI_Comm comm = distribution ? distribution->comm : MPI_COMM_NULL;
    int rank, ranks;
    weft_error_clear();
    if (!distribution)
        weft_error("%s: the distribution is NULL", function);
    if (!distribution || !weft_comm_usable(function, comm, &rank, &ranks))
        return weft_or_error(NULL, comm);
    WEFT_ERRORS_ARE_FATAL(comm);
    const uint64_t digest = weft_layout_digest(&distribution->layout);
    const size_t axes = (size_t)distribution->layout.axes;
    weft_distribution made = NULL;
    if (all_fit(function, &distribution->layout, rank, sizes, offsets))
        made = copy_to_embed(distribution);
    bool ok = weft_agree_both(comm, made, &digest, sizeof digest, "the distribution", NULL);
    if (ok) {
        const int *first = made->layout.enclosing->first;
        ptrdiff_t *all = made->layout.enclosing->enclosing;
        for (int i = first[rank]; i < first[rank + 1]; i++, sizes += axes, offsets += axes) {
            memcpy(all + 2 * axes * (size_t)i, sizes, axes * sizeof *all);
            memcpy(all + 2 * axes * (size_t)i + axes, offsets, axes * sizeof *all);
        }
        ok = gather(made, first, 2 * axes * sizeof *all, all);
    }
    return kept_if(ok, made, comm);
}

static bool has_process(const char *function, weft_distribution distribution, int process)
{
    weft_error_clear();
    return (distribution && process >= 0 && process < distribution->ranks) ||
           weft_error("%s: the distribution is NULL, or has no process %d", function, process);
}

/* If a process has several boxes, this returns the smallest box that contains all of them. */
ptrdiff_t WEFT(distribution_box)(weft_distribution distribution, int process, ptrdiff_t *start,
                                 ptrdiff_t *count)
{
    weft_box box, around;
    if (!has_process(OWN_NAME("distribution_box"), distribution, process))
        return 0;
    const weft_layout *layout = &distribution->layout;
    weft_boxes boxes = weft_boxes_of(layout, process);
    weft_layout_box(layout, process, &around);
    if (weft_boxes_next(&boxes, &around))
        while (weft_boxes_next(&boxes, &box))
            for (int axis = 0; axis < layout->axes; axis++)
                around.span[axis] = weft_span_around(around.span[axis], box.span[axis]);
    for (int axis = 0; axis < layout->axes; axis++)
        weft_put_span(around.span[axis], axis, start, count);
    return weft_layout_local_elements(layout, process);
}

int WEFT(distribution_list)(weft_distribution distribution, int process, int *order,
                            ptrdiff_t *start, ptrdiff_t *count)
{
    if (!has_process(OWN_NAME("distribution_list"), distribution, process))
        return 0;
    for (int i = 0; order && i < distribution->layout.axes; i++)
        order[i] = distribution->layout.order[i];
    return weft_layout_list(&distribution->layout, process, start, count);
}

weft_distribution WEFT(plan_layout)(FFTW(plan) handle, MPI_Comm comm, int output)
{
    const char *function = OWN_NAME("plan_layout");
    const weft_plan *plan = weft_handle_plan(handle);
    int rank, ranks;
    weft_error_clear();
    if (!plan)
        weft_error("%s: the plan is not one of Weft's", function);
    if (!plan || !weft_comm_usable(function, comm, &rank, &ranks))
        return weft_or_error(NULL, comm);
    const weft_problem_side *side = output ? &plan->problem.to : &plan->problem.from;
    if (ranks != plan->problem.ranks || side->scrambled) {
        weft_error(ranks != plan->problem.ranks
                       ? "%s: the communicator has another number of ranks than the plan"
                       : "%s: this side of the plan is scrambled, so it has no distribution",
                   function);
        return weft_or_error(NULL, comm);
    }
    return weft_or_error(from_layout(comm, ranks, &side->layout), comm);
}
