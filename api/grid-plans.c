/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of weft.h that take a grid. The plan functions among them are in entries.c. */
#include <stdlib.h>
#include "kernels/base/error.h"
#include "api/grid.h"
#include "api/mpi-state.h"
#include "api/planning.h"

weft_grid WEFT(grid_create)(MPI_Comm comm, int rank, const int *dims)
{
    weft_grid grid = weft_grid_make(OWN_NAME("grid_create"), comm, rank, dims, false);
    if (!grid)
        weft_print_error(comm);
    return grid;
}

weft_grid WEFT(grid_create_column_major)(MPI_Comm comm, int rank, const int *dims)
{
    weft_grid grid = weft_grid_make(OWN_NAME("grid_create_column_major"), comm, rank, dims, true);
    if (!grid)
        weft_print_error(comm);
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

/* The request of local_size and local_boxes; without a grid an error, and no function. */
static weft_request local_request(const char *function, int rnk, const ptrdiff_t *n,
                                  ptrdiff_t howmany, weft_grid grid, unsigned flags)
{
    weft_error_clear();
    if (!grid) {
        weft_error("%s: the grid is NULL", function);
        return (weft_request){0};
    }
    return (weft_request){.function = function,
                          .asked = WEFT_ASK_KINDS,
                          .axes = rnk,
                          .size = n,
                          .howmany = howmany,
                          .sign = FFTW_FORWARD,
                          .comm = grid->comm,
                          .flags = flags_on(grid, flags),
                          .process_grid = &grid->process_grid};
}

static ptrdiff_t local(const char *function, int process, int rnk, const ptrdiff_t *n,
                       ptrdiff_t howmany, weft_grid grid, int kind, unsigned flags,
                       weft_local_place place)
{
    const weft_request request = local_request(function, rnk, n, howmany, grid, flags);
    return request.function ? weft_grid_local(&request, kind, process, grid->ranks, place) : 0;
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
    const weft_request request = local_request(OWN_NAME("local_boxes"), rnk, n, 1, grid, flags);
    return !request.function
               ? 0
               : weft_grid_boxes(&request, kind, process, grid->ranks, output, start, count);
}

/* Sets the kind of each axis. An invalid number of axes is reported later. NULL: the program passed
 * no kinds. */
static const int *kinds_of(const weft_request *request, int each[WEFT_MAX_RANK])
{
    const weft_asked asked = request->asked;
    const int last = request->axes - 1;
    const bool backward =
        asked == WEFT_ASK_C2R || (asked == WEFT_ASK_C2C && request->sign == FFTW_BACKWARD);
    if (asked == WEFT_ASK_R2R && !request->kinds)
        return NULL;
    for (int axis = 0; axis <= last && axis < WEFT_MAX_RANK; axis++)
        each[axis] = asked == WEFT_ASK_R2R                   ? (int)request->kinds[axis]
                     : axis == last && asked == WEFT_ASK_R2C ? WEFT_DFT_R2C
                     : axis == last && asked == WEFT_ASK_C2R ? WEFT_DFT_C2R
                     : backward                              ? WEFT_DFT_BACKWARD
                                                             : WEFT_DFT_FORWARD;
    return each;
}

FFTW(plan) weft_grid_planned(weft_grid grid, weft_request request)
{
    int each[WEFT_MAX_RANK];
    weft_error_clear();
    if (!grid) {
        weft_error("%s: the grid is NULL", request.function);
        return NULL;
    }
    if (request.asked != WEFT_ASK_KINDS)
        request.each = kinds_of(&request, each);
    request.asked = WEFT_ASK_KINDS;
    request.comm = grid->comm;
    request.flags = flags_on(grid, request.flags);
    request.process_grid = &grid->process_grid;
    return weft_make_plan(&request);
}
