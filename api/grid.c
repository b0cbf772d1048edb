/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes process grids; translates requests for grids, for rows, and for transforms and
 * redistributions between distributions into problems; computes the sizes of the part that a rank
 * has.
 *
 * Two examples. Left: two ranks, digits 0 and 1, have the 4 x 6 numbers of an r2c transform on a 1
 * x 2 grid. Right: seven ranks, one letter each, have 3 x 4 x n2 numbers in rows.
 *
 *     on the grid, output     0 0 1 1        in rows, input, axes 0 and 1     a b b c
 *                             0 0 1 1        (the output in memory is         c d e e
 *                             0 0 1 1        [n2][n1][n0], axes 2 and 1       f f g g
 *                             0 0 1 1        likewise)
 */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "planner/path/process-grid.h"
#include "api/grid.h"
#include "api/mpi-state.h"

static bool dims_valid(const char *function, int axes, const int *dims)
{
    if (axes < 1 || axes > WEFT_MAX_RANK)
        return weft_error("%s: the grid has %d dimensions; it must have 1 to %d", function, axes,
                          WEFT_MAX_RANK);
    for (int g = 0; dims && g < axes; g++)
        if (dims[g] < 0)
            return weft_error("%s: dimension %d of the grid is %d; it must be positive, or 0 to "
                              "let Weft choose it",
                              function, g, dims[g]);
    return true;
}

/* Whether the grid of WEFT_GRID agrees with the dimensions that the program gives. */
static bool request_fits(const weft_process_grid *requested, const weft_process_grid *given,
                         int ranks)
{
    if (requested->axes != given->axes || weft_process_grid_ranks(requested) != ranks)
        return false;
    for (int g = 0; g < given->axes; g++)
        if (given->extent[g] && given->extent[g] != requested->extent[g])
            return false;
    return true;
}

void weft_grid_say_unfit(const weft_process_grid *requested, int axes, int rank, int ranks)
{
    if (rank == 0 && ranks > 1 && requested->axes > 0)
        weft_print_once("WEFT_GRID is %s, which does not fit a grid of %d dimensions on %d ranks; "
                        "Weft chooses the grid without it",
                        weft_setting("WEFT_GRID"), axes, ranks);
}

/* Replaces dimensions of 0 with the extents that MPI_Dims_create finds. MPICH's MPI_Dims_create
 * ends the program if it is asked for more than 20 dimensions. 20 are enough to divide 2^20 ranks,
 * so further dimensions get an extent of 1. */
static void choose(weft_process_grid *process_grid, int ranks)
{
    enum { MOST_CHOSEN = 20 };
    int extent[MOST_CHOSEN] = {0}, free = 0, fixed = 1, next = 0;
    for (int g = 0; g < process_grid->axes; g++)
        if (process_grid->extent[g])
            fixed *= process_grid->extent[g];
        else
            free++;
    const int chosen = free < MOST_CHOSEN ? free : MOST_CHOSEN;
    MPI_Dims_create(ranks / fixed, chosen, extent);
    for (int g = 0; g < process_grid->axes; g++)
        if (!process_grid->extent[g]) {
            process_grid->extent[g] = next < chosen ? extent[next] : 1;
            next++;
        }
}

/* Replaces dimensions of 0. `leaves` is the amount of data that leaves the nodes, for all grids
 * with this number of dimensions. */
static bool complete(const char *function, weft_process_grid *process_grid, int rank, int ranks,
                     const weft_process_grid *requested, const double *leaves)
{
    const weft_process_grid asked = *process_grid;
    weft_process_grid given = {0};
    bool any = false;
    for (int g = 0; g < process_grid->axes; g++) {
        any |= process_grid->extent[g] == 0;
        if (process_grid->extent[g])
            given.extent[given.axes++] = process_grid->extent[g];
    }
    const int product = weft_process_grid_ranks(&given);
    if (product == 0 || ranks % product != 0 || (!any && product != ranks))
        return weft_error("%s: the product of the grid's dimensions is not %d, the number of ranks",
                          function, ranks);
    if (any && request_fits(requested, process_grid, ranks)) {
        memcpy(process_grid->extent, requested->extent,
               sizeof requested->extent); /* keeps the order */
    } else if (any) {
        weft_grid_say_unfit(requested, process_grid->axes, rank, ranks);
        choose(process_grid, ranks);
        weft_process_grid_near(&asked, ranks, leaves, process_grid);
    }
    return true;
}

