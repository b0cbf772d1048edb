/* SPDX-License-Identifier: BSD-3-Clause */
/* Sides of passes: when two of their axes are one, and what becomes of pieces then. */
#include "kernels/pass/side.h"
#include "tests/unit/harness.h"

/* A side of [4][5] numbers of 8 bytes with these pieces. */
static weft_side side_of(int axis, int pieces, const weft_view_piece *piece)
{
    const weft_view view = {.axis = axis, .pieces = pieces, .piece = piece};
    weft_side side;
    ck_assert(weft_side_make(&side, "test", 2, (const ptrdiff_t[]){4, 5}, 8, &view));
    return side;
}

START_TEST(rows_that_follow_one_another_are_one)
{
    const weft_view_piece piece = {.count = 4, .offset = 7, .stride = {5, 1}};
    weft_side side = side_of(0, 1, &piece);
    ck_assert(weft_side_are_one(&side, 0, 1));
    ck_assert(!weft_side_are_one(&side, 1, 0));
    weft_side_make_one(&side, 0, 1);
    ck_assert_int_eq(side.count[0], 1);
    ck_assert_int_eq(side.count[1], 20);
    ck_assert_int_eq(side.axis, 1);
    ck_assert_int_eq(side.piece[0].count, 20);
    ck_assert_int_eq(side.piece[0].offset, 7);
    weft_side_free(&side);
}
END_TEST

START_TEST(pieces_of_whole_rows_become_pieces_of_one_axis)
{
    const weft_view_piece piece[2] = {{.count = 1, .array = 1, .stride = {5, 1}},
                                      {.count = 3, .offset = 10, .stride = {5, 1}}};
    weft_side side = side_of(0, 2, piece);
    ck_assert(weft_side_are_one(&side, 0, 1));
    weft_side_make_one(&side, 0, 1);
    ck_assert_int_eq(side.axis, 1);
    ck_assert_int_eq(side.count[1], 20);
    ck_assert_int_eq(side.piece[0].count, 5);
    ck_assert_int_eq(side.piece[1].count, 15);
    ck_assert_int_eq(side.start[0], 0);
    ck_assert_int_eq(side.start[1], 5);
    weft_side_free(&side);
}
END_TEST

START_TEST(what_is_cut_or_has_gaps_stays_two)
{
    const weft_view_piece cut[2] = {{.count = 2, .stride = {5, 1}},
                                    {.count = 3, .array = 1, .stride = {5, 1}}},
                          gap = {.count = 4, .stride = {6, 1}},
                          one_has_gaps[2] = {{.count = 1, .stride = {5, 1}},
                                             {.count = 3, .array = 1, .stride = {6, 1}}};
    weft_side side[3] = {side_of(1, 2, cut), side_of(0, 1, &gap), side_of(0, 2, one_has_gaps)};
    for (int i = 0; i < 3; i++) {
        ck_assert(!weft_side_are_one(&side[i], 0, 1));
        weft_side_free(&side[i]);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("pass view");
    TCase *tests = tcase_create("two axes as one");
    tcase_add_test(tests, rows_that_follow_one_another_are_one);
    tcase_add_test(tests, pieces_of_whole_rows_become_pieces_of_one_axis);
    tcase_add_test(tests, what_is_cut_or_has_gaps_stays_two);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
