/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translates a strided copy into a sweep, the parameters of the kernels:
 *
 *     1. An element becomes units: 3 x 4 elements of 24 bytes become 3 x 4 x 3 units of 8 bytes.
 *     2. Axes are ordered by their step in the target; axes that both sides can walk as one are
 *        joined.
 *     3. The unit is doubled while all steps and addresses are multiples of twice its size.
 *     4. If the same axis is the fastest of source and target, the kernel copies lines, otherwise
 *        tiles.
 *
 * Tiles pay only if neighbours in the source are in the same cache line.
 */
#include "kernels/cuda/kernels.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 4, LARGEST = 16, SECTOR = 128 }; /* bytes: smallest and largest unit, one fetch */

static uint64_t magnitude(int64_t step)
{
    return step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
}

static int bits_of(uint64_t count, int most)
{
    int bits = 0;
    while (bits < most && (uint64_t)1 << bits < count)
        bits++;
    return bits;
}

static weft_divider divider_of(uint64_t count)
{
    const uint32_t bits = (uint32_t)bits_of(count, 31);
    uint64_t numerator = (uint64_t)1 << (31 + bits);
    return (weft_divider){(uint32_t)((numerator + count - 1) / count), 31 + bits};
}

/* Compares axes for sorting: the fastest in the target first. */
static int by_target(const void *left, const void *right)
{
    const weft_sweep_axis *l = left, *r = right;
    uint64_t l_to = magnitude(l->to), r_to = magnitude(r->to);
    if (l_to != r_to)
        return l_to < r_to ? -1 : 1;
    uint64_t l_from = magnitude(l->from), r_from = magnitude(r->from);
    return (l_from > r_from) - (l_from < r_from);
}

static void merge(weft_cuda_sweep *it)
{
    int kept = 0;
    for (int k = 1; k < it->axes; k++) {
        weft_sweep_axis *fast = &it->axis[kept], *slow = &it->axis[k];
        int64_t count = (int64_t)fast->count;
        if (slow->from == count * fast->from && slow->to == count * fast->to)
            fast->count *= slow->count;
        else
            it->axis[++kept] = *slow;
    }
    it->axes = it->axes ? kept + 1 : 0;
}

/* Whether the unit can be doubled: the first axis must be contiguous on both sides, and everything
 * else even. */
static bool even(const weft_cuda_sweep *it, const void *from, const void *to)
{
    if (it->axes == 0 || it->unit == LARGEST)
        return false;
    const weft_sweep_axis *first = &it->axis[0];
    if (first->from != 1 || first->to != 1 || first->count % 2)
        return false;
    if (((uintptr_t)from | (uintptr_t)to) % (2 * (unsigned)it->unit))
        return false;
    int64_t odd = it->from_offset | it->to_offset;
    for (int k = 1; k < it->axes; k++)
        odd |= it->axis[k].from | it->axis[k].to;
    return odd % 2 == 0;
}

static void widen(weft_cuda_sweep *it)
{
    it->unit *= 2;
    it->from_offset /= 2;
    it->to_offset /= 2;
    for (int k = 1; k < it->axes; k++) {
        it->axis[k].from /= 2;
        it->axis[k].to /= 2;
    }
    if ((it->axis[0].count /= 2) == 1) {
        it->axes--;
        memmove(it->axis, it->axis + 1, (size_t)it->axes * sizeof *it->axis);
    }
}

static int fastest_of_source(const weft_cuda_sweep *it)
{
    int best = 0;
    for (int k = 1; k < it->axes; k++)
        if (magnitude(it->axis[k].from) < magnitude(it->axis[best].from))
            best = k;
    return best;
}

/* Chooses the shape of a rectangle: a square, unless one axis is too short; then the other axis
 * gets more. */
static void shape(weft_cuda_sweep *it)
{
    it->a_bits = bits_of(it->a.count, WEFT_TILE_BITS / 2);
    it->b_bits = bits_of(it->b.count, WEFT_TILE_BITS - it->a_bits);
    it->a_bits = bits_of(it->a.count, WEFT_TILE_BITS - it->b_bits);
}

