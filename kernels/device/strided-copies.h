/* SPDX-License-Identifier: BSD-3-Clause */
/* Strided copies on a device. They are copies like those on the host (kernels/copy/copy.h), but a
 * run only queues them. */
#ifndef WEFT_DEVICE_STRIDED_COPIES_H
#define WEFT_DEVICE_STRIDED_COPIES_H

#include "kernels/copy/copy.h"
#include "kernels/device/memory.h"
#include "kernels/pass/views.h"

/* Prepares a copy on a device, or on the host if the device is NULL (see weft_copy_prepare). */
weft_copy *weft_copy_prepare_on(weft_device *device, size_t element, int axes,
                                const ptrdiff_t *count, ptrdiff_t from_offset,
                                const ptrdiff_t *from_stride, ptrdiff_t to_offset,
                                const ptrdiff_t *to_stride);

/* Lists of copies between the arrays of a pass on a device. */

/* Adds a copy of the numbers that a block of one side and a block of the other side have in common,
 * if there are any. Returns false with an error if there is no memory. */
bool weft_strided_copies_add_common(weft_copy **copies, weft_device *device, const weft_side *from,
                                    weft_block_at p, const weft_side *to, weft_block_at q);
/* The same for all blocks of both sides. */
bool weft_strided_copies_add_sides(weft_copy **copies, weft_device *device, const weft_side *from,
                                   const weft_side *to);
/* Runs the copies, in any order, between these arrays. */
void weft_strided_copies_run(const weft_copy *copies, const void *const *from, void *const *to);

#endif
