/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which ranks are on one node: those of which MPI says so; and where it says that of no two, those
 * that see the same memory. (Some MPI libraries, for some networks, take every rank for a node of
 * its own.) What MPI pretends to be nodes (MPICH's MPIR_CVAR_NUM_CLIQUES) is taken for them.
 */
#ifndef WEFT_NODES_H
#define WEFT_NODES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int *leader;   /* for every rank, the lowest rank on its node; to be freed */
    bool own;      /* this rank shares memory with others of which MPI does not know */
    char why[300]; /* why it does not, where that was tried; else "" */
} weft_nodes;

/* Collective. False on every rank when any rank cannot know. */
bool weft_nodes_find(MPI_Comm comm, weft_nodes *nodes);

/* Local: a number for how ranks lie on nodes; 0: in blocks, as many ranks on each node as on that
 * of rank 0, but for the last one, which may have fewer. */
uint64_t weft_nodes_placement(const int *leader, int ranks);

/* Local: for each of some ranks, in order, the first of them on its node, as its place among them;
 * and whether some share a node and others do not. False and an error: no memory. */
bool weft_nodes_of_group(const int *leader, const int *group, int ranks, int *first,
                         bool *neighbours);

/* What messages between nodes take when all ranks send at once (network.c): measured, in well under
 * a millisecond, where there is a network. */

/* Seconds, of the slowest rank. All 0: not measured. */
typedef struct {
    double latency; /* until a small message has come */
    double message; /* for each more that is sent at the same time */
    double byte;    /* for each byte, while all ranks of all nodes send to many others */
    double step;    /* the same, while each sends to one, all equally far: links are shared then */
} weft_network;

/* Collective; `node` says for every rank the lowest rank on its node. Not measured where there is
 * one node only. */
weft_network weft_network_measure(MPI_Comm comm, const int *node);

#endif
