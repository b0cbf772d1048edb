/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parcels: pieces made ready to travel. What the backends that send messages have in common.
 *
 * A contiguous piece travels straight from or into the user's array; any other is packed into the
 * workspace, or unpacked from it. In place, what arrives may lie where something not yet sent
 * lies, so everything that is sent leaves the array first, through the workspace.
 */
#ifndef WEFT_PARCEL_H
#define WEFT_PARCEL_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "backends/weft-backend.h"

enum { WEFT_PARCEL_ALIGN = 64 };

/* What is to be made of parcels, besides the own piece. */
enum {
    WEFT_PARCEL_SEND = 1,
    WEFT_PARCEL_RECEIVE = 2,
    WEFT_PARCEL_BOTH = 3,
    /* Either all that is sent is copied or nothing is, and so for what is received: there is one
       buffer for each. */
    WEFT_PARCEL_TOGETHER = 4
};

typedef struct {
    ptrdiff_t bytes; /* 0: nothing travels */
    ptrdiff_t place; /* where it begins, in bytes: in the workspace when it is copied, else in the
                        array */
    weft_copy *copy; /* packs or unpacks it; NULL: it travels straight from or into the array */
    int count;       /* what MPI is told: so many of `type` */
    MPI_Datatype type;
} weft_parcel;

typedef struct {
    const weft_exchange *exchange;
    weft_parcel *send;    /* [ranks], the own one empty: it does not travel */
    weft_parcel *receive; /* [ranks], likewise */
    weft_copy *own;       /* the own piece straight to its place, or */
    weft_copy *own_pack;  /* through the workspace, where the two may overlap */
    weft_copy *own_unpack;
    ptrdiff_t own_place;
} weft_parcels;

/*
 * Local. False and an error without memory; release is right then, too. The places of what is
 * copied are set by the backend: by hand, or by one of the two functions after it.
 */
bool weft_parcels_prepare(weft_parcels *parcels, const weft_exchange *exchange, unsigned flags);
void weft_parcels_release(weft_parcels *parcels);

/* Rounded up to where the next thing in the workspace may lie. */
ptrdiff_t weft_aligned(ptrdiff_t bytes);
/* In place, what is sent gets its places from `begin` on; returns where they end. Otherwise returns
 * `begin`. */
ptrdiff_t weft_parcels_place_staged(weft_parcels *parcels, ptrdiff_t begin);
/*
 * Places for an exchange that goes in steps, step i sending to rank + i and receiving from rank -
 * i, and in which `group` steps are under way at a time: groups use the same memory. Returns the
 * bytes needed.
 */
ptrdiff_t weft_parcels_place_groups(weft_parcels *parcels, int group);
/* The partners of a step. */
int weft_step_to(const weft_exchange *exchange, int step);
int weft_step_from(const weft_exchange *exchange, int step);

/* Every run begins with this: in place, everything leaves the array, and the own piece goes to its
 * place. */
void weft_parcels_begin(const weft_parcels *parcels, const void *in, void *out, void *workspace);
/* The own piece, when not in place: at any time during a run. */
void weft_parcels_own(const weft_parcels *parcels, const void *in, void *out);
/* Where that which goes to `peer` lies, now packed. */
const void *weft_parcel_from(const weft_parcels *parcels, int peer, const void *in,
                             void *workspace);
/* Where that which comes from `peer` is received. */
void *weft_parcel_to(const weft_parcels *parcels, int peer, void *out, void *workspace);
/* It has arrived: unpacks it. */
void weft_parcel_arrived(const weft_parcels *parcels, int peer, void *out, const void *workspace);

/* What MPI is told about so many bytes: bytes, or one derived type where int does not hold them. */
bool weft_message_type(const weft_services *services, ptrdiff_t bytes, int *count,
                       MPI_Datatype *type);
void weft_message_type_free(MPI_Datatype *type);

/* The `applicable` of a backend that can always be used, whatever the value. */
const char *weft_applicable_always(const weft_exchange *exchange, int value);
/* The `finish` of one that does everything in `start`. */
void weft_finish_nothing(void *state, const void *in, void *out, void *workspace);

#endif
