/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transposes of small units by strips of tiles. A tile is a square of elements whose side fills one
 * cache line. The kernel walks a band of rows along the source, so it reads the source in a few
 * sequential streams and uses the whole of each line when it arrives; strides of powers of two do
 * no harm. Each strip writes several whole lines of the target.
 *
 * Streaming stores need the cache lines of the target to begin at the same row in every column. If
 * the step between columns is not a multiple of a line, strips go to a small buffer and from there,
 * column by column, to the target.
 */
#include <stdint.h>
#include "kernels/copy/kernel.h"
#include "kernels/copy/copy.h"

/* BAND_BYTES, RAGGED_BYTES: bytes of a column in a band, if the lines of all columns begin at the
 * same row and if not. MAX_SIDE: the most elements of a tile's side. AHEAD: bytes to prefetch along
 * each row. */
enum { BAND_BYTES = 256, RAGGED_BYTES = 1024, MAX_SIDE = 16, AHEAD = 3 * WEFT_LINE };

/* The two innermost axes of a copy. */
typedef struct {
    weft_copy_axis rows;    /* contiguous in the target */
    weft_copy_axis columns; /* contiguous in the source */
    ptrdiff_t side;         /* the side of a tile, in elements */
} sheet;

static sheet sheet_of(const weft_copy *copy)
{
    return (sheet){.rows = copy->axis[copy->axes - 1],
                   .columns = copy->axis[copy->axes - 2],
                   .side = WEFT_LINE / (ptrdiff_t)copy->unit};
}

/* Copies some rows and columns of a sheet element by element. */
static void patch(const weft_copy *copy, const sheet *s, ptrdiff_t row, ptrdiff_t rows,
                  ptrdiff_t column, ptrdiff_t columns, const char *from, char *to)
{
    if (rows <= 0 || columns <= 0)
        return;
    weft_copy_axis down = s->columns, across = s->rows;
    down.count = columns;
    across.count = rows;
    weft_copy_patch(copy->unit, &down, &across,
                    from + row * s->rows.from + column * s->columns.from,
                    to + row * s->rows.to + column * s->columns.to);
}

/* Copies `lead` rows element by element, then bands of strips, then the rest at both edges. */
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

/* Copies one strip of a ragged sheet through a buffer. The strip in the buffer is one tile higher
 * than the part that is streamed, so that each column contains enough whole lines, wherever they
 * begin. */
static void ragged_strip(const weft_copy *copy, const sheet *s, ptrdiff_t height, const char *from,
                         char *to)
{
    enum { STEP = RAGGED_BYTES + WEFT_LINE };
    _Alignas(WEFT_LINE) char buffer[MAX_SIDE * STEP];
    for (ptrdiff_t row = 0; row < height + s->side; row++)
        __builtin_prefetch(from + row * s->rows.from + AHEAD);
    copy->strip(from, s->rows.from, buffer, STEP, height / s->side + 1);
    for (ptrdiff_t c = 0; c < s->side; c++) {
        char *column = to + c * s->columns.to;
        size_t off = -(uintptr_t)column % WEFT_LINE;
        weft_stream_copy(column + off, buffer + c * STEP + off, (size_t)height * copy->unit);
    }
}

/* Copies a sheet whose columns' lines begin at different rows. The elements before a column's first
 * whole line and after its last are copied one by one, some of them twice with the same value. */
static void ragged(const weft_copy *copy, const char *from, char *to)
{
    sheet s = sheet_of(copy);
    ptrdiff_t band = RAGGED_BYTES / WEFT_LINE * s.side;
    ptrdiff_t columns = s.columns.count / s.side * s.side, row = 0, left;
    ptrdiff_t head = s.rows.count < s.side ? s.rows.count : s.side;
    patch(copy, &s, 0, head, 0, s.columns.count, from, to);
    for (; (left = (s.rows.count - row) / s.side * s.side) > s.side; row += band) {
        ptrdiff_t height = left - s.side < band ? left - s.side : band;
        const char *band_from = from + row * s.rows.from;
        char *band_to = to + row * s.rows.to;
        for (ptrdiff_t c = 0; c < columns; c += s.side)
            ragged_strip(copy, &s, height, band_from + c * s.columns.from,
                         band_to + c * s.columns.to);
        patch(copy, &s, row, height, columns, s.columns.count - columns, from, to);
        if (height < band) {
            row += height;
            break;
        }
    }
    patch(copy, &s, row, s.rows.count - row, 0, s.columns.count, from, to);
}

/* Streams strips directly: the lines of all columns begin at the same row. If no line begins at an
 * element, the sheet is copied as a ragged one. */
static void streaming(const weft_copy *copy, const char *from, char *to)
{
    size_t off = -(uintptr_t)to % WEFT_LINE;
    if (off % copy->unit)
        ragged(copy, from, to);
    else
        bands(copy, copy->strip_stream, (ptrdiff_t)(off / copy->unit), from, to);
}

weft_copy_kernel *weft_copy_transpose(weft_copy *copy, const weft_copy_limits *limits)
{
    ptrdiff_t unit = (ptrdiff_t)copy->unit;
    sheet s = sheet_of(copy);
    copy->strip = weft_copy_pick_strip(copy->unit, false, limits->baseline);
    copy->strip_stream = weft_copy_pick_strip(copy->unit, true, limits->baseline);
    if (!copy->strip || s.rows.to != unit || s.columns.from != unit)
        return NULL;
    if (!copy->stream)
        return ordinary;
    return s.columns.to % WEFT_LINE == 0 ? streaming : ragged;
}
