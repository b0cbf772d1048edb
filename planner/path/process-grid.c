/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Process grids: parsing, enumeration, estimates of load, and how grids map to nodes. An exchange
 * along a dimension is between ranks that differ in that coordinate only; data for ranks of the
 * same node does not use the network:
 *
 *     8 ranks on 2 nodes, 2 x 4       0 1 2 3 | node 0     rows stay on a node; half of the data
 *                                     4 5 6 7 | node 1     that columns exchange leaves it
 *     4 x 2                           0 1 | node 0         the same
 *                                     2 3 |
 *                                     ...
 *
 * With a dimension longer than a node, data leaves nodes in two exchanges instead of one. For 1,024
 * ranks on nodes of 16, a grid of 32 x 32 sends 1/2 and 31/32 of the array out of nodes, 64 x 16
 * sends 0 and 63/64. In column-major order columns stay on nodes, and 16 x 64 sends as much as 64 x
 * 16 does in row-major order. So where the lengths of axes leave no choice of extents (axis 0 of
 * 16, axis 1 of 64), the order of ranks is still a choice. Longer dimensions need longer axes, but
 * the grid is chosen without knowing the axes; so grids stay near to a square.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "kernels/base/error.h"
#include "planner/path/process-grid.h"

static const char by_columns[] = ":column-major";

bool weft_process_grid_parse(const char *text, weft_process_grid *process_grid)
{
    *process_grid = (weft_process_grid){0};
    if (!text || !*text || strcmp(text, "auto") == 0)
        return true;
    ptrdiff_t extent[WEFT_MAX_RANK];
    process_grid->column_major = strchr(text, ':') != NULL;
    process_grid->axes = weft_parse_sizes(text, process_grid->column_major ? by_columns : "", 1,
                                          INT_MAX, extent, WEFT_MAX_RANK);
    for (int g = 0; g < process_grid->axes; g++)
        process_grid->extent[g] = (int)extent[g];
    if (process_grid->axes > 0)
        return true;
    process_grid->column_major = false;
    return weft_error("WEFT_GRID is %s; it must be auto, or extents as in 4x2", text);
}

void weft_process_grid_write(weft_writer *to, const char *name,
                             const weft_process_grid *process_grid)
{
    for (int g = 0; g < process_grid->axes; g++)
        weft_write(to, "%s%d", g ? "x" : name, process_grid->extent[g]);
    if (process_grid->axes > 0 && process_grid->column_major)
        weft_write(to, "%s", by_columns);
}

bool weft_process_grid_read(MPI_Comm comm, weft_process_grid *process_grid)
{
    const char *mine = weft_setting("WEFT_GRID");
    weft_common_text common;
    weft_broadcast_text(comm, mine ? mine : "", &common);
    const bool ok = common.text && (weft_process_grid_parse(common.text, process_grid) ||
                                    weft_error_blame_environment());
    weft_common_text_free(&common);
    return ok;
}

bool weft_process_grid_fits(const weft_process_grid *requested, int axes, int ranks)
{
    return requested->axes > 0 && requested->axes < axes &&
           weft_process_grid_ranks(requested) == ranks;
}

int weft_process_grid_ranks(const weft_process_grid *process_grid)
{
    int ranks = 1;
    for (int g = 0; g < process_grid->axes; g++)
        if (__builtin_mul_overflow(ranks, process_grid->extent[g], &ranks))
            return 0;
    return ranks;
}

static int next_divisor(int of, int after)
{
    int divisor = after + 1;
    while (divisor <= of && of % divisor != 0)
        divisor++;
    return divisor <= of ? divisor : 0;
}

/* Sets the extents from `dimension` on to the first in lexicographic order with product `ranks`. */
static void fill(weft_process_grid *process_grid, int dimension, int ranks)
{
    for (; dimension < process_grid->axes - 1; dimension++)
        process_grid->extent[dimension] = 1;
    process_grid->extent[dimension] = ranks;
}

