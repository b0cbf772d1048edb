/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several nodes, which MPICH can pretend (other MPIs have one): Weft finds them, and its windows
 * are for the ranks of one node. (exchange+nodes2 does exchanges between nodes.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "backends/exchange/nodes.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/segments.h"
#include "tests/mpi/variants.h"
#include "api/fftw3-mpi.h"
#include "api/weft.h"

/* Returns the lowest rank of comm on this rank's node, and how many are on it, as MPI says. */
static int lowest_near(MPI_Comm comm, int *count)
{
    MPI_Comm node;
    int here, lowest;
    MPI_Comm_rank(comm, &here);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, count);
    MPI_Allreduce(&here, &lowest, 1, MPI_INT, MPI_MIN, node);
    MPI_Comm_free(&node);
    return lowest;
}

TEST(every_rank_knows_who_is_on_its_node, .to = 2)
{
    MPI_Comm comm;
    int count, leader[64];
    MPI_Comm_split(MPI_COMM_WORLD, 0, _i ? -rank : rank, &comm);
    const int lowest = lowest_near(comm, &count);
    MPI_Allgather(&lowest, 1, MPI_INT, leader, 1, MPI_INT, comm);
    weft_nodes nodes;
    const bool ok = weft_nodes_find(comm, &nodes);
    all_true(ok && !nodes.own && !memcmp(nodes.leader, leader, (size_t)ranks * sizeof *leader),
             "the ranks of its node differ from MPI's");
    free(nodes.leader);
    MPI_Comm_free(&comm);
}

/* Backends that must not compete with `node`. */
#define OTHERS                                                                                     \
    "^waitall,waitsome,waitall/b,waitsome/b,bruck,alltoall,alltoallv,alltoallw,ialltoallv,"        \
    "ialltoallw"

/* One node has no shared memory: no rank uses `node`, whether the program asks for it or not. */
TEST(without_memory_of_a_node_another_backend_is_used)
{
    enum { N0 = 64, N1 = 64, N2 = 16 }; /* more than any closed window has */
    int here;
    const bool first_node = lowest_near(MPI_COMM_WORLD, &here) == 0;
    int used = here > 1 && here < ranks; /* on some rank */
    MPI_Allreduce(MPI_IN_PLACE, &used, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    ptrdiff_t count, start;
    const ptrdiff_t size = fftw_mpi_local_size_3d(N0, N1, N2, MPI_COMM_WORLD, &count, &start);
    fftw_complex *data = fftw_alloc_complex((size_t)size + 1);
    for (int turn = 0; used && turn < 4; turn++) {
        const bool asked = turn % 2, there = turn > 1;
        weft_set_backend(asked   ? "node"
                         : there ? OTHERS ",pairwise" /* otherwise the speed of messages decides */
                                 : OTHERS);
        segments_refused = !there && first_node;
        fftw_plan plan = fftw_mpi_plan_dft_3d(N0, N1, N2, data, data, MPI_COMM_WORLD, FFTW_FORWARD,
                                              FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
        segments_refused = false;
        all_true(!plan == (asked && !there), "turn %d: a plan, or none", turn);
        char *text = plan ? fftw_sprint_plan(plan) : strdup("none");
        all_true(!plan || !strstr(text, "exchange node") == !there, "turn %d: %s", turn, text);
        free(text);
        fftw_destroy_plan(plan);
    }
    weft_set_backend(NULL);
    fftw_free(data);
}

static void start(int *argc, char ***argv)
{
    setenv("MPIR_CVAR_NUM_CLIQUES", "2", 1);
    variant_begin(argc, argv);
}

AROUND(.start = start)
