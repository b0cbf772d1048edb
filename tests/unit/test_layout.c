/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts and exchanges, without MPI: how axes are divided, digests, groups of ranks, nodes, and
 * counts that do not fit an int. (tests/mpi/test_exchange counts groups, and checks the places of
 * elements, as test_random does; test_bad has boxes that do not tile the array.) */
#include <string.h>
#include "backends/exchange/exchange.h"
#include "backends/exchange/nodes.h"
#include "kernels/base/error.h"
#include "tests/layouts.h"
#include "tests/unit/harness.h"

/* Returns a layout that divides one axis. */
static weft_layout divided(int axes, const ptrdiff_t *size, int axis, int parts, weft_rule rule,
                           ptrdiff_t block)
{
    weft_layout layout;
    weft_layout_init(&layout, axes, size, 1);
    layout.grid_axes = 1;
    layout.grid[0] = parts;
    layout.axis[axis] = (weft_axis){size[axis], 0, rule, block};
    return layout;
}

/* Known numbers: FFTW's division, the balanced and the even one; and the rank that has the indices.
 */
static const struct {
    ptrdiff_t size;
    int parts;
    weft_rule rule;
    ptrdiff_t block, start[8];
} divisions[] = {
    {10, 4, WEFT_BLOCKS, 0, {0, 3, 6, 9, 10}},
    {7, 4, WEFT_BLOCKS, 0, {0, 2, 4, 6, 7}},
    {6, 4, WEFT_BLOCKS, 0, {0, 2, 4, 6, 6}},
    {2, 4, WEFT_BLOCKS, 0, {0, 1, 2, 2, 2}},
    {10, 4, WEFT_BALANCED, 0, {0, 3, 6, 8, 10}},
    {3, 4, WEFT_BALANCED, 0, {0, 1, 2, 3, 3}},
    {10, 4, WEFT_EVENLY, 0, {0, 2, 5, 7, 10}},
    {3, 4, WEFT_EVENLY, 0, {0, 0, 1, 2, 3}},
    {10, 3, WEFT_BLOCKS, 5, {0, 5, 10, 10}},
    {0, 2, WEFT_BLOCKS, 0, {0, 0, 0}},
    {10, 2, WEFT_BLOCKS, PTRDIFF_MAX, {0, 10, 10}},
    {0, 2, WEFT_BALANCED, 0, {0, 0, 0}},
    {PTRDIFF_MAX, 2, WEFT_BLOCKS, 0, {0, PTRDIFF_MAX / 2 + 1, PTRDIFF_MAX}},
    {PTRDIFF_MAX, 2, WEFT_BALANCED, 0, {0, PTRDIFF_MAX / 2 + 1, PTRDIFF_MAX}},
};

TEST(divisions_are_those_of_fftw, .to = NUMBER(divisions))
{
    const weft_layout layout = divided(1, &divisions[_i].size, 0, divisions[_i].parts,
                                       divisions[_i].rule, divisions[_i].block);
    for (int rank = 0; rank < divisions[_i].parts; rank++) {
        const ptrdiff_t *start = &divisions[_i].start[rank];
        int first = -1, last = -1;
        weft_box box;
        weft_layout_box(&layout, rank, &box);
        ck_assert_int_eq(box.span[0].start, start[0]);
        ck_assert_int_eq(box.span[0].count, start[1] - start[0]);
        if (box.span[0].count == 0)
            continue;
        ck_assert(weft_layout_meets(&layout, 0, box.span[0], &first, &last));
        ck_assert(first == rank && last == rank);
    }
}

static const ptrdiff_t square[] = {4, 6};

/* A digest changes with each box, the order in memory and the division of the axes. Wisdom files
 * contain digests, so their values must not change. */
