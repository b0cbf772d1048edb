/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streaming copies. SSE2, which every x86-64 has: four 16-byte stores fill a line's write-combining
 * buffer.
 */
#include "stream.h"

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>

enum { LINE = 64 };

void weft_stream_copy(void *to, const void *from, size_t bytes)
{
    char *target = to;
    const char *source = from;
    size_t head = -(uintptr_t)target % LINE;
    if (head > bytes)
        head = bytes;
    memcpy(target, source, head);
    target += head;
    source += head;
    bytes -= head;
    for (; bytes >= LINE; bytes -= LINE, target += LINE, source += LINE) {
        __m128i part[4];
        for (int i = 0; i < 4; i++)
            part[i] = _mm_loadu_si128((const __m128i *)source + i);
        for (int i = 0; i < 4; i++)
            _mm_stream_si128((__m128i *)target + i, part[i]);
    }
    memcpy(target, source, bytes);
}

void weft_stream_fence(void)
{
    _mm_sfence();
}

#else

void weft_stream_copy(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

void weft_stream_fence(void)
{
}

#endif
