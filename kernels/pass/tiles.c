/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cuts a sweep into tiles. The innermost axes of both sides first get whole cache lines, then whole
 * pages, because a walk that returns to the same page many times for a few bytes costs more than
 * the transforms. The other axes get the rest of the cache, the inner ones first.
 */
#include "kernels/pass/tiles.h"

#include <stdint.h>
#include <stdlib.h>
#include "kernels/base/cache.h"
#include "kernels/base/memory.h"

/* Bytes that the rows of a tile should have: ROW at least, PAGE if that fits the cache. */
enum { ROW = 2 * WEFT_LINE, PAGE = 4096 };

/* The entry of a side that contains an index of the divided axis; 0 for other axes. */
static int block_at(const weft_side *side, int axis, ptrdiff_t index)
{
    if (side->axis != axis)
        return 0;
    int low = 0, high = side->blocks - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (side->block[middle].start <= index)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The index at which the block that contains `index` ends. */
static ptrdiff_t block_end(const weft_side *side, int axis, int block, ptrdiff_t index)
{
    if (!weft_side_divided(side) || side->axis != axis)
        return side->count[axis];
    const ptrdiff_t start = side->block[block].start, count = side->block[block].count;
    return start + ((index - start) / count + 1) * count;
}

/* Number of indices in each part of a length, at most `extent`: a divisor of the length if parts
 * are short, otherwise a multiple of 4 if possible, so that cache lines are not cut. */
static ptrdiff_t part_of(ptrdiff_t length, ptrdiff_t extent)
{
    if (extent >= length)
        return length;
    if (extent >= 8)
        extent -= extent % 4;
    ptrdiff_t parts = (length - 1) / extent + 1;
    ptrdiff_t part = (length - 1) / parts + 1;
    ptrdiff_t rounded = (part + 3) / 4 * 4;
    for (ptrdiff_t divisor = part; part < 16 && divisor > part / 2; divisor--)
        if (length % divisor == 0)
            return divisor;
    return rounded <= extent ? rounded : part;
}

/* Writes the stretches, with the numbers of their spans; if `stretch` is NULL, only counts both. A
 * transformed axis stays whole.
 *
 * This function writes the fields of a stretch where the caller needs them. GCC 14.2 miscompiles a
 * local stretch that is compared and then copied (at -O2 and -O3): where it compares two
 * neighbouring int fields at once, -ftree-sra drops `whole` from the copy. GCC 12.2, 13.3, 14.4,
 * 15.3 and 16.2 compile it correctly. It is probably GCC's bug 118924. */
static ptrdiff_t cut(weft_stretch *stretch, int *stretches, const weft_side *source,
                     const weft_side *target, int axis, bool transformed, ptrdiff_t extent)
{
    const ptrdiff_t size = source->count[axis];
    weft_stretch only_counted, *last = NULL;
    ptrdiff_t spans = 0;
    *stretches = 0;
    for (ptrdiff_t start = 0, end; start < size; start = end) {
        const int from = transformed ? 0 : block_at(source, axis, start),
                  to = transformed ? 0 : block_at(target, axis, start);
        const ptrdiff_t other = transformed ? size : block_end(target, axis, to, start);
        end = transformed ? size : block_end(source, axis, from, start);
        end = other < end ? other : end;
        if (last && last->whole.count == end - start && last->whole.from_block == from &&
            last->whole.to_block == to) {
            last->more++;
        } else {
            last = stretch ? &stretch[*stretches] : &only_counted;
            last->whole.start = start;
            last->whole.count = end - start;
            last->whole.from_block = from;
            last->whole.to_block = to;
            last->part = part_of(end - start, extent);
            last->first = spans;
            last->spans = (end - start - 1) / last->part + 1;
            last->more = 0;
            ++*stretches;
        }
        spans += last->spans;
    }
    return spans;
}

static ptrdiff_t count_spans(const weft_side *source, const weft_side *target, int axis,
                             ptrdiff_t extent)
{
    int stretches;
    return cut(NULL, &stretches, source, target, axis, false, extent);
}

static weft_tile_span span_at(const weft_cuts *cuts, ptrdiff_t number)
{
    int low = 0, high = cuts->stretches - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (cuts->stretch[middle].first <= number)
            low = middle;
        else
            high = middle - 1;
    }
    const weft_stretch *stretch = &cuts->stretch[low];
    weft_tile_span span = stretch->whole;
    ptrdiff_t before = number - stretch->first;
    if (stretch->more > 0) {
        span.start += before / stretch->spans * span.count;
        before %= stretch->spans;
    }
    before *= stretch->part;
    span.start += before;
    span.count -= before;
    if (span.count > stretch->part)
        span.count = stretch->part;
    else
        span.shape = stretch->last_shape;
    return span;
}

