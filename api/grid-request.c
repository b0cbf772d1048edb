/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks what a program asks for on a process grid, or of a redistribution. */
#include "kernels/base/error.h"
#include "api/grid.h"
#include "api/holdings.h"

#define GRID_FLAGS                                                                                 \
    (WEFT_ROWS | WEFT_UNPADDED | WEFT_FFTW_BLOCKS | WEFT_REVERSED | WEFT_SAME_LAYOUT |             \
     WEFT_TRANSPOSED_IN | WEFT_TRANSPOSED_OUT)

static bool flags_valid(const weft_request *request, unsigned known)
{
    const unsigned unknown = request->flags & ~(WEFT_SERIAL_FLAGS | known);
    if (unknown != 0)
        weft_error("%s: the flags hold unknown bits, 0x%x", request->function, unknown);
    return unknown == 0;
}

static bool sign_valid(const weft_request *request)
{
    if (request->sign == FFTW_FORWARD || request->sign == FFTW_BACKWARD)
        return true;
    weft_error("%s: the sign is %d; it must be FFTW_FORWARD (-1) or FFTW_BACKWARD (1)",
               request->function, request->sign);
    return false;
}

static bool grid_suits(const weft_request *request)
{
    const weft_process_grid *process_grid = request->process_grid;
    const unsigned flags = request->flags;
    if (flags & WEFT_ROWS) {
        const bool bare = !(flags & (WEFT_FFTW_BLOCKS | WEFT_TRANSPOSED_IN | WEFT_TRANSPOSED_OUT));
        if (!bare)
            weft_error("%s: WEFT_ROWS, which goes with neither WEFT_FFTW_BLOCKS nor "
                       "WEFT_TRANSPOSED_IN and _OUT",
                       request->function);
        else if (request->axes < 3 || request->axes > 4)
            weft_error("%s: the rank is %d; in rows it must be 3 or 4", request->function,
                       request->axes);
        return bare && (request->axes == 3 || request->axes == 4);
    }
    if (request->axes < 2) {
        weft_error("%s: the rank is %d; on a grid it must be at least 2", request->function,
                   request->axes);
        return false;
    }
    if (process_grid->axes >= request->axes) {
        weft_error("%s: the grid has %d dimensions, the array %d; a grid has at least one less "
                   "than the array",
                   request->function, process_grid->axes, request->axes);
        return false;
    }
    return true;
}

/* One kind, from its number in weft.h. */
static bool kind_of(const weft_request *request, int axis, weft_kind *kind)
{
    static const weft_kind own[] = {
        [WEFT_NONE - WEFT_NONE] = WEFT_KEEP,
        [WEFT_DFT_FORWARD - WEFT_NONE] = WEFT_FORWARD,
        [WEFT_DFT_BACKWARD - WEFT_NONE] = WEFT_BACKWARD,
        [WEFT_DFT_R2C - WEFT_NONE] = WEFT_R2C,
        [WEFT_DFT_C2R - WEFT_NONE] = WEFT_C2R,
    };
    const int number = request->each[axis];
    if (number == WEFT_NONE || (!request->kinds && number > WEFT_NONE && number < WEFT_R2R)) {
        *kind = own[number - WEFT_NONE];
    } else if (number < 0 || !weft_kind_of((unsigned)number, kind)) {
        weft_error("%s: kind[%d] is %d, which is no kind of transform", request->function, axis,
                   number);
        return false;
    }
    if (*kind == WEFT_REDFT00 && request->size[axis] < 2) {
        weft_error("%s: n[%d] is 1; FFTW_REDFT00 needs 2 at least", request->function, axis);
        return false;
    }
    if ((*kind == WEFT_R2C || *kind == WEFT_C2R) && axis < request->axes - 1) {
        weft_error("%s: axis %d is to be r2c or c2r; only the last one can be", request->function,
                   axis);
        return false;
    }
    return true;
}

/* All kinds, and whether Fourier transforms go backward. */
static bool kinds_of(const weft_request *request, weft_problem *problem, bool *backward)
{
    bool forward = false;
    *backward = false;
    if (!request->each) {
        weft_error("%s: the array of kinds is NULL", request->function);
        return false;
    }
    for (int axis = 0; axis < request->axes; axis++) {
        weft_kind *kind = &problem->kind[axis];
        if (!kind_of(request, axis, kind))
            return false;
        forward |= *kind == WEFT_FORWARD || *kind == WEFT_R2C;
        *backward |= *kind == WEFT_BACKWARD || *kind == WEFT_C2R;
    }
    if (forward && *backward) {
        weft_error("%s: forward and backward Fourier transforms are mixed", request->function);
        return false;
    }
    problem->real = !forward && !*backward;
    return true;
}

/* How the sides are aligned and ordered. */
static bool sides_of(const weft_request *request, bool backward, weft_problem *problem)
{
    const unsigned flags = request->flags;
    const weft_kind last = problem->kind[request->axes - 1];
    const bool same = flags & WEFT_SAME_LAYOUT, reversed = flags & WEFT_REVERSED;
    if (reversed && (same || last == WEFT_R2C || last == WEFT_C2R)) {
        weft_error("%s: WEFT_REVERSED is not for WEFT_SAME_LAYOUT, nor for r2c and c2r, whose real "
                   "side is aligned along the last axis",
                   request->function);
        return false;
    }
    problem->from.first = !same && backward != reversed;
    problem->to.first = !same && backward == reversed;
    problem->from.transposed = flags & WEFT_TRANSPOSED_IN;
    problem->to.transposed = flags & WEFT_TRANSPOSED_OUT;
    const bool wrong_in = problem->from.transposed && !problem->from.first;
    if (wrong_in || (problem->to.transposed && !problem->to.first)) {
        weft_error("%s: WEFT_TRANSPOSED_%s, but that side is not aligned along the first axis",
                   request->function, wrong_in ? "IN" : "OUT");
        return false;
    }
    return true;
}

