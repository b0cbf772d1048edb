/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strided copies against a loop that moves one element after another, byte for byte, with guard
 * zones and the gaps between elements checked to be untouched.
 */
#include <stdint.h>
#include <string.h>
#include "kernels/copy/copy.h"
#include "kernels/base/error.h"
#include "tests/unit/copies.h"
#include "tests/unit/harness.h"

enum { RANDOM_COPIES = 500 };

/* xorshift: the same copies everywhere */
static uint64_t random_state;

static ptrdiff_t random_below(ptrdiff_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (ptrdiff_t)(random_state % (uint64_t)limit);
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
        if (padding && random_below(2))
            step += random_below(padding + 1);
    }
}

static void shuffle(int *order, int axes)
{
    for (int a = 0; a < axes; a++)
        order[a] = a;
    for (int a = axes - 1; a > 0; a--) {
        int b = (int)random_below(a + 1), keep = order[a];
        order[a] = order[b];
        order[b] = keep;
    }
}

static const size_t elements[] = {1, 2, 3, 4, 8, 12, 16, 24, 32, 48};
enum { ELEMENTS = sizeof elements / sizeof *elements };

static copy_case random_case(size_t element)
{
    copy_case c = {.element = element, .axes = 1 + (int)random_below(MAX_AXES)};
    /* About so many elements in all, unevenly spread over the axes, one of them now and then 1. */
    ptrdiff_t left = 1 + random_below(40000);
    for (int a = 0; a < c.axes; a++) {
        ptrdiff_t most = a == c.axes - 1 ? left : (left < 300 ? left : 300);
        c.count[a] = 1 + random_below(most > 0 ? most : 1);
        left /= c.count[a];
        if (left < 1)
            left = 1;
    }
    int order[MAX_AXES];
    shuffle(order, c.axes);
    make_strides(&c, order, 1 + (random_below(4) == 0), random_below(3) ? 0 : 9, c.from_stride);
    shuffle(order, c.axes);
    make_strides(&c, order, 1 + (random_below(4) == 0), random_below(3) ? 0 : 9, c.to_stride);
    c.from_offset = random_below(20);
    c.to_offset = random_below(20);
    if (random_below(3) == 0) {
        c.misaligned[0] = (size_t)random_below(64);
        c.misaligned[1] = (size_t)random_below(64);
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
