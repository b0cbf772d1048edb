/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A path says how the distribution of an array changes during a transform. In each of its stages
 * the array has one layout, and the stage transforms axes that are undivided in that layout. An
 * exchange is between two stages. The same code (planner/schedule/) makes a schedule from any
 * path.
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

/* A stage. `before` and `after` give each rank the same box, with two exceptions: the size of an
 * axis changes with r2c, c2r or a number of modes that differs from the number of points, and the
 * stage's pass may change the order of axes in memory. */
typedef struct {
    weft_layout before, after;
    bool real_before, real_after; /* numbers are real; false: complex */
    weft_kind kind[WEFT_MAX_AXES];
    ptrdiff_t
        modes[WEFT_MAX_AXES]; /* the problem's modes, for the axes that this stage transforms */
    bool operates;        /* the stage transforms, calls the problem's callback and transforms back;
                             `before` and `after` are equal, except for `howmany`; a later howmany
                             of 0 says that the path ends with the call */
    weft_twiddle twiddle; /* n 0: none; weft_twiddle.start is set later, from the rank's box */
} weft_stage;

typedef struct {
    weft_process_grid through; /* the grid on which the array is transformed; axes 0: slabs */
    int stages;
    weft_stage stage[WEFT_MAX_STAGES];
} weft_path;

/* A side is the distribution of the input or of the output (weft_problem_side, problem.h).
 *
 * The functions below use no communication, and all ranks get the same result. */

/* Makes the path between two sides on the same grid, through that grid. Slabs are a grid of one
 * dimension. Where numbers are real on one side only, that side does not divide the last axis. */
void weft_path_direct(const weft_problem *problem, weft_path *path);
/* Makes the path between a side aligned along the last axis and a side aligned along the first
 * axis, both on a grid. Slabs of all ranks replace all steps between the sides but one. Returns
 * false, without an error, when there is no such path. */
bool weft_path_by_slabs(const weft_problem *problem, weft_path *path);
/* Makes the path between slabs, or any other sides, through pencils (or a grid of more dimensions;
 * for two axes, slabs), so that all ranks take part even when there are more ranks than slabs. */
void weft_path_by_pencils(const weft_problem *problem, const weft_process_grid *pencils, bool far,
                          weft_path *path);
/* Makes the path between any sides through a grid, from the grid's alignment along the last axis to
 * the alignment along the first axis, or in the reverse order with `back`. Where numbers are real
 * on one side only, the grid's alignment at that end must leave the last axis undivided. `far`:
 * messages are slow, so between slabs the path sends fewer messages in more exchanges. */
void weft_path_through(const weft_problem *problem, const weft_process_grid *grid, weft_rule rule,
                       bool back, bool far, weft_path *path);
/* Makes the path between any sides through layouts in rows, one order of axes after another.
 * Possible for 3 or WEFT_ROWS_RANK axes. */
enum { WEFT_ROWS_RANK = 4 };
void weft_path_by_rows(const weft_problem *problem, weft_path *path);
/* Makes the path of a problem with one axis (line.c). */
void weft_path_line(const weft_problem *problem, weft_path *path);
/* For tests: sets the length from which a 1-d transform is split; 0 restores the default. */
void weft_path_set_too_long(ptrdiff_t length);

enum { WEFT_MAX_PATHS = 2, WEFT_PATHS_CAPACITY = WEFT_MAX_PATHS + 1 };
/* Lists the paths for a problem, the default first, and returns their number. `pencils`
 * is the grid that the user asked for between slabs (axes 0: none); it is ignored where it does not
 * fit. `together`: all ranks can share memory. The last element of `path` is for comparing: a path
 * has 160 KB, which is too much for a small stack. */
int weft_path_candidates(const weft_problem *problem, const weft_process_grid *pencils,
                         bool together, weft_path path[WEFT_PATHS_CAPACITY]);
/* How many of the candidates, from the first on, are worth timing with a given rigor. Without rigor
 * only the default is used, with one exception: where slabs leave ranks idle on several nodes
 * (`far`), all candidates go to the cost model. Spreading slabs over all ranks takes messages from
 * the few nodes that contain the slabs, so using fewer ranks may be faster. */
int weft_path_raced(const weft_problem *problem, int candidates, int rigor, bool far);

/* The number of points that move from one rank to another along the path; howmany numbers at one
 * point count as one. */
double weft_path_moved(const weft_path *path, int ranks);
/* Adds a stage with the same layout before and after and without transforms. */
weft_stage *weft_path_add(weft_path *path, const weft_layout *layout, bool real);
/* Whether a stage transforms anything. Only such a stage needs a pass. */
bool weft_stage_transforms(const weft_stage *stage);

#endif
