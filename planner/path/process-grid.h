/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_PROCESS_GRID_H
#define WEFT_PROCESS_GRID_H

#include "kernels/base/text.h"
#include "planner/problem.h"

/* Parses "4x2" or "4x2:column-major". NULL, "" and "auto" give a grid of no axes. Returns false,
 * with an error, when the text is malformed. */
bool weft_process_grid_parse(const char *text, weft_process_grid *process_grid);

/* Parses the value of WEFT_GRID on rank 0. Collective. Returns false, with an error, on all ranks
 * when the value is malformed. */
bool weft_process_grid_read(MPI_Comm comm, weft_process_grid *process_grid);

/* Whether the user asked for a grid and the grid can divide an array of `axes` axes over `ranks`
 * ranks. */
bool weft_process_grid_fits(const weft_process_grid *requested, int axes, int ranks);

/* Whether a grid has the given extents; 0: any extent. */
bool weft_process_grid_has(const weft_process_grid *process_grid, const weft_process_grid *given);

/* The product of the extents; 0 when the product overflows. */
int weft_process_grid_ranks(const weft_process_grid *process_grid);

/* Writes `name` and then the grid in the format of weft_process_grid_parse. Writes nothing for a
 * grid of no axes. */
void weft_process_grid_write(weft_writer *to, const char *name,
                             const weft_process_grid *process_grid);

/* Steps to the next way of writing `ranks` as a product of process_grid->axes extents, in
 * lexicographic order. Extents of 0 start the series. Returns false after the last way. */
bool weft_process_grid_next(weft_process_grid *process_grid, int ranks);

/* The fractions of this rank's data that leave its node in the exchange along each dimension,
 * summed over all dimensions. node[r] is the lowest rank on the node of rank r. */
double weft_process_grid_leaves(const weft_process_grid *process_grid, const int *node, int rank);

/* Computes weft_process_grid_leaves for the first WEFT_GRIDS grids of weft_process_grid_next, each
 * maximized over the ranks. Collective. All entries are 0 where nodes make no difference; so are
 * the entries after the last grid. */
enum { WEFT_GRIDS = 512 };
void weft_process_grids_leave(MPI_Comm comm, int axes, bool column_major,
                              double leaves[WEFT_GRIDS]);

/* Lists the best grids of `axes` dimensions for the ranks of a problem, the least load first, and
 * returns their number; 0 with an error: there are too many grids. Data that leaves a node counts
 * twice. `orders`: also lists grids in column-major order, if less data leaves the nodes than in
 * row-major order. Collective. */
enum { WEFT_BEST_GRIDS = 6 };
int weft_process_grids_list(const char *function, const weft_problem *problem, MPI_Comm comm,
                            int axes, bool orders, weft_process_grid best[WEFT_BEST_GRIDS]);

/* Replaces `best`, which must be the squarest grid with the given extents (0: any extent). The new
 * grid is not much longer than the squarest and sends the least data out of nodes. */
void weft_process_grid_near(const weft_process_grid *given, int ranks,
                            const double leaves[WEFT_GRIDS], weft_process_grid *best);

/* The work of the busiest rank on a grid: the points that this rank has, summed over the
 * alignments. */
double weft_process_grid_load(const weft_problem *problem, const weft_process_grid *process_grid);

/* Estimates the best grid of at most problem->ranks ranks: two dimensions, or three where the array
 * has more than three axes and the third helps. Among grids with the least load the function
 * prefers the longest first dimension. With `divided`, only grids of two dimensions that use all
 * ranks and divide two axes count, so that no rank exchanges data with all others; the function
 * prefers the shortest first dimension. Returns false, and sets nothing, when there is none. */
bool weft_process_grid_estimate(const weft_problem *problem, bool divided,
                                weft_process_grid *process_grid);

#endif
