/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths: the plan of campaign for a problem, in terms of layouts alone. A path is a row of stages;
 * in each the array lies in some layout, and axes that are whole there are transformed. Between two
 * stages lies an exchange. Slabs, lines and process grids differ only in their paths: the schedule
 * (schedule/) is made from any path by the same code.
 *
 *     problem 256^3, forward, natural order, slabs of 2 ranks
 *
 *     stage 0               stage 1               stage 2
 *     axis 0 divided   ->   axis 1 divided   ->   axis 0 divided
 *     FFT of 1 and 2        FFT of 0              nothing: the output
 */
#ifndef WEFT_PATH_H
#define WEFT_PATH_H

#include "backends/exchange/layout.h"
#include "planner/problem.h"

enum { WEFT_MAX_STAGES = 2 * WEFT_MAX_AXES };

/* `before` and `after` give a rank the same box, but for the sizes of an axis that r2c or c2r
 * transforms, or with other modes than points, and for the order in memory, which the stage's pass
 * may change. */
typedef struct {
    weft_layout before, after;
    bool real_before, real_after; /* numbers are real, else complex */
    weft_kind kind[WEFT_MAX_AXES];
    ptrdiff_t modes[WEFT_MAX_AXES]; /* the problem's, of what is transformed */
    weft_twiddle twiddle;           /* n 0: none; its starts are those of the rank's box */
} weft_stage;

typedef struct {
    weft_process_grid
        through; /* axes 0: slabs alone; else the grid on which the array is transformed */
    int stages;
    weft_stage stage[WEFT_MAX_STAGES];
} weft_path;

/* All of these are pure arithmetic, the same on all ranks. False and an error when there is none.
 */

/* From one side to the other by the grid of both, of one dimension for slabs. */
bool weft_path_direct(const weft_problem *problem, weft_path *path);
/* Between sides on a grid that are aligned along the last and the first axis, by slabs of all ranks
 * instead of all but one of the steps between them; false, without an error, when there is none. */
bool weft_path_by_slabs(const weft_problem *problem, weft_path *path);
/* Between slabs, or any sides, through pencils or higher (of two axes slabs), so that all ranks
 * take part also when there are more of them than slabs. With `far`, where messages take long,
 * fewer of them in more exchanges. */
bool weft_path_by_pencils(const weft_problem *problem, const weft_process_grid *pencils, bool far,
                          weft_path *path);
/* Between any sides through a grid, from its side aligned along the last axis to that along the
 * first, or back. Where numbers are real on one side alone, that end has the last axis whole. */
void weft_path_through(const weft_problem *problem, const weft_process_grid *grid, weft_rule rule,
                       bool back, weft_path *path);
/* Between any sides what comes cheapest through a grid, and through rows, the cheaper one first;
 * how many (between.c). */
int weft_path_between(const weft_problem *problem, weft_path *path, int most);
/* Whether any spectrum has other modes than the grid. */
bool weft_modes_kept(const weft_problem *problem);
/* Between sides in rows, or any other, through rows of one order after the other: of three axes, or
 * as many as this. */
enum { WEFT_ROWS_RANK = 4 };
bool weft_path_by_rows(const weft_problem *problem, weft_path *path);
/* One axis (line.c). */
bool weft_path_line(const weft_problem *problem, weft_path *path);
/* For tests: numbers that are too many for a transform in one piece; 0: as it was. */
void weft_path_set_too_long(ptrdiff_t length);

/* The paths that there are for any problem, the default first, at most `most`; how many there are.
 * `pencils` is what the user wishes for between slabs (axes 0: nothing), and counts where it fits;
 * `together` says that all ranks can share memory. 0, with an error, when there is none. */
int weft_path_candidates(const weft_problem *problem, const weft_process_grid *pencils,
                         bool together, weft_path *path, int most);
/* How many of them, from the first on, are worth timing with so much rigor. With none it is the
 * default alone; but where slabs leave ranks idle, and `far`, on several nodes, the model is asked:
 * to spread slabs over all ranks takes messages from the few nodes that have them, so that fewer
 * ranks may be faster. */
int weft_path_raced(const weft_problem *problem, int candidates, int rigor, bool far);

/* Numbers that change ranks on the way, howmany as one. */
double weft_path_moved(const weft_path *path, int ranks);
/* Adds a stage in one layout without any transforms. */
weft_stage *weft_path_add(weft_path *path, const weft_layout *layout, bool real);
/* Whether anything is transformed in a stage: only then a pass is needed. */
bool weft_stage_transforms(const weft_stage *stage);

#endif
