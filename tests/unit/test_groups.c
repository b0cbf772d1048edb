/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of ranks that talk: when those of one exchange are within those of another. */
#include "backends/exchange/layout.h"
#include "backends/exchange/nodes.h"
#include "tests/unit/harness.h"

/* Whether those who talk when axis a of [4][4] is given up for the other on a grid of 2x2 do also
 * when axis b is, or when the array goes from slabs of all to slabs of all. */
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

/* How ranks lie on nodes, by their leaders; alike: in blocks. */
static const struct {
    int ranks, leader[6];
    bool blocks;
} placements[] = {{1, {0}, true},           {3, {0, 0, 0}, true},
                  {3, {0, 1, 2}, true},     {4, {0, 0, 2, 2}, true},
                  {3, {0, 0, 2}, true},     {3, {0, 1, 1}, false},
                  {4, {0, 1, 0, 1}, false}, {4, {0, 1, 1, 0}, false},
                  {4, {0, 0, 2, 3}, false}, {6, {0, 0, 2, 2, 2, 5}, false}};

TEST(placements_are_told_apart)
{
    enum { ALL = sizeof placements / sizeof *placements };
    uint64_t number[ALL];
    for (int i = 0; i < ALL; i++) {
        number[i] = weft_nodes_placement(placements[i].leader, placements[i].ranks);
        ck_assert_msg((number[i] == 0) == placements[i].blocks, "row %d", i);
        for (int j = 0; j < i; j++)
            ck_assert_msg(number[i] == 0 || number[i] != number[j], "rows %d and %d", j, i);
    }
}
