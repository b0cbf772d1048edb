/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What passes see: an array as its layout has it, or the blocks of an exchange. Blocks are a view
 * because the part is cut along one axis into a piece a peer, in the order of ranks; along the axis
 * the pieces follow one another, too, in the order of ranks on a grid, of boxes in any. Two ranks,
 * from slabs of axis 0 to slabs of axis 1:
 *
 *     the pass before writes     in memory                   the pass after, of rank 1, reads
 *     its rows, piece by piece                               its columns
 *                                rank 0  [to 0][to 1]--.
 *                                                       >--  piece 0, piece 1
 *                                rank 1  [to 0][to 1]--'
 *
 * Through memory pieces stay where they were written, each in the part of its writer; by messages
 * they arrive one after another in an array of this rank. What a rank keeps of an exchange it need
 * not copy, when a pass can read it in the input or write it to the output.
 */
#include <stdlib.h>
#include "kernels/base/error.h"
#include "kernels/pass/views.h"
#include "planner/schedule/step.h"
#include "planner/schedule/view.h"

int weft_view_axes(const weft_layout *layout)
{
    return layout->axes + (layout->howmany != 1);
}

/* An array as its layout has it, of a box that has a room or, as in memory that is shared, none. */
static bool view_plain(const weft_layout *layout, const weft_box *box, const ptrdiff_t *room,
                       weft_view *view)
{
    weft_view_piece piece = {.count = box->span[0].count};
    piece.offset = weft_layout_place(layout, box, room, piece.stride);
    if (layout->howmany != 1)
        piece.stride[layout->axes] = 1;
    *view = (weft_view){.axis = 0};
    return weft_view_add(view, &piece);
}

static bool is_whole(const weft_view *view)
{
    return view->pieces == 1 && view->piece->more == 0;
}

bool weft_divided_alike(const weft_layout *a, const weft_layout *b, int axis)
{
    const weft_axis *x = &a->axis[axis], *y = &b->axis[axis];
    if (!weft_layout_is_regular(a) || !weft_layout_is_regular(b))
        return false; /* they may be divided anyhow */
    if (x->grid_axis < 0 || y->grid_axis < 0)
        return x->grid_axis < 0 && y->grid_axis < 0;
    return x->grid_axis == y->grid_axis && x->rule == y->rule && x->block == y->block &&
           a->grid[x->grid_axis] == b->grid[y->grid_axis];
}

/* The axis along which a rank's box is cut by those of the other layout: negative where it lies in
 * one of them; WEFT_MAX_AXES: along several. */
static int cut_of_box(const weft_layout *mine, const weft_layout *other, int rank, int ranks)
{
    weft_box box, peer, common;
    int cut = -1;
    weft_layout_box(mine, rank, &box);
    for (int i = 0; i < ranks && cut < WEFT_MAX_AXES; i++) {
        const bool listed = other->box && i < other->boxes; /* there are many: looked at in place */
        if (!listed)
            weft_layout_box(other, i, &peer);
        if (!weft_box_intersect(mine->axes, &box, listed ? &other->box[i] : &peer, &common))
            continue;
        for (int axis = 0; axis < mine->axes; axis++)
            if (common.span[axis].count != box.span[axis].count)
                cut = cut < 0 || cut == axis ? axis : WEFT_MAX_AXES;
    }
    return cut;
}

/* Whether any rank's span of an axis belongs to more than one in the other layout, both on grids;
 * of a group of ranks, or with NULL of as many as there are. */