weft_grid weft_grid_make(const char *function, MPI_Comm comm, int axes, const int *dims,
                         bool column_major)
{
    int rank, ranks;
    weft_process_grid requested, process_grid = {axes, {0}, column_major};
    weft_error_clear();
    if (!weft_comm_usable_on_all(function, comm, &rank, &ranks))
        return NULL;
    WEFT_ERRORS_ARE_FATAL(comm);
    const bool valid = dims_valid(function, axes, dims);
    for (int g = 0; valid && dims && g < axes; g++)
        process_grid.extent[g] = dims[g];
    if (!weft_agree_both(comm, valid, &process_grid, sizeof process_grid, "the process grid",
                         NULL) ||
        !weft_process_grid_read(comm, &requested))
        return NULL;
    struct weft_grid_s *grid = malloc(sizeof *grid);
    double leaves[WEFT_GRIDS] = {0};
    if (!grid)
        weft_error("%s: no memory for a grid", function);
    if (weft_process_grid_ranks(&process_grid) == 0 && axes > 1) /* some dimensions are 0 */
        weft_process_grids_leave(comm, axes, column_major, leaves);
    if (!weft_agree(comm,
                    grid && complete(function, &process_grid, rank, ranks, &requested, leaves))) {
        free(grid);
        return NULL;
    }
    *grid = (struct weft_grid_s){comm, rank, ranks, process_grid, false};
    return grid;
}

static void lay_on_grid(const weft_problem *problem, weft_problem_side *side, weft_rule rule,
                        bool padded)
{
    weft_layout *layout = &side->layout;
    const int dimensions = problem->grid.axes;
    *layout = weft_undivided_layout(problem, side, padded);
    layout->grid_axes = dimensions;
    for (int axis = 0; axis < problem->axes; axis++)
        layout->axis[axis].rule = rule;
    for (int g = 0; g < dimensions; g++) {
        const int place = weft_process_grid_place(&problem->grid, g);
        layout->grid[place] = problem->grid.extent[g];
        if (layout->grid[place] > 1)
            layout->axis[side->first ? g + 1 : g].grid_axis = place;
    }
    for (int i = 0; side->transposed && i <= dimensions; i++)
        layout->order[i] = i < dimensions ? i + 1 : 0;
}

/* The division in rows depends on the order of the axes in memory: the order of their numbers on
 * one side, the reverse on the other side. */
static void lay_in_rows(const weft_problem *problem, weft_problem_side *side, bool padded)
{
    int order[WEFT_MAX_RANK];
    for (int i = 0; i < problem->axes; i++)
        order[i] = side->first ? problem->axes - 1 - i : i;
    side->layout = weft_undivided_layout(problem, side, padded);
    weft_layout_set_rows(&side->layout, order, problem->ranks);
}

void weft_divide_in_rows(weft_problem *problem, bool padded)
{
    weft_set_numbers(problem);
    lay_in_rows(problem, &problem->from, padded);
    lay_in_rows(problem, &problem->to, padded);
}

void weft_divide_on_grid(weft_problem *problem, weft_rule rule, bool padded)
{
    weft_set_numbers(problem);
    lay_on_grid(problem, &problem->from, rule, padded);
    lay_on_grid(problem, &problem->to, rule, padded);
}

static bool sign_valid(const weft_request *request)
{
    return request->sign == FFTW_FORWARD || request->sign == FFTW_BACKWARD ||
           weft_error("%s: the sign is %d; it must be FFTW_FORWARD (-1) or FFTW_BACKWARD (1)",
                      request->function, request->sign);
}

static bool grid_suits(const weft_request *request)
{
    const weft_process_grid *process_grid = request->process_grid;
    const unsigned flags = request->flags;
    if (flags & WEFT_ROWS) {
        const bool bare = !(flags & (WEFT_FFTW_BLOCKS | WEFT_TRANSPOSED_IN | WEFT_TRANSPOSED_OUT));
        if (!bare)
            weft_error("%s: WEFT_ROWS cannot be combined with WEFT_FFTW_BLOCKS, WEFT_TRANSPOSED_IN "
                       "or WEFT_TRANSPOSED_OUT",
                       request->function);
        else if (request->axes < 3 || request->axes > 4)
            weft_error("%s: the rank is %d; in rows it must be 3 or 4", request->function,
                       request->axes);
        return bare && (request->axes == 3 || request->axes == 4);
    }
    if (request->axes < 2)
        return weft_error("%s: the rank is %d; on a grid it must be at least 2", request->function,
                          request->axes);
    if (process_grid->axes >= request->axes)
        return weft_error("%s: the grid has %d dimensions and the array %d axes; the grid must "
                          "have fewer dimensions than the array has axes",
                          request->function, process_grid->axes, request->axes);
    return true;
}

