/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines: touching them, which prepares memory and caches for timing; which lines are transformed,
 * and how; twiddle factors; and how few axes and blocks describe them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "kernels/pass/arithmetic.h"
#include "kernels/pass/division.h"
#include "tests/unit/passes.h"

enum { LINE = 64, UNTOUCHED = 1 };

static bool line_was_touched(const char *at)
{
    const char *line = at - (uintptr_t)at % LINE;
    for (int i = 0; i < LINE; i++)
        if (line[i] != UNTOUCHED)
            return true;
    return false;
}

/* Counts elements in cache lines without a changed byte. */
static ptrdiff_t untouched(const weft_side *side, void *const *array)
{
    ptrdiff_t missed = 0;
    weft_block_at block_at = {0};
    do {
        const weft_view_block *block = &side->block[block_at.p];
        const char *base = array[weft_block_array(block, block_at.nth)];
        ptrdiff_t count[WEFT_MAX_AXES], index[WEFT_MAX_AXES] = {0};
        memcpy(count, side->count, sizeof count);
        count[side->axis] = weft_side_divided(side) ? block->count : side->count[side->axis];
        do {
            ptrdiff_t offset = weft_block_offset(block, block_at.nth);
            for (int a = 0; a < side->axes; a++)
                offset += index[a] * block->stride[a];
            missed += !line_was_touched(base + offset * (ptrdiff_t)side->element);
        } while (index_next(side->axes, count, index));
    } while (weft_side_next_block(side, &block_at));
    return missed;
}

static void check_side(const weft_pass_sweep *sweep, weft_scratch *scratch, int s)
{
    const weft_side *side = s ? sweep->target : sweep->source;
    const ptrdiff_t tiles = sweep->tiling.tiles;
    memset(scratch->base, UNTOUCHED, scratch->bytes);
    weft_touch_lines(sweep, scratch, 0, tiles, s, WEFT_TOUCH_READ);
    weft_touch_lines(sweep, scratch, 0, tiles, s, WEFT_TOUCH_FLUSH);
    ck_assert_int_eq(untouched(side, scratch->array[s]), weft_side_elements(side));
    ck_assert(weft_touch_lines(sweep, scratch, 0, tiles, s, WEFT_TOUCH_WRITE));
    ck_assert_int_eq(untouched(side, scratch->array[s]), 0);
}

static ptrdiff_t tiles_of_shapes(const weft_pass_sweep *sweep)
{
    ptrdiff_t tiles = 0;
    for (ptrdiff_t s = 0; sweep->work && s < sweep->tiling.shapes; s++)
        tiles += sweep->work[s].tiles;
    return tiles;
}

TEST(every_line_is_touched)
{
    for (int n = 0; n < 60; n++) {
        test_case c;
        case_make(&c, n, (pass_family)(n % FAMILIES));
        c.spec.fftw_flags = FFTW_ESTIMATE;
        weft_pass *pass = pass_made(&c.spec, &c.limits);
        const weft_host_pass *host = (const weft_host_pass *)pass;
        for (int i = 0; i < host->sweeps; i++) {
            weft_scratch scratch;
            ck_assert_int_eq(tiles_of_shapes(&host->sweep[i]), host->sweep[i].tiling.tiles);
            ck_assert(weft_scratch_make(&scratch, &host->sweep[i]));
            for (int s = 0; s < 2 && host->sweep[i].tiling.tiles > 0; s++)
                check_side(&host->sweep[i], &scratch, s);
            weft_scratch_free(&scratch);
        }
        weft_pass_destroy(pass);
    }
}

/* Returns a backward pass over two axes of 16 points. */
static weft_pass *with_modes(ptrdiff_t modes)
{
    const weft_view_block source = {.count = modes, .stride = {modes, 1}},
                          target = {.count = 16, .stride = {16, 1}};
    weft_pass_spec spec = pass_of_two_axes(16, 16, WEFT_BACKWARD, WEFT_BACKWARD, &source, &target);
    spec.modes[0] = spec.modes[1] = modes;
    return pass_made(&spec, NULL);
}

