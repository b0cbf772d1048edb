/* SPDX-License-Identifier: BSD-3-Clause */
/* Sides of passes: when two of their axes are one, and what becomes of blocks then; equal blocks.
 */
#include <string.h>
#include "kernels/base/error.h"
#include "kernels/pass/views.h"
#include "tests/unit/harness.h"

/* A side of [4][5] numbers of 8 bytes with these blocks. */
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

TEST(pieces_of_whole_rows_become_pieces_of_one_axis)
{
    const weft_view_block block[2] = {{.count = 1, .array = 1, .stride = {5, 1}},
                                      {.count = 3, .offset = 10, .stride = {5, 1}}};
    weft_side side = side_of(0, 2, block);
    ck_assert(weft_side_can_join_axes(&side, 0, 1));
    weft_side_join_axes(&side, 0, 1);
    ck_assert_int_eq(side.axis, 1);
    ck_assert_int_eq(side.count[1], 20);
    ck_assert_int_eq(side.block[0].count, 5);
    ck_assert_int_eq(side.block[1].count, 15);
    ck_assert_int_eq(side.start[0], 0);
    ck_assert_int_eq(side.start[1], 5);
    weft_side_free(&side);
}

TEST(what_is_cut_or_has_gaps_stays_two)
{
    const weft_view_block cut[2] = {{.count = 2, .stride = {5, 1}},
                                    {.count = 3, .array = 1, .stride = {5, 1}}},
                          gap = {.count = 4, .stride = {6, 1}},
                          one_has_gaps[2] = {{.count = 1, .stride = {5, 1}},
                                             {.count = 3, .array = 1, .stride = {6, 1}}};
    weft_side side[3] = {side_of(1, 2, cut), side_of(0, 1, &gap), side_of(0, 2, one_has_gaps)};
    for (int i = 0; i < 3; i++) {
        ck_assert(!weft_side_can_join_axes(&side[i], 0, 1));
        weft_side_free(&side[i]);
    }
}

/* Three of one row each and one of two, every block in the next array but one, or after so many
 * numbers; the second is at another place if it is `odd`. */
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

TEST(equal_pieces_at_equal_steps_are_told_once)
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

/* One view as planners may give it, and with each block by itself. */
TEST(however_pieces_are_told_sides_are_the_same)
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

TEST(equal_pieces_that_go_on_are_joined)
{
    const weft_view_block block = {
        .count = 1, .offset = 6, .stride = {5, 1}, .more = 3, .offset_step = 5};
    weft_side side = side_of(0, 1, &block);
    ck_assert(!weft_side_divided(&side));
    ck_assert_int_eq(side.block[0].count, 4);
    ck_assert_int_eq(side.block[0].offset, 6);
    weft_side_free(&side);
}
