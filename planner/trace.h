/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * WEFT_TRACE=FILE: all ranks write their events to one file in the Trace Event Format, which
 * Perfetto and chrome://tracing open. Each rank is one process in the file; times are in
 * microseconds.
 */
#ifndef WEFT_TRACE_H
#define WEFT_TRACE_H

#include <mpi.h>
#include <stdbool.h>

/* Every plan calls this function; collective. From the first call on, this process records events,
 * and it writes them to the file when MPI_Finalize begins. `file` NULL: no trace is wanted.
 * Returns the same on all ranks; false, after a printed sentence, when no trace can be written. */
bool weft_trace_join(MPI_Comm comm, const char *file);

/* WEFT_REPORT=1: rank 0 prints, when MPI_Finalize begins, which plans it made and how long
 * planning and running took. */

/* The sums for all plans with the same description. */
typedef struct weft_summary weft_summary;

/* Adds a plan on `comm`; NULL: this rank prints no report, or there is no memory. */
weft_summary *weft_summary_enter(MPI_Comm comm, const char *what, double planning_seconds);
void weft_summary_ran(weft_summary *summary, double seconds);

#endif
