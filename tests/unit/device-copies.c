/* SPDX-License-Identifier: BSD-3-Clause */
/* What devices do to arrays by themselves: moves, against the loops that they say, and factors,
 * against their definition. The arithmetic of moves is that of the kernels (kernels/cuda/). */
#include <complex.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/cuda/kernels.h"
#include "tests/unit/copies.h"
#include "tests/unit/device.h"

static const size_t elements[] = {4, 8, 16, 12, 24, 32, 48, 40};

static void check_strided(const weft_strided_copy *transfer)
{
    const size_t from_bytes = (size_t)copies_reach(transfer, false) * transfer->element,
                 to_bytes = (size_t)copies_reach(transfer, true) * transfer->element;
    char *from = malloc(from_bytes), *to = malloc(to_bytes), *expected = malloc(to_bytes);
    copies_fill(from, from_bytes);
    memset(expected, 0x5a, to_bytes);
    void *there = on_device(from, from_bytes), *result = on_device(expected, to_bytes);
    copies_by_loop(transfer, from, expected);
    ck_assert(device->copy_strided(transfer, there, result, queue));
    get(to, result, to_bytes);
    ck_assert_mem_eq(to, expected, to_bytes);
    device->release(there);
    device->release(result);
    free(from);
    free(to);
    free(expected);
}

TEST(moves_are_those_of_loops, .to = 300, ON_DEVICE)
{
    copies_state = 1000 + (uint64_t)_i;
    const weft_strided_copy transfer = copies_random(elements[_i % NUMBER(elements)]);
    check_strided(&transfer);
}

/* Transpositions of all shapes of rectangles. */
static const ptrdiff_t shapes[][2] = {{2, 5000}, {5000, 2},  {3, 700}, {700, 3}, {33, 31},
                                      {32, 32},  {64, 1025}, {1, 9},   {17, 40}, {40, 17}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

TEST(transpositions_are_those_of_loops, .to = SHAPES * 8, ON_DEVICE)
{
    ptrdiff_t rows = shapes[_i % SHAPES][0], columns = shapes[_i % SHAPES][1];
    weft_strided_copy transfer = {.element = elements[_i / SHAPES], .axes = 3};
    memcpy(transfer.count, (ptrdiff_t[]){rows, 2, columns}, 3 * sizeof *transfer.count);
    memcpy(transfer.from_stride, (ptrdiff_t[]){2 * columns, columns, 1},
           3 * sizeof *transfer.count);
    memcpy(transfer.to_stride, (ptrdiff_t[]){1, rows, 2 * rows}, 3 * sizeof *transfer.count);
    check_strided(&transfer);
}

/* Moves larger than any memory here: where units come from and go to, of some of them. The target
 * is dense, so that the place of a unit there says its indices. */

typedef struct {
    weft_strided_copy transfer;
    const char *about;
} huge_case;

#define POWER(n) ((ptrdiff_t)(INT64_C(1) << (n)))

static const huge_case huge_cases[] = {
    {{8, 2, {POWER(33), 3}, 0, {17, POWER(38)}, 0, {3, 1}}, "lines, steps beyond 2^31"},
    {{16, 3, {5, POWER(20), 1000}, 9, {1, 5000, 5}, 0, {POWER(20) * 1000, 1000, 1}}, "tiles"},
    {{4, 2, {POWER(17), POWER(18)}, 0, {1, POWER(17)}, 0, {POWER(18), 1}}, "tiles beyond 2^31"},
    {{4, 2, {POWER(14) + 1, 1001}, 0, {1, POWER(40)}, 0, {1001, 1}}, "tiles far from one another"},
    {{24, 2, {POWER(31), 5}, 0, {5, 1}, 0, {5, 1}}, "one line"},
    {{8, 3, {1000, 1000, 1000}, 0, {1, 1000, POWER(20)}, 0, {1000000, 1000, 1}},
     "tiles below 2^31"},
};
enum { HUGE_CASES = sizeof huge_cases / sizeof *huge_cases };

/* (Check writes down every assertion, so these are not in the loops.) */
static bool is_pair(const weft_strided_copy *transfer, int unit, int64_t from, int64_t to)
{
    int64_t element = (int64_t)transfer->element, at = to * unit;
    int64_t expected = transfer->from_offset * element + at % element, rest = at / element;
    for (int k = transfer->axes - 1; k >= 0; k--) {
        expected += rest % transfer->count[k] * transfer->from_stride[k] * element;
        rest /= transfer->count[k];
    }
    return at >= 0 && rest == 0 /* it lies in the target */ && from * unit == expected;
}

static void check_rectangle(const weft_strided_copy *transfer, const weft_cuda_sweep *sweep,
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
            wrong += !is_pair(transfer, sweep->unit, from[slot], place);
            written++;
        }
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_gt(read, 0);
    ck_assert_int_eq(read, written);
}

