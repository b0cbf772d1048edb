/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of weft.h that take a grid: each makes a request of its arguments. */
#include <stdlib.h>
#include "kernels/base/error.h"
#include "api/grid.h"
#include "api/mpi-state.h"
#include "api/planning.h"

weft_grid WEFT(grid_create)(MPI_Comm comm, int rank, const int *dims)
{
    weft_grid grid = weft_grid_make(OWN_NAME("grid_create"), comm, rank, dims, false);
    if (!grid)
        weft_complain(comm);
    return grid;
}

weft_grid WEFT(grid_create_column_major)(MPI_Comm comm, int rank, const int *dims)
{
    weft_grid grid = weft_grid_make(OWN_NAME("grid_create_column_major"), comm, rank, dims, true);
    if (!grid)
        weft_complain(comm);
    return grid;
}

void WEFT(grid_free)(weft_grid grid)
{
    free(grid);
}

int WEFT(grid_dims)(weft_grid grid, int *dims)
{
    for (int g = 0; grid && dims && g < grid->process_grid.axes; g++)
        dims[g] = grid->process_grid.extent[g];
    return grid ? grid->process_grid.axes : 0;
}

int WEFT(grid_column_major)(weft_grid grid)
{
    return grid && grid->process_grid.column_major;
}

int WEFT(grid_rows)(weft_grid grid)
{
    return grid && grid->rows;
}

static unsigned flags_on(const struct weft_grid_s *grid, unsigned flags)
{
    return grid->rows ? flags | WEFT_ROWS : flags;
}

static ptrdiff_t local(const char *function, int process, int rnk, const ptrdiff_t *n,
                       ptrdiff_t howmany, weft_grid grid, int kind, unsigned flags,
                       weft_local_place place)
{
    weft_error_clear();
    if (!grid) {
        weft_error("%s: the grid is NULL", function);
        return 0;
    }
    const weft_request request = {.function = function,
                                  .asked = WEFT_ASK_KINDS,
                                  .axes = rnk,
                                  .size = n,
                                  .howmany = howmany,
                                  .sign = FFTW_FORWARD,
                                  .comm = grid->comm,
                                  .flags = flags_on(grid, flags),
                                  .process_grid = &grid->process_grid};
    return weft_grid_local(&request, kind, process, grid->ranks, place);
}

ptrdiff_t WEFT(local_size)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, weft_grid grid, int kind,
                           unsigned flags, ptrdiff_t *local_n_in, ptrdiff_t *start_in,
                           ptrdiff_t *local_n_out, ptrdiff_t *start_out)
{
    return local(OWN_NAME("local_size"), grid ? grid->rank : 0, rnk, n, howmany, grid, kind, flags,
                 (weft_local_place){local_n_in, start_in, local_n_out, start_out});
}

ptrdiff_t WEFT(local_size_process)(int process, int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
                                   weft_grid grid, int kind, unsigned flags, ptrdiff_t *local_n_in,
                                   ptrdiff_t *start_in, ptrdiff_t *local_n_out,
                                   ptrdiff_t *start_out)
{
    return local(OWN_NAME("local_size_process"), process, rnk, n, howmany, grid, kind, flags,
                 (weft_local_place){local_n_in, start_in, local_n_out, start_out});
}

int WEFT(local_boxes)(int process, int rnk, const ptrdiff_t *n, weft_grid grid, int kind,
                      unsigned flags, int output, ptrdiff_t *start, ptrdiff_t *count)
{
    weft_error_clear();
    if (!grid) {
        weft_error("%s: the grid is NULL", OWN_NAME("local_boxes"));
        return 0;
    }
    const weft_request request = {.function = OWN_NAME("local_boxes"),
                                  .asked = WEFT_ASK_KINDS,
                                  .axes = rnk,
                                  .size = n,
                                  .howmany = 1,
                                  .sign = FFTW_FORWARD,
                                  .comm = grid->comm,
                                  .flags = flags_on(grid, flags),
                                  .process_grid = &grid->process_grid};
    return weft_grid_boxes(&request, kind, process, grid->ranks, output, start, count);
}

/* Completes the request with the grid and plans it. */
static FFTW(plan) planned_on(weft_grid grid, weft_request request)
{
    weft_error_clear();
    if (!grid) {
        weft_error("%s: the grid is NULL", request.function);
        return NULL;
    }
    request.asked = WEFT_ASK_KINDS;
    request.comm = grid->comm;
    request.flags = flags_on(grid, request.flags);
    request.process_grid = &grid->process_grid;
    return weft_planned(&request);
}

