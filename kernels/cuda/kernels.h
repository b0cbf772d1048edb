/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The work of one thread of a kernel, as arithmetic on the thread's number. nvcc compiles this
 * source for the device, and the C compiler compiles it for the tests' stand-in. Numbers are copied
 * as units of 4, 8 or 16 bytes, and a block of threads copies WEFT_TILE units.
 *
 *     lines    the item's number, decoded along the axes, the target's fastest axis first, gives
 *              the unit that a thread copies
 *
 *     tiles    if the source and the target are fastest along different axes, a block reads a
 *              rectangle along the one axis into shared memory and writes it along the other:
 *
 *                  from  a -->        slots          to  b -->
 *                        b            [b][a]             a
 */
#ifndef WEFT_CUDA_KERNELS_H
#define WEFT_CUDA_KERNELS_H

#include <stdbool.h>
#include <stdint.h>
#include "kernels/device/device.h"

#if defined __CUDACC__ || defined __HIPCC__
#define WEFT_BODY static __device__ __forceinline__
#else
#define WEFT_BODY static inline
#endif

enum { WEFT_TILE_BITS = 10, WEFT_TILE = 1 << WEFT_TILE_BITS, WEFT_THREADS = 256 };
/* The axes of a strided copy, and the contiguous bytes as units. */
enum { WEFT_SWEEP_AXES = WEFT_DEVICE_AXES + 1 };

/* Division of numbers below 2^31 by a count: (n * magic) >> shift. */
typedef struct {
    uint32_t magic, shift;
} weft_divider;

typedef struct {
    uint64_t count;
    weft_divider by;
    int64_t from, to; /* steps in units */
} weft_sweep_axis;

typedef struct {
    int unit; /* in bytes: 4, 8 or 16 */
    bool tiled;
    bool narrow; /* items, counts and steps are all below 2^31 */
    int axes;    /* of lines, or of rectangles, whose a and b come first; the fastest axis first */
    weft_sweep_axis axis[WEFT_SWEEP_AXES];
    uint64_t items, blocks;
    weft_sweep_axis a, b; /* for tiles: the fastest axis of the source, and of the target */
    int a_bits, b_bits;   /* a rectangle is 2^a_bits by 2^b_bits units */
} weft_cuda_sweep;

typedef struct {
    int64_t from, to;        /* offsets at which the rectangle begins */
    uint32_t a_left, b_left; /* units from there to the end of the array, at most WEFT_TILE */
} weft_rectangle;

/* Computes the offsets of an item in the source and in the target. */
WEFT_BODY void weft_locate(const weft_cuda_sweep *it, uint64_t item, int64_t *from, int64_t *to)
{
    *from = *to = 0;
    if (it->narrow) {
        uint32_t n = (uint32_t)item;
        for (int k = 0; k < it->axes; k++) {
            const weft_sweep_axis *axis = &it->axis[k];
            uint32_t q = (uint32_t)(((uint64_t)n * axis->by.magic) >> axis->by.shift);
            int32_t i = (int32_t)(n - q * (uint32_t)axis->count);
            *from += (int64_t)i * (int32_t)axis->from;
            *to += (int64_t)i * (int32_t)axis->to;
            n = q;
        }
    } else {
        uint64_t n = item;
        for (int k = 0; k < it->axes; k++) {
            const weft_sweep_axis *axis = &it->axis[k];
            uint64_t q = n / axis->count;
            int64_t i = (int64_t)(n - q * axis->count);
            *from += i * axis->from;
            *to += i * axis->to;
            n = q;
        }
    }
}

WEFT_BODY weft_rectangle weft_rectangle_of(const weft_cuda_sweep *it, uint64_t block)
{
    weft_rectangle r;
    uint64_t down = block / it->axis[0].count;
    uint64_t a = (block - down * it->axis[0].count) << it->a_bits;
    uint64_t b = (down % it->axis[1].count) << it->b_bits;
    weft_locate(it, block, &r.from, &r.to);
    r.a_left = it->a.count - a < WEFT_TILE ? (uint32_t)(it->a.count - a) : WEFT_TILE;
    r.b_left = it->b.count - b < WEFT_TILE ? (uint32_t)(it->b.count - b) : WEFT_TILE;
    return r;
}

/* Computes the slot and the source offset of item n of a rectangle, in the order of the source.
 * Returns false if the item is outside the rectangle or the array. */
WEFT_BODY bool weft_rectangle_read(const weft_cuda_sweep *it, const weft_rectangle *r,
                                   uint32_t item, uint32_t *slot, int64_t *from)
{
    uint32_t a = item & ((1u << it->a_bits) - 1), b = item >> it->a_bits;
    *slot = b * ((1u << it->a_bits) + 1) + a; /* rows of slots have one slot more, so that the slots
                                                 of a column are in different banks */
    *from = r->from + a * it->a.from + b * it->b.from;
    return a < r->a_left && b < r->b_left && b >> it->b_bits == 0;
}

