/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message blocks: the blocks of an exchange prepared as messages, for all backends that send
 * messages.
 *
 *     in          .ab..cd..ef.                    ..abc..def..    out of the peer
 *                     | pack                         | unpack
 *     workspace     abcdef   ---- message ---->   abcdef          workspace of the peer
 *
 * A contiguous block needs no workspace: MPI sends it from the array or receives it into the array.
 * In place, a received block may overwrite data that has not been sent yet, so every sent block is
 * first copied to the workspace.
 */
#ifndef WEFT_MESSAGE_BLOCKS_H
#define WEFT_MESSAGE_BLOCKS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "backends/weft-backend.h"

/* Flags: which blocks become messages. The own block (from a rank to itself) is always prepared. */
enum {
    WEFT_BLOCKS_SENT = 1,
    WEFT_BLOCKS_RECEIVED = 2,
    WEFT_BLOCKS_BOTH = 3,
    /* All sent blocks share one buffer, and so do all received blocks: if one block of a side is
     * packed, all of that side are packed. */
    WEFT_BLOCKS_TOGETHER = 4,
    /* Every block is packed and unpacked. */
    WEFT_BLOCKS_COPIED = 8,
    /* weft_message_blocks_begin packs all blocks, as it always does in place. */
    WEFT_BLOCKS_EARLY = 16,
    /* All sent blocks leave the array before a block arrives there, so that they need no copy in
     * place. */
    WEFT_BLOCKS_APART = 32
};

typedef struct {
    ptrdiff_t bytes; /* 0: no message */
    ptrdiff_t begin; /* first byte in the array */
    ptrdiff_t place; /* offset in the workspace, if copied */
    weft_copy *copy; /* packs or unpacks it; NULL: MPI uses the array itself. Consecutive blocks of
                        one shape share the copy */
} weft_message_block;

/* The state of a backend begins with its message blocks. */
typedef struct {
    const weft_exchange *exchange;
    bool early;                  /* weft_message_blocks_begin packs all blocks */
    weft_message_block *send;    /* [ranks]; the own entry is empty */
    weft_message_block *receive; /* [ranks], likewise */
    weft_copy *own;              /* copies the own block directly to its place, or */
    weft_copy *own_pack; /* in place: through the workspace, since source and target may overlap */
    weft_copy *own_unpack;
    ptrdiff_t own_place;
    bool failed;    /* memory has run out, with an error */
    ptrdiff_t part; /* most bytes of a message, the same on all ranks */
    struct weft_message_kept *kept;
    MPI_Request *request; /* set by the backend: space for the receives, then the sends */
    int receives, sends;  /* messages now under way */
    MPI_Status *ignored;  /* MPI_STATUSES_IGNORE, which gcc takes for an array that is too small */
} weft_message_blocks;

/* Several blocks in the workspace that travel together. */
typedef struct {
    int peer;
    ptrdiff_t place, bytes;
} weft_message;

/* Makes a state of `size` bytes, zeros after the message blocks. Returns NULL with an error when
 * memory runs out. The backend sets the workspace offsets of copied blocks, by itself or with one
 * of the two place functions below. Local, like all functions of this file. */
void *weft_messages_make(size_t size, const weft_exchange *exchange, unsigned flags);
/* Allocates zeroed objects that weft_messages_release frees. */
void *weft_message_new(weft_message_blocks *blocks, size_t count, size_t size);
/* Returns the state; where memory has run out, releases it and returns NULL. */
void *weft_messages_made(void *state);
void weft_messages_release(void *state); /* accepts NULL */

/* Rounds up to the alignment of the workspace. */
ptrdiff_t weft_round_to_alignment(ptrdiff_t bytes);
/* Places the sent blocks, in place also the own block, in the workspace; returns the end. */
ptrdiff_t weft_message_blocks_place_sent(weft_message_blocks *blocks);
/* Places the blocks of an exchange in steps: step i sends to rank + i and receives from rank - i,
 * `group` steps at a time. All groups use the same memory. Returns the bytes needed. */
ptrdiff_t weft_message_blocks_place_groups(weft_message_blocks *blocks, int group);
/* The ranks to which, and from which, a step sends. */
int weft_step_to(const weft_exchange *exchange, int step);
int weft_step_from(const weft_exchange *exchange, int step);

/* To be called first in every run: in place, or with WEFT_BLOCKS_EARLY, packs all sent blocks. In
 * place the function also moves the own block to its place. */
void weft_message_blocks_begin(const weft_message_blocks *blocks, const void *in, void *out,
                               void *workspace);
/* In place, moves the own block through the workspace, after all sent blocks have been packed.
 * weft_message_blocks_begin calls this function. */
void weft_message_blocks_own_in_place(const weft_message_blocks *blocks, const void *in, void *out,
                                      void *workspace);
/* Copies the own block when not in place; may be called at any time during a run. */
void weft_message_blocks_own(const weft_message_blocks *blocks, const void *in, void *out);
/* Packs a sent block that has a copy. */
void weft_message_copy(const weft_message_blocks *blocks, int peer, const void *in,
                       void *workspace);
/* Packs the block for `peer` if necessary and returns the address to send from. */
const void *weft_message_pack(const weft_message_blocks *blocks, int peer, const void *in,
                              void *workspace);
/* The address to which the block from `peer` is received. */
void *weft_message_target(const weft_message_blocks *blocks, int peer, void *out, void *workspace);
/* Unpacks the block from `peer`, which has arrived. */
void weft_message_unpack(const weft_message_blocks *blocks, int peer, void *out,
                         const void *workspace);

/* The largest value that Weft passes in an int argument of MPI. Tests lower it, so that small
 * arrays take the code paths of large ones; 0 restores it. Prepared exchanges do not change. */
ptrdiff_t weft_limit(void);
void weft_limit_set(ptrdiff_t limit);

/* Returns a datatype that weft_messages_release will free, or MPI_BYTE if it was not made. */
MPI_Datatype weft_message_keep_type(weft_message_blocks *blocks, bool made, MPI_Datatype type);

/* Post messages of at most blocks->part bytes, so that both ranks cut the same bytes at the same
 * places. All receives are posted before the first send. */
void weft_message_receive(weft_message_blocks *blocks, int peer, void *at, ptrdiff_t bytes);
void weft_message_send(weft_message_blocks *blocks, int peer, const void *at, ptrdiff_t bytes);
/* How many messages that takes at most, for `number` peers and `bytes` bytes in all. */
size_t weft_message_count(const weft_message_blocks *blocks, int number, ptrdiff_t bytes);
/* Waits for all messages under way. */
void weft_messages_wait(weft_message_blocks *blocks);
/* Whether all messages of a state have arrived; lets MPI make progress. */
int weft_messages_test(void *state);

#endif
