/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches of messages: what waitall and waitsome have in common. Step i sends to rank + i and
 * receives from rank - i; the messages of a group of steps are all under way at a time, and one
 * group follows the other.
 */
#ifndef WEFT_BATCH_H
#define WEFT_BATCH_H

#include "backends/messages/parcel.h"

/* What waitall/b and waitsome/b take for b when nothing else is said. */
enum { WEFT_BATCH_DEFAULT = 32 };

typedef struct {
    weft_parcels parcels;
    int group;            /* steps under way at a time */
    int steps;            /* ranks - 1 */
    int sends, receives;  /* now under way */
    MPI_Request *request; /* [2 * group]: the receives, and from [group] on the sends */
    int *peer;            /* [group] where each receive comes from */
    int *arrived;         /* [group] for MPI_Waitsome */
    MPI_Status *ignored;  /* MPI_STATUSES_IGNORE, which gcc takes for an array that is too small */
} weft_batch;

/* The `prepare` and `release` of backends: all steps at a time, or `value` of them. */
void *weft_batch_prepare_all(const weft_exchange *exchange, int value, size_t *workspace);
void *weft_batch_prepare_some(const weft_exchange *exchange, int value, size_t *workspace);
void weft_batch_release(void *state);

/* A run's beginning: the first group, and the own piece meanwhile. The `start` of a backend. */
void weft_batch_start(void *state, const void *in, void *out, void *workspace);
/* Waits for the receives that are under way, and unpacks what has come. */
typedef void (*weft_batch_receive)(weft_batch *batch, void *out, void *workspace);
/* The rest of a run: that group, and one after the other those behind it. */
void weft_batch_finish(weft_batch *batch, const void *in, void *out, void *workspace,
                       weft_batch_receive receive);

/* `applicable` and `values` of the grouped backends. */
const char *weft_batch_applicable(const weft_exchange *exchange, int value);
int weft_batch_values(const weft_exchange *exchange, int *value, int most);

#endif
