/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the fastest grid for a transform. It chooses the grids whose busiest ranks have the least
 * work and from whose nodes the least data leaves, and plans and times the transform on them; the
 * time of the slowest rank counts. With WEFT_EITHER_ORDER it also tries grids in column-major
 * order, if less data leaves the nodes than in row-major order (otherwise both orders are alike).
 * With WEFT_ROWS it also tries rows, if rows divide more than one axis (otherwise a grid does the
 * same).
 */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "api/grid.h"
#include "planner/path/process-grid.h"
#include "api/mpi-state.h"
#include "api/planning.h"

enum { TRIED = 6, RUNS = 3 };

typedef struct {
    weft_process_grid process_grid;
    double load;
    bool rows; /* divide the array in rows instead */
} candidate;

static double points_of(const weft_problem *problem)
{
    double points = 1;
    for (int axis = 0; axis < problem->axes; axis++)
        points *= (double)problem->size[axis];
    return points;
}

/* Inserts a candidate into the list, which is sorted by load, the least first. Returns the new
 * number of candidates. */
static int enter(candidate next, candidate *best, int count)
{
    for (int i = 0; i < count; i++)
        if (next.load < best[i].load) {
            const candidate worse = best[i];
            best[i] = next;
            next = worse;
        }
    if (count < TRIED)
        best[count++] = next;
    return count;
}

/* What is timed besides grids in row-major order, and where. */
typedef struct {
    bool orders, rows, on_device;
} tuning_options;

/* Lists the best grids with `axes` dimensions, the least load first, then rows if they are tried,
 * and returns the number of candidates. Data that leaves a node counts twice. */
static int list(const weft_problem *problem, MPI_Comm comm, int axes, tuning_options also,
                candidate *best)
{
    int count = 0;
    double leaves[2][WEFT_GRIDS];
    for (int order = 0; order <= also.orders; order++) {
        weft_process_grid process_grid = {axes, {0}, order};
        weft_process_grids_leave(comm, axes, order, leaves[order]);
        for (int number = 0; weft_process_grid_next(&process_grid, problem->ranks); number++) {
            const bool known = number < WEFT_GRIDS;
            const double far = known ? leaves[order][number] : 0;
            if (order == 0 || (known && far < leaves[0][number] - 1e-6))
                count = enter((candidate){process_grid,
                                          weft_process_grid_load(problem, &process_grid) +
                                              far * points_of(problem) / problem->ranks,
                                          false},
                              best, count);
        }
    }
    best[count] = best[0];
    best[count].rows = true;
    return count + also.rows;
}

static double timed(const weft_request *request, FFTW(plan) plan)
{
    double least = 0;
    for (int run = 0; run < RUNS; run++) {
        MPI_Barrier(request->comm);
        const double begin = MPI_Wtime();
        FFTW(execute)(plan);
        const double time = weft_agree_max(request->comm, MPI_Wtime() - begin);
        least = run == 0 || time < least ? time : least;
    }
    return least;
}

/* Returns the seconds of a run; negative, on all ranks, if there is no plan. */
static double time_of(weft_request *request, int kind, int rank, int ranks, bool on_device)
{
    const weft_local_place nowhere = {0};
    const ptrdiff_t numbers = weft_grid_local(request, kind, rank, ranks, nowhere);
    weft_complex *(*alloc)(ptrdiff_t n, MPI_Comm comm) =
        on_device ? WEFT(alloc_device_complex) : WEFT(alloc_complex);
    weft_complex *in = alloc(numbers, request->comm),
                 *out = in ? alloc(numbers, request->comm) : NULL;
    double time = -1;
    if (out) {
        request->in = in;
        request->out = out;
        FFTW(plan) plan = weft_make_plan(request);
        if (!on_device) /* the time on a device does not depend on the numbers */
            memset(in, 0, sizeof *in * (size_t)numbers);
        if (plan) {
            time = timed(request, plan);
            FFTW(destroy_plan)(plan);
        }
    }
    WEFT(free)(in);
    WEFT(free)(out);
    return time;
}

/* Sets the kinds of all axes for timing: DCTs for WEFT_R2R. */
static void fill_kinds(int axes, int kind, int *each)
{
    for (int axis = 0; axis < axes; axis++)
        each[axis] = kind == WEFT_R2R       ? FFTW_REDFT10
                     : kind == WEFT_DFT_R2C ? WEFT_DFT_FORWARD
                     : kind == WEFT_DFT_C2R ? WEFT_DFT_BACKWARD
                                            : kind;
    if (kind != WEFT_R2R)
        each[axes - 1] = kind;
}

