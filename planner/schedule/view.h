/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views of a rank's part of an array: as a layout has it, or as the blocks of an exchange, which is
 * how the pass before writes them to be sent and the pass after reads them as they were received.
 */
#ifndef WEFT_VIEW_H
#define WEFT_VIEW_H

#include "backends/exchange/exchange.h"
#include "kernels/pass/pass.h"

/* The axes of a pass: those of the layout, and howmany as one more when it is not 1. */
int weft_view_axes(const weft_layout *layout);

/* One piece, as the layout has it. False: no memory. View pieces are to be freed. */
bool weft_view_plain(const weft_layout *layout, const weft_box *box, weft_view *view);

/* What one side of an exchange needs to know about the blocks. */
typedef struct {
    const weft_layout *mine;   /* the layout whose part is seen */
    const weft_layout *other;  /* that of the exchange's other side */
    const weft_layout *travel; /* elements travel in the order of its axes */
    const int *group;          /* ranks that talk with one another */
    int ranks;
    int rank;            /* this rank's number in the caller's communicator */
    const weft_cut *cut; /* of the exchange */
    bool remote;         /* they lie with the others: piece i in the array of group[i], */
    bool plain;          /* which is split, see below, and not blocks either, */
    bool lent;           /* or just as the layout has it */
    bool leave_own;      /* the own piece lies in the other side's array (array 1 of the pass) */
} weft_blocks;

/* Whether every rank has the same span of an axis in both layouts. */
bool weft_divided_alike(const weft_layout *a, const weft_layout *b, int axis);

/* Whether, on every rank, the blocks on the side of `mine` cut the part along one axis at most, so
 * that they are a view. The same answer on all ranks. */
bool weft_blocks_are_view(const weft_layout *mine, const weft_layout *other, int ranks);
bool weft_view_blocks(const weft_blocks *blocks, weft_view *view);
/* What lies in a window without being blocks: as the layout has it, but that of the innermost axis
 * which the ranks of the other side cut, each one's part comes as a whole after that of the ranks
 * before it. */
bool weft_view_split(const weft_blocks *blocks, const weft_box *box, weft_view *view);

/* What is left of a view when only so many indices of an axis from `first` on are looked at. */
void weft_view_cut(weft_view *view, int axis, ptrdiff_t first, ptrdiff_t count);
/* What is left of a view of `size` indices along an axis when those are left out; it is divided
 * along that axis, or not at all. False: no memory. */
bool weft_view_leave_out(weft_view *view, int axis, ptrdiff_t size, ptrdiff_t first,
                         ptrdiff_t count);

#endif
