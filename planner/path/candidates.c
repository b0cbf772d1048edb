/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chains that there are for a problem. Most have one. Slabs of three axes and more may also go
 * through pencils in between: with more ranks than slabs that keeps all of them busy. Else it takes
 * two exchanges more, each among fewer ranks, which pays where messages are many and small; that is
 * rare enough to be tried with FFTW_PATIENT only.
 */
#include "planner/path/path.h"
#include "planner/path/process-grid.h"

/* What it takes to collect slabs, of the time of a transform on pencils, were all of them to be
 * moved. */
static const double to_slabs = 0.3;

/* What the busiest ranks have to do with slabs alone. */
static double slab_load(const weft_problem *problem)
{
    const weft_process_grid one = {1, {problem->ranks}};
    return weft_process_grid_load(problem, &one);
}

static bool wish_fits(const weft_problem *problem, const weft_process_grid *wish)
{
    return wish->axes > 0 && wish->axes < problem->axes &&
           weft_process_grid_ranks(wish) == problem->ranks;
}

/* More ranks than n0 or n1. */
static bool some_idle(const weft_problem *problem)
{
    return problem->ranks > problem->size[0] || problem->ranks > problem->size[1];
}

static int slab_candidates(const weft_problem *problem, const weft_process_grid *wish,
                           weft_path *path, int most)
{
    weft_process_grid process_grid;
    const bool may = problem->task == WEFT_TRANSFORM && problem->axes >= 3 && problem->ranks > 1;
    if (may && wish_fits(problem, wish))
        return weft_path_between(problem, wish, path);
    const bool idle = some_idle(problem);
    if (!may ||
        !(idle ? weft_process_grid_guess : weft_process_grid_guess_divided)(problem, &process_grid))
        return weft_path_slab(problem, path);
    /* the exchanges from the slabs and back come on top */
    const bool between_first =
        idle && 2 * weft_process_grid_load(problem, &process_grid) < slab_load(problem);
    int count = 0;
    for (int turn = 0; turn < 2 && count < most; turn++)
        count += (turn == 0) == between_first
                     ? weft_path_between(problem, &process_grid, path + count)
                     : weft_path_slab(problem, path + count);
    return count;
}

/* Slabs take fewer sweeps but need an axis that is long enough. */
static int grid_candidates(const weft_problem *problem, bool together, weft_path *path, int most)
{
    const double pencils = weft_process_grid_load(problem, &problem->grid);
    const double moved = 1 - (double)problem->grid.extent[0] / problem->ranks;
    const bool slabs_first = together && slab_load(problem) + to_slabs * moved * pencils < pencils;
    int count = 0;
    for (int turn = 0; turn < 2 && count < most; turn++)
        count += (turn == 0) == slabs_first ? weft_path_grid_slabs(problem, path + count)
                                            : weft_path_grid(problem, path + count);
    return count;
}

int weft_path_candidates(const weft_problem *problem, const weft_process_grid *process_grid,
                         bool together, weft_path *path, int most)
{
    if (problem->task == WEFT_REDISTRIBUTE)
        return weft_path_redistribute(problem, path);
    if (problem->grid.axes > 0)
        return grid_candidates(problem, together, path, most);
    return slab_candidates(problem, process_grid, path, most);
}

int weft_path_raced(const weft_problem *problem, int candidates, int rigor)
{
    return rigor >= 2 || (rigor == 1 && some_idle(problem)) ? candidates : 1;
}