static bool cuts(const weft_layout *mine, const weft_layout *other, int axis, const int *group,
                 int ranks)
{
    weft_box box;
    int first, last;
    if (other->axis[axis].grid_axis < 0 || weft_divided_alike(mine, other, axis))
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
        return false; /* several boxes are several arrays */
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

/* What one side of an exchange needs to know about the blocks. */
typedef struct {
    const weft_layout *mine;   /* the layout whose part is seen */
    const weft_layout *other;  /* that of the exchange's other side */
    const weft_layout *travel; /* elements travel in the order of its axes */
    const int *group;          /* ranks that talk with one another */
    int ranks;
    int rank;            /* this rank's number in the caller's communicator */
    const weft_cut *cut; /* of the exchange */
    bool apart;          /* piece i lies in the array of group[i], */
    bool plain;          /* which is split, see view_split, and not blocks either, */
    bool shared;         /* or just as the layout has it */
    bool leave_own;      /* the own piece lies in the other side's array (array 1 of the pass) */
} blocks_seen;

/* Steps within a block that holds `common`, its axes in the order of travel. */
static ptrdiff_t block_strides(const blocks_seen *blocks, const weft_box *common, ptrdiff_t *stride)
{
    const weft_layout *travel = blocks->travel;
    int order[WEFT_MAX_AXES];
    ptrdiff_t step = travel->howmany;
    weft_cut_order(blocks->cut, travel->axes, travel->order, order);
    stride[travel->axes] = 1;
    for (int i = travel->axes - 1; i >= 0; i--) {
        const int axis = order[i];
        stride[axis] = step;
        step *= common->span[axis].count;
    }
    return step;
}

/* Where, among the blocks of a rank that has its box from one layout, the one lies that it shares
 * with `peer`'s box from the other: after those of the ranks before. */
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

/* The innermost axis along which what a layout has in a window is cut by the ranks of the other
 * side; what each takes along it lies together, so that none of them walks over what is another's.
 * -1: none, or boxes follow no grid, whose cuts may not be the same all along the others. */
static int split_axis(const weft_layout *window, const weft_layout *other, const int *group,
                      int ranks)
{
    const bool regular = weft_layout_is_regular(window) && weft_layout_is_regular(other);
    for (int i = window->axes - 1; i >= 0 && regular && !window->padded; i--)
        if (cuts(window, other, window->order[i], group, ranks))
            return window->order[i];
    return -1;
}

/* How a part of a box lies which is so much of one axis: after what is before it along that axis.
 * With a negative axis it is all of the box, in its room if that is given. */
static void lay_part(const weft_layout *layout, const weft_box *box, int axis, const weft_box *part,
                     const ptrdiff_t *room, weft_view_piece *piece)
{
    weft_box before = *box;
    piece->offset = weft_layout_place(layout, part, room, piece->stride);
    if (axis >= 0) {
        before.span[axis].count = part->span[axis].start - box->span[axis].start;
        piece->offset = weft_layout_elements(layout, &before);
    }
    if (layout->howmany != 1)
        piece->stride[layout->axes] = 1;
}

/* Where that ends, `end` at the latest, which one rank of the other side has of an axis from an
 * index on. */
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

/* What lies in memory that is shared without being blocks: as the layout has it, but of the
 * innermost axis which the ranks of the other side cut, each one's part comes as a whole after that
 * of the ranks before it. */
static bool view_split(const blocks_seen *blocks, const weft_box *box, weft_view *view)
{
    const weft_layout *mine = blocks->mine;
    const int axis = split_axis(mine, blocks->other, blocks->group, blocks->ranks);
    if (axis < 0 || weft_box_empty(mine->axes, box))
        return view_plain(mine, box, NULL, view);
    *view = (weft_view){.axis = axis};
    const ptrdiff_t end = box->span[axis].start + box->span[axis].count;
    for (ptrdiff_t start = box->span[axis].start, until; start < end; start = until) {
        weft_view_piece next = {0};
        weft_box part = *box;
        until = part_end(blocks, axis, start, end);
        part.span[axis] = (weft_span){start, until - start};
        lay_part(mine, box, axis, &part, NULL, &next);
        next.count = until - start;
        if (!weft_view_add(view, &next))
            return false;
    }
    return true;
}

/* Makes a piece that which lies with another rank, in whose box it is. */
static void see_apart(const blocks_seen *blocks, int i, const weft_box *peer,
                      const weft_box *common, weft_view_piece *piece)
{
    const weft_layout *other = blocks->other;
    piece->array = i;
    if (!blocks->plain && !blocks->shared) {
        piece->offset = block_offset(blocks, blocks->group[i], other, blocks->rank, blocks->mine);
        return;
    }
    const int axis =
        blocks->shared ? -1 : split_axis(other, blocks->mine, blocks->group, blocks->ranks);
    weft_box part = *peer;
    if (axis >= 0)
        part.span[axis] = common->span[axis];
    lay_part(other, peer, axis, &part,
             blocks->shared ? weft_layout_room(other, blocks->group[i]) : NULL, piece);
    for (int a = 0; a < other->axes; a++)
        piece->offset += (common->span[a].start - part.span[a].start) * piece->stride[a];
}

/* The axis along which a block is less than the box; 0: none. */
static int cut_axis(int axes, const weft_box *box, const weft_box *common)
{
    int cut = 0;
    for (int axis = 0; axis < axes; axis++)
        if (common->span[axis].count != box->span[axis].count)
            cut = axis;
    return cut;
}

/* A piece, and where it begins along the axis that is cut. */
typedef struct {
    ptrdiff_t start;
    weft_view_piece piece;
} started;

static int compare_starts(const void *a, const void *b)
{
    const ptrdiff_t one = ((const started *)a)->start, other = ((const started *)b)->start;
    return (one > other) - (one < other);
}

/* The block shared with rank i of the group, which begins at `offset`, and moves that on. False:
 * there is none. */
static bool see_block(const blocks_seen *blocks, const weft_box *box, int i, ptrdiff_t *offset,
                      int *axis, started *seen)
{
    weft_box peer, common;
    weft_layout_box(blocks->other, blocks->group[i], &peer);
    if (!weft_box_intersect(blocks->mine->axes, box, &peer, &common))
        return false;
    *axis = cut_axis(blocks->mine->axes, box, &common);
    *seen =
        (started){common.span[*axis].start, {.offset = *offset, .count = common.span[*axis].count}};
    weft_view_piece *piece = &seen->piece;
    *offset += block_strides(blocks, &common, piece->stride);
    if (blocks->apart) {
        see_apart(blocks, i, &peer, &common, piece);
    } else if (blocks->group[i] == blocks->rank && blocks->leave_own) {
        piece->array = 1;
        piece->offset =
            block_offset(blocks, blocks->rank, blocks->other, blocks->rank, blocks->mine);
    }
    return true;
}

/* The blocks of this rank, each in its place along the axis that is cut: boxes that follow no grid
 * are sorted first. */
static bool view_blocks(const blocks_seen *blocks, weft_view *view)
{
    const bool sorted =
        weft_layout_is_regular(blocks->mine) && weft_layout_is_regular(blocks->other);
    started one, *all = sorted ? &one : calloc((size_t)blocks->ranks, sizeof *all);
    weft_box box;
    ptrdiff_t offset = 0;
    int count = 0;
    bool ok = all;
    *view = (weft_view){0};
    if (!ok)
        weft_error("no memory for a view of %d blocks", blocks->ranks);
    weft_layout_box(blocks->mine, blocks->rank, &box);
    for (int i = 0; ok && i < blocks->ranks; i++)
        if (see_block(blocks, &box, i, &offset, &view->axis, &all[count]))
            ok = sorted ? weft_view_add(view, &one.piece) : (count++, true);
    if (!sorted && ok)
        qsort(all, (size_t)count, sizeof *all, compare_starts);
    for (int i = 0; ok && i < count; i++)
        ok = weft_view_add(view, &all[i].piece);
    if (!sorted)
        free(all);
    return ok;
}

/* Adds to a view what another one has of an axis from `first` to `end`; if it is in one piece, then
 * of `size` indices. */
static bool add_between(weft_view *view, const weft_view *whole, int axis, ptrdiff_t size,
                        ptrdiff_t first, ptrdiff_t end)
{
    ptrdiff_t begin = 0, next;
    for (int p = 0; p < whole->pieces; p++)
        for (int nth = 0; nth <= whole->piece[p].more; nth++, begin = next) {
            weft_view_piece piece = weft_piece_alone(&whole->piece[p], nth);
            next = begin + (is_whole(whole) ? size : piece.count);
            const ptrdiff_t from = first > begin ? first : begin, until = end < next ? end : next;
            piece.count = until - from;
            piece.offset += (from - begin) * piece.stride[axis];
            if (until > from && !weft_view_add(view, &piece))
                return false;
        }
    return true;
}

bool weft_view_cut(weft_view *view, int axis, ptrdiff_t first, ptrdiff_t count)
{
    const weft_view whole = *view;
    for (int i = 0; axis != view->axis && i < view->pieces; i++) {
        weft_view_piece *piece = (weft_view_piece *)&view->piece[i];
        piece->offset += first * piece->stride[axis];
    }
    if (axis != view->axis)
        return true;
    *view = (weft_view){.axis = axis};
    const bool ok = add_between(view, &whole, axis, is_whole(&whole) ? whole.piece->count : 0,
                                first, first + count);
    free((void *)whole.piece);
    return ok;
}

bool weft_view_leave_out(weft_view *view, int axis, ptrdiff_t size, ptrdiff_t first,
                         ptrdiff_t count)
{
    const weft_view whole = *view;
    *view = (weft_view){.axis = axis};
    const bool ok = add_between(view, &whole, axis, size, 0, first) &&
                    add_between(view, &whole, axis, size, first + count, size);
    free((void *)whole.piece);
    return ok;
}

/* The layout on the other side of the exchange next to a pass; where arrays are shared, theirs. */
static const weft_layout *other_side(const weft_stage *stage, bool is_source, bool shares)
{
    const weft_stage *other = is_source ? stage - 1 : stage + 1;
    return is_source != shares ? &other->after : &other->before;
}

/* The exchange on one side of a pass; NULL: there is none. */
static const weft_step *exchange_beside(const weft_schedule *schedule, int pass, bool is_source)
{
    const int next = is_source ? pass - 1 : pass + 1;
    return next >= 0 && next < schedule->steps ? &schedule->step[next] : NULL;
}

/* The own piece with all others. */
static bool whole_view(const weft_schedule *schedule, const weft_path *path, int rank, int pass,
                       bool is_source, weft_view *view)
{
    const weft_step *next = exchange_beside(schedule, pass, is_source);
    if (next && next->region_of != next - schedule->step) /* it undoes an earlier one: */
        return is_source ? whole_view(schedule, path, rank, next->region_of - 1, false, view)
                         : whole_view(schedule, path, rank, pass, true, view);
    const weft_end *end = is_source ? &schedule->step[pass].from : &schedule->step[pass].to;
    const weft_stage *stage = &path->stage[schedule->step[pass].stage];
    const weft_layout *mine = is_source ? &stage->before : &stage->after;
    const unsigned blocked = is_source ? WEFT_TO_BLOCKED : WEFT_FROM_BLOCKED;
    const unsigned others = is_source ? WEFT_FROM_BLOCKED : WEFT_TO_BLOCKED;
    const bool is_blocked = next && (next->flags & blocked);
    weft_box box;
    weft_layout_box(mine, rank, &box);
    const bool copy = next && next->shares && end->place == WEFT_PART; /* of what could be shared */
    if (copy)
        mine = is_source ? &stage->after : &stage->before;
    if (copy || !next || (!is_blocked && next->kind != WEFT_MEMORY))
        return view_plain(mine, &box, weft_layout_room(mine, rank), view);
    const blocks_seen blocks = {.mine = mine,
                                .other = other_side(stage, is_source, next->shares),
                                .travel = is_source ? mine : &(stage + 1)->before,
                                .cut = &next->cut,
                                .group = weft_exchange_group(next->exchange),
                                .ranks = next->exchange->ranks,
                                .rank = rank,
                                .apart = end->place == WEFT_ALL_PARTS,
                                .plain = !(next->flags & others),
                                .shared = next->shares,
                                .leave_own = !is_source && (next->flags & WEFT_LEAVE_OWN)};
    return is_blocked ? view_blocks(&blocks, view) : view_split(&blocks, &box, view);
}

/* What this rank has on both sides of an exchange; false: nothing. */
static bool own_box(const weft_path *path, const weft_step *exchange, int rank, weft_box *own)
{
    const weft_stage *from = &path->stage[exchange->stage], *to = from + 1;
    weft_box before, after;
    weft_layout_box(&from->after, rank, &before);
    weft_layout_box(&to->before, rank, &after);
    return weft_box_intersect(from->after.axes, &before, &after, own);
}

/* Puts another piece where the one is that begins at an index of the view's axis or after it. */
static bool replace(weft_view *view, ptrdiff_t index, weft_view_piece *other)
{
    const weft_view before = *view;
    ptrdiff_t begin = 0;
    bool ok = true, done = false;
    *view = (weft_view){.axis = before.axis};
    for (int p = 0; p < before.pieces; p++)
        for (int nth = 0; ok && nth <= before.piece[p].more; nth++) {
            weft_view_piece piece = weft_piece_alone(&before.piece[p], nth);
            const bool here = !done && (begin >= index || is_whole(&before));
            begin += other->count = piece.count;
            ok = weft_view_add(view, here ? other : &piece);
            done |= here;
        }
    free((void *)before.piece);
    return ok;
}

/* Sees the own piece in the user's array, which is one more than those of the memory. */
static bool see_own(const weft_schedule *schedule, const weft_path *path, int rank, int pass,
                    bool is_source, weft_view *view)
{
    const weft_step *next = exchange_beside(schedule, pass, is_source);
    const weft_end *end = is_source ? &schedule->step[pass].from : &schedule->step[pass].to;
    const weft_stage *stage = &path->stage[schedule->step[pass].stage];
    const weft_layout *layout = is_source ? &(stage - 1)->before : &(stage + 1)->after;
    weft_box own, there, here;
    weft_view plain;
    if (!own_box(path, next, rank, &own))
        return true;
    weft_layout_box(layout, rank, &there);
    weft_layout_box(is_source ? &stage->before : &stage->after, rank, &here);
    if (!view_plain(layout, &there, weft_layout_room(layout, rank), &plain))
        return false;
    weft_view_piece piece = plain.piece[0];
    piece.array = end->place == WEFT_ALL_PARTS ? next->exchange->ranks : 1;
    for (int axis = 0; axis < layout->axes; axis++)
        piece.offset += (own.span[axis].start - there.span[axis].start) * piece.stride[axis];
    free((void *)plain.piece);
    return replace(view, own.span[view->axis].start - here.span[view->axis].start, &piece);
}

bool weft_step_view(const weft_schedule *schedule, const weft_path *path, int rank, int pass,
                    bool is_source, weft_view *view)
{
    const weft_step *next = exchange_beside(schedule, pass, is_source);
    const weft_end *end = is_source ? &schedule->step[pass].from : &schedule->step[pass].to;
    return whole_view(schedule, path, rank, pass, is_source, view) &&
           (!next || next->kind != WEFT_MEMORY || end->own == WEFT_NOWHERE ||
            see_own(schedule, path, rank, pass, is_source, view));
}

bool weft_step_leave_out_own(const weft_schedule *schedule, const weft_path *path, int rank,
                             int pass, weft_box *before, weft_box *after, weft_pass_spec *spec)
{
    const weft_step *previous = exchange_beside(schedule, pass, true),
                    *next = exchange_beside(schedule, pass, false);
    const weft_step *exchange = next && next->own == WEFT_IN            ? next
                                : previous && previous->own == WEFT_OUT ? previous
                                                                        : NULL;
    weft_box own;
    if (!exchange || !own_box(path, exchange, rank, &own))
        return true;
    int axis = 0; /* the one that is cut, if any */
    while (axis + 1 < path->stage[0].before.axes &&
           own.span[axis].count == before->span[axis].count)
        axis++;
    const ptrdiff_t size = before->span[axis].count, count = own.span[axis].count,
                    from = own.span[axis].start - before->span[axis].start;
    before->span[axis].count = after->span[axis].count = size - count;
    return size > count && weft_view_leave_out(&spec->source, axis, size, from, count) &&
           weft_view_leave_out(&spec->target, axis, size, from, count);
}
