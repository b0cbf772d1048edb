/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where an array may lie depends on the one before it, and whether an own piece has to be moved on
 * the two before: so the best row of places is found from left to right, keeping for each pair of
 * places of neighbours the row that moves the fewest. Workspace is the larger of what lies in each
 * part, which does not add up along the row; so this is done for every pair of limits that the
 * parts might have, and the sizes of arrays are all the limits there are. No step writes what it
 * reads, except a single step in place, which the pass or backend then knows how to do.
 */
#include <limits.h>
#include "planner/schedule/buffers.h"

enum { PLACES = WEFT_WINDOW + 1, NEVER = INT_MAX };

/* In place the input and the output are one array. */
static weft_place array_of(const weft_flow *flow, weft_place place)
{
    return place == WEFT_IN && flow->in_place ? WEFT_OUT : place;
}

/* Whether an array lies in the window: before or after an exchange through it. */
static bool in_window(const weft_flow *flow, int array)
{
    return (array < flow->steps && flow->remote[array]) || flow->remote[array - 1];
}

/* Whether an array in between may lie in `place` when the one before it lies in `before`, with so
 * many bytes at the most in each part of the workspace. */
static bool allowed(const weft_flow *flow, int array, weft_place before, weft_place place,
                    const size_t *limit)
{
    const weft_place here = array_of(flow, place);
    if ((here == WEFT_WINDOW) != in_window(flow, array))
        return false;
    if (here == WEFT_WINDOW)
        return true;
    if (here == array_of(flow, before))
        return false;
    if (array == flow->steps - 1 && here == WEFT_OUT)
        return false;
    if (here == WEFT_OUT)
        return flow->fits_out[array];
    if (here == WEFT_IN)
        return flow->may_destroy && flow->fits_in[array];
    return flow->bytes[array] <= limit[here == WEFT_WORK_B];
}

/* The pass before an exchange reads the array before while it writes the own piece to the array
 * after the exchange. */
static bool may_leave_own(const weft_flow *flow, int step, weft_place before, weft_place after)
{
    return flow->fused[step] && !flow->remote[step] &&
           array_of(flow, before) != array_of(flow, after);
}

/* The fewest own pieces moved up to an array, by the places of the one before it and of itself; and
 * the place of the one before both that this takes. */
typedef struct {
    int moved[PLACES][PLACES];
    weft_place before[PLACES][PLACES];
} column;

static void extend(const weft_flow *flow, int array, weft_place p, weft_place here,
                   const column *last, column *next)
{
    const int step = array - 1;
    const bool moves = flow->is_exchange[step] && !flow->remote[step];
    for (int q = 0; q < PLACES; q++) {
        if (last->moved[q][p] == NEVER)
            continue;
        const bool left = step > 0 && may_leave_own(flow, step, (weft_place)q, here);
        const int moved = last->moved[q][p] + (moves && !left);
        if (moved < next->moved[p][here]) {
            next->moved[p][here] = moved;
            next->before[p][here] = (weft_place)q;
        }
    }
}

static void clear(column *it)
{
    for (int p = 0; p < PLACES; p++)
        for (int h = 0; h < PLACES; h++)
            it->moved[p][h] = NEVER;
}

/* How many own pieces are moved within these limits; NEVER: there is no way. */
static int arrange_within(const weft_flow *flow, const size_t *limit, weft_buffers *buffers)
{
    column columns[WEFT_MAX_STEPS + 1];
    const int steps = flow->steps;
    weft_place here = WEFT_OUT, before = WEFT_IN;
    clear(&columns[0]);
    columns[0].moved[WEFT_IN][WEFT_IN] = 0;
    for (int array = 1; array <= steps; array++) {
        clear(&columns[array]);
        for (int p = 0; p < PLACES; p++)
            for (int h = 0; h < PLACES; h++)
                if (array == steps ? h == WEFT_OUT
                                   : allowed(flow, array, (weft_place)p, (weft_place)h, limit))
                    extend(flow, array, (weft_place)p, (weft_place)h, &columns[array - 1],
                           &columns[array]);
    }
    for (int p = 0; p < PLACES; p++)
        if (columns[steps].moved[p][here] < columns[steps].moved[before][here])
            before = (weft_place)p;
    const int moved = columns[steps].moved[before][here];
    for (int array = steps; moved != NEVER && array >= 0; array--) {
        const weft_place earlier = columns[array].before[before][here];
        buffers->place[array] = here;
        here = before;
        before = earlier;
    }
    return moved;
}

static double beyond(const weft_flow *flow, double workspace)
{
    return workspace > (double)flow->room ? workspace - (double)flow->room : 0;
}

static bool better(const weft_flow *flow, int moved, double workspace, int least_moved,
                   double least_workspace)
{
    const double more = beyond(flow, workspace), least = beyond(flow, least_workspace);
    if (more < least || more > least)
        return more < least;
    return moved < least_moved || (moved == least_moved && workspace < least_workspace);
}

/* 0 and the sizes of the arrays in between, each once. */
static int list_limits(const weft_flow *flow, size_t *limit)
{
    int count = 1;
    limit[0] = 0;
    for (int array = 1; array < flow->steps; array++) {
        int i = 0;
        while (i < count && limit[i] != flow->bytes[array])
            i++;
        if (i == count)
            limit[count++] = flow->bytes[array];
    }
    return count;
}

weft_buffers weft_buffers_arrange(const weft_flow *flow)
{
    size_t limit[WEFT_MAX_STEPS + 1];
    const int limits = list_limits(flow, limit);
    weft_buffers best = {.place = {WEFT_IN}}, now = best;
    int least_moved = NEVER;
    double least_workspace = 0;
    best.place[flow->steps] = WEFT_OUT;
    for (int a = 0; a < limits; a++)
        for (int b = 0; b < limits; b++) {
            const size_t parts[2] = {limit[a], limit[b]};
            const double workspace = (double)parts[0] + (double)parts[1];
            if (parts[1] > parts[0])
                continue;
            const int moved = arrange_within(flow, parts, &now);
            if (moved != NEVER && (least_moved == NEVER ||
                                   better(flow, moved, workspace, least_moved, least_workspace))) {
                best = now;
                least_moved = moved;
                least_workspace = workspace;
            }
        }
    for (int step = 1; step < flow->steps; step++)
        best.leave_own[step] =
            may_leave_own(flow, step, best.place[step - 1], best.place[step + 1]);
    return best;
}