static ptrdiff_t shape_of(weft_cuts *cuts, weft_tile_span *found, const weft_side *source,
                          const weft_side *target, weft_tile_span span)
{
    for (ptrdiff_t s = 0; s < cuts->shapes; s++)
        if (found[s].count == span.count &&
            source->block[found[s].from_block].like == source->block[span.from_block].like &&
            target->block[found[s].to_block].like == target->block[span.to_block].like)
            return s;
    found[cuts->shapes] = span;
    return cuts->shapes++;
}

static bool find_shapes(weft_cuts *cuts, const weft_side *source, const weft_side *target)
{
    weft_tile_span *found = weft_new(2 * (size_t)cuts->stretches, sizeof *found, "shapes of tiles");
    for (int s = 0; found && s < cuts->stretches; s++) {
        weft_stretch *stretch = &cuts->stretch[s];
        weft_tile_span span = stretch->whole;
        span.count = stretch->part;
        if (stretch->spans > 1)
            stretch->whole.shape = shape_of(cuts, found, source, target, span);
        span.count = stretch->whole.count - (stretch->spans - 1) * stretch->part;
        stretch->last_shape = shape_of(cuts, found, source, target, span);
    }
    free(found);
    return found != NULL;
}

/* Cuts an axis. False: no memory. */
static bool make_cuts(weft_cuts *cuts, const weft_side *source, const weft_side *target, int axis,
                      bool transformed, ptrdiff_t extent)
{
    cut(NULL, &cuts->stretches, source, target, axis, transformed, extent);
    cuts->stretch =
        weft_new((size_t)cuts->stretches, sizeof *cuts->stretch, "stretches of an axis");
    if (!cuts->stretch)
        return false;
    cuts->spans = cut(cuts->stretch, &cuts->stretches, source, target, axis, transformed, extent);
    return find_shapes(cuts, source, target);
}

/* The length of the longest block along an axis: a tile cannot have more indices. */
static ptrdiff_t longest_block(const weft_side *source, const weft_side *target, int axis)
{
    ptrdiff_t most = source->count[axis];
    const weft_side *sides[] = {source, target};
    for (int s = 0; s < 2; s++) {
        ptrdiff_t block = 0;
        if (sides[s]->axis != axis)
            continue;
        for (int p = 0; p < sides[s]->blocks; p++)
            if (sides[s]->block[p].count > block)
                block = sides[s]->block[p].count;
        if (block < most)
            most = block;
    }
    return most;
}

/* A tile may exceed its size by this factor before an axis is cut, because real transforms have
 * axes of half a power of two, plus one. */
static const double SLACK = 17. / 16;

/* Grows an extent towards `wanted`, but not above `limit`, and a tile not above `most` elements. */
static void grow(ptrdiff_t *extent, ptrdiff_t wanted, ptrdiff_t limit, double *elements,
                 double most)
{
    if (wanted > limit)
        wanted = limit;
    double factor = most / *elements;
    if ((double)wanted > (double)*extent * factor * (wanted == limit ? SLACK : 1))
        wanted = (ptrdiff_t)((double)*extent * factor);
    if (wanted <= *extent)
        return;
    *elements *= (double)wanted / (double)*extent;
    *extent = wanted;
}

/* Indices of the innermost axis that have this many bytes; 1 if the axis is transformed. */
static ptrdiff_t indices_of_bytes(const weft_side *side, int inner, const bool *transformed,
                                  size_t bytes)
{
    if (transformed[inner])
        return 1;
    ptrdiff_t step = side->block[0].stride[inner];
    step = step < 0 ? -step : step;
    ptrdiff_t count = (ptrdiff_t)(bytes / side->element) / (step ? step : 1);
    return count < 1 ? 1 : count;
}

/* Chooses the extent of a tile along each axis: at most `most` elements of the larger side, but
 * always whole cache lines. */
static void choose_extents(const weft_side *source, const weft_side *target,
                           const bool *transformed, double most, ptrdiff_t *extent)
{
    int order[2][WEFT_MAX_AXES], axes = source->axes;
    double elements = 1;
    for (int a = 0; a < axes; a++) {
        ptrdiff_t count = source->count[a] > target->count[a] ? source->count[a] : target->count[a];
        extent[a] = transformed[a] ? count : 1;
        elements *= (double)extent[a];
    }
    weft_side_order(source, order[0]);
    weft_side_order(target, order[1]);
    const weft_side *sides[] = {source, target};
    int inner[] = {order[0][axes - 1], order[1][axes - 1]};
    for (size_t row = ROW; row <= PAGE; row *= 2)
        for (int k = 0; k < 2; k++) {
            const int s = row == ROW ? k : 1 - k, axis = inner[s];
            /* whole cache lines, even if the tile becomes too large for the cache */
            grow(&extent[axis], indices_of_bytes(sides[s], axis, transformed, row),
                 transformed[axis] ? 1 : longest_block(source, target, axis), &elements,
                 row == ROW ? elements * 1e9 : most);
        }
    for (int k = axes - 1; k >= 0; k--) {
        int a = order[1][k];
        if (!transformed[a])
            grow(&extent[a], PTRDIFF_MAX, longest_block(source, target, a), &elements, most);
    }
}

