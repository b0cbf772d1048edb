/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views of a rank's part of an array: as a layout has it, or as the blocks of an exchange, which is
 * how the pass before writes them to be sent and the pass after reads them as they were received.
 */
#ifndef WEFT_VIEW_H
#define WEFT_VIEW_H

#include "backends/exchange/exchange.h"
#include "kernels/pass/spec.h"

/* The axes of a pass: those of the layout, and howmany as one more when it is not 1. */
int weft_view_axes(const weft_layout *layout);

/* Whether every rank has the same span of an axis in both layouts. */
bool weft_divided_alike(const weft_layout *a, const weft_layout *b, int axis);

/* Whether, on every rank, the blocks on the side of `mine` cut the part along one axis at most, so
 * that they are a view. The same answer on all ranks. */
bool weft_blocks_are_view(const weft_layout *mine, const weft_layout *other, int ranks);

/* What is left of a view when only so many indices of an axis from `first` on are looked at. False:
 * no memory. */
bool weft_view_cut(weft_view *view, int axis, ptrdiff_t first, ptrdiff_t count);
/* What is left of a view of `size` indices along an axis when those are left out; it is divided
 * along that axis, or not at all. False: no memory. */
bool weft_view_leave_out(weft_view *view, int axis, ptrdiff_t size, ptrdiff_t first,
                         ptrdiff_t count);

#endif