static uint64_t any_below(uint64_t below)
{
    uint64_t number = 0;
    for (int i = 0; i < 4; i++)
        number = number << 16 | (uint64_t)copies_below(1 << 16);
    return number % below;
}

TEST(huge_moves_are_where_they_should_be, .to = sizeof(ptrdiff_t) > sizeof(int) ? HUGE_CASES : 1,
     ON_DEVICE)
{
    const weft_strided_copy *transfer = &huge_cases[_i].transfer;
    weft_cuda_sweep sweep = weft_sweep_of_copy(transfer, NULL, NULL);
    copies_state = 1 + (uint64_t)_i;
    ck_assert(sweep.unit);
    ck_assert_int_eq(sweep.tiled, strncmp(huge_cases[_i].about, "tiles", 5) == 0);
    for (int n = 0; n < 2000; n++) {
        uint64_t last = sweep.items - 1, item = n ? any_below(sweep.items) : last;
        int64_t from, to;
        if (sweep.tiled) {
            check_rectangle(transfer, &sweep, item);
        } else {
            weft_locate(&sweep, item, &from, &to);
            ck_assert(is_pair(transfer, sweep.unit, from, to));
        }
    }
}
/* Factors. */

typedef struct {
    weft_device_factors factors;
    ptrdiff_t numbers;
} factors_case;

/* A period that needs more than 32 bits where a ptrdiff_t has them. */
#define LONG_PERIOD (sizeof(ptrdiff_t) > sizeof(int) ? POWER(40) : POWER(30))

static const factors_case factor_cases[] = {
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
enum { FACTOR_CASES = sizeof factor_cases / sizeof *factor_cases };

static long double complex factor_of(const weft_device_factors *it, const ptrdiff_t *index)
{
    int64_t a = it->first[0], b = it->first[1];
    for (int k = 0; k < it->axes; k++) {
        a += index[k] * it->step[0][k];
        b += index[k] * it->step[1][k];
    }
    int64_t part = a % it->length * (b % it->length) % it->length;
    return cexpl(2 * 3.14159265358979323846264338327950288L * I * it->sign * (long double)part /
                 (long double)it->length);
}

static void factors_simply(const weft_device_factors *it, double complex *array)
{
    ptrdiff_t index[3] = {0}, count[3] = {1, 1, 1};
    for (int k = 0; k < it->axes; k++)
        count[k] = it->count[k];
    for (index[0] = 0; index[0] < count[0]; index[0]++)
        for (index[1] = 0; index[1] < count[1]; index[1]++)
            for (index[2] = 0; index[2] < count[2]; index[2]++) {
                ptrdiff_t at = 0;
                for (int k = 0; k < it->axes; k++)
                    at += index[k] * it->stride[k];
                array[at] = (double complex)(array[at] * factor_of(it, index));
            }
}

TEST(factors_are_those_of_the_definition, .to = FACTOR_CASES, ON_DEVICE)
{
    const factors_case *its = &factor_cases[_i];
    double complex array[100], expected[100];
    float complex small[100];
    for (int i = 0; i < its->numbers; i++)
        small[i] = (float complex)(expected[i] = array[i] = 1 + i + (2 - i) * I);
    factors_simply(&its->factors, expected);
    bool single = its->factors.single;
    void *at = single ? (void *)small : (void *)array;
    size_t bytes = (size_t)its->numbers * (single ? sizeof *small : sizeof *array);
    void *memory = on_device(at, bytes);
    ck_assert(device->factors(&its->factors, memory, queue));
    get(at, memory, bytes);
    for (int i = 0; i < its->numbers; i++) {
        double complex result = single ? (double complex)small[i] : array[i];
        double error = cabs(result - expected[i]) / cabs(expected[i]);
        ck_assert_msg(error < (single ? 3e-7 : 4e-16), "number %d: off by %g", i, error);
    }
    device->release(memory);
}