/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views of a rank's part of an array, either in the order of its layout or as the blocks of an
 * exchange. The pass before an exchange writes blocks ready to send, and the pass after it reads
 * blocks as received, so no separate packing is needed.
 */
#ifndef WEFT_VIEW_H
#define WEFT_VIEW_H

#include "backends/exchange/exchange.h"
#include "kernels/pass/spec.h"

/* The number of axes of a pass: the axes of the layout, plus one for howmany when it is not 1. */
int weft_view_axes(const weft_layout *layout);

/* Whether every rank has the same span of an axis in both layouts. */
bool weft_divided_alike(const weft_layout *a, const weft_layout *b, int axis);

/* Whether the blocks of every rank on the side of `mine` divide that rank's box along at most one
 * axis. Only then do the blocks form a view. The answer is the same on all ranks. */
bool weft_blocks_are_view(const weft_layout *mine, const weft_layout *other, int ranks);

/* Reduces a view to `count` indices of an axis from index `first` on. Returns false when there is
 * no memory. */
bool weft_view_cut(weft_view *view, int axis, ptrdiff_t first, ptrdiff_t count);
/* Removes `count` indices of an axis from index `first` on from a view that has `size` indices
 * along that axis. The view must consist of one block or be divided along that axis. Returns false
 * when there is no memory. */
bool weft_view_leave_out(weft_view *view, int axis, ptrdiff_t size, ptrdiff_t first,
                         ptrdiff_t count);

#endif
