/* SPDX-License-Identifier: BSD-3-Clause */
/* How arrays lie in memory: views as callers make them, and sides, as passes use them. */
#include "kernels/pass/views.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"

static ptrdiff_t distance(ptrdiff_t step)
{
    return step < 0 ? -step : step;
}

void weft_box_reach(int axes, const ptrdiff_t *count, const ptrdiff_t *stride, ptrdiff_t *lowest,
                    ptrdiff_t *highest)
{
    *lowest = *highest = 0;
    for (int a = 0; a < axes; a++) {
        ptrdiff_t reach = (count[a] - 1) * stride[a];
        if (reach < 0)
            *lowest += reach;
        else
            *highest += reach;
    }
}

static bool same_strides(int axes, const weft_view_piece *a, const weft_view_piece *b)
{
    return memcmp(a->stride, b->stride, (size_t)axes * sizeof a->stride[0]) == 0;
}

weft_view_piece weft_piece_alone(const weft_view_piece *piece, int nth)
{
    weft_view_piece alone = *piece;
    alone.offset = weft_piece_offset(piece, nth);
    alone.array = weft_piece_array(piece, nth);
    alone.more = alone.array_step = 0;
    alone.offset_step = 0;
    return alone;
}

/* Counts a block as one more of the entry before it, if it continues that series. */
static bool count_with(weft_view_piece *before, const weft_view_piece *piece)
{
    const ptrdiff_t offset_step = piece->offset - weft_piece_offset(before, before->more);
    const int array_step = piece->array - weft_piece_array(before, before->more);
    if (piece->more > 0 || piece->count != before->count ||
        !same_strides(WEFT_MAX_AXES, before, piece) ||
        (before->more > 0 &&
         (offset_step != before->offset_step || array_step != before->array_step)))
        return false;
    before->offset_step = offset_step;
    before->array_step = array_step;
    before->more++;
    return true;
}

bool weft_view_add(weft_view *view, const weft_view_piece *piece)
{
    weft_view_piece *pieces = (weft_view_piece *)view->piece;
    const int count = view->pieces;
    if (count > 0 && count_with(&pieces[count - 1], piece))
        return true;
    if ((count & (count - 1)) == 0) { /* the allocated length is a power of two */
        pieces = realloc(pieces, (count ? 2 * (size_t)count : 1) * sizeof *pieces);
        if (!pieces) {
            weft_error("no memory for the %d blocks of a view", count + 1);
            return false;
        }
    }
    pieces[view->pieces++] = *piece;
    view->piece = pieces;
    return true;
}

/* Whether piece b begins in memory where piece a ends. */
static bool continues(const weft_side *side, const weft_view_piece *a, const weft_view_piece *b)
{
    return a->array == b->array && same_strides(side->axes, a, b) &&
           b->offset - a->offset == a->count * a->stride[side->axis];
}

static int highest_array(const weft_view_piece *piece)
{
    const int last = weft_piece_array(piece, piece->more);
    return last > piece->array ? last : piece->array;
}

/* Copies the blocks of a view. A block that continues the block before it is joined with it. */
static bool join_pieces(const weft_side *side, const weft_view *view, weft_view *joined)
{
    weft_view_piece last = {0};
    bool ok = true;
    for (int p = 0; p < view->pieces; p++)
        for (int nth = 0; ok && nth <= view->piece[p].more; nth++) {
            const weft_view_piece piece = weft_piece_alone(&view->piece[p], nth);
            if (piece.count == 0)
                continue;
            if (last.count > 0 && continues(side, &last, &piece)) {
                last.count += piece.count;
                continue;
            }
            ok = last.count == 0 || weft_view_add(joined, &last);
            last = piece;
        }
    return ok && weft_view_add(joined, &last);
}

/* Sets `start` and `like` of each entry, and the number of arrays. */
static bool index_pieces(weft_side *side)
{
    ptrdiff_t start = 0;
    side->start = calloc((size_t)side->pieces, sizeof *side->start);
    side->like = calloc((size_t)side->pieces, sizeof *side->like);
    if (!side->start || !side->like) {
        weft_error("pass: no memory for the %d blocks of a view", side->pieces);
        return false;
    }
    for (int p = 0; p < side->pieces; p++) {
        const weft_view_piece *piece = &side->piece[p];
        side->start[p] = start;
        start += piece->count * (1 + (ptrdiff_t)piece->more);
        if (side->arrays <= highest_array(piece))
            side->arrays = highest_array(piece) + 1;
        while (side->like[p] < p && (side->like[side->like[p]] != side->like[p] ||
                                     !same_strides(side->axes, &side->piece[side->like[p]], piece)))
            side->like[p]++;
    }
    return true;
}

bool weft_side_make(weft_side *side, int axes, const ptrdiff_t *count, size_t element,
                    const weft_view *view)
{
    *side = (weft_side){.axes = axes, .element = element, .axis = view->axis};
    for (int a = 0; a < axes; a++)
        side->count[a] = count[a];
    weft_view joined = {0};
    bool ok = join_pieces(side, view, &joined);
    side->pieces = joined.pieces;
    side->piece = (weft_view_piece *)joined.piece;
    ok = ok && index_pieces(side);
    if (!ok)
        weft_side_free(side);
    return ok;
}

