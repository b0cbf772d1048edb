/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chains: the plan of campaign for a problem, in terms of layouts alone. A chain is a row of
 * stages; in each the array lies in some layout, and the axes that are whole there are transformed.
 * Between two stages lies an exchange. Slabs, the distributed 1-d transform and process grids
 * differ only in their chains: the schedule (schedule.h) is made from any chain by the same code.
 */
#ifndef WEFT_CHAIN_H
#define WEFT_CHAIN_H

#include "backends/exchange/layout.h"
#include "planner/problem.h"

enum { WEFT_MAX_STAGES = 2 * WEFT_MAX_AXES };

/* `before` and `after` give a rank the same box, but for the sizes of an axis that r2c or c2r
 * transforms, and for the order in memory, which the stage's pass may change. */
typedef struct {
    weft_layout before, after;
    bool real_before, real_after; /* numbers are real, else complex */
    weft_kind kind[WEFT_MAX_AXES];
    weft_twiddle twiddle; /* n 0: none; its starts are those of the rank's box */
} weft_stage;

typedef struct {
    weft_process_grid
        through; /* axes 0: slabs alone; else the grid on which the array is transformed */
    int stages;
    weft_stage stage[WEFT_MAX_STAGES];
} weft_path;

/* The chain for a problem over slabs; false and an error when there is none. Pure arithmetic, the
 * same on all ranks. */
bool weft_path_slab(const weft_problem *problem, weft_path *path);

/* Adds a stage in one layout without any transforms. */
weft_stage *weft_path_add(weft_path *path, const weft_layout *layout, bool real);
/* The stages of a transform of one axis as an array of r x n / r. */
void weft_path_line(const weft_problem *problem, ptrdiff_t r, weft_path *path);
/* For tests: numbers that are too many for a transform in one piece; 0: as it was. */
void weft_path_set_too_long(ptrdiff_t length);

/* The chain for a problem on a process grid. */
bool weft_path_grid(const weft_problem *problem, weft_path *path);
/* Another one, between sides aligned along the last and the first axis, by slabs of all ranks
 * instead of all but one of the steps between them; false: there is none. */
bool weft_path_grid_slabs(const weft_problem *problem, weft_path *path);
/* A side of such a problem: what the caller holds. */
void weft_grid_side(const weft_problem *problem, bool out, weft_layout *layout);

/* The chain for a problem over slabs that goes through pencils, so that all ranks take part also
 * when there are more of them than slabs: three axes and more. */
bool weft_path_between(const weft_problem *problem, const weft_process_grid *process_grid,
                       weft_path *path);

/* From one layout to another. */
bool weft_path_redistribute(const weft_problem *problem, weft_path *path);

/* The chains that there are for any problem, the default first, at most `most`; how many there are.
 * `mesh` is what the user wishes for between slabs (axes 0: nothing), and counts where it fits;
 * `together` says that all ranks can share memory. 0, with an error, when there is none. Pure, the
 * same on all ranks. */
int weft_path_candidates(const weft_problem *problem, const weft_process_grid *process_grid,
                         bool together, weft_path *path, int most);
/* How many of them, from the first on, are worth timing with so much rigor; with none it is the
 * default alone. */
int weft_path_raced(const weft_problem *problem, int candidates, int rigor);

/* Whether anything is transformed in a stage: only then a pass is needed. */
bool weft_stage_transforms(const weft_stage *stage);

#endif
