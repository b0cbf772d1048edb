/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: shared memory through which a group of processes on one node exchanges data. All plans
 * of the same processes in the same order share one window, also for different communicators. Other
 * groups have other windows, so that plans on overlapping communicators do not disturb each other.
 * A run lasts from begin to done. Runs of a window do not overlap, and the contents do not survive
 * from one run to the next.
 *
 * Where threads may run plans at once (MPI_THREAD_MULTIPLE), each communicator has its own window,
 * and all windows of a group share additional common memory. A run uses the common memory, unless a
 * run of another window uses it at that moment; then the run uses the memory of this window
 * (barrier.h). Memory that no run has used takes addresses, but no pages.
 *
 * The window of two ranks, which both see; every box begins on its own page:
 *
 *     on rank 0                                        on rank 1
 *     +------------------------+---------------------+ +---------------------+
 *     | line 0: published done | part of rank 0:     | | part of rank 1:     |
 *     |         note           | region A | region B | | region A | region B |
 *     | line 1: ...            |                     | |                     |
 *     +------------------------+---------------------+ +---------------------+
 *     counters of the barrier    a schedule gives each of its exchanges a region
 */
#ifndef WEFT_WINDOW_H
#define WEFT_WINDOW_H

#include <stddef.h>
#include "backends/memory/storage.h"

/* Only window.c changes a window, except by the functions of its barrier. */
typedef struct weft_window {
    MPI_Group group; /* MPI_GROUP_NULL: Weft's use of MPI has ended; closing the window frees it */
    int rank, ranks;
    int references; /* number of this rank's plans that use the window */
    unsigned owner; /* which communicators may use the window: window.c */
    MPI_Comm comm;  /* with owner ONE_COMM: the communicator, while the window has references */
    weft_storage storage;
    weft_barrier barrier; /* valid only until the next weft_window_open */
    /* The largest size of this rank's part that the window's users have asked for. */
    size_t wanted;
    /* With owner ONE_COMM: the window whose memory runs use when that is free; or NULL. */
    struct weft_window *common;
    bool in_common; /* the run under way uses the common memory */
    uint64_t run;   /* number of the run under way */
    /* In a window of common memory: the last run there that this rank has ended. */
    _Atomic uint64_t ended;
    /* The next run in the window's own memory, and in the common memory, touches its pages first;
     * the same on all ranks. */
    bool fresh[2];
    /* With owner CALLER: this rank's part, while the window has references, also after
     * MPI_Finalize. */
    char *array;
    /* Of a window with an array, for reading and for writing: the last window that was looked up,
     * if all its ranks see the array. */
    const struct weft_window *seen_in[2];
    uint64_t number;           /* no other window of any of these ranks has this number */
    struct weft_window *after; /* the window of this process with the next larger number */
} weft_window;

/* Some functions take or return a window as `void *`, because the backend `shared` has them in its
 * table of memory functions. */

/* Collective over comm, whose ranks are on one node. Returns the window of its ranks, in which this
 * rank's part has at least `bytes` bytes; the ranks may pass different sizes. The first run touches
 * the pages. Returns NULL on every rank, with an error, when any rank has no shared memory. */
void *weft_window_open(MPI_Comm comm, size_t bytes);
/* Whether weft_window_open touches the pages at once, for windows that this thread opens from now
 * on. With true, weft_window_open fails on all ranks where the system has too little memory. Used
 * for plans that are timed. */
void weft_window_touch_at_once(bool at_once);
/* As weft_window_open, but touches the pages at once, and no other call finds the window before it
 * is closed. So other runs may begin while a run of this window is under way. */
weft_window *weft_window_open_exclusive(MPI_Comm comm, size_t bytes);
/* The same, but closing the window returns its memory to the system at once. */
weft_window *weft_window_open_private(MPI_Comm comm, size_t bytes);
/* Local; may be called after MPI_Finalize. The window stays for later plans. Its memory stays, too,
 * while the machine has enough. */
void weft_window_close(void *window);
/* Local: returns the memory of closed windows to the system. The windows themselves stay until
 * Weft's use of MPI ends. */
void weft_window_cleanup(void);
/* For tests: limits how much memory closed windows keep. */
void weft_window_keep_at_most(size_t bytes);

/* Begins a run: waits until all ranks are done with the last one. The first run of a window ends
 * the program, with an error message, when the system has no memory left for this rank's part. */
void weft_window_begin(void *window);
/* Ends the run on this rank: the rank reads no more. Does not wait. */
void weft_window_done(void *window);
/* The address, in this process, of the part of a rank of comm. Valid during a run, or while no
 * other plan runs, and only until the next weft_window_open; do not keep the address from one run
 * to the next. */
void *weft_window_part(const void *window, int rank);
/* The window of this process with a number. */
weft_window *weft_window_with_number(uint64_t number);
/* The open private window whose part on this rank contains all these bytes; NULL: there is none.
 * With `user`, all ranks of that window must see the window that is returned. `put` is one of two
 * uses of the array. */
weft_window *weft_window_of_array(const void *array, size_t bytes, const weft_window *user,
                                  bool put);

#endif
