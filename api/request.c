/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checks that slabs and grids have in common, and the problems of requests for grids, for rows,
 * and for transforms and redistributions between distributions. An error names the argument, its
 * value and the allowed values. Weft accepts everything that FFTW-MPI accepts, with three
 * exceptions: numbers that are no r2r kind, which FFTW-MPI treats as R2HC; more than WEFT_MAX_RANK
 * dimensions; scrambled orders of several dimensions, which FFTW-MPI accepts if only one is longer
 * than 1, but where its plans do not fit its local sizes.
 *
 * Two examples. Left: two ranks, digits 0 and 1, have the 4 x 6 numbers of an r2c transform on a 1
 * x 2 grid. Right: seven ranks, one letter each, have 3 x 4 x n2 numbers in rows.
 *
 *     on the grid, output     0 0 1 1        in rows, input, axes 0 and 1     a b b c
 *                             0 0 1 1        (the output in memory is         c d e e
 *                             0 0 1 1        [n2][n1][n0], axes 2 and 1       f f g g
 *                             0 0 1 1        likewise)
 */
#include "kernels/base/error.h"
#include "api/request.h"
#include "api/weft.h"

/* The largest size of a number in bytes: a complex long double. */
enum { LARGEST_NUMBER = 32 };

bool weft_sizes_valid(const char *function, int axes, const ptrdiff_t *size, ptrdiff_t howmany)
{
    if (axes < 1 || axes > WEFT_MAX_RANK)
        return weft_error("%s: the rank is %d; it must be 1 to %d", function, axes, WEFT_MAX_RANK);
    if (!size)
        return weft_error("%s: the array of sizes is NULL", function);
    if (howmany < 0)
        return weft_error("%s: howmany is %td; it must not be negative", function, howmany);
    ptrdiff_t bytes = LARGEST_NUMBER;
    bool overflows = __builtin_mul_overflow(bytes, howmany > 0 ? howmany : 1, &bytes);
    for (int axis = 0; axis < axes; axis++) {
        if (size[axis] < 1)
            return weft_error("%s: n[%d] is %td; it must be at least 1", function, axis,
                              size[axis]);
        /* The last axis is longer when it is padded. */
        ptrdiff_t length = size[axis];
        overflows |= axis == axes - 1 && __builtin_add_overflow(length, 2, &length);
        overflows |= __builtin_mul_overflow(bytes, length, &bytes);
    }
    return !overflows ||
           weft_error("%s: the sizes and howmany multiply to more bytes than can be counted",
                      function);
}

bool weft_sizes_and_flags_valid(const weft_request *request)
{
    const unsigned known = request->process_grid
                               ? WEFT_SERIAL_FLAGS | WEFT_ROWS | WEFT_UNPADDED | WEFT_FFTW_BLOCKS |
                                     WEFT_REVERSED | WEFT_SAME_LAYOUT | WEFT_TRANSPOSED_IN |
                                     WEFT_TRANSPOSED_OUT
                           : request->from ? WEFT_SERIAL_FLAGS
                                           : WEFT_SLAB_FLAGS | WEFT_IGNORED_FLAGS;
    const unsigned unknown = request->flags & ~known;
    return weft_sizes_valid(request->function, request->axes, request->size, request->howmany) &&
           (unknown == 0 ||
            weft_error("%s: the flags contain unknown bits, 0x%x; the known bits are 0x%x",
                       request->function, unknown, known));
}

int weft_layout_list(const weft_layout *layout, int process, ptrdiff_t *start, ptrdiff_t *count)
{
    weft_boxes boxes = weft_boxes_of(layout, process);
    weft_box box;
    int listed = 0;
    for (; weft_boxes_next(&boxes, &box); listed++)
        for (int axis = 0; axis < layout->axes; axis++)
            weft_put_span(box.span[axis], listed * layout->axes + axis, start, count);
    return listed;
}

weft_problem weft_problem_of(const weft_request *request, weft_task task, int ranks)
{
    weft_problem problem = {.task = task,
                            .axes = request->axes,
                            .howmany = request->howmany,
                            .ranks = ranks,
                            .threads = 1};
    for (int axis = 0; axis < request->axes; axis++)
        problem.size[axis] = request->size[axis];
    return problem;
}

