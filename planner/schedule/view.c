/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views: how passes read and write arrays, in the order of a layout or as the blocks of an
 * exchange. Blocks form a view if each rank's box is cut along one axis only, into one block for
 * each peer. The blocks are in order of ranks in memory. Along the axis they are in order of ranks
 * on a grid, and in any order for boxes without a grid. Two ranks, from slabs of axis 0 to slabs of
 * axis 1:
 *
 *     the pass before writes     in memory                   the pass after, of rank 1, reads
 *     its rows, block by block                               its columns
 *                                rank 0  [to 0][to 1]--.
 *                                                       >--  block 0, block 1
 *                                rank 1  [to 0][to 1]--'
 *
 * In an exchange through memory, blocks stay in the part of the rank that wrote them; by messages,
 * blocks arrive one after another in an array of the receiver. A rank need not copy its own block
 * (the block that it keeps) when a pass can read that block in the input or write it to the output.
 */
#include <stdlib.h>
#include "kernels/base/memory.h"
#include "planner/schedule/schedule.h"

/* Whether every rank has the same span of an axis in both layouts, which are on grids that divide
 * the axis of `b`. */
static bool divided_alike(const weft_layout *a, const weft_layout *b, int axis)
{
    const weft_axis *x = &a->axis[axis], *y = &b->axis[axis];
    return x->grid_axis == y->grid_axis && x->rule == y->rule && x->block == y->block &&
           a->grid[y->grid_axis] == b->grid[y->grid_axis];
}

/* The axis along which a block is shorter than the box, if `cut` was negative or the same axis;
 * WEFT_MAX_AXES: several axes. */
static int cut_along(int axes, const weft_box *box, const weft_box *common, int cut)
{
    for (int axis = 0; axis < axes; axis++)
        if (common->span[axis].count != box->span[axis].count)
            cut = cut < 0 || cut == axis ? axis : WEFT_MAX_AXES;
    return cut;
}

/* The axis along which the boxes of the other layout cut a rank's box; negative: none;
 * WEFT_MAX_AXES: several axes. */
static int cut_of_box(const weft_layout *mine, const weft_layout *other, int rank, int ranks)
{
    weft_box box, peer, common;
    int cut = -1;
    weft_layout_box(mine, rank, &box);
    for (int i = 0; i < ranks && cut < WEFT_MAX_AXES; i++) {
        /* read listed boxes in place: the list is long */
        if (!other->boxes)
            weft_layout_box(other, i, &peer);
        if (weft_box_intersect(mine->axes, &box, other->boxes ? &other->boxes->box[i] : &peer,
                               &common))
            cut = cut_along(mine->axes, &box, &common, cut);
    }
    return cut;
}

/* Whether the span of an axis on any rank belongs to several spans in the other layout. Both
 * layouts are on grids. `group` lists the ranks to look at; NULL: ranks 0 to ranks - 1. */
static bool cuts(const weft_layout *mine, const weft_layout *other, int axis, const int *group,
                 int ranks)
{
    weft_box box;
    int first, last;
    if (other->axis[axis].grid_axis < 0 || divided_alike(mine, other, axis))
        return false;
    for (int i = 0; i < ranks; i++) {
        weft_layout_box(mine, group ? group[i] : i, &box);
        if (weft_layout_meets(other, axis, box.span[axis], &first, &last) && first != last)
            return true;
    }
    return false;
}

bool weft_blocks_are_view(const weft_layout *mine, const weft_layout *other, int ranks)
{
    int cut = 0;
    if (!weft_layout_is_single(mine) || !weft_layout_is_single(other))
        return false; /* several boxes of a rank are several arrays */
    if (!weft_layout_is_regular(mine) || !weft_layout_is_regular(other)) {
        for (int rank = 0; rank < ranks; rank++)
            if (cut_of_box(mine, other, rank, ranks) == WEFT_MAX_AXES)
                return false;
        return true;
    }
    for (int axis = 0; axis < mine->axes; axis++)
        cut += cuts(mine, other, axis, NULL, ranks);
    return cut <= 1;
}

/* The layout of this rank's array in an exchange: on the side of received or of sent blocks. */
static const weft_layout *layout_on(const weft_exchange *exchange, bool received)
{
    return &weft_exchange_layouts(exchange)[received];
}

/* The innermost axis along which the ranks of the other side cut an array in a window. Each rank's
 * part along that axis is contiguous, so that no rank steps over another rank's data.
 * Returns -1 when no axis is cut, or when boxes follow no grid, because such cuts can differ from
 * place to place. */
static int split_axis(const weft_exchange *exchange, bool received)
{
    const weft_layout *window = layout_on(exchange, received),
                      *other = layout_on(exchange, !received);
    const bool regular = weft_layout_is_regular(window) && weft_layout_is_regular(other);
    for (int i = window->axes - 1; i >= 0 && regular && !window->padded; i--)
        if (cuts(window, other, window->order[i], weft_base(exchange)->group, exchange->ranks))
            return window->order[i];
    return -1;
}