/* Halves extents until there are two tiles for each thread. */
static void share_out(const weft_side *source, const weft_side *target, const bool *transformed,
                      int threads, ptrdiff_t *extent)
{
    int order[WEFT_MAX_AXES];
    ptrdiff_t tiles = 1;
    weft_side_order(source, order);
    for (int a = 0; a < source->axes; a++)
        if (!transformed[a])
            tiles *= count_spans(source, target, a, extent[a]);
    for (int k = 0; threads > 1 && k < source->axes; k++) {
        int a = order[k];
        while (!transformed[a] && tiles < 2 * (ptrdiff_t)threads && extent[a] > 1) {
            tiles /= count_spans(source, target, a, extent[a]);
            extent[a] = (extent[a] + 1) / 2;
            tiles *= count_spans(source, target, a, extent[a]);
        }
    }
}

bool weft_tiling_make(weft_tiling *tiling, const weft_side *source, const weft_side *target,
                      const bool *transformed, double most, int threads)
{
    ptrdiff_t extent[WEFT_MAX_AXES];
    choose_extents(source, target, transformed, most, extent);
    share_out(source, target, transformed, threads, extent);
    *tiling = (weft_tiling){.axes = source->axes, .tiles = 1, .shapes = 1};
    for (int a = 0; a < source->axes; a++) {
        weft_cuts *cuts = &tiling->axis[a];
        if (!make_cuts(cuts, source, target, a, transformed[a], extent[a])) {
            weft_tiling_free(tiling);
            return false;
        }
        tiling->tiles *= cuts->spans;
        tiling->shapes *= cuts->shapes;
    }
    weft_side_order(source, tiling->order);
    return true;
}

void weft_tiling_free(weft_tiling *tiling)
{
    for (int a = 0; a < tiling->axes; a++)
        free(tiling->axis[a].stretch);
    *tiling = (weft_tiling){0};
}

void weft_tiling_tile(const weft_tiling *tiling, ptrdiff_t place, weft_tile *tile)
{
    tile->shape = 0;
    for (int k = tiling->axes - 1; k >= 0; k--) {
        int a = tiling->order[k];
        const weft_cuts *cuts = &tiling->axis[a];
        tile->span[a] = span_at(cuts, place % cuts->spans);
        place /= cuts->spans;
    }
    for (int a = 0; a < tiling->axes; a++)
        tile->shape = tile->shape * tiling->axis[a].shapes + tile->span[a].shape;
}

weft_block_at weft_tile_block(const weft_tile *tile, const weft_side *side, bool is_target)
{
    const weft_tile_span *span = &tile->span[side->axis];
    const int p = is_target ? span->to_block : span->from_block;
    const weft_view_block *block = &side->block[p];
    const ptrdiff_t from_first = block->more > 0 ? span->start - side->block[p].start : 0;
    return (weft_block_at){p, from_first ? (int)(from_first / block->count) : 0};
}

/* Finds a span of a shape and returns the number of spans of this shape. */
static ptrdiff_t span_of_shape(const weft_cuts *cuts, ptrdiff_t shape, weft_tile_span *span)
{
    ptrdiff_t spans = 0, number = 0;
    for (int s = 0; s < cuts->stretches; s++) {
        const weft_stretch *stretch = &cuts->stretch[s];
        const ptrdiff_t before = stretch->spans - 1;
        if (before > 0 && stretch->whole.shape == shape) {
            number = stretch->first;
            spans += before * (1 + stretch->more);
        }
        if (stretch->last_shape == shape) {
            number = stretch->first + before;
            spans += 1 + stretch->more;
        }
    }
    *span = span_at(cuts, number);
    return spans;
}

ptrdiff_t weft_tiling_of_shape(const weft_tiling *tiling, ptrdiff_t shape, weft_tile *tile)
{
    ptrdiff_t tiles = 1;
    tile->shape = shape;
    for (int a = tiling->axes - 1; a >= 0; a--) {
        const weft_cuts *cuts = &tiling->axis[a];
        tiles *= span_of_shape(cuts, shape % cuts->shapes, &tile->span[a]);
        shape /= cuts->shapes;
    }
    return tiles;
}
