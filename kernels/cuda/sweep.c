/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translates a strided copy into a sweep, the parameters of the kernels:
 *
 *     1. Contiguous bytes become units: 3 x 4 times 24 bytes become 3 x 4 x 3 units of 8 bytes. The
 *        unit is as large as all steps and addresses allow.
 *     2. If the same axis is the fastest of source and target, the kernel copies lines, otherwise
 *        tiles.
 *
 * Tiles pay only if neighbours in the source are in the same cache line.
 */
#include "kernels/cuda/kernels.h"

enum { LARGEST = 16, SECTOR = 128 }; /* bytes: largest unit, one fetch */

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

/* The largest unit that divides the contiguous bytes, the addresses and all steps. */
static int unit_of(size_t bytes, int axes, const weft_copy_axis *axis, const void *from,
                   const void *to)
{
    uint64_t all = (uintptr_t)from | (uintptr_t)to | bytes;
    int unit = LARGEST;
    for (int k = 0; k < axes; k++)
        all |= (uint64_t)axis[k].from | (uint64_t)axis[k].to;
    while (all % (unsigned)unit)
        unit /= 2;
    return unit;
}

weft_cuda_sweep weft_sweep_of_copy(size_t bytes, int axes, const weft_copy_axis *axis,
                                   const void *from, const void *to)
{
    weft_cuda_sweep it = {.unit = unit_of(bytes, axes, axis, from, to)};
    add(&it, (ptrdiff_t)bytes / it.unit, 1, 1);
    for (int k = axes - 1; k >= 0; k--)
        add(&it, axis[k].count, axis[k].from / it.unit, axis[k].to / it.unit);
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
    for (int k = 0; k < 2; k++)
        it.first[k] = (uint64_t)within(factors->first[k], length);
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
