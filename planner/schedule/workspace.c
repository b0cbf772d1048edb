/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where in the workspace the arrays of a schedule lie and, behind them, what each part of a step
 * uses for itself: parts that run at the same time have places of their own, others the same.
 */
#include <stdlib.h>
#include "kernels/base/error.h"
#include "planner/schedule/parts.h"

static size_t part_workspace(const weft_part *part)
{
    if (part->inside)
        return weft_in_place_workspace(part->inside);
    if (part->prepared)
        return weft_prepared_workspace(part->prepared);
    return part->pass ? weft_pass_workspace(part->pass) : 0;
}

/* The lowest place for the workspace of a part that does not meet those of the parts under way. */
static size_t place_of(weft_part *const *under_way, int count, size_t begin, size_t bytes)
{
    for (int i = 0; i < count; i++) {
        const size_t theirs = under_way[i]->scratch,
                     end = theirs + weft_whole_pages(part_workspace(under_way[i]));
        if (begin < end && theirs < begin + bytes) {
            begin = end;
            i = -1; /* again, with those that it did not meet before */
        }
    }
    return begin;
}

bool weft_schedule_lay_out(weft_schedule *schedule)
{
    const weft_pipeline *pipeline = &schedule->pipeline;
    weft_part **under_way = calloc((size_t)pipeline->actions + 1, sizeof *under_way);
    int count = 0;
    if (!under_way) {
        weft_error("no memory for a schedule");
        return false;
    }
    schedule->array[1] = weft_whole_pages(schedule->plan.work_bytes[0]);
    const size_t begin = schedule->array[1] + weft_whole_pages(schedule->plan.work_bytes[1]);
    schedule->workspace = begin;
    for (int i = 0; i < pipeline->actions; i++) {
        const weft_action *action = &pipeline->action[i];
        weft_part *part = &schedule->step[action->step].part[action->part];
        if (action->deed == WEFT_FINISH) {
            int at = 0;
            while (under_way[at] != part)
                at++;
            under_way[at] = under_way[--count];
            continue;
        }
        const size_t bytes = weft_whole_pages(part_workspace(part));
        part->scratch = place_of(under_way, count, begin, bytes);
        if (part->scratch + bytes > schedule->workspace)
            schedule->workspace = part->scratch + bytes;
        if (action->deed == WEFT_START)
            under_way[count++] = part;
    }
    free(under_way);
    return true;
}

size_t weft_schedule_workspace(const weft_schedule *schedule)
{
    return schedule->workspace;
}