static bool checked(weft_request *request, int rank, int kind, int ranks, int *each,
                    weft_problem *problem)
{
    static const weft_process_grid one = {1, {1}, 0};
    if (!weft_sizes_valid(request->function, request->axes, request->size, request->howmany) ||
        !weft_grid_kind_valid(request->function, kind))
        return false;
    fill_kinds(request->axes, kind, each);
    request->process_grid = &one;
    if (rank < 1 || rank >= request->axes)
        return weft_error("%s: the grid has %d dimensions and the array %d axes; the grid must "
                          "have fewer dimensions than the array has axes",
                          request->function, rank, request->axes);
    return weft_sizes_and_flags_valid(request) && weft_grid_problem(request, ranks, problem);
}

/* Returns the index of the fastest candidate; negative if no candidate has a plan. */
static int race(weft_request *request, int kind, int rank, int ranks, bool on_device,
                const candidate *tried, int count)
{
    const unsigned flags = request->flags;
    double least = 0;
    int best = -1;
    for (int i = 0; i < count; i++) {
        request->process_grid = &tried[i].process_grid;
        request->flags = tried[i].rows ? flags | WEFT_ROWS : flags;
        const double time = time_of(request, kind, rank, ranks, on_device);
        if (time >= 0 && (best < 0 || time < least)) {
            best = i;
            least = time;
        }
    }
    return best;
}

/* Whether rows are requested and divide more than one axis. Changes the request and the problem to
 * a grid. */
static bool take_rows(weft_request *request, int ranks, weft_problem *problem)
{
    const bool rows = problem->from.layout.joined > 1 || problem->to.layout.joined > 1;
    request->flags &= ~WEFT_ROWS;
    weft_grid_problem(request, ranks, problem);
    return rows;
}

static weft_grid tuned(MPI_Comm comm, int rank, int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
                       int kind, unsigned flags)
{
    int me, ranks, each[WEFT_MAX_RANK];
    candidate tried[TRIED + 1];
    weft_problem problem;
    weft_request request = {.function = OWN_NAME("grid_tune"),
                            .asked = WEFT_ASK_KINDS,
                            .axes = rnk,
                            .size = n,
                            .howmany = howmany,
                            .sign = FFTW_FORWARD,
                            .comm = comm,
                            .flags = flags & ~(WEFT_ON_DEVICE | WEFT_EITHER_ORDER),
                            .each = each};
    tuning_options also = {.orders = flags & WEFT_EITHER_ORDER,
                           .on_device = flags & WEFT_ON_DEVICE};
    weft_error_clear();
    if (!weft_comm_usable_on_all(request.function, comm, &me, &ranks))
        return NULL;
    WEFT_ERRORS_ARE_FATAL(comm);
    if (!weft_agree(comm, checked(&request, rank, kind, ranks, each, &problem)))
        return NULL;
    also.rows = take_rows(&request, ranks, &problem);
    const ptrdiff_t asked[] = {rank, rnk, howmany, kind, also.orders, also.rows, also.on_device};
    if (!weft_agree_same(comm, asked, sizeof asked, "what is asked for") ||
        !weft_agree_same(comm, n, sizeof *n * (size_t)rnk, "the size"))
        return NULL;
    weft_process_grid requested;
    if (!weft_process_grid_read(comm, &requested))
        return NULL;
    if (requested.axes == rank && weft_process_grid_ranks(&requested) == ranks)
        return weft_grid_make(request.function, comm, rank, requested.extent,
                              also.orders && requested.column_major);
    weft_grid_say_unfit(&requested, rank, me, ranks);
    const int count = list(&problem, comm, rank, also, tried);
    const int best = race(&request, kind, me, ranks, also.on_device, tried, count);
    const weft_process_grid *fastest = &tried[best < 0 ? 0 : best].process_grid;
    weft_grid grid = best < 0 ? NULL
                              : weft_grid_make(request.function, comm, rank, fastest->extent,
                                               fastest->column_major);
    if (grid)
        grid->rows = tried[best].rows;
    return grid;
}

weft_grid WEFT(grid_tune)(MPI_Comm comm, int rank, int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
                          int kind, unsigned flags)
{
    weft_grid grid = tuned(comm, rank, rnk, n, howmany, kind, flags);
    if (!grid)
        weft_print_error(comm);
    return grid;
}