TEST(digests_distinguish_layouts)
{
    const weft_box box[3] = {{{{0, 2}, {0, 6}}}, {{{2, 2}, {0, 3}}}, {{{2, 2}, {3, 3}}}};
    weft_layout layout = divided(2, square, 0, 2, WEFT_BLOCKS, 0);
    list_boxes(&layout, 3);
    memcpy(layout.boxes->box, box, sizeof box);
    const unsigned long long digest = weft_layout_digest(&layout);
    ck_assert_uint_eq(digest, 0x974d649ee02b883d);
    for (int b = 0; b < 3; b++)
        for (int axis = 0; axis < 2; axis++)
            for (int which = 0; which < 2; which++) {
                weft_span *span = &layout.boxes->box[b].span[axis];
                ptrdiff_t *number = which ? &span->start : &span->count;
                ++*number;
                ck_assert(weft_layout_digest(&layout) != digest);
                --*number;
            }
    layout.order[0] = 1;
    ck_assert(weft_layout_digest(&layout) != digest);
    const weft_layout plain = divided(2, square, 0, 2, WEFT_BLOCKS, 0),
                      others[] = {divided(2, square, 0, 2, WEFT_BLOCKS, 3),
                                  divided(2, square, 0, 2, WEFT_BALANCED, 0),
                                  divided(2, square, 1, 2, WEFT_BLOCKS, 0)};
    for (int i = 0; i < NUMBER(others); i++)
        ck_assert(weft_layout_digest(&others[i]) != weft_layout_digest(&plain));
}

/* Returns a grid whose dimensions divide axes in random order by random rules. */
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

/* They stay boxes if one of them has another end, so that it overlaps its neighbour. */
TEST(boxes_of_a_grid_become_one, .to = 5)
{
    uint64_t state = 4200 + (uint64_t)_i;
    for (int turn = 0; turn < 200; turn++) {
        const ptrdiff_t size[3] = {3 + random_below(&state, 8), 3 + random_below(&state, 8),
                                   3 + random_below(&state, 8)};
        const weft_layout grid = any_grid(&state, size);
        weft_layout layout = grid;
        weft_box box, found;
        int ranks = 1;
        for (int g = 0; g < grid.grid_axes; g++)
            ranks *= grid.grid[g];
        list_boxes(&layout, ranks);
        weft_layout_simplify(&layout);
        ck_assert(weft_layout_is_regular(&layout));
        for (int rank = 0; rank < ranks; rank++) {
            weft_layout_box(&grid, rank, &box);
            weft_layout_box(&layout, rank, &found);
            ck_assert(memcmp(found.span, box.span, 3 * sizeof *found.span) == 0);
        }
        for (int axis = 0; ranks > 2 && axis < 3; axis++) {
            layout = grid;
            list_boxes(&layout, ranks);
            layout.boxes->box[0].span[axis].count++;
            weft_layout_simplify(&layout);
            ck_assert(!weft_layout_is_regular(&layout) && layout.boxes);
        }
    }
}

/* Whether the groups of one exchange are within the groups of another. The exchanges divide another
 * axis instead of axis a, or b, of [4][4] on a grid of 2x2; -1: from slabs to slabs of all ranks.
 */
static bool within(int a, int b)
{
    weft_layout side[2][2];
    const weft_layout *pair[2][2];
    bool answer;
    for (int e = 0; e < 2; e++)
        for (int s = 0; s < 2; s++) {
            const int axis = e ? b : a;
            pair[e][s] = &side[e][s];
            weft_layout_init(&side[e][s], 3, (const ptrdiff_t[]){4, 4, 4}, 1);
            side[e][s].grid_axes = axis < 0 ? 1 : 2;
            side[e][s].grid[0] = axis < 0 ? 4 : 2;
            side[e][s].grid[1] = 2;
            side[e][s].axis[axis < 0 ? s : s ? 2 : axis].grid_axis = axis < 0 ? 0 : axis;
            if (axis >= 0)
                side[e][s].axis[1 - axis].grid_axis = 1 - axis;
        }
    ck_assert(weft_groups_within(pair[0], pair[1], 4, &answer));
    return answer;
}

