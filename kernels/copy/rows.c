/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of long units: rows. memcpy is as fast as anything within the caches, but decides call by
 * call whether to stream, so a large copy made of short rows never would.
 */
#include <string.h>
#include "kernels/copy/kernel.h"
#include "kernels/copy/stream.h"

/* Shorter rows, read from far apart, are not streamed: memcpy then takes 0.8 to 0.9 of the time. */
enum { SHORT_ROW = 1024 };

/* How many bytes to fetch ahead. Of longer rows the hardware does so by itself. */
enum { AHEAD = 2048, LONG_ROW = 4096, FIRST = 4096 };

static weft_copy_axis rows_of(const weft_copy *copy)
{
    return copy->axes ? copy->axis[copy->axes - 1] : (weft_copy_axis){.count = 1};
}

static void ordinary(const weft_copy *copy, const char *from, char *to)
{
    weft_copy_axis rows = rows_of(copy);
    for (ptrdiff_t i = 0; i < rows.count; i++)
        memcpy(to + i * rows.to, from + i * rows.from, copy->unit);
}

/* From the last-level cache, rows of 1 to 4 KiB take half the time of memcpy alone. */
static void fetching(const weft_copy *copy, const char *from, char *to)
{
    weft_copy_axis rows = rows_of(copy);
    ptrdiff_t unit = (ptrdiff_t)copy->unit, ahead = unit < AHEAD ? AHEAD / unit : 1;
    for (ptrdiff_t i = 0; i < rows.count; i++) {
        const char *next = from + (i + ahead) * rows.from;
        if (i + ahead < rows.count)
            for (ptrdiff_t at = 0; at < unit; at += WEFT_LINE)
                __builtin_prefetch(next + at);
        memcpy(to + i * rows.to, from + i * rows.from, copy->unit);
    }
}

static void streaming(const weft_copy *copy, const char *from, char *to)
{
    weft_copy_axis rows = rows_of(copy);
    weft_stream_rows(to, rows.to, from, rows.from, copy->unit, rows.count);
}

weft_copy_kernel *weft_copy_rows(const weft_copy *copy)
{
    ptrdiff_t unit = (ptrdiff_t)copy->unit, step = rows_of(copy).from;
    bool scattered = unit < SHORT_ROW && (step > 2 * unit || step < -2 * unit);
    if (copy->stream)
        return scattered ? ordinary : streaming;
    return copy->ahead && unit <= LONG_ROW ? fetching : ordinary;
}

void weft_copy_fetch(const weft_copy *copy, const void *from)
{
    const ptrdiff_t unit = (ptrdiff_t)copy->unit;
    const weft_copy_axis rows = rows_of(copy);
    const char *row = (const char *)from + copy->from_offset;
    if (!copy->units || unit < WEFT_LINE)
        return;
    for (ptrdiff_t i = 0; i < rows.count && i * unit < FIRST; i++, row += rows.from)
        for (ptrdiff_t at = 0; at < unit && i * unit + at < FIRST; at += WEFT_LINE)
            __builtin_prefetch(row + at);
}
