/* SPDX-License-Identifier: BSD-3-Clause */
/* Strided copies on a device. The device library gets the axes sorted and joined. */
#include "kernels/device/strided-copies.h"

#include "kernels/copy/kernel.h"

/* The kernel of a copy on a device: queues the copy along all axes. */
static void queue_copy(const weft_copy *copy, const char *from, char *to)
{
    weft_device *device = copy->device;
    weft_device_call(device,
                     copy_strided(copy->unit, copy->axes, copy->axis, from, to, device->queue));
}

weft_copy *weft_copy_prepare_on(weft_device *device, size_t element, int axes,
                                const ptrdiff_t *count, ptrdiff_t from_offset,
                                const ptrdiff_t *from_stride, ptrdiff_t to_offset,
                                const ptrdiff_t *to_stride)
{
    if (!device)
        return weft_copy_prepare(element, axes, count, from_offset, from_stride, to_offset,
                                 to_stride);
    weft_copy *copy =
        weft_copy_reduce(element, axes, count, from_offset, from_stride, to_offset, to_stride);
    if (copy) {
        copy->inner = copy->axes;
        copy->kernel = queue_copy;
        copy->device = device;
    }
    return copy;
}

static void narrow(ptrdiff_t *first, ptrdiff_t *end, ptrdiff_t start, ptrdiff_t count)
{
    *first = start > *first ? start : *first;
    *end = start + count < *end ? start + count : *end;
}

bool weft_strided_copies_add_common(weft_copy **copies, weft_device *device, const weft_side *from,
                                    weft_block_at p, const weft_side *to, weft_block_at q)
{
    const weft_view_block *a = &from->block[p.p], *b = &to->block[q.p];
    const ptrdiff_t from_start = weft_side_start(from, p), to_start = weft_side_start(to, q);
    ptrdiff_t count[WEFT_MAX_AXES];
    ptrdiff_t from_at = weft_block_offset(a, p.nth), to_at = weft_block_offset(b, q.nth);
    for (int k = 0; k < from->axes; k++) {
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
    }
    weft_copy *copy = weft_copy_prepare_on(device, from->element, from->axes, count, from_at,
                                           a->stride, to_at, b->stride);
    if (!copy)
        return false;
    copy->from_array = weft_block_array(a, p.nth);
    copy->to_array = weft_block_array(b, q.nth);
    *copies = weft_copy_prepend(copy, *copies);
    return true;
}

bool weft_strided_copies_add_sides(weft_copy **copies, weft_device *device, const weft_side *from,
                                   const weft_side *to)
{
    weft_block_at p = {0};
    do {
        weft_block_at q = {0};
        do
            if (!weft_strided_copies_add_common(copies, device, from, p, to, q))
                return false;
        while (weft_side_next_block(to, &q));
    } while (weft_side_next_block(from, &p));
    return true;
}

void weft_strided_copies_run(const weft_copy *copies, const void *const *from, void *const *to)
{
    for (const weft_copy *it = copies; it; it = it->next)
        queue_copy(it, (const char *)from[it->from_array] + it->from_offset,
                   (char *)to[it->to_array] + it->to_offset);
}
