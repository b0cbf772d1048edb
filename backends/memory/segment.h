/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that the ranks of one node share: an MPI-3 shared-memory window, with a part for each rank
 * to write into. */
#ifndef WEFT_SEGMENT_H
#define WEFT_SEGMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "backends/memory/barrier.h"

typedef struct {
    MPI_Win window;          /* MPI_WIN_NULL: there is no memory */
    char **part;             /* [ranks] where each rank's part begins, in this process */
    weft_barrier_line *line; /* [ranks] for the barrier */
    size_t bytes;            /* of this rank's part */
    size_t present;          /* how many of these the system has already given */
} weft_segment;

/* Collective over comm, whose ranks are all on one node: parts of at least so many bytes, which may
 * differ. False on every rank when any rank cannot. No memory is used before it is touched. */
bool weft_segment_make(weft_segment *segment, MPI_Comm comm, size_t bytes);
/* Collective over the same ranks; also right for one that is all zeros, or was made only in part.
 */
void weft_segment_free(weft_segment *segment);

/* Local, `rank` being this rank: makes sure that this many bytes of its part are there, near to its
 * core. False, and an error, when the system has no more. */
bool weft_segment_touch(weft_segment *segment, int rank, size_t bytes);
/* Local: gives this rank's part back to the system, contents and all; touch gets it again. */
void weft_segment_give_back(weft_segment *segment, int rank);

#endif