bool weft_side_make_compact(weft_side *side, const weft_side *like, const ptrdiff_t *count,
                            size_t element)
{
    int order[WEFT_MAX_AXES];
    weft_view_piece piece = {0};
    ptrdiff_t stride = 1;
    weft_side_order(like, order);
    for (int k = like->axes - 1; k >= 0; k--) {
        piece.stride[order[k]] = stride;
        stride *= count[order[k]];
    }
    piece.count = count[0];
    weft_view view = {.axis = 0, .pieces = 1, .piece = &piece};
    return weft_side_make(side, like->axes, count, element, &view);
}

bool weft_side_copy(weft_side *side, const weft_side *from)
{
    weft_view view = {.axis = from->axis, .pieces = from->pieces, .piece = from->piece};
    return weft_side_make(side, from->axes, from->count, from->element, &view);
}

void weft_side_free(weft_side *side)
{
    free(side->piece);
    free(side->start);
    free(side->like);
    *side = (weft_side){0};
}

static bool has_array(const weft_side *side, int array)
{
    for (int p = 0; p < side->pieces; p++) {
        const weft_view_piece *piece = &side->piece[p];
        const int step = piece->array_step, nth = step ? (array - piece->array) / step : 0;
        if (nth >= 0 && nth <= piece->more && weft_piece_array(piece, nth) == array)
            return true;
    }
    return false;
}

bool weft_side_walk(const weft_side *side, weft_piece_at *at)
{
    if (at->nth++ < side->piece[at->p].more)
        return true;
    at->nth = 0;
    return ++at->p < side->pieces;
}

/* Whether, in place, target block q is where source block p is, or in another array. */
static bool piece_matches(const weft_side *source, weft_piece_at p, const weft_side *target,
                          weft_piece_at q, int halved)
{
    const weft_view_piece *a = &source->piece[p.p], *b = &target->piece[q.p];
    ptrdiff_t from = (ptrdiff_t)source->element, to = (ptrdiff_t)target->element;
    if (weft_side_divided(source) && a->count != b->count)
        return false;
    if (!has_array(source, weft_piece_array(b, q.nth)))
        return true;
    if (weft_piece_array(a, p.nth) != weft_piece_array(b, q.nth) ||
        weft_piece_offset(a, p.nth) * from != weft_piece_offset(b, q.nth) * to)
        return false;
    for (int k = 0; k < source->axes; k++) {
        if (k == halved ? a->stride[k] != 1 || b->stride[k] != 1
                        : source->count[k] > 1 && a->stride[k] * from != b->stride[k] * to)
            return false;
    }
    return true;
}

/* Where only one side is complex, matching rows along the halved axis begin at the same addresses,
 * and the real row is not longer than the complex one. */
bool weft_sides_match(const weft_side *source, const weft_side *target, int halved)
{
    weft_piece_at p = {0}, q = {0};
    bool more, too;
    if (weft_side_divided(source) && (source->axis != target->axis || source->axis == halved))
        return false;
    do {
        if (!piece_matches(source, p, target, q, halved))
            return false;
        more = weft_side_walk(source, &p);
        too = weft_side_walk(target, &q);
    } while (more && too);
    return more == too;
}

bool weft_sides_differ(const weft_side *source, const weft_side *target)
{
    weft_piece_at p = {0}, q = {0};
    do
        if (weft_piece_array(&source->piece[p.p], p.nth) !=
            weft_piece_array(&target->piece[q.p], q.nth))
            return true;
    while (weft_side_walk(source, &p) && weft_side_walk(target, &q));
    return false;
}

bool weft_side_are_one(const weft_side *side, int outer, int inner)
{
    if (weft_side_divided(side) && side->axis == inner)
        return false;
    for (int p = 0; p < side->pieces; p++)
        if (side->piece[p].stride[outer] != side->count[inner] * side->piece[p].stride[inner])
            return false;
    return true;
}

void weft_side_make_one(weft_side *side, int outer, int inner)
{
    const ptrdiff_t times = side->count[inner];
    side->count[inner] *= side->count[outer];
    side->count[outer] = 1;
    if (side->axis != outer && side->axis != inner)
        return;
    side->axis = inner;
    if (!weft_side_divided(side)) {
        side->piece[0].count = side->count[inner];
        return;
    }
    for (int p = 0; p < side->pieces; p++) {
        side->start[p] *= times;
        side->piece[p].count *= times;
    }
}

void weft_side_order(const weft_side *side, int *order)
{
    const ptrdiff_t *stride = side->piece[0].stride;
    for (int a = 0; a < side->axes; a++) {
        ptrdiff_t step = side->count[a] > 1 ? distance(stride[a]) : PTRDIFF_MAX;
        int k = a;
        for (; k > 0; k--) {
            int before = order[k - 1];
            if (side->count[before] <= 1 || distance(stride[before]) >= step)
                break;
            order[k] = before;
        }
        order[k] = a;
    }
}

ptrdiff_t weft_side_elements(const weft_side *side)
{
    ptrdiff_t elements = 1;
    for (int a = 0; a < side->axes; a++)
        elements *= side->count[a];
    return elements;
}

double weft_side_bytes(const weft_side *side)
{
    return (double)weft_side_elements(side) * (double)side->element;
}
