/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths in rows: what they move is just what changes ranks from one order of the axes to the next,
 * counted here point by point: in an order rank r of P begins at floor(N r / P) of N rows, those of
 * the first axes of it that are P at least.
 */
#include <string.h>
#include "api/request.h"
#include "kernels/base/error.h"
#include "planner/schedule/schedule.h"
#include "tests/unit/harness.h"

static const int three[3][4] = {{0, 1, 2}, {2, 0, 1}, {2, 1, 0}};
static const int four[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {3, 2, 0, 1}, {3, 2, 1, 0}};

static const struct {
    int axes;
    ptrdiff_t size[4];
    weft_kind last;
} cases[] = {
    {3, {5, 7, 8}, WEFT_FORWARD},    {3, {2, 3, 9}, WEFT_FORWARD}, {3, {8, 8, 8}, WEFT_FORWARD},
    {3, {9, 1, 2}, WEFT_FORWARD},    {3, {4, 6, 10}, WEFT_R2C},    {3, {3, 5, 7}, WEFT_C2R},
    {4, {2, 3, 4, 5}, WEFT_FORWARD}, {4, {3, 2, 2, 7}, WEFT_R2C},  {4, {4, 4, 4, 4}, WEFT_C2R}};
enum { CASES = sizeof cases / sizeof *cases, MOST = 40 };

/* The rank that has a point in some order of the axes. */
static int holder(const ptrdiff_t *size, int axes, const int *order, int ranks,
                  const ptrdiff_t *index)
{
    ptrdiff_t rows = 1, row = 0;
    int rank = 0;
    for (int i = 0; i < axes - 1 && (i == 0 || rows < ranks); i++) {
        row = row * size[order[i]] + index[order[i]];
        rows *= size[order[i]];
    }
    while (rows * (rank + 1) / ranks <= row)
        rank++;
    return rank;
}

/* The orders that the array comes through: the sides, and those in which an axis is whole that was
 * divided in all before; towards the first order it is the same way back. How many. */
static int used_orders(const ptrdiff_t *size, int axes, int ranks, const int **used)
{
    const int(*orders)[4] = axes == 3 ? three : four;
    int count = 0;
    bool done[4] = {false};
    for (int i = 0; i < axes; i++) {
        ptrdiff_t rows = size[orders[i][0]];
        bool more = i == 0 || i == axes - 1;
        int divided = 1;
        while (rows < ranks && divided < axes - 1)
            rows *= size[orders[i][divided++]];
        for (; divided < axes; divided++) {
            more = more || !done[orders[i][divided]];
            done[orders[i][divided]] = true;
        }
        if (more)
            used[count++] = orders[i];
    }
    return count;
}

/* Points whose rank changes between orders that follow one another. */
static double counted(const ptrdiff_t *size, int axes, int ranks)
{
    const int *orders[4];
    const int count = used_orders(size, axes, ranks, orders);
    ptrdiff_t points = 1;
    double moved = 0;
    for (int a = 0; a < axes; a++)
        points *= size[a];
    for (ptrdiff_t point = 0; point < points; point++) {
        ptrdiff_t index[4], rest = point;
        for (int a = axes - 1; a >= 0; a--) {
            index[a] = rest % size[a];
            rest /= size[a];
        }
        for (int i = 0; i + 1 < count; i++)
            moved += holder(size, axes, orders[i], ranks, index) !=
                     holder(size, axes, orders[i + 1], ranks, index);
    }
    return moved;
}

static weft_problem problem_of(int axes, const ptrdiff_t *size, weft_kind last, int ranks)
{
    weft_problem problem = {.task = WEFT_TRANSFORM,
                            .axes = axes,
                            .howmany = 1,
                            .rows = true,
                            .ranks = ranks,
                            .from = {.first = last == WEFT_C2R},
                            .to = {.first = last != WEFT_C2R},
                            .threads = 1};
    for (int axis = 0; axis < axes; axis++) {
        problem.size[axis] = size[axis];
        problem.kind[axis] = last == WEFT_C2R ? WEFT_BACKWARD : WEFT_FORWARD;
    }
    problem.kind[axes - 1] = last;
    weft_divide_in_rows(&problem, true);
    return problem;
}

/* What the exchanges of a path really send to others. */
static double sent(const weft_path *path, int ranks)
{
    double sum = 0;
    for (int i = 0; i + 1 < path->stages; i++)
        for (int rank = 0; rank < ranks; rank++) {
            weft_exchange *e = weft_exchange_describe(
                &path->stage[i].after, &path->stage[i + 1].before, 16, 0, rank, ranks);
            ck_assert_msg(e != NULL, "%s", weft_error_text());
            sum += (double)e->send.elements;
            weft_exchange_destroy(e);
        }
    return sum;
}

TEST(no_more_moves_than_changes_ranks, .to = CASES)
{
    static weft_path path;
    ptrdiff_t size[4];
    const int axes = cases[_i].axes;
    memcpy(size, cases[_i].size, sizeof size);
    if (cases[_i].last != WEFT_FORWARD) /* complex numbers move */
        size[axes - 1] = size[axes - 1] / 2 + 1;
    for (int ranks = 1; ranks <= MOST; ranks++) {
        const weft_problem problem = problem_of(axes, cases[_i].size, cases[_i].last, ranks);
        ck_assert_msg(weft_path_by_rows(&problem, &path), "%s", weft_error_text());
        const double moved = counted(size, axes, ranks);
        ck_assert_msg(sent(&path, ranks) == moved && weft_path_moved(&path, ranks) == moved,
                      "%d ranks send %g and move %g numbers, not %g", ranks, sent(&path, ranks),
                      weft_path_moved(&path, ranks), moved);
    }
}
