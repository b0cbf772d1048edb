/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts. A rank's coordinates come from its number, its part of every axis from the coordinate
 * and the rule of the axis: O(axes) for any rank, whatever the number of ranks.
 *
 * A layout makes sense when its numbers do, and if not, one sentence names the value and what would
 * be right. Given boxes must also tile the array: each lies within it, no two share a point, and
 * together they have as many points as it has. They are compared in the order of their starts along
 * the first axis, each with those only that begin before it ends.
 */
#include "backends/exchange/layout.h"

#include <stdlib.h>
#include <string.h>
#include "kernels/base/digest.h"
#include "kernels/base/error.h"

void weft_layout_init(weft_layout *layout, int axes, const ptrdiff_t *size, ptrdiff_t howmany)
{
    memset(layout, 0, sizeof *layout);
    layout->axes = axes;
    layout->howmany = howmany;
    for (int a = 0; a < axes && a < WEFT_MAX_AXES; a++) {
        layout->axis[a].size = size[a];
        layout->axis[a].grid_axis = -1;
        layout->order[a] = a;
    }
}

weft_span weft_cut_span(weft_span span, int parts, int part)
{
    const ptrdiff_t least = span.count / parts, more = span.count % parts;
    const ptrdiff_t start = part * least + (part < more ? part : more);

    return (weft_span){span.start + start, least + (part < more)};
}

static int extent(const weft_layout *layout, int axis)
{
    int dimension = layout->axis[axis].grid_axis;

    return dimension < 0 ? 1 : layout->grid[dimension];
}

/* Indices that every coordinate gets, but for the last ones that get any; never 0. */
static ptrdiff_t block_of(const weft_layout *layout, int axis)
{
    const weft_axis *it = &layout->axis[axis];
    int parts = extent(layout, axis);
    ptrdiff_t block = it->block > 0 ? it->block : it->size / parts + (it->size % parts != 0);

    return block > 0 ? block : 1;
}

/* What the rank coordinate `at` holds of an axis. */
static weft_span part(const weft_layout *layout, int axis, int at)
{
    const weft_axis *it = &layout->axis[axis];
    weft_span span = {0, it->size};

    if (it->grid_axis < 0)
        return span;
    if (it->rule == WEFT_BALANCED)
        return weft_cut_span(span, extent(layout, axis), at);
    ptrdiff_t block = block_of(layout, axis);
    span.start = at > it->size / block ? it->size : at * block;
    span.count = it->size - span.start < block ? it->size - span.start : block;
    return span;
}

/* The coordinate that holds an index of an axis. */
static int holder(const weft_layout *layout, int axis, ptrdiff_t index)
{
    const weft_axis *it = &layout->axis[axis];
    int parts = extent(layout, axis);

    if (it->grid_axis < 0)
        return 0;
    if (it->rule == WEFT_BALANCED) {
        ptrdiff_t least = it->size / parts, more = it->size % parts;
        ptrdiff_t turn = more * (least + 1); /* from here on the parts are of the lesser length */

        return (int)(index < turn ? index / (least + 1) : more + (index - turn) / least);
    }
    return (int)(index / block_of(layout, axis));
}

ptrdiff_t weft_layout_block(const weft_layout *layout)
{
    for (int axis = 0; axis < layout->axes; axis++)
        if (layout->axis[axis].grid_axis >= 0 && layout->axis[axis].rule == WEFT_BLOCKS)
            return layout->axis[axis].block;
    return 0;
}

void weft_layout_box(const weft_layout *layout, int rank, weft_box *box)
{
    int at[WEFT_MAX_AXES];

    memset(box, 0, sizeof *box);
    if (layout->box != NULL) {
        if (rank < layout->boxes)
            *box = layout->box[rank];
        return;
    }
    for (int g = layout->grid_axes - 1; g >= 0; g--) {
        at[g] = rank % layout->grid[g];
        rank /= layout->grid[g];
    }
    if (rank != 0)
        return; /* beyond the grid */
    for (int a = 0; a < layout->axes; a++) {
        int dimension = layout->axis[a].grid_axis;

        box->span[a] = part(layout, a, dimension < 0 ? 0 : at[dimension]);
    }
}

bool weft_layout_same(const weft_layout *a, const weft_layout *b)
{
    if (a->axes != b->axes || a->grid_axes != b->grid_axes || a->howmany != b->howmany ||
        a->padded != b->padded || a->box != b->box || a->boxes != b->boxes)
        return false;
    for (int i = 0; i < a->axes; i++) {
        const weft_axis *x = &a->axis[i], *y = &b->axis[i];

        if (x->size != y->size || x->grid_axis != y->grid_axis || a->order[i] != b->order[i] ||
            (x->grid_axis >= 0 && (x->rule != y->rule || x->block != y->block)))
            return false;
    }
    for (int g = 0; g < a->grid_axes; g++)
        if (a->grid[g] != b->grid[g])
            return false;
    return true;
}

/* How many indices of an axis memory has room for. */
static ptrdiff_t stored(const weft_layout *layout, const weft_box *box, int axis)
{
    return axis == layout->axes - 1 && layout->padded > 0 ? layout->padded : box->span[axis].count;
}

void weft_layout_strides(const weft_layout *layout, const weft_box *box, ptrdiff_t *stride)
{
    ptrdiff_t step = layout->howmany;

    for (int i = layout->axes - 1; i >= 0; i--) {
        int a = layout->order[i];

        stride[a] = step;
        step *= stored(layout, box, a);
    }
}

ptrdiff_t weft_layout_elements(const weft_layout *layout, const weft_box *box)
{
    ptrdiff_t elements = layout->howmany;

    if (weft_box_empty(layout->axes, box))
        return 0;
    for (int a = 0; a < layout->axes; a++)
        elements *= stored(layout, box, a);
    return elements;
}

