/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the candidate paths for a problem and decides how many of them are worth timing. */
#include "planner/path/path.h"
#include "planner/path/process-grid.h"

/* Cost of collecting slabs if all data had to move, relative to the time of a transform on pencils.
 */
static const double to_slabs = 0.3;

/* The work of the busiest rank with slabs alone. */
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

/* Chooses the order of ranks for pencils between slabs. Slabs are on the first ranks; in
 * column-major order the first pencil of each slab is on the same ranks, so part of each slab need
 * not move. */
static void lay_on_slabs(weft_process_grid *pencils)
{
    pencils->column_major =
        pencils->extent[0] > 1 && pencils->extent[0] < weft_process_grid_ranks(pencils);
}

static int slab_candidates(const weft_problem *problem, const weft_process_grid *requested,
                           bool far, weft_path *path, int most)
{
    weft_process_grid pencils;
    const bool may = problem->axes >= 3 && problem->ranks > 1;
    if (may && weft_process_grid_fits(requested, problem->axes, problem->ranks))
        return weft_path_by_pencils(problem, requested, far, path);
    const bool idle = some_idle(problem);
    if (!may || !(idle ? weft_process_grid_estimate : weft_process_grid_estimate_divided)(problem,
                                                                                          &pencils))
        return weft_path_direct(problem, path);
    if (idle)
        lay_on_slabs(&pencils);
    /* the factor 2 accounts for the exchanges from the slabs and back */
    const bool pencils_first =
        idle && 2 * weft_process_grid_load(problem, &pencils) < slab_load(problem);
    int count = 0;
    for (int turn = 0; turn < 2 && count < most; turn++)
        count += (turn == 0) == pencils_first
                     ? weft_path_by_pencils(problem, &pencils, far, path + count)
                     : weft_path_direct(problem, path + count);
    return count;
}

/* Slabs need fewer sweeps through memory than pencils, but need an axis that is long enough. */
static int grid_candidates(const weft_problem *problem, bool together, weft_path *path, int most)
{
    const double pencils = weft_process_grid_load(problem, &problem->grid);
    const double moved = 1 - (double)problem->grid.extent[0] / problem->ranks;
    const bool slabs_first = together && slab_load(problem) + to_slabs * moved * pencils < pencils;
    int count = 0;
    for (int turn = 0; turn < 2 && count < most; turn++)
        count += (turn == 0) == slabs_first ? weft_path_by_slabs(problem, path + count)
                                            : weft_path_direct(problem, path + count);
    return count;
}

/* Makes the path of a problem without transforms: one exchange. */
static int exchange_only(const weft_problem *problem, weft_path *path)
{
    path->through.axes = 0;
    path->stages = 0;
    weft_path_add(path, &problem->from.layout, problem->from.real);
    weft_path_add(path, &problem->to.layout, problem->to.real);
    return 1;
}

/* Lists the paths to the spectrum and back. */
static int operator_candidates(const weft_problem *problem, const weft_process_grid *pencils,
                               bool together, weft_path *path, int most)
{
    weft_problem forward = *problem;
    forward.callback = NULL;
    forward.to = problem->spectrum;
    const int count = weft_path_candidates(&forward, pencils, together, path, most);
    for (int i = 0; i < count; i++)
        weft_path_return(problem, &path[i]);
    return count;
}

int weft_path_candidates(const weft_problem *problem, const weft_process_grid *pencils,
                         bool together, weft_path *path, int most)
{
    if (problem->callback)
        return operator_candidates(problem, pencils, together, path, most);
    if (problem->task != WEFT_TRANSFORM)
        return exchange_only(problem, path);
    if (problem->axes == 1)
        return weft_path_line(problem, path);
    if (problem->rows)
        return weft_path_by_rows(problem, path);
    if (problem->between)
        return weft_path_between(problem, path, most);
    if (problem->grid.axes > 0)
        return grid_candidates(problem, together, path, most);
    return slab_candidates(problem, pencils, !together, path, most);
}

int weft_path_raced(const weft_problem *problem, int candidates, int rigor, bool far)
{
    const bool idle = some_idle(problem), open = problem->between || idle;
    const bool modelled = far && idle && problem->task == WEFT_TRANSFORM &&
                          problem->grid.axes == 0 && !problem->between && !problem->rows &&
                          !(problem->flags & FFTW_CONSERVE_MEMORY);
    return rigor >= 2 || (rigor == 1 && open) || (rigor == 0 && modelled) ? candidates : 1;
}