/* Sets offset and strides of a part of a rank's box, in an array in the order of the layout, in its
 * enclosing array if `enclosed`. If `split` is not negative, the array consists of ranges of this
 * axis, one after another, and the part is in the range with the same indices. */
static void place_part(const weft_layout *layout, int rank, bool enclosed, int split,
                       const weft_box *part, weft_view_block *block)
{
    weft_box range, before;
    weft_layout_box(layout, rank, &range);
    before = range;
    if (split >= 0)
        range.span[split] = part->span[split];
    block->offset = weft_layout_place(
        layout, &range, enclosed ? weft_layout_enclosing(layout, rank) : NULL, block->stride);
    block->stride[layout->axes] = 1;
    for (int axis = 0; axis < layout->axes; axis++)
        block->offset += (part->span[axis].start - range.span[axis].start) * block->stride[axis];
    if (split >= 0) {
        before.span[split].count = range.span[split].start - before.span[split].start;
        block->offset += weft_layout_elements(layout, &before);
    }
}

/* Makes the view of a rank's box in the order of its layout. */
static bool view_plain(const weft_layout *layout, int rank, weft_view *view)
{
    weft_view_block block = {0};
    weft_box box;
    weft_layout_box(layout, rank, &box);
    block.count = box.span[0].count;
    place_part(layout, rank, true, -1, &box, &block);
    *view = (weft_view){.axis = 0};
    return weft_view_add(view, &block);
}

/* The beginning of a span of this rank, up to the end of the span of the rank of the other side
 * that has its first index. */
static weft_span first_part(const weft_exchange *exchange, bool received, int axis, weft_span span)
{
    weft_box box;
    for (int i = 0; i < exchange->ranks; i++) {
        weft_layout_box(layout_on(exchange, !received), weft_base(exchange)->group[i], &box);
        const weft_span part = weft_span_intersect(span, box.span[axis]);
        if (part.count > 0 && part.start == span.start)
            return part;
    }
    return span;
}

/* Makes the view of an array in shared memory that is not in blocks. The array has the order of its
 * layout, except that along split_axis each rank's part is contiguous and the parts follow one
 * another in order of ranks. */
static bool view_split(const weft_exchange *exchange, bool received, weft_view *view)
{
    const weft_layout *mine = layout_on(exchange, received);
    const int rank = weft_base(exchange)->group[exchange->rank],
              axis = split_axis(exchange, received);
    weft_box part;
    weft_layout_box(mine, rank, &part);
    *view = (weft_view){.axis = axis < 0 ? 0 : axis};
    weft_span *span = &part.span[view->axis], left = *span;
    for (; left.count > 0; left.start += span->count, left.count -= span->count) {
        if (axis >= 0)
            *span = first_part(exchange, received, axis, left);
        weft_view_block block = {.count = span->count};
        place_part(mine, rank, false, axis, &part, &block);
        if (!weft_view_add(view, &block))
            return false;
    }
    return true;
}

/* One side of an exchange, as a pass next to the exchange needs it to make a view of the blocks. */
typedef struct {
    const weft_step *exchange;
    bool received; /* the side of the blocks that this rank receives, not of those that it sends */
    bool without_own; /* the view leaves out the own block */
    /* the memory of the pass; with WEFT_ALL_PARTS, block i is in the array of rank i of the group
     */
    const weft_array_location *end;
    bool ordered; /* the arrays do not consist of blocks: they have the order of `layout` */
    /* the layout of a user's array; if not `ordered`, this array may contain the own block */
    const weft_layout *layout;
} blocks_seen;

/* Sets the array of the block that is exchanged with a peer, and the block's place unless that is
 * among this rank's packed blocks. */
static void place_block(const blocks_seen *seen, int peer, weft_box *common, weft_view_block *block)
{
    const weft_exchange *exchange = seen->exchange->transfer.exchange;
    const unsigned blocked = seen->received ? WEFT_FROM_BLOCKED : WEFT_TO_BLOCKED;
    const bool memory = seen->exchange->kind == WEFT_MEMORY,
               apart = seen->end->place == WEFT_ALL_PARTS,
               alone = peer == exchange->rank && seen->end->own != WEFT_NOWHERE;
    const int rank = weft_base(exchange)->group[apart ? peer : exchange->rank];
    block->array = !apart ? alone : alone ? exchange->ranks : peer;
    if (seen->ordered || (memory && alone))
        place_part(seen->layout, rank, true, -1, common, block);
    else if ((apart || alone) && !weft_has_flag(seen->exchange, blocked))
        place_part(layout_on(exchange, !seen->received), rank, alone,
                   alone ? -1 : split_axis(exchange, !seen->received), common, block);
    else if (apart || alone) /* in blocks on the other side */
        weft_exchange_packed_block(exchange, !seen->received, peer, exchange->rank, common,
                                   &block->offset, block->stride);
}

/* Describes the block that this rank exchanges with a peer, and sets the axis that is cut. Returns
 * false when there is no such block. */
