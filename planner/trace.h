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

#endif
