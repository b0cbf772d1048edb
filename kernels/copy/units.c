/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of one unit after another. Long units are rows. memcpy is as fast as anything within the
 * caches, but it decides call by call whether to use streaming stores, so it would never use them
 * for a large copy of short rows. Small units (odd sizes, steps that leave gaps on both sides, the
 * edges of transposes) are copied one by one in plain C, with a loop for each size of a number.
 */
#include <stdlib.h>
#include <string.h>
#include "kernels/copy/kernel.h"
#include "kernels/copy/copy.h"

/* Shorter rows that are far apart in the source are not streamed: memcpy takes 0.8 to 0.9 of the
 * time. */
enum { SHORT_ROW = 1024 };

/* AHEAD: bytes to prefetch. If the data is in the last-level cache, rows of 1 to 4 KiB take half
 * the time of memcpy alone. The hardware prefetches longer rows than LONG_ROW by itself.
 * TO_LEVEL_2: level 1 cannot wait for all lines of a row at once. On a Zen 4, 128^3 on two ranks
 * took 0.96 to 1.13 times as long with level 1, depending on the place of the loop in memory. */
enum { AHEAD = 2048, LONG_ROW = 4096, TO_LEVEL_2 = 2 };

void weft_copy_rows(const weft_copy *copy, const char *from, char *to)
{
    const weft_copy_axis rows =
        copy->axes > 0 ? copy->axis[copy->axes - 1] : (weft_copy_axis){.count = 1};
    const ptrdiff_t unit = (ptrdiff_t)copy->unit;
    const bool scattered = unit < SHORT_ROW && labs(rows.from) > 2 * unit;
    if (copy->stream && !scattered) {
        weft_stream_rows(to, rows.to, from, rows.from, copy->unit, rows.count);
        return;
    }
    ptrdiff_t ahead = rows.count; /* rows */
    if (!copy->stream && unit <= LONG_ROW)
        ahead = unit < AHEAD ? AHEAD / unit : 1;
    for (ptrdiff_t i = 0; i < rows.count; i++) {
        const char *row = from + i * rows.from;
        for (ptrdiff_t at = 0; i + ahead < rows.count && at < unit; at += WEFT_LINE)
            __builtin_prefetch(row + ahead * rows.from + at, 0, TO_LEVEL_2);
        memcpy(to + i * rows.to, row, copy->unit);
    }
}

enum { BLOCK_BYTES = 256 };

/* Inlined with a constant unit where possible, so that memcpy becomes a load and a store. */
static inline __attribute__((always_inline)) void
copy_units(size_t unit, ptrdiff_t count, const weft_copy_axis *axis, const char *from, char *to)
{
    for (ptrdiff_t i = 0; i < count; i++)
        memcpy(to + i * axis->to, from + i * axis->from, unit);
}

/* Copies in blocks, so that both sides of a block fit in the first-level cache. */
static inline __attribute__((always_inline)) void
copy_blocks(size_t unit, weft_copy_axis down, weft_copy_axis across, const char *from, char *to)
{
    ptrdiff_t side = unit < BLOCK_BYTES / 4 ? BLOCK_BYTES / (ptrdiff_t)unit : 4;
    for (ptrdiff_t d = 0; d < down.count; d += side) {
        ptrdiff_t rows = down.count - d < side ? down.count - d : side;
        for (ptrdiff_t a = 0; a < across.count; a += side) {
            ptrdiff_t count = across.count - a < side ? across.count - a : side;
            const char *block_from = from + d * down.from + a * across.from;
            char *block_to = to + d * down.to + a * across.to;
            for (ptrdiff_t r = 0; r < rows; r++)
                copy_units(unit, count, &across, block_from + r * down.from,
                           block_to + r * down.to);
        }
    }
}

#define UNIT(bytes)                                                                                \
    case bytes:                                                                                    \
        copy_blocks(bytes, *down, *across, from, to);                                              \
        break;

void weft_copy_patch(size_t unit, const weft_copy_axis *down, const weft_copy_axis *across,
                     const char *from, char *to)
{
    switch (unit) {
        UNIT(4)
        UNIT(8)
        UNIT(12)
        UNIT(16)
        UNIT(24)
        UNIT(32)
        UNIT(48)
    default:
        copy_blocks(unit, *down, *across, from, to);
    }
}

void weft_copy_patches(const weft_copy *copy, const char *from, char *to)
{
    weft_copy_patch(copy->unit, &copy->axis[copy->axes - 2], &copy->axis[copy->axes - 1], from, to);
}

void weft_copy_line(const weft_copy *copy, const char *from, char *to)
{
    const weft_copy_axis one = {.count = 1};
    weft_copy_patch(copy->unit, &one, &copy->axis[copy->axes - 1], from, to);
}
