/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ranks hold before and after, as layouts: the one place where slabs, lines and grids are
 * told apart. Two ranks, an array of 4 x 6 numbers, r2c:
 *
 *     slabs, input      slabs, transposed output     grid 1x2, aligned along the last axis
 *     0 0 0 0 0 0 . .   0 0 1 1                      as slabs transposed, but in natural order:
 *     0 0 0 0 0 0 . .   0 0 1 1     in memory        0 0 1 1
 *     1 1 1 1 1 1 . .   0 0 1 1     [n1][n0]         0 0 1 1
 *     1 1 1 1 1 1 . .   0 0 1 1                      ...
 *
 * Seven ranks in rows of 3 x 4 x n2 numbers, a letter each rank, and the output of as many axes:
 *
 *     input, axes 0 and 1     a b b c        output in memory [n2][n1][n0], axes 2 and 1 likewise
 *                             c d e e
 *                             f f g g
 */
#include "api/holdings.h"

/* Undivided, of the sizes that a side has: the complex side of r2c and c2r is halved along the last
 * axis. */
static weft_layout whole(const weft_problem *problem, const weft_holding *side, bool padded)
{
    const int last = problem->axes - 1;
    const ptrdiff_t complex_last = problem->size[last] / 2 + 1;
    weft_layout layout;
    weft_layout_init(&layout, problem->axes, problem->size, problem->howmany);
    if (weft_is_half_complex(problem) && !side->real)
        layout.axis[last].size = complex_last;
    else if (weft_is_half_complex(problem) && padded)
        layout.padded = 2 * complex_last;
    return layout;
}

static void lay_slab(const weft_problem *problem, weft_holding *side, ptrdiff_t block)
{
    const int divided = side->first;
    side->layout = whole(problem, side, true);
    side->layout.grid_axes = 1;
    side->layout.grid[0] = problem->ranks;
    side->layout.axis[divided].grid_axis = 0;
    side->layout.axis[divided].rule = WEFT_BLOCKS;
    side->layout.axis[divided].block = block;
    if (side->transposed) {
        side->layout.order[0] = 1;
        side->layout.order[1] = 0;
    }
}

static void lay_on_grid(const weft_problem *problem, weft_holding *side, weft_rule rule,
                        bool padded)
{
    weft_layout *layout = &side->layout;
    const int dimensions = problem->grid.axes;
    *layout = whole(problem, side, padded);
    layout->grid_axes = dimensions;
    for (int axis = 0; axis < problem->axes; axis++)
        layout->axis[axis].rule = rule;
    for (int g = 0; g < dimensions; g++) {
        const int place = weft_process_grid_place(&problem->grid, g);
        layout->grid[place] = problem->grid.extent[g];
        if (layout->grid[place] > 1)
            layout->axis[side->first ? g + 1 : g].grid_axis = place;
    }
    for (int i = 0; side->transposed && i <= dimensions; i++)
        layout->order[i] = i < dimensions ? i + 1 : 0;
}

/* The orders of the axes in memory, on which the division depends: their own, and the reverse. */
static void lay_in_rows(const weft_problem *problem, weft_holding *side, bool padded)
{
    int order[WEFT_MAX_RANK];
    for (int i = 0; i < problem->axes; i++)
        order[i] = side->first ? problem->axes - 1 - i : i;
    side->layout = whole(problem, side, padded);
    weft_layout_set_rows(&side->layout, order, problem->ranks);
}

static void set_kinds_of_numbers(weft_problem *problem)
{
    problem->from.real = problem->real || weft_last_kind(problem) == WEFT_R2C;
    problem->to.real = problem->real || weft_last_kind(problem) == WEFT_C2R;
}

void weft_holdings_slabs(weft_problem *problem, ptrdiff_t in_block, ptrdiff_t out_block)
{
    set_kinds_of_numbers(problem);
    lay_slab(problem, &problem->from, in_block);
    lay_slab(problem, &problem->to, out_block);
}

void weft_holdings_rows(weft_problem *problem, bool padded)
{
    set_kinds_of_numbers(problem);
    lay_in_rows(problem, &problem->from, padded);
    lay_in_rows(problem, &problem->to, padded);
}

void weft_holdings_grid(weft_problem *problem, weft_rule rule, bool padded)
{
    set_kinds_of_numbers(problem);
    lay_on_grid(problem, &problem->from, rule, padded);
    lay_on_grid(problem, &problem->to, rule, padded);
}
