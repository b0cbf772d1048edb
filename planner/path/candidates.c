/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists the candidate paths for a problem and decides how many of them are worth timing.
 *
 * Between any two sides, the array may be divided in any way in between, so the cheapest path
 * is found by comparison. The candidate grids follow from the division of either side, and one is
 * estimated; each grid is tried in both directions:
 *
 *     a side      / - -     / / -     / / /  of 2x3x4 ranks
 *     its grids   P x 1     its own   2 x 12 aligned along the last axis, 6 x 4 along the first
 *
 * Paths through rows go from the natural order of axes to the reverse, or back. Where an axis has a
 * different number of modes than of points, the array has the size of the modes after the forward
 * transform or before the backward transform, so the comparison sees how much data moves. Rows are
 * not tried with modes, because the number of axes that rows divide depends on the sizes.
 *
 * Paths of problems with a callback go to the spectrum and back the same way. The stage in the
 * middle transforms its last axis, calls the callback while the data is in the cache, and
 * transforms back. So slabs need three sweeps through memory instead of five:
 *
 *     stage 0              stage 1                        stage 2
 *     axis 0 divided   ->  axis 1 divided             ->  axis 0 divided
 *     FFT of 1 and 2       FFT of 0, callback, back       inverse FFT of 1 and 2
 */
#include "planner/path/path.h"
#include "planner/path/process-grid.h"

/* Cost of collecting slabs if all data moved, relative to the time of a transform on pencils. */
static const double to_slabs = 0.3;

static double slab_load(const weft_problem *problem)
{
    const weft_process_grid one = {1, {problem->ranks}, 0};
    return weft_process_grid_load(problem, &one);
}

/* Whether slabs leave ranks idle: there are more ranks than n0 or n1. */
static bool some_idle(const weft_problem *problem)
{
    return problem->ranks > problem->size[0] || problem->ranks > problem->size[1];
}

static int slab_candidates(const weft_problem *problem, const weft_process_grid *requested,
                           bool far, weft_path *path)
{
    weft_process_grid pencils;
    const bool may = problem->axes >= 3 && problem->ranks > 1;
    if (may && weft_process_grid_fits(requested, problem->axes, problem->ranks)) {
        weft_path_by_pencils(problem, requested, far, path);
        return 1;
    }
    const bool idle = some_idle(problem);
    if (!may || !weft_process_grid_estimate(problem, !idle, &pencils)) {
        weft_path_direct(problem, path);
        return 1;
    }
    /* Slabs are on the first ranks; in column-major order the first pencil of each slab is on the
     * same ranks, so part of each slab need not move. */
    if (idle)
        pencils.column_major =
            pencils.extent[0] > 1 && pencils.extent[0] < weft_process_grid_ranks(&pencils);
    /* the factor 2 accounts for the exchanges from the slabs and back */
    const bool pencils_first =
        idle && 2 * weft_process_grid_load(problem, &pencils) < slab_load(problem);
    weft_path_by_pencils(problem, &pencils, far, &path[!pencils_first]);
    weft_path_direct(problem, &path[pencils_first]);
    return 2;
}

/* Slabs need fewer sweeps through memory than pencils, but need an axis that is long enough. */
static int grid_candidates(const weft_problem *problem, bool together, weft_path *path)
{
    const double pencils = weft_process_grid_load(problem, &problem->grid);
    const double moved = 1 - (double)problem->grid.extent[0] / problem->ranks;
    const bool slabs_first = together && slab_load(problem) + to_slabs * moved * pencils < pencils;
    const bool slabs = weft_path_by_slabs(problem, &path[!slabs_first]);
    weft_path_direct(problem, &path[slabs && slabs_first]);
    return 1 + slabs;
}

static void exchange_only(const weft_problem *problem, weft_path *path)
{
    path->through.axes = 0;
    path->stages = 0;
    weft_path_add(path, &problem->from.layout, problem->from.real);
    weft_path_add(path, &problem->to.layout, problem->to.real);
}

/* Cost of one sweep of a rank through its data, relative to sending the same amount of data. */
static const double sweep = 0.3;

enum { MOST_GRIDS = 5 }; /* two from each side and the estimated one */

typedef struct {
    weft_process_grid grid;
    weft_rule rule;
} grid_division;

