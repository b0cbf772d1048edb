/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of strided copies on a device, run in order. */
#ifndef WEFT_DEVICE_STRIDED_COPIES_H
#define WEFT_DEVICE_STRIDED_COPIES_H

#include "kernels/device/memory.h"
#include "kernels/pass/views.h"

typedef struct {
    weft_strided_copy copy;
    int from, to; /* indices of arrays that weft_strided_copies_run gets */
} weft_array_copy;

typedef struct {
    int count;
    weft_array_copy *copy;
} weft_strided_copies;

/* Adds a copy; strides are in elements. A copy of no elements is left out. Returns false with an
 * error if there is no memory. */
bool weft_strided_copies_add(weft_strided_copies *copies, size_t element, int axes,
                             const ptrdiff_t *count, int from, ptrdiff_t from_offset,
                             const ptrdiff_t *from_stride, int to, ptrdiff_t to_offset,
                             const ptrdiff_t *to_stride);
/* Adds a copy of the numbers that a block of one side and a block of the other side have in common.
 * Elements of more than `most` bytes may be unaligned and move as two. */
bool weft_strided_copies_add_common(weft_strided_copies *copies, size_t most, const weft_side *from,
                                    weft_block_at p, const weft_side *to, weft_block_at q);
/* The same for all blocks of both sides. */
bool weft_strided_copies_add_sides(weft_strided_copies *copies, size_t most, const weft_side *from,
                                   const weft_side *to);
void weft_strided_copies_run(const weft_strided_copies *copies, weft_device *device,
                             const void *const *from, void *const *to);
void weft_strided_copies_free(weft_strided_copies *copies);

#endif
