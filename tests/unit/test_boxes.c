/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts of any boxes: whether they tile the array, against counting every point. */
#include "backends/exchange/layout.h"
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "tests/layouts.h"
#include "tests/unit/harness.h"

enum { MOST = 9 };

static weft_layout layout_of(int axes, const ptrdiff_t *size, const weft_box *box, int boxes)
{
    weft_layout layout;
    weft_layout_init(&layout, axes, size, 1);
    layout.box = box;
    layout.boxes = boxes;
    return layout;
}

/* Cuts the array in two, one part in two and so on, for so many ranks. */
static void cut(uint64_t *state, int axes, const ptrdiff_t *size, weft_box *box, int boxes)
{
    for (int axis = 0; axis < axes; axis++)
        box[0].span[axis] = (weft_span){0, size[axis]};
    for (int next = 1; next < boxes; next++) {
        weft_box *old = &box[random_below(state, next)];
        const int axis = (int)random_below(state, axes);
        const ptrdiff_t kept = random_below(state, old->span[axis].count + 1);
        box[next] = *old;
        box[next].span[axis].start += kept;
        box[next].span[axis].count -= kept;
        old->span[axis].count = kept;
    }
}

/* Whether every point is in one box, and no box leaves the array. */
static bool tiles(int axes, const ptrdiff_t *size, const weft_box *box, int boxes)
{
    ptrdiff_t points = 1, inside = 0;
    for (int axis = 0; axis < axes; axis++)
        points *= size[axis];
    for (int b = 0; b < boxes; b++) {
        ptrdiff_t product = 1;
        for (int axis = 0; axis < axes; axis++) {
            const weft_span *span = &box[b].span[axis];
            if (span->start < 0 || span->count < 0 || span->start + span->count > size[axis])
                return false;
            product *= span->count;
        }
        inside += product;
    }
    for (ptrdiff_t point = 0; point < points; point++) {
        int held = 0;
        for (int b = 0; b < boxes; b++) {
            ptrdiff_t rest = point;
            bool in = true;
            for (int axis = axes - 1; axis >= 0; axis--) {
                const ptrdiff_t at = rest % size[axis];
                const weft_span *span = &box[b].span[axis];
                in = in && at >= span->start && at < span->start + span->count;
                rest /= size[axis];
            }
            held += in;
        }
        if (held != 1)
            return false;
    }
    return inside == points;
}

/* Any cut tiles; moved by one somewhere it mostly does not. */
TEST(boxes_tile_just_when_every_point_is_in_one, .to = 20)
{
    uint64_t state = 77 + (uint64_t)_i;
    int wrong = 0;
    for (int turn = 0; turn < 100; turn++) {
        const int axes = 1 + (int)random_below(&state, 4);
        const int boxes = 1 + (int)random_below(&state, MOST);
        ptrdiff_t size[4];
        weft_box box[MOST];
        random_sizes(&state, axes, 200, size);
        cut(&state, axes, size, box, boxes);
        if (turn % 2) {
            weft_span *span = &box[random_below(&state, boxes)].span[random_below(&state, axes)];
            *(random_below(&state, 2) ? &span->start : &span->count) +=
                random_below(&state, 2) ? 1 : -1;
        }
        const weft_layout layout = layout_of(axes, size, box, boxes);
        const bool expected = tiles(axes, size, box, boxes);
        weft_error_clear();
        ck_assert_msg(weft_boxes_tile(&layout) == expected, "seed %d, turn %d: %s", _i, turn,
                      weft_error_text());
        ck_assert(expected || strlen(weft_error_text()) > 20);
        wrong += !expected;
    }
    ck_assert_int_gt(wrong, 10);
}

static const ptrdiff_t square[] = {4, 6};

static const struct {
    weft_box box[2];
    const char *said;
} flaws[] = {
    {{{{{0, 3}, {0, 6}}}, {{{2, 2}, {0, 6}}}}, "ranks 0 and 1 overlap"},
    {{{{{0, 4}, {0, 6}}}, {{{3, 1}, {5, 1}}}}, "ranks 0 and 1 overlap"},
    {{{{{0, 2}, {0, 6}}}, {{{3, 1}, {0, 6}}}}, "a hole: they contain 18 of 24"},
    {{{{{0, 0}, {0, 6}}}, {{{3, 0}, {0, 6}}}}, "a hole: they contain 0 of 24"},
    {{{{{0, 2}, {0, 6}}}, {{{2, 3}, {0, 6}}}}, "the box of rank 1 has 3 indices from index 2 on"},
    {{{{{-1, 3}, {0, 6}}}, {{{2, 2}, {0, 6}}}}, "the box of rank 0 has 3 indices from index -1 on"},
    {{{{{0, 2}, {0, 6}}}, {{{2, -2}, {0, 6}}}}, "the box of rank 1 has -2"},
    {{{{{0, 2}, {0, 6}}}, {{{2, 2}, {6, PTRDIFF_MAX}}}}, "the box of rank 1 has"},
};

