/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cuts exchanges into parts and orders the parts of all steps. A part of a pass can run as soon as
 * the same part of the exchange before it has arrived, if both are cut along the same axis;
 * otherwise the pass waits for the whole exchange. A step that overwrites an array waits until no
 * step needs the old contents. Among the possible actions, exchanges start first, then passes run,
 * and the run waits for an exchange only when nothing else is possible.
 *
 * The pass before an exchange can be cut along an axis that the pass does not transform, if parts
 * are counted in the layout that the pass writes; the same holds for the pass after. The best axis
 * depends on the other exchanges in progress, so the code tries all axes and counts the overlaps.
 */
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "planner/schedule/schedule.h"

/* The progress of a simulated run. */
typedef struct {
    const weft_schedule *schedule;
    int begun[WEFT_MAX_STEPS]; /* parts that have started, or run in the case of a pass */
    int done[WEFT_MAX_STEPS];
} progress;

static bool complete(const progress *at, int step)
{
    return at->done[step] == at->schedule->step[step].parts;
}

static weft_place place_of(const weft_schedule *schedule, int array)
{
    return weft_place_in(schedule, schedule->array[array].place);
}

static bool meets_memory(const weft_schedule *schedule, int step)
{
    for (int i = step > 0 ? step - 1 : 0; i <= step + 1 && i < schedule->steps; i++)
        if (schedule->step[i].kind == WEFT_MEMORY)
            return true;
    return false;
}

static bool leaves_own(const weft_schedule *schedule, int step)
{
    return step < schedule->steps && weft_has_flag(&schedule->step[step], WEFT_LEAVE_OWN);
}

static bool uses(const weft_schedule *schedule, int step, weft_place place)
{
    return place_of(schedule, step) == place || place_of(schedule, step + 1) == place ||
           (leaves_own(schedule, step + 1) && place_of(schedule, step + 2) == place);
}

/* Whether a step overwrites data that an earlier step still needs. */
static bool overwrites_needed_data(const progress *at, int step)
{
    const weft_schedule *schedule = at->schedule;
    for (int earlier = 0; earlier < step; earlier++) {
        if (complete(at, earlier))
            continue;
        if (meets_memory(schedule, step) || meets_memory(schedule, earlier))
            return true;
        /* this step reads and writes different places, so of step - 1 only the source can be in
         * the way */
        if (earlier < step - 1 && uses(schedule, earlier, place_of(schedule, step + 1)))
            return true;
        if (earlier == step - 1 && place_of(schedule, earlier) == place_of(schedule, step + 1))
            return true;
        if (leaves_own(schedule, step + 1) &&
            (earlier < step - 1 ? uses(schedule, earlier, place_of(schedule, step + 2))
                                : place_of(schedule, earlier) == place_of(schedule, step + 2)))
            return true;
    }
    return false;
}

static bool ready(const progress *at, int step)
{
    const weft_schedule *schedule = at->schedule;
    const int part = at->begun[step];
    if (part == schedule->step[step].parts || overwrites_needed_data(at, step))
        return false;
    if (step == 0 || complete(at, step - 1))
        return true;
    const weft_step *this = &schedule->step[step], *before = this - 1;
    const bool tied = weft_is_exchange(this) ? !weft_is_exchange(before) && before->pass.with_after
                                             : this->pass.with_before;
    return tied && at->done[step - 1] > part;
}

static bool under_way(const progress *at)
{
    for (int step = 0; step < at->schedule->steps; step++)
        if (at->begun[step] > at->done[step])
            return true;
    return false;
}

/* The first step that can start, run or finish a part; -1: none. */
static int find(const progress *at, weft_action_kind kind)
{
    for (int step = 0; step < at->schedule->steps; step++) {
        const bool exchange = weft_is_exchange(&at->schedule->step[step]);
        if (kind == WEFT_FINISH ? at->begun[step] > at->done[step]
                                : exchange == (kind == WEFT_START) && ready(at, step))
            return step;
    }
    return -1;
}

static weft_action next(const progress *at, bool one_by_one)
{
    static const weft_action_kind order[] = {WEFT_FINISH, WEFT_START, WEFT_RUN, WEFT_FINISH};
    for (int i = one_by_one ? 0 : 1; i < 4; i++) {
        const int step = find(at, order[i]);
        if (step >= 0)
            return (weft_action){order[i], step,
                                 order[i] == WEFT_FINISH ? at->done[step] : at->begun[step]};
    }
    return (weft_action){WEFT_RUN, -1, 0};
}

