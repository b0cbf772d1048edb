/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views are checked here, once, so that nothing a pass does later can leave the memory it was
 * given.
 */
#include "kernels/pass/side.h"

#include <stdint.h>
#include <stdlib.h>
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

/* Whether every address of the piece, in bytes, and everything on the way to it can be computed. */
static bool representable(const weft_side *side, const weft_view_piece *piece)
{
    if (piece->offset < -PTRDIFF_MAX)
        return false;
    ptrdiff_t far = distance(piece->offset);
    for (int a = 0; a < side->axes; a++) {
        ptrdiff_t reach;
        if (piece->stride[a] < -PTRDIFF_MAX ||
            __builtin_mul_overflow(side->count[a], distance(piece->stride[a]), &reach) ||
            __builtin_add_overflow(far, reach, &far))
            return false;
    }
    return !__builtin_mul_overflow(far, 4 * (ptrdiff_t)side->element, &far);
}

static bool same_strides(int axes, const weft_view_piece *a, const weft_view_piece *b)
{
    for (int k = 0; k < axes; k++)
        if (a->stride[k] != b->stride[k])
            return false;
    return true;
}

/* Whether b goes on where a ends. */
static bool continues(const weft_side *side, const weft_view_piece *a, const weft_view_piece *b)
{
    return a->array == b->array && same_strides(side->axes, a, b) &&
           b->offset - a->offset == a->count * a->stride[side->axis];
}

static bool check(const weft_side *side, const char *name, const weft_view *view)
{
    ptrdiff_t covered = 0;
    for (int p = 0; p < view->pieces; p++) {
        const weft_view_piece *piece = &view->piece[p];
        if (piece->count < 0 || piece->count > side->count[view->axis] - covered) {
            weft_error("pass: piece %d of the %s has %td indices; %td are left of the axis's %td",
                       p, name, piece->count, side->count[view->axis] - covered,
                       side->count[view->axis]);
            return false;
        }
        if (piece->count > 0 && !representable(side, piece)) {
            weft_error("pass: piece %d of the %s reaches beyond any address", p, name);
            return false;
        }
        covered += piece->count;
    }
    if (covered != side->count[view->axis]) {
        weft_error("pass: the pieces of the %s cover %td of the %td indices of axis %d", name,
                   covered, side->count[view->axis], view->axis);
        return false;
    }
    return true;
}

static bool allocate(weft_side *side, int pieces)
{
    side->piece = calloc((size_t)pieces, sizeof *side->piece);
    side->start = calloc((size_t)pieces, sizeof *side->start);
    side->like = calloc((size_t)pieces, sizeof *side->like);
    if (side->piece && side->start && side->like)
        return true;
    weft_side_free(side);
    weft_error("pass: no memory for the %d pieces of a view", pieces);
    return false;
}

static void find_alike(weft_side *side)
{
    for (int p = 0; p < side->pieces; p++) {
        side->like[p] = p;
        for (int q = 0; q < p; q++)
            if (side->like[q] == q && same_strides(side->axes, &side->piece[q], &side->piece[p])) {
                side->like[p] = q;
                break;
            }
    }
}

static void join(weft_side *side, const weft_view *view)
{
    ptrdiff_t start = 0;
    for (int p = 0; p < view->pieces; p++) {
        const weft_view_piece *piece = &view->piece[p];
        if (piece->count == 0)
            continue;
        if (side->arrays <= piece->array)
            side->arrays = piece->array + 1;
        weft_view_piece *last = side->pieces ? &side->piece[side->pieces - 1] : NULL;
        if (last && continues(side, last, piece)) {
            last->count += piece->count;
        } else {
            side->start[side->pieces] = start;
            side->piece[side->pieces++] = *piece;
        }
        start += piece->count;
    }
}

bool weft_side_make(weft_side *side, const char *name, int axes, const ptrdiff_t *count,
                    size_t element, const weft_view *view)
{
    *side = (weft_side){.axes = axes, .element = element, .axis = view->axis};
    for (int a = 0; a < axes; a++)
        side->count[a] = count[a];
    if (!check(side, name, view) || !allocate(side, view->pieces))
        return false;
    join(side, view);
    find_alike(side);
    return true;
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
        if (__builtin_mul_overflow(stride, count[order[k]], &stride)) {
            weft_error("pass: more elements than there are addresses");
            return false;
        }
    }
    piece.count = count[0];
    weft_view view = {.axis = 0, .pieces = 1, .piece = &piece};
    return weft_side_make(side, "workspace", like->axes, count, element, &view);
}

bool weft_side_copy(weft_side *side, const weft_side *from)
{
    weft_view view = {.axis = from->axis, .pieces = from->pieces, .piece = from->piece};
    return weft_side_make(side, "view", from->axes, from->count, from->element, &view);
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
    for (int p = 0; p < side->pieces; p++)
        if (side->piece[p].array == array)
            return true;
    return false;
}

static bool piece_matches(const weft_side *source, const weft_side *target, int halved, int p)
{
    const weft_view_piece *a = &source->piece[p], *b = &target->piece[p];
    ptrdiff_t from = (ptrdiff_t)source->element, to = (ptrdiff_t)target->element;
    if (source->pieces > 1 && a->count != b->count)
        return false;
    if (!has_array(source, b->array))
        return true;
    if (a->array != b->array || a->offset * from != b->offset * to)
        return false;
    for (int k = 0; k < source->axes; k++) {
        if (k == halved ? a->stride[k] != 1 || b->stride[k] != 1
                        : source->count[k] > 1 && a->stride[k] * from != b->stride[k] * to)
            return false;
    }
    return true;
}

/* Where only one side is complex, rows along the halved axis begin at the same places and the real
 * row is not the longer one. */
bool weft_sides_match(const weft_side *source, const weft_side *target, int halved)
{
    if (source->pieces != target->pieces ||
        (source->pieces > 1 && (source->axis != target->axis || source->axis == halved)))
        return false;
    for (int p = 0; p < source->pieces; p++)
        if (!piece_matches(source, target, halved, p))
            return false;
    return true;
}

bool weft_sides_differ(const weft_side *source, const weft_side *target)
{
    for (int p = 0; p < source->pieces; p++)
        if (source->piece[p].array != target->piece[p].array)
            return true;
    return false;
}

bool weft_side_are_one(const weft_side *side, int outer, int inner)
{
    if (side->pieces > 1 && side->axis == inner)
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
    for (int p = 0; p < side->pieces; p++) {
        side->start[p] *= times;
        side->piece[p].count *= side->pieces > 1 ? times : 1;
    }
    side->axis = inner;
    if (side->pieces == 1)
        side->piece[0].count = side->count[inner];
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
