/* SPDX-License-Identifier: BSD-3-Clause */
/* The pieces of an exchange: what each rank of a group sends this one, and is sent by it. */
#ifndef WEFT_PIECES_H
#define WEFT_PIECES_H

#include "backends/exchange/exchange.h"

typedef struct weft_pieces weft_pieces;

/* Local: fills in what `exchange`, which has its rank and ranks, says of pieces; `group` are those
 * ranks, as they are in the layouts, and `rank` is this one there. The group, and what the layouts
 * point to, must live as long. NULL: no memory. */
weft_pieces *weft_pieces_make(weft_exchange *exchange, const int *group, const weft_layout *from,
                              const weft_layout *to, unsigned flags, const weft_cut *cut, int part,
                              int rank);
/* Those of `like`, but the own one, one after another. Fills in `exchange` likewise. */
weft_pieces *weft_pieces_make_packed(weft_exchange *exchange, const weft_exchange *like);
/* There until another of that side is asked for. */
const weft_piece *weft_pieces_sent(weft_pieces *pieces, int peer);
const weft_piece *weft_pieces_received(weft_pieces *pieces, int peer);
void weft_pieces_free(weft_pieces *pieces); /* NULL is nothing */

#endif
