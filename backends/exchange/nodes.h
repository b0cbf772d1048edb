/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds which ranks share a node. MPI's answer is used; only if MPI reports every rank alone on its
 * node (some MPI libraries do on some networks), Weft tests which ranks see the same memory. Nodes
 * that MPI simulates (MPICH's MPIR_CVAR_NUM_CLIQUES) count as nodes.
 */
#ifndef WEFT_NODES_H
#define WEFT_NODES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int *leader;   /* for each rank, the lowest rank on its node; the caller frees it */
    bool own;      /* this rank shares memory with other ranks, although MPI says it does not */
    char why[300]; /* why sharing memory without MPI failed; "" if it worked or was not tried */
} weft_nodes;

/* Collective. Returns false on every rank when any rank fails. */
bool weft_nodes_find(MPI_Comm comm, weft_nodes *nodes);

/* A hash of the placement of ranks on nodes. It is 0 when ranks are placed in consecutive blocks of
 * equal size (the last node may have fewer ranks). Local. */
uint64_t weft_nodes_placement(const int *leader, int ranks);

/* Sets first[i], for each of the `ranks` ranks in `group` (ascending), to the index in `group` of
 * the first rank on the same node, and returns the number of nodes. Local. Returns 0 with an error
 * when memory runs out. */
int weft_nodes_of_group(const int *leader, const int *group, int ranks, int *first);

/* Timings of messages between nodes while all ranks send at once. Measuring takes well
 * under a millisecond, and only happens when there is more than one node. */

/* Seconds, on the slowest rank. All fields are 0 when nothing was measured. */
typedef struct {
    double latency; /* one small message */
    double message; /* each further message sent at the same time */
    double byte;    /* each byte, while all ranks send to many nodes */
    double step;    /* the same, while every rank sends to one rank at the same distance */
} weft_network;

/* Collective. `away` is the largest number of ranks on a node. Returns zeros when there is only one
 * node. */
weft_network weft_network_measure(MPI_Comm comm, int away);

#endif
