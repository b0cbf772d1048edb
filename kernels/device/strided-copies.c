/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of strided copies on a device. Axes of one index are left out. The device library chooses
 * the best order of the axes, and joins axes that both sides can walk as one. */
#include "kernels/device/strided-copies.h"

#include <stdlib.h>
#include "kernels/base/error.h"

static bool ensure_capacity(weft_strided_copies *copies)
{
    if (copies->count < copies->capacity)
        return true;
    const int capacity = copies->capacity ? 2 * copies->capacity : 4;
    weft_array_copy *larger = realloc(copies->copy, (size_t)capacity * sizeof *larger);
    if (!larger) {
        weft_error("no memory for the copies of a pass");
        return false;
    }
    copies->copy = larger;
    copies->capacity = capacity;
    return true;
}

bool weft_strided_copies_add(weft_strided_copies *copies, size_t element, int axes,
                             const ptrdiff_t *count, int from, ptrdiff_t from_offset,
                             const ptrdiff_t *from_stride, int to, ptrdiff_t to_offset,
                             const ptrdiff_t *to_stride)
{
    for (int a = 0; a < axes; a++)
        if (count[a] == 0)
            return true;
    if (!ensure_capacity(copies))
        return false;
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

void weft_strided_copies_run(const weft_strided_copies *copies, weft_device *device,
                             const void *const *from, void *const *to)
{
    for (int i = 0; i < copies->count && !device->failed; i++) {
        const weft_array_copy *it = &copies->copy[i];
        weft_device_record(device, device->library->copy_strided(&it->copy, from[it->from],
                                                                 to[it->to], device->queue));
    }
}

void weft_strided_copies_free(weft_strided_copies *copies)
{
    free(copies->copy);
    *copies = (weft_strided_copies){0};
}