/* Simulates a run. Writes the actions to `list`, if not NULL, and returns how many there are. */
static int simulate(const weft_schedule *schedule, weft_action *list, int *overlaps)
{
    progress at = {.schedule = schedule};
    int actions = 0;
    *overlaps = 0;
    for (;; actions++) {
        const weft_action action = next(&at, list && schedule->little_memory);
        if (action.step < 0)
            return actions;
        if (action.kind == WEFT_RUN)
            *overlaps += under_way(&at);
        at.begun[action.step] += action.kind != WEFT_FINISH;
        at.done[action.step] += action.kind != WEFT_START;
        if (list)
            list[actions] = action;
    }
}

bool weft_pipeline_order(weft_schedule *schedule)
{
    size_t most = 0;
    for (int step = 0; step < schedule->steps; step++)
        most += 2 * (size_t)schedule->step[step].parts;
    schedule->action = calloc(most + 1, sizeof *schedule->action);
    if (schedule->action)
        schedule->actions = simulate(schedule, schedule->action, &schedule->overlaps);
    else
        weft_error("no memory for the order of %d steps", schedule->steps);
    return schedule->action != NULL;
}

/* Whether a pass can be cut in the same way as the adjacent exchange `exchange`. The exchange on
 * the other side may have cut the pass already. */
static bool may_cut(const weft_path *path, const weft_schedule *schedule, int pass, int exchange)
{
    const weft_step *step = schedule->step;
    const weft_cut *cut = &step[exchange].transfer.cut;
    if (pass < 0 || pass >= schedule->steps || weft_is_exchange(&step[pass]) ||
        meets_memory(schedule, pass) || path->stage[step[pass].stage].kind[cut->axis] != WEFT_KEEP)
        return false;
    const weft_stage *from = &path->stage[step[exchange].stage], *to = from + 1;
    if (!weft_layout_is_single(pass > exchange ? &to->before : &from->after))
        return false; /* a rank with several boxes would need parts of each box */
    if (cut->by_to != (pass > exchange) &&
        !weft_divided_alike(&from->after, &to->before, cut->axis))
        return false;
    const weft_cut *other = step[pass].pass.with_before ? &step[pass - 1].transfer.cut : NULL;
    return pass > exchange || !other || (other->axis == cut->axis && other->parts == cut->parts);
}

static void apply(const weft_path *path, weft_schedule *schedule, int exchange, const weft_cut *cut)
{
    weft_step *it = &schedule->step[exchange];
    it->transfer.cut = *cut;
    it->parts = cut->parts;
    if (may_cut(path, schedule, exchange - 1, exchange)) {
        it[-1].pass.with_after = true;
        it[-1].parts = cut->parts;
    }
    if (may_cut(path, schedule, exchange + 1, exchange)) {
        it[1].pass.with_before = true;
        it[1].parts = cut->parts;
    }
}

/* Cuts an exchange along the axis with the most overlaps; on a tie the axis that is slowest in
 * memory wins. */
static void cut_exchange(const weft_path *path, weft_schedule *schedule, int exchange, int parts)
{
    const weft_layout *to = &path->stage[schedule->step[exchange].stage + 1].before;
    const int first = exchange > 0 ? exchange - 1 : 0,
              around = (exchange + 1 < schedule->steps ? exchange + 2 : exchange + 1) - first;
    weft_step whole[3], best[3];
    int most = -1;
    memcpy(whole, schedule->step + first, sizeof *whole * (size_t)around);
    memcpy(best, whole, sizeof whole);
    for (int i = 0; i < 2 * to->axes; i++) {
        const weft_cut cut = {.parts = parts, .axis = to->order[i / 2], .by_to = i % 2};
        int overlaps;
        if (to->axis[cut.axis].size < 2)
            continue;
        memcpy(schedule->step + first, whole, sizeof *whole * (size_t)around);
        apply(path, schedule, exchange, &cut);
        simulate(schedule, NULL, &overlaps);
        if (overlaps > most) {
            memcpy(best, schedule->step + first, sizeof *whole * (size_t)around);
            most = overlaps;
        }
    }
    memcpy(schedule->step + first, best, sizeof *whole * (size_t)around);
}

void weft_pipeline_cut(const weft_path *path, const int *parts, weft_schedule *schedule)
{
    for (int i = 0; i < schedule->steps; i++) {
        const weft_step *step = &schedule->step[i];
        if (step->kind == WEFT_MESSAGES && parts[step->stage] > 1 &&
            !(step->transfer.flags & WEFT_IN_PLACE))
            cut_exchange(path, schedule, i, parts[step->stage]);
    }
}
