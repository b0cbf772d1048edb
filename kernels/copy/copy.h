/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strided n-dimensional copies: packing, unpacking, permuting, in whatever mix of strides. Prepared
 * once (axes sorted and collapsed, loops and stores chosen), run any number of times.
 */
#ifndef WEFT_COPY_H
#define WEFT_COPY_H

#include <stddef.h>
#include "kernels/base/limits.h"

typedef struct weft_copy weft_copy;

/* Strides and offsets in elements of `element` bytes; from and to must not overlap. NULL: no
 * memory, or element or a count is not positive/negative. Count 0 anywhere copies nothing. */
weft_copy *weft_copy_prepare(size_t element, int axes, const ptrdiff_t *count,
                             ptrdiff_t from_offset, const ptrdiff_t *from_stride,
                             ptrdiff_t to_offset, const ptrdiff_t *to_stride);
/* Makes one of both, run in this order; `first` may be NULL. */
weft_copy *weft_copy_then(weft_copy *first, weft_copy *second);
void weft_copy_run(const weft_copy *copy, const void *from, void *to);
/* Begins to fetch what a run from there would read first. */
void weft_copy_fetch(const weft_copy *copy, const void *from);
void weft_copy_release(weft_copy *copy);

#endif
