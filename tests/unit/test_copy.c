/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strided copies against a loop that moves one element after another, byte for byte, with guard
 * zones and the gaps between elements checked to be untouched.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "kernels/copy/copy.h"
#include "kernels/copy/kernel.h"
#include "tests/layouts.h"
#include "tests/unit/harness.h"

enum { RANDOM_COPIES = 500 };

enum { MAX_AXES = 6 };

typedef struct {
    size_t element;
    int axes;
    ptrdiff_t count[MAX_AXES];
    ptrdiff_t from_offset, from_stride[MAX_AXES];
    ptrdiff_t to_offset, to_stride[MAX_AXES];
    size_t misaligned[2]; /* bytes by which source and target are off */
} copy_case;

enum { GUARD = 256 };

/* Bytes that repeat nowhere near. */
static void copy_pattern(unsigned char *to, size_t bytes)
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

static void naive_copy(const copy_case *c, const unsigned char *from, unsigned char *to)
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

/* Runs it twice, with those limits or as the machine has them: the target must be as the naive copy
 * leaves it, guards and gaps included. */
static void check_copy(const copy_case *c, const weft_copy_limits *limits)
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

static uint64_t random_state;

static ptrdiff_t below(ptrdiff_t limit)
{
    return random_below(&random_state, limit);
}

/* Strides of an array whose axes lie in the given order, fastest last, with up to `padding` between
 * rows. */
static void make_strides(copy_case *c, const int *order, ptrdiff_t first, ptrdiff_t padding,
                         ptrdiff_t *stride)
{
    ptrdiff_t step = first;
    for (int a = c->axes - 1; a >= 0; a--) {
        stride[order[a]] = step;
        step *= c->count[order[a]];
        if (padding && below(2))
            step += below(padding + 1);
    }
}

static const size_t elements[] = {1, 2, 3, 4, 8, 12, 16, 24, 32, 48};
enum { ELEMENTS = sizeof elements / sizeof *elements };

static copy_case random_case(size_t element)
{
    copy_case c = {.element = element, .axes = 1 + (int)below(MAX_AXES)};
    /* About so many elements in all, unevenly spread over the axes, one of them now and then 1. */
    ptrdiff_t left = 1 + below(40000);
    for (int a = 0; a < c.axes; a++) {
        ptrdiff_t most = a == c.axes - 1 ? left : (left < 300 ? left : 300);
        c.count[a] = 1 + below(most > 0 ? most : 1);
        left /= c.count[a];
        if (left < 1)
            left = 1;
    }
    int order[MAX_AXES];
    random_order(&random_state, c.axes, order);
    make_strides(&c, order, 1 + (below(4) == 0), below(3) ? 0 : 9, c.from_stride);
    random_order(&random_state, c.axes, order);
    make_strides(&c, order, 1 + (below(4) == 0), below(3) ? 0 : 9, c.to_stride);
    c.from_offset = below(20);
    c.to_offset = below(20);
    if (below(3) == 0) {
        c.misaligned[0] = (size_t)below(64);
        c.misaligned[1] = (size_t)below(64);
    }
    return c;
}

/* Every copy as the machine has it, and streaming or not, with its optional instructions or
 * without. */
static const weft_copy_limits streamed = {.stream = 0};
static const weft_copy_limits in_cache = {.stream = SIZE_MAX, .ahead = SIZE_MAX};
static const weft_copy_limits streamed_baseline = {.stream = 0, .baseline = true};
static const weft_copy_limits in_cache_baseline = {.stream = SIZE_MAX, .baseline = true};

static void check_all_ways(const copy_case *c)
{
    check_copy(c, NULL);
    check_copy(c, &streamed);
    check_copy(c, &in_cache);
    check_copy(c, &streamed_baseline);
    check_copy(c, &in_cache_baseline);
}

TEST(random_copies_equal_the_naive_loop, .to = ELEMENTS)
{
    random_state = 88172645463325252u + (uint64_t)_i;
    for (int round = 0; round < RANDOM_COPIES / ELEMENTS; round++) {
        copy_case c = random_case(elements[_i]);
        check_all_ways(&c);
    }
}

