/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ranks of a communicator are on the same node, so that they can share memory. */
#ifndef WEFT_NODE_H
#define WEFT_NODE_H

#include <mpi.h>

/* Collective: for every rank of comm, the lowest rank on its node; to be freed. NULL on every rank
 * when any rank cannot. What MPI pretends to be nodes (MPICH's MPIR_CVAR_NUM_CLIQUES) is taken for
 * them. */
int *weft_node_leaders(MPI_Comm comm);

#endif
