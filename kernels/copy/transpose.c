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

/* Copies some of the innermost two axes element by element. Rows are contiguous in the target,
 * columns in the source. */
static void patch(const weft_copy *copy, ptrdiff_t row, ptrdiff_t rows, ptrdiff_t column,
                  ptrdiff_t columns, const char *from, char *to)
{
    weft_copy_axis across = copy->axis[copy->axes - 1], down = copy->axis[copy->axes - 2];
    from += row * across.from + column * down.from;
    to += row * across.to + column * down.to;
    across.count = rows;
    down.count = columns;
    weft_copy_patch(copy->unit, &down, &across, from, to);
}

/* Copies one strip of ragged columns through a buffer. The strip in the buffer is one tile higher
 * than the part that is streamed, so that each column contains enough whole lines, at any
 * address. */
static void ragged_strip(const weft_copy *copy, ptrdiff_t height, const char *from, char *to)
{
    enum { STEP = RAGGED_BYTES + WEFT_LINE };
    _Alignas(WEFT_LINE) char buffer[MAX_SIDE * STEP];
    const ptrdiff_t side = WEFT_LINE / (ptrdiff_t)copy->unit,
                    step = copy->axis[copy->axes - 1].from;
    for (ptrdiff_t row = 0; row < height + side; row++)
        __builtin_prefetch(from + row * step + AHEAD);
    copy->strip(from, step, buffer, STEP, height / side + 1, false);
    for (ptrdiff_t c = 0; c < side; c++, to += copy->axis[copy->axes - 2].to) {
        size_t off = -(uintptr_t)to % WEFT_LINE;
        weft_stream_copy(to + off, buffer + c * STEP + off, (size_t)height * copy->unit);
    }
}

/* Copies the first rows element by element, then bands of strips, then the rest at both edges. The
 * first whole line of each ragged column begins at another of the first rows, and bands of ragged
 * columns end one tile earlier; elements between are copied twice with the same value. */
void weft_copy_transpose(const weft_copy *copy, const char *from, char *to)
{
    const weft_copy_axis rows = copy->axis[copy->axes - 1], columns = copy->axis[copy->axes - 2];
    const ptrdiff_t unit = (ptrdiff_t)copy->unit, side = WEFT_LINE / unit,
                    off = (ptrdiff_t)(-(uintptr_t)to % WEFT_LINE),
                    whole = columns.count / side * side;
    const bool ragged = copy->stream && (columns.to % WEFT_LINE != 0 || off % unit != 0);
    const ptrdiff_t band = (ragged ? RAGGED_BYTES : BAND_BYTES) / WEFT_LINE * side;
    ptrdiff_t head = ragged ? side : copy->stream ? off / unit : 0;
    if (head > rows.count)
        head = rows.count;
    const ptrdiff_t first = ragged ? 0 : head, tiles = (rows.count - first) / side - ragged,
                    end = tiles > 0 ? first + tiles * side : first;
    patch(copy, 0, head, 0, columns.count, from, to);
    for (ptrdiff_t r = first; r < end; r += band) {
        const ptrdiff_t height = end - r < band ? end - r : band;
        for (ptrdiff_t c = 0; c < whole; c += side) {
            const char *strip_from = from + r * rows.from + c * columns.from;
            char *strip_to = to + r * rows.to + c * columns.to;
            if (ragged)
                ragged_strip(copy, height, strip_from, strip_to);
            else
                copy->strip(strip_from, rows.from, strip_to, columns.to, height / side,
                            copy->stream);
        }
        patch(copy, r, height, whole, columns.count - whole, from, to);
    }
    patch(copy, end, rows.count - end, 0, columns.count, from, to);
}
