/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: memory through which the ranks of a process group on one node exchange data. All plans
 * of the same processes in the same order share one, however many communicators they have; other
 * groups have others, so that plans on overlapping communicators do not disturb each other. A
 * window holds nothing from one run to the next, and nothing while another plan of the same group
 * runs: a run is not interrupted by another one.
 *
 * A run, which all ranks of the group make in the same order: begin; write into the own part;
 * publish; read the parts of others; [write what nobody has read in this run, publish, read;] done.
 */
#ifndef WEFT_WINDOW_H
#define WEFT_WINDOW_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "backends/memory/lent.h"

typedef struct weft_window weft_window;

/* Collective over comm: the window of its ranks, this rank's part having room for so many bytes
 * (other ranks may ask for more or less). NULL on every rank, and an error, when they are not on
 * one node, or when any rank has no shared memory. */
weft_window *weft_window_open(MPI_Comm comm, size_t bytes);
/* The same, but a window that no other call finds; or `old`, one of those that all ranks have
 * closed, which they open again. */
weft_window *weft_window_open_alone(MPI_Comm comm, size_t bytes, weft_window *old);
/* Local; also right after MPI_Finalize. The last one gives the memory back, but not the window
 * itself, which is there for the next plan. */
void weft_window_close(weft_window *window);
/* Local: gives back what memory closed windows still hold. Windows are freed by MPI_Finalize. */
void weft_window_cleanup(void);

/* The part of a rank of comm, on a page of its own; in this process, and only until the next
 * weft_window_open: not to be kept between runs. */
void *weft_window_part(const weft_window *window, int rank);
/* Its ranks, in order; not to be freed. */
MPI_Group weft_window_group(const weft_window *window);

/* Waits until no rank reads what is left of the last run. */
void weft_window_begin(weft_window *window);
/* Waits until all ranks have written what they publish with it; streaming stores need no fence
 * before it. */
void weft_window_publish(weft_window *window);
/* The two halves of it, where not all ranks are needed, or something can be done in between: this
 * rank has written; that one has, too. */
void weft_window_post(weft_window *window);
void weft_window_await(const weft_window *window, int rank);
/* This rank has finished reading. Does not wait. */
void weft_window_done(weft_window *window);

/* After begin, once in a run: where the others find this rank's array, to read it or, with `put`,
 * to write to it. They know with a later post, of this window or any other that they await. False:
 * they cannot be told. */
bool weft_window_tell(weft_window *window, bool put, weft_loan loan);
/* What a rank has told; number 0 when it could not. */
weft_loan weft_window_told(const weft_window *window, int rank, bool put);

#endif
