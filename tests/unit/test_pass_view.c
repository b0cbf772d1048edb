/* SPDX-License-Identifier: BSD-3-Clause */
/* Sides of passes: when two axes become one, and the blocks then; equal blocks.
 */
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "kernels/pass/views.h"
#include "planner/schedule/schedule.h"
#include "tests/unit/harness.h"

/* Returns a side of [4][5] numbers of 8 bytes with these blocks. */
static weft_side side_of(int axis, int blocks, const weft_view_block *block)
{
    const weft_view view = {.axis = axis, .blocks = blocks, .block = block};
    weft_side side;
    ck_assert(weft_side_make(&side, 2, (const ptrdiff_t[]){4, 5}, 8, &view));
    return side;
}

TEST(rows_that_follow_one_another_are_one)
{
    const weft_view_block block = {.count = 4, .offset = 7, .stride = {5, 1}};
    weft_side side = side_of(0, 1, &block);
    ck_assert(weft_side_can_join_axes(&side, 0, 1));
    ck_assert(!weft_side_can_join_axes(&side, 1, 0));
    weft_side_join_axes(&side, 0, 1);
    ck_assert_int_eq(side.count[0], 1);
    ck_assert_int_eq(side.count[1], 20);
    ck_assert_int_eq(side.axis, 1);
    ck_assert_int_eq(side.block[0].count, 20);
    ck_assert_int_eq(side.block[0].offset, 7);
    weft_side_free(&side);
}

/* Returns a side of three blocks of one row and one of two rows, every block in the next array but
 * one, or at equal distances; with `odd` the second is at another place. */
static weft_side side_of_equal(bool arrays, bool odd)
{
    weft_view_block block[4];
    for (int p = 0; p < 4; p++)
        block[p] = (weft_view_block){.count = p < 3 ? 1 : 2,
                                     .array = arrays ? 9 - 2 * p : 1,
                                     .offset = 40 - (arrays ? 1 : 9) * p + (odd && p == 1),
                                     .stride = {1, 4}};
    return side_of(1, 4, block);
}

TEST(equal_pieces_at_equal_steps_are_stored_once)
{
    for (int arrays = 0; arrays < 2; arrays++) {
        weft_side side = side_of_equal(arrays, false), odd = side_of_equal(arrays, true);
        ck_assert_int_eq(side.blocks, 2);
        ck_assert_int_eq(side.block[0].more, 2);
        ck_assert_int_eq(side.start[1], 3);
        ck_assert_int_eq(side.arrays, arrays ? 10 : 2);
        ck_assert_int_eq(weft_block_array(&side.block[0], 2), arrays ? 5 : 1);
        ck_assert_int_eq(weft_block_offset(&side.block[0], 2), arrays ? 38 : 22);
        ck_assert_int_eq(odd.blocks, 3);
        ck_assert(weft_sides_match(&side, &side, -1));
        ck_assert(!weft_sides_match(&side, &odd, -1));
        weft_side_free(&side);
        weft_side_free(&odd);
    }
}

/* The same view in the planner's form, and with each block separate. */
TEST(equal_views_make_equal_sides)
{
    const weft_view_block together = {.count = 1,
                                      .array = 3,
                                      .offset = 50,
                                      .stride = {1, 4},
                                      .more = 4,
                                      .array_step = -1,
                                      .offset_step = 20};
    weft_view_block alone[5];
    for (int p = 0; p < 5; p++)
        alone[p] = weft_single_block(&together, p);
    weft_side one = side_of(1, 1, &together), other = side_of(1, 5, alone);
    ck_assert_int_eq(one.blocks, 1);
    ck_assert_int_eq(other.blocks, 1);
    ck_assert(weft_sides_match(&one, &other, -1));
    ck_assert(!weft_sides_differ(&one, &other));
    weft_side_free(&one);
    weft_side_free(&other);
}

static ptrdiff_t indices_of(const weft_view *view)
{
    ptrdiff_t indices = 0;
    for (int p = 0; p < view->blocks; p++)
        indices += view->block[p].count * (1 + view->block[p].more);
    return indices;
}

/* Returns the block of a view that has an index, and makes the index relative to the block. */
static weft_view_block block_with(const weft_view *view, ptrdiff_t *index)
{
    for (int p = 0; p < view->blocks; p++)
        for (int nth = 0; nth <= view->block[p].more; nth++) {
            if (*index < view->block[p].count)
                return weft_single_block(&view->block[p], nth);
            *index -= view->block[p].count;
        }
    ck_abort_msg("there is no such index");
}

/* An index of the remaining view is the same index of the whole view, plus `count` behind the gap.
 */
TEST(a_part_of_a_view_is_left_out)
{
    weft_view_block given[2] = {{.count = 4, .array = 1, .offset = 100, .stride = {5, 1}},
                                {.count = 6, .array = 2, .offset = 300, .stride = {7, 2}}};
    for (int blocks = 1; blocks <= 2; blocks++)
        for (int first = 0; first <= 10; first++)
            for (int count = 0; first + count <= 10; count++) {
                weft_view_block *copy = calloc((size_t)blocks, sizeof *copy);
                memcpy(copy, given, (size_t)blocks * sizeof *copy);
                weft_view view = {.axis = 0, .blocks = blocks, .block = copy};
                ck_assert(weft_view_replace(&view, 0, 10, first, count, NULL));
                ck_assert_int_eq(indices_of(&view), 10 - count);
                for (int index = 0; index < 10 - count; index++) {
                    const int whole = index < first ? index : index + count;
                    const weft_view_block *from = &given[blocks == 2 && whole >= given[0].count];
                    ptrdiff_t within = index;
                    const weft_view_block block = block_with(&view, &within);
                    ck_assert_int_eq(block.array, from->array);
                    ck_assert_int_eq(block.offset + within * block.stride[0],
                                     from->offset + (whole - (from == given ? 0 : given[0].count)) *
                                                        from->stride[0]);
                }
                free((void *)view.block);
            }
}
