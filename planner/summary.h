/* SPDX-License-Identifier: BSD-3-Clause */
/* WEFT_REPORT=1: what this process has planned, and what that and running it cost, which rank 0
 * says when MPI_Finalize begins. */
#ifndef WEFT_SUMMARY_H
#define WEFT_SUMMARY_H

/* All plans that are described alike. */
typedef struct weft_summary weft_summary;

/* Enters a plan; NULL: no report is wanted, or there is no memory. */
weft_summary *weft_summary_enter(const char *what, double planning_seconds);
void weft_summary_ran(weft_summary *summary, double seconds);

#endif
