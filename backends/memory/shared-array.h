/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for arrays of users that the ranks of a node share: each allocates its own part, all of
 * them see all parts. In a run of a window each rank says where its array is, and the others read
 * or write there what would else have been copied to the window, or from it:
 *
 *     window           | part of rank 0   | part of rank 1   |      the notes of the lines:
 *     shared arrays    | array of rank 0  | array of rank 1  |      rank 0: allocation 5, at 64
 *                        ^ rank 1 reads     ^ private: rank 0       rank 1: none
 *                          it here            reads part 1
 */
#ifndef WEFT_SHARED_ARRAY_H
#define WEFT_SHARED_ARRAY_H

#include "backends/memory/window.h"

/* Collective over comm: memory of at least so many bytes, which may differ. NULL on all ranks of a
 * node that cannot, with an error. What lies there is lost when MPI is finalized. */
void *weft_shared_array_make(MPI_Comm comm, size_t bytes);
/* Local, also after MPI_Finalize. False: it is no such memory. It goes back to the system; a later
 * allocation of the same ranks takes the place over once all have given up theirs. */
bool weft_shared_array_free(void *array);

/* Begins a run and, once for each `put`, says where this rank's array is: to be read or, with
 * `put`, written to. The others know with the next barrier. False: they cannot use it, because it
 * does not lie in one such memory, aligned as FFTW would, or they do not all see that. */
bool weft_shared_array_announce(weft_window *window, bool put, const void *array, size_t bytes);
/* Where that array of a rank is in this process; NULL: the rank has none that can be used. */
void *weft_shared_array_announced(const weft_window *window, int rank, bool put);

#endif
