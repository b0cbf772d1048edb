/* SPDX-License-Identifier: BSD-3-Clause */
/* Finalizers: functions that end Weft's use of MPI. */
#ifndef WEFT_FINALIZE_H
#define WEFT_FINALIZE_H

#include <stdbool.h>

/* A function to call when MPI_Finalize begins or, without MPI_COMM_WORLD, when Weft has closed its
 * last communicator. `over`: MPI can no longer be called (in SimGrid). */
typedef struct weft_finalizer {
    void (*end)(bool over);
    bool set;
    struct weft_finalizer *next;
} weft_finalizer;
/* Sets a function that is to be called once; the function that was set last is called first.
 * Returns false, with an error, when MPI has no memory. */
bool weft_at_finalize(weft_finalizer *it);
/* Calls the functions that were set. */
void weft_finalize(bool over);

#endif
