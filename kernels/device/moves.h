/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of strided copies on a device, run in order. */
#ifndef WEFT_DEVICE_MOVES_H
#define WEFT_DEVICE_MOVES_H

#include "kernels/base/limits.h"
#include "kernels/device/memory.h"

typedef struct {
    weft_device_move move;
    int from, to; /* indices of arrays that weft_moves_run gets */
} weft_array_move;

typedef struct {
    int count, room;
    weft_array_move *move;
} weft_moves;

/* Adds a copy; strides are in elements. A copy of no elements is left out. Returns false with an
 * error if there is no memory. */
bool weft_moves_add(weft_moves *moves, size_t element, int axes, const ptrdiff_t *count, int from,
                    ptrdiff_t from_offset, const ptrdiff_t *from_stride, int to,
                    ptrdiff_t to_offset, const ptrdiff_t *to_stride);
void weft_moves_run(const weft_moves *moves, weft_device *device, const void *const *from,
                    void *const *to);
void weft_moves_free(weft_moves *moves);

#endif
