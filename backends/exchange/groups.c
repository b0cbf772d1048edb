/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the groups of ranks that talk to one another, by union-find. The receivers of a rank form a
 * range of coordinates in every dimension of the target's grid, found in O(axes). So the cost is
 * proportional to the number of pairs that talk, or less: the search ends once all ranks are in one
 * group. Every rank computes the same groups.
 */
#include "backends/exchange/layout.h"

#include <stdlib.h>
#include "kernels/base/memory.h"

static int find(int *leader, int rank)
{
    while (leader[rank] != rank) {
        leader[rank] = leader[leader[rank]];
        rank = leader[rank];
    }
    return rank;
}

/* Joins the groups of two ranks; returns whether the groups were different. */
static int unite(int *leader, int a, int b)
{
    a = find(leader, a);
    b = find(leader, b);
    if (a < b)
        leader[b] = a;
    else
        leader[a] = b;
    return a != b;
}

/* Sets the ranges of grid coordinates of `to` whose boxes intersect `box`; returns false when none
 * does. */
static bool meets(const weft_layout *to, const weft_box *box, int *first, int *last)
{
    for (int g = 0; g < to->grid_axes; g++)
        first[g] = last[g] = 0;
    for (int a = 0; a < to->axes; a++) {
        int from, upto, g = to->axis[a].grid_axis;

        if (!weft_layout_meets(to, a, box->span[a], &from, &upto))
            return false;
        if (g >= 0) {
            first[g] = from;
            last[g] = upto;
        }
    }
    return true;
}

/* Whether a rank owns any points. With WEFT_EVENLY and more coordinates than indices, ranks between
 * others may own none. */
static bool owns_points(const weft_layout *to, int rank)
{
    weft_box box;
    bool sure = true;

    for (int a = 0; a < to->axes; a++)
        sure &= to->axis[a].rule != WEFT_EVENLY;
    if (!sure)
        weft_layout_box(to, rank, &box);
    return sure || !weft_box_empty(to->axes, &box);
}

/* Joins a rank's group with the groups of all ranks to which it sends points of `box`; returns by
 * how many the number of groups decreased. */
static int unite_peers(const weft_layout *to, const weft_box *box, int rank, int *leader)
{
    int first[WEFT_MAX_AXES], last[WEFT_MAX_AXES], at[WEFT_MAX_AXES];
    int united = 0, g;

    if (!meets(to, box, first, last))
        return 0;
    for (g = 0; g < to->grid_axes; g++)
        at[g] = first[g];
    do {
        int peer = 0;

        for (g = 0; g < to->grid_axes; g++)
            peer = peer * to->grid[g] + at[g];
        united += owns_points(to, peer) && unite(leader, rank, peer);
        for (g = to->grid_axes - 1; g >= 0 && at[g] == last[g]; g--)
            at[g] = first[g];
        if (g >= 0)
            at[g]++;
    } while (g >= 0);
    return united;
}

/* The same for a target with joined axes. The receivers are the owners of the rows of the box: one
 * range of rows for every combination of indices along the joined axes except the last. */
static int unite_rows(const weft_layout *to, const weft_box *box, int rank, int *leader)
{
    ptrdiff_t lines = 1;
    int united = 0, first, last;

    for (int i = 0; i < to->joined - 1; i++)
        lines *= box->span[to->order[i]].count;
    for (ptrdiff_t line = 0; line < lines; line++) {
        weft_span rows = {0, box->span[to->order[to->joined - 1]].count};
        ptrdiff_t rest = line, step = 1;

        for (int i = to->joined - 1; i >= 0; i--) {
            const weft_span *span = &box->span[to->order[i]];
            const bool whole = i == to->joined - 1;

            rows.start += step * (span->start + (whole ? 0 : rest % span->count));
            rest /= whole ? 1 : span->count;
            step *= to->axis[to->order[i]].size;
        }
        if (weft_layout_meets(to, to->order[0], rows, &first, &last))
            for (int peer = first; peer <= last; peer++)
                united += owns_points(to, peer) && unite(leader, rank, peer);
    }
    return united;
}

/* The same for a target with a list of boxes: compares `box` with the boxes of other groups. */
static int unite_any(const weft_layout *to, const weft_box *box, int rank, int ranks, int *leader)
{
    weft_box theirs, common;
    int united = 0;

    for (int peer = 0; peer < ranks; peer++) {
        weft_boxes boxes = weft_boxes_of(to, peer);
        while (find(leader, rank) != find(leader, peer) && weft_boxes_next(&boxes, &theirs))
            if (weft_box_intersect(to->axes, box, &theirs, &common))
                united += unite(leader, rank, peer);
    }
    return united;
}

int weft_groups(const weft_layout *from, const weft_layout *to, int ranks, int *leader)
{
    int groups = ranks;
    weft_box box;

    for (int rank = 0; rank < ranks; rank++)
        leader[rank] = rank;
    for (int rank = 0; rank < ranks && groups > 1; rank++) {
        weft_boxes mine = weft_boxes_of(from, rank);

        while (weft_boxes_next(&mine, &box))
            groups -= to->boxes        ? unite_any(to, &box, rank, ranks, leader)
                      : to->joined > 1 ? unite_rows(to, &box, rank, leader)
                                       : unite_peers(to, &box, rank, leader);
    }
    for (int rank = 0; rank < ranks; rank++)
        leader[rank] = find(leader, rank);
    return groups;
}

bool weft_groups_within(const weft_layout *const layout[2], const weft_layout *const other[2],
                        int ranks, bool *within)
{
    int *mine = weft_new((size_t)ranks, sizeof *mine, "the groups of the ranks"),
        *theirs = weft_new((size_t)ranks, sizeof *theirs, "the groups of the ranks");
    const bool ok = mine && theirs;
    if (ok) {
        weft_groups(layout[0], layout[1], ranks, mine);
        weft_groups(other[0], other[1], ranks, theirs);
    }
    *within = ok;
    for (int rank = 0; ok && rank < ranks; rank++)
        *within &= theirs[rank] == theirs[mine[rank]];
    free(mine);
    free(theirs);
    return ok;
}

/* The number of points that a rank owns in both layouts. */
static double kept(const weft_layout *from, const weft_layout *to, int rank)
{
    weft_boxes before = weft_boxes_of(from, rank);
    weft_box a, b, common;
    double sum = 0;

    while (weft_boxes_next(&before, &a)) {
        weft_boxes after = weft_boxes_of(to, rank);

        while (weft_boxes_next(&after, &b))
            if (weft_box_intersect(from->axes, &a, &b, &common))
                sum += (double)weft_box_points(from->axes, &common);
    }
    return sum;
}

double weft_layout_moved(const weft_layout *from, const weft_layout *to, int ranks)
{
    double moved = 1;

    for (int axis = 0; axis < from->axes; axis++)
        moved *= (double)from->axis[axis].size;
    for (int rank = 0; rank < ranks; rank++)
        moved -= kept(from, to, rank);
    return moved;
}
