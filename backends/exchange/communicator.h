/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The communicators on which Weft sends messages. MPI libraries support few communicators (MPICH
 * about 2,000), but programs may create many plans. So Weft makes one duplicate of each user
 * communicator, and all plans share the duplicate and its sub-communicators. Tags separate
 * exchanges that run at the same time.
 */
#ifndef WEFT_COMMUNICATOR_H
#define WEFT_COMMUNICATOR_H

#include <mpi.h>
#include <stdbool.h>
#include "backends/exchange/nodes.h"

typedef struct weft_split {
    MPI_Comm comm;
    /* For communicator.c: */
    int references; /* held by this rank's plans */
    struct weft_split *next;
    int leader[]; /* of every rank */
} weft_split;

typedef struct weft_communicator {
    MPI_Comm all; /* the duplicate with all ranks; MPI_COMM_NULL once MPI has been finalized */
    int rank, ranks;
    int *nodes;                 /* for every rank, the lowest rank on its node */
    int most_ranks, most_cores; /* on one node */
    /* For communicator.c: */
    bool measured; /* `network` is set */
    weft_network network;
    MPI_Comm user;  /* MPI_COMM_NULL: the user has freed it */
    int references; /* held by the attribute and by this rank's plans */
    int tag;
    weft_split *first;
    int splits;
    struct weft_communicator *next; /* next in the list of this process */
} weft_communicator;

typedef enum {
    WEFT_HANDSHAKE_GOOD,
    WEFT_HANDSHAKE_FAILED, /* on all ranks, with an error: other version, or no communicator */
    WEFT_HANDSHAKE_ALONE   /* some ranks did not answer; the lowest rank that did gets an error */
} weft_handshake_result;

/* Collective: checks that all ranks run this version of Weft. If a preload or library path does not
 * reach every host, the ranks there run FFTW's MPI library or an older Weft. These must be Weft's
 * first collective calls on a communicator, and must stay the same in all versions. Waits up to
 * `limit` seconds for ranks that do not answer. */
weft_handshake_result weft_handshake(MPI_Comm comm, double limit);

/* Collective: returns the duplicate of a user's communicator and makes it at first use. The caller
 * closes it. Returns NULL on every rank when any rank fails, and for intercommunicators and
 * MPI_COMM_NULL. */
weft_communicator *weft_communicator_open(MPI_Comm user);
/* Whether the user's communicator already has a duplicate. Local. */
bool weft_communicator_is_open(MPI_Comm user);
/* Drops one reference. The duplicate is freed once all plans have closed it and the user has freed
 * the original communicator. Local. */
void weft_communicator_close(weft_communicator *communicator);

/* Whether MPI runs with MPI_THREAD_MULTIPLE, so that several threads may run plans at the same
 * time. If this is so on any rank of a plan, the plan owns all state that its runs change. */
bool weft_threads_at_once(void);

/* Lets MPI move messages. Local. */
void weft_make_progress(void);

/* Network timings, measured at first use when there is more than one node. Collective; the same on
 * all ranks. */
weft_network weft_communicator_network(weft_communicator *communicator);
/* A tag that none of the last 32,000 calls returned. Collective; the same on all ranks. */
int weft_communicator_tag(weft_communicator *communicator);

/* Collective: the ranks with the same leader form one sub-communicator, in rank order. A repeated
 * call with the same leaders reuses the sub-communicator. The caller releases the split before it
 * closes the communicator. Returns NULL on every rank when any rank fails. */
weft_split *weft_communicator_split(weft_communicator *communicator, const int *leader);
/* Drops one reference. Local. A later weft_communicator_split frees the split once no rank uses it;
 * closing the communicator frees it at the latest. */
void weft_split_release(weft_split *split);

#endif