/* Plans with the sign that the program passed; on_grid in grid.c checks the sign. */
static FFTW(plan)
    planned_with(const char *function, int rnk, const ptrdiff_t *n, ptrdiff_t howmany, void *in,
                 void *out, weft_grid grid, const int *each, int sign, unsigned flags)
{
    return planned_on(grid, (weft_request){.function = function,
                                           .axes = rnk,
                                           .size = n,
                                           .howmany = howmany,
                                           .sign = sign,
                                           .in = in,
                                           .out = out,
                                           .flags = flags,
                                           .each = each});
}

static FFTW(plan) planned(const char *function, int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
                          void *in, void *out, weft_grid grid, const int *each, unsigned flags)
{
    return planned_with(function, rnk, n, howmany, in, out, grid, each, FFTW_FORWARD, flags);
}

/* Sets the kinds: `last` for the last axis, `kind` for all others. An invalid rnk is reported
 * later. */
static const int *alike(int rnk, int kind, int last, int each[WEFT_MAX_RANK])
{
    for (int axis = 0; axis < rnk && axis < WEFT_MAX_RANK; axis++)
        each[axis] = axis == rnk - 1 ? last : kind;
    return each;
}

FFTW(plan)
WEFT(plan_many_kinds)
(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, void *in, void *out, weft_grid grid,
 const int *kind, unsigned flags)
{
    return planned(OWN_NAME("plan_many_kinds"), rnk, n, howmany, in, out, grid, kind, flags);
}

/* Complex transforms. */

static FFTW(plan) complex_plan(const char *function, int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
                               void *in, void *out, weft_grid grid, int sign, unsigned flags)
{
    int each[WEFT_MAX_RANK];
    const int kind = sign == FFTW_BACKWARD ? WEFT_DFT_BACKWARD : WEFT_DFT_FORWARD;
    return planned_with(function, rnk, n, howmany, in, out, grid, alike(rnk, kind, kind, each),
                        sign, flags);
}

FFTW(plan)
WEFT(plan_many_dft)
(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, FFTW(complex) * in, FFTW(complex) * out,
 weft_grid grid, int sign, unsigned flags)
{
    return complex_plan(OWN_NAME("plan_many_dft"), rnk, n, howmany, in, out, grid, sign, flags);
}

FFTW(plan)
WEFT(plan_dft)
(int rnk, const ptrdiff_t *n, FFTW(complex) * in, FFTW(complex) * out, weft_grid grid, int sign,
 unsigned flags)
{
    return complex_plan(OWN_NAME("plan_dft"), rnk, n, 1, in, out, grid, sign, flags);
}

FFTW(plan)
WEFT(plan_dft_2d)
(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) * in, FFTW(complex) * out, weft_grid grid, int sign,
 unsigned flags)
{
    return complex_plan(OWN_NAME("plan_dft_2d"), 2, (ptrdiff_t[]){n0, n1}, 1, in, out, grid, sign,
                        flags);
}

FFTW(plan)
WEFT(plan_dft_3d)
(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, FFTW(complex) * in, FFTW(complex) * out, weft_grid grid,
 int sign, unsigned flags)
{
    return complex_plan(OWN_NAME("plan_dft_3d"), 3, (ptrdiff_t[]){n0, n1, n2}, 1, in, out, grid,
                        sign, flags);
}

/* Real to complex, and back. */

static FFTW(plan) r2c_plan(const char *function, int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
                           void *in, void *out, weft_grid grid, unsigned flags)
{
    int each[WEFT_MAX_RANK];
    return planned(function, rnk, n, howmany, in, out, grid,
                   alike(rnk, WEFT_DFT_FORWARD, WEFT_DFT_R2C, each), flags);
}

FFTW(plan)
WEFT(plan_many_dft_r2c)
(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, weft_real *in, FFTW(complex) * out, weft_grid grid,
 unsigned flags)
{
    return r2c_plan(OWN_NAME("plan_many_dft_r2c"), rnk, n, howmany, in, out, grid, flags);
}

FFTW(plan)
WEFT(plan_dft_r2c)
(int rnk, const ptrdiff_t *n, weft_real *in, FFTW(complex) * out, weft_grid grid, unsigned flags)
{
    return r2c_plan(OWN_NAME("plan_dft_r2c"), rnk, n, 1, in, out, grid, flags);
}

FFTW(plan)
WEFT(plan_dft_r2c_2d)
(ptrdiff_t n0, ptrdiff_t n1, weft_real *in, FFTW(complex) * out, weft_grid grid, unsigned flags)
{
    return r2c_plan(OWN_NAME("plan_dft_r2c_2d"), 2, (ptrdiff_t[]){n0, n1}, 1, in, out, grid, flags);
}

