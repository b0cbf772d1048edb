/* SPDX-License-Identifier: BSD-3-Clause */
/* The pieces of one rank in one direction of an exchange. */
#ifndef WEFT_PIECES_H
#define WEFT_PIECES_H

#include "backends/exchange/exchange.h"

/* One direction, as seen from one of its ends: a rank's send pieces have the source here, its
 * receive pieces the target. */
typedef struct {
    const weft_layout *here, *there;
    bool here_blocked, there_blocked; /* that side lies as pieces one after another */
    bool leave_own;                   /* the own piece is left out, but its block keeps its room */
    const int *order;                 /* the axes as the elements travel */
    const weft_cut *cut;              /* NULL: all of every piece, else its part-th part */
    int part;
    bool stacked;  /* blocks on this rank hold the part alone */
    bool cut_here; /* parts are those of what this rank holds of the axis, not those of its peer */
} weft_direction;

/*
 * Fills piece[i] with what `rank` shares with group[i]; the elements of all of them. `numbers` is
 * where counts and strides are kept: weft_piece_numbers() for each piece. `blocks` becomes how far
 * the blocks of a blocked side reach.
 */
ptrdiff_t weft_pieces(const weft_direction *direction, int rank, const int *group, int ranks,
                      weft_piece *piece, ptrdiff_t *numbers, ptrdiff_t *blocks);
int weft_piece_numbers(int axes);

/* The steps of memory in which `count` lies contiguously. */
void weft_contiguous(int axes, const ptrdiff_t *count, ptrdiff_t *stride);

#endif
