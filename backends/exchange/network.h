/* SPDX-License-Identifier: BSD-3-Clause */
/* What messages between nodes take, as all ranks send at once: measured, in well under a
 * millisecond, where there is a network. */
#ifndef WEFT_NETWORK_H
#define WEFT_NETWORK_H

#include <mpi.h>

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