bool weft_grid_problem(const weft_request *request, int ranks, weft_problem *problem)
{
    bool backward;
    *problem = (weft_problem){.task = WEFT_TRANSFORM,
                              .axes = request->axes,
                              .howmany = request->howmany,
                              .ranks = ranks,
                              .threads = 1};
    if (!weft_sizes_valid(request->function, request->axes, request->size, request->howmany) ||
        !flags_valid(request, GRID_FLAGS) || !grid_suits(request) || !sign_valid(request) ||
        !kinds_of(request, problem, &backward) || !sides_of(request, backward, problem))
        return false;
    const bool padded = !(request->flags & WEFT_UNPADDED);
    for (int axis = 0; axis < request->axes; axis++)
        problem->size[axis] = request->size[axis];
    problem->rows = request->flags & WEFT_ROWS;
    if (problem->rows) {
        weft_holdings_rows(problem, padded);
        return true;
    }
    problem->grid = *request->process_grid;
    weft_holdings_grid(problem, request->flags & WEFT_FFTW_BLOCKS ? WEFT_BLOCKS : WEFT_BALANCED,
                       padded);
    return true;
}

static bool redistribution(const weft_request *request, int ranks, weft_problem *problem)
{
    *problem = (weft_problem){.task = WEFT_REDISTRIBUTE,
                              .axes = request->axes,
                              .howmany = request->howmany,
                              .real = true,
                              .from = {.layout = *request->from, .real = true},
                              .to = {.layout = *request->to, .real = true},
                              .ranks = ranks,
                              .threads = 1};
    if (!weft_sizes_valid(request->function, request->axes, request->size, request->howmany) ||
        !flags_valid(request, 0))
        return false;
    for (int axis = 0; axis < request->axes; axis++)
        problem->size[axis] = request->size[axis];
    return true;
}

/* How many modes there are on the spectral side: at most twice as many as points. On its way an
 * array has up to the larger number along every axis. */
static bool modes_of(const weft_request *request, weft_problem *problem)
{
    ptrdiff_t larger[WEFT_MAX_RANK];
    for (int axis = 0; request->modes && axis < request->axes; axis++) {
        const weft_kind kind = problem->kind[axis];
        const ptrdiff_t n = request->size[axis], modes = request->modes[axis];
        if (modes < 1 || modes - n > n) {
            weft_error("%s: modes[%d] is %td; of %td points it must be 1 to %td", request->function,
                       axis, modes, n, 2 * n);
            return false;
        }
        if (modes != n && (kind == WEFT_KEEP || kind >= WEFT_R2HC)) {
            weft_error(
                "%s: modes[%d] is %td of %td points; only Fourier transforms can have another "
                "number",
                request->function, axis, modes, n);
            return false;
        }
        problem->modes[axis] = modes == n ? 0 : modes;
        larger[axis] = modes > n ? modes : n;
    }
    return !request->modes ||
           weft_sizes_valid(request->function, request->axes, larger, request->howmany);
}

/* Real sides have no padding, so that there are two arrays where one side only is real. */
static bool between(const weft_request *request, int ranks, weft_problem *problem)
{
    bool backward;
    *problem = (weft_problem){.task = WEFT_TRANSFORM,
                              .axes = request->axes,
                              .howmany = request->howmany,
                              .between = true,
                              .from = {.layout = *request->from},
                              .to = {.layout = *request->to},
                              .ranks = ranks,
                              .threads = 1};
    if (!weft_sizes_valid(request->function, request->axes, request->size, request->howmany) ||
        !flags_valid(request, 0) || !kinds_of(request, problem, &backward) ||
        !modes_of(request, problem))
        return false;
    if (request->axes < 2) {
        weft_error("%s: the rank is 1; it must be at least 2", request->function);
        return false;
    }
    for (int axis = 0; axis < request->axes; axis++)
        problem->size[axis] = request->size[axis];
    problem->from.real = problem->real || weft_last_kind(problem) == WEFT_R2C;
    problem->to.real = problem->real || weft_last_kind(problem) == WEFT_C2R;
    return true;
}

bool weft_grid_request_valid(const weft_request *request, int rank, int ranks,
                             weft_problem *problem)
{
    const bool moves = request->asked == WEFT_ASK_REDISTRIBUTE;
    if (!(moves           ? redistribution(request, ranks, problem)
          : request->from ? between(request, ranks, problem)
                          : weft_grid_problem(request, ranks, problem)))
        return false;
    problem->rank = rank;
    problem->comm = request->comm;
    problem->in = request->in;
    problem->out = request->out;
    problem->flags = request->flags;
    if (problem->between && weft_is_half_complex(problem))
        problem->flags |= WEFT_UNPADDED;
    if (!moves && (problem->flags & WEFT_UNPADDED) && request->in && request->in == request->out) {
        weft_error(problem->between
                       ? "%s: r2c and c2r between distributions are for two arrays"
                       : "%s: in place the real side is padded: WEFT_UNPADDED is for two arrays",
                   request->function);
        return false;
    }
    problem->may_destroy = weft_may_destroy(request, problem);
    return true;
}
