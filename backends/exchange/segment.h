/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that ranks of one machine share without help of MPI: a file without a name, which nobody
 * finds once they are gone, however they end, and only the same user's processes while they run.
 */
#ifndef WEFT_SEGMENT_H
#define WEFT_SEGMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char *base; /* in this process; NULL: there is none */
    size_t bytes;
} weft_segment;

/* Collective over comm: so many bytes, of zeros; the same number on all ranks. False on all of
 * them, with an error, when any cannot see it. */
bool weft_segment_open(MPI_Comm comm, size_t bytes, weft_segment *segment);
/* Local; also of one that there is not. */
void weft_segment_close(weft_segment *segment);

#endif
