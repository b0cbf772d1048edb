/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sizes are taken over all ranks, by computing every rank's boxes, so that all ranks arrange their
 * buffers alike without talking.
 */
#include "kernels/base/error.h"
#include "backends/exchange/exchange.h"
#include "planner/schedule/steps.h"
#include "backends/exchange/groups.h"
#include "backends/messages/in-place.h"
#include "planner/schedule/view.h"

static size_t part_bytes(const weft_layout *layout, bool real, size_t real_bytes, int rank)
{
    weft_box box;
    weft_layout_box(layout, rank, &box);
    return (size_t)weft_layout_elements(layout, &box) * (real ? real_bytes : 2 * real_bytes);
}

/* The array that a step reads: number 0 is the input, number `steps` the output. */
static size_t array_bytes(const weft_path *path, const weft_steps *steps, int array,
                          size_t real_bytes, int rank)
{
    if (array == steps->steps) {
        const weft_stage *last = &path->stage[path->stages - 1];
        return part_bytes(&last->after, last->real_after, real_bytes, rank);
    }
    const weft_stage *stage = &path->stage[steps->stage[array]];
    return steps->is_exchange[array]
               ? part_bytes(&stage->after, stage->real_after, real_bytes, rank)
               : part_bytes(&stage->before, stage->real_before, real_bytes, rank);
}

static bool is_pass(const weft_path *path, int stage, const bool *remote)
{
    /* a lone stage is always a pass, for something has to bring the data to the output */
    return weft_stage_transforms(&path->stage[stage]) || path->stages == 1 || remote[stage] ||
           (stage > 0 && remote[stage - 1]);
}

static bool from_view(const weft_path *path, int stage, int ranks)
{
    const weft_stage *from = &path->stage[stage], *to = from + 1;
    return weft_blocks_are_view(&from->after, &to->before, ranks);
}

static bool to_view(const weft_path *path, int stage, int ranks)
{
    const weft_stage *from = &path->stage[stage], *to = from + 1;
    return weft_blocks_are_view(&to->before, &from->after, ranks);
}

bool weft_flow_may_be_remote(const weft_path *path, int stage, int ranks)
{
    return from_view(path, stage, ranks) || to_view(path, stage, ranks);
}

/* Blocks where a pass writes or reads them, and where they are a view. */
static unsigned exchange_flags(const weft_path *path, int stage, int ranks, const bool *remote)
{
    unsigned flags = WEFT_TRAVEL_TO;
    if (is_pass(path, stage, remote) && from_view(path, stage, ranks))
        flags |= WEFT_FROM_BLOCKED;
    if (is_pass(path, stage + 1, remote) && to_view(path, stage, ranks))
        flags |= WEFT_TO_BLOCKED;
    return flags;
}

static bool list_steps(const weft_path *path, int ranks, const bool *remote, weft_steps *steps)
{
    *steps = (weft_steps){0};
    for (int i = 0; i < path->stages; i++) {
        if (steps->steps + 2 > WEFT_MAX_STEPS) {
            weft_error("a chain of %d stages is too long", path->stages);
            return false;
        }
        if (is_pass(path, i, remote))
            steps->stage[steps->steps++] = i;
        if (i == path->stages - 1)
            break;
        const int step = steps->steps++;
        steps->is_exchange[step] = true;
        steps->remote[step] = remote[i];
        steps->flags[step] = exchange_flags(path, i, ranks, remote);
        steps->put[step] = remote[i] && !(steps->flags[step] & WEFT_TO_BLOCKED);
        steps->stage[step] = i;
    }
    return true;
}

/* Whether both sides of an exchange are blocks. */
static bool blocks_alone(const weft_steps *steps, int i)
{
    const unsigned both = WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED;
    return steps->is_exchange[i] && (steps->flags[i] & both) == both;
}

