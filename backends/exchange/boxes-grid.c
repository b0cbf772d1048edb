/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recognizes a list of one box per rank as a grid. Most lists that programs pass are grids, whose
 * dimensions may divide any axes in any order. With a grid, boxes are found by arithmetic, and
 * passes can write and read messages directly. The step of a grid dimension is the distance between
 * two ranks that differ by one in that coordinate. For each axis, the step is the first rank whose
 * box starts elsewhere along the axis than the box of rank 0:
 *
 *     starts of 2 x 3 boxes     0 0   0 4   0 8   5 0   5 4   5 8
 *     steps: of axis 1                1, of axis 0      3          extents 3 / 1, 6 / 3
 */
#include "backends/exchange/layout.h"

/* The first rank whose non-empty box starts elsewhere along `axis` than the box of rank 0; 0: none.
 */
static int step_of(const weft_layout *layout, int axis)
{
    for (int rank = 1; rank < layout->boxes; rank++)
        if (!weft_box_empty(layout->axes, &layout->box[rank]) &&
            layout->box[rank].span[axis].start != layout->box[0].span[axis].start)
            return rank;
    return 0;
}

/* Sets the dimensions of the grid, the one with the largest step first. Returns false when the
 * steps do not fit a grid. */
static bool find_grid(const weft_layout *layout, weft_layout *grid)
{
    int whole = layout->boxes;
    for (;;) {
        int step = 0, divided = 0;
        for (int axis = 0; axis < layout->axes; axis++) {
            const int its = step_of(layout, axis);
            if (its > step && its < whole) {
                step = its;
                divided = axis;
            }
        }
        if (step == 0)
            return whole == 1;
        if (whole % step != 0)
            return false;
        grid->axis[divided].grid_axis = grid->grid_axes;
        grid->grid[grid->grid_axes++] = whole / step;
        whole = step;
    }
}

/* Whether the listed boxes equal the grid's boxes along an axis. */
static bool agrees(const weft_layout *layout, const weft_layout *grid, int axis)
{
    for (int rank = 0; rank < layout->boxes; rank++) {
        weft_box box;
        const weft_box *mine = &layout->box[rank];
        weft_layout_box(grid, rank, &box);
        if (!weft_box_empty(layout->axes, mine) &&
            (box.span[axis].start != mine->span[axis].start ||
             box.span[axis].count != mine->span[axis].count))
            return false;
    }
    return true;
}

static bool find_rule(const weft_layout *layout, weft_layout *grid, int axis)
{
    static const weft_rule rules[] = {WEFT_BALANCED, WEFT_EVENLY, WEFT_BLOCKS};
    for (int i = 0; i < 3; i++) {
        grid->axis[axis].rule = rules[i];
        grid->axis[axis].block = rules[i] == WEFT_BLOCKS ? layout->box[0].span[axis].count : 0;
        if (agrees(layout, grid, axis))
            return true;
    }
    return false;
}

void weft_layout_simplify(weft_layout *layout)
{
    weft_layout grid = *layout;
    weft_box box;
    if (!layout->box || layout->first || weft_box_empty(layout->axes, &layout->box[0]))
        return;
    grid.box = NULL;
    grid.boxes = 0;
    if (!find_grid(layout, &grid))
        return;
    for (int axis = 0; axis < layout->axes; axis++)
        if (!find_rule(layout, &grid, axis))
            return;
    for (int rank = 0; rank < layout->boxes; rank++) {
        weft_layout_box(&grid, rank, &box);
        if (weft_box_empty(layout->axes, &box) != weft_box_empty(layout->axes, &layout->box[rank]))
            return;
    }
    *layout = grid;
}
