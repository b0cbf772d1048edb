/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks a layout; if a value is wrong, the error sentence names the value and the allowed values.
 * Listed boxes must tile the array: each box lies within the array, no two share a point, and
 * together they have as many points as the array. To find overlaps, the boxes are sorted by their
 * start along the first axis, and each is compared only with the boxes that begin before it ends.
 */
#include <stdint.h>
#include <stdlib.h>
#include "backends/exchange/layout.h"
#include "kernels/base/error.h"

static bool grid_valid(const weft_layout *layout, int ranks)
{
    int room = ranks;

    if (layout->grid_axes < 0 || layout->grid_axes > WEFT_MAX_AXES) {
        weft_error("the process grid has %d dimensions; 0 to %d are possible", layout->grid_axes,
                   WEFT_MAX_AXES);
        return false;
    }
    for (int g = 0; g < layout->grid_axes; g++) {
        if (layout->grid[g] < 1) {
            weft_error(
                "dimension %d of the process grid has an extent of %d; it must be at least 1", g,
                layout->grid[g]);
            return false;
        }
        room /= layout->grid[g]; /* 0 exactly when the ranks do not suffice */
    }
    if (room < 1) {
        weft_error("the process grid needs more ranks than the %d there are", ranks);
        return false;
    }
    return true;
}

static bool axis_valid(const weft_layout *layout, int a, bool *divides)
{
    const weft_axis *axis = &layout->axis[a];
    int g = axis->grid_axis;

    if (axis->size < 0) {
        weft_error("axis %d has a size of %td; it must not be negative", a, axis->size);
        return false;
    }
    if (g < -1 || g >= layout->grid_axes) {
        weft_error("axis %d is divided by dimension %d of a process grid of %d dimensions", a, g,
                   layout->grid_axes);
        return false;
    }
    if (g >= 0 && divides[g]) {
        weft_error("dimension %d of the process grid divides axis %d and another axis; it can "
                   "divide only one",
                   g, a);
        return false;
    }
    if (axis->rule != WEFT_BLOCKS && axis->rule != WEFT_BALANCED && axis->rule != WEFT_EVENLY) {
        weft_error("axis %d is divided by the unknown rule %d", a, (int)axis->rule);
        return false;
    }
    if (axis->block < 0) {
        weft_error("axis %d has a block of %td; it must not be negative", a, axis->block);
        return false;
    }
    if (g >= 0 && axis->rule == WEFT_BLOCKS && axis->block > 0 &&
        axis->size / axis->block + (axis->size % axis->block != 0) > layout->grid[g]) {
        weft_error("axis %d has %td indices, but %d blocks of %td contain fewer", a, axis->size,
                   layout->grid[g], axis->block);
        return false;
    }
    if (g >= 0)
        divides[g] = true;
    return true;
}

static bool axes_valid(const weft_layout *layout)
{
    bool divides[WEFT_MAX_AXES] = {false};

    for (int a = 0; a < layout->axes; a++)
        if (!axis_valid(layout, a, divides))
            return false;
    for (int g = 0; g < layout->grid_axes; g++)
        if (layout->grid[g] > 1 && !divides[g]) {
            weft_error("dimension %d of the process grid, of extent %d, divides no axis", g,
                       layout->grid[g]);
            return false;
        }
    return true;
}

static bool order_valid(const weft_layout *layout)
{
    bool seen[WEFT_MAX_AXES] = {false};

    for (int i = 0; i < layout->axes; i++) {
        int a = layout->order[i];

        if (a < 0 || a >= layout->axes || seen[a]) {
            weft_error("the order of axes names axis %d at place %d; it must name each of the %d "
                       "axes once",
                       a, i, layout->axes);
            return false;
        }
        seen[a] = true;
    }
    return true;
}

static bool pads_joined(const weft_layout *layout)
{
    for (int i = 0; i < layout->joined; i++)
        if (layout->order[i] == layout->axes - 1)
            return true;
    return false;
}

/* Checks joined axes: one grid dimension must divide them evenly, and none may be padded. */
static bool joined_valid(const weft_layout *layout)
{
    const weft_axis *first = &layout->axis[layout->order[0]];
    const int last = layout->axes - 1;

    if (layout->joined <= 1)
        return true;
    if (layout->joined > last || layout->grid_axes != 1 || first->grid_axis != 0 ||
        first->rule != WEFT_EVENLY || layout->box || layout->first ||
        (layout->padded && pads_joined(layout))) {
        weft_error("%d of %d axes are joined; fewer than all can be, divided evenly by a grid of "
                   "one dimension",
                   layout->joined, layout->axes);
        return false;
    }
    return true;
}

static bool padding_valid(const weft_layout *layout)
{
    const weft_axis *last = &layout->axis[layout->axes - 1];

    if (layout->padded == 0)
        return true;
    if (layout->padded < last->size) {
        weft_error("the last axis is padded to %td, less than its size of %td", layout->padded,
                   last->size);
        return false;
    }
    if (last->grid_axis >= 0 && layout->grid[last->grid_axis] > 1) {
        weft_error("the last axis is padded to %td, but also divided between ranks",
                   layout->padded);
        return false;
    }
    return true;
}

