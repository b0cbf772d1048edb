/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transposes of small units, by strips of tiles. A tile is as many rows as elements fill a line of
 * the target; a band of rows is walked along the source, so that the source is read in a few
 * sequential streams, and every line of it is used whole the moment it comes, which makes strides
 * of powers of two harmless; each strip writes whole lines of the target, several together.
 *
 * Streaming stores need the lines of the target at the same place in every column. Where the
 * columns' step is not a multiple of a line, strips go into a small buffer, and from there in
 * pieces to the target.
 */
#include <stdint.h>
#include <string.h>
#include "copy-plan.h"
#include "stream.h"

enum { BAND_BYTES = 256, RAGGED_BYTES = 1024, MAX_COLUMNS = 16 };

typedef struct {
    weft_copy_axis rows;    /* contiguous in the target */
    weft_copy_axis columns; /* contiguous in the source */
    ptrdiff_t side;         /* of a tile, in elements */
} sheet;

static sheet sheet_of(const weft_copy *copy)
{
    return (sheet){.rows = copy->axis[copy->axes - 1],
                   .columns = copy->axis[copy->axes - 2],
                   .side = WEFT_LINE / (ptrdiff_t)copy->unit};
}

/* Rows and columns of a sheet from given ones on, element by element. */
static void patch(const weft_copy *copy, const sheet *s, ptrdiff_t row, ptrdiff_t rows,
                  ptrdiff_t column, ptrdiff_t columns, const char *from, char *to)
{
    if (rows <= 0 || columns <= 0)
        return;
    weft_copy_axis down = s->columns, across = s->rows;
    down.count = columns;
    across.count = rows;
    copy->patch(&down, &across, from + row * s->rows.from + column * s->columns.from,
                to + row * s->rows.to + column * s->columns.to);
}

/* `lead` rows by element, then bands of strips, then what is left at both edges. */
static void bands(const weft_copy *copy, weft_copy_strip *strip, ptrdiff_t lead, const char *from,
                  char *to)
{
    sheet s = sheet_of(copy);
    ptrdiff_t band = BAND_BYTES / WEFT_LINE * s.side;
    if (lead > s.rows.count)
        lead = s.rows.count;
    ptrdiff_t rows = (s.rows.count - lead) / s.side * s.side;
    ptrdiff_t columns = s.columns.count / s.side * s.side;
    patch(copy, &s, 0, lead, 0, s.columns.count, from, to);
    for (ptrdiff_t r = lead; r < lead + rows; r += band) {
        ptrdiff_t height = lead + rows - r < band ? lead + rows - r : band;
        const char *band_from = from + r * s.rows.from;
        char *band_to = to + r * s.rows.to;
        for (ptrdiff_t c = 0; c < columns; c += s.side)
            strip(band_from + c * s.columns.from, s.rows.from, band_to + c * s.columns.to,
                  s.columns.to, height / s.side);
        patch(copy, &s, r, height, columns, s.columns.count - columns, from, to);
    }
    patch(copy, &s, lead + rows, s.rows.count - lead - rows, 0, s.columns.count, from, to);
}

static void ordinary(const weft_copy *copy, const char *from, char *to)
{
    bands(copy, copy->strip, 0, from, to);
}

static void ragged(const weft_copy *copy, const char *from, char *to)
{
    enum { STEP = RAGGED_BYTES + WEFT_LINE };
    _Alignas(WEFT_LINE) char buffer[MAX_COLUMNS * STEP];
    sheet s = sheet_of(copy);
    ptrdiff_t band = RAGGED_BYTES / WEFT_LINE * s.side;
    ptrdiff_t rows = s.rows.count / s.side * s.side;
    ptrdiff_t columns = s.columns.count / s.side * s.side;
    for (ptrdiff_t r = 0; r < rows; r += band) {
        ptrdiff_t height = rows - r < band ? rows - r : band;
        for (ptrdiff_t c = 0; c < columns; c += s.side) {
            copy->strip(from + r * s.rows.from + c * s.columns.from, s.rows.from, buffer, STEP,
                        height / s.side);
            char *strip_to = to + r * s.rows.to + c * s.columns.to;
            for (ptrdiff_t i = 0; i < s.side; i++)
                weft_stream_copy(strip_to + i * s.columns.to, buffer + i * STEP,
                                 (size_t)height * copy->unit);
        }
        patch(copy, &s, r, height, columns, s.columns.count - columns, from, to);
    }
    patch(copy, &s, rows, s.rows.count - rows, 0, s.columns.count, from, to);
}

/* Streams line by line where every column's lines begin at the same row. */
static void streaming(const weft_copy *copy, const char *from, char *to)
{
    size_t off = -(uintptr_t)to % WEFT_LINE;
    if (off % copy->unit)
        ragged(copy, from, to);
    else
        bands(copy, copy->strip_stream, (ptrdiff_t)(off / copy->unit), from, to);
}

static weft_copy_strip *pick(const weft_copy *copy, bool baseline, bool stream)
{
    weft_copy_strip *strip = baseline ? NULL : weft_copy_pick_strip_avx512(copy->unit, stream);
    return strip ? strip : weft_copy_pick_strip(copy->unit, stream);
}

weft_copy_kernel *weft_copy_transpose(weft_copy *copy, const weft_copy_limits *limits)
{
    ptrdiff_t unit = (ptrdiff_t)copy->unit;
    sheet s = sheet_of(copy);
    copy->strip = pick(copy, limits->baseline, false);
    copy->strip_stream = pick(copy, limits->baseline, true);
    if (!copy->strip || s.rows.to != unit || s.columns.from != unit)
        return NULL;
    if (!copy->stream)
        return ordinary;
    return s.columns.to % WEFT_LINE == 0 ? streaming : ragged;
}
