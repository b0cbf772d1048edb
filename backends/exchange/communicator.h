/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The communicators Weft's messages travel on. MPI libraries have few of them (MPICH about 2,000),
 * plans may be many: so there is one duplicate for each communicator of the user, under which all
 * plans share the splits of it, and a tag tells exchanges apart that are under way at the same
 * time.
 */
#ifndef WEFT_COMMUNICATOR_H
#define WEFT_COMMUNICATOR_H

#include <mpi.h>
#include <stdbool.h>
#include "backends/exchange/nodes.h"

typedef struct weft_communicator weft_communicator;
typedef struct weft_split weft_split;

/* Collective: the duplicate of a user's communicator, made at first use; to be closed. NULL on
 * every rank when any rank cannot. Intercommunicators and MPI_COMM_NULL are refused. */
weft_communicator *weft_communicator_open(MPI_Comm user);
/* Local: whether there is one already. */
bool weft_communicator_is_open(MPI_Comm user);
/* Local. Frees nothing before both the plans and the user have given up theirs. */
void weft_communicator_close(weft_communicator *communicator);

/* Whether threads may call MPI, and so run plans, at once: then whatever holds state while a plan
 * runs is the plan's own. The same on all ranks, as programs are. */
bool weft_threads_at_once(void);

/* All of its ranks. MPI_COMM_NULL once MPI has been finalized. */
MPI_Comm weft_communicator_all(const weft_communicator *communicator);
/* For every rank, the lowest rank on its node. */
const int *weft_communicator_nodes(const weft_communicator *communicator);
/* The most ranks, and the most cores, that a node has. */
void weft_communicator_most(const weft_communicator *communicator, int *ranks, int *cores);
/* Collective, and the same on all ranks: measured at first use, where there is more than one node.
 */
weft_network weft_communicator_network(weft_communicator *communicator);
/* Collective, and the same on all ranks: a tag that the last 32,000 calls have not given. */
int weft_communicator_tag(weft_communicator *communicator);

/* Collective: the ranks with the same leader become one communicator, in order. The same division
 * is made only once. To be released before the communicator is closed. NULL on every rank when any
 * rank cannot. */
weft_split *weft_communicator_split(weft_communicator *communicator, const int *leader);
MPI_Comm weft_split_comm(const weft_split *split);
/* Local. It is freed by a later weft_communicator_split, once all ranks have released it, or with
 * the communicator. */
void weft_split_release(weft_split *split);

#endif
