/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message pieces: pieces made ready to travel. What the backends that send messages have in common.
 *
 *     in          .ab..cd..ef.                    ..abc..def..    out of the peer
 *                     | pack                         | unpack
 *     workspace     abcdef   ---- message ---->   abcdef          workspace of the peer
 *
 * A contiguous piece needs no workspace: it is sent from, or received, where it lies. In place,
 * what arrives may lie where something not yet sent lies, so everything that is sent leaves the
 * array first, through the workspace.
 */
#ifndef WEFT_MESSAGE_PIECES_H
#define WEFT_MESSAGE_PIECES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "backends/weft-backend.h"

/* Which pieces become messages; the own piece is made ready always. */
enum {
    WEFT_PIECES_SENT = 1,
    WEFT_PIECES_RECEIVED = 2,
    WEFT_PIECES_BOTH = 3,
    /* There is one buffer for all that is sent, and one for all that is received: if one piece of
     * them is packed, all are. */
    WEFT_PIECES_TOGETHER = 4,
    /* All are packed, and unpacked. */
    WEFT_PIECES_COPIED = 8
};

typedef struct {
    ptrdiff_t bytes; /* 0: nothing travels */
    ptrdiff_t begin; /* its first byte in the array */
    ptrdiff_t place; /* in the workspace, when it is copied */
    weft_copy *copy; /* packs or unpacks it; NULL: it travels straight from or into the array. The
                        same as that of the piece before which has one, where both are alike */
} weft_message_piece;

typedef struct {
    const weft_exchange *exchange;
    weft_message_piece *send;    /* [ranks], the own one empty: it does not travel */
    weft_message_piece *receive; /* [ranks], likewise */
    MPI_Datatype *type[2];       /* [ranks], of what is sent and received; NULL: all are bytes */
    weft_copy *own;              /* the own piece straight to its place, or */
    weft_copy *own_pack;         /* through the workspace, where the two may overlap */
    weft_copy *own_unpack;
    ptrdiff_t own_place;
} weft_message_pieces;

/* A message of several pieces, which lie in the workspace. */
typedef struct {
    int peer;
    ptrdiff_t place, bytes;
    int count; /* what MPI is told: so many of `type` */
    MPI_Datatype type;
} weft_message;

/*
 * Local. False and an error without memory; release is right then, too. The places of what is
 * copied are set by the backend: by hand, or by one of the two functions after it.
 */
bool weft_message_pieces_prepare(weft_message_pieces *pieces, const weft_exchange *exchange,
                                 unsigned flags);
void weft_message_pieces_release(weft_message_pieces *pieces);

/* Rounded up to where the next thing in the workspace may lie. */
ptrdiff_t weft_aligned(ptrdiff_t bytes);
/* In place, what is sent gets its places from `begin` on; returns where they end. Otherwise returns
 * `begin`. */
ptrdiff_t weft_message_pieces_place_staged(weft_message_pieces *pieces, ptrdiff_t begin);
/*
 * Places for an exchange that goes in steps, step i sending to rank + i and receiving from rank -
 * i, and in which `group` steps are under way at a time: groups use the same memory. Returns the
 * bytes needed.
 */
ptrdiff_t weft_message_pieces_place_groups(weft_message_pieces *pieces, int group);
/* The partners of a step. */
int weft_step_to(const weft_exchange *exchange, int step);
int weft_step_from(const weft_exchange *exchange, int step);

/* Every run begins with this: in place, everything leaves the array, and the own piece goes to its
 * place. */
void weft_message_pieces_begin(const weft_message_pieces *pieces, const void *in, void *out,
                               void *workspace);
/* The own piece, when not in place: at any time during a run. */
void weft_message_pieces_own(const weft_message_pieces *pieces, const void *in, void *out);
/* Where the piece for `peer` lies, now packed. */
const void *weft_message_from(const weft_message_pieces *pieces, int peer, const void *in,
                              void *workspace);
/* Where the piece of `peer` is received. */
void *weft_message_to(const weft_message_pieces *pieces, int peer, void *out, void *workspace);
/* What MPI is told about a piece: so many of this type. */
MPI_Datatype weft_message_told(const weft_message_pieces *pieces, bool sent, int peer, int *count);
/* The piece of `peer` has arrived: unpacks it. */
void weft_message_arrived(const weft_message_pieces *pieces, int peer, void *out,
                          const void *workspace);

/* What MPI is told about so many bytes: bytes, or one derived type where int does not hold them. */
bool weft_message_type(const weft_services *services, ptrdiff_t bytes, int *count,
                       MPI_Datatype *type);
void weft_message_type_free(MPI_Datatype *type);

/* The `applicable` of a backend that can always be used, whatever the value. */
const char *weft_applicable_always(const weft_exchange *exchange, int value);
/* The `finish` of one that does everything in `start`. */
void weft_finish_nothing(void *state, const void *in, void *out, void *workspace);

#endif
