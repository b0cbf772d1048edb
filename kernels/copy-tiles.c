/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of small units: lines and transposes, in plain C, with a loop for each common size of
 * unit.
 */
#include <string.h>
#include "copy-plan.h"

enum { TILE_BYTES = 256 };

/* Inlined with a constant unit where there is one, so that memcpy becomes a load and a store. */
static inline __attribute__((always_inline)) void line(size_t unit, const weft_copy_axis *axis,
                                                       ptrdiff_t count, const char *from, char *to)
{
    for (ptrdiff_t i = 0; i < count; i++)
        memcpy(to + i * axis->to, from + i * axis->from, unit);
}

static inline __attribute__((always_inline)) void tiles(size_t unit, const weft_copy *copy,
                                                        const char *from, char *to)
{
    weft_copy_axis in = copy->axis[copy->axes - 2], out = copy->axis[copy->axes - 1];
    ptrdiff_t side = unit < TILE_BYTES / 4 ? TILE_BYTES / (ptrdiff_t)unit : 4;
    for (ptrdiff_t i = 0; i < in.count; i += side) {
        ptrdiff_t in_count = in.count - i < side ? in.count - i : side;
        for (ptrdiff_t o = 0; o < out.count; o += side) {
            ptrdiff_t out_count = out.count - o < side ? out.count - o : side;
            const char *tile_from = from + i * in.from + o * out.from;
            char *tile_to = to + i * in.to + o * out.to;
            for (ptrdiff_t k = 0; k < in_count; k++)
                line(unit, &out, out_count, tile_from + k * in.from, tile_to + k * in.to);
        }
    }
}

#define KERNELS(bytes)                                                                             \
    static void line_##bytes(const weft_copy *copy, const char *from, char *to)                    \
    {                                                                                              \
        const weft_copy_axis *axis = &copy->axis[copy->axes - 1];                                  \
        line(bytes, axis, axis->count, from, to);                                                  \
    }                                                                                              \
    static void tiles_##bytes(const weft_copy *copy, const char *from, char *to)                   \
    {                                                                                              \
        tiles(bytes, copy, from, to);                                                              \
    }

KERNELS(1)
KERNELS(2)
KERNELS(4)
KERNELS(8)
KERNELS(12)
KERNELS(16)
KERNELS(24)
KERNELS(32)
KERNELS(48)

static void line_any(const weft_copy *copy, const char *from, char *to)
{
    const weft_copy_axis *axis = &copy->axis[copy->axes - 1];
    line(copy->unit, axis, axis->count, from, to);
}

static void tiles_any(const weft_copy *copy, const char *from, char *to)
{
    tiles(copy->unit, copy, from, to);
}

static const struct {
    size_t unit;
    weft_copy_kernel *line, *tiles;
} kernels[] = {
    {1, line_1, tiles_1},    {2, line_2, tiles_2},    {4, line_4, tiles_4},
    {8, line_8, tiles_8},    {12, line_12, tiles_12}, {16, line_16, tiles_16},
    {24, line_24, tiles_24}, {32, line_32, tiles_32}, {48, line_48, tiles_48},
};

weft_copy_kernel *weft_copy_line(const weft_copy *copy)
{
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (kernels[k].unit == copy->unit)
            return kernels[k].line;
    return line_any;
}

weft_copy_kernel *weft_copy_tiles(const weft_copy *copy)
{
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (kernels[k].unit == copy->unit)
            return kernels[k].tiles;
    return tiles_any;
}
