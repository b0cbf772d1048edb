/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How process grids map to nodes. An exchange along a dimension is between ranks that differ in
 * that coordinate only; data for ranks of the same node does not use the network:
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
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "kernels/base/error.h"
#include "planner/path/process-grid.h"

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
    int rank, ranks, count = 0;
    weft_process_grid process_grid = {axes, {0}, column_major};
    memset(leaves, 0, sizeof *leaves * WEFT_GRIDS);
    weft_communicator *communicator = weft_communicator_open(comm);
    if (!communicator) {
        weft_error_clear(); /* treat all ranks as one node */
        return;
    }
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const int per_node = communicator->most_ranks;
    const int *node = communicator->nodes;
    /* with one node, or one rank on each node, all grids send the same amount */
    while (per_node > 1 && per_node < ranks && count < WEFT_GRIDS &&
           weft_process_grid_next(&process_grid, ranks))
        leaves[count++] = weft_process_grid_leaves(&process_grid, node, rank);
    weft_communicator_close(communicator);
    if (count > 0)
        weft_agree_max_all(comm, leaves, count);
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

static bool has(const weft_process_grid *process_grid, const weft_process_grid *given)
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
        limit = has(&squarest, &process_grid) ? clearly * leaves[i] : limit;
        if (!has(&process_grid, given) || longest(&process_grid) > most)
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
