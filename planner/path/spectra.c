/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths of transforms whose spectra have other lengths than the grid. Along an axis an array has as
 * many numbers as there are modes from where it is transformed forward, or until it is backward, so
 * that the way tells how much moves: ways through the grid of either side, and through another, in
 * both directions, are compared. Rows are not among them, since how many axes these divide depends
 * on the lengths.
 */
#include "planner/path/path.h"
#include "planner/path/process-grid.h"

bool weft_modes_kept(const weft_problem *problem)
{
    for (int axis = 0; axis < problem->axes; axis++)
        if (problem->modes[axis])
            return true;
    return false;
}

/* The grid of a side, as it is divided: along the first of its axes, or those after the first.
 * False: otherwise. */
static bool grid_of(const weft_layout *side, weft_process_grid *grid)
{
    for (int first = 0; first < 2; first++) {
        bool fits = weft_layout_is_regular(side) && side->grid_axes < side->axes;
        grid->axes = fits ? side->grid_axes : 0;
        for (int g = 0; g < grid->axes; g++) {
            grid->extent[g] = side->grid[g];
            fits &= side->grid[g] == 1 || side->axis[g + first].grid_axis == g;
        }
        if (fits && grid->axes > 0)
            return true;
    }
    return false;
}

bool weft_path_by_modes(const weft_problem *problem, weft_path *path)
{
    weft_process_grid grid[3];
    const weft_kind last = weft_last_kind(problem);
    int grids = grid_of(&problem->from.layout, &grid[0]);
    double least = -1;
    grids += grid_of(&problem->to.layout, &grid[grids]);
    grid[grids] = (weft_process_grid){1, {problem->ranks}};
    if (problem->axes > 2)
        weft_process_grid_guess(problem, &grid[grids]);
    grids++;
    for (int i = 0; i < 2 * grids; i++) {
        weft_path other;
        const bool backward = i % 2;
        if (last == (backward ? WEFT_R2C : WEFT_C2R))
            continue;
        weft_path_through(problem, &grid[i / 2], backward, &other);
        const double moved = weft_path_moved(&other, problem->ranks);
        if (least >= 0 && moved >= least)
            continue;
        least = moved;
        *path = other;
    }
    return least >= 0;
}