/* With half of the modes along both axes, a quarter of all lines is left out. */
TEST(lines_of_zeros_are_neither_read_nor_transformed)
{
    weft_pass *all = with_modes(16), *half = with_modes(8);
    ck_assert_double_eq(half->read, 8 * 8 * sizeof(weft_complex));
    ck_assert_double_le(half->flops, 0.76 * all->flops);
    weft_pass_destroy(all);
    weft_pass_destroy(half);
}

/* Between the sweeps of a c2r pass the last axis is a spectrum of 33 numbers, not 64. */
TEST(the_array_between_sweeps_is_as_long_as_needed)
{
    const weft_pass_limits limits = {.level2 = 1 << 10, .last = 1 << 10};
    const weft_view_block source = {.count = 32, .stride = {33, 1}},
                          target = {.count = 64, .stride = {64, 1}};
    weft_pass_spec spec = pass_of_two_axes(64, 64, WEFT_BACKWARD, WEFT_C2R, &source, &target);
    spec.modes[0] = 32;
    spec.modes[1] = 64;
    weft_pass *pass = pass_made(&spec, &limits);
    ck_assert_uint_eq(((const weft_host_pass *)pass)->between, 64 * 33 * sizeof(weft_complex));
    weft_pass_destroy(pass);
}

/* Returns the workspace for lines side by side, with caches so small that all tiles use buffers. */
static size_t workspace_of(ptrdiff_t length)
{
    enum { LINES = 1024 };
    const weft_pass_limits limits = {.level2 = 1 << 18, .last = 1 << 18};
    const weft_view_block block = {.count = length, .stride = {LINES, 1}};
    const weft_pass_spec spec =
        pass_of_two_axes(length, LINES, WEFT_FORWARD, WEFT_KEEP, &block, &block);
    weft_pass *pass = pass_made(&spec, &limits);
    const size_t bytes = pass->workspace;
    weft_pass_destroy(pass);
    return bytes;
}

/* If that is faster; a tile has at most 64 kB and the padding of rows. */
TEST(estimated_lines_go_from_one_buffer_to_another)
{
    const size_t one = 80000;
    ck_assert_int_le(workspace_of(128), one);
    ck_assert_int_gt(workspace_of(120), one);
    ck_assert_int_gt(workspace_of(256), one);
}

static const ptrdiff_t lengths[] = {16, 18, 20, 22, 24, 26, 28,  30,
                                    32, 34, 36, 50, 64, 90, 128, 1022};

/* Makes a pass between rows of n real numbers, with a distance of `apart`, in memory of n / 2 + 1
 * pairs, and rows of as many complex numbers. */
static weft_pass *rows_of(ptrdiff_t rows, ptrdiff_t n, ptrdiff_t apart, bool backward)
{
    const ptrdiff_t half = n / 2 + 1;
    const weft_view_block real = {.count = rows, .stride = {2 * half * apart, apart}},
                          complex = {.count = rows, .stride = {half, 1}};
    const weft_pass_spec spec =
        pass_of_two_axes(rows, n, WEFT_KEEP, backward ? WEFT_C2R : WEFT_R2C,
                         backward ? &complex : &real, backward ? &real : &complex);
    weft_pass *pass = pass_made(&spec, NULL);
    ck_assert_msg(weft_halves_pay(n) == !!strchr(pass->variant, 'h'),
                  "%td rows of %td, in halves or not: %s", rows, n, pass->variant);
    return pass;
}

/* (test_pass compares the results of rows of all these lengths with the definition.) */
TEST(rows_are_split_in_halves_if_that_is_faster)
{
    for (int l = 0; l < NUMBER(lengths); l++)
        for (int backward = 0; backward < 2; backward++)
            for (ptrdiff_t apart = 1; apart <= 3; apart += 2)
                weft_pass_destroy(rows_of(31, lengths[l], apart, backward));
    ck_assert(weft_halves_pay(64) || !weft_halves_pay(128));
    ck_assert(!weft_halves_pay(8) && !weft_halves_pay(65) && !weft_halves_pay(96));
}

/* Twiddle factors of boxes whose lines are short, long, or far apart; not in long double, which has
 * no more exact type to compare with. */

/* The number at (i, j) of a box of count[0] x count[1] that begins at (start[0], start[1]). */
typedef struct {
    ptrdiff_t n;
    int sign;
    ptrdiff_t start[2], count[2], stride[2];
} box;

