/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks as views: the part is cut along one axis into a piece a peer, in the order of ranks, and a
 * peer's coordinate along that axis grows with its rank, so the pieces also follow one another
 * along the axis.
 */
#include <stdlib.h>
#include "kernels/base/error.h"
#include "planner/schedule/view.h"

int weft_view_axes(const weft_layout *layout)
{
    return layout->axes + (layout->howmany != 1);
}

bool weft_view_plain(const weft_layout *layout, const weft_box *box, weft_view *view)
{
    weft_view_piece *piece = calloc(1, sizeof *piece);
    if (!piece) {
        weft_error("no memory for a view");
        return false;
    }
    weft_layout_strides(layout, box, piece->stride);
    piece->count = box->span[0].count;
    if (layout->howmany != 1)
        piece->stride[layout->axes] = 1;
    *view = (weft_view){.axis = 0, .pieces = 1, .piece = piece};
    return true;
}

bool weft_divided_alike(const weft_layout *a, const weft_layout *b, int axis)
{
    const weft_axis *x = &a->axis[axis], *y = &b->axis[axis];
    if (a->box || b->box)
        return false; /* they may be divided anyhow */
    if (x->grid_axis < 0 || y->grid_axis < 0)
        return x->grid_axis < 0 && y->grid_axis < 0;
    return x->grid_axis == y->grid_axis && x->rule == y->rule && x->block == y->block &&
           a->grid[x->grid_axis] == b->grid[y->grid_axis];
}

/* Whether any rank's span of an axis belongs to more than one in the other layout; of a group of
 * ranks, or with NULL of as many as there are. */
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
    if (mine->box || other->box)
        return false; /* they may cut anywhere */
    for (int axis = 0; axis < mine->axes; axis++)
        cut += cuts(mine, other, axis, NULL, ranks);
    return cut <= 1;
}