static void describe(const weft_path *path, const weft_problem *problem, size_t real_bytes,
                     const weft_steps *steps, weft_flow *flow)
{
    *flow = (weft_flow){
        .steps = steps->steps, .in_place = problem->in_place, .may_destroy = problem->may_destroy};
    for (int i = 0; i < steps->steps; i++) {
        flow->is_exchange[i] = steps->is_exchange[i];
        flow->remote[i] = steps->remote[i];
        flow->fused[i] = blocks_alone(steps, i);
    }
    for (int i = 0; i <= steps->steps; i++)
        flow->fits_in[i] = flow->fits_out[i] = true;
    for (int rank = 0; rank < problem->ranks; rank++) {
        const size_t in = array_bytes(path, steps, 0, real_bytes, rank);
        const size_t out = array_bytes(path, steps, steps->steps, real_bytes, rank);
        const size_t room = problem->in_place && in > out ? in : out;
        for (int i = 0; i <= steps->steps; i++) {
            const size_t bytes = array_bytes(path, steps, i, real_bytes, rank);
            flow->bytes[i] = bytes > flow->bytes[i] ? bytes : flow->bytes[i];
            flow->fits_in[i] &= bytes <= in;
            flow->fits_out[i] &= bytes <= room;
        }
    }
    for (int i = 0; i <= steps->steps && !(problem->flags & FFTW_CONSERVE_MEMORY); i++)
        if (flow->room < flow->bytes[i])
            flow->room = flow->bytes[i];
}

static bool same_parts(const weft_layout *a, const weft_layout *b, int ranks)
{
    weft_box x, y;
    for (int rank = 0; rank < ranks; rank++) {
        weft_layout_box(a, rank, &x);
        weft_layout_box(b, rank, &y);
        for (int axis = 0; axis < a->axes; axis++)
            if (x.span[axis].start != y.span[axis].start ||
                x.span[axis].count != y.span[axis].count)
                return false;
    }
    return true;
}

/* Whether the exchange that is step i undoes the one before it, both through a window. */
static bool goes_back(const weft_path *path, const weft_steps *steps, int i, int ranks)
{
    const int first = i - 2;
    if (first < 1 || !steps->remote[i] || !steps->remote[first] || steps->back_to[first] ||
        !blocks_alone(steps, i) || !blocks_alone(steps, first))
        return false;
    const weft_stage *from = &path->stage[steps->stage[first]], *between = from + 1, *to = from + 2;
    return from->real_after == between->real_before &&
           between->real_before == between->real_after &&
           same_parts(&from->after, &to->before, ranks) &&
           same_parts(&between->before, &between->after, ranks);
}

/* Whether the pass after exchange i can read in the input what the pass before it, the first one,
 * would only copy. The other way round: in the output. */
static bool own_stays_in(const weft_path *path, const weft_steps *steps, int i)
{
    const weft_place after = steps->buffers.place[i + 2];
    return steps->remote[i] && blocks_alone(steps, i) && i == 1 && after != WEFT_IN &&
           (after != WEFT_OUT || !steps->in_place) &&
           !weft_stage_transforms(&path->stage[steps->stage[0]]) &&
           (i + 2 == steps->steps || !steps->back_to[i + 2] ||
            weft_stage_transforms(&path->stage[steps->stage[i + 1]]));
}

static bool own_goes_out(const weft_path *path, const weft_steps *steps, int i)
{
    const weft_place before = steps->buffers.place[i - 1];
    return steps->remote[i] && blocks_alone(steps, i) && i == steps->steps - 2 &&
           before != WEFT_OUT && (before != WEFT_IN || !steps->in_place) &&
           (i < 2 || !steps->own_is_in[i - 2]) &&
           !weft_stage_transforms(&path->stage[steps->stage[i + 1]]) &&
           (!steps->back_to[i] || weft_stage_transforms(&path->stage[steps->stage[i - 1]]));
}

/* Whether ranks may lend their arrays to the others of exchange i. These read the input while it
 * lasts if all meet once more before the run ends, and write to the output when it is free if all
 * have met before: in another exchange through a window. False and an error: no memory. */
static bool find_lent(const weft_path *path, weft_steps *steps, int i, int ranks)
{
    const int other = steps->own_is_in[i] ? i + 2 : i - 2;
    if ((!steps->own_is_in[i] && !steps->own_is_out[i]) || steps->back_to[i] || other < 1 ||
        other >= steps->steps || !steps->remote[other] || steps->back_to[other])
        return true;
    const weft_stage *from = &path->stage[steps->stage[i]],
                     *meeting = &path->stage[steps->stage[other]];
    const weft_layout *const here[2] = {&from->after, &(from + 1)->before},
                             *const there[2] = {&meeting->after, &(meeting + 1)->before};
    return weft_groups_within(here, there, ranks, &steps->lent[i]);
}