size_t weft_layout_largest_element(const weft_layout *layout)
{
    ptrdiff_t room = PTRDIFF_MAX;

    if (layout->howmany > 1)
        room /= layout->howmany;
    for (int a = 0; a < layout->axes; a++) {
        bool padded = a == layout->axes - 1 && layout->padded > 0;
        ptrdiff_t size = padded ? layout->padded : layout->axis[a].size;

        if (size > 1)
            room /= size;
    }
    return (size_t)weft_layout_least_in_rooms(layout, room);
}

/* Ensures that no product of counts can overflow. */
static bool size_valid(const weft_layout *layout)
{
    if (layout->howmany < 0) {
        weft_error("there are %td elements at a point; it must not be negative", layout->howmany);
        return false;
    }
    if (weft_layout_largest_element(layout) == 0) {
        weft_error("the array has more elements than can be counted");
        return false;
    }
    return true;
}

typedef struct {
    const weft_box *box;
    int rank;
} owned;

/* The number of listed boxes of all ranks. */
static int all_boxes(const weft_layout *layout)
{
    return layout->first ? layout->first[layout->boxes] : layout->boxes;
}

static int owner(const weft_layout *layout, int box)
{
    int rank = 0;

    if (!layout->first)
        return box;
    while (layout->first[rank + 1] <= box)
        rank++;
    return rank;
}

static int by_start(const void *a, const void *b)
{
    const owned *x = a, *y = b;
    const ptrdiff_t s = x->box->span[0].start, t = y->box->span[0].start;

    return s != t ? (s > t) - (s < t) : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Whether the box lies within the array. */
static bool inside(const weft_layout *layout, int box)
{
    for (int a = 0; a < layout->axes; a++) {
        const weft_span *span = &layout->box[box].span[a];
        const ptrdiff_t size = layout->axis[a].size;

        if (span->start < 0 || span->count < 0 || span->start > size ||
            span->count > size - span->start) {
            weft_error("the box of rank %d has %td indices from index %td on along axis %d, but "
                       "this axis has only %td indices",
                       owner(layout, box), span->count, span->start, a, size);
            return false;
        }
    }
    return true;
}

static bool apart(const weft_layout *layout, const owned *list, int count)
{
    weft_box common;

    for (int i = 0; i < count; i++) {
        const weft_span *span = &list[i].box->span[0];

        for (int j = i + 1; j < count; j++) {
            if (list[j].box->span[0].start >= span->start + span->count)
                break;
            if (weft_box_intersect(layout->axes, list[i].box, list[j].box, &common)) {
                weft_error("the boxes of ranks %d and %d overlap", list[i].rank, list[j].rank);
                return false;
            }
        }
    }
    return true;
}

static ptrdiff_t points(const weft_layout *layout, const weft_box *box)
{
    ptrdiff_t product = 1;

    for (int a = 0; a < layout->axes; a++)
        product *= box ? box->span[a].count : layout->axis[a].size;
    return product;
}

/* Lists the non-empty boxes with their owners; returns their number. */
static int gather(const weft_layout *layout, owned *list)
{
    int count = 0;

    for (int box = 0, rank = 0; box < all_boxes(layout); box++) {
        while (layout->first ? layout->first[rank + 1] <= box : rank < box)
            rank++;
        if (!weft_box_empty(layout->axes, &layout->box[box]))
            list[count++] = (owned){&layout->box[box], rank};
    }
    return count;
}

/* Whether the listed boxes tile the array. The caller has checked the sizes of the layout. */
static bool boxes_tile(const weft_layout *layout, int ranks)
{
    ptrdiff_t covered = 0;
    owned *list;
    int count;
    bool ok;

    if (layout->boxes != ranks || layout->grid_axes != 0 || layout->padded != 0) {
        weft_error("the layout lists the boxes of %d ranks for %d ranks, with a grid of %d "
                   "dimensions or with padding; the numbers of ranks must be equal, and there can "
                   "be neither a grid nor padding",
                   layout->boxes, ranks, layout->grid_axes);
        return false;
    }
    for (int box = 0; box < all_boxes(layout); box++)
        if (!inside(layout, box))
            return false;
    list = calloc((size_t)all_boxes(layout) + 1, sizeof *list);
    if (list == NULL) {
        weft_error("no memory to compare %d boxes", all_boxes(layout));
        return false;
    }
    count = gather(layout, list);
    qsort(list, (size_t)count, sizeof *list, by_start);
    ok = apart(layout, list, count);
    for (int i = 0; ok && i < count; i++)
        covered += points(layout, list[i].box);
    if (ok && covered != points(layout, NULL)) {
        weft_error("the boxes leave a hole: they contain %td of %td points", covered,
                   points(layout, NULL));
        ok = false;
    }
    free(list);
    return ok;
}

bool weft_layout_valid(const weft_layout *layout, int ranks)
{
    if (layout->axes < 1 || layout->axes > WEFT_MAX_AXES - 1) {
        weft_error("the layout has %d axes; 1 to %d are possible", layout->axes, WEFT_MAX_AXES - 1);
        return false;
    }
    return grid_valid(layout, ranks) && axes_valid(layout) && order_valid(layout) &&
           joined_valid(layout) && padding_valid(layout) && size_valid(layout) &&
           (layout->box == NULL || boxes_tile(layout, ranks));
}
