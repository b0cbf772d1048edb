/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * User arrays in memory that the ranks of a node share. Each rank allocates its own part, and all
 * ranks see all parts. In a run of a window each rank announces where its array is. The others then
 * read or write the array directly instead of copying data through the window:
 *
 *     window           | part of rank 0   | part of rank 1   |      the notes of the lines:
 *     shared arrays    | array of rank 0  | array of rank 1  |      rank 0: allocation 5, at 64
 *                        ^ rank 1 reads     ^ private: rank 0       rank 1: none
 *                          it here            reads part 1
 */
#ifndef WEFT_SHARED_ARRAY_H
#define WEFT_SHARED_ARRAY_H

#include "backends/memory/window.h"

/* Collective over comm: allocates an array of at least `bytes` bytes; the ranks may pass different
 * sizes. On failure returns NULL on all ranks of the node, with an error. */
void *weft_shared_array_make(MPI_Comm comm, size_t bytes);
/* Local; may be called after MPI_Finalize. Returns false if `array` was not allocated here. The
 * system gets the memory back. A later allocation by the same ranks reuses the window once all of
 * them have freed their arrays. */
bool weft_shared_array_free(void *array);

/* Begins a run and announces this rank's array: for reading, or with `put` for writing. Call it
 * once for each value of `put`. The other ranks know the array after the next barrier. Returns
 * 0 when they cannot use the array: because it is not in one shared allocation, is not
 * aligned as FFTW requires, or is not visible to all ranks of the window. */
int weft_shared_array_announce(void *window, int put, const void *array, size_t bytes);
/* The address, in this process, of the array that a rank has announced; NULL: the rank has
 * announced none that others can use. */
void *weft_shared_array_announced(const void *window, int rank, int put);

#endif
