/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of a window: one part for each rank of a node, which the rank alone writes and all
 * ranks may read, and the lines of their barrier before the part of rank 0. Calls are collective
 * unless their comment says otherwise.
 */
#ifndef WEFT_STORAGE_H
#define WEFT_STORAGE_H

#include <stddef.h>
#include "backends/exchange/segment.h"
#include "backends/memory/barrier.h"

typedef struct {
    weft_segment segment;
    char **part;             /* [ranks] addresses of the parts in this process */
    weft_barrier_line *line; /* [ranks] for the barrier */
    weft_claim *claim;       /* follows the lines */
    size_t bytes;            /* of this rank's part */
    _Atomic size_t present;  /* number of these bytes that have physical pages */
} weft_storage;

/* Whether the host has enough memory for the sizes that the ranks pass. Sets an error where not. */
bool weft_storage_has_memory(MPI_Comm comm, size_t bytes);

/* Makes a storage in which this rank's part has at least `bytes` bytes. No page is used before it
 * is touched. Rank 0 clears the claim; the other ranks can rely on that after their next agreement.
 */
bool weft_storage_make(weft_storage *it, MPI_Comm comm, size_t bytes);
/* Accepts a storage that is all zeros or incomplete. */
void weft_storage_free(weft_storage *it);

/* Local: makes sure that the first `bytes` bytes of this rank's part have physical pages. `in_use`:
 * other ranks may be writing there, so pages are made only if the system can do so without changing
 * contents. */
bool weft_storage_touch(weft_storage *it, int rank, size_t bytes, bool in_use);
/* Local: returns the pages of this rank's part to the system, which destroys the contents.
 * weft_storage_touch makes new pages. */
void weft_storage_release_pages(weft_storage *it, int rank);

#endif
