/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI's vector collectives: what alltoallw, alltoallv, ialltoallw and ialltoallv have in common.
 * Made ready once, then called, or started and waited for.
 */
#ifndef WEFT_COLLECTIVE_H
#define WEFT_COLLECTIVE_H

#include "backends/messages/parcel.h"
#include "backends/messages/side.h"

/* Which call it is; the same on all ranks, who agree on it in prepare. */
typedef enum {
    WEFT_CALL_EVEN,  /* MPI_Alltoall: all pieces of all ranks are equal and lie evenly */
    WEFT_CALL_BYTES, /* MPI_Alltoallv of bytes */
    WEFT_CALL_LARGE, /* the same with MPI-4's large counts */
    WEFT_CALL_TYPES  /* MPI_Alltoallw: each piece a datatype of its own */
} weft_call;

typedef struct {
    weft_parcels parcels;
    weft_side send, receive;
    weft_call call;
    int even;       /* bytes of every piece, for MPI_Alltoall */
    bool own_moved; /* the collective itself moves the own piece */
    bool bound;     /* the request is made once, for these arrays, and started at every run */
    MPI_Request request;
    char nothing[2]; /* two addresses for sides that are empty, and so may have no array */
} weft_collective;

/*
 * Collective; NULL on every rank when it fails on any. `blocking`: for weft_collective_run;
 * otherwise the call is bound to the arrays when they are fixed on all ranks and this MPI can do
 * that. `packed`: through the workspace as far as pieces are not contiguous; `walked`: datatypes
 * that walk the arrays themselves.
 */
weft_collective *weft_collective_packed(const weft_exchange *exchange, bool blocking,
                                        size_t *workspace);
weft_collective *weft_collective_walked(const weft_exchange *exchange, bool blocking,
                                        size_t *workspace);
void weft_collective_release(void *state);

/* The `start` of a blocking backend: all of a run. */
void weft_collective_run(void *state, const void *in, void *out, void *workspace);
/* The `start` and `finish` of one that is not. */
void weft_collective_start(void *state, const void *in, void *out, void *workspace);
void weft_collective_finish(void *state, const void *in, void *out, void *workspace);

#endif
