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

/* Makes the view of a box in the order of its layout. `enclosing` describes the enclosing array of
 * the box; NULL: none, as in shared memory. */
static bool view_plain(const weft_layout *layout, const weft_box *box, const ptrdiff_t *enclosing,
                       weft_view *view)
{
    weft_view_block block = {.count = box->span[0].count};
    block.offset = weft_layout_place(layout, box, enclosing, block.stride);
    block.stride[layout->axes] = 1;
    *view = (weft_view){.axis = 0};
    return weft_view_add(view, &block);
}

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

/* One side of an exchange, as a pass next to the exchange needs it to make a view of the blocks. */
typedef struct {
    const weft_layout *mine;   /* the layout of the pass's array */
    const weft_layout *other;  /* the layout on the other side of the exchange */
    const weft_layout *travel; /* the layout whose order of axes messages use */
    const int *group;          /* the ranks that exchange data with one another */
    int ranks;
    int rank;       /* this rank's number in the caller's communicator */
    bool apart;     /* block i is in the array of group[i] */
    bool plain;     /* with apart: that array is not in blocks but in the order of view_split */
    bool shared;    /* with apart: that array is a user's array, in the order of the layout */
    bool leave_own; /* the own block is in the other side's array (array 1 of the pass) */
} blocks_seen;

/* Computes the strides within the block of `common`, whose axes are in the order of `travel`.
 * Returns the number of elements of the block. */
static ptrdiff_t block_strides(const blocks_seen *blocks, const weft_box *common, ptrdiff_t *stride)
{
    const weft_layout *travel = blocks->travel;
    ptrdiff_t step = travel->howmany;
    stride[travel->axes] = 1;
    for (int i = travel->axes - 1; i >= 0; i--) {
        const int axis = travel->order[i];
        stride[axis] = step;
        step *= common->span[axis].count;
    }
    return step;
}

/* The offset of a block among the blocks of a rank. The block is the intersection of the rank's box
 * in `layout` and the box of `peer` in `other`; the blocks of the lower ranks of the group come
 * before it. */
static ptrdiff_t block_offset(const blocks_seen *blocks, int rank, const weft_layout *layout,
                              int peer, const weft_layout *other)
{
    weft_box box, theirs, common;
    ptrdiff_t offset = 0, ignored[WEFT_MAX_AXES];
    weft_layout_box(layout, rank, &box);
    for (int i = 0; i < blocks->ranks && blocks->group[i] != peer; i++) {
        weft_layout_box(other, blocks->group[i], &theirs);
        if (weft_box_intersect(layout->axes, &box, &theirs, &common))
            offset += block_strides(blocks, &common, ignored);
    }
    return offset;
}

/* The innermost axis along which the ranks of the other side cut an array in a window. Each rank's
 * part along that axis is contiguous, so that no rank steps over another rank's data.
 * Returns -1 when no axis is cut, or when boxes follow no grid, because such cuts can differ from
 * place to place. */
static int split_axis(const weft_layout *window, const weft_layout *other, const int *group,
                      int ranks)
{
    const bool regular = weft_layout_is_regular(window) && weft_layout_is_regular(other);
    for (int i = window->axes - 1; i >= 0 && regular && !window->padded; i--)
        if (cuts(window, other, window->order[i], group, ranks))
            return window->order[i];
    return -1;
}

/* Sets offset and strides of a part of a box that is a range of one axis. The part is stored after
 * the parts with lower indices along that axis. With a negative axis, the part is the whole box, in
 * its enclosing array if `enclosing` is not NULL. */
static void place_part(const weft_layout *layout, const weft_box *box, int axis,
                       const weft_box *part, const ptrdiff_t *enclosing, weft_view_block *block)
{
    weft_box before = *box;
    block->offset = weft_layout_place(layout, part, enclosing, block->stride);
    if (axis >= 0) {
        before.span[axis].count = part->span[axis].start - box->span[axis].start;
        block->offset = weft_layout_elements(layout, &before);
    }
    block->stride[layout->axes] = 1;
}

/* Returns where, along an axis, the span of the rank of the other side that contains index `start`
 * ends; at most `end`. */
