/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes: by which messages each piece travels when all of them go along the digits of their
 * distance (bruck.c), and where they lie in between.
 */
#ifndef WEFT_ROUTE_H
#define WEFT_ROUTE_H

#include "backends/messages/parcel.h"

/* Instead of a place in the workspace: no message has brought it, its way begins at this rank. */
enum { WEFT_BEGINS_HERE = -1 };

/* A piece on a message of this rank: one leaves with it, and another that travels as far comes. */
typedef struct {
    int distance; /* how far they travel in all */
    ptrdiff_t
        held; /* where in the workspace an earlier message left the one, or WEFT_BEGINS_HERE */
    ptrdiff_t out_bytes; /* how large they are */
    ptrdiff_t in_bytes;
} weft_passenger;

/* One direction of a message: where it lies in the workspace, if anywhere, and what MPI is told. */
typedef struct {
    int peer;
    ptrdiff_t place, bytes;
    int count;
    MPI_Datatype type;
} weft_transport;

typedef struct {
    weft_transport out, in;
    weft_passenger *passenger; /* by distance */
    int passengers;
    int arriving; /* the first so many are at their end after this message, the others travel on */
} weft_message;

/* What is known of the piece of each distance that is at this rank, while the route is followed. */
typedef struct {
    MPI_Aint bytes;
    ptrdiff_t held;
} weft_whereabouts;

typedef struct {
    weft_parcels parcels; /* placed where they are packed into their first message, or lie after
                             their last */
    weft_message *message;
    int messages, stages;
    int stage[8 * sizeof(int) + 1]; /* the first message of each, and the end */
    weft_passenger *passenger;      /* of all messages */
    weft_whereabouts *piece;        /* for weft_route_follow, as is `size` */
    MPI_Aint *size;
} weft_route;

/* Local: lists the messages. False and an error without memory; release is right then, too. */
bool weft_route_list(weft_route *route, const weft_exchange *exchange, int radix);
/* Collective, after a list on all ranks: sizes, places and what MPI is told. Says how many bytes of
 * workspace a run needs. False and an error when this rank has no memory. */
bool weft_route_follow(weft_route *route, size_t *workspace);
void weft_route_release(weft_route *route);

#endif
