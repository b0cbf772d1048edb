/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Process grids: the functions of weft.h that make them, find the fastest one, and compute the part
 * of an array that a process has. The plan functions on grids are in entries.c.
 *
 * grid_tune chooses the grids that give the busiest rank the least work and send the least data
 * between nodes. It plans and times the transform on these grids; the time of the slowest rank
 * counts. With WEFT_EITHER_ORDER it also tries grids in column-major order, if they send less data
 * between nodes than in row-major order (otherwise both orders are equally good). With WEFT_ROWS it
 * also tries rows, if rows divide more than one axis (otherwise they equal a grid).
 */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "planner/path/process-grid.h"
#include "api/mpi-state.h"
#include "api/planning.h"

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

/* Rank 0 prints once that the grid of WEFT_GRID, if one is set, does not fit. */
static void say_unfit(const weft_process_grid *requested, int axes, int rank, int ranks)
{
    if (rank == 0 && ranks > 1 && requested->axes > 0)
        weft_print_once("WEFT_GRID is %s, which does not fit a grid of %d dimensions on %d ranks; "
                        "Weft chooses the grid without it",
                        weft_setting("WEFT_GRID"), axes, ranks);
}

/* Replaces `free` dimensions of 0 with the extents that MPI_Dims_create finds for `ranks` ranks.
 * MPICH's MPI_Dims_create ends the program if it is asked for more than 20 dimensions. 20 are
 * enough to divide 2^20 ranks, so further dimensions get an extent of 1. */
static void choose(weft_process_grid *process_grid, int free, int ranks)
{
    enum { MOST_CHOSEN = 20 };
    const int chosen = free < MOST_CHOSEN ? free : MOST_CHOSEN;
    int extent[MOST_CHOSEN] = {0}, next = 0;
    MPI_Dims_create(ranks, chosen, extent);
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
    for (int g = 0; g < process_grid->axes; g++)
        if (process_grid->extent[g])
            given.extent[given.axes++] = process_grid->extent[g];
    const int product = weft_process_grid_ranks(&given), free = process_grid->axes - given.axes;
    if (product == 0 || ranks % product != 0 || (free == 0 && product != ranks))
        return weft_error("%s: the product of the grid's dimensions is not %d, the number of ranks",
                          function, ranks);
    if (free > 0 && requested->axes == process_grid->axes &&
        weft_process_grid_ranks(requested) == ranks &&
        weft_process_grid_has(requested, process_grid)) {
        memcpy(process_grid->extent, requested->extent,
               sizeof requested->extent); /* keeps the order */
    } else if (free > 0) {
        say_unfit(requested, process_grid->axes, rank, ranks);
        choose(process_grid, free, ranks / product);
        weft_process_grid_near(&asked, ranks, leaves, process_grid);
    }
    return true;
}

