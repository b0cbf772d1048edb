/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strided n-dimensional copies. Preparing reduces the axes to the fewest that describe the copy and
 * picks a kernel:
 *
 *   rows       what lies together on both sides is a line or more: one row after another
 *   line       the same axis is the fastest on both sides, but its elements are small and apart
 *   transpose  source and target are fastest along different axes: tiles, or blocks of single
 * elements
 *
 * Each byte is read once and written once; the kernels arrange that lines of both sides are used
 * whole while they are in cache.
 */
#include "kernels/copy/copy.h"

#include <stdint.h>
#include <stdlib.h>
#include "kernels/base/cache.h"
#include "kernels/copy/kernel.h"
#include "kernels/base/error.h"
#include "kernels/copy/stream.h"

/* Fills in offsets and axes in bytes. False, with an error, when they cannot be. */
static bool fill(weft_copy *copy, int axes, const ptrdiff_t *count, const ptrdiff_t *from_stride,
                 const ptrdiff_t *to_stride)
{
    ptrdiff_t unit = (ptrdiff_t)copy->unit;
    bool fits = !__builtin_mul_overflow(copy->from_offset, unit, &copy->from_offset) &&
                !__builtin_mul_overflow(copy->to_offset, unit, &copy->to_offset);
    copy->axes = axes;
    copy->units = 1;
    for (int a = 0; a < axes; a++) {
        weft_copy_axis *axis = &copy->axis[a];
        if (count[a] < 0) {
            weft_error("copy: count %td of axis %d is negative", count[a], a);
            return false;
        }
        axis->count = count[a];
        if (count[a] == 0)
            copy->units = 0;
        fits = fits && !__builtin_mul_overflow(from_stride[a], unit, &axis->from) &&
               !__builtin_mul_overflow(to_stride[a], unit, &axis->to);
    }
    for (int a = 0; a < axes && copy->units; a++)
        fits = fits && !__builtin_mul_overflow(copy->units, count[a], &copy->units);
    ptrdiff_t bytes;
    if (!fits || __builtin_mul_overflow(copy->units, unit, &bytes)) {
        weft_error("copy: offsets, strides or counts of elements of %td bytes are too large", unit);
        return false;
    }
    return true;
}

/* Streaming rows want to be read as they lie: 47 GB/s, against 20 when only the target is
 * sequential. */
static void choose_rows(weft_copy *copy)
{
    if (copy->stream)
        weft_copy_sort_by_source(copy);
    copy->inner = copy->axes > 0 ? 1 : 0;
    copy->kernel = weft_copy_rows(copy);
}

static void choose(weft_copy *copy, const weft_copy_limits *limits)
{
    size_t span = weft_copy_span(copy);
    copy->stream = span >= limits->stream;
    copy->ahead = span >= limits->ahead;
    if (copy->unit >= WEFT_LINE || copy->axes == 0) {
        choose_rows(copy);
    } else if (weft_copy_pair_axes(copy)) {
        copy->inner = 2;
        copy->patch = weft_copy_pick_patch(copy->unit);
        copy->kernel = weft_copy_transpose(copy, limits);
        if (!copy->kernel)
            copy->kernel = weft_copy_patches;
    } else {
        copy->inner = 1;
        copy->kernel = weft_copy_line(copy);
    }
}

weft_copy *weft_copy_prepare_limited(const weft_copy_limits *limits, size_t element, int axes,
                                     const ptrdiff_t *count, ptrdiff_t from_offset,
                                     const ptrdiff_t *from_stride, ptrdiff_t to_offset,
                                     const ptrdiff_t *to_stride)
{
    if (element == 0 || element > PTRDIFF_MAX) {
        weft_error("copy: an element of %zu bytes; it takes 1 or more", element);
        return NULL;
    }
    if (axes < 0 || axes > WEFT_MAX_AXES) {
        weft_error("copy: %d axes; it takes 0 to %d", axes, WEFT_MAX_AXES);
        return NULL;
    }
    weft_copy *copy = calloc(1, sizeof *copy);
    if (!copy) {
        weft_error("copy: no memory for its description (%zu bytes)", sizeof *copy);
        return NULL;
    }
    copy->unit = element;
    copy->from_offset = from_offset;
    copy->to_offset = to_offset;
    if (!fill(copy, axes, count, from_stride, to_stride)) {
        free(copy);
        return NULL;
    }
    if (copy->units) {
        weft_copy_simplify(copy);
        choose(copy, limits);
    }
    return copy;
}

weft_copy *weft_copy_prepare(size_t element, int axes, const ptrdiff_t *count,
                             ptrdiff_t from_offset, const ptrdiff_t *from_stride,
                             ptrdiff_t to_offset, const ptrdiff_t *to_stride)
{
    /* Three or four arrays of this size are in use in an exchange. */
    weft_copy_limits limits = {.stream = weft_cache_last() / 4, .ahead = weft_cache_level2() / 2};
    return weft_copy_prepare_limited(&limits, element, axes, count, from_offset, from_stride,
                                     to_offset, to_stride);
}

/* The loops over the axes that the kernel leaves. */
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

void weft_copy_run(const weft_copy *copy, const void *from, void *to)
{
    if (!copy->units)
        return;
    walk(copy, (const char *)from + copy->from_offset, (char *)to + copy->to_offset);
    if (copy->stream)
        weft_stream_fence();
}

void weft_copy_release(weft_copy *copy)
{
    free(copy);
}
