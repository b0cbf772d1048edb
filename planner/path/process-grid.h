/* SPDX-License-Identifier: BSD-3-Clause */
/* Process grids: reading one from a setting, listing those that there are, guessing the best. */
#ifndef WEFT_MESH_H
#define WEFT_MESH_H

#include "planner/problem.h"

/* "4x2"; NULL, "" and "auto" are a grid of no axes. False and an error when malformed. */
bool weft_process_grid_parse(const char *text, weft_process_grid *process_grid);

/* What WEFT_GRID says on rank 0; collective. False and an error on all ranks when malformed. */
bool weft_process_grid_wish(MPI_Comm comm, weft_process_grid *process_grid);

/* Whether there is a wish, and arrays of so many axes can be divided so. */
bool weft_process_grid_fits(const weft_process_grid *wish, int axes, int ranks);

/* All its dimensions together; 0 when that overflows. */
int weft_process_grid_ranks(const weft_process_grid *process_grid);

/* The next way of writing `ranks` as a product of process_grid->axes extents, in order; begins with
 * extents of 0. False after the last. */
bool weft_process_grid_next(weft_process_grid *process_grid, int ranks);

/* How much the busiest ranks have to do on it, in points that they hold at one alignment or
 * another. */
double weft_process_grid_load(const weft_problem *problem, const weft_process_grid *process_grid);

/* The grid of two dimensions (more where the array has more axes and that helps) of at most
 * problem->ranks ranks with the least load; false: fewer than three axes. */
bool weft_process_grid_guess(const weft_problem *problem, weft_process_grid *process_grid);

/* The same of those that use all ranks and divide two axes, so that no rank talks to all others;
 * false: there is none. */
bool weft_process_grid_guess_divided(const weft_problem *problem, weft_process_grid *process_grid);

#endif
