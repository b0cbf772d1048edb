/* SPDX-License-Identifier: BSD-3-Clause */
/* Strided copies on a device, compared with loops, and factors, compared with their definition. The
 * stand-in uses the arithmetic of the kernels (kernels/cuda/). */
#include <complex.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/cuda/kernels.h"
#include "kernels/device/strided-copies.h"
#include "tests/unit/copies.h"
#include "tests/unit/device.h"

static const size_t elements[] = {4, 8, 16, 12, 24, 32, 48, 40};

static void check_strided(const strided_copy of)
{
    const size_t from_bytes = (size_t)copies_reach(&of, false) * of.element,
                 to_bytes = (size_t)copies_reach(&of, true) * of.element;
    char *from = malloc(from_bytes), *to = malloc(to_bytes), *expected = malloc(to_bytes);
    copies_fill(from, from_bytes);
    memset(expected, 0x5a, to_bytes);
    void *there = on_device(from, from_bytes), *result = on_device(expected, to_bytes);
    copies_by_loop(&of, from, expected);
    weft_device its = {.library = device, .queue = queue};
    weft_copy *copy = weft_copy_prepare_on(&its, of.element, of.axes, of.count, of.from_offset,
                                           of.from_stride, of.to_offset, of.to_stride);
    weft_copy_run(copy, there, result);
    ck_assert(!its.failed);
    weft_copy_release(copy);
    get(to, result, to_bytes);
    ck_assert_mem_eq(to, expected, to_bytes);
    device->release(there);
    device->release(result);
    free(from);
    free(to);
    free(expected);
}

TEST(strided_copies_equal_loops, .to = 300, ON_DEVICE)
{
    copies_state = 1000 + (uint64_t)_i;
    check_strided(copies_random(elements[_i % NUMBER(elements)]));
}

/* Transposes of rectangles of many shapes. */
static const ptrdiff_t shapes[][2] = {{2, 5000}, {5000, 2},  {3, 700}, {700, 3}, {33, 31},
                                      {32, 32},  {64, 1025}, {1, 9},   {17, 40}, {40, 17}};
enum { SHAPES = NUMBER(shapes) };

TEST(transposes_equal_loops, .to = SHAPES * 8, ON_DEVICE)
{
    ptrdiff_t rows = shapes[_i % SHAPES][0], columns = shapes[_i % SHAPES][1];
    check_strided((strided_copy){.element = elements[_i / SHAPES],
                                 .axes = 3,
                                 .count = {rows, 2, columns},
                                 .from_stride = {2 * columns, columns, 1},
                                 .to_stride = {1, rows, 2 * rows}});
}

/* Strided copies larger than the memory: the test checks source and target of some units. The
 * target is dense, so the place of a unit in it gives its indices. */

#define POWER(n) ((ptrdiff_t)(INT64_C(1) << (n)))

static const struct huge_copy {
    size_t unit;
    int axes;
    weft_copy_axis axis[3];
    const char *about;
} huge_copies[] = {
    {8, 3, {{1000, 8, 8000000}, {1000, 8000, 8000}, {1000, POWER(23), 8}}, "tiles below 2^31"},
    {8, 2, {{POWER(33), 136, 24}, {3, POWER(41), 8}}, "lines, steps beyond 2^31"},
    {16, 2, {{5, 16, POWER(34) - 384}, {POWER(30) - 24, 80, 16}}, "tiles"},
    {4, 2, {{POWER(17), 4, POWER(20)}, {POWER(18), POWER(19), 4}}, "tiles beyond 2^31"},
    {4, 2, {{POWER(14) + 1, 4, 4004}, {1001, POWER(42), 4}}, "tiles far from one another"},
    {(size_t)POWER(38), 0, {{0}}, "one line"},
};

/* (Check records every assertion, so loops call this instead.) */
static bool is_pair(const struct huge_copy *copy, int unit, int64_t from, int64_t to)
{
    int64_t at = to * unit, together = (int64_t)copy->unit;
    int64_t expected = at % together, rest = at / together;
    for (int k = copy->axes - 1; k >= 0; k--) {
        expected += rest % copy->axis[k].count * copy->axis[k].from;
        rest /= copy->axis[k].count;
    }
    return at >= 0 && rest == 0 /* inside the target */ && from * unit == expected;
}

static void check_rectangle(const struct huge_copy *copy, const weft_cuda_sweep *sweep,
                            uint64_t block)
{
    static int64_t from[2 * WEFT_TILE];
    weft_rectangle r = weft_rectangle_of(sweep, block);
    int64_t place;
    uint32_t slot;
    int read = 0, written = 0, wrong = 0;
    for (uint32_t n = 0; n < WEFT_TILE; n++)
        if (weft_rectangle_read(sweep, &r, n, &slot, &place)) {
            from[slot] = place;
            read++;
        }
    for (uint32_t n = 0; n < WEFT_TILE; n++)
        if (weft_rectangle_write(sweep, &r, n, &slot, &place)) {
            wrong += !is_pair(copy, sweep->unit, from[slot], place);
            written++;
        }
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_gt(read, 0);
    ck_assert_int_eq(read, written);
}

