/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks of an exchange: the part of the array that this rank sends to each rank of its group,
 * and the part that it receives from each. */
#ifndef WEFT_EXCHANGE_BLOCKS_H
#define WEFT_EXCHANGE_BLOCKS_H

#include "backends/exchange/layout.h"
#include "kernels/device/memory.h"

enum {
    /* On this side the array consists of packed blocks, one after another in rank order, each
     * contiguous in travel order: the pass before or after the exchange does the packing. */
    WEFT_FROM_BLOCKED = 1,
    WEFT_TO_BLOCKED = 2,
    /* `in` and `out` are the same array at every run. */
    WEFT_IN_PLACE = 4,
    /* Blocks travel in the order of axes of `to`; without this flag, of `from`. */
    WEFT_TRAVEL_TO = 8,
    /* A rank's own block (the block it would send to itself) is not moved and has 0 elements: the
     * passes have already put the data in place. The packed blocks of the other ranks keep their
     * positions. */
    WEFT_LEAVE_OWN = 16,
    /* The array consists of doubles, which messages carry as floats. */
    WEFT_AS_FLOAT = 32,
    /* With WEFT_IN_PLACE, between two slab distributions: the exchange needs little more memory
     * than one array, `out`. If `in` is another array, it is copied to `out` first. */
    WEFT_WITHIN = 64
};

/*
 * An exchange of one part of the array. The sender's span of one axis is cut into `parts`, and the
 * exchange moves the elements in one of them. The cut axis travels slowest. Packed blocks contain
 * only the elements that move:
 *
 *     rows of 3 senders in 3 parts        | 0 | 1 | 2 |   | 0 | 1 | 2 |   | 0 | 1 | 2 |
 *     packed blocks of part 1             | 1 | 1 | 1 |  from element `base` of the array on
 */
typedef struct {
    int parts, part;
    int axis;
    ptrdiff_t base; /* may differ between ranks */
} weft_cut;

typedef struct weft_blocks weft_blocks;

/* An exchange as Weft sees it. Backends see only `face`. */
typedef struct {
    weft_exchange face;
    weft_blocks *blocks; /* NULL: weft_exchange_free_blocks has freed them */
    weft_device *device; /* NULL: the arrays are on the host */
    /* For arrays on a device, and with WEFT_AS_FLOAT: an exchange of the same messages from and to
     * other host memory, in which the blocks are contiguous and follow one another, without the own
     * block. */
    weft_exchange *packed;
    bool as_float;  /* WEFT_AS_FLOAT; the elements of `packed` then have half the bytes */
    bool within;    /* WEFT_WITHIN */
    int second_tag; /* for a second exchange of them that is under way at the same time */
    bool borrows;   /* a packed exchange: all but the blocks belongs to the original */
    /* The ranks of this rank's group, in ascending order, as ranks of the caller's communicator.
     * The ranks of a group exchange data, directly or through other ranks of the group. */
    int *group;
    /* The number of groups. With 1 the exchange uses the duplicated communicator without splitting
     * it. */
    int groups;
    /* The following fields are not set in an exchange that was only described. */
    int *node;       /* for each rank of the group, the index of the first rank on the same node */
    bool neighbours; /* some group has ranks that share a node and ranks that do not; the same on
                        all ranks */
    bool within_nodes; /* every group is within one node; the same on all ranks */
    int *leader;       /* for every rank: lowest rank of its group; freed after creation */
    struct weft_communicator *communicator;
    struct weft_split *split; /* NULL: there is one group */
    struct weft_split *near;  /* ranks of the group on this node; NULL: not opened */
} weft_exchange_base;

static inline const weft_exchange_base *weft_base(const weft_exchange *exchange)
{
    return (const weft_exchange_base *)exchange;
}

/* The block that this rank sends to a peer, or receives from the peer. The block refers to the
 * boxes and enclosing arrays of the layouts, and stays valid until a caller asks for the block of
 * another peer on the same side. */
const weft_block *weft_exchange_sent(const weft_exchange *exchange, int peer);
const weft_block *weft_exchange_received(const weft_exchange *exchange, int peer);

/* For the passes next to an exchange of the whole array between layouts with one box per rank: the
 * block of `peer` in the array of `rank`, which consists of packed blocks on this side. Both are
 * ranks of the group. Sets the block's box, offset and strides, also of the `howmany` elements of a
 * point. Returns false when the block is empty. Also an own block that is not moved has its place.
 * The offset costs O(1) in this rank's array, otherwise O(peer). */
bool weft_exchange_packed_block(const weft_exchange *exchange, bool received, int rank, int peer,
                                weft_box *box, ptrdiff_t *offset, ptrdiff_t *stride);

/* The layouts before and after an exchange. */
const weft_layout *weft_exchange_layouts(const weft_exchange *exchange);

/* Makes the blocks of `exchange` and sets its fields about blocks. The caller has set the rank and
 * ranks of `exchange`. `group` lists the group's ranks, numbered as in the layouts. The caller must
 * keep the group and the arrays of the layouts until the blocks are freed. Local. NULL: no memory.
 */
weft_blocks *weft_blocks_make(weft_exchange *exchange, const int *group, const weft_layout *from,
                              const weft_layout *to, unsigned flags, const weft_cut *cut);
/* The blocks of `like` without the own block, contiguous and one after another; with more than one
 * chunk, a chunk of each block. Sets the fields of `exchange` in the same way. */
weft_blocks *weft_blocks_make_packed(weft_exchange *exchange, const weft_exchange *like,
                                     int chunks);
/* The elements of a chunk of a block. */
static inline ptrdiff_t weft_chunk_size(ptrdiff_t elements, int chunks)
{
    return (elements + chunks - 1) / chunks;
}
void weft_blocks_free(weft_blocks *blocks); /* accepts NULL */

/* The functions that Weft offers to backends (see weft_services): copies of blocks, datatypes and
 * errors. Copies of arrays on a device are queued on the device. */
extern const weft_services weft_services_ours;

#endif
