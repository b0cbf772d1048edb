/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts of which every rank's box is given. */
#ifndef WEFT_BOXES_H
#define WEFT_BOXES_H

#include "backends/exchange/layout.h"

/* Whether the boxes, on so many ranks, cover the array, every point once; if not, the error
 * function has been told which box is wrong. The sizes of the layout have been checked. */
bool weft_boxes_tile(const weft_layout *layout, int ranks);

/* A number that differs, most likely, between different boxes; 0 without any. */
ptrdiff_t weft_boxes_digest(const weft_layout *layout);
/* The same for any layout: of how all axes are divided, too. */
unsigned long long weft_layout_digest(const weft_layout *layout);

#endif
