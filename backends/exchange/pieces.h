/* SPDX-License-Identifier: BSD-3-Clause */
/* The pieces of an exchange: what each rank of a group sends this one, and is sent by it. */
#ifndef WEFT_PIECES_H
#define WEFT_PIECES_H

#include "backends/exchange/exchange.h"

/* In memory of their own, of which 48 bytes a peer and direction are pieces, and little more where
 * those of all peers have one shape. */
typedef struct {
    weft_piece *piece;             /* sent, then received */
    struct weft_numbers *numbers;  /* counts and strides, most of which pieces have together */
    struct weft_section *sections; /* of pieces that have several, but for the first ones */
} weft_pieces;

/* Local: fills in what `exchange`, which has its rank and ranks, says of pieces; `group` are those
 * ranks, as they are in the layouts, and `rank` is this one there. False: no memory; to be freed
 * all the same. */
bool weft_pieces_make(weft_pieces *pieces, weft_exchange *exchange, const int *group,
                      const weft_layout *from, const weft_layout *to, unsigned flags,
                      const weft_cut *cut, int part, int rank);
/* Nothing is left of them; may be called again. */
void weft_pieces_free(weft_pieces *pieces);

#endif
