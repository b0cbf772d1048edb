/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the ranks of a node tell one another that their part of shared memory is written, and that
 * they have read what they wanted. Every rank counts its own steps in a cache line of its own; the
 * others look there. Waiting ranks first spin, then give the core away and let MPI progress, then
 * sleep, so that more ranks than cores do not stall.
 *
 * One run, which all ranks make in the same order: begin, write, post, await whom you read from,
 * read, [write elsewhere, post, await, read ...], done.
 */
#ifndef WEFT_BARRIER_H
#define WEFT_BARRIER_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "backends/memory/lent.h"

/* Two lines: processors fetch them in pairs. */
enum { WEFT_BARRIER_LINE = 128 };

typedef struct {
    _Alignas(WEFT_BARRIER_LINE) atomic_uint posted; /* times this rank has written */
    atomic_uint done;                               /* how many of these it has finished with */
    weft_loan told[2];                              /* what else it says: see weft_window_tell */
} weft_barrier_line;

typedef struct {
    weft_barrier_line *line; /* [ranks], in shared memory; NULL: MPI_Barrier does it all */
    MPI_Comm comm;           /* where line is NULL: to be used for nothing else */
    MPI_Win window;          /* where line is NULL: the memory that is meant; or MPI_WIN_NULL */
    int rank, ranks;
    unsigned posts; /* of this rank, which is how many there are of all when a run is over */
    int spins;
} weft_barrier;

/* Whether lines can be used: atomics that work between processes. */
bool weft_barrier_has_lines(void);
/* Local. All counts start at 0; each rank clears its own line, and all must have before any waits.
 */
void weft_barrier_open(weft_barrier *barrier, weft_barrier_line *line, int rank, int ranks);

/* Waits until all ranks are done with their last run: from here on this rank may write. */
void weft_barrier_begin(weft_barrier *barrier);
/* What this rank has written, by streaming stores too, is there for the others. */
void weft_barrier_post(weft_barrier *barrier);
/* Waits until another rank has posted as often as this one. */
void weft_barrier_await(const weft_barrier *barrier, int rank);
void weft_barrier_await_all(const weft_barrier *barrier);
/* This rank has read what it wanted. */
void weft_barrier_done(weft_barrier *barrier);
/* False where line is NULL. */
bool weft_barrier_tell(weft_barrier *barrier, bool put, weft_loan loan);
weft_loan weft_barrier_told(const weft_barrier *barrier, int rank, bool put);
/* Waits until no rank reads any more, unless another one has yet to post what this one has posted
 * already: then false at once. */
bool weft_barrier_drain(const weft_barrier *barrier);

#endif
