/* SPDX-License-Identifier: BSD-3-Clause */
/* Making grids, and what a rank holds on one. */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "api/grid.h"
#include "planner/path/process-grid.h"
#include "api/mpi-state.h"

static bool dims_valid(const char *function, int axes, const int *dims)
{
    if (axes < 1 || axes > WEFT_MAX_RANK) {
        weft_error("%s: the grid has %d dimensions; it must have 1 to %d", function, axes,
                   WEFT_MAX_RANK);
        return false;
    }
    for (int g = 0; dims && g < axes; g++)
        if (dims[g] < 0) {
            weft_error("%s: dimension %d of the grid is %d; it must be positive, or 0 to have it "
                       "chosen",
                       function, g, dims[g]);
            return false;
        }
    return true;
}

/* Whether what the user wishes has the dimensions that are given. */
static bool wish_fits(const weft_process_grid *wish, const weft_process_grid *given, int ranks)
{
    if (wish->axes != given->axes || weft_process_grid_ranks(wish) != ranks)
        return false;
    for (int g = 0; g < given->axes; g++)
        if (given->extent[g] && given->extent[g] != wish->extent[g])
            return false;
    return true;
}

void weft_grid_say_unfit(const weft_process_grid *wish, int axes, int rank, int ranks)
{
    if (rank == 0 && ranks > 1 && wish->axes > 0)
        weft_say(
            "WEFT_GRID is %s, which is not the grid of %d dimensions and %d ranks that is asked "
            "for; it is chosen without",
            weft_setting("WEFT_GRID"), axes, ranks);
}

/* Gives dimensions of 0 the extents that MPI_Dims_create finds. MPICH's ends the program when it is
 * asked for more than 20, and 20 are enough to divide 2^20 ranks: further ones are 1. */
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

/* Fills in the dimensions of 0; `leaves` of all grids of so many dimensions. */
static bool complete(const char *function, weft_process_grid *process_grid, int rank, int ranks,
                     const weft_process_grid *wish, const double *leaves)
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
    if (product == 0 || ranks % product != 0 || (!any && product != ranks)) {
        weft_error("%s: the dimensions of the grid do not multiply to the %d ranks there are",
                   function, ranks);
        return false;
    }
    if (any && wish_fits(wish, process_grid, ranks)) {
        memcpy(process_grid->extent, wish->extent, sizeof wish->extent); /* not its order */
    } else if (any) {
        weft_grid_say_unfit(wish, process_grid->axes, rank, ranks);
        choose(process_grid, ranks);
        weft_process_grid_near(&asked, ranks, leaves, process_grid);
    }
    return true;
}

weft_grid weft_grid_make(const char *function, MPI_Comm comm, int axes, const int *dims,
                         bool column_major)
{
    int rank, ranks;
    weft_process_grid wish, process_grid = {axes, {0}, column_major};
    weft_error_clear();
    if (!weft_comm_joint(function, comm, &rank, &ranks))
        return NULL;
    WEFT_ERRORS_ARE_FATAL(comm);
    const bool valid = dims_valid(function, axes, dims);
    for (int g = 0; valid && dims && g < axes; g++)
        process_grid.extent[g] = dims[g];
    if (!weft_agree_both(comm, valid, &process_grid, sizeof process_grid, "the process grid",
                         NULL) ||
        !weft_process_grid_wish(comm, &wish))
        return NULL;
    struct weft_grid_s *grid = malloc(sizeof *grid);
    double leaves[WEFT_GRIDS] = {0};
    if (!grid)
        weft_error("%s: no memory for a grid", function);
    if (weft_process_grid_ranks(&process_grid) == 0 && axes > 1) /* there is a choice */
        weft_process_grids_leave(comm, axes, column_major, leaves);
    if (!weft_agree(comm, grid && complete(function, &process_grid, rank, ranks, &wish, leaves))) {
        free(grid);
        return NULL;
    }
    *grid = (struct weft_grid_s){comm, rank, ranks, process_grid, false};
    return grid;
}

/* In rows it is a range of the points of all axes in their order in memory: as if they were one. */
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

static ptrdiff_t put(const weft_problem *problem, const weft_holding *side, int process,
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
    return weft_numbers_held(side, process);
}

bool weft_grid_kind_valid(const char *function, int kind)
{
    if (kind >= WEFT_DFT_FORWARD && kind <= WEFT_R2R)
        return true;
    weft_error("%s: the kind is %d; it must be WEFT_DFT_FORWARD, WEFT_DFT_BACKWARD, WEFT_DFT_R2C, "
               "WEFT_DFT_C2R or WEFT_R2R",
               function, kind);
    return false;
}

/* The problem of local_size. */
static bool local_problem(const weft_request *request, int kind, int process, int ranks,
                          weft_problem *problem)
{
    int each[WEFT_MAX_RANK];
    weft_request asked = *request;
    if (!weft_sizes_valid(request->function, request->axes, request->size, request->howmany))
        return false;
    if (process < 0 || process >= ranks) {
        weft_error("%s: there is no process %d among %d", request->function, process, ranks);
        return false;
    }
    if (!weft_grid_kind_valid(request->function, kind))
        return false;
    for (int axis = 0; axis < request->axes; axis++)
        each[axis] = WEFT_NONE;
    if (kind != WEFT_R2R)
        each[request->axes - 1] = kind;
    asked.each = each;
    return weft_grid_problem(&asked, ranks, problem);
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
