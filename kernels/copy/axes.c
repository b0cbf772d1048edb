/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reducing a copy to the fewest axes that describe it: a copy of contiguous arrays becomes one
 * unit, however many axes it came with.
 */
#include "kernels/copy/kernel.h"

static ptrdiff_t distance(ptrdiff_t step)
{
    return step < 0 ? -step : step;
}

/* Whether a comes before b: by step in the target, then in the source, the larger first. */
static bool slower(const weft_copy_axis *a, const weft_copy_axis *b)
{
    if (distance(a->to) != distance(b->to))
        return distance(a->to) > distance(b->to);
    return distance(a->from) > distance(b->from);
}

static void drop_single(weft_copy *copy)
{
    int left = 0;
    for (int a = 0; a < copy->axes; a++)
        if (copy->axis[a].count != 1)
            copy->axis[left++] = copy->axis[a];
    copy->axes = left;
}

static bool slower_in_source(const weft_copy_axis *a, const weft_copy_axis *b)
{
    return distance(a->from) > distance(b->from);
}

static void sort(weft_copy *copy, bool (*before)(const weft_copy_axis *, const weft_copy_axis *))
{
    for (int a = 1; a < copy->axes; a++) {
        weft_copy_axis axis = copy->axis[a];
        int b = a;
        for (; b > 0 && before(&axis, &copy->axis[b - 1]); b--)
            copy->axis[b] = copy->axis[b - 1];
        copy->axis[b] = axis;
    }
}

void weft_copy_sort_by_source(weft_copy *copy)
{
    sort(copy, slower_in_source);
}

/* Whether the whole of `inner` is one step of `outer`, on both sides. */
static bool continues(const weft_copy_axis *outer, const weft_copy_axis *inner)
{
    ptrdiff_t from, to;
    return !__builtin_mul_overflow(inner->count, inner->from, &from) && outer->from == from &&
           !__builtin_mul_overflow(inner->count, inner->to, &to) && outer->to == to;
}

static void join(weft_copy *copy)
{
    if (copy->axes == 0)
        return;
    int last = 0;
    for (int a = 1; a < copy->axes; a++) {
        weft_copy_axis *outer = &copy->axis[last], *inner = &copy->axis[a];
        if (continues(outer, inner)) {
            inner->count *= outer->count;
            *outer = *inner;
        } else {
            copy->axis[++last] = *inner;
        }
    }
    copy->axes = last + 1;
}

static void grow_unit(weft_copy *copy)
{
    while (copy->axes > 0) {
        const weft_copy_axis *axis = &copy->axis[copy->axes - 1];
        ptrdiff_t unit = (ptrdiff_t)copy->unit;
        if (axis->from != unit || axis->to != unit)
            return;
        copy->units /= axis->count;
        copy->unit *= (size_t)axis->count;
        copy->axes--;
    }
}

void weft_copy_simplify(weft_copy *copy)
{
    drop_single(copy);
    sort(copy, slower);
    join(copy);
    grow_unit(copy);
}

bool weft_copy_pair_axes(weft_copy *copy)
{
    int last = copy->axes - 1, nearest = last;
    for (int a = last - 1; a >= 0; a--)
        if (distance(copy->axis[a].from) < distance(copy->axis[nearest].from))
            nearest = a;
    if (nearest == last)
        return false;
    weft_copy_axis axis = copy->axis[nearest];
    for (int a = nearest; a < last - 1; a++)
        copy->axis[a] = copy->axis[a + 1];
    copy->axis[last - 1] = axis;
    return true;
}

size_t weft_copy_span(const weft_copy *copy)
{
    size_t from = copy->unit, to = copy->unit;
    for (int a = 0; a < copy->axes; a++) {
        size_t steps = (size_t)copy->axis[a].count - 1;
        from += steps * (size_t)distance(copy->axis[a].from);
        to += steps * (size_t)distance(copy->axis[a].to);
    }
    return from > to ? from : to;
}
