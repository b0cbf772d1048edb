/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop that moves one element after another, byte for byte, and copies held against it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/copy/copy.h"
#include "kernels/base/error.h"
#include "tests/unit/copies.h"
#include "tests/unit/harness.h"

enum { GUARD = 256 };

void copy_pattern(unsigned char *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)((i * 2654435761u) >> 13);
}

static ptrdiff_t reach(const copy_case *c, ptrdiff_t offset, const ptrdiff_t *stride)
{
    for (int a = 0; a < c->axes; a++)
        offset += c->count[a] > 0 ? (c->count[a] - 1) * stride[a] : 0;
    return offset + 1;
}

void naive_copy(const copy_case *c, const unsigned char *from, unsigned char *to)
{
    ptrdiff_t total = 1;
    for (int a = 0; a < c->axes; a++)
        total *= c->count[a];
    for (ptrdiff_t n = 0; n < total; n++) {
        ptrdiff_t rest = n, source = c->from_offset, target = c->to_offset;
        for (int a = c->axes - 1; a >= 0; a--) {
            source += rest % c->count[a] * c->from_stride[a];
            target += rest % c->count[a] * c->to_stride[a];
            rest /= c->count[a];
        }
        for (size_t b = 0; b < c->element; b++)
            to[target * (ptrdiff_t)c->element + (ptrdiff_t)b] =
                from[source * (ptrdiff_t)c->element + (ptrdiff_t)b];
    }
}

static void describe(const copy_case *c, char *text, size_t size)
{
    int used =
        snprintf(text, size, "element %zu, offsets %td %td, misaligned %zu %zu, axes", c->element,
                 c->from_offset, c->to_offset, c->misaligned[0], c->misaligned[1]);
    for (int a = 0; a < c->axes; a++)
        used += snprintf(text + used, size - (size_t)used, " %td:%td:%td", c->count[a],
                         c->from_stride[a], c->to_stride[a]);
}

void check_copy(const copy_case *c, const weft_copy_limits *limits)
{
    size_t from_bytes = (size_t)reach(c, c->from_offset, c->from_stride) * c->element;
    size_t to_bytes = (size_t)reach(c, c->to_offset, c->to_stride) * c->element;
    size_t from_size = from_bytes + c->misaligned[0],
           to_size = to_bytes + c->misaligned[1] + 2 * GUARD;
    unsigned char *from, *to, *expected;
    ck_assert_int_eq(posix_memalign((void **)&from, 64, from_size), 0);
    ck_assert_int_eq(posix_memalign((void **)&to, 64, to_size), 0);
    ck_assert_int_eq(posix_memalign((void **)&expected, 64, to_size), 0);
    copy_pattern(from, from_size);
    memset(to, 0xA5, to_size);
    memset(expected, 0xA5, to_size);
    naive_copy(c, from + c->misaligned[0], expected + GUARD + c->misaligned[1]);

    char text[400];
    describe(c, text, sizeof text);
    weft_copy *copy =
        limits ? weft_copy_prepare_limited(limits, c->element, c->axes, c->count, c->from_offset,
                                           c->from_stride, c->to_offset, c->to_stride)
               : weft_copy_prepare(c->element, c->axes, c->count, c->from_offset, c->from_stride,
                                   c->to_offset, c->to_stride);
    ck_assert_msg(copy != NULL, "%s: %s", text, weft_error_text());
    for (int run = 0; run < 2; run++) {
        weft_copy_run(copy, from + c->misaligned[0], to + GUARD + c->misaligned[1]);
        ck_assert_msg(memcmp(to, expected, to_size) == 0, "run %d of %s", run, text);
    }
    weft_copy_release(copy);
    free(from);
    free(to);
    free(expected);
}