/* Whether the result of a stage can lie just where it is read. */
static bool stays(const weft_stage *stage)
{
    const weft_layout *before = &stage->before, *after = &stage->after;
    const int last = before->axes - 1;
    const ptrdiff_t stored[2] = {before->padded ? before->padded : before->axis[last].size,
                                 after->padded ? after->padded : after->axis[last].size};
    for (int i = 0; i <= last; i++)
        if (before->order[i] != after->order[i])
            return false;
    if (stage->real_before == stage->real_after)
        return stored[0] == stored[1];
    return before->order[last] == last && before->axis[last].grid_axis < 0 &&
           before->howmany == 1 &&
           stored[0] * (stage->real_before ? 1 : 2) == stored[1] * (stage->real_after ? 1 : 2);
}

/* Whether everything after the first step can happen within the output array, and in place that
 * step, too. */
static bool little_is_enough(const weft_path *path, const weft_problem *problem,
                             const weft_flow *flow, const weft_steps *steps)
{
    for (int i = 0; i < steps->steps; i++) {
        const weft_stage *stage = &path->stage[steps->stage[i]];
        if (steps->remote[i] || (i > 0 && !flow->fits_out[i]))
            return false;
        if (i == 0 && !problem->in_place)
            continue;
        if (steps->is_exchange[i]
                ? !weft_in_place_possible(&stage->after, &(stage + 1)->before, problem->ranks)
                : !stays(stage))
            return false;
    }
    return (problem->flags & FFTW_CONSERVE_MEMORY) && steps->steps > 1;
}

static void stay_inside(const weft_problem *problem, weft_steps *steps)
{
    steps->buffers = (weft_buffers){.place = {WEFT_IN}};
    for (int i = 0; i < steps->steps; i++) {
        steps->buffers.place[i + 1] = WEFT_OUT;
        steps->flags[i] &= ~(unsigned)(WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED);
        steps->inside[i] = steps->is_exchange[i] && (i > 0 || problem->in_place);
        if (steps->inside[i])
            steps->flags[i] |= WEFT_IN_PLACE;
        steps->parts[i] = 1;
    }
}

bool weft_flow_steps(const weft_path *path, const weft_problem *problem, size_t real_bytes,
                     const bool *remote, weft_steps *steps)
{
    weft_flow flow;
    if (!list_steps(path, problem->ranks, remote, steps))
        return false;
    describe(path, problem, real_bytes, steps, &flow);
    steps->in_place = problem->in_place;
    if (little_is_enough(path, problem, &flow, steps)) {
        stay_inside(problem, steps);
        return true;
    }
    steps->buffers = weft_buffers_arrange(&flow);
    for (int i = 0; i < steps->steps; i++) {
        const weft_place *place = steps->buffers.place;
        steps->parts[i] = 1;
        const bool same = place[i] == place[i + 1] || (problem->in_place && steps->steps == 1);
        if (goes_back(path, steps, i, problem->ranks))
            steps->back_to[i] = i - 2;
        else if (steps->remote[i])
            steps->window_bytes[i] = flow.bytes[steps->put[i] ? i + 1 : i];
        else if (steps->is_exchange[i] && same)
            steps->flags[i] |= WEFT_IN_PLACE;
        if (steps->buffers.leave_own[i])
            steps->flags[i] |= WEFT_LEAVE_OWN;
        if (i > 0 && (place[i] == WEFT_WORK_A || place[i] == WEFT_WORK_B)) {
            size_t *bytes = &steps->work_bytes[place[i] == WEFT_WORK_B];
            *bytes = flow.bytes[i] > *bytes ? flow.bytes[i] : *bytes;
        }
    }
    for (int i = 1; i + 1 < steps->steps; i++) {
        steps->own_is_in[i] = own_stays_in(path, steps, i);
        steps->own_is_out[i] = !steps->own_is_in[i] && own_goes_out(path, steps, i);
        if (!find_lent(path, steps, i, problem->ranks))
            return false;
        if (!steps->lent[i])
            continue;
        steps->put[i] = steps->own_is_out[i];
        steps->window_bytes[i] = flow.bytes[steps->put[i] ? steps->steps : 0];
    }
    return true;
}
