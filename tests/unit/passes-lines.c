/* SPDX-License-Identifier: BSD-3-Clause */
/* Touching lines, by which timing prepares memory and caches: none of a side may be left out. */
#include <string.h>
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

/* Elements of a side that lie in lines of which no byte has changed. */
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
    const weft_side *side = s ? &sweep->target : &sweep->source;
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

START_TEST(every_line_is_touched)
{
    for (int n = 0; n < 60; n++) {
        test_case c;
        case_make(&c, n, (pass_family)(n % FAMILIES));
        c.spec.fftw_flags = FFTW_ESTIMATE;
        weft_pass *pass = weft_pass_create_limited(&c.spec, &c.limits);
        ck_assert_ptr_nonnull(pass);
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
END_TEST

/* What a pass backward over two axes of 16 points does and reads. */
static void cost_with(ptrdiff_t modes, double *read, double *flops)
{
    weft_view_block source = {.count = modes, .stride = {modes, 1}},
                    target = {.count = 16, .stride = {16, 1}};
    const weft_pass_spec spec = {.axes = 2,
                                 .size = {16, 16},
                                 .kind = {WEFT_BACKWARD, WEFT_BACKWARD},
                                 .modes = {modes, modes},
                                 .source = {0, 1, &source},
                                 .target = {0, 1, &target},
                                 .fftw_flags = FFTW_ESTIMATE};
    weft_pass *pass = weft_pass_create(&spec);
    ck_assert_ptr_nonnull(pass);
    *read = pass->read;
    *flops = pass->flops;
    weft_pass_destroy(pass);
}

/* With half of the modes along both axes, a quarter of all lines. */
START_TEST(lines_of_zeros_are_neither_read_nor_transformed)
{
    double read[2], flops[2];
    cost_with(16, &read[0], &flops[0]);
    cost_with(8, &read[1], &flops[1]);
    ck_assert_double_eq(read[1], 8 * 8 * sizeof(weft_complex));
    ck_assert_double_le(flops[1], 0.76 * flops[0]);
}
END_TEST

/* Of lines side by side, in tiles of caches so small that all goes through buffers. */
static size_t workspace_of(ptrdiff_t length, unsigned flags)
{
    enum { LINES = 1024 };
    const weft_pass_limits limits = {.level2 = 1 << 18, .last = 1 << 18};
    weft_view_block block = {.count = length, .stride = {LINES, 1}};
    const weft_pass_spec spec = {.axes = 2,
                                 .size = {length, LINES},
                                 .kind = {WEFT_FORWARD, WEFT_KEEP},
                                 .source = {0, 1, &block},
                                 .target = {0, 1, &block},
                                 .fftw_flags = flags};
    weft_pass *pass = weft_pass_create_limited(&spec, &limits);
    ck_assert_ptr_nonnull(pass);
    const size_t bytes = pass->workspace;
    weft_pass_destroy(pass);
    return bytes;
}

/* Where that is faster; a tile has room for at most 64 kB, and what rows are padded with. */
START_TEST(estimated_lines_go_from_one_buffer_to_another)
{
    const size_t one = 80000;
    ck_assert_int_le(workspace_of(128, FFTW_ESTIMATE), one);
    ck_assert_int_gt(workspace_of(120, FFTW_ESTIMATE), one);
    ck_assert_int_gt(workspace_of(256, FFTW_ESTIMATE), one);
}
END_TEST

void add_lines(TCase *tests)
{
    tcase_add_test(tests, estimated_lines_go_from_one_buffer_to_another);
    tcase_add_test(tests, lines_of_zeros_are_neither_read_nor_transformed);
    tcase_add_test(tests, every_line_is_touched);
}
