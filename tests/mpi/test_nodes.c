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

/* Returns a communicator of the ranks of one node. */
static MPI_Comm node_of(MPI_Comm comm)
{
    MPI_Comm node;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    return node;
}

/* Writes for every rank of comm whether it is on this rank's node; returns their number. */
static int find_neighbours(MPI_Comm comm, int *neighbour)
{
    MPI_Comm node = node_of(comm);
    int members, me, count, all[64];
    MPI_Comm_size(comm, &members);
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(node, &count);
    MPI_Allgather(&me, 1, MPI_INT, all, 1, MPI_INT, node);
    memset(neighbour, 0, (size_t)members * sizeof *neighbour);
    for (int r = 0; r < count; r++)
        neighbour[all[r]] = 1;
    MPI_Comm_free(&node);
    return count;
}

/* Returns the number of ranks of MPI_COMM_WORLD on this rank's node. */
static int near(void)
{
    int neighbour[64];
    return find_neighbours(MPI_COMM_WORLD, neighbour);
}

TEST(every_rank_knows_who_is_on_its_node, .to = 2)
{
    MPI_Comm comm;
    int here, neighbour[64];
    MPI_Comm_split(MPI_COMM_WORLD, 0, _i ? -rank : rank, &comm);
    MPI_Comm_rank(comm, &here);
    find_neighbours(comm, neighbour);
    weft_nodes nodes;
    bool ok = weft_nodes_find(comm, &nodes);
    const int *leader = nodes.leader;
    ok = ok && !nodes.own && leader[here] <= here;
    for (int r = 0; r < ranks && ok; r++)
        ok = (leader[r] == leader[here]) == neighbour[r] && leader[leader[r]] == leader[r];
    all_true(ok, "the ranks of its node differ from MPI's");
    free(nodes.leader);
    MPI_Comm_free(&comm);
}

static bool first_node(void)
{
    MPI_Comm node = node_of(MPI_COMM_WORLD);
    int lowest;
    MPI_Allreduce(&rank, &lowest, 1, MPI_INT, MPI_MIN, node);
    MPI_Comm_free(&node);
    return lowest == 0;
}

/* Backends that must not compete with `node`. */
#define OTHERS                                                                                     \
    "^waitall,waitsome,waitall/b,waitsome/b,bruck,alltoall,alltoallv,alltoallw,ialltoallv,"        \
    "ialltoallw"

/* One node has no shared memory: no rank uses `node`, whether the program asks for it or not. */
TEST(without_memory_of_a_node_another_backend_is_used)
{
    enum { N0 = 64, N1 = 64, N2 = 16 }; /* more than any closed window has */
    const int here = near();
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
        segments_refused = !there && first_node();
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