/* Shapes at and around the sides of tiles, aligned or not. */
TEST(transposes_of_all_shapes_equal_the_naive_loop, .to = ELEMENTS)
{
    static const ptrdiff_t sides[] = {2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 67, 129};
    enum { SIDES = sizeof sides / sizeof *sides };
    random_state = 362436069;
    for (int r = 0; r < SIDES; r++)
        for (int s = 0; s < SIDES; s++)
            for (size_t shift = 0; shift < 2; shift++) {
                ptrdiff_t rows = sides[r], columns = sides[s];
                copy_case c = {.element = elements[_i],
                               .axes = 2,
                               .count = {rows, columns},
                               .from_stride = {columns + (ptrdiff_t)shift, 1},
                               .to_stride = {1, rows + 3 * (ptrdiff_t)shift},
                               .to_offset = (ptrdiff_t)shift,
                               .misaligned = {shift * 4, shift * 20}};
                check_all_ways(&c);
            }
}

TEST(a_source_may_be_read_backwards_or_again)
{
    copy_case backwards = {.element = 8,
                           .axes = 2,
                           .count = {70, 50},
                           .from_offset = 70 * 50 - 1,
                           .from_stride = {-50, -1},
                           .to_stride = {1, 70}};
    copy_case again = {
        .element = 16, .axes = 2, .count = {70, 50}, .from_stride = {0, 1}, .to_stride = {50, 1}};
    copy_case *cases[] = {&backwards, &again};
    for (int i = 0; i < 2; i++) {
        copy_case *c = cases[i];
        unsigned char from[70 * 50 * 8], to[70 * 50 * 16], expected[70 * 50 * 16];
        copy_pattern(from, sizeof from);
        memset(to, 1, sizeof to);
        memset(expected, 1, sizeof expected);
        naive_copy(c, from, expected);
        weft_copy *copy = weft_copy_prepare(c->element, c->axes, c->count, c->from_offset,
                                            c->from_stride, c->to_offset, c->to_stride);
        ck_assert_ptr_nonnull(copy);
        weft_copy_run(copy, from, to);
        ck_assert_mem_eq(to, expected, sizeof to);
        weft_copy_release(copy);
    }
}

TEST(a_count_of_zero_copies_nothing)
{
    const ptrdiff_t count[3] = {5, 0, 7}, stride[3] = {100, 10, 1};
    unsigned char from[1024] = {0}, to[1024];
    memset(to, 7, sizeof to);
    weft_copy *copy = weft_copy_prepare(1, 3, count, 0, stride, 0, stride);
    ck_assert_ptr_nonnull(copy);
    weft_copy_run(copy, from, to);
    for (size_t i = 0; i < sizeof to; i++)
        ck_assert_int_eq(to[i], 7);
    weft_copy_release(copy);
}

TEST(no_axes_copy_one_element)
{
    double from[4] = {1, 2, 3, 4}, to[4] = {0};
    weft_copy *copy = weft_copy_prepare(sizeof(double), 0, NULL, 2, NULL, 1, NULL);
    ck_assert_ptr_nonnull(copy);
    weft_copy_run(copy, from, to);
    ck_assert_double_eq(to[1], 3);
    ck_assert(to[0] == 0 && to[2] == 0 && to[3] == 0);
    weft_copy_release(copy);
    weft_copy_release(NULL);
}

/* Streaming stores against memcpy: rows of any length to anywhere, and nothing beside them. */

enum { CAPACITY = 14000 };

static unsigned char from[CAPACITY], to[CAPACITY], expected[CAPACITY];

static void spoil(void)
{
    copy_pattern(from, CAPACITY);
    memset(to, 3, CAPACITY);
    memset(expected, 3, CAPACITY);
}

TEST(streaming_rows_of_any_alignment_and_length)
{
    for (size_t bytes = 0; bytes < 300; bytes++)
        for (size_t at = 0; at < 70; at += 3) {
            spoil();
            memcpy(expected + at, from + bytes % 64, bytes);
            weft_stream_copy(to + at, from + bytes % 64, bytes);
            weft_stream_fence();
            ck_assert_mem_eq(to, expected, CAPACITY);
        }
}

/* So many rows, each so far behind the one before it. */
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

/* Rows that follow each other in the target share lines of it. */
TEST(streaming_rows_one_after_another_equal_single_copies)
{
    for (size_t bytes = 0; bytes <= 400; bytes++)
        for (size_t at = 0; at < 70; at += 5)
            check_rows(at, bytes, 7, 500, bytes, 9);
}
