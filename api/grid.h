/* SPDX-License-Identifier: BSD-3-Clause */
/* The types behind weft_grid and weft_distribution, and the functions that make them. The same for
 * all precisions. */
#ifndef WEFT_API_GRID_H
#define WEFT_API_GRID_H

#include "api/request.h"
#include "api/weft.h"

struct weft_grid_s {
    MPI_Comm comm; /* the program's communicator */
    int rank, ranks;
    weft_process_grid process_grid;
    bool rows; /* arrays on this grid are divided in rows, as with WEFT_ROWS (set by grid_tune) */
};

/* Collective. Returns NULL on every rank if any rank fails. */
weft_grid weft_grid_make(const char *function, MPI_Comm comm, int axes, const int *dims,
                         bool column_major);

/* Rank 0 prints once that the grid of WEFT_GRID, if one is set, does not fit. */
void weft_grid_say_unfit(const weft_process_grid *requested, int axes, int rank, int ranks);

struct weft_distribution_s {
    MPI_Comm comm;
    int ranks;
    weft_layout layout; /* with howmany 1 */
    weft_box *box;      /* the boxes that the layout refers to; NULL on a grid and in rows */
    int *first;
    ptrdiff_t *enclosing; /* sizes and offsets of the enclosing array of each box; NULL: each box is
                        an array by itself */
    int *first_enclosing;
};

weft_distribution weft_distribution_on_grid(const char *function, const struct weft_grid_s *grid,
                                            int axes, const ptrdiff_t *size, const int *axis,
                                            unsigned flags);
weft_distribution weft_distribution_in_rows(const char *function, const struct weft_grid_s *grid,
                                            int axes, const ptrdiff_t *size, const int *order);
/* Collective. `boxes` is the number of boxes of this rank. */
weft_distribution weft_distribution_from_boxes(const char *function, MPI_Comm comm, int axes,
                                               const ptrdiff_t *size, int boxes,
                                               const ptrdiff_t *start, const ptrdiff_t *count);
/* Local. Copies the boxes that the layout refers to. */
weft_distribution weft_distribution_from_layout(const char *function, MPI_Comm comm, int ranks,
                                                const weft_layout *layout);
/* Collective. Makes the same distribution with this rank's boxes in enclosing arrays of these
 * sizes, at these offsets. */
weft_distribution weft_distribution_embed(const char *function,
                                          const struct weft_distribution_s *distribution,
                                          const ptrdiff_t *size, const ptrdiff_t *offset);
void weft_distribution_drop(weft_distribution distribution);
/* Whether an array can be moved from one distribution to the other or, if `kind` is not NULL,
 * transformed with these kinds of weft.h. The spectral side must have as many modes as `modes`
 * says; if `modes` is NULL, as many as points. */
bool weft_distributions_fit(const char *function, const struct weft_distribution_s *from,
                            const struct weft_distribution_s *to, const int *kind,
                            const ptrdiff_t *modes);

/* Whether local_size and grid_tune accept this kind. */
bool weft_grid_kind_valid(const char *function, int kind);
/* The implementation of local_size, for any process. */
ptrdiff_t weft_grid_local(const weft_request *request, int kind, int process, int ranks,
                          weft_local_place place);
/* Writes the boxes of a process on one side, `axes` numbers each, and returns their number. */
int weft_grid_boxes(const weft_request *request, int kind, int process, int ranks, bool output,
                    ptrdiff_t *start, ptrdiff_t *count);
int weft_layout_list(const weft_layout *layout, int process, ptrdiff_t *start, ptrdiff_t *count);

#endif
