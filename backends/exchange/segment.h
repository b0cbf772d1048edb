/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that the ranks of one host share: a file without a name, which all of them map. The system
 * removes the file when all ranks have ended, even if they crash. Only processes of the same user
 * can open it.
 *
 * MPI_Win_allocate_shared is not used, because MPICH tests each page of the address space before it
 * makes a window (25 ms for 220 MB, 56,000 system calls), MPI_Win_free is collective, and MPI takes
 * the memory from /dev/shm, which is small in containers.
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
