/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tiles of a pass, compared with a count over the blocks of both sides: every element belongs to
 * one tile, and a tile has one block along an axis that is kept.
 */
#include <string.h>
#include "kernels/base/error.h"
#include "kernels/pass/tiles.h"
#include "tests/unit/harness.h"

enum { ROWS = 48, COLUMNS = 40, BLOCKS = 10, AXES = 2, GAP = 7 };

/* A side: the divided axis, and the number of indices of each block. */
typedef struct {
    int axis, blocks;
    ptrdiff_t count[BLOCKS];
} division;

static const division whole_rows = {0, 1, {ROWS}};
static const division equal_rows = {0, 4, {12, 12, 12, 12}};
static const division most_rows_equal = {0, 5, {11, 11, 11, 11, 4}};
static const division some_rows = {0, 6, {1, 20, 20, 2, 2, 3}};
static const division single_rows = {0, 10, {1, 1, 1, 1, 1, 1, 1, 20, 20, 1}};
static const division equal_columns = {1, 5, {8, 8, 8, 8, 8}};
static const division some_columns = {1, 4, {17, 1, 1, 21}};

static const struct {
    const division *source, *target;
    bool transformed[AXES];
} cases[] = {
    {&whole_rows, &whole_rows, {false, false}},     {&whole_rows, &whole_rows, {true, false}},
    {&whole_rows, &whole_rows, {true, true}},       {&equal_rows, &whole_rows, {false, true}},
    {&equal_rows, &whole_rows, {true, false}},      {&equal_rows, &equal_rows, {false, false}},
    {&equal_rows, &most_rows_equal, {false, true}}, {&equal_rows, &equal_columns, {true, false}},
    {&equal_rows, &some_columns, {false, false}},   {&most_rows_equal, &some_rows, {false, false}},
    {&some_rows, &single_rows, {false, true}},      {&single_rows, &equal_rows, {false, false}},
    {&some_columns, &equal_columns, {true, false}}, {&some_columns, &single_rows, {false, false}},
};

/* Makes a side whose blocks are compact arrays, GAP elements apart. */
static void make_side(weft_side *side, const division *how)
{
    const ptrdiff_t count[AXES] = {ROWS, COLUMNS};
    weft_view_block block[BLOCKS];
    ptrdiff_t offset = 0;
    for (int p = 0; p < how->blocks; p++) {
        const ptrdiff_t columns = how->axis == 1 ? how->count[p] : COLUMNS;
        block[p] =
            (weft_view_block){.count = how->count[p], .offset = offset, .stride = {columns, 1}};
        offset += (how->axis == 0 ? how->count[p] : ROWS) * columns + GAP;
    }
    const weft_view view = {how->axis, how->blocks, block};
    ck_assert_msg(weft_side_make(side, AXES, count, sizeof(double), &view), "%s",
                  weft_error_text());
}

/* Returns the block that has an index of the divided axis. */
static int block_with(const division *how, ptrdiff_t index)
{
    int block = 0;
    while (index >= how->count[block])
        index -= how->count[block++];
    return block;
}

/* Checks the block of a side in a tile. */
static void check_block(const weft_tile *tile, const weft_side *side, const division *how,
                        bool is_target, int block)
{
    ptrdiff_t start = 0, offset = 0;
    for (int p = 0; p < block; p++) {
        start += how->count[p];
        offset += how->count[p] * (how->axis == 0 ? COLUMNS : ROWS) + GAP;
    }
    const weft_block_at at = weft_tile_block(tile, side, is_target);
    ck_assert_int_eq(weft_side_start(side, at), start);
    ck_assert_int_eq(weft_block_offset(&side->block[at.p], at.nth), offset);
}

static void check_tile(const weft_tile *tile, const weft_side *side, const division *how,
                       bool is_target, const bool *transformed)
{
    const ptrdiff_t count[AXES] = {ROWS, COLUMNS};
    for (int a = 0; a < AXES; a++) {
        const weft_tile_span *span = &tile->span[a];
        ck_assert(span->start >= 0 && span->count > 0 && span->count <= count[a] - span->start);
        ck_assert(!transformed[a] || span->count == count[a]);
    }
    const weft_tile_span *divided = &tile->span[how->axis];
    const int first = block_with(how, divided->start);
    const int last = block_with(how, divided->start + divided->count - 1);
    ck_assert(transformed[how->axis] || first == last);
    check_block(tile, side, how, is_target, first);
}

/* Compares the number of tiles of each shape with the tiling's; tiles of a shape have the same
 * size. */
static void check_shapes(const weft_tiling *tiling)
{
    for (ptrdiff_t shape = 0; shape < tiling->shapes; shape++) {
        weft_tile one, tile;
        const ptrdiff_t said = weft_tiling_of_shape(tiling, shape, &one);
        ptrdiff_t counted = 0;
        for (ptrdiff_t t = 0; t < tiling->tiles; t++) {
            weft_tiling_tile(tiling, t, &tile);
            if (tile.shape != shape)
                continue;
            counted++;
            ck_assert_int_eq(tile.span[0].count, one.span[0].count);
            ck_assert_int_eq(tile.span[1].count, one.span[1].count);
        }
        ck_assert_int_eq(said, counted);
    }
}

static void check_tiling(const weft_side *source, const weft_side *target, int c, double most,
                         int threads)
{
    weft_tiling tiling;
    weft_tile tile;
    int covered[ROWS][COLUMNS];
    memset(covered, 0, sizeof covered);
    ck_assert(weft_tiling_make(&tiling, source, target, cases[c].transformed, most, threads));
    for (ptrdiff_t t = 0; t < tiling.tiles; t++) {
        weft_tiling_tile(&tiling, t, &tile);
        check_tile(&tile, source, cases[c].source, false, cases[c].transformed);
        check_tile(&tile, target, cases[c].target, true, cases[c].transformed);
        for (ptrdiff_t i = 0; i < tile.span[0].count; i++)
            for (ptrdiff_t j = 0; j < tile.span[1].count; j++)
                covered[tile.span[0].start + i][tile.span[1].start + j]++;
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            ck_assert_msg(covered[i][j] == 1, "%d tiles have element %d, %d", covered[i][j], i, j);
    check_shapes(&tiling);
    weft_tiling_free(&tiling);
}

TEST(each_element_is_in_one_tile_of_one_piece, .to = NUMBER(cases))
{
    static const double most[] = {1, 50, 300, 700, 1e6};
    weft_side source, target;
    make_side(&source, cases[_i].source);
    make_side(&target, cases[_i].target);
    for (int m = 0; m < 5; m++)
        for (int threads = 1; threads <= 5; threads += 2)
            check_tiling(&source, &target, _i, most[m], threads);
    weft_side_free(&source);
    weft_side_free(&target);
}