static ptrdiff_t part_end(const blocks_seen *blocks, int axis, ptrdiff_t start, ptrdiff_t end)
{
    weft_box box;
    for (int i = 0; i < blocks->ranks; i++) {
        weft_layout_box(blocks->other, blocks->group[i], &box);
        const ptrdiff_t until = box.span[axis].start + box.span[axis].count;
        if (box.span[axis].start <= start && start < until)
            return until < end ? until : end;
    }
    return end;
}

/* Makes the view of an array in shared memory that is not in blocks. The array has the order of its
 * layout, except that along split_axis each rank's part is contiguous and the parts follow one
 * another in order of ranks. */
static bool view_split(const blocks_seen *blocks, const weft_box *box, weft_view *view)
{
    const weft_layout *mine = blocks->mine;
    const int axis = split_axis(mine, blocks->other, blocks->group, blocks->ranks);
    if (axis < 0 || weft_box_empty(mine->axes, box))
        return view_plain(mine, box, NULL, view);
    *view = (weft_view){.axis = axis};
    const ptrdiff_t end = box->span[axis].start + box->span[axis].count;
    for (ptrdiff_t start = box->span[axis].start, until; start < end; start = until) {
        weft_view_block next = {0};
        weft_box part = *box;
        until = part_end(blocks, axis, start, end);
        part.span[axis] = (weft_span){start, until - start};
        place_part(mine, box, axis, &part, NULL, &next);
        next.count = until - start;
        if (!weft_view_add(view, &next))
            return false;
    }
    return true;
}

/* Describes the block that is in the array of rank i of the group; `peer` is that rank's box. */
static void describe_remote_block(const blocks_seen *blocks, int i, const weft_box *peer,
                                  const weft_box *common, weft_view_block *block)
{
    const weft_layout *other = blocks->other;
    block->array = i;
    if (!blocks->plain && !blocks->shared) {
        block->offset = block_offset(blocks, blocks->group[i], other, blocks->rank, blocks->mine);
        return;
    }
    const int axis =
        blocks->shared ? -1 : split_axis(other, blocks->mine, blocks->group, blocks->ranks);
    weft_box part = *peer;
    if (axis >= 0)
        part.span[axis] = common->span[axis];
    place_part(other, peer, axis, &part,
               blocks->shared ? weft_layout_enclosing(other, blocks->group[i]) : NULL, block);
    for (int a = 0; a < other->axes; a++)
        block->offset += (common->span[a].start - part.span[a].start) * block->stride[a];
}

/* A block, and the index where it starts along the axis that is cut. */
typedef struct {
    ptrdiff_t start;
    weft_view_block block;
} started;

static int compare_starts(const void *a, const void *b)
{
    const ptrdiff_t one = ((const started *)a)->start, other = ((const started *)b)->start;
    return (one > other) - (one < other);
}

/* Describes the block that this rank exchanges with rank i of the group. The block starts at
 * *offset, and the function advances *offset past the block. Returns false when there is no such
 * block. */
static bool describe_block(const blocks_seen *blocks, const weft_box *box, int i, ptrdiff_t *offset,
                           int *axis, started *seen)
{
    weft_box peer, common;
    weft_layout_box(blocks->other, blocks->group[i], &peer);
    if (!weft_box_intersect(blocks->mine->axes, box, &peer, &common))
        return false;
    const int cut = cut_along(blocks->mine->axes, box, &common, -1);
    *axis = cut < 0 ? 0 : cut;
    *seen =
        (started){common.span[*axis].start, {.offset = *offset, .count = common.span[*axis].count}};
    weft_view_block *block = &seen->block;
    *offset += block_strides(blocks, &common, block->stride);
    if (blocks->apart) {
        describe_remote_block(blocks, i, &peer, &common, block);
    } else if (blocks->group[i] == blocks->rank && blocks->leave_own) {
        block->array = 1;
        block->offset =
            block_offset(blocks, blocks->rank, blocks->other, blocks->rank, blocks->mine);
    }
    return true;
}