TEST(huge_copies_have_the_right_places,
     .to = sizeof(ptrdiff_t) > sizeof(int) ? NUMBER(huge_copies) : 1, ON_DEVICE)
{
    const struct huge_copy *copy = &huge_copies[_i];
    weft_cuda_sweep sweep = weft_sweep_of_copy(copy->unit, copy->axes, copy->axis, NULL, NULL);
    copies_state = 1 + (uint64_t)_i;
    ck_assert_int_eq(sweep.tiled, strncmp(copy->about, "tiles", 5) == 0);
    for (int n = 0; n < 2000; n++) {
        uint64_t last = sweep.items - 1,
                 item = n ? (uint64_t)copies_below((ptrdiff_t)sweep.items) : last;
        int64_t from, to;
        if (sweep.tiled) {
            check_rectangle(copy, &sweep, item);
        } else {
            weft_locate(&sweep, item, &from, &to);
            ck_assert(is_pair(copy, sweep.unit, from, to));
        }
    }
}
/* Factors. */

/* A period of more than 32 bits, if ptrdiff_t has them. */
#define LONG_PERIOD (sizeof(ptrdiff_t) > sizeof(int) ? POWER(40) : POWER(30))

static const struct {
    weft_device_factors factors;
    ptrdiff_t numbers;
} factor_cases[] = {
    {{false, 2, {7, 9}, {9, 1}, {0, 0}, {{1, 0}, {0, 1}}, 63, -1}, 63},
    {{true, 2, {7, 9}, {9, 1}, {0, 0}, {{1, 0}, {0, 1}}, 63, 1}, 63},
    {{false, 3, {4, 5, 3}, {15, 1, 5}, {1000, 77}, {{1, 0, 0}, {0, 3, 0}}, 4096, 1}, 60},
    {{true, 3, {4, 5, 3}, {20, 4, 1}, {11, 5}, {{-1, 2, 0}, {0, -3, 1}}, 97, -1}, 90},
    {{false, 1, {50}, {1}, {123456789, 987654321}, {{1}, {7}}, LONG_PERIOD, -1}, 50},
    {{false, 1, {50}, {1}, {5, -3}, {{1}, {1}}, 8, -1}, 50},
    {{false, 1, {50}, {1}, {5, -3}, {{-1}, {-7}}, LONG_PERIOD, 1}, 50},
    {{false, 1, {50}, {1}, {5, -3}, {{1}, {1}}, 1, -1}, 50},
    {{false, 2, {8, 1}, {1, 8}, {0, 1}, {{1, 0}, {0, 0}}, 8, 1}, 8},
    {{false, 0, {0}, {0}, {3, 2}, {{0}, {0}}, 12, 1}, 1},
    {{false, 1, {0}, {1}, {0, 0}, {{1}, {1}}, 12, 1}, 1},
};

static void factors_simply(const weft_device_factors *it, double complex *array)
{
    ptrdiff_t total = 1;
    for (int k = 0; k < it->axes; k++)
        total *= it->count[k];
    for (ptrdiff_t n = 0; n < total; n++) {
        int64_t a = it->first[0], b = it->first[1];
        ptrdiff_t rest = n, at = 0;
        for (int k = 0; k < it->axes; rest /= it->count[k++]) {
            const ptrdiff_t index = rest % it->count[k];
            a += index * it->step[0][k];
            b += index * it->step[1][k];
            at += index * it->stride[k];
        }
        const int64_t part = a % it->length * (b % it->length) % it->length;
        const long double complex factor =
            cexpl(2 * 3.14159265358979323846264338327950288L * I * it->sign * (long double)part /
                  (long double)it->length);
        array[at] = (double complex)(array[at] * factor);
    }
}

TEST(factors_follow_their_definition, .to = NUMBER(factor_cases), ON_DEVICE)
{
    const weft_device_factors *its = &factor_cases[_i].factors;
    const ptrdiff_t numbers = factor_cases[_i].numbers;
    double complex array[100], expected[100];
    float complex small[100];
    for (int i = 0; i < numbers; i++)
        small[i] = (float complex)(expected[i] = array[i] = 1 + i + (2 - i) * I);
    factors_simply(its, expected);
    bool single = its->single;
    void *at = single ? (void *)small : (void *)array;
    size_t bytes = (size_t)numbers * (single ? sizeof *small : sizeof *array);
    void *memory = on_device(at, bytes);
    ck_assert(device->factors(its, memory, queue));
    get(at, memory, bytes);
    for (int i = 0; i < numbers; i++) {
        double complex result = single ? (double complex)small[i] : array[i];
        double error = cabs(result - expected[i]) / cabs(expected[i]);
        ck_assert_msg(error < (single ? 3e-7 : 4e-16), "number %d: off by %g", i, error);
    }
    device->release(memory);
}