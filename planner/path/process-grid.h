/* SPDX-License-Identifier: BSD-3-Clause */
/* Process grids: reading one from a setting, listing those that there are, guessing the best. */
#ifndef WEFT_MESH_H
#define WEFT_MESH_H

#include "kernels/base/text.h"
#include "planner/problem.h"

/* "4x2", "4x2:column-major"; NULL, "" and "auto" are a grid of no axes. False and an error when
 * malformed. */
bool weft_process_grid_parse(const char *text, weft_process_grid *process_grid);

/* What WEFT_GRID says on rank 0; collective. False and an error on all ranks when malformed. */
bool weft_process_grid_wish(MPI_Comm comm, weft_process_grid *process_grid);

/* Whether there is a wish, and arrays of so many axes can be divided so. */
bool weft_process_grid_fits(const weft_process_grid *wish, int axes, int ranks);

/* All its dimensions together; 0 when that overflows. */
int weft_process_grid_ranks(const weft_process_grid *process_grid);

/* As weft_process_grid_parse reads it, after `name`; nothing for a grid of no axes. */
void weft_process_grid_write(weft_writer *to, const char *name,
                             const weft_process_grid *process_grid);

/* The next way of writing `ranks` as a product of process_grid->axes extents, in order; begins with
 * extents of 0. False after the last. */
bool weft_process_grid_next(weft_process_grid *process_grid, int ranks);

/* The part of what this rank holds that leaves its node when it is exchanged along each dimension
 * in turn, in all; `node` is the lowest rank on the node of each rank (grid-on-nodes.c). */
double weft_process_grid_leaves(const weft_process_grid *process_grid, const int *node, int rank);

/* Collective: the most that leaves any rank, on the first so many grids in order, all of one order
 * of ranks; 0 where nodes make no difference, and for those after the last. */
enum { WEFT_GRIDS = 512 };
void weft_process_grids_leave(MPI_Comm comm, int axes, bool column_major,
                              double leaves[WEFT_GRIDS]);

/* In place of the squarest grid with the extents that are given (0: any): of those that are hardly
 * longer the one that leaves nodes least. */
void weft_process_grid_near(const weft_process_grid *given, int ranks,
                            const double leaves[WEFT_GRIDS], weft_process_grid *best);

/* How much the busiest ranks have to do on it, in points that they hold at one alignment or
 * another. */
double weft_process_grid_load(const weft_problem *problem, const weft_process_grid *process_grid);

/* The grid of two dimensions (more where the array has more axes and that helps) of at most
 * problem->ranks ranks with the least load, of several the one whose first dimension is the
 * longest; false: fewer than three axes. */
bool weft_process_grid_guess(const weft_problem *problem, weft_process_grid *process_grid);

/* The same of those that use all ranks and divide two axes, so that no rank talks to all others;
 * false: there is none. */
bool weft_process_grid_guess_divided(const weft_problem *problem, weft_process_grid *process_grid);

#endif