/* Converts the kind of one axis from its number in weft.h. */
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
    } else if (number < 0 || !weft_kind_from_r2r((unsigned)number, kind)) {
        return weft_error("%s: kind[%d] is %d, which is not a kind of transform; use a kind of "
                          "weft.h or an fftw_r2r_kind",
                          request->function, axis, number);
    }
    if (*kind == WEFT_REDFT00 && request->size[axis] < 2)
        return weft_error("%s: n[%d] is 1; for FFTW_REDFT00 it must be at least 2",
                          request->function, axis);
    if ((*kind == WEFT_R2C || *kind == WEFT_C2R) && axis < request->axes - 1)
        return weft_error("%s: kind[%d] is r2c or c2r; only the last axis can have such a kind",
                          request->function, axis);
    return true;
}

/* Converts all kinds and finds out whether the Fourier transforms go backward. */
static bool kinds_of(const weft_request *request, weft_problem *problem, bool *backward)
{
    bool forward = false;
    *backward = false;
    if (!request->each)
        return weft_error("%s: the array of kinds is NULL", request->function);
    for (int axis = 0; axis < request->axes; axis++) {
        weft_kind *kind = &problem->kind[axis];
        if (!kind_of(request, axis, kind))
            return false;
        forward |= *kind == WEFT_FORWARD || *kind == WEFT_R2C;
        *backward |= *kind == WEFT_BACKWARD || *kind == WEFT_C2R;
    }
    if (forward && *backward)
        return weft_error("%s: the kinds contain forward and backward Fourier transforms; all must "
                          "have the same direction",
                          request->function);
    problem->real = !forward && !*backward;
    return true;
}

/* Sets along which axis each side is aligned, and the order of its axes in memory. */
static bool sides_of(const weft_request *request, bool backward, weft_problem *problem)
{
    const unsigned flags = request->flags;
    const weft_kind last = problem->kind[request->axes - 1];
    const bool same = flags & WEFT_SAME_LAYOUT, reversed = flags & WEFT_REVERSED;
    if (reversed && (same || last == WEFT_R2C || last == WEFT_C2R))
        return weft_error("%s: WEFT_REVERSED cannot be combined with WEFT_SAME_LAYOUT, nor with "
                          "r2c and c2r, whose real side must be aligned along the last axis",
                          request->function);
    problem->from.first = !same && backward != reversed;
    problem->to.first = !same && backward == reversed;
    problem->from.transposed = flags & WEFT_TRANSPOSED_IN;
    problem->to.transposed = flags & WEFT_TRANSPOSED_OUT;
    const bool wrong_in = problem->from.transposed && !problem->from.first;
    if (wrong_in || (problem->to.transposed && !problem->to.first))
        return weft_error("%s: WEFT_TRANSPOSED_%s needs a side that is aligned along the first "
                          "axis, but this side is aligned along the last axis",
                          request->function, wrong_in ? "IN" : "OUT");
    return true;
}

static bool on_grid(const weft_request *request, int ranks, weft_problem *problem)
{
    bool backward;
    *problem = (weft_problem){.task = WEFT_TRANSFORM,
                              .axes = request->axes,
                              .howmany = request->howmany,
                              .ranks = ranks,
                              .threads = 1};
    if (!grid_suits(request) || !sign_valid(request) || !kinds_of(request, problem, &backward) ||
        !sides_of(request, backward, problem))
        return false;
    const bool padded = !(request->flags & WEFT_UNPADDED);
    for (int axis = 0; axis < request->axes; axis++)
        problem->size[axis] = request->size[axis];
    problem->rows = request->flags & WEFT_ROWS;
    if (problem->rows) {
        weft_divide_in_rows(problem, padded);
        return true;
    }
    problem->grid = *request->process_grid;
    weft_divide_on_grid(problem, request->flags & WEFT_FFTW_BLOCKS ? WEFT_BLOCKS : WEFT_BALANCED,
                        padded);
    return true;
}

static void redistribution(const weft_request *request, int ranks, weft_problem *problem)
{
    *problem = (weft_problem){.task = WEFT_REDISTRIBUTE,
                              .axes = request->axes,
                              .howmany = request->howmany,
                              .real = true,
                              .from = {.layout = *request->from, .real = true},
                              .to = {.layout = *request->to, .real = true},
                              .ranks = ranks,
                              .threads = 1};
    for (int axis = 0; axis < request->axes; axis++)
        problem->size[axis] = request->size[axis];
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
        if (modes != n && (kind == WEFT_KEEP || kind >= WEFT_R2HC))
            return weft_error("%s: modes[%d] is %td for %td points; only axes with Fourier "
                              "transforms can have another number of modes than of points",
                              request->function, axis, modes, n);
        problem->modes[axis] = modes == n ? 0 : modes;
        larger[axis] = modes > n ? modes : n;
    }
    return !request->modes ||
           weft_sizes_valid(request->function, request->axes, larger, request->howmany);
}