static double busiest(const weft_layout *layout, int ranks)
{
    double most = 0;
    for (int rank = 0; rank < ranks; rank++) {
        weft_box box;
        weft_layout_box(layout, rank, &box);
        const double points = (double)weft_box_points(layout->axes, &box);
        most = points > most ? points : most;
    }
    return most;
}

/* The cost of a path: the data that moves, plus one sweep through memory for each stage. Each sweep
 * takes as long as the busiest rank's, so exchanges and idle ranks both add to the cost. */
static double cost(const weft_path *path, int ranks)
{
    double swept = 0;
    for (int i = 0; i < path->stages; i++)
        swept += busiest(&path->stage[i].after, ranks);
    return weft_path_moved(path, ranks) + sweep * ranks * swept;
}

/* Replaces the best path if another is cheaper. `least` is the cost of the best; negative: none. */
static void keep_cheaper(const weft_path *other, int ranks, weft_path *best, double *least)
{
    const double now = cost(other, ranks);
    if (*least < 0 || now < *least) {
        *least = now;
        *best = *other;
    }
}

/* Whether a side numbers its ranks in column-major order, if the dimensions of its grid are taken
 * in the order of the axes that they divide. */
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

/* Makes the grid that divides the array like a side and in the same order of ranks, but leaves the
 * first axis (`first`) or the last axis undivided; the neighbour of that axis takes over its parts.
 * Returns false when there is no such grid. */
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
    if (parts[whole] > 1) /* an even division into more parts subdivides the one into fewer parts */
        made->rule = WEFT_EVENLY;
    made->grid.axes = last;
    made->grid.column_major = column_major(side);
    for (int g = 0; g < last; g++)
        made->grid.extent[g] = parts[first + g];
    made->grid.extent[first ? 0 : last - 1] *= parts[whole];
    return true;
}

/* Whether the end of a path where numbers are real leaves the last axis undivided. Aligned along
 * the first axis, the last dimension divides that axis, if its extent is more than 1. */
static bool may_go(const weft_problem *problem, const weft_process_grid *grid, bool back)
{
    const int last = problem->axes - 1;
    return weft_last_kind(problem) != (back ? WEFT_R2C : WEFT_C2R) || grid->axes < last ||
           grid->extent[last - 1] == 1;
}

static void by_grids(const weft_problem *problem, weft_path *path, weft_path *other)
{
    grid_division list[MOST_GRIDS];
    int grids = 0;
    double least = -1;
    for (int i = 0; i < 4; i++)
        grids += grid_of(i < 2 ? &problem->from.layout : &problem->to.layout, i % 2, &list[grids]);
    list[grids] = (grid_division){{1, {problem->ranks}, 0}, WEFT_BALANCED};
    weft_process_grid_estimate(problem, false, &list[grids++].grid);
    for (int i = 0; i < 2 * grids; i++) {
        if (!may_go(problem, &list[i / 2].grid, i % 2))
            continue;
        weft_path_through(problem, &list[i / 2].grid, list[i / 2].rule, i % 2, false, other);
        keep_cheaper(other, problem->ranks, path, &least);
    }
}

/* Makes the cheaper path of the two directions through rows. Returns false when there is none. */
static bool by_rows(const weft_problem *problem, weft_path *path, weft_path *other)
{
    weft_problem rows = *problem;
    double least = -1;
    if (weft_modes_differ(problem->axes, problem->modes) || problem->axes < 3 ||
        problem->axes > WEFT_ROWS_RANK)
        return false;
    for (int backward = 0; backward < 2; backward++) {
        if (weft_last_kind(problem) == (backward ? WEFT_R2C : WEFT_C2R))
            continue;
        rows.from.first = backward;
        rows.to.first = !backward;
        weft_path_by_rows(&rows, other);
        keep_cheaper(other, problem->ranks, path, &least);
    }
    return true;
}

static int between(const weft_problem *problem, weft_path *path)
{
    by_grids(problem, path, path + 2);
    if (!by_rows(problem, path + 1, path + 2))
        return 1;
    if (cost(path + 1, problem->ranks) < cost(path, problem->ranks)) {
        path[2] = path[0];
        path[0] = path[1];
        path[1] = path[2];
    }
    return 2;
}

/* The axis that the last stage of the way there transforms together with the callback; negative:
 * none. r2c has its own stage, because the callback gets complex numbers; c2r is the last
 * transform.
 */
