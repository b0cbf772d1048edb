/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strips of tiles for every machine: vectors of 16 bytes, which the compiler translates for the
 * processor, and SSE2's streaming stores on x86-64.
 */
#include <stdint.h>
#include <string.h>
#include "kernels/copy/kernel.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { VECTOR = 16 /* bytes */ };

typedef uint32_t four __attribute__((vector_size(VECTOR)));
typedef uint64_t two __attribute__((vector_size(VECTOR)));

/* On 32-bit x86, GCC warns about the ABI of functions that return vectors. All are inlined here. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#define INLINE static inline __attribute__((always_inline))

INLINE void store(char *to, two value, bool stream)
{
#if defined(__SSE2__)
    if (stream) {
        _mm_stream_si128((__m128i *)(void *)to, (__m128i)value);
        return;
    }
#endif
    (void)stream;
    memcpy(to, &value, VECTOR);
}

INLINE two load(const char *from)
{
    two value;
    memcpy(&value, from, VECTOR);
    return value;
}

/* Transposes 16 x 16 elements of 4 bytes, four columns at a time. */
INLINE void tile_4(const char *from, ptrdiff_t from_step, char *to, ptrdiff_t to_step, bool stream)
{
    for (int c = 0; c < 16; c += 4) {
        two out[4][4];
        UNROLL
        for (int r = 0; r < 4; r++) {
            const char *corner = from + 4 * r * from_step + 4 * c;
            four w = (four)load(corner), x = (four)load(corner + from_step);
            four y = (four)load(corner + 2 * from_step), z = (four)load(corner + 3 * from_step);
            four wx = {w[0], x[0], w[1], x[1]}, yz = {y[0], z[0], y[1], z[1]};
            four wx2 = {w[2], x[2], w[3], x[3]}, yz2 = {y[2], z[2], y[3], z[3]};
            out[0][r] = (two){((two)wx)[0], ((two)yz)[0]};
            out[1][r] = (two){((two)wx)[1], ((two)yz)[1]};
            out[2][r] = (two){((two)wx2)[0], ((two)yz2)[0]};
            out[3][r] = (two){((two)wx2)[1], ((two)yz2)[1]};
        }
        UNROLL
        for (int i = 0; i < 4; i++) {
            UNROLL
            for (int r = 0; r < 4; r++)
                store(to + (c + i) * to_step + VECTOR * r, out[i][r], stream);
        }
    }
}

/* Transposes 8 x 8 elements of 8 bytes, two columns at a time. */
INLINE void tile_8(const char *from, ptrdiff_t from_step, char *to, ptrdiff_t to_step, bool stream)
{
    for (int c = 0; c < 8; c += 2) {
        two out[2][4];
        UNROLL
        for (int r = 0; r < 4; r++) {
            const char *corner = from + 2 * r * from_step + 8 * c;
            two x = load(corner), y = load(corner + from_step);
            out[0][r] = (two){x[0], y[0]};
            out[1][r] = (two){x[1], y[1]};
        }
        UNROLL
        for (int i = 0; i < 2; i++) {
            UNROLL
            for (int r = 0; r < 4; r++)
                store(to + (c + i) * to_step + VECTOR * r, out[i][r], stream);
        }
    }
}

/* Transposes 4 x 4 elements of 16 bytes, or 2 x 2 of 32. */
INLINE void tile_wide(int unit, const char *from, ptrdiff_t from_step, char *to, ptrdiff_t to_step,
                      bool stream)
{
    for (int c = 0; c < WEFT_LINE; c += unit) {
        two out[WEFT_LINE / VECTOR];
        UNROLL
        for (int r = 0; r < WEFT_LINE; r += unit) {
            UNROLL
            for (int part = 0; part < unit; part += VECTOR)
                out[(r + part) / VECTOR] = load(from + r / unit * from_step + c + part);
        }
        UNROLL
        for (int i = 0; i < WEFT_LINE / VECTOR; i++)
            store(to + c / unit * to_step + VECTOR * i, out[i], stream);
    }
}

INLINE void tile(int unit, const char *from, ptrdiff_t from_step, char *to, ptrdiff_t to_step,
                 bool stream)
{
    if (unit == 4)
        tile_4(from, from_step, to, to_step, stream);
    else if (unit == 8)
        tile_8(from, from_step, to, to_step, stream);
    else
        tile_wide(unit, from, from_step, to, to_step, stream);
}

#define VARIANT
#include "kernels/copy/strips.h"

weft_copy_strip *weft_copy_pick_strip(size_t unit, bool baseline)
{
#if defined(__x86_64__)
    if (!baseline && __builtin_cpu_supports("avx512f"))
        return weft_copy_pick_strip_avx512(unit);
#endif
    (void)baseline;
    return pick_strip(unit);
}