/* Collective. Returns NULL on every rank if any rank fails. */
static weft_grid grid_make(const char *function, MPI_Comm comm, int axes, const int *dims,
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
    struct weft_grid_s *grid = weft_new(1, sizeof *grid, "a grid");
    double leaves[WEFT_GRIDS] = {0};
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

weft_grid WEFT(grid_create)(MPI_Comm comm, int rank, const int *dims)
{
    return weft_or_error(grid_make(OWN_NAME("grid_create"), comm, rank, dims, false), comm);
}

weft_grid WEFT(grid_create_column_major)(MPI_Comm comm, int rank, const int *dims)
{
    const char *function = OWN_NAME("grid_create_column_major");
    return weft_or_error(grid_make(function, comm, rank, dims, true), comm);
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
    for (int axis = 0; axis < side->layout.axes; axis++)
        weft_put_span(box.span[axis], axis, start, count);
    return weft_layout_local_elements(&side->layout, process);
}

/* Checks the arguments of a request of this kind, sets the kinds of all axes (DCTs for WEFT_R2R) in
 * `each`, and makes the problem. */
static bool problem_of_kind(weft_request *request, int kind, int ranks, int *each,
                            weft_problem *problem)
{
    if (!weft_sizes_and_flags_valid(request))
        return false;
    if (kind < WEFT_DFT_FORWARD || kind > WEFT_R2R)
        return weft_error("%s: the kind is %d; it must be WEFT_DFT_FORWARD, WEFT_DFT_BACKWARD, "
                          "WEFT_DFT_R2C, WEFT_DFT_C2R or WEFT_R2R",
                          request->function, kind);
    for (int axis = 0; axis < request->axes; axis++)
        each[axis] = kind == WEFT_R2R            ? FFTW_REDFT10
                     : axis == request->axes - 1 ? kind
                     : kind == WEFT_DFT_R2C      ? WEFT_DFT_FORWARD
                     : kind == WEFT_DFT_C2R      ? WEFT_DFT_BACKWARD
                                                 : kind;
    request->asked = WEFT_ASK_KINDS;
    request->each = each;
    return weft_grid_problem(request, ranks, problem);
}

static bool local_problem(const struct weft_grid_s *grid, int process, int kind,
                          weft_request request, weft_problem *problem)
{
    int each[WEFT_MAX_RANK];
    weft_error_clear();
    if (!weft_grid_given(request.function, grid))
        return false;
    if (process < 0 || process >= grid->ranks)
        return weft_error("%s: the process is %d; it must be 0 to %d", request.function, process,
                          grid->ranks - 1);
    request.process_grid = &grid->process_grid;
    request.flags |= grid->rows ? WEFT_ROWS : 0;
    return problem_of_kind(&request, kind, grid->ranks, each, problem);
}

ptrdiff_t weft_grid_local(weft_grid grid, int process, int kind, weft_request request,
                          weft_local_place place)
{
    weft_problem problem;
    if (!local_problem(grid, process, kind, request, &problem))
        return 0;
    const ptrdiff_t in = put(&problem, &problem.from, process, place.local_n_in, place.start_in);
    const ptrdiff_t out = put(&problem, &problem.to, process, place.local_n_out, place.start_out);
    const ptrdiff_t before = kind == WEFT_DFT_R2C ? in / 2 + in % 2 : in;
    const ptrdiff_t after = kind == WEFT_DFT_C2R ? out / 2 + out % 2 : out;
    const ptrdiff_t most = before > after ? before : after;
    return most > 0 ? most : 1;
}

int WEFT(local_boxes)(int process, int rnk, const ptrdiff_t *n, weft_grid grid, int kind,
                      unsigned flags, int output, ptrdiff_t *start, ptrdiff_t *count)
{
    weft_problem problem;
    const weft_request request = {
        .function = OWN_NAME("local_boxes"), .axes = rnk, .size = n, .howmany = 1, .flags = flags};
    return local_problem(grid, process, kind, request, &problem)
               ? weft_layout_list(output ? &problem.to.layout : &problem.from.layout, process,
                                  start, count)
               : 0;
}

enum { RUNS = 3 };

static double timed(MPI_Comm comm, FFTW(plan) plan)
{
    double least = 0;
    for (int run = 0; run < RUNS; run++) {
        MPI_Barrier(comm);
        const double begin = MPI_Wtime();
        FFTW(execute)(plan);
        const double time = weft_agree_max(comm, MPI_Wtime() - begin);
        least = run == 0 || time < least ? time : least;
    }
    return least;
}

/* Returns the seconds of a run; negative, on all ranks, if there is no plan. */
static double time_of(weft_request request, int kind, struct weft_grid_s *grid, bool on_device)
{
    const ptrdiff_t numbers = WEFT(local_size)(request.axes, request.size, request.howmany, grid,
                                               kind, request.flags, NULL, NULL, NULL, NULL);
    weft_complex *(*alloc)(ptrdiff_t n, MPI_Comm comm) =
        on_device ? WEFT(alloc_device_complex) : WEFT(alloc_complex);
    weft_complex *in = alloc(numbers, grid->comm), *out = in ? alloc(numbers, grid->comm) : NULL;
    double time = -1;
    if (out) {
        request.in = in;
        request.out = out;
        FFTW(plan) plan = weft_grid_planned(grid, request);
        if (!on_device) /* the time on a device does not depend on the numbers */
            memset(in, 0, sizeof *in * (size_t)numbers);
        if (plan) {
            time = timed(grid->comm, plan);
            FFTW(destroy_plan)(plan);
        }
    }
    WEFT(free)(in);
    WEFT(free)(out);
    return time;
}

/* Checks the arguments and makes the problem on some grid. */
static bool checked(weft_request *request, int rank, int kind, int ranks, int *each,
                    weft_problem *problem)
{
    static const weft_process_grid one = {1, {1}, 0};
    request->process_grid = &one;
    return problem_of_kind(request, kind, ranks, each, problem) &&
           ((rank > 0 && rank < request->axes) ||
            weft_grid_too_large(request->function, rank, request->axes));
}

/* Times the transform on the grids and, if `rows`, in rows on the first of them, and sets the
 * fastest. False, with an error: there is no plan on any. */
static bool race(const weft_request *request, int kind, bool on_device,
                 const weft_process_grid *tried, int count, bool rows, struct weft_grid_s *best)
{
    double least = -1;
    struct weft_grid_s next = *best;
    for (int i = 0; i < count + rows; i++) {
        next.process_grid = tried[i % count];
        next.rows = i == count;
        const double time = time_of(*request, kind, &next, on_device);
        if (time >= 0 && (least < 0 || time < least)) {
            *best = next;
            least = time;
        }
    }
    return least >= 0;
}

static weft_grid tuned(MPI_Comm comm, int rank, int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
                       int kind, unsigned flags)
{
    int each[WEFT_MAX_RANK];
    weft_process_grid tried[WEFT_BEST_GRIDS];
    weft_problem problem;
    struct weft_grid_s best = {.comm = comm};
    const bool orders = flags & WEFT_EITHER_ORDER, on_device = flags & WEFT_ON_DEVICE;
    weft_request request = {.function = OWN_NAME("grid_tune"),
                            .axes = rnk,
                            .size = n,
                            .howmany = howmany,
                            .flags = flags & ~(WEFT_ON_DEVICE | WEFT_EITHER_ORDER)};
    weft_error_clear();
    if (!weft_comm_usable_on_all(request.function, comm, &best.rank, &best.ranks))
        return NULL;
    WEFT_ERRORS_ARE_FATAL(comm);
    if (!weft_agree(comm, checked(&request, rank, kind, best.ranks, each, &problem)))
        return NULL;
    /* rows are timed if they divide more than one axis; the code below times grids */
    const bool rows = problem.from.layout.joined > 1 || problem.to.layout.joined > 1;
    request.flags &= ~WEFT_ROWS;
    weft_grid_problem(&request, best.ranks, &problem);
    const ptrdiff_t asked[] = {rank, rnk, howmany, kind, orders, rows, on_device};
    weft_process_grid requested;
    if (!weft_agree_same(comm, asked, sizeof asked, "what is asked for") ||
        !weft_agree_same(comm, n, sizeof *n * (size_t)rnk, "the size") ||
        !weft_process_grid_read(comm, &requested))
        return NULL;
    if (requested.axes == rank && weft_process_grid_ranks(&requested) == best.ranks)
        return grid_make(request.function, comm, rank, requested.extent,
                         orders && requested.column_major);
    say_unfit(&requested, rank, best.rank, best.ranks);
    const int count =
        weft_process_grids_list(request.function, &problem, comm, rank, orders, tried);
    if (count == 0 || !race(&request, kind, on_device, tried, count, rows, &best))
        return NULL;
    weft_grid grid = grid_make(request.function, comm, rank, best.process_grid.extent,
                               best.process_grid.column_major);
    if (grid)
        grid->rows = best.rows;
    return grid;
}

weft_grid WEFT(grid_tune)(MPI_Comm comm, int rank, int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
                          int kind, unsigned flags)
{
    return weft_or_error(tuned(comm, rank, rnk, n, howmany, kind, flags), comm);
}