static void lay_on_grid(const weft_problem *problem, weft_problem_side *side,
                        const weft_process_grid *grid, weft_rule rule, bool padded)
{
    weft_layout *layout = &side->layout;
    const int dimensions = grid->axes;
    *layout = weft_undivided_layout(problem, side->real, padded);
    layout->grid_axes = dimensions;
    for (int axis = 0; axis < problem->axes; axis++)
        layout->axis[axis].rule = rule;
    for (int g = 0; g < dimensions; g++) {
        const int place = weft_process_grid_place(grid, g);
        layout->grid[place] = grid->extent[g];
        if (layout->grid[place] > 1)
            layout->axis[side->first ? g + 1 : g].grid_axis = place;
    }
    for (int i = 0; side->transposed && i <= dimensions; i++)
        layout->order[i] = i < dimensions ? i + 1 : 0;
}

/* The division in rows depends on the order of the axes in memory: the order of their numbers on
 * one side, the reverse on the other side. */
void weft_divide_in_rows(weft_problem *problem, bool padded)
{
    int order[WEFT_MAX_RANK];
    weft_set_numbers(problem);
    for (int side = 0; side < 2; side++) {
        weft_problem_side *it = side ? &problem->to : &problem->from;
        for (int i = 0; i < problem->axes; i++)
            order[i] = it->first ? problem->axes - 1 - i : i;
        it->layout = weft_undivided_layout(problem, it->real, padded);
        weft_layout_set_rows(&it->layout, order, problem->ranks);
    }
}

void weft_divide_on_grid(weft_problem *problem, weft_rule rule, bool padded)
{
    weft_set_numbers(problem);
    lay_on_grid(problem, &problem->from, &problem->grid, rule, padded);
    lay_on_grid(problem, &problem->to, &problem->grid, rule, padded);
}

void weft_divide_in_slabs(weft_problem *problem, ptrdiff_t in_block, ptrdiff_t out_block)
{
    const weft_process_grid one = {1, {problem->ranks}, 0};
    weft_set_numbers(problem);
    for (int i = 0; i < 2; i++) {
        weft_problem_side *side = i ? &problem->to : &problem->from;
        lay_on_grid(problem, side, &one, WEFT_BLOCKS, true);
        side->layout.axis[side->first].grid_axis = 0; /* also if there is one rank */
        side->layout.axis[side->first].block = i ? out_block : in_block;
    }
}

static bool sign_valid(const weft_request *request)
{
    return request->asked != WEFT_ASK_C2C || request->sign == FFTW_FORWARD ||
           request->sign == FFTW_BACKWARD ||
           weft_error("%s: the sign is %d; it must be FFTW_FORWARD (-1) or FFTW_BACKWARD (1)",
                      request->function, request->sign);
}

bool weft_grid_too_large(const char *function, int dimensions, int axes)
{
    return weft_error("%s: the grid has %d dimensions and the array %d axes; the grid must have "
                      "fewer dimensions than the array has axes",
                      function, dimensions, axes);
}

static bool grid_suits(const weft_request *request)
{
    const weft_process_grid *process_grid = request->process_grid;
    const unsigned flags = request->flags;
    if (flags & WEFT_ROWS) {
        if (flags & (WEFT_FFTW_BLOCKS | WEFT_TRANSPOSED_IN | WEFT_TRANSPOSED_OUT))
            return weft_error("%s: WEFT_ROWS cannot be combined with WEFT_FFTW_BLOCKS, "
                              "WEFT_TRANSPOSED_IN or WEFT_TRANSPOSED_OUT",
                              request->function);
        return request->axes == 3 || request->axes == 4 ||
               weft_error("%s: the rank is %d; in rows it must be 3 or 4", request->function,
                          request->axes);
    }
    if (request->axes < 2)
        return weft_error(request->asked == WEFT_ASK_OPERATOR
                              ? "%s: the rank is %d; with an operator it must be at least 2"
                              : "%s: the rank is %d; on a grid it must be at least 2",
                          request->function, request->axes);
    return process_grid->axes < request->axes ||
           weft_grid_too_large(request->function, process_grid->axes, request->axes);
}

