/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of strided copies on a device. Axes of one index are left out. The device library chooses
 * the best order of the axes, and joins axes that both sides can walk as one. */
#include "kernels/device/strided-copies.h"

#include <stdlib.h>
#include "kernels/base/error.h"

bool weft_strided_copies_add(weft_strided_copies *copies, size_t element, int axes,
                             const ptrdiff_t *count, int from, ptrdiff_t from_offset,
                             const ptrdiff_t *from_stride, int to, ptrdiff_t to_offset,
                             const ptrdiff_t *to_stride)
{
    for (int a = 0; a < axes; a++)
        if (count[a] == 0)
            return true;
    const int before = copies->count;
    if ((before & (before - 1)) == 0) { /* the allocated length is a power of two */
        weft_array_copy *larger =
            realloc(copies->copy, (before ? 2 * (size_t)before : 1) * sizeof *larger);
        if (!larger)
            return weft_error("no memory for the copies of a pass");
        copies->copy = larger;
    }
    weft_array_copy *it = &copies->copy[copies->count++];
    *it = (weft_array_copy){.from = from, .to = to};
    it->copy =
        (weft_strided_copy){.element = element, .from_offset = from_offset, .to_offset = to_offset};
    for (int a = 0; a < axes; a++) {
        const int to_axis = it->copy.axes;
        if (count[a] == 1)
            continue;
        it->copy.count[to_axis] = count[a];
        it->copy.from_stride[to_axis] = from_stride[a];
        it->copy.to_stride[to_axis] = to_stride[a];
        it->copy.axes++;
    }
    return true;
}

static void narrow(ptrdiff_t *first, ptrdiff_t *end, ptrdiff_t start, ptrdiff_t count)
{
    *first = start > *first ? start : *first;
    *end = start + count < *end ? start + count : *end;
}

bool weft_strided_copies_add_common(weft_strided_copies *copies, size_t most, const weft_side *from,
                                    weft_block_at p, const weft_side *to, weft_block_at q)
{
    const weft_view_block *a = &from->block[p.p], *b = &to->block[q.p];
    const ptrdiff_t from_start = weft_side_start(from, p), to_start = weft_side_start(to, q);
    ptrdiff_t count[WEFT_MAX_AXES + 1];
    ptrdiff_t from_at = weft_block_offset(a, p.nth), to_at = weft_block_offset(b, q.nth);
    ptrdiff_t from_stride[WEFT_MAX_AXES + 1], to_stride[WEFT_MAX_AXES + 1];
    const int times = from->element > most ? 2 : 1;
    const int axes = from->axes;
    for (int k = 0; k < axes; k++) {
        ptrdiff_t first = 0, end = from->count[k];
        if (k == from->axis)
            narrow(&first, &end, from_start, a->count);
        if (k == to->axis)
            narrow(&first, &end, to_start, b->count);
        if (first >= end)
            return true;
        count[k] = end - first;
        from_at += (first - (k == from->axis ? from_start : 0)) * a->stride[k];
        to_at += (first - (k == to->axis ? to_start : 0)) * b->stride[k];
        from_stride[k] = times * a->stride[k];
        to_stride[k] = times * b->stride[k];
    }
    /* an element that is too large moves as two */
    count[axes] = times;
    from_stride[axes] = to_stride[axes] = 1;
    return weft_strided_copies_add(copies, from->element / (size_t)times, axes + (times > 1), count,
                                   weft_block_array(a, p.nth), times * from_at, from_stride,
                                   weft_block_array(b, q.nth), times * to_at, to_stride);
}

bool weft_strided_copies_add_sides(weft_strided_copies *copies, size_t most, const weft_side *from,
                                   const weft_side *to)
{
    weft_block_at p = {0};
    do {
        weft_block_at q = {0};
        do
            if (!weft_strided_copies_add_common(copies, most, from, p, to, q))
                return false;
        while (weft_side_next_block(to, &q));
    } while (weft_side_next_block(from, &p));
    return true;
}

void weft_strided_copies_run(const weft_strided_copies *copies, weft_device *device,
                             const void *const *from, void *const *to)
{
    for (int i = 0; i < copies->count; i++) {
        const weft_array_copy *it = &copies->copy[i];
        weft_device_call(device,
                         copy_strided(&it->copy, from[it->from], to[it->to], device->queue));
    }
}

void weft_strided_copies_free(weft_strided_copies *copies)
{
    free(copies->copy);
    *copies = (weft_strided_copies){0};
}
