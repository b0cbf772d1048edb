/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses the memory of the arrays between steps by dynamic programming. The places allowed for an
 * array depend on the place of the array before it, and whether an own block must be copied depends
 * on the two arrays before it. So the search goes from left to right and keeps, for each pair of
 * places of neighbouring arrays, the sequence with the fewest copies. The size of a part of the
 * workspace is the largest array in that part, which does not add up along the sequence; so the
 * search runs once for every pair of limits on the two parts, where the limits are the sizes of the
 * arrays. No step writes the array that it reads, except a single in-place step, which its pass or
 * backend supports.
 */
#include <stdint.h>
#include <string.h>
#include "planner/schedule/schedule.h"

enum { PLACES = WEFT_PART + 1 };

static bool in_memory(const weft_schedule *schedule, int array)
{
    return (array < schedule->steps && schedule->step[array].kind == WEFT_MEMORY) ||
           schedule->step[array - 1].kind == WEFT_MEMORY;
}

/* Whether an intermediate array may be in `place` when the array before it is in `before`. limit[]
 * gives the sizes of the two parts of the workspace. */
static bool allowed(const weft_schedule *schedule, int array, weft_place before, weft_place place,
                    const size_t *limit)
{
    const weft_place here = weft_place_in(schedule, place);
    if ((here == WEFT_PART) != in_memory(schedule, array))
        return false;
    if (here == WEFT_PART)
        return true;
    if (here == weft_place_in(schedule, before))
        return false;
    if (array == schedule->steps - 1 && here == WEFT_OUT)
        return false;
    if (here == WEFT_OUT)
        return schedule->array[array].fits_out;
    if (here == WEFT_IN)
        return schedule->may_destroy && schedule->array[array].fits_in;
    return schedule->array[array].bytes <= limit[here == WEFT_WORK_B];
}

/* Whether the pass before an exchange can write the own block directly to the array after the
 * exchange. The pass reads one array while it writes the other, so the two must differ. */
static bool may_leave_own(const weft_schedule *schedule, int step, weft_place before,
                          weft_place after)
{
    return schedule->step[step].kind == WEFT_MESSAGES &&
           weft_has_flag(&schedule->step[step], WEFT_FROM_BLOCKED) &&
           weft_place_in(schedule, before) != weft_place_in(schedule, after);
}

/* For each pair of places of the previous array and this array: the fewest own blocks copied so
 * far, plus 1 (0: the pair is not possible), and the place of the array before both. */
typedef struct {
    int moved[PLACES][PLACES];
    weft_place before[PLACES][PLACES];
} column;

static void extend(const weft_schedule *schedule, int array, weft_place p, weft_place here,
                   const column *last, column *next)
{
    const int step = array - 1;
    const bool is_copied =
        weft_is_exchange(&schedule->step[step]) && schedule->step[step].kind != WEFT_MEMORY;
    for (weft_place q = 0; q <= WEFT_PART; q++) {
        if (!last->moved[q][p])
            continue;
        const bool left = step > 0 && may_leave_own(schedule, step, q, here);
        const int moved = last->moved[q][p] + (is_copied && !left);
        if (!next->moved[p][here] || moved < next->moved[p][here]) {
            next->moved[p][here] = moved;
            next->before[p][here] = q;
        }
    }
}

/* Finds the best places within the limits and returns how many own blocks are copied, plus 1; 0: no
 * sequence of places is possible. */
static int arrange_within(const weft_schedule *schedule, const size_t *limit, weft_place *row)
{
    column columns[WEFT_MAX_STEPS + 1];
    const int steps = schedule->steps;
    weft_place here = WEFT_OUT, before = WEFT_IN;
    columns[0] = (column){.moved[WEFT_IN][WEFT_IN] = 1};
    for (int array = 1; array <= steps; array++) {
        columns[array] = (column){0};
        for (weft_place p = 0; p <= WEFT_PART; p++)
            for (weft_place h = 0; h <= WEFT_PART; h++)
                if (array == steps ? h == WEFT_OUT : allowed(schedule, array, p, h, limit))
                    extend(schedule, array, p, h, &columns[array - 1], &columns[array]);
    }
    for (weft_place p = 0; p <= WEFT_PART; p++) {
        const int least = columns[steps].moved[before][here], now = columns[steps].moved[p][here];
        if (now && (!least || now < least))
            before = p;
    }
    const int moved = columns[steps].moved[before][here];
    for (int array = steps; moved && array >= 0; array--) {
        const weft_place earlier = columns[array].before[before][here];
        row[array] = here;
        here = before;
        before = earlier;
    }
    return moved;
}

/* The costs of a sequence of places, the most important first. */
typedef struct {
    size_t beyond; /* bytes of workspace above the limit */
    int moved;     /* own blocks copied */
    size_t workspace;
} cost;

static bool less(cost a, cost b)
{
    return a.beyond != b.beyond ? a.beyond < b.beyond
           : a.moved != b.moved ? a.moved < b.moved
                                : a.workspace < b.workspace;
}

static int list_limits(const weft_schedule *schedule, size_t *limit)
{
    int count = 1;
    limit[0] = 0;
    for (int array = 1; array < schedule->steps; array++) {
        int i = 0;
        while (i < count && limit[i] != schedule->array[array].bytes)
            i++;
        if (i == count)
            limit[count++] = schedule->array[array].bytes;
    }
    return count;
}

void weft_places_arrange(weft_schedule *schedule)
{
    size_t limit[WEFT_MAX_STEPS + 1];
    weft_place best[WEFT_MAX_STEPS + 1] = {WEFT_IN}, now[WEFT_MAX_STEPS + 1];
    const int limits = list_limits(schedule, limit), steps = schedule->steps;
    cost least = {.beyond = SIZE_MAX};
    best[steps] = WEFT_OUT;
    for (int a = 0; a < limits; a++)
        for (int b = 0; b < limits; b++) {
            const size_t parts[2] = {limit[a], limit[b]}, all = parts[0] + parts[1];
            if (parts[1] > parts[0])
                continue;
            const cost this = {all > schedule->workspace_limit ? all - schedule->workspace_limit
                                                               : 0,
                               arrange_within(schedule, parts, now), all};
            if (this.moved && less(this, least)) {
                memcpy(best, now, sizeof best);
                least = this;
            }
        }
    for (int i = 0; i <= steps; i++)
        schedule->array[i].place = best[i];
    for (int step = 1; step < steps; step++)
        if (may_leave_own(schedule, step, best[step - 1], best[step + 1]))
            schedule->step[step].transfer.flags |= WEFT_LEAVE_OWN;
}