static int axis_of_callback(const weft_stage *stage)
{
    int axis = 0, last = stage->before.axes - 1;
    if (stage->kind[last] == WEFT_C2R)
        return last;
    while (axis < stage->before.axes &&
           (stage->kind[axis] == WEFT_KEEP || stage->kind[axis] == WEFT_R2C))
        axis++;
    return axis < stage->before.axes ? axis : -1;
}

/* Moves one axis of the last stage (negative: none) to a new stage, if that stage transforms
 * more. */
static void split_last(weft_path *path, int axis)
{
    weft_stage *last = &path->stage[path->stages - 1];
    int transformed = 0;
    for (int a = 0; a < last->before.axes; a++)
        transformed += last->kind[a] != WEFT_KEEP;
    if (transformed == (axis >= 0))
        return;
    if (axis >= 0)
        last->after.axis[axis].size = last->before.axis[axis].size;
    if (axis >= 0 && last->kind[axis] == WEFT_C2R) {
        last->after.padded = 0;
        last->real_after = false;
    }
    weft_stage *middle = weft_path_add(path, &last->after, last->real_after);
    if (axis < 0)
        return;
    middle->kind[axis] = last->kind[axis];
    middle->modes[axis] = last->modes[axis];
    last->kind[axis] = WEFT_KEEP;
    last->modes[axis] = 0;
}

static weft_stage reversed(const weft_stage *stage, ptrdiff_t howmany)
{
    weft_stage back = *stage;
    back.before = stage->after;
    back.after = stage->before;
    back.real_before = stage->real_after;
    back.real_after = stage->real_before;
    back.before.howmany = back.after.howmany = howmany;
    for (int axis = 0; axis < stage->before.axes; axis++)
        back.kind[axis] = weft_kind_inverse(stage->kind[axis]);
    return back;
}

/* Appends the way back to a path from the input to the spectrum. */
static void add_return(const weft_problem *problem, weft_path *path)
{
    const ptrdiff_t howmany = problem->to.layout.howmany;
    /* a stage that only moves the spectrum to its distribution is not needed if any will do */
    while (!problem->fixed && path->stages > 1 &&
           !weft_stage_transforms(&path->stage[path->stages - 1]))
        path->stages--;
    split_last(path, axis_of_callback(&path->stage[path->stages - 1]));
    weft_stage *middle = &path->stage[path->stages - 1];
    middle->after = middle->before;
    middle->real_after = middle->real_before;
    middle->operates = true;
    middle->after.howmany = howmany;
    for (int i = path->stages - 2; i >= 0 && howmany > 0; i--)
        path->stage[path->stages++] = reversed(&path->stage[i], howmany);
}

/* Lists the paths to the spectrum and back. */
static int operator_candidates(const weft_problem *problem, const weft_process_grid *pencils,
                               bool together, weft_path *path)
{
    weft_problem forward = *problem;
    forward.callback = NULL;
    forward.to = problem->spectrum;
    const int count = weft_path_candidates(&forward, pencils, together, path);
    for (int i = 0; i < count; i++)
        add_return(problem, &path[i]);
    return count;
}

int weft_path_candidates(const weft_problem *problem, const weft_process_grid *pencils,
                         bool together, weft_path path[WEFT_PATHS_CAPACITY])
{
    if (problem->callback)
        return operator_candidates(problem, pencils, together, path);
    if (problem->task != WEFT_TRANSFORM)
        exchange_only(problem, path);
    else if (problem->axes == 1)
        weft_path_line(problem, path);
    else if (problem->rows)
        weft_path_by_rows(problem, path);
    else
        return problem->between         ? between(problem, path)
               : problem->grid.axes > 0 ? grid_candidates(problem, together, path)
                                        : slab_candidates(problem, pencils, !together, path);
    return 1;
}

int weft_path_raced(const weft_problem *problem, int candidates, int rigor, bool far)
{
    const bool idle = some_idle(problem), open = problem->between || idle;
    const bool modelled = far && idle && problem->task == WEFT_TRANSFORM &&
                          problem->grid.axes == 0 && !problem->between && !problem->rows &&
                          !weft_little_memory(problem);
    return rigor >= 2 || (rigor == 1 && open) || (rigor == 0 && modelled) ? candidates : 1;
}
