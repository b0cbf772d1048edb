/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts. A rank's coordinates come from its number, its part of every axis from the coordinate
 * and the rule of the axis: O(axes) for any rank, whatever the number of ranks.
 */
#include <stdint.h>
#include <string.h>
#include "backends/exchange/layout.h"

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
    if (it->rule == WEFT_BALANCED) {
        int parts = extent(layout, axis);
        ptrdiff_t least = it->size / parts, more = it->size % parts;

        span.start = at * least + (at < more ? at : more);
        span.count = least + (at < more);
    } else {
        ptrdiff_t block = block_of(layout, axis);

        span.start = at > it->size / block ? it->size : at * block;
        span.count = it->size - span.start < block ? it->size - span.start : block;
    }
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

bool weft_box_intersect(int axes, const weft_box *a, const weft_box *b, weft_box *common)
{
    bool any = true;

    for (int i = 0; i < axes; i++) {
        weft_span x = a->span[i], y = b->span[i];
        ptrdiff_t start = x.start > y.start ? x.start : y.start;
        ptrdiff_t end =
            x.start + x.count < y.start + y.count ? x.start + x.count : y.start + y.count;

        common->span[i].start = start;
        common->span[i].count = end > start ? end - start : 0;
        any = any && end > start;
    }
    return any;
}
