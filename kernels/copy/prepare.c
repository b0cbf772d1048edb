/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strided n-dimensional copies. Preparing a copy reduces the axes to the fewest that describe the
 * copy and picks a kernel:
 *
 *   rows       a cache line or more is contiguous on both sides: one row after another
 *   line       the same axis is the fastest on both sides, but its elements are small and apart
 *   transpose  source and target are fastest along different axes: tiles, or blocks of elements
 *
 * Each byte is read once and written once; the kernels use the whole of each cache line of both
 * sides while it is in cache.
 */
#include "kernels/copy/copy.h"

#include <stdint.h>
#include <stdlib.h>
#include "kernels/base/cache.h"
#include "kernels/copy/kernel.h"
#include "kernels/base/memory.h"

/* Sets the axes, but leaves out axes of one index. */
static void fill(weft_copy *copy, int axes, const ptrdiff_t *count, const ptrdiff_t *from_stride,
                 const ptrdiff_t *to_stride)
{
    const ptrdiff_t unit = (ptrdiff_t)copy->unit;
    copy->from_offset *= unit;
    copy->to_offset *= unit;
    for (int a = 0; a < axes; a++) {
        copy->empty |= count[a] == 0;
        if (count[a] != 1)
            copy->axis[copy->axes++] =
                (weft_copy_axis){count[a], from_stride[a] * unit, to_stride[a] * unit};
    }
}

/* Whether a comes before b in the order of the target, or of the source. */
static bool slower(const weft_copy_axis *a, const weft_copy_axis *b, bool in_source)
{
    if (!in_source && labs(a->to) != labs(b->to))
        return labs(a->to) > labs(b->to);
    return labs(a->from) > labs(b->from);
}

/* Sorts the axes by their step, the larger step first. */
static void sort(weft_copy *copy, bool in_source)
{
    for (int a = 1; a < copy->axes; a++) {
        weft_copy_axis axis = copy->axis[a];
        int b = a;
        for (; b > 0 && slower(&axis, &copy->axis[b - 1], in_source); b--)
            copy->axis[b] = copy->axis[b - 1];
        copy->axis[b] = axis;
    }
}

/* Whether one step of `outer` is the whole length of `inner`, on both sides. */
static bool continues(const weft_copy_axis *outer, const weft_copy_axis *inner)
{
    return outer->from == inner->count * inner->from && outer->to == inner->count * inner->to;
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
        const ptrdiff_t unit = (ptrdiff_t)copy->unit;
        if (axis->from != unit || axis->to != unit)
            return;
        copy->unit *= (size_t)axis->count;
        copy->axes--;
    }
}

/* Moves the axis with the smallest step in the source to the last place but one. Returns false if
 * it is the last axis: then the same axis is the fastest on both sides. */
static bool pair_axes(weft_copy *copy)
{
    int last = copy->axes - 1, nearest = last;
    for (int a = last - 1; a >= 0; a--)
        if (labs(copy->axis[a].from) < labs(copy->axis[nearest].from))
            nearest = a;
    if (nearest == last)
        return false;
    weft_copy_axis axis = copy->axis[nearest];
    for (int a = nearest; a < last - 1; a++)
        copy->axis[a] = copy->axis[a + 1];
    copy->axis[last - 1] = axis;
    return true;
}

/* The number of bytes that the larger of source and target spans, gaps included. */
static size_t span_of(const weft_copy *copy)
{
    size_t from = copy->unit, to = copy->unit;
    for (int a = 0; a < copy->axes; a++) {
        size_t steps = (size_t)copy->axis[a].count - 1;
        from += steps * (size_t)labs(copy->axis[a].from);
        to += steps * (size_t)labs(copy->axis[a].to);
    }
    return from > to ? from : to;
}

