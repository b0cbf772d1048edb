/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that the ranks of one machine share without MPI: an unnamed file. The system removes the
 * file when all ranks have ended, even if they crash. While they run, only processes of the same
 * user can open it.
 */
#ifndef WEFT_SEGMENT_H
#define WEFT_SEGMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char *base; /* address in this process; NULL: no segment */
    size_t bytes;
} weft_segment;

/* Collective over comm: maps `bytes` bytes of zeroed shared memory; all ranks pass the same number.
 * Returns false on every rank, with an error, when any rank cannot map the memory. */
bool weft_segment_open(MPI_Comm comm, size_t bytes, weft_segment *segment);
/* Unmaps the segment; does nothing if there is none. Local. */
void weft_segment_close(weft_segment *segment);

#endif
