/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/copies.h"
#include <string.h>
#include "tests/layouts.h"

enum { MOST_AXES = 6 };

uint64_t copies_state;

ptrdiff_t copies_below(ptrdiff_t limit)
{
    return random_below(&copies_state, limit);
}

void copies_fill(void *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)memory)[i] = (unsigned char)((i * 2654435761u) >> 13);
}

void copies_by_loop(const strided_copy *it, const void *from, void *to)
{
    const ptrdiff_t element = (ptrdiff_t)it->element;
    ptrdiff_t total = 1;
    for (int a = 0; a < it->axes; a++)
        total *= it->count[a];
    for (ptrdiff_t n = 0; n < total; n++) {
        ptrdiff_t rest = n, source = it->from_offset, target = it->to_offset;
        for (int a = it->axes - 1; a >= 0; a--) {
            source += rest % it->count[a] * it->from_stride[a];
            target += rest % it->count[a] * it->to_stride[a];
            rest /= it->count[a];
        }
        memcpy((char *)to + target * element, (const char *)from + source * element, it->element);
    }
}

ptrdiff_t copies_reach(const strided_copy *it, bool target)
{
    ptrdiff_t last = target ? it->to_offset : it->from_offset;
    for (int a = 0; a < it->axes; a++) {
        const ptrdiff_t stride = target ? it->to_stride[a] : it->from_stride[a];
        last += stride > 0 && it->count[a] > 0 ? (it->count[a] - 1) * stride : 0;
    }
    return last + 1;
}

/* Makes strides of axes in random order, sometimes with a reversed axis; returns the offset. */
static ptrdiff_t some_strides(const strided_copy *it, ptrdiff_t *stride)
{
    int order[MOST_AXES];
    const ptrdiff_t padding = copies_below(3) ? 0 : 9;
    ptrdiff_t step = 1 + (copies_below(4) == 0), offset = copies_below(2) ? 0 : copies_below(20);
    random_order(&copies_state, it->axes, order);
    for (int a = it->axes - 1; a >= 0; a--) {
        stride[order[a]] = step;
        step *= it->count[order[a]];
        step += padding && copies_below(2) ? copies_below(padding + 1) : 0;
    }
    if (it->axes > 0 && copies_below(4) == 0) {
        const int a = (int)copies_below(it->axes);
        offset += (it->count[a] - 1) * stride[a];
        stride[a] = -stride[a];
    }
    return offset;
}

/* The number of elements is about this, with random lengths of axes, sometimes 1. */
strided_copy copies_random(size_t element)
{
    strided_copy it = {.element = element, .axes = (int)copies_below(MOST_AXES + 1)};
    ptrdiff_t left = 1 + copies_below(40000);
    for (int a = 0; a < it.axes; a++) {
        const ptrdiff_t most = a == it.axes - 1 || left < 300 ? left : 300;
        it.count[a] = 1 + copies_below(most > 0 ? most : 1);
        left = left / it.count[a] > 1 ? left / it.count[a] : 1;
    }
    it.from_offset = some_strides(&it, it.from_stride);
    it.to_offset = some_strides(&it, it.to_stride);
    if (it.axes > 0 && copies_below(20) == 0)
        it.count[copies_below(it.axes)] = 0;
    return it;
}
