/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls a function of the program for the spectrum of a tile, while the tile is in the cache. Each
 * call gets all points of the tile along the axis whose points are contiguous in the buffer, so
 * that the compiler can vectorize the function's loop. Where none is contiguous, a call gets one
 * point.
 */
#include <string.h>
#include "kernels/pass/sweep.h"

/* The axis along which points are contiguous; negative: there is none. */
static int contiguous(int axes, const ptrdiff_t *count, const ptrdiff_t *stride, ptrdiff_t numbers)
{
    int axis = axes - 1;
    while (axis >= 0 && (count[axis] == 1 || stride[axis] != numbers))
        axis--;
    return axis;
}

void weft_operate(const weft_pass_sweep *sweep, const ptrdiff_t *start, const ptrdiff_t *count,
                  const ptrdiff_t *stride, void *buffer)
{
    const weft_callback *callback = sweep->callback;
    const int axes = sweep->point_axes;
    const ptrdiff_t element = (ptrdiff_t)sweep->second;
    ptrdiff_t numbers = 1, first[WEFT_MAX_AXES] = {0}, index[WEFT_MAX_AXES];
    char *at = buffer;
    if (!callback->apply)
        return;
    for (int a = axes; a < sweep->axes; a++)
        numbers *= count[a];
    for (int a = 0; a < axes; a++)
        first[a] = sweep->start[a] + start[a];
    memcpy(index, first, sizeof index);
    const int along = contiguous(axes, count, stride, numbers), axis = along < 0 ? axes - 1 : along;
    for (int a = 0; a >= 0;) {
        callback->apply(at, along < 0 ? 1 : count[along], index, axis, callback->data);
        for (a = axes - 1; a >= 0; a--) { /* the next place, the last axis fastest */
            if (a == along)
                continue;
            at += stride[a] * element;
            if (++index[a] < first[a] + count[a])
                break;
            at -= count[a] * stride[a] * element;
            index[a] = first[a];
        }
    }
}
