/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths between any two sides: the array may be divided anyhow on its way, and what comes cheapest
 * is found by comparing. Ways through the grids that follow from how either side is divided, and
 * through a guessed one, in both directions:
 *
 *     a side      / - -     / / -     / / /  of 2x3x4 ranks
 *     its grids   P x 1     its own   2 x 12 aligned along the last axis, 6 x 4 along the first
 *
 * and rows from the axes in their order to the reverse, or back. Along an axis whose spectrum has
 * other modes than the grid has points, an array has as many numbers as there are modes from where
 * it is transformed forward, or until it is backward, so that the way tells how much moves; rows
 * are not among those, since how many axes they divide depends on the lengths.
 */
#include "planner/path/path.h"
#include "planner/path/process-grid.h"

/* What it takes a rank to go once through what it holds, of the time to send as much. */
static const double sweep = 0.3;

enum { MOST_GRIDS = 5 }; /* two of either side, and another */

typedef struct {
    weft_process_grid grid;
    weft_rule rule;
} grid_division;

bool weft_modes_kept(const weft_problem *problem)
{
    for (int axis = 0; axis < problem->axes; axis++)
        if (problem->modes[axis])
            return true;
    return false;
}

/* Points of the rank that has most. */
static double busiest(const weft_layout *layout, int ranks)
{
    double most = 0;
    for (int rank = 0; rank < ranks; rank++) {
        weft_box box;
        double points = 1;
        weft_layout_box(layout, rank, &box);
        for (int axis = 0; axis < layout->axes; axis++)
            points *= (double)box.span[axis].count;
        most = points > most ? points : most;
    }
    return most;
}

/* What moves, and what passes through all ranks' memory while the busiest of them are at work: once
 * a stage, so that each exchange counts, and ranks that are idle. */
static double cost(const weft_path *path, int ranks)
{
    double swept = 0;
    for (int i = 0; i < path->stages; i++)
        swept += busiest(&path->stage[i].after, ranks);
    return weft_path_moved(path, ranks) + sweep * ranks * swept;
}

/* Whether ranks are the coordinates of a side's grid in column-major order, its dimensions in the
 * order of the axes that they divide. */
static bool column_major(const weft_layout *side)
{
    int dividing = 0, last = side->grid_axes;
    for (int axis = 0; axis < side->axes; axis++) {
        const int g = side->axis[axis].grid_axis;
        if (g < 0 || side->grid[g] == 1)
            continue;
        if (g > last)
            return false;
        last = g;
        dividing++;
    }
    return dividing > 1;
}

/* The grid that divides as a side does, in its order of ranks, but for one axis, the first or the
 * last, which is whole: the one beside it has its parts as well. False: there is none. */
static bool grid_of(const weft_layout *side, bool first, grid_division *made)
{
    const int last = side->axes - 1, whole = first ? 0 : last;
    int parts[WEFT_MAX_AXES] = {0};
    if (!weft_layout_is_regular(side) || side->grid_axes == 0)
        return false;
    for (int axis = 0; axis <= last; axis++) {
        const int g = side->axis[axis].grid_axis;
        parts[axis] = g < 0 ? 1 : side->grid[g];
        if (g >= 0)
            made->rule = side->axis[axis].rule;
    }
    if (parts[whole] > 1) /* what is divided evenly lies within what has fewer parts */
        made->rule = WEFT_EVENLY;
    made->grid.axes = last;
    made->grid.column_major = column_major(side);
    for (int g = 0; g < last; g++)
        made->grid.extent[g] = parts[first + g];
    made->grid.extent[first ? 0 : last - 1] *= parts[whole];
    return true;
}

/* Whether the end of a way where numbers are real has the last axis whole: aligned along the first
 * it is divided by the last dimension, if that divides anything. */
static bool may_go(const weft_problem *problem, const weft_process_grid *grid, bool back)
{
    const int last = problem->axes - 1;
    return weft_last_kind(problem) != (back ? WEFT_R2C : WEFT_C2R) || grid->axes < last ||
           grid->extent[last - 1] == 1;
}

/* The cheapest through any of the grids. */
static void by_grids(const weft_problem *problem, weft_path *path)
{
    grid_division list[MOST_GRIDS];
    weft_path other;
    int grids = 0;
    double least = -1;
    for (int i = 0; i < 4; i++)
        grids += grid_of(i < 2 ? &problem->from.layout : &problem->to.layout, i % 2, &list[grids]);
    list[grids] = (grid_division){{1, {problem->ranks}, 0}, WEFT_BALANCED};
    weft_process_grid_guess(problem, &list[grids++].grid);
    for (int i = 0; i < 2 * grids; i++) {
        if (!may_go(problem, &list[i / 2].grid, i % 2))
            continue;
        weft_path_through(problem, &list[i / 2].grid, list[i / 2].rule, i % 2, &other);
        const double now = cost(&other, problem->ranks);
        if (least >= 0 && now >= least)
            continue;
        least = now;
        *path = other;
    }
}

/* The cheaper one of both directions in rows. False: there are none. */
static bool by_rows(const weft_problem *problem, weft_path *path)
{
    weft_problem rows = *problem;
    weft_path other;
    double least = -1;
    if (weft_modes_kept(problem) || problem->axes < 3 || problem->axes > WEFT_ROWS_RANK)
        return false;
    for (int backward = 0; backward < 2; backward++) {
        if (weft_last_kind(problem) == (backward ? WEFT_R2C : WEFT_C2R))
            continue;
        rows.from.first = backward;
        rows.to.first = !backward;
        if (!weft_path_by_rows(&rows, &other))
            return false;
        const double now = cost(&other, problem->ranks);
        if (least >= 0 && now >= least)
            continue;
        least = now;
        *path = other;
    }
    return true;
}

int weft_path_between(const weft_problem *problem, weft_path *path, int most)
{
    by_grids(problem, path);
    if (most < 2 || !by_rows(problem, path + 1))
        return 1;
    if (cost(path + 1, problem->ranks) < cost(path, problem->ranks)) {
        const weft_path grid = path[0];
        path[0] = path[1];
        path[1] = grid;
    }
    return 2;
}
