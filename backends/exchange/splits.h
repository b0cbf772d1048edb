/* SPDX-License-Identifier: BSD-3-Clause */
/* The store of splits of one communicator: one for each way of dividing its ranks. */
#ifndef WEFT_SPLITS_H
#define WEFT_SPLITS_H

#include <mpi.h>
#include <stdbool.h>
#include "backends/exchange/communicator.h"

typedef struct {
    weft_split *first;
    int count;
} weft_splits;

/* Collective over `all`. The split in which ranks with the same leader are together, known or new.
 */
weft_split *weft_splits_get(weft_splits *splits, MPI_Comm all, const int *leader);
/* Gives back to MPI what is its; the splits stay, without communicators. */
void weft_splits_shut(weft_splits *splits);
void weft_splits_free(weft_splits *splits);

/* MPI_Comm_split whose failure comes back whatever the error handler says, with an error. */
bool weft_split_quietly(MPI_Comm comm, int color, MPI_Comm *made);

#endif