bool weft_layout_meets(const weft_layout *layout, int axis, weft_span span, int *first, int *last)
{
    ptrdiff_t size = layout->axis[axis].size;
    ptrdiff_t start = span.start > 0 ? span.start : 0;
    ptrdiff_t end = span.start + span.count < size ? span.start + span.count : size;

    if (span.count <= 0 || start >= end)
        return false;
    *first = holder(layout, axis, start);
    *last = holder(layout, axis, end - 1);
    return true;
}

bool weft_box_empty(int axes, const weft_box *box)
{
    for (int a = 0; a < axes; a++)
        if (box->span[a].count <= 0)
            return true;
    return false;
}

weft_span weft_span_intersect(weft_span a, weft_span b)
{
    const ptrdiff_t start = a.start > b.start ? a.start : b.start;
    const ptrdiff_t a_end = a.start + a.count, b_end = b.start + b.count;
    const ptrdiff_t count = (a_end < b_end ? a_end : b_end) - start;

    return (weft_span){start, count > 0 ? count : 0};
}

bool weft_box_intersect(int axes, const weft_box *a, const weft_box *b, weft_box *common)
{
    bool any = true;

    for (int i = 0; i < axes; i++) {
        common->span[i] = weft_span_intersect(a->span[i], b->span[i]);
        any &= common->span[i].count > 0;
    }
    return any;
}

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
        room /=
            layout->grid[g]; /* rounded down at each step it is still 0 just when they do not fit */
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
        weft_error("dimension %d of the process grid divides axis %d and another one", g, a);
        return false;
    }
    if (axis->rule != WEFT_BLOCKS && axis->rule != WEFT_BALANCED) {
        weft_error("axis %d is divided by the unknown rule %d", a, (int)axis->rule);
        return false;
    }
    if (axis->block < 0) {
        weft_error("axis %d has a block of %td; it must not be negative", a, axis->block);
        return false;
    }
    if (g >= 0 && axis->rule == WEFT_BLOCKS && axis->block > 0 &&
        axis->size / axis->block + (axis->size % axis->block != 0) > layout->grid[g]) {
        weft_error("axis %d has %td indices, but %d blocks of %td do not hold them", a, axis->size,
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
    return (size_t)room;
}

/* So that no product of counts can overflow. */
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

static int by_start(const void *a, const void *b)
{
    const owned *x = a, *y = b;
    const ptrdiff_t s = x->box->span[0].start, t = y->box->span[0].start;

    return s != t ? (s > t) - (s < t) : (x->rank > y->rank) - (x->rank < y->rank);
}

/* The box lies in the array. */
static bool inside(const weft_layout *layout, int rank)
{
    for (int a = 0; a < layout->axes; a++) {
        const weft_span *span = &layout->box[rank].span[a];
        const ptrdiff_t size = layout->axis[a].size;

        if (span->start < 0 || span->count < 0 || span->start > size ||
            span->count > size - span->start) {
            weft_error("rank %d's box holds %td indices from %td on along axis %d, which has %td",
                       rank, span->count, span->start, a, size);
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

/* Lists the boxes that hold anything; how many. */
static int gather(const weft_layout *layout, owned *list)
{
    int count = 0;

    for (int rank = 0; rank < layout->boxes; rank++)
        if (!weft_box_empty(layout->axes, &layout->box[rank]))
            list[count++] = (owned){&layout->box[rank], rank};
    return count;
}

/* The sizes of the layout have been checked. */
static bool boxes_tile(const weft_layout *layout, int ranks)
{
    ptrdiff_t covered = 0;
    owned *list;
    int count;
    bool ok;

    if (layout->boxes != ranks || layout->grid_axes != 0 || layout->padded != 0) {
        weft_error("a layout of %d boxes on %d ranks, with a grid of %d dimensions or padding",
                   layout->boxes, ranks, layout->grid_axes);
        return false;
    }
    for (int rank = 0; rank < ranks; rank++)
        if (!inside(layout, rank))
            return false;
    list = malloc((size_t)ranks * sizeof *list);
    if (list == NULL) {
        weft_error("no memory to compare %d boxes", ranks);
        return false;
    }
    count = gather(layout, list);
    qsort(list, (size_t)count, sizeof *list, by_start);
    ok = apart(layout, list, count);
    for (int i = 0; ok && i < count; i++)
        covered += points(layout, list[i].box);
    if (ok && covered != points(layout, NULL)) {
        weft_error("the boxes leave a hole: they hold %td of %td points", covered,
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
           padding_valid(layout) && size_valid(layout) &&
           (layout->box == NULL || boxes_tile(layout, ranks));
}

static uint64_t boxes_digest(const weft_layout *layout)
{
    uint64_t digest = WEFT_DIGEST;

    if (layout->box == NULL)
        return 0;
    for (int rank = 0; rank < layout->boxes; rank++)
        for (int a = 0; a < layout->axes; a++) {
            const weft_span *span = &layout->box[rank].span[a];

            digest = weft_digest(weft_digest(digest, span->start), span->count);
        }
    return (digest >> 1) | 1;
}

unsigned long long weft_layout_digest(const weft_layout *layout)
{
    uint64_t digest = boxes_digest(layout);

    for (int a = 0; a < layout->axes; a++) {
        const weft_axis *axis = &layout->axis[a];
        const int parts = axis->grid_axis < 0 ? 1 : layout->grid[axis->grid_axis];

        digest = weft_digest(weft_digest(digest, axis->grid_axis + 1), parts);
        digest = weft_digest(weft_digest(digest, axis->rule), axis->block);
    }
    return digest;
}
