/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts against a plain account of who holds what, for 1 to 13 ranks; and what is refused. */
#include <stdlib.h>
#include <string.h>
#include "tests/layouts.h"
#include "tests/unit/harness.h"

enum { MOST_RANKS = 13, ROUNDS = 60, MOST_POINTS = 2000 };

static const ptrdiff_t howmany_of[] = {1, 3};

static bool inside(const weft_layout *layout, const weft_box *box, const ptrdiff_t *index)
{
    for (int a = 0; a < layout->axes; a++)
        if (index[a] < box->span[a].start || index[a] >= box->span[a].start + box->span[a].count)
            return false;
    return true;
}

/* Every point is in the box of its holder and in no other, at the place that the strides say. */
static void check_points(const weft_layout *layout, int ranks, const char *text)
{
    ptrdiff_t index[WEFT_MAX_AXES] = {0}, stride[WEFT_MAX_AXES];
    weft_box box;

    do {
        int holder = holder_of(layout, index);

        for (int rank = 0; rank < ranks; rank++) {
            weft_layout_box(layout, rank, &box);
            ck_assert_msg(inside(layout, &box, index) == (rank == holder),
                          "a point of rank %d and the box of rank %d, %s", holder, rank, text);
        }
        weft_layout_box(layout, holder, &box);
        weft_layout_strides(layout, &box, stride);
        ptrdiff_t place = 0;
        for (int a = 0; a < layout->axes; a++)
            place += (index[a] - box.span[a].start) * stride[a];
        ck_assert_msg(place == place_of(layout, index),
                      "a point of rank %d lies at %td, not %td, %s", holder,
                      place_of(layout, index), place, text);
        ck_assert_msg(place + layout->howmany <= weft_layout_elements(layout, &box),
                      "a point of rank %d beyond its elements, %s", holder, text);
    } while (next_index(layout, layout->order, index));
}

/* The boxes hold as many points as the array has, so with check_points they tile it. */
static void check_sums(const weft_layout *layout, int ranks, const char *text)
{
    ptrdiff_t all = layout->howmany, held = 0;

    for (int a = 0; a < layout->axes; a++)
        all *= layout->axis[a].size;
    for (int rank = 0; rank < ranks; rank++) {
        ptrdiff_t count = layout->howmany, capacity = layout->howmany;
        weft_box box;

        weft_layout_box(layout, rank, &box);
        for (int a = 0; a < layout->axes; a++) {
            ck_assert_msg(box.span[a].count >= 0 && box.span[a].start >= 0 &&
                              box.span[a].start + box.span[a].count <= layout->axis[a].size,
                          "axis %d of rank %d, %s", a, rank, text);
            count *= box.span[a].count;
            capacity *=
                a == layout->axes - 1 && layout->padded > 0 ? layout->padded : box.span[a].count;
        }
        ck_assert_int_eq(weft_box_empty(layout->axes, &box), count == 0);
        ck_assert_int_eq(weft_layout_elements(layout, &box), count == 0 ? 0 : capacity);
        held += count;
    }
    ck_assert_msg(held == all, "%td elements held of %td, %s", held, all, text);
}

/* For every span of an axis: the first and last coordinate that really hold something of it. */
static void check_meets(const weft_layout *layout, const char *text)
{
    for (int a = 0; a < layout->axes; a++) {
        ptrdiff_t size = layout->axis[a].size, index[WEFT_MAX_AXES] = {0};
        int g = layout->axis[a].grid_axis, at[MOST_POINTS], below = 1;

        for (int d = g + 1; g >= 0 && d < layout->grid_axes; d++)
            below *= layout->grid[d];
        for (index[a] = 0; index[a] < size; index[a]++)
            at[index[a]] = g < 0 ? 0 : holder_of(layout, index) / below % layout->grid[g];
        for (ptrdiff_t start = -1; start <= size; start++)
            for (ptrdiff_t count = 0; count <= size - start + 1; count++) {
                ptrdiff_t low = start < 0 ? 0 : start;
                ptrdiff_t high = start + count < size ? start + count : size;
                int first = -1, last = -1;
                bool met = weft_layout_meets(layout, a, (weft_span){start, count}, &first, &last);

                ck_assert_msg(met == (low < high), "axis %d from %td, %td long, %s", a, start,
                              count, text);
                if (met)
                    ck_assert_msg(first == at[low] && last == at[high - 1],
                                  "axis %d from %td, %td long: %d to %d, not %d to %d, %s", a,
                                  start, count, at[low], at[high - 1], first, last, text);
            }
    }
}

TEST(boxes_tile_the_array, .from = 1, .to = MOST_RANKS + 1)
{
    int ranks = _i;
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)ranks;

    for (int round = 0; round < ROUNDS; round++) {
        ptrdiff_t size[8];
        weft_layout layout;
        char text[500];
        int axes = 1 + round % 8;

        random_sizes(&state, axes, MOST_POINTS / ranks, size);
        random_layout(&state, axes, size, howmany_of[round % 2], ranks, &layout);
        layout_text(&layout, text);
        check_points(&layout, ranks, text);
        check_sums(&layout, ranks, text);
        check_meets(&layout, text);
    }
}

/* Against numbers known beforehand: FFTW's own division, and the balanced one. */
TEST(divisions_are_those_of_fftw)
{
    static const struct {
        ptrdiff_t size;
        int parts;
        weft_rule rule;
        ptrdiff_t block, start[8];
    } table[] = {
        {10, 4, WEFT_BLOCKS, 0, {0, 3, 6, 9, 10}},
        {7, 4, WEFT_BLOCKS, 0, {0, 2, 4, 6, 7}},
        {6, 4, WEFT_BLOCKS, 0, {0, 2, 4, 6, 6}},
        {2, 4, WEFT_BLOCKS, 0, {0, 1, 2, 2, 2}},
        {10, 4, WEFT_BALANCED, 0, {0, 3, 6, 8, 10}},
        {3, 4, WEFT_BALANCED, 0, {0, 1, 2, 3, 3}},
        {10, 3, WEFT_BLOCKS, 5, {0, 5, 10, 10}},
        {0, 2, WEFT_BLOCKS, 0, {0, 0, 0}},
        {10, 2, WEFT_BLOCKS, PTRDIFF_MAX, {0, 10, 10}},
        {0, 2, WEFT_BALANCED, 0, {0, 0, 0}},
        {PTRDIFF_MAX, 2, WEFT_BLOCKS, 0, {0, PTRDIFF_MAX / 2 + 1, PTRDIFF_MAX}},
        {PTRDIFF_MAX, 2, WEFT_BALANCED, 0, {0, PTRDIFF_MAX / 2 + 1, PTRDIFF_MAX}},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        weft_layout layout;

        weft_layout_init(&layout, 1, &table[i].size, 1);
        layout.grid_axes = 1;
        layout.grid[0] = table[i].parts;
        layout.axis[0].grid_axis = 0;
        layout.axis[0].rule = table[i].rule;
        layout.axis[0].block = table[i].block;
        for (int rank = 0; rank < table[i].parts; rank++) {
            weft_box box;

            weft_layout_box(&layout, rank, &box);
            ck_assert_int_eq(box.span[0].start, table[i].start[rank]);
            ck_assert_int_eq(box.span[0].count, table[i].start[rank + 1] - table[i].start[rank]);
        }
    }
}