/* Steps within a block that holds `common`, its axes in the order of travel. */
static ptrdiff_t block_strides(const weft_blocks *blocks, const weft_box *common, ptrdiff_t *stride)
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
static ptrdiff_t block_offset(const weft_blocks *blocks, int rank, const weft_layout *layout,
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
 * -1: none. */
static int split_axis(const weft_layout *window, const weft_layout *other, const int *group,
                      int ranks)
{
    for (int i = window->axes - 1; i >= 0 && !window->padded; i--)
        if (cuts(window, other, window->order[i], group, ranks))
            return window->order[i];
    return -1;
}

/* How a part of a box lies which is so much of one axis: after what is before it along that axis.
 * With a negative axis it is all of the box. */
static void lay_part(const weft_layout *layout, const weft_box *box, int axis, const weft_box *part,
                     weft_view_piece *piece)
{
    weft_box before = *box;
    piece->offset = 0;
    if (axis >= 0) {
        before.span[axis].count = part->span[axis].start - box->span[axis].start;
        piece->offset = weft_layout_elements(layout, &before);
    }
    weft_layout_strides(layout, part, piece->stride);
    if (layout->howmany != 1)
        piece->stride[layout->axes] = 1;
}

/* Where that ends, `end` at the latest, which one rank of the other side has of an axis from an
 * index on. */
static ptrdiff_t part_end(const weft_blocks *blocks, int axis, ptrdiff_t start, ptrdiff_t end)
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

bool weft_view_split(const weft_blocks *blocks, const weft_box *box, weft_view *view)
{
    const weft_layout *mine = blocks->mine;
    const int axis = split_axis(mine, blocks->other, blocks->group, blocks->ranks);
    if (axis < 0 || weft_box_empty(mine->axes, box))
        return weft_view_plain(mine, box, view);
    weft_view_piece *piece = calloc((size_t)blocks->ranks, sizeof *piece);
    *view = (weft_view){.axis = axis, .piece = piece};
    if (!piece) {
        weft_error("no memory for a view of %d pieces", blocks->ranks);
        return false;
    }
    const ptrdiff_t end = box->span[axis].start + box->span[axis].count;
    for (ptrdiff_t start = box->span[axis].start, until; start < end; start = until) {
        weft_view_piece *next = &piece[view->pieces++];
        weft_box part = *box;
        until = part_end(blocks, axis, start, end);
        part.span[axis] = (weft_span){start, until - start};
        lay_part(mine, box, axis, &part, next);
        next->count = until - start;
    }
    return true;
}

/* Makes a piece that which lies with another rank, in whose box it is. */
static void see_remote(const weft_blocks *blocks, int i, const weft_box *peer,
                       const weft_box *common, weft_view_piece *piece)
{
    const weft_layout *other = blocks->other;
    piece->array = i;
    if (!blocks->plain && !blocks->lent) {
        piece->offset = block_offset(blocks, blocks->group[i], other, blocks->rank, blocks->mine);
        return;
    }
    const int axis =
        blocks->lent ? -1 : split_axis(other, blocks->mine, blocks->group, blocks->ranks);
    weft_box part = *peer;
    if (axis >= 0)
        part.span[axis] = common->span[axis];
    lay_part(other, peer, axis, &part, piece);
    for (int a = 0; a < other->axes; a++)
        piece->offset += (common->span[a].start - part.span[a].start) * piece->stride[a];
}

bool weft_view_blocks(const weft_blocks *blocks, weft_view *view)
{
    weft_view_piece *piece = calloc((size_t)blocks->ranks + 1, sizeof *piece);
    const int axes = blocks->mine->axes;
    weft_box box, peer, common;
    ptrdiff_t offset = 0;
    *view = (weft_view){.piece = piece};
    if (!piece) {
        weft_error("no memory for a view of %d blocks", blocks->ranks);
        return false;
    }
    weft_layout_box(blocks->mine, blocks->rank, &box);
    for (int i = 0; i < blocks->ranks; i++) {
        weft_layout_box(blocks->other, blocks->group[i], &peer);
        if (!weft_box_intersect(axes, &box, &peer, &common))
            continue;
        weft_view_piece *next = &piece[view->pieces++];
        for (int axis = 0; axis < axes; axis++)
            if (common.span[axis].count != box.span[axis].count)
                view->axis = axis;
        next->offset = offset;
        offset += block_strides(blocks, &common, next->stride);
        for (int axis = 0; axis < axes; axis++) /* its length along the cut, once that is known */
            if (common.span[axis].count != box.span[axis].count)
                next->count = common.span[axis].count;
        if (blocks->remote) {
            see_remote(blocks, i, &peer, &common, next);
        } else if (blocks->group[i] == blocks->rank && blocks->leave_own) {
            next->array = 1;
            next->offset =
                block_offset(blocks, blocks->rank, blocks->other, blocks->rank, blocks->mine);
        }
    }
    if (view->pieces == 1)
        piece[0].count = box.span[view->axis].count;
    return true;
}

void weft_view_cut(weft_view *view, int axis, ptrdiff_t first, ptrdiff_t count)
{
    ptrdiff_t begin = 0, end;
    for (int i = 0; i < view->pieces; i++, begin = end) {
        weft_view_piece *piece = (weft_view_piece *)&view->piece[i];
        end = begin + piece->count;
        if (axis != view->axis) {
            piece->offset += first * piece->stride[axis];
            continue;
        }
        const ptrdiff_t from = first > begin ? first : begin;
        const ptrdiff_t until = first + count < end ? first + count : end;
        piece->count = until > from ? until - from : 0;
        piece->offset += piece->count ? (from - begin) * piece->stride[axis] : 0;
    }
}

bool weft_view_leave_out(weft_view *view, int axis, ptrdiff_t size, ptrdiff_t first,
                         ptrdiff_t count)
{
    weft_view_piece *piece = calloc((size_t)view->pieces + 1, sizeof *piece);
    ptrdiff_t begin = 0, end;
    int pieces = 0;
    if (!piece) {
        weft_error("no memory for a view of %d pieces", view->pieces + 1);
        return false;
    }
    for (int i = 0; i < view->pieces; i++, begin = end) {
        weft_view_piece whole = view->piece[i];
        end = begin + (view->pieces == 1 ? size : whole.count);
        const ptrdiff_t until = first < end ? first : end,
                        from = first + count > begin ? first + count : begin;
        piece[pieces] = whole;
        piece[pieces].count = until - begin;
        pieces += until > begin;
        piece[pieces] = whole;
        piece[pieces].count = end - from;
        piece[pieces].offset += (from - begin) * whole.stride[axis];
        pieces += end > from;
    }
    free((void *)view->piece);
    *view = (weft_view){.axis = axis, .pieces = pieces, .piece = piece};
    return true;
}