/* The last two need the power n exactly. */
static const box boxes[] = {
    {1 << 20, -1, {0, 0}, {3, 300}, {300, 1}},
    {1 << 20, 1, {0, 0}, {300, 3}, {1, 300}},
    {1 << 20, -1, {1, 77}, {9, 129}, {140, 1}},
    {1 << 20, -1, {1023, 500}, {2, 640}, {640, 1}},
    {1000003, -1, {5, 999990}, {4, 150}, {150, 1}},
    {97, 1, {90, 0}, {12, 200}, {200, 1}},
    {1 << 20, -1, {0, 0}, {17, 33}, {33, 1}},
    {1 << 20, 1, {700, 3}, {33, 20}, {1, 33}},
    {60, -1, {58, 59}, {10, 40}, {80, 2}},
    {600, -1, {0, 0}, {4, 140}, {420, 3}},
    {16, -1, {0, 0}, {9, 40}, {40, 1}},
    {4, 1, {1, 0}, {8, 33}, {1, 8}},
};

TEST(every_number_is_multiplied_by_its_factor,
     .from = sizeof(weft_real) > sizeof(double) ? NUMBER(boxes) : 0, .to = NUMBER(boxes))
{
    const box *it = &boxes[_i];
    const weft_twiddle twiddle = {.n = it->n, .sign = it->sign, .axis = {0, 1}};
    weft_factors *factors = weft_factors_make(&twiddle);
    ck_assert_msg(factors, "%s", weft_error_text());
    const size_t reach =
        (size_t)((it->count[0] - 1) * it->stride[0] + (it->count[1] - 1) * it->stride[1] + 1);
    weft_complex *array = malloc(reach * sizeof *array);
    ck_assert_ptr_nonnull(array);
    for (size_t k = 0; k < reach; k++) {
        array[k][0] = (weft_real)(k % 7) - 3;
        array[k][1] = (weft_real)(k % 5) - 2;
    }
    weft_factors_apply(factors, 2, it->start, it->count, it->stride, array);
    long double most = 0;
    for (ptrdiff_t i = 0; i < it->count[0]; i++)
        for (ptrdiff_t j = 0; j < it->count[1]; j++) {
            const ptrdiff_t k = i * it->stride[0] + j * it->stride[1];
            const ptrdiff_t power = (it->start[0] + i) * (it->start[1] + j) % it->n;
            const long double angle = TURN * (long double)power / (long double)it->n;
            const long double c = cosl(angle), s = it->sign * sinl(angle), x = k % 7 - 3,
                              y = k % 5 - 2;
            most = fmaxl(most, fabsl(array[k][0] - (x * c - y * s)));
            most = fmaxl(most, fabsl(array[k][1] - (x * s + y * c)));
        }
    ck_assert_msg(most < 16 * EPSILON, "%Lg roundings", most / EPSILON);
    free(array);
    free(factors);
}

/* Returns a side of [4][5] numbers with these blocks. */
static weft_side side_of(int axis, int blocks, const weft_view_block *block)
{
    const weft_view view = {.axis = axis, .blocks = blocks, .block = block};
    weft_side side;
    ck_assert(weft_side_make(&side, 2, (const ptrdiff_t[]){4, 5}, 8, &view));
    return side;
}

TEST(rows_that_follow_one_another_are_one)
{
    const weft_view_block block = {.count = 4, .stride = {5, 1}};
    weft_side side = side_of(0, 1, &block);
    ck_assert(weft_side_can_join_axes(&side, 0, 1) && !weft_side_can_join_axes(&side, 1, 0));
    weft_side_free(&side);
}

/* Three blocks of one row and one of two rows, every block in the next array but one, or at equal
 * distances; with an odd number the second is at another place. */
TEST(equal_blocks_are_stored_once, .to = 4)
{
    weft_view_block block[4];
    for (int p = 0; p < 4; p++)
        block[p] = (weft_view_block){.count = p < 3 ? 1 : 2,
                                     .array = _i > 1 ? 9 - 2 * p : 1,
                                     .offset = 40 - (_i > 1 ? 1 : 9) * p + (_i % 2 && p == 1),
                                     .stride = {1, 4}};
    weft_side side = side_of(1, 4, block);
    ck_assert_int_eq(side.blocks, _i % 2 ? 3 : 2);
    weft_side_free(&side);
}
