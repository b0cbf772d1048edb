/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barrier of the ranks of a node. With it a rank announces that it has written its part of the
 * shared memory, and that it has read the parts of others. Every rank counts its own steps in its
 * own cache line; the other ranks poll that line. Waiting ranks first spin, then yield the core and
 * let MPI progress, then sleep, so that runs with more ranks than cores do not stall.
 *
 * All ranks make all runs in the same order. One run: begin, write, publish, read, [write
 * elsewhere, publish, read ...], done.
 */
#ifndef WEFT_BARRIER_H
#define WEFT_BARRIER_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Two cache lines of 64 bytes, because processors prefetch cache lines in pairs. */
enum { WEFT_BARRIER_LINE = 128 };

typedef struct {
    _Alignas(WEFT_BARRIER_LINE) atomic_uint published; /* how often this rank has published */
    /* The value of `published` up to which this rank has finished reading. */
    atomic_uint done;
    /* Further data of this rank for the run; other ranks may read the data after this rank has
     * published. */
    uint64_t note[6];
} weft_barrier_line;

typedef struct {
    weft_barrier_line *line; /* [ranks], in shared memory; NULL: use MPI_Barrier instead */
    MPI_Comm comm;           /* only where line is NULL: a communicator for this barrier alone */
    int rank, ranks;
    /* How often this rank has published; equal on all ranks after each run. */
    unsigned count;
    int spins;
} weft_barrier;

/* Local. Sets all counts of this rank to 0. All ranks must have called this function before any
 * rank waits. The barrier does not use the lines where atomics do not work between processes, or
 * where ranks are threads that run only while others wait in MPI. */
void weft_barrier_open(weft_barrier *barrier, weft_barrier_line *line, int rank, int ranks);

/* Waits until all ranks are done with their last run. After that this rank may write. */
void weft_barrier_begin(weft_barrier *barrier);
/* Makes what this rank has written visible to the other ranks, streaming stores included. Waits
 * until all ranks have published equally often. */
void weft_barrier_publish(weft_barrier *barrier);
/* This rank has finished reading. Does not wait. */
void weft_barrier_done(weft_barrier *barrier);
/* Waits until no rank reads any more, and returns true. Returns false at once where another rank
 * has published less often than this rank, and after about a second where a rank still reads: the
 * caller has a lock, for which another thread may wait that other ranks wait for. */
bool weft_barrier_drain(const weft_barrier *barrier);

/*
 * Claims: which run may use the common memory. Where threads run plans at once, the windows of a
 * group share common memory, which one run at a time may use. A run that finds the common memory in
 * use takes the memory of this window instead. Threads may begin runs in a different order on
 * every rank, so the first rank that begins a run decides for all ranks, by a word in shared
 * memory.
 *
 *     common memory    holder: the run that uses it; 0: none
 *     own memory       chosen: the last run of this window, and which memory it uses
 *                      left: number of ranks that have yet to leave the common memory
 *
 * A run is identified by a unique even number. Cost: one read of a cache line; two atomic exchanges
 * on the first rank; one atomic subtraction on each rank at the end.
 */

/* Is in shared memory; must be all zeros at first. */
typedef struct {
    _Alignas(WEFT_BARRIER_LINE) _Atomic uint64_t holder;
    _Alignas(WEFT_BARRIER_LINE) _Atomic uint64_t
        chosen; /* the run's number, plus 1 if the run uses the common memory */
    atomic_int left;
} weft_claim;

/* Whether a run of all ranks of the barrier uses the common memory: the same answer on all ranks.
 * `ended` is the last run in the common memory that this rank has ended. */
bool weft_claim_begin(weft_claim *own, weft_claim *common, uint64_t run,
                      const _Atomic uint64_t *ended, const weft_barrier *barrier);
/* Ends the use of the common memory by this rank's run. */
void weft_claim_end(weft_claim *own, weft_claim *common, uint64_t run, _Atomic uint64_t *ended);

#endif