/* The problem of a transform between two distributions. Real sides have no padding there, so r2c
 * and c2r need two arrays. */
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
    if (!kinds_of(request, problem, &backward) || !modes_of(request, problem))
        return false;
    if (request->axes < 2)
        return weft_error("%s: the rank is 1; it must be at least 2", request->function);
    for (int axis = 0; axis < request->axes; axis++)
        problem->size[axis] = request->size[axis];
    weft_set_numbers(problem);
    return true;
}

bool weft_grid_problem(const weft_request *request, int ranks, weft_problem *problem)
{
    if (request->asked == WEFT_ASK_REDISTRIBUTE) {
        redistribution(request, ranks, problem);
        return true;
    }
    return request->from ? between(request, ranks, problem) : on_grid(request, ranks, problem);
}

/* The part of a process in rows, as local_size returns it: start and count of axis 0 describe a
 * range of points in the order of memory; the other axes have a count of 1. */
static weft_box range_of(const weft_layout *layout, int process)
{
    weft_box box, range = {{{0, 0}}};
    weft_layout_box(layout, process, &box);
    const int first = layout->order[0], joined = layout->joined > 1 ? layout->joined : 1;
    range.span[0] = box.span[first];
    for (int i = 1; i < layout->axes; i++) {
        const ptrdiff_t step = i < joined ? 1 : layout->axis[layout->order[i]].size;
        range.span[0].start *= step;
        range.span[0].count *= step;
        range.span[i].count = 1;
    }
    return range;
}

static ptrdiff_t put(const weft_problem *problem, const weft_problem_side *side, int process,
                     ptrdiff_t *count, ptrdiff_t *start)
{
    weft_box box;
    weft_layout_box(&side->layout, process, &box);
    if (problem->rows)
        box = range_of(&side->layout, process);
    for (int axis = 0; axis < side->layout.axes; axis++) {
        if (count)
            count[axis] = box.span[axis].count;
        if (start)
            start[axis] = box.span[axis].start;
    }
    return weft_local_numbers(side, process);
}

bool weft_grid_kind_valid(const char *function, int kind)
{
    return (kind >= WEFT_DFT_FORWARD && kind <= WEFT_R2R) ||
           weft_error("%s: the kind is %d; it must be WEFT_DFT_FORWARD, WEFT_DFT_BACKWARD, "
                      "WEFT_DFT_R2C, WEFT_DFT_C2R or WEFT_R2R",
                      function, kind);
}

/* Makes the problem for local_size and local_boxes. */
static bool local_problem(const weft_request *request, int kind, int process, int ranks,
                          weft_problem *problem)
{
    int each[WEFT_MAX_RANK];
    weft_request asked = *request;
    if (!weft_sizes_valid(request->function, request->axes, request->size, request->howmany))
        return false;
    if (process < 0 || process >= ranks)
        return weft_error("%s: the process is %d; it must be 0 to %d", request->function, process,
                          ranks - 1);
    if (!weft_grid_kind_valid(request->function, kind))
        return false;
    for (int axis = 0; axis < request->axes; axis++)
        each[axis] = WEFT_NONE;
    if (kind != WEFT_R2R)
        each[request->axes - 1] = kind;
    asked.each = each;
    return weft_sizes_and_flags_valid(&asked) && weft_grid_problem(&asked, ranks, problem);
}

ptrdiff_t weft_grid_local(const weft_request *request, int kind, int process, int ranks,
                          weft_local_place place)
{
    weft_problem problem;
    if (!local_problem(request, kind, process, ranks, &problem))
        return 0;
    const ptrdiff_t in = put(&problem, &problem.from, process, place.local_n_in, place.start_in);
    const ptrdiff_t out = put(&problem, &problem.to, process, place.local_n_out, place.start_out);
    const ptrdiff_t before = kind == WEFT_DFT_R2C ? in / 2 + in % 2 : in;
    const ptrdiff_t after = kind == WEFT_DFT_C2R ? out / 2 + out % 2 : out;
    const ptrdiff_t most = before > after ? before : after;
    return most > 0 ? most : 1;
}

int weft_layout_list(const weft_layout *layout, int process, ptrdiff_t *start, ptrdiff_t *count)
{
    weft_boxes boxes = weft_boxes_of(layout, process);
    weft_box box;
    int listed = 0;
    for (; weft_boxes_next(&boxes, &box); listed++)
        for (int axis = 0; axis < layout->axes; axis++) {
            if (start)
                start[listed * layout->axes + axis] = box.span[axis].start;
            if (count)
                count[listed * layout->axes + axis] = box.span[axis].count;
        }
    return listed;
}

int weft_grid_boxes(const weft_request *request, int kind, int process, int ranks, bool output,
                    ptrdiff_t *start, ptrdiff_t *count)
{
    weft_problem problem;
    if (!local_problem(request, kind, process, ranks, &problem))
        return 0;
    return weft_layout_list(output ? &problem.to.layout : &problem.from.layout, process, start,
                            count);
}