bool weft_process_grid_next(weft_process_grid *process_grid, int ranks)
{
    if (process_grid->extent[0] == 0) {
        fill(process_grid, 0, ranks);
        return true;
    }
    int left = process_grid->extent[process_grid->axes - 1];
    for (int g = process_grid->axes - 2; g >= 0; g--) {
        left *= process_grid->extent[g];
        const int next = next_divisor(left, process_grid->extent[g]);
        if (next) {
            process_grid->extent[g] = next;
            fill(process_grid, g + 1, left / next);
            return true;
        }
    }
    return false;
}

double weft_process_grid_load(const weft_problem *problem, const weft_process_grid *process_grid)
{
    double load = 0;
    for (int whole = process_grid->axes; whole >= 0; whole--) { /* axis `whole` is undivided */
        double points = 1;
        for (int axis = 0; axis < problem->axes; axis++) {
            const int g = axis < whole ? axis : axis - 1;
            const ptrdiff_t parts =
                axis == whole || g >= process_grid->axes ? 1 : process_grid->extent[g];
            points *= (double)((weft_complex_size(problem, axis) + parts - 1) / parts);
        }
        /* a dimension of one rank needs no exchange */
        if (whole == process_grid->axes || process_grid->extent[whole] > 1)
            load += points;
    }
    return load;
}

static void keep_better(const weft_problem *problem, const weft_process_grid *process_grid,
                        weft_process_grid *best, double *least)
{
    const double load = weft_process_grid_load(problem, process_grid);
    if (best->axes == 0 || load < *least) {
        *best = *process_grid;
        *least = load;
    }
}

bool weft_process_grid_estimate(const weft_problem *problem, bool divided,
                                weft_process_grid *process_grid)
{
    weft_process_grid best = {0};
    double least = 0;
    for (int i = 1; i <= problem->ranks && problem->axes > 2; i++) {
        const int first = divided ? i : problem->ranks + 1 - i; /* a tie takes the earlier grid */
        const weft_process_grid two = {2, {first, problem->ranks / first}, 0};
        if (divided
                ? first > 1 && two.extent[1] > 1 && problem->ranks % first == 0
                : first <= weft_complex_size(problem, 0) && first <= weft_complex_size(problem, 1))
            keep_better(problem, &two, &best, &least);
    }
    weft_process_grid three = {3, {0}, 0};
    while (!divided && problem->axes > 3 && weft_process_grid_next(&three, problem->ranks))
        keep_better(problem, &three, &best, &least);
    if (best.axes > 0)
        *process_grid = best;
    return best.axes > 0;
}

/* The longest dimension may be this many times as long as the longest dimension of the squarest
 * grid. */
enum { LONGER = 4 };
/* A less square grid has more messages; it must send at most this fraction of the squarest grid's
 * data out of nodes. */
static const double clearly = 0.75;

double weft_process_grid_leaves(const weft_process_grid *process_grid, const int *node, int rank)
{
    double leaves = 0;
    for (int place = process_grid->axes - 1, step = 1; place >= 0; place--) {
        const int g = weft_process_grid_place(process_grid, place);
        const int extent = process_grid->extent[g], first = rank - rank / step % extent * step;
        int away = 0;
        for (int i = 0; i < extent; i++)
            away += node[first + i * step] != node[rank];
        leaves += (double)away / extent;
        step *= extent;
    }
    return leaves;
}

void weft_process_grids_leave(MPI_Comm comm, int axes, bool column_major, double leaves[WEFT_GRIDS])
{
    int count = 0;
    weft_process_grid process_grid = {axes, {0}, column_major};
    memset(leaves, 0, sizeof *leaves * WEFT_GRIDS);
    weft_communicator *communicator = weft_communicator_open(comm);
    if (!communicator) {
        weft_error_clear(); /* treat all ranks as one node */
        return;
    }
    const int per_node = communicator->most_ranks, ranks = communicator->ranks;
    /* with one node, or one rank on each node, all grids send the same amount */
    while (per_node > 1 && per_node < ranks && count < WEFT_GRIDS &&
           weft_process_grid_next(&process_grid, ranks))
        leaves[count++] =
            weft_process_grid_leaves(&process_grid, communicator->nodes, communicator->rank);
    weft_communicator_close(communicator);
    if (count > 0)
        weft_agree_max_all(comm, leaves, count);
}