/* The kind of an axis as a number of weft.h or of FFTW. */
static int kind_number(const weft_request *request, int axis)
{
    const bool last = axis == request->axes - 1;
    switch (request->asked) {
    case WEFT_ASK_C2C:
        return request->sign == FFTW_FORWARD ? WEFT_DFT_FORWARD : WEFT_DFT_BACKWARD;
    case WEFT_ASK_R2C:
        return last ? WEFT_DFT_R2C : WEFT_DFT_FORWARD;
    case WEFT_ASK_C2R:
        return last ? WEFT_DFT_C2R : WEFT_DFT_BACKWARD;
    case WEFT_ASK_TRANSPOSE:
        return WEFT_NONE;
    default:
        return request->kinds ? (int)request->kinds[axis] : request->each[axis];
    }
}

static bool kind_of(const weft_request *request, int axis, weft_kind *kind)
{
    _Static_assert(WEFT_REDFT00 - WEFT_R2HC == FFTW_REDFT00 &&
                       WEFT_RODFT11 - WEFT_R2HC == FFTW_RODFT11 &&
                       WEFT_C2R - WEFT_KEEP == WEFT_DFT_C2R - WEFT_NONE,
                   "the kinds are in the order of FFTW's and of weft.h");
    const int number = kind_number(request, axis);
    const bool own = number >= WEFT_NONE && number < WEFT_R2R;
    if (own && (!request->kinds || (number == WEFT_NONE && request->process_grid)))
        *kind = (weft_kind)(WEFT_KEEP + number - WEFT_NONE);
    else if (number >= 0 && number <= FFTW_RODFT11)
        *kind = (weft_kind)(WEFT_R2HC + number);
    else
        return weft_error("%s: kind[%d] is %d, which is not an fftw_r2r_kind%s", request->function,
                          axis, number, request->kinds ? "" : " or a kind of weft.h");
    if (*kind == WEFT_REDFT00 && request->size[axis] < 2 &&
        (request->howmany > 0 || request->fields_out > 0))
        return weft_error("%s: n[%d] is 1; for FFTW_REDFT00 it must be at least 2",
                          request->function, axis);
    if (weft_kind_is_halving(*kind) && axis < request->axes - 1)
        return weft_error("%s: kind[%d] is r2c or c2r; only the last axis can have such a kind",
                          request->function, axis);
    return true;
}

bool weft_kinds_valid(const weft_request *request, weft_problem *problem, bool *backward)
{
    bool forward = false;
    *backward = false;
    if (request->asked >= WEFT_ASK_R2R && !request->kinds && !request->each)
        return weft_error("%s: the array of kinds is NULL", request->function);
    for (int axis = 0; axis < request->axes; axis++) {
        weft_kind *kind = &problem->kind[axis];
        if (!kind_of(request, axis, kind))
            return false;
        forward |= weft_kind_is_forward(*kind);
        *backward |= weft_kind_is_backward(*kind);
    }
    if (forward && *backward)
        return weft_error("%s: the kinds contain forward and backward Fourier transforms; all must "
                          "have the same direction",
                          request->function);
    return true;
}

/* Sets along which axis each side is aligned, and the order of its axes in memory. */
static bool sides_of(const weft_request *request, bool backward, weft_problem *problem)
{
    const unsigned flags = request->flags;
    const bool same = flags & WEFT_SAME_LAYOUT, reversed = flags & WEFT_REVERSED;
    if (reversed && (same || weft_is_half_complex(problem)))
        return weft_error("%s: WEFT_REVERSED cannot be combined with WEFT_SAME_LAYOUT, nor with "
                          "r2c and c2r; the last axis of their real side must not be divided",
                          request->function);
    problem->from.first = !same && backward != reversed;
    problem->to.first = !same && backward == reversed;
    problem->from.transposed = flags & WEFT_TRANSPOSED_IN;
    problem->to.transposed = flags & WEFT_TRANSPOSED_OUT;
    const bool wrong_in = problem->from.transposed && !problem->from.first;
    if (wrong_in || (problem->to.transposed && !problem->to.first))
        return weft_error("%s: WEFT_TRANSPOSED_%s needs a side whose first axis is whole, but "
                          "here the grid divides the first axis",
                          request->function, wrong_in ? "IN" : "OUT");
    return true;
}

/* Sets the numbers of modes of the spectral side; there are at most twice as many modes as points.
 * Between input and output the array has at most the larger of the two numbers along every axis, so
 * that size is checked, too. */
