/* SPDX-License-Identifier: BSD-3-Clause */
/* Grids and distributions, to which programs have pointers. The same for all precisions. */
#ifndef WEFT_API_GRID_H
#define WEFT_API_GRID_H

#include "api/request.h"
#include "api/weft.h"

struct weft_grid_s {
    MPI_Comm comm; /* the program's */
    int rank, ranks;
    weft_process_grid process_grid;
    bool rows; /* arrays on this grid are divided in rows, as with WEFT_ROWS */
};

/* Collective; NULL on every rank when any rank cannot. */
weft_grid weft_grid_make(const char *function, MPI_Comm comm, int axes, const int *dims,
                         bool column_major);

/* Rank 0 says once that the grid of WEFT_GRID, if there is one, does not fit. */
void weft_grid_say_unfit(const weft_process_grid *wish, int axes, int rank, int ranks);

struct weft_distribution_s {
    MPI_Comm comm;
    int ranks;
    weft_layout layout; /* of howmany 1 */
    weft_box *box;      /* the boxes that the layout refers to; NULL on a grid */
    int *first;
    ptrdiff_t *room; /* the enclosing arrays of the boxes; NULL: boxes are arrays by themselves */
    int *first_room;
};

weft_distribution weft_distribution_on(const char *function, const struct weft_grid_s *grid,
                                       int axes, const ptrdiff_t *size, const int *axis,
                                       unsigned flags);
weft_distribution weft_distribution_in_rows(const char *function, const struct weft_grid_s *grid,
                                            int axes, const ptrdiff_t *size, const int *order);
/* Collective; `boxes` is the number of this rank's boxes. */
weft_distribution weft_distribution_of(const char *function, MPI_Comm comm, int axes,
                                       const ptrdiff_t *size, int boxes, const ptrdiff_t *start,
                                       const ptrdiff_t *count);
/* Local; copies the boxes that the layout refers to. */
weft_distribution weft_distribution_like(const char *function, MPI_Comm comm, int ranks,
                                         const weft_layout *layout);
/* Collective: the same distribution with this rank's boxes in enclosing arrays of these sizes, at
 * these offsets. */
weft_distribution weft_distribution_within(const char *function,
                                           const struct weft_distribution_s *distribution,
                                           const ptrdiff_t *size, const ptrdiff_t *offset);
void weft_distribution_drop(weft_distribution distribution);
/* Whether an array can be moved from one distribution to the other, or, where `kind` is not NULL,
 * transformed by these kinds of weft.h. The spectral side has as many modes, or, when `modes` is
 * NULL, as many as there are points. */
bool weft_distributions_fit(const char *function, const struct weft_distribution_s *from,
                            const struct weft_distribution_s *to, const int *kind,
                            const ptrdiff_t *modes);

/* Whether local_size and grid_tune accept the kind. */
bool weft_grid_kind_valid(const char *function, int kind);
/* local_size for a process. */
typedef struct {
    ptrdiff_t *local_n_in, *start_in, *local_n_out, *start_out;
} weft_local_place;
ptrdiff_t weft_grid_local(const weft_request *request, int kind, int process, int ranks,
                          weft_local_place place);
/* The boxes of a process on one side, `axes` numbers each; returns how many. */
int weft_grid_boxes(const weft_request *request, int kind, int process, int ranks, bool output,
                    ptrdiff_t *start, ptrdiff_t *count);
int weft_layout_list(const weft_layout *layout, int process, ptrdiff_t *start, ptrdiff_t *count);

#endif