static weft_sweep_axis in_rectangles(weft_sweep_axis axis, int bits)
{
    uint64_t size = (uint64_t)1 << bits;
    return (weft_sweep_axis){
        (axis.count - 1) / size + 1, {0}, axis.from * (int64_t)size, axis.to * (int64_t)size};
}

/* Changes lines to tiles. Axis 0 is the fastest in the target, `other` the fastest in the
 * source. */
static void make_tiles(weft_cuda_sweep *it, int other)
{
    it->tiled = true;
    it->b = it->axis[0];
    it->a = it->axis[other];
    shape(it);
    it->axis[other] = it->axis[1];
    it->axis[0] = in_rectangles(it->a, it->a_bits);
    it->axis[1] = in_rectangles(it->b, it->b_bits);
}

static void count_items(weft_cuda_sweep *it)
{
    uint64_t all = 1;
    bool small = true;
    for (int k = 0; k < it->axes; k++) {
        weft_sweep_axis *axis = &it->axis[k];
        small = small && axis->count < (uint64_t)1 << 31;
        small = small && magnitude(axis->from) < (uint64_t)1 << 31;
        small = small && magnitude(axis->to) < (uint64_t)1 << 31;
        axis->by = small ? divider_of(axis->count) : (weft_divider){0};
        all *= axis->count;
    }
    it->items = all;
    it->blocks = it->tiled ? all : (all - 1) / WEFT_TILE + 1;
    it->narrow = small && all <= ((uint64_t)1 << 31) - WEFT_TILE;
}

static void add(weft_cuda_sweep *it, ptrdiff_t count, int64_t from, int64_t to)
{
    if (count != 1)
        it->axis[it->axes++] = (weft_sweep_axis){(uint64_t)count, {0}, from, to};
}

weft_cuda_sweep weft_sweep_of_copy(const weft_strided_copy *copy, const void *from, const void *to)
{
    weft_cuda_sweep it = {.unit = LEAST};
    int64_t units = (int64_t)(copy->element / LEAST);
    it.from_offset = copy->from_offset * units;
    it.to_offset = copy->to_offset * units;
    for (int k = 0; k < copy->axes; k++) {
        if (copy->count[k] < 1)
            return (weft_cuda_sweep){0};
        add(&it, copy->count[k], copy->from_stride[k] * units, copy->to_stride[k] * units);
    }
    add(&it, (ptrdiff_t)units, 1, 1);
    qsort(it.axis, (size_t)it.axes, sizeof *it.axis, by_target);
    merge(&it);
    while (even(&it, from, to))
        widen(&it);
    int fastest = fastest_of_source(&it);
    if (fastest > 0 && magnitude(it.axis[fastest].from) * (uint64_t)it.unit < SECTOR)
        make_tiles(&it, fastest);
    count_items(&it);
    return it;
}

static int64_t within(int64_t value, int64_t length)
{
    value %= length;
    return value < 0 ? value + length : value;
}

weft_turns weft_turns_of_factors(const weft_device_factors *factors)
{
    weft_turns it = {.single = factors->single,
                     .length = (uint64_t)factors->length,
                     .sign = factors->sign,
                     .sweep = {.unit = factors->single ? 8 : 16}};
    int64_t length = factors->length;
    /* 2^64 / length is (2^64 - length) / length + 1; 2^64 would overflow */
    it.magic = length == 1 ? UINT64_MAX : (0 - it.length) / it.length + 1;
    it.sweep.from_offset = within(factors->first[0], length);
    it.sweep.to_offset = within(factors->first[1], length);
    for (int k = factors->axes - 1; k >= 0; k--) {
        if (factors->count[k] < 1)
            return (weft_turns){0};
        if (factors->count[k] == 1)
            continue;
        it.stride[it.sweep.axes] = factors->stride[k];
        add(&it.sweep, factors->count[k], within(factors->step[0][k], length),
            within(factors->step[1][k], length));
    }
    count_items(&it.sweep);
    return it;
}
