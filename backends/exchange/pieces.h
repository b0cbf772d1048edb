/* SPDX-License-Identifier: BSD-3-Clause */
/* The pieces of an exchange: what each rank of a group sends this one, and is sent by it. */
#ifndef WEFT_PIECES_H
#define WEFT_PIECES_H

#include "backends/exchange/layout.h"
#include "kernels/device/memory.h"

enum {
    /* On this side the array lies as its pieces one after another, in the order of ranks, each
     * contiguous in the order in which it travels: the pass before or after does the packing. */
    WEFT_FROM_BLOCKED = 1,
    WEFT_TO_BLOCKED = 2,
    /* `in` and `out` are the same array at every run. */
    WEFT_IN_PLACE = 4,
    /* Pieces travel in the order of axes of `to`; without it, of `from`. */
    WEFT_TRAVEL_TO = 8,
    /* A rank's own piece is not moved (its pieces have 0 elements): the passes have already put it
     * where it belongs. The blocks of the other ranks lie where they would lie with it. */
    WEFT_LEAVE_OWN = 16
};

/*
 * An exchange in parts, each of which is an exchange of the same arrays: of every piece it moves
 * what lies in the part-th of `parts` parts of that span which its sender (with `by_to`, its
 * receiver) holds of an axis. That axis travels slowest, so that parts of blocks are contiguous.
 *
 *     the blocks of 3 ranks in 3 parts    | 0 | 1 | 2 | 0 | 1 | 2 | 0 | 1 | 2 |
 *     what part 1 moves                       | 1 |       | 1 |       | 1 |
 *     stacked, from `base` on             | 1 | 1 | 1 |
 */
typedef struct {
    int parts; /* 0 or 1: it is not cut */
    int axis;
    bool by_to;
    bool stacked;   /* blocks that arrive hold one part alone, */
    ptrdiff_t base; /* and begin at this element of the array (on ranks it may differ) */
} weft_cut;

/* The order in which axes travel. */
void weft_cut_order(const weft_cut *cut, int axes, const int *order, int *cut_order);

typedef struct weft_pieces weft_pieces;

/* The beginning of every exchange; backends see `face` alone. */
typedef struct {
    weft_exchange face;
    weft_pieces *pieces; /* NULL: weft_exchange_forget has freed them */
    weft_device *device; /* NULL: the arrays lie on the host */
} weft_exchange_base;

/* What this rank sends a peer or receives from it. A piece refers to the boxes and enclosing arrays
 * of the layouts; it is valid until the piece of another peer of that side is asked for. */
const weft_piece *weft_exchange_sent(const weft_exchange *exchange, int peer);
const weft_piece *weft_exchange_received(const weft_exchange *exchange, int peer);
weft_device *weft_exchange_device(const weft_exchange *exchange);

/* The strides of a contiguous array of `count` elements. */
void weft_contiguous(int axes, const ptrdiff_t *count, ptrdiff_t *stride);

/* Local: fills in what `exchange`, which has its rank and ranks, says of pieces; `group` are those
 * ranks, as they are in the layouts, and `rank` is this one there. The group, and what the layouts
 * point to, must live as long. NULL: no memory. */
weft_pieces *weft_pieces_make(weft_exchange *exchange, const int *group, const weft_layout *from,
                              const weft_layout *to, unsigned flags, const weft_cut *cut, int part,
                              int rank);
/* Those of `like`, but the own one, one after another. Fills in `exchange` likewise. */
weft_pieces *weft_pieces_make_packed(weft_exchange *exchange, const weft_exchange *like);
void weft_pieces_free(weft_pieces *pieces); /* NULL is nothing */

/* What Weft does for a backend: copies of pieces, datatypes, errors; see weft_services. The second
 * table is for arrays on a device, where copies are moves in its queue. */
extern const weft_services weft_services_ours, weft_services_device;

/* `type`, `count` times, `step` bytes apart. `most` is the largest count of one MPI call. 0:
 * failed. */
int weft_type_repeat(ptrdiff_t count, ptrdiff_t step, MPI_Datatype type, ptrdiff_t most,
                     MPI_Datatype *repeated);

#endif
