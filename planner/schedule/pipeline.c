/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A part of a pass can run as soon as that part of the exchange before it has arrived; what is not
 * cut along the same axis waits for all of it. And what writes an array waits until nobody needs
 * any more what was there before. Of all that can be done, exchanges are started first, then passes
 * run, and an exchange is waited for only when there is nothing else to do.
 *
 * The pass before an exchange can be cut along an axis that it keeps, when parts are counted in the
 * layout that it writes; the pass after it likewise. Which axis is best depends on what else is
 * under way, so all are tried out.
 */
#include <stdlib.h>
#include "kernels/base/error.h"
#include "planner/schedule/pipeline.h"
#include "planner/schedule/view.h"

/* How far it has come. */
typedef struct {
    const weft_steps *steps;
    int begun[WEFT_MAX_STEPS]; /* parts that have started or run */
    int done[WEFT_MAX_STEPS];
} progress;

static bool complete(const progress *at, int step)
{
    return at->done[step] == at->steps->parts[step];
}

static weft_place place_of(const weft_steps *steps, int array)
{
    const weft_place place = steps->buffers.place[array];
    return place == WEFT_IN && steps->in_place ? WEFT_OUT : place;
}

static bool through_window(const weft_steps *steps, int step)
{
    return steps->remote[step] || (step > 0 && steps->remote[step - 1]) ||
           (step + 1 < steps->steps && steps->remote[step + 1]);
}

/* Whether a step reads or writes arrays where `place` is. */
static bool uses(const weft_steps *steps, int step, weft_place place)
{
    return place_of(steps, step) == place || place_of(steps, step + 1) == place ||
           (step + 2 <= steps->steps && steps->buffers.leave_own[step + 1] &&
            place_of(steps, step + 2) == place);
}

/* Whether it writes over what an earlier step still needs. */
static bool in_the_way(const progress *at, int step)
{
    const weft_steps *steps = at->steps;
    for (int earlier = 0; earlier < step; earlier++) {
        if (complete(at, earlier))
            continue;
        if (through_window(steps, step) || through_window(steps, earlier))
            return true;
        /* what it writes next to what it reads, the step before it has nothing to do with */
        if (earlier < step - 1 && uses(steps, earlier, place_of(steps, step + 1)))
            return true;
        if (earlier == step - 1 && place_of(steps, earlier) == place_of(steps, step + 1))
            return true;
        if (step + 2 <= steps->steps && steps->buffers.leave_own[step + 1] &&
            (earlier < step - 1 ? uses(steps, earlier, place_of(steps, step + 2))
                                : place_of(steps, earlier) == place_of(steps, step + 2)))
            return true;
    }
    return false;
}

/* Whether the next part of a step has all that it needs. */
static bool ready(const progress *at, int step)
{
    const weft_steps *steps = at->steps;
    const int part = at->begun[step];
    if (part == steps->parts[step] || in_the_way(at, step))
        return false;
    if (step == 0 || complete(at, step - 1))
        return true;
    const bool tied =
        steps->is_exchange[step] ? steps->with_after[step - 1] : steps->with_before[step];
    return tied && at->done[step - 1] > part;
}

static bool under_way(const progress *at)
{
    for (int step = 0; step < at->steps->steps; step++)
        if (at->begun[step] > at->done[step])
            return true;
    return false;
}

/* The first step that can start, run or finish a part; -1: none. */
static int find(const progress *at, weft_deed deed)
{
    for (int step = 0; step < at->steps->steps; step++) {
        const bool exchange = at->steps->is_exchange[step];
        if (deed == WEFT_FINISH ? at->begun[step] > at->done[step]
                                : exchange == (deed == WEFT_START) && ready(at, step))
            return step;
    }
    return -1;
}

static weft_action next(const progress *at, bool one_by_one)
{
    static const weft_deed order[] = {WEFT_FINISH, WEFT_START, WEFT_RUN, WEFT_FINISH};
    for (int i = one_by_one ? 0 : 1; i < 4; i++) {
        const int step = find(at, order[i]);
        if (step >= 0)
            return (weft_action){order[i], step,
                                 order[i] == WEFT_FINISH ? at->done[step] : at->begun[step]};
    }
    return (weft_action){WEFT_RUN, -1, 0};
}