/* Makes the view of this rank's blocks, in order along the axis that is cut. */
static bool view_blocks(const blocks_seen *blocks, weft_view *view)
{
    started *all = weft_new((size_t)blocks->ranks, sizeof *all, "a view of blocks");
    weft_box box;
    ptrdiff_t offset = 0;
    int count = 0;
    bool ok = all;
    *view = (weft_view){0};
    weft_layout_box(blocks->mine, blocks->rank, &box);
    for (int i = 0; ok && i < blocks->ranks; i++)
        count += describe_block(blocks, &box, i, &offset, &view->axis, &all[count]);
    if (ok)
        qsort(all, (size_t)count, sizeof *all, compare_starts);
    for (int i = 0; ok && i < count; i++)
        ok = weft_view_add(view, &all[i].block);
    free(all);
    return ok;
}

/* Adds the indices from `first` to `end` of an axis of another view to a view. `size` is the size
 * of the axis, needed if the other view consists of one block. */
static bool add_between(weft_view *view, const weft_view *whole, int axis, ptrdiff_t size,
                        ptrdiff_t first, ptrdiff_t end)
{
    const bool undivided = whole->blocks == 1 && whole->block->more == 0;
    ptrdiff_t begin = 0, next;
    for (int p = 0; p < whole->blocks; p++)
        for (int nth = 0; nth <= whole->block[p].more; nth++, begin = next) {
            weft_view_block block = weft_single_block(&whole->block[p], nth);
            next = begin + (undivided ? size : block.count);
            const ptrdiff_t from = first > begin ? first : begin, until = end < next ? end : next;
            block.count = until - from;
            block.offset += (from - begin) * block.stride[axis];
            if (until > from && !weft_view_add(view, &block))
                return false;
        }
    return true;
}

bool weft_view_replace(weft_view *view, int axis, ptrdiff_t size, ptrdiff_t first, ptrdiff_t count,
                       const weft_view_block *other)
{
    const weft_view before = *view;
    *view = (weft_view){.axis = axis};
    const bool ok = add_between(view, &before, axis, size, 0, first) &&
                    (!other || weft_view_add(view, other)) &&
                    add_between(view, &before, axis, size, first + count, size);
    free((void *)before.block);
    return ok;
}

static const weft_step *exchange_beside(const weft_schedule *schedule, int pass, bool is_source)
{
    const int next = is_source ? pass - 1 : pass + 1;
    return next >= 0 && next < schedule->steps ? &schedule->step[next] : NULL;
}

static const weft_array_location *end_of(const weft_schedule *schedule, int pass, bool is_source)
{
    return is_source ? &schedule->step[pass].from : &schedule->step[pass].to;
}

/* Makes the view of a pass on one side, with the own block where all other blocks are. */
static bool whole_view(const weft_schedule *schedule, const weft_path *path, int rank, int pass,
                       bool is_source, weft_view *view)
{
    const weft_step *next = exchange_beside(schedule, pass, is_source);
    /* an exchange that undoes an earlier one uses the views of the earlier one */
    if (next && next->memory.region_of != next - schedule->step)
        return is_source ? whole_view(schedule, path, rank, next->memory.region_of - 1, false, view)
                         : whole_view(schedule, path, rank, pass, true, view);
    const weft_array_location *end = end_of(schedule, pass, is_source);
    const weft_stage *stage = &path->stage[schedule->step[pass].stage];
    const weft_layout *mine = is_source ? &stage->before : &stage->after;
    const unsigned blocked = is_source ? WEFT_TO_BLOCKED : WEFT_FROM_BLOCKED;
    const unsigned others = is_source ? WEFT_FROM_BLOCKED : WEFT_TO_BLOCKED;
    const bool is_blocked = next && (next->transfer.flags & blocked);
    weft_box box;
    weft_layout_box(mine, rank, &box);
    /* the copy of a user's array, for the case that the ranks cannot share the array */
    const bool copy = next && next->memory.shares && end->place == WEFT_PART;
    if (copy)
        mine = is_source ? &stage->after : &stage->before;
    if (copy || !next || (!is_blocked && next->kind != WEFT_MEMORY))
        return view_plain(mine, &box, weft_layout_enclosing(mine, rank), view);
    /* the layout on the other side of the exchange, or of the users' arrays that ranks share */
    const weft_stage *other = is_source ? stage - 1 : stage + 1;
    const bool travels_to = next->transfer.flags & WEFT_TRAVEL_TO;
    const blocks_seen blocks = {.mine = mine,
                                .other = is_source != next->memory.shares ? &other->after
                                                                          : &other->before,
                                .travel = is_source == travels_to ? mine
                                          : is_source             ? &other->after
                                                                  : &other->before,
                                .group = weft_base(next->transfer.exchange)->group,
                                .ranks = next->transfer.exchange->ranks,
                                .rank = rank,
                                .apart = end->place == WEFT_ALL_PARTS,
                                .plain = !(next->transfer.flags & others),
                                .shared = next->memory.shares,
                                .leave_own = !is_source && (next->transfer.flags & WEFT_LEAVE_OWN)};
    return is_blocked ? view_blocks(&blocks, view) : view_split(&blocks, &box, view);
}

