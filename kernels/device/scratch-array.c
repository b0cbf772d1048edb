/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/device/scratch-array.h"

void weft_scratch_array_order_axes(weft_scratch_array *scratch, const weft_side *by)
{
    int sorted[WEFT_MAX_AXES], at = 0;
    weft_side_order(by, sorted);
    for (int i = 0; i < by->axes; i++)
        if (!scratch->changes[sorted[i]])
            scratch->order[at++] = sorted[i];
    scratch->kept = at;
    for (int i = 0; i < by->axes; i++)
        if (scratch->changes[sorted[i]] && sorted[i] != scratch->halved)
            scratch->order[at++] = sorted[i];
    if (scratch->halved >= 0)
        scratch->order[at++] = scratch->halved;
    scratch->transformed = at - scratch->kept;
}

/* Number of indices of an axis for which the scratch array has space. */
static ptrdiff_t stored(const weft_scratch_array *scratch, const weft_side *side, int axis)
{
    const bool padded = axis == scratch->halved && side->element == sizeof(weft_real);
    return padded ? 2 * (scratch->size[axis] / 2 + 1) : side->count[axis];
}

bool weft_scratch_array_make_side(const weft_scratch_array *scratch, const weft_side *like,
                                  weft_side *made)
{
    ptrdiff_t capacity[WEFT_MAX_AXES];
    for (int axis = 0; axis < like->axes; axis++)
        capacity[axis] = stored(scratch, like, axis);
    return weft_side_make_compact(made, like->axes, scratch->order, capacity, like->count,
                                  like->element);
}

ptrdiff_t weft_scratch_array_inner_count(const weft_scratch_array *scratch, const weft_side *side,
                                         int i)
{
    ptrdiff_t numbers = 1;
    for (; i < side->axes; i++)
        numbers *= side->count[scratch->order[i]];
    return numbers;
}

bool weft_scratch_array_matches(const weft_scratch_array *scratch, const weft_side *side,
                                weft_embedding *as)
{
    const ptrdiff_t *stride = side->block[0].stride;
    const int first = scratch->kept, last = side->axes - 1;
    if (weft_side_divided(side) || scratch->transformed > WEFT_AT_ONCE || scratch->transformed < 1)
        return false;
    as->stride = stride[scratch->order[last]];
    if (as->stride < 1)
        return false;
    ptrdiff_t step = as->stride;
    for (int i = last; i > first; i--) {
        const ptrdiff_t outer = stride[scratch->order[i - 1]];
        if (outer < step * side->count[scratch->order[i]] || outer % step)
            return false;
        as->embed[i - first] = outer / step;
        step = outer;
    }
    as->embed[0] = side->count[scratch->order[first]];
    as->distance = 0;
    ptrdiff_t expected = 0;
    for (int i = first - 1; i >= 0; i--) {
        const int axis = scratch->order[i];
        if (side->count[axis] == 1)
            continue;
        if (as->distance == 0)
            as->distance = expected = stride[axis];
        if (stride[axis] != expected || stride[axis] < 1)
            return false;
        expected *= side->count[axis];
    }
    if (as->distance == 0)
        as->distance = as->stride * weft_scratch_array_inner_count(scratch, side, first);
    return true;
}

weft_embedding weft_scratch_array_embedding(const weft_scratch_array *scratch,
                                            const weft_side *made)
{
    const int axes = scratch->transformed < WEFT_AT_ONCE ? scratch->transformed : WEFT_AT_ONCE;
    const int first = made->axes - axes;
    weft_embedding as = {.stride = 1, .distance = 1};
    for (int k = axes - 1; k >= 0; k--) {
        as.embed[k] = stored(scratch, made, scratch->order[first + k]);
        as.distance *= as.embed[k];
    }
    return as;
}