bool weft_pipeline_make(const weft_steps *steps, bool one_by_one, weft_pipeline *pipeline)
{
    progress at = {.steps = steps};
    size_t most = 0;
    for (int step = 0; step < steps->steps; step++)
        most += 2 * (size_t)steps->parts[step];
    *pipeline = (weft_pipeline){.action = calloc(most + 1, sizeof *pipeline->action)};
    if (!pipeline->action) {
        weft_error("no memory for the order of %d steps", steps->steps);
        return false;
    }
    for (;;) {
        const weft_action action = next(&at, one_by_one);
        if (action.step < 0)
            return true;
        if (action.deed == WEFT_RUN)
            pipeline->overlaps += under_way(&at);
        at.begun[action.step] += action.deed != WEFT_FINISH;
        at.done[action.step] += action.deed != WEFT_START;
        pipeline->action[pipeline->actions++] = action;
    }
}

static bool keeps(const weft_path *path, const weft_steps *steps, int pass, int axis)
{
    return path->stage[steps->stage[pass]].kind[axis] == WEFT_KEEP;
}

/* Whether a pass may be cut as the exchange `exchange` beside it is: the other one may have cut it
 * already. */
static bool may_cut(const weft_path *path, const weft_steps *steps, int pass, int exchange)
{
    const weft_cut *cut = &steps->cut[exchange];
    if (pass < 0 || pass >= steps->steps || steps->is_exchange[pass] ||
        through_window(steps, pass) || !keeps(path, steps, pass, cut->axis))
        return false;
    const weft_stage *from = &path->stage[steps->stage[exchange]], *to = from + 1;
    if (cut->by_to != (pass > exchange) &&
        !weft_divided_alike(&from->after, &to->before, cut->axis))
        return false;
    const weft_cut *other = steps->with_before[pass] ? &steps->cut[pass - 1] : NULL;
    return pass > exchange || !other || (other->axis == cut->axis && other->parts == cut->parts);
}

/* Cuts an exchange, and the passes around it where that is possible. */
static void apply(const weft_path *path, weft_steps *steps, int exchange, const weft_cut *cut)
{
    const int before = exchange - 1, after = exchange + 1;
    steps->cut[exchange] = *cut;
    steps->parts[exchange] = cut->parts;
    if (may_cut(path, steps, before, exchange)) {
        steps->with_after[before] = true;
        steps->parts[before] = cut->parts;
    }
    if (may_cut(path, steps, after, exchange)) {
        steps->with_before[after] = true;
        steps->parts[after] = cut->parts;
    }
}

/* Tries all axes, those first that lie slowest. */
static bool cut_exchange(const weft_path *path, weft_steps *steps, int exchange, int parts)
{
    const weft_layout *to = &path->stage[steps->stage[exchange] + 1].before;
    const weft_steps whole = *steps;
    weft_steps best = whole;
    int most = -1;
    for (int i = 0; i < 2 * to->axes; i++) {
        const weft_cut cut = {.parts = parts, .axis = to->order[i / 2], .by_to = i % 2};
        weft_pipeline pipeline;
        if (to->axis[cut.axis].size < 2)
            continue;
        *steps = whole;
        apply(path, steps, exchange, &cut);
        if (!weft_pipeline_make(steps, false, &pipeline))
            return false;
        free(pipeline.action);
        if (pipeline.overlaps > most) {
            best = *steps;
            most = pipeline.overlaps;
        }
    }
    *steps = best;
    return true;
}

bool weft_pipeline_cut(const weft_path *path, const int *parts, weft_steps *steps)
{
    for (int step = 0; step < steps->steps; step++) {
        const int wanted = steps->is_exchange[step] ? parts[steps->stage[step]] : 0;
        if (wanted > 1 && !steps->remote[step] && !(steps->flags[step] & WEFT_IN_PLACE) &&
            !cut_exchange(path, steps, step, wanted))
            return false;
    }
    return true;
}