static bool own_box(const weft_path *path, const weft_step *exchange, int rank, weft_box *own)
{
    const weft_stage *from = &path->stage[exchange->stage], *to = from + 1;
    weft_box before, after;
    weft_layout_box(&from->after, rank, &before);
    weft_layout_box(&to->before, rank, &after);
    return weft_box_intersect(from->after.axes, &before, &after, own);
}

/* Moves the own block of a view, if it has another place than the other blocks, to the user's
 * array, which follows the arrays of the window in the pass's list of arrays. */
static bool redirect_own_block(const weft_schedule *schedule, const weft_path *path, int rank,
                               int pass, bool is_source, weft_view *view)
{
    const weft_step *next = exchange_beside(schedule, pass, is_source);
    const weft_array_location *end = end_of(schedule, pass, is_source);
    const weft_stage *stage = &path->stage[schedule->step[pass].stage];
    weft_box own, there, here;
    if (!next || next->kind != WEFT_MEMORY || end->own == WEFT_NOWHERE ||
        !own_box(path, next, rank, &own))
        return true;
    const weft_layout *layout = is_source ? &(stage - 1)->before : &(stage + 1)->after;
    weft_layout_box(layout, rank, &there);
    weft_layout_box(is_source ? &stage->before : &stage->after, rank, &here);
    const weft_span mine = own.span[view->axis], all = here.span[view->axis];
    weft_view_block block = {.count = mine.count};
    place_part(layout, &there, -1, &there, weft_layout_enclosing(layout, rank), &block);
    block.array = end->place == WEFT_ALL_PARTS ? next->transfer.exchange->ranks : 1;
    for (int axis = 0; axis < layout->axes; axis++)
        block.offset += (own.span[axis].start - there.span[axis].start) * block.stride[axis];
    return weft_view_replace(view, view->axis, all.count, mine.start - all.start, mine.count,
                             &block);
}

bool weft_step_view(const weft_schedule *schedule, const weft_path *path, int rank, int pass,
                    bool is_source, weft_view *view)
{
    return whole_view(schedule, path, rank, pass, is_source, view) &&
           redirect_own_block(schedule, path, rank, pass, is_source, view);
}

bool weft_step_leave_out_own(const weft_schedule *schedule, const weft_path *path, int rank,
                             int pass, weft_box *before, weft_box *after, weft_pass_spec *spec)
{
    const weft_step *previous = exchange_beside(schedule, pass, true),
                    *next = exchange_beside(schedule, pass, false);
    const weft_step *exchange = next && next->memory.own == WEFT_IN            ? next
                                : previous && previous->memory.own == WEFT_OUT ? previous
                                                                               : NULL;
    weft_box own;
    if (!exchange || !own_box(path, exchange, rank, &own))
        return true;
    int axis = 0; /* the axis along which the own block is cut, if any */
    while (axis + 1 < path->stage[0].before.axes &&
           own.span[axis].count == before->span[axis].count)
        axis++;
    const ptrdiff_t size = before->span[axis].count, count = own.span[axis].count,
                    from = own.span[axis].start - before->span[axis].start;
    before->span[axis].count = after->span[axis].count = size - count;
    return size > count && weft_view_replace(&spec->source, axis, size, from, count, NULL) &&
           weft_view_replace(&spec->target, axis, size, from, count, NULL);
}
