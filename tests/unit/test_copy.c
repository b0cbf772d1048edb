/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strided copies, compared byte for byte with a loop that copies one element after another. Guards
 * and gaps between elements must not change.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "kernels/copy/copy.h"
#include "kernels/copy/kernel.h"
#include "tests/unit/copies.h"
#include "tests/unit/harness.h"

enum { RANDOM_COPIES = 500, GUARD = 256 };

typedef struct {
    strided_copy of;
    size_t misaligned[2]; /* offset of source and target in bytes */
} copy_case;

static void describe(const copy_case *c, char *text, size_t size)
{
    const strided_copy *of = &c->of;
    int used =
        snprintf(text, size, "element %zu, offsets %td %td, misaligned %zu %zu, axes", of->element,
                 of->from_offset, of->to_offset, c->misaligned[0], c->misaligned[1]);
    for (int a = 0; a < of->axes; a++)
        used += snprintf(text + used, size - (size_t)used, " %td:%td:%td", of->count[a],
                         of->from_stride[a], of->to_stride[a]);
}

/* Runs the copy twice, with these limits or the machine's. The result must equal the result of the
 * naive copy, with guards and gaps. */
static void check_copy(const copy_case *c, const weft_copy_limits *limits)
{
    const strided_copy *of = &c->of;
    const size_t from_size = (size_t)copies_reach(of, false) * of->element + c->misaligned[0],
                 to_size =
                     (size_t)copies_reach(of, true) * of->element + c->misaligned[1] + 2 * GUARD;
    unsigned char *from, *to, *expected;
    ck_assert_int_eq(posix_memalign((void **)&from, 64, from_size), 0);
    ck_assert_int_eq(posix_memalign((void **)&to, 64, to_size), 0);
    ck_assert_int_eq(posix_memalign((void **)&expected, 64, to_size), 0);
    copies_fill(from, from_size);
    memset(to, 0xA5, to_size);
    memset(expected, 0xA5, to_size);
    copies_by_loop(of, from + c->misaligned[0], expected + GUARD + c->misaligned[1]);

    char text[400];
    describe(c, text, sizeof text);
    weft_copy *copy = limits ? weft_copy_prepare_limited(limits, of->element, of->axes, of->count,
                                                         of->from_offset, of->from_stride,
                                                         of->to_offset, of->to_stride)
                             : weft_copy_prepare(of->element, of->axes, of->count, of->from_offset,
                                                 of->from_stride, of->to_offset, of->to_stride);
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

static const size_t elements[] = {1, 2, 3, 4, 8, 12, 16, 24, 32, 48};
enum { ELEMENTS = NUMBER(elements) };

/* Every copy with the machine's limits, streaming or not, with optional instructions or without. */
static void check_all_ways(const copy_case *c)
{
    static const weft_copy_limits ways[] = {{.stream = 0},
                                            {.stream = SIZE_MAX},
                                            {.stream = 0, .baseline = true},
                                            {.stream = SIZE_MAX, .baseline = true}};
    check_copy(c, NULL);
    for (int i = 0; i < NUMBER(ways); i++)
        check_copy(c, &ways[i]);
}

TEST(random_copies_equal_the_naive_loop, .to = ELEMENTS)
{
    copies_state = 88172645463325252u + (uint64_t)_i;
    for (int round = 0; round < RANDOM_COPIES / ELEMENTS; round++) {
        copy_case c = {.of = copies_random(elements[_i])};
        for (int side = 0; side < 2 && round % 3 == 0; side++)
            c.misaligned[side] = (size_t)copies_below(64);
        check_all_ways(&c);
    }
    weft_copy_release(NULL);
}

/* Shapes near the sizes of tiles, aligned or not. */
TEST(transposes_of_all_shapes_equal_the_naive_loop, .to = ELEMENTS)
{
    static const ptrdiff_t sides[] = {2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 67, 129};
    for (int r = 0; r < NUMBER(sides); r++)
        for (int s = 0; s < NUMBER(sides); s++)
            for (ptrdiff_t shift = 0; shift < 2; shift++) {
                const ptrdiff_t rows = sides[r], columns = sides[s];
                const copy_case c = {{.element = elements[_i],
                                      .axes = 2,
                                      .count = {rows, columns},
                                      .from_stride = {columns + shift, 1},
                                      .to_stride = {1, rows + 3 * shift},
                                      .to_offset = shift},
                                     {(size_t)shift * 4, (size_t)shift * 20}};
                check_all_ways(&c);
            }
}

TEST(a_source_may_be_read_again)
{
    const copy_case c = {.of = {.element = 16,
                                .axes = 2,
                                .count = {70, 50},
                                .from_stride = {0, 1},
                                .to_stride = {50, 1}}};
    check_all_ways(&c);
}

/* Streaming stores, compared with memcpy: rows of any length to any address; other bytes do not
 * change. */

enum { CAPACITY = 14000 };

static unsigned char from[CAPACITY], to[CAPACITY], expected[CAPACITY];

static void spoil(void)
{
    copies_fill(from, CAPACITY);
    memset(to, 3, CAPACITY);
    memset(expected, 3, CAPACITY);
}

TEST(streaming_rows_of_any_alignment_and_length)
{
    for (size_t bytes = 0; bytes < 300; bytes++)
        for (size_t at = 0; at < 70; at += 7) {
            spoil();
            memcpy(expected + at, from + bytes % 64, bytes);
            weft_stream_copy(to + at, from + bytes % 64, bytes);
            weft_stream_fence();
            ck_assert_mem_eq(to, expected, CAPACITY);
        }
}

/* Copies rows with these distances. */
static void check_rows(size_t at, size_t to_step, size_t from_at, size_t from_step, size_t bytes,
                       size_t rows)
{
    spoil();
    for (size_t row = 0; row < rows; row++)
        memcpy(expected + at + row * to_step, from + from_at + row * from_step, bytes);
    weft_stream_rows(to + at, (ptrdiff_t)to_step, from + from_at, (ptrdiff_t)from_step, bytes,
                     rows);
    weft_stream_fence();
    ck_assert_mem_eq(to, expected, CAPACITY);
}

TEST(streaming_rows_apart_equal_single_copies)
{
    for (size_t bytes = 0; bytes <= 190; bytes += 19)
        check_rows(5, 200, 0, 100, bytes, 70);
}

/* Consecutive rows share cache lines of the target. */
TEST(streaming_rows_one_after_another_equal_single_copies)
{
    for (size_t bytes = 0; bytes <= 400; bytes++)
        for (size_t at = 0; at < 70; at += 11)
            check_rows(at, bytes, 7, 500, bytes, 9);
}