TEST(flaws_are_named, .to = NUMBER(flaws))
{
    const weft_layout layout = layout_of(2, square, flaws[_i].box, 2);
    weft_error_clear();
    ck_assert(!weft_boxes_tile(&layout));
    ck_assert_msg(strstr(weft_error_text(), flaws[_i].said) != NULL, "\"%s\" does not say \"%s\"",
                  weft_error_text(), flaws[_i].said);
}

/* A layout's digest changes with any box, and with how it divides its axes; what it is stands in
 * wisdom files. */
TEST(digests_tell_layouts_apart)
{
    weft_box box[3] = {{{{0, 2}, {0, 6}}}, {{{2, 2}, {0, 3}}}, {{{2, 2}, {3, 3}}}};
    const weft_layout layout = layout_of(2, square, box, 3);
    const unsigned long long digest = weft_layout_digest(&layout);
    ck_assert_uint_eq(digest, 0xe538281866288301);
    for (int b = 0; b < 3; b++)
        for (int axis = 0; axis < 2; axis++)
            for (int which = 0; which < 2; which++) {
                ptrdiff_t *number = which ? &box[b].span[axis].start : &box[b].span[axis].count;
                ++*number;
                ck_assert(weft_layout_digest(&layout) != digest);
                --*number;
            }
    ck_assert_uint_eq(weft_layout_digest(&layout), digest);
    weft_layout plain;
    weft_layout_init(&plain, 2, square, 1);
    plain.grid_axes = 1;
    plain.grid[0] = 2;
    plain.axis[0].grid_axis = 0;
    ck_assert_uint_eq(weft_layout_digest(&plain), 0x8bac54f4625fa5c0);
    weft_layout other = plain;
    other.axis[0].block = 3;
    ck_assert(weft_layout_digest(&other) != weft_layout_digest(&plain));
    other = plain;
    other.axis[0].rule = WEFT_BALANCED;
    ck_assert(weft_layout_digest(&other) != weft_layout_digest(&plain));
    other = plain;
    other.axis[0].grid_axis = -1;
    other.axis[1].grid_axis = 0;
    ck_assert(weft_layout_digest(&other) != weft_layout_digest(&plain));
}

/* A grid whose dimensions divide axes in any order and by any rule. */
static weft_layout any_grid(uint64_t *state, const ptrdiff_t *size)
{
    weft_layout grid;
    weft_layout_init(&grid, 3, size, 1);
    grid.grid_axes = (int)random_below(state, 4);
    for (int g = 0; g < grid.grid_axes; g++) {
        int axis = (int)random_below(state, 3);
        while (grid.axis[axis].grid_axis >= 0)
            axis = (axis + 1) % 3;
        grid.grid[g] = 1 + (int)random_below(state, 3);
        grid.axis[axis].grid_axis = g;
        grid.axis[axis].rule = (weft_rule)random_below(state, 3);
    }
    return grid;
}

/* And stay boxes where one of them ends elsewhere, so that it has what was its neighbour's. */
TEST(boxes_of_a_grid_become_one, .to = 5)
{
    enum { RANKS = 27 };
    uint64_t state = 4200 + (uint64_t)_i;
    for (int turn = 0; turn < 200; turn++) {
        const ptrdiff_t size[3] = {3 + random_below(&state, 8), 3 + random_below(&state, 8),
                                   3 + random_below(&state, 8)};
        const weft_layout grid = any_grid(&state, size);
        weft_box box[RANKS], found;
        int ranks = 1;
        for (int g = 0; g < grid.grid_axes; g++)
            ranks *= grid.grid[g];
        for (int rank = 0; rank < ranks; rank++)
            weft_layout_box(&grid, rank, &box[rank]);
        weft_layout layout = layout_of(3, size, box, ranks);
        weft_layout_simplify(&layout);
        ck_assert(weft_layout_is_regular(&layout));
        for (int rank = 0; rank < ranks; rank++) {
            weft_layout_box(&layout, rank, &found);
            ck_assert(memcmp(found.span, box[rank].span, 3 * sizeof *found.span) == 0);
        }
        const weft_box kept = box[0];
        for (int axis = 0; ranks > 2 && axis < 3; axis++) {
            box[0].span[axis].count++;
            layout = layout_of(3, size, box, ranks);
            weft_layout_simplify(&layout);
            ck_assert(!weft_layout_is_regular(&layout) && layout.box == box);
            box[0] = kept;
        }
    }
}