static void choose(weft_copy *copy, const weft_copy_limits *limits)
{
    copy->stream = span_of(copy) >= limits->stream;
    if (copy->unit >= WEFT_LINE || copy->axes == 0) {
        if (copy->stream) /* 47 GB/s, against 20 GB/s if only the target is sequential */
            sort(copy, true);
        copy->inner = copy->axes > 0;
        copy->kernel = weft_copy_rows;
    } else if (pair_axes(copy)) {
        const weft_copy_axis *rows = &copy->axis[copy->axes - 1], *columns = rows - 1;
        const ptrdiff_t unit = (ptrdiff_t)copy->unit;
        copy->inner = 2;
        copy->strip = rows->to == unit && columns->from == unit
                          ? weft_copy_pick_strip(copy->unit, limits->baseline)
                          : NULL;
        copy->kernel = copy->strip ? weft_copy_transpose : weft_copy_patches;
    } else {
        copy->inner = 1;
        copy->kernel = weft_copy_line;
    }
}

weft_copy *weft_copy_reduce(size_t element, int axes, const ptrdiff_t *count, ptrdiff_t from_offset,
                            const ptrdiff_t *from_stride, ptrdiff_t to_offset,
                            const ptrdiff_t *to_stride)
{
    weft_copy *copy =
        weft_new(1, sizeof *copy + (size_t)axes * sizeof(weft_copy_axis), "a copy of blocks");
    if (!copy)
        return NULL;
    copy->unit = element;
    copy->from_offset = from_offset;
    copy->to_offset = to_offset;
    fill(copy, axes, count, from_stride, to_stride);
    if (!copy->empty) {
        sort(copy, false);
        join(copy); /* a copy between contiguous arrays becomes one unit */
        grow_unit(copy);
    }
    weft_copy *smaller = realloc(copy, sizeof *copy + (size_t)copy->axes * sizeof(weft_copy_axis));
    return smaller ? smaller : copy;
}

weft_copy *weft_copy_prepare_limited(const weft_copy_limits *limits, size_t element, int axes,
                                     const ptrdiff_t *count, ptrdiff_t from_offset,
                                     const ptrdiff_t *from_stride, ptrdiff_t to_offset,
                                     const ptrdiff_t *to_stride)
{
    weft_copy *copy =
        weft_copy_reduce(element, axes, count, from_offset, from_stride, to_offset, to_stride);
    if (copy && !copy->empty)
        choose(copy, limits);
    return copy;
}

weft_copy *weft_copy_prepare(size_t element, int axes, const ptrdiff_t *count,
                             ptrdiff_t from_offset, const ptrdiff_t *from_stride,
                             ptrdiff_t to_offset, const ptrdiff_t *to_stride)
{
    /* An exchange uses three or four arrays of this size at the same time. */
    weft_copy_limits limits = {.stream = weft_cache_last() / 4};
    return weft_copy_prepare_limited(&limits, element, axes, count, from_offset, from_stride,
                                     to_offset, to_stride);
}

/* Loops over the axes that the kernel does not loop over. */
static void walk(const weft_copy *copy, const char *from, char *to)
{
    ptrdiff_t index[WEFT_MAX_AXES] = {0};
    const weft_copy_axis *axis = copy->axis;
    int outer = copy->axes - copy->inner;
    for (;;) {
        copy->kernel(copy, from, to);
        int a = outer - 1;
        for (; a >= 0; a--) {
            from += axis[a].from;
            to += axis[a].to;
            if (++index[a] < axis[a].count)
                break;
            from -= axis[a].count * axis[a].from;
            to -= axis[a].count * axis[a].to;
            index[a] = 0;
        }
        if (a < 0)
            return;
    }
}

weft_copy *weft_copy_prepend(weft_copy *copy, weft_copy *others)
{
    copy->next = others;
    return copy;
}

void weft_copy_run(const weft_copy *copy, const void *from, void *to)
{
    for (; copy; copy = copy->next) {
        if (copy->empty)
            continue;
        walk(copy, (const char *)from + copy->from_offset, (char *)to + copy->to_offset);
        if (copy->stream)
            weft_stream_fence();
    }
}

void weft_copy_release(weft_copy *copy)
{
    while (copy) {
        weft_copy *next = copy->next;
        free(copy);
        copy = next;
    }
}
