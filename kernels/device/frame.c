/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/device/frame.h"

enum { LINE = 512 };

void weft_frame_order(weft_frame *frame, const weft_side *by)
{
    int sorted[WEFT_MAX_AXES], at = 0;
    weft_side_order(by, sorted);
    for (int i = 0; i < by->axes; i++)
        if (!frame->changes[sorted[i]])
            frame->order[at++] = sorted[i];
    frame->kept = at;
    for (int i = 0; i < by->axes; i++)
        if (frame->changes[sorted[i]] && sorted[i] != frame->halved)
            frame->order[at++] = sorted[i];
    if (frame->halved >= 0)
        frame->order[at++] = frame->halved;
    frame->transformed = at - frame->kept;
}

static bool is_padded(const weft_frame *frame, const weft_side *side, int axis)
{
    return axis == frame->halved && side->element == sizeof(weft_real);
}

bool weft_frame_make(const weft_frame *frame, const weft_side *like, weft_side *made)
{
    weft_view_piece piece = {.count = like->count[0]};
    const weft_view view = {.axis = 0, .pieces = 1, .piece = &piece};
    ptrdiff_t stride = 1;
    for (int i = like->axes - 1; i >= 0; i--) {
        const int axis = frame->order[i];
        ptrdiff_t count = like->count[axis];
        piece.stride[axis] = stride;
        if (is_padded(frame, like, axis))
            count = 2 * (frame->size[axis] / 2 + 1);
        stride *= count;
    }
    return weft_side_make(made, like->axes, like->count, like->element, &view);
}

size_t weft_frame_bytes(const weft_side *made)
{
    const size_t bytes = (size_t)weft_side_elements(made) * made->element;
    return (bytes + LINE - 1) / LINE * LINE;
}

ptrdiff_t weft_frame_inner(const weft_frame *frame, const weft_side *side, int i)
{
    ptrdiff_t numbers = 1;
    for (; i < side->axes; i++)
        numbers *= side->count[frame->order[i]];
    return numbers;
}

bool weft_frame_embeds(const weft_frame *frame, const weft_side *side, weft_embedding *as)
{
    const ptrdiff_t *stride = side->piece[0].stride;
    const int first = frame->kept, last = side->axes - 1;
    if (weft_side_divided(side) || frame->transformed > WEFT_AT_ONCE || frame->transformed < 1)
        return false;
    as->stride = stride[frame->order[last]];
    if (as->stride < 1)
        return false;
    ptrdiff_t step = as->stride;
    for (int i = last; i > first; i--) {
        const ptrdiff_t outer = stride[frame->order[i - 1]];
        if (outer < step * side->count[frame->order[i]] || outer % step)
            return false;
        as->embed[i - first] = outer / step;
        step = outer;
    }
    as->embed[0] = side->count[frame->order[first]];
    as->distance = 0;
    ptrdiff_t expected = 0;
    for (int i = first - 1; i >= 0; i--) {
        const int axis = frame->order[i];
        if (side->count[axis] == 1)
            continue;
        if (as->distance == 0)
            as->distance = expected = stride[axis];
        if (stride[axis] != expected || stride[axis] < 1)
            return false;
        expected *= side->count[axis];
    }
    if (as->distance == 0)
        as->distance = as->stride * weft_frame_inner(frame, side, first);
    return true;
}

weft_embedding weft_frame_embedding(const weft_frame *frame, const weft_side *made)
{
    const int axes = frame->transformed < WEFT_AT_ONCE ? frame->transformed : WEFT_AT_ONCE;
    const int first = made->axes - axes;
    weft_embedding as = {.stride = 1, .distance = 1};
    for (int k = axes - 1; k >= 0; k--) {
        const int axis = frame->order[first + k];
        as.embed[k] =
            is_padded(frame, made, axis) ? 2 * (frame->size[axis] / 2 + 1) : made->count[axis];
        as.distance *= as.embed[k];
    }
    return as;
}