static bool modes_of(const weft_request *request, weft_problem *problem)
{
    ptrdiff_t larger[WEFT_MAX_RANK];
    for (int axis = 0; request->modes && axis < request->axes; axis++) {
        const weft_kind kind = problem->kind[axis];
        const ptrdiff_t n = request->size[axis], modes = request->modes[axis];
        if (modes < 1 || modes - n > n)
            return weft_error("%s: modes[%d] is %td; for %td points it must be 1 to %td",
                              request->function, axis, modes, n, 2 * n);
        if (modes != n && (kind == WEFT_KEEP || weft_kind_is_r2r(kind)))
            return weft_error("%s: modes[%d] is %td for %td points; only axes with Fourier "
                              "transforms can have another number of modes than of points",
                              request->function, axis, modes, n);
        problem->modes[axis] = modes == n ? 0 : modes;
        larger[axis] = modes > n ? modes : n;
    }
    return !request->modes ||
           weft_sizes_valid(request->function, request->axes, larger, request->howmany);
}

/* Whether the flags and the number of fields are possible with an operator. */
static bool operator_suits(const weft_request *request)
{
    if (request->flags & WEFT_ROWS)
        return weft_error("%s: WEFT_ROWS cannot be combined with an operator", request->function);
    return request->fields_out == request->howmany ||
           weft_sizes_valid(request->function, request->axes, request->size, request->fields_out);
}

/* The side of the output becomes the spectrum, where the plan calls the operator; the output gets
 * the distribution of the input. The spectral side gets its numbers of modes. */
static void return_to_input(const weft_request *request, bool backward, weft_problem *problem)
{
    weft_layout *spectral = backward ? &problem->from.layout : &problem->to.layout;
    for (int axis = 0; axis < problem->axes; axis++)
        spectral->axis[axis].size = weft_spectrum_size(problem, axis);
    problem->spectrum = problem->to;
    problem->fixed = request->multiplies;
    problem->to = problem->from;
    problem->to.layout.howmany = request->fields_out;
}

static bool on_grid(const weft_request *request, weft_problem *problem)
{
    bool backward;
    const bool operates = request->asked == WEFT_ASK_OPERATOR,
               slabs = request->process_grid->extent[0] == 0;
    if (!grid_suits(request) || !sign_valid(request) ||
        !weft_kinds_valid(request, problem, &backward) || !sides_of(request, backward, problem))
        return false;
    if (operates && (!operator_suits(request) || !modes_of(request, problem)))
        return false;
    const bool padded = !(request->flags & WEFT_UNPADDED);
    problem->rows = request->flags & WEFT_ROWS;
    if (problem->rows) {
        weft_divide_in_rows(problem, padded);
        return true;
    }
    problem->grid = slabs ? (weft_process_grid){1, {problem->ranks}, 0} : *request->process_grid;
    weft_divide_on_grid(problem, request->flags & WEFT_FFTW_BLOCKS ? WEFT_BLOCKS : WEFT_BALANCED,
                        padded);
    if (slabs) /* there may be more paths than on a grid */
        problem->grid.axes = 0;
    if (operates)
        return_to_input(request, backward, problem);
    return true;
}

/* The problem of a transform between two distributions. Real sides have no padding there, so r2c
 * and c2r need two arrays. */
static bool between(const weft_request *request, weft_problem *problem)
{
    bool backward;
    if (!weft_kinds_valid(request, problem, &backward) || !modes_of(request, problem))
        return false;
    if (request->axes < 2)
        return weft_error("%s: the rank is 1; it must be at least 2", request->function);
    weft_set_numbers(problem);
    return true;
}

bool weft_grid_problem(const weft_request *request, int ranks, weft_problem *problem)
{
    const bool redistributes = request->asked == WEFT_ASK_REDISTRIBUTE;
    *problem = weft_problem_of(request, redistributes ? WEFT_REDISTRIBUTE : WEFT_TRANSFORM, ranks);
    if (!request->from)
        return on_grid(request, problem);
    problem->between = true;
    problem->from.layout = *request->from;
    problem->to.layout = *request->to;
    problem->from.real = problem->to.real = redistributes;
    return redistributes || between(request, problem);
}