TEST(groups_are_within_others)
{
    ck_assert(within(0, 0) && within(1, 1) && within(-1, -1));
    ck_assert(within(0, -1) && within(1, -1));
    ck_assert(!within(0, 1) && !within(1, 0) && !within(-1, 0) && !within(-1, 1));
}

/* Placements of ranks on nodes, by the leader of each rank. */
static const struct {
    int ranks, leader[6];
    bool blocks;
} placements[] = {{1, {0}, true},           {3, {0, 0, 0}, true},
                  {3, {0, 1, 2}, true},     {4, {0, 0, 2, 2}, true},
                  {3, {0, 0, 2}, true},     {3, {0, 1, 1}, false},
                  {4, {0, 1, 0, 1}, false}, {4, {0, 1, 1, 0}, false},
                  {4, {0, 0, 2, 3}, false}, {6, {0, 0, 2, 2, 2, 5}, false}};

TEST(placements_are_distinguished)
{
    uint64_t number[NUMBER(placements)];
    for (int i = 0; i < NUMBER(placements); i++) {
        number[i] = weft_nodes_placement(placements[i].leader, placements[i].ranks);
        ck_assert_msg((number[i] == 0) == placements[i].blocks, "row %d", i);
        for (int j = 0; j < i; j++)
            ck_assert_msg(number[i] == 0 || number[i] != number[j], "rows %d and %d", j, i);
    }
}

/* Both sides have whole slabs: four axes become two. */
TEST(axes_that_are_joined_on_both_sides_become_one)
{
    static const ptrdiff_t size[4] = {8, 6, 5, 7};
    weft_layout from, to;
    slab_layouts(4, size, 3, 2, &from, &to);
    weft_exchange *e = weft_exchange_describe(&from, &to, 8, 0, NULL, 0, 2);
    ck_assert_ptr_nonnull(e);
    for (int peer = 0; peer < 2; peer++) {
        const weft_block *send = weft_exchange_sent(e, peer),
                         *receive = weft_exchange_received(e, peer);
        ck_assert_int_eq(send->axes, 2);
        ck_assert_int_eq(send->count[0], 4);
        ck_assert_int_eq(send->count[1], 3 * 5 * 7 * 3);
        ck_assert_int_eq(send->stride[0], 6 * 5 * 7 * 3);
        ck_assert_int_eq(send->stride[1], 1);
        ck_assert_int_eq(send->offset, peer * 3 * 5 * 7 * 3);
        ck_assert_int_eq(receive->stride[0], 3 * 5 * 7 * 3);
        ck_assert_int_eq(receive->offset, peer * 4 * 3 * 5 * 7 * 3);
        ck_assert_int_eq(send->contiguous, 0);
        ck_assert_int_eq(receive->contiguous, 1);
    }
    weft_exchange_destroy(e);
}

/* Only arithmetic, for arrays of more elements than int counts. */
TEST(counts_beyond_an_int_are_exact, .from = sizeof(ptrdiff_t) <= sizeof(int))
{
    static const ptrdiff_t size[2] = {INT64_C(6000000000), INT64_C(60000)};
    weft_layout from, to;
    slab_layouts(2, size, 1, 3, &from, &to);
    to.order[0] = 1;
    to.order[1] = 0;
    weft_exchange *e = weft_exchange_describe(&from, &to, 8, 0, NULL, 2, 3);
    ck_assert_ptr_nonnull(e);
    ck_assert_int_eq(e->in_elements, INT64_C(2000000000) * 60000);
    const weft_block *send = weft_exchange_sent(e, 1), *receive = weft_exchange_received(e, 1);
    ck_assert_int_eq(send->elements, INT64_C(2000000000) * 20000);
    ck_assert_int_eq(send->offset, 20000);
    ck_assert_int_eq(receive->offset, INT64_C(2000000000));
    ck_assert_int_eq(receive->count[0], INT64_C(2000000000));
    ck_assert_int_eq(receive->stride[0], 1);
    ck_assert_int_eq(receive->stride[1], INT64_C(6000000000));
    weft_exchange_destroy(e);
}
