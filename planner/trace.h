/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * WEFT_TRACE=FILE: what all ranks do, in one file of the Trace Event Format, which Perfetto and
 * chrome://tracing open: a process a rank, events with their times in microseconds.
 */
#ifndef WEFT_TRACE_H
#define WEFT_TRACE_H

#include <mpi.h>
#include <stdbool.h>

/* Collective, at every plan: from the first one on this process has a trace, which it writes when
 * MPI_Finalize begins. NULL: there is to be none. False, after a sentence, where it cannot be; the
 * same on all ranks. */
bool weft_trace_join(MPI_Comm comm, const char *file);

/* WEFT_REPORT=1: what this process has planned, and what planning and running cost, which rank 0
 * says when MPI_Finalize begins (summary.c). */

/* All plans that are described alike. */
typedef struct weft_summary weft_summary;

/* Enters a plan; NULL: no report is wanted, or there is no memory. */
weft_summary *weft_summary_enter(const char *what, double planning_seconds);
void weft_summary_ran(weft_summary *summary, double seconds);

#endif
