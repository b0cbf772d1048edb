/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the ranks of a node tell one another that their part of shared memory is written, and that
 * they have read what they wanted. Every rank counts its own steps in a cache line of its own; the
 * others look there. Waiting ranks first spin, then give the core away and let MPI progress, then
 * sleep, so that more ranks than cores do not stall.
 *
 * One run, which all ranks make in the same order: begin, write, publish, read, [write elsewhere,
 * publish, read ...], done.
 */
#ifndef WEFT_BARRIER_H
#define WEFT_BARRIER_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Two lines: processors fetch them in pairs. */
enum { WEFT_BARRIER_LINE = 128 };

typedef struct {
    _Alignas(WEFT_BARRIER_LINE) atomic_uint published; /* times this rank has written */
    atomic_uint done;                                  /* how many of these it has finished with */
    uint64_t note[6]; /* what else it says in a run; to be read once it has published */
} weft_barrier_line;

typedef struct {
    weft_barrier_line *line; /* [ranks], in shared memory; NULL: MPI_Barrier does it all */
    MPI_Comm comm;           /* where line is NULL: to be used for nothing else */
    MPI_Win window;          /* where line is NULL: the memory that is meant; or MPI_WIN_NULL */
    int rank, ranks;
    unsigned count; /* what this rank has published, and when a run is over all ranks have */
    int spins;
} weft_barrier;

/* Local. All counts start at 0; each rank clears its own line, and all must have before any waits.
 * Without atomics that work between processes, or where ranks run only while others wait in MPI,
 * lines are not used. */
void weft_barrier_open(weft_barrier *barrier, weft_barrier_line *line, int rank, int ranks);

/* Waits until all ranks are done with their last run: from here on this rank may write. */
void weft_barrier_begin(weft_barrier *barrier);
/* What this rank has written, by streaming stores too, is there for the others; waits until all
 * ranks have published as often. */
void weft_barrier_publish(weft_barrier *barrier);
/* This rank has read what it wanted. Does not wait. */
void weft_barrier_done(weft_barrier *barrier);
/* A turn of waiting, from 0: spins, then gives the core away, then sleeps. The next turn. */
int weft_barrier_pause(const weft_barrier *barrier, int turn);
/* Waits until no rank reads any more, unless another one has yet to publish what this one has
 * published already: then false at once. */
bool weft_barrier_drain(const weft_barrier *barrier);

#endif