static bool describe_block(const blocks_seen *seen, const weft_box *box, int peer, int *axis,
                           weft_view_block *block)
{
    const weft_exchange *exchange = seen->exchange->transfer.exchange;
    weft_box common;
    if ((seen->without_own && peer == exchange->rank) ||
        !weft_exchange_packed_block(exchange, seen->received, exchange->rank, peer, &common,
                                    &block->offset, block->stride))
        return false;
    const int cut = cut_along(layout_on(exchange, true)->axes, box, &common, -1);
    *axis = cut < 0 ? 0 : cut;
    block->start = common.span[*axis].start;
    block->count = common.span[*axis].count;
    place_block(seen, peer, &common, block);
    return true;
}

static int compare_starts(const void *a, const void *b)
{
    const ptrdiff_t one = ((const weft_view_block *)a)->start,
                    other = ((const weft_view_block *)b)->start;
    return (one > other) - (one < other);
}

/* Makes the view of this rank's blocks, in order along the axis that is cut. */
static bool view_blocks(const blocks_seen *seen, weft_view *view)
{
    const weft_exchange *exchange = seen->exchange->transfer.exchange;
    weft_view_block *all = weft_new((size_t)exchange->ranks, sizeof *all, "a view of blocks");
    weft_box box;
    int count = 0;
    bool ok = all;
    *view = (weft_view){0};
    weft_layout_box(layout_on(exchange, seen->received), weft_base(exchange)->group[exchange->rank],
                    &box);
    for (int peer = 0; ok && peer < exchange->ranks; peer++)
        count += describe_block(seen, &box, peer, &view->axis, &all[count]);
    if (ok)
        qsort(all, (size_t)count, sizeof *all, compare_starts);
    for (int i = 0; ok && i < count; i++)
        ok = weft_view_add(view, &all[i]);
    free(all);
    return ok;
}

static const weft_step *exchange_beside(const weft_schedule *schedule, int pass, bool is_source)
{
    const int next = is_source ? pass - 1 : pass + 1;
    return next >= 0 && next < schedule->steps ? &schedule->step[next] : NULL;
}

/* The exchange whose own block a pass does not copy, because the pass on the other side of the
 * exchange reads or writes this block in the user's array (weft_memory_step.own); NULL: none. */
static const weft_step *left_out(const weft_schedule *schedule, int pass, weft_box *own)
{
    const weft_step *previous = exchange_beside(schedule, pass, true),
                    *next = exchange_beside(schedule, pass, false);
    const weft_step *step = next && next->memory.own == WEFT_IN            ? next
                            : previous && previous->memory.own == WEFT_OUT ? previous
                                                                           : NULL;
    weft_view_block ignored;
    if (!step)
        return NULL;
    const weft_exchange *exchange = step->transfer.exchange;
    return weft_exchange_packed_block(exchange, false, exchange->rank, exchange->rank, own,
                                      &ignored.offset, ignored.stride)
               ? step
               : NULL;
}

bool weft_step_view(const weft_schedule *schedule, const weft_path *path, int rank, int pass,
                    bool is_source, weft_view *view)
{
    weft_box own;
    const weft_step *step = &schedule->step[pass],
                    *next = exchange_beside(schedule, pass, is_source),
                    *left = left_out(schedule, pass, &own);
    const weft_stage *stage = &path->stage[step->stage];
    const weft_array_location *end = is_source ? &step->from : &step->to;
    const bool blocked =
        next && weft_has_flag(next, is_source ? WEFT_TO_BLOCKED : WEFT_FROM_BLOCKED);
    /* the copy of a user's array, for the case that the ranks cannot share the array */
    const bool copy = next && next->memory.shares && end->place == WEFT_PART;
    blocks_seen seen = {.exchange = next, .received = is_source, .without_own = left, .end = end};
    if (copy || !next || (next->kind == WEFT_MESSAGES && !blocked)) {
        seen.layout = is_source == copy ? &stage->after : &stage->before;
        if (!left)
            return view_plain(seen.layout, rank, view);
        /* the view consists of one block for each other rank */
        seen.exchange = left;
        seen.received = left < step;
        seen.ordered = true;
        return view_blocks(&seen, view);
    }
    if (!blocked)
        return view_split(next->transfer.exchange, is_source, view);
    seen.layout = is_source ? &stage[-1].before : &stage[1].after;
    seen.ordered = next->memory.shares;
    /* an exchange that undoes an earlier one uses the blocks of the earlier one */
    if (next->memory.region_of != next - schedule->step) {
        seen.exchange = &schedule->step[next->memory.region_of];
        seen.received = !is_source;
    }
    return view_blocks(&seen, view);
}

bool weft_step_leave_out_own(const weft_schedule *schedule, int pass, weft_box *before,
                             weft_box *after)
{
    weft_box own;
    const weft_step *exchange = left_out(schedule, pass, &own);
    int axis = 0; /* the axis along which the own block is cut, if any */
    if (!exchange)
        return true;
    while (axis + 1 < layout_on(exchange->transfer.exchange, false)->axes &&
           own.span[axis].count == before->span[axis].count)
        axis++;
    before->span[axis].count -= own.span[axis].count;
    after->span[axis].count = before->span[axis].count;
    return before->span[axis].count > 0;
}
