/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a layout makes sense, and if not, why: one sentence, naming the value and what would be
 * right. */
#include <stdint.h>
#include "backends/exchange/boxes.h"
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

bool weft_layout_valid(const weft_layout *layout, int ranks)
{
    if (layout->axes < 1 || layout->axes > WEFT_MAX_AXES - 1) {
        weft_error("the layout has %d axes; 1 to %d are possible", layout->axes, WEFT_MAX_AXES - 1);
        return false;
    }
    return grid_valid(layout, ranks) && axes_valid(layout) && order_valid(layout) &&
           padding_valid(layout) && size_valid(layout) &&
           (layout->box == NULL || weft_boxes_tile(layout, ranks));
}
