/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: memory through which the ranks of a process group on one node exchange data. All plans
 * of the same processes in the same order share one, however many communicators they have; other
 * groups have others, so that plans on overlapping communicators do not disturb each other. A run
 * is what lies between begin and done; a window holds nothing from one run to the next, and a run
 * is not interrupted by another one.
 *
 * Where threads may run plans at once (MPI_THREAD_MULTIPLE), each communicator has a window, and
 * all those of a group have memory in common besides: a run takes that, unless a run of another
 * window is in it just then; then it takes the window's own (claim.h). Memory that no run has used
 * takes addresses, and no pages.
 *
 * The window of two ranks, which both see; every box begins on a page of its own:
 *
 *     with rank 0                                      with rank 1
 *     +------------------------+---------------------+ +---------------------+
 *     | line 0: published done | part of rank 0:     | | part of rank 1:     |
 *     |         note           | region A | region B | | region A | region B |
 *     | line 1: ...            |                     | |                     |
 *     +------------------------+---------------------+ +---------------------+
 *     what the barrier counts    a schedule gives each of its exchanges a region
 */
#ifndef WEFT_WINDOW_H
#define WEFT_WINDOW_H

#include <stddef.h>
#include "backends/memory/barrier.h"

typedef struct weft_window weft_window;

/* Collective over comm: the window of its ranks, this rank's part having room for so many bytes
 * (other ranks may ask for more or less); the first run touches them. NULL on every rank, and an
 * error, when they are not on one node, or when any rank has no shared memory. */
weft_window *weft_window_open(MPI_Comm comm, size_t bytes);
/* Whether what this thread opens so from now on is touched at once, so that none opens on all ranks
 * where the system has too little memory; for plans that are timed. */
void weft_window_touch_at_once(bool at_once);
/* The same, at once touched, but a window that no other call finds before it is closed, so that
 * runs of others may begin while one of it is under way. */
weft_window *weft_window_open_apart(MPI_Comm comm, size_t bytes);
/* The same, at once touched, but a window that no other call finds; or `old`, one of those that all
 * ranks have closed, which they open again. */
weft_window *weft_window_open_alone(MPI_Comm comm, size_t bytes, weft_window *old);
/* Local; also right after MPI_Finalize. The window stays for the next plan, and so does its memory,
 * while the machine has enough of it. */
void weft_window_close(weft_window *window);
/* Local: gives back what memory closed windows still hold. Windows are freed by MPI_Finalize. */
void weft_window_cleanup(void);
/* For tests: so much memory of closed windows stays. */
void weft_window_keep_at_most(size_t bytes);

/* A run begins: waits until all ranks are done with the last one. The first run of a window ends
 * the program, with a sentence, when the system has no memory for this rank's part any more. */
void weft_window_begin(weft_window *window);
/* This rank has read what it wanted. Does not wait. */
void weft_window_done(weft_window *window);
/* The part of a rank of comm, in this process, while a run lasts or nobody else runs, and only
 * until the next weft_window_open: not to be kept between runs. */
void *weft_window_part(const weft_window *window, int rank);
/* Its ranks, in order; not to be freed. */
MPI_Group weft_window_group(const weft_window *window);
/* By which they write and read in turn; also only until the next weft_window_open. */
weft_barrier *weft_window_barrier(weft_window *window);

#endif
