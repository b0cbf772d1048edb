/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a window's memory is made of: a part for each rank of a node, which it alone writes and all
 * may read, and the lines of their barrier. It is MPI's, or, where MPI sees each rank alone, of our
 * own. Calls are collective unless they say otherwise.
 */
#ifndef WEFT_STORAGE_H
#define WEFT_STORAGE_H

#include <stddef.h>
#include "backends/exchange/segment.h"
#include "backends/memory/claim.h"

typedef struct {
    MPI_Win window; /* MPI_WIN_NULL: not MPI's */
    weft_segment segment;
    char **part;             /* [ranks] where each rank's part begins, in this process */
    weft_barrier_line *line; /* [ranks] for the barrier */
    weft_claim *claim;       /* behind them */
    size_t bytes;            /* of this rank's part */
    _Atomic size_t present;  /* how many of these the system has already given */
} weft_storage;

/* Whether the system and every process have room for what the ranks want of MPI; an error where
 * not. */
bool weft_storage_has_room(MPI_Comm comm, size_t bytes);

/* Parts of at least so many bytes, none of which is used before it is touched; `own`: not MPI's.
 * The rank that has the lines clears the claim; all know when they have agreed on anything. */
bool weft_storage_make(weft_storage *it, MPI_Comm comm, size_t bytes, bool own);
/* Also right for one that is all zeros, or was made only in part. */
void weft_storage_free(weft_storage *it);

/* Local: makes sure that this many bytes of this rank's part are there. Where others may be writing
 * there, `in_use`, that is done, or looked at, as far as the system can do so without writing. */
bool weft_storage_touch(weft_storage *it, int rank, size_t bytes, bool in_use);
/* Local: this rank's part, contents and all, goes back to the system; touching gets it again. */
void weft_storage_give_back(weft_storage *it, int rank);

#endif
