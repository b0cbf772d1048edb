/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes are what MPI_Comm_split_type says. The communicator that it makes is freed at once: MPI
 * libraries have few of them, and what is wanted is only who is where.
 */
#include "backends/exchange/node.h"

#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"

int *weft_node_leaders(MPI_Comm comm)
{
    MPI_Comm node;
    int rank, ranks, leader;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int *leaders = malloc((size_t)ranks * sizeof *leaders);
    if (!leaders)
        weft_error("no memory for the nodes of %d ranks", ranks);
    if (!weft_agree(comm, leaders)) {
        free(leaders);
        return NULL;
    }
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Allreduce(&rank, &leader, 1, MPI_INT, MPI_MIN, node);
    MPI_Comm_free(&node);
    MPI_Allgather(&leader, 1, MPI_INT, leaders, 1, MPI_INT, comm);
    return leaders;
}