FFTW(plan)
WEFT(plan_dft_r2c_3d)
(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, weft_real *in, FFTW(complex) * out, weft_grid grid,
 unsigned flags)
{
    return r2c_plan(OWN_NAME("plan_dft_r2c_3d"), 3, (ptrdiff_t[]){n0, n1, n2}, 1, in, out, grid,
                    flags);
}

static FFTW(plan) c2r_plan(const char *function, int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
                           void *in, void *out, weft_grid grid, unsigned flags)
{
    int each[WEFT_MAX_RANK];
    return planned(function, rnk, n, howmany, in, out, grid,
                   alike(rnk, WEFT_DFT_BACKWARD, WEFT_DFT_C2R, each), flags);
}

FFTW(plan)
WEFT(plan_many_dft_c2r)
(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, FFTW(complex) * in, weft_real *out, weft_grid grid,
 unsigned flags)
{
    return c2r_plan(OWN_NAME("plan_many_dft_c2r"), rnk, n, howmany, in, out, grid, flags);
}

FFTW(plan)
WEFT(plan_dft_c2r)
(int rnk, const ptrdiff_t *n, FFTW(complex) * in, weft_real *out, weft_grid grid, unsigned flags)
{
    return c2r_plan(OWN_NAME("plan_dft_c2r"), rnk, n, 1, in, out, grid, flags);
}

FFTW(plan)
WEFT(plan_dft_c2r_2d)
(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) * in, weft_real *out, weft_grid grid, unsigned flags)
{
    return c2r_plan(OWN_NAME("plan_dft_c2r_2d"), 2, (ptrdiff_t[]){n0, n1}, 1, in, out, grid, flags);
}

FFTW(plan)
WEFT(plan_dft_c2r_3d)
(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, FFTW(complex) * in, weft_real *out, weft_grid grid,
 unsigned flags)
{
    return c2r_plan(OWN_NAME("plan_dft_c2r_3d"), 3, (ptrdiff_t[]){n0, n1, n2}, 1, in, out, grid,
                    flags);
}

/* Real to real (r2r). */

static FFTW(plan)
    r2r_plan(const char *function, int rnk, const ptrdiff_t *n, ptrdiff_t howmany, void *in,
             void *out, weft_grid grid, const FFTW(r2r_kind) * kind, unsigned flags)
{
    int each[WEFT_MAX_RANK];
    for (int axis = 0; kind && axis < rnk && axis < WEFT_MAX_RANK; axis++)
        each[axis] = (int)kind[axis];
    return planned_on(grid, (weft_request){.function = function,
                                           .axes = rnk,
                                           .size = n,
                                           .howmany = howmany,
                                           .sign = FFTW_FORWARD,
                                           .kinds = (const fftw_r2r_kind *)kind,
                                           .in = in,
                                           .out = out,
                                           .flags = flags,
                                           .each = kind ? each : NULL});
}

FFTW(plan)
WEFT(plan_many_r2r)
(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, weft_real *in, weft_real *out, weft_grid grid,
 const FFTW(r2r_kind) * kind, unsigned flags)
{
    return r2r_plan(OWN_NAME("plan_many_r2r"), rnk, n, howmany, in, out, grid, kind, flags);
}

FFTW(plan)
WEFT(plan_r2r)
(int rnk, const ptrdiff_t *n, weft_real *in, weft_real *out, weft_grid grid,
 const FFTW(r2r_kind) * kind, unsigned flags)
{
    return r2r_plan(OWN_NAME("plan_r2r"), rnk, n, 1, in, out, grid, kind, flags);
}

FFTW(plan)
WEFT(plan_r2r_2d)
(ptrdiff_t n0, ptrdiff_t n1, weft_real *in, weft_real *out, weft_grid grid, FFTW(r2r_kind) kind0,
 FFTW(r2r_kind) kind1, unsigned flags)
{
    return r2r_plan(OWN_NAME("plan_r2r_2d"), 2, (ptrdiff_t[]){n0, n1}, 1, in, out, grid,
                    (FFTW(r2r_kind)[]){kind0, kind1}, flags);
}

FFTW(plan)
WEFT(plan_r2r_3d)
(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, weft_real *in, weft_real *out, weft_grid grid,
 FFTW(r2r_kind) kind0, FFTW(r2r_kind) kind1, FFTW(r2r_kind) kind2, unsigned flags)
{
    return r2r_plan(OWN_NAME("plan_r2r_3d"), 3, (ptrdiff_t[]){n0, n1, n2}, 1, in, out, grid,
                    (FFTW(r2r_kind)[]){kind0, kind1, kind2}, flags);
}
