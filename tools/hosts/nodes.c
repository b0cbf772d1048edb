/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints how many nodes the MPI library sees, for tools/hosts/run. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Comm node;
    int rank, ranks, on_node, nodes;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &on_node);
    int first = on_node == 0;
    MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_free(&node);
    if (rank == 0)
        printf("%d ranks on %d nodes\n", ranks, nodes);
    MPI_Finalize();
    return 0;
}
