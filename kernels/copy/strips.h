/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A strip of tiles, and the choice of one; for the two files that transpose tiles. Before it
 * includes this header, such a file defines VARIANT, the attributes of its functions, INLINE, the
 * same for functions that are inlined, and tile(), which transposes one tile.
 */

/* Prefetches rows so many bytes ahead, in time for memory. The processor itself does not prefetch
 * rows that are a page or more apart. */
enum { AHEAD = 3 * WEFT_LINE, PAGE = 4096 };

INLINE void strip(int unit, const char *from, ptrdiff_t from_step, char *to, ptrdiff_t to_step,
                  ptrdiff_t tiles, bool stream)
{
    int side = WEFT_LINE / unit;
    for (ptrdiff_t t = 0; t < tiles; t++) {
        if (stream || from_step >= PAGE) {
            UNROLL
            for (int r = 0; r < side; r++)
                __builtin_prefetch(from + r * from_step + AHEAD);
        }
        tile(unit, from, from_step, to, to_step, stream);
        from += side * from_step;
        to += WEFT_LINE;
    }
}

#define STRIP(unit)                                                                                \
    static VARIANT void strip_##unit(const char *from, ptrdiff_t from_step, char *to,              \
                                     ptrdiff_t to_step, ptrdiff_t tiles, bool stream)              \
    {                                                                                              \
        if (stream)                                                                                \
            strip(unit, from, from_step, to, to_step, tiles, true);                                \
        else                                                                                       \
            strip(unit, from, from_step, to, to_step, tiles, false);                               \
    }

STRIP(4)
STRIP(8)
STRIP(16)
STRIP(32)

static weft_copy_strip *pick_strip(size_t unit)
{
    return unit == 4    ? strip_4
           : unit == 8  ? strip_8
           : unit == 16 ? strip_16
           : unit == 32 ? strip_32
                        : NULL;
}
