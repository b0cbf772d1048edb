/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the plan that the program gets from a request; the types behind weft_grid and
 * weft_distribution. */
#ifndef WEFT_PLANNING_H
#define WEFT_PLANNING_H

#include "kernels/base/precision.h"
#include "api/request.h"
#include "api/weft.h"

/* The names of functions in error messages, as the calling program knows them. */
#define NAME(function)     "fftw" WEFT_LETTER "_mpi_" function
#define OWN_NAME(function) "weft" WEFT_LETTER "_" function

/* Collective. Returns NULL on every rank, with an error, if any rank fails. */
FFTW(plan) weft_make_plan(const weft_request *request);
/* The same for a plan on a grid. With an operator the grid may be NULL: slabs of request.comm. */
FFTW(plan) weft_grid_planned(weft_grid grid, weft_request request);
/* The same for a transform, which needs kinds and perhaps modes, or a redistribution, which needs
 * neither, between two distributions. */
FFTW(plan)
weft_distribution_planned(weft_distribution from, weft_distribution to, weft_request request,
                          bool needs_modes);

struct weft_grid_s {
    MPI_Comm comm; /* the program's communicator */
    int rank, ranks;
    weft_process_grid process_grid;
    bool rows; /* arrays on this grid are divided in rows, as with WEFT_ROWS (set by grid_tune) */
};

/* The functions of weft.h, or FFTW's, that have `function` as their name. */
ptrdiff_t weft_grid_local(weft_grid grid, int process, int kind, weft_request request,
                          weft_local_place place);
void *weft_allocated(const char *function, ptrdiff_t n, size_t size, MPI_Comm comm, bool device);
void weft_execute(const char *function, FFTW(plan) plan, void *in, void *out);

/* False with an error if the program passed NULL. */
bool weft_grid_given(const char *function, const struct weft_grid_s *grid);

struct weft_distribution_s {
    MPI_Comm comm;
    int ranks;
    weft_layout layout; /* with howmany 1; owns its boxes and enclosing arrays */
};

/* Collective. `boxes` is the number of boxes of this rank. */
weft_distribution weft_distribution_from_boxes(const char *function, MPI_Comm comm, int axes,
                                               const ptrdiff_t *size, int boxes,
                                               const ptrdiff_t *start, const ptrdiff_t *count);

#endif