typedef struct {
    weft_process_grid process_grid;
    double load;
} loaded_grid;

/* Inserts a grid into the list, which is sorted by load, the least first. Returns the new number of
 * grids. */
static int enter(loaded_grid next, loaded_grid best[WEFT_BEST_GRIDS], int count)
{
    for (int i = 0; i < count; i++)
        if (next.load < best[i].load) {
            const loaded_grid worse = best[i];
            best[i] = next;
            next = worse;
        }
    if (count < WEFT_BEST_GRIDS)
        best[count++] = next;
    return count;
}

/* The most grids that are listed, in about a second. 29 dimensions and 1,024 ranks have
 * 472,733,756. */
enum { MOST_GRIDS = 100000 };

int weft_process_grids_list(const char *function, const weft_problem *problem, MPI_Comm comm,
                            int axes, bool orders, weft_process_grid best[WEFT_BEST_GRIDS])
{
    loaded_grid list[WEFT_BEST_GRIDS];
    int count = 0;
    double leaves[2][WEFT_GRIDS], points = 1;
    for (int axis = 0; axis < problem->axes; axis++)
        points *= (double)problem->size[axis];
    for (int order = 0; order <= orders; order++) {
        loaded_grid next = {.process_grid = {axes, {0}, order}};
        weft_process_grids_leave(comm, axes, order, leaves[order]);
        for (int i = 0; weft_process_grid_next(&next.process_grid, problem->ranks); i++) {
            const double far = i < WEFT_GRIDS ? leaves[order][i] : 0;
            if (i == MOST_GRIDS)
                return weft_error("%s: there are more than %d grids of %d dimensions for %d ranks; "
                                  "use fewer dimensions",
                                  function, MOST_GRIDS, axes, problem->ranks);
            next.load =
                weft_process_grid_load(problem, &next.process_grid) + far * points / problem->ranks;
            if (order == 0 || (i < WEFT_GRIDS && far < leaves[0][i] - 1e-6))
                count = enter(next, list, count);
        }
    }
    for (int i = 0; i < count; i++)
        best[i] = list[i].process_grid;
    return count;
}

static int longest(const weft_process_grid *process_grid)
{
    int most = 1;
    for (int g = 0; g < process_grid->axes; g++)
        most = process_grid->extent[g] > most ? process_grid->extent[g] : most;
    return most;
}

/* The sum of the extents: the number of peers of a rank in all exchanges plus the number of
 * exchanges. */
static int peers(const weft_process_grid *process_grid)
{
    int sum = 0;
    for (int g = 0; g < process_grid->axes; g++)
        sum += process_grid->extent[g];
    return sum;
}

bool weft_process_grid_has(const weft_process_grid *process_grid, const weft_process_grid *given)
{
    for (int g = 0; g < given->axes; g++)
        if (given->extent[g] && given->extent[g] != process_grid->extent[g])
            return false;
    return true;
}

void weft_process_grid_near(const weft_process_grid *given, int ranks,
                            const double leaves[WEFT_GRIDS], weft_process_grid *best)
{
    const int most = LONGER * longest(best);
    const weft_process_grid squarest = *best;
    weft_process_grid process_grid = {given->axes, {0}, given->column_major};
    double limit = 0, least = given->axes; /* limit stays 0, and the squarest grid is kept, if that
                                              grid is not among the first WEFT_GRIDS */
    for (int i = 0; i < WEFT_GRIDS && weft_process_grid_next(&process_grid, ranks); i++) {
        limit = weft_process_grid_has(&squarest, &process_grid) ? clearly * leaves[i] : limit;
        if (!weft_process_grid_has(&process_grid, given) || longest(&process_grid) > most)
            continue;
        if (leaves[i] < least - 1e-6 ||
            (leaves[i] < least + 1e-6 && peers(&process_grid) < peers(best))) {
            *best = process_grid;
            least = leaves[i];
        }
    }
    if (least > limit)
        *best = squarest;
}