/* The same in the order of the target. */
WEFT_BODY bool weft_rectangle_write(const weft_cuda_sweep *it, const weft_rectangle *r,
                                    uint32_t item, uint32_t *slot, int64_t *to)
{
    uint32_t b = item & ((1u << it->b_bits) - 1), a = item >> it->b_bits;
    *slot = b * ((1u << it->a_bits) + 1) + a;
    *to = r->to + a * it->a.to + b * it->b.to;
    return a < r->a_left && b < r->b_left && a >> it->a_bits == 0;
}

/* Prepared twiddle factors: `first` are the two exponents, and `from` and `to` of the sweep are
 * their steps, all in 0 ... length - 1. */
typedef struct {
    bool single;
    weft_cuda_sweep sweep;
    uint64_t first[2];
    int64_t stride[WEFT_SWEEP_AXES];
    uint64_t length, magic; /* 2^64 / length, rounded down; all ones if the length is 1 */
    int sign;
} weft_turns;

/* a modulo length. */
WEFT_BODY uint64_t weft_remainder(const weft_turns *it, uint64_t a)
{
#if defined __CUDA_ARCH__ || defined __HIP_DEVICE_COMPILE__
    uint64_t left = a - __umul64hi(a, it->magic) * it->length;
#elif defined __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    uint64_t left = a - (uint64_t)(((wide)a * it->magic) >> 64) * it->length;
#else
    uint64_t left = a % it->length;
#endif
    return left < it->length ? left : left - it->length; /* the quotient may be one too small */
}

/* a * b modulo length; length, a and b are below 2^60. */
WEFT_BODY uint64_t weft_product(const weft_turns *it, uint64_t a, uint64_t b)
{
    if ((a | b) >> 32 == 0)
        return weft_remainder(it, a * b);
    uint64_t sum = 0;
    for (; b; b >>= 1, a = weft_remainder(it, 2 * a))
        sum = b & 1 ? weft_remainder(it, sum + a) : sum;
    return sum;
}

/* Returns the part of a turn, in units of 1 / length of a turn, by which item n is multiplied, and
 * sets the item's place in the array. */
WEFT_BODY uint64_t weft_turn(const weft_turns *it, uint64_t item, int64_t *place)
{
    uint64_t n = item;
    uint64_t a = it->first[0], b = it->first[1];
    *place = 0;
    for (int k = 0; k < it->sweep.axes; k++) {
        const weft_sweep_axis *axis = &it->sweep.axis[k];
        uint64_t q = it->sweep.narrow ? (n * axis->by.magic) >> axis->by.shift : n / axis->count;
        uint64_t i = n - q * axis->count;
        if (it->sweep.narrow) { /* the sum of all i is below 2^31, and so is every step */
            a += i * (uint64_t)axis->from;
            b += i * (uint64_t)axis->to;
        } else {
            i = weft_remainder(it, i);
            a = weft_remainder(it, a + weft_product(it, i, (uint64_t)axis->from));
            b = weft_remainder(it, b + weft_product(it, i, (uint64_t)axis->to));
            i = n - q * axis->count;
        }
        *place += (int64_t)i * it->stride[k];
        n = q;
    }
    return weft_product(it, weft_remainder(it, a), weft_remainder(it, b));
}

/* Splits part / length of a turn into quarter turns, which it returns, and a rest of *left / (2
 * length) times pi, at most an eighth of a turn in either direction. So the factor is exact at
 * quarter turns and as accurate as possible elsewhere. */
WEFT_BODY int weft_quarters(uint64_t part, uint64_t length, int64_t *left)
{
    uint64_t eighths = 8 * part;
    int quarters = (eighths >= length) + (eighths >= 3 * length) + (eighths >= 5 * length) +
                   (eighths >= 7 * length);
    *left = (int64_t)(4 * part) - (int64_t)((uint64_t)quarters * length);
    return quarters & 3;
}

/* sweep.c: translates a strided copy, or twiddle factors, into the parameters of the kernels, with
 * units as large as possible. */
weft_cuda_sweep weft_sweep_of_copy(size_t bytes, int axes, const weft_copy_axis *axis,
                                   const void *from, const void *to);
weft_turns weft_turns_of_factors(const weft_device_factors *factors);

/* limits.c: why cuFFT cannot do this transform; NULL: it can. */
const char *weft_cuda_why_refused(const weft_device_spec *spec);

#endif
