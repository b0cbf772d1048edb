/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the steps of a schedule from a path, with the arrays that each step reads and writes and
 * the flags of each exchange. A stage with transforms becomes a pass, which reads directly from the
 * blocks of the exchange before it and writes directly into the blocks of the exchange after it. A
 * stage without transforms needs no step: the exchange packs or unpacks. Each rank computes the
 * boxes of all ranks, so all ranks choose the same memory without communication.
 *
 * In an exchange through memory that ranks share, the ranks only wait for one another, and the
 * adjacent passes move the data:
 *
 *     pass i - 1 writes    exchange i    pass i + 1 reads
 *     its own part      ->    wait    -> all parts           if the blocks it reads form a view
 *     all parts         ->    wait    -> its own part        if only the other side's blocks do
 *
 * An exchange that undoes the exchange before it needs no memory: the pass in between writes where
 * it reads, and no other rank reads or writes there.
 */
#include <stdlib.h>
#include "kernels/base/memory.h"
#include "planner/schedule/schedule.h"

/* Arrays smaller than this may use both parts of the workspace, so that more passes can write the
 * own block to its final place. (16^3 on two hosts: with Open MPI 1.1 times as fast.) */
enum { SMALL = 1 << 20 };

static size_t array_bytes(const weft_path *path, const weft_schedule *schedule, int array,
                          size_t real_bytes, int rank)
{
    const bool last = array == schedule->steps,
               after = last || weft_is_exchange(&schedule->step[array]);
    const weft_stage *stage = &path->stage[last ? path->stages - 1 : schedule->step[array].stage];
    const bool real = after ? stage->real_after : stage->real_before;
    return (size_t)weft_layout_local_elements(after ? &stage->after : &stage->before, rank) *
           (real ? real_bytes : 2 * real_bytes);
}

/* Whether an exchange goes through memory of the backend that was chosen for it. */
static bool by_memory(const weft_backend *chosen)
{
    return chosen && chosen->memory;
}

static bool is_pass(const weft_path *path, int stage, const weft_backend *const *chosen)
{
    /* a single stage is always a pass, because something has to bring the data to the output */
    return weft_stage_transforms(&path->stage[stage]) || path->stages == 1 ||
           by_memory(chosen[stage]) || (stage > 0 && by_memory(chosen[stage - 1]));
}

/* Whether the blocks of the exchange after a stage form a view for the pass before or after it. */
static bool is_view(const weft_path *path, int stage, int ranks, bool after)
{
    const weft_layout *from = &path->stage[stage].after, *to = &path->stage[stage + 1].before;
    return weft_blocks_are_view(after ? to : from, after ? from : to, ranks);
}

bool weft_may_use_memory(const weft_path *path, int stage, int ranks)
{
    return is_view(path, stage, ranks, false) || is_view(path, stage, ranks, true);
}

/* Chooses blocks for each side where a pass is next to the exchange and the blocks form a view. */
static unsigned exchange_flags(const weft_path *path, int stage, int ranks,
                               const weft_backend *const *chosen)
{
    unsigned flags = chosen[stage] && chosen[stage]->begin ? 0 : WEFT_TRAVEL_TO;
    if (is_pass(path, stage, chosen) && is_view(path, stage, ranks, false))
        flags |= WEFT_FROM_BLOCKED;
    if (is_pass(path, stage + 1, chosen) && is_view(path, stage, ranks, true))
        flags |= WEFT_TO_BLOCKED;
    return flags;
}

static weft_step *add_step(weft_schedule *schedule, weft_step_kind kind, int stage)
{
    weft_step *step = &schedule->step[schedule->steps];
    *step = (weft_step){.kind = kind, .stage = stage};
    if (kind != WEFT_PASS)
        step->memory = (weft_memory_step){.region_of = schedule->steps, .own = WEFT_NOWHERE};
    schedule->steps++;
    return step;
}

static void list_steps(const weft_path *path, int ranks, const weft_backend *const *chosen,
                       weft_schedule *schedule)
{
    schedule->steps = 0;
    for (int i = 0; i < path->stages; i++) {
        if (is_pass(path, i, chosen))
            add_step(schedule, WEFT_PASS, i);
        if (i == path->stages - 1)
            break;
        const bool memory = by_memory(chosen[i]);
        weft_step *exchange = add_step(schedule, memory ? WEFT_MEMORY : WEFT_MESSAGES, i);
        exchange->memory.backend = memory ? chosen[i] : NULL;
        exchange->transfer.flags = exchange_flags(path, i, ranks, chosen);
    }
}

static void measure_arrays(const weft_path *path, const weft_problem *problem, size_t real_bytes,
                           weft_schedule *schedule)
{
    weft_array_between *array = schedule->array;
    const int last = schedule->steps;
    /* memory around a box in an enclosing array (layout.enclosing) must not be overwritten */
    const bool enclosed_before = problem->from.layout.enclosing,
               enclosed_after =
                   problem->to.layout.enclosing || (problem->in_place && enclosed_before);
    for (int i = 0; i <= last; i++)
        array[i] = (weft_array_between){.fits_in = !enclosed_before, .fits_out = !enclosed_after};
    for (int rank = 0; rank < problem->ranks; rank++) {
        const size_t in = array_bytes(path, schedule, 0, real_bytes, rank);
        const size_t out = array_bytes(path, schedule, last, real_bytes, rank);
        const size_t largest = problem->in_place && in > out ? in : out;
        for (int i = 0; i <= last; i++) {
            const size_t bytes = array_bytes(path, schedule, i, real_bytes, rank);
            array[i].bytes = bytes > array[i].bytes ? bytes : array[i].bytes;
            array[i].fits_in &= bytes <= in;
            array[i].fits_out &= bytes <= largest;
        }
    }
    for (int i = 0; i <= last && !weft_little_memory(problem); i++)
        if (schedule->workspace_limit < array[i].bytes)
            schedule->workspace_limit = array[i].bytes;
    if (schedule->workspace_limit < SMALL)
        schedule->workspace_limit *= 2;
}

static bool goes_back(const weft_step *step, int i)
{
    return step[i].memory.region_of != i;
}

/* Whether the exchange that is step i undoes the exchange before it, both through memory. */
static bool undoes(const weft_path *path, const weft_step *step, int i, int ranks)
{
    const int first = i - 2;
    if (first < 1 || step[i].kind != WEFT_MEMORY || step[first].kind != WEFT_MEMORY ||
        goes_back(step, first) || !weft_step_is_fused(&step[i]) ||
        !weft_step_is_fused(&step[first]))
        return false;
    const weft_stage *from = &path->stage[step[first].stage], *between = from + 1, *to = from + 2;
    return from->real_after == between->real_before &&
           between->real_before == between->real_after &&
           between->before.howmany == between->after.howmany &&
           weft_layout_same_boxes(&from->after, &to->before, ranks) &&
           weft_layout_same_boxes(&between->before, &between->after, ranks);
}

static bool transforms(const weft_path *path, const weft_step *pass)
{
    return weft_stage_transforms(&path->stage[pass->stage]);
}

/* Whether the pass that is step i writes to the input, even if only the own block. */
static bool writes_input(const weft_schedule *schedule, int i)
{
    const bool leaves =
        i + 1 < schedule->steps && weft_has_flag(&schedule->step[i + 1], WEFT_LEAVE_OWN);
    const weft_place to = schedule->array[i + 1].place,
                     own = leaves ? schedule->array[i + 2].place : to;
    return to == WEFT_IN || own == WEFT_IN ||
           (schedule->in_place && (to == WEFT_OUT || own == WEFT_OUT));
}

/* Whether the pass after exchange i can read its own block in the input, so that the first pass,
 * which only copies, need not copy that block. */
static bool own_stays_in(const weft_path *path, const weft_schedule *schedule, int i)
{
    const weft_step *step = schedule->step;
    return weft_step_is_fused(&step[i]) && i == 1 && !writes_input(schedule, i + 1) &&
           !transforms(path, &step[0]) &&
           (i + 2 == schedule->steps || !goes_back(step, i + 2) || transforms(path, &step[i + 1]));
}

/* Whether the pass before exchange i can write its own block to the output, so that the last pass,
 * which only copies, need not copy that block. */
static bool own_goes_out(const weft_path *path, const weft_schedule *schedule, int i)
{
    const weft_step *step = schedule->step;
    const weft_place before = schedule->array[i - 1].place;
    return weft_step_is_fused(&step[i]) && i == schedule->steps - 2 && before != WEFT_OUT &&
           (before != WEFT_IN || !schedule->in_place) &&
           (i < 2 || step[i - 2].memory.own != WEFT_IN) && !transforms(path, &step[i + 1]) &&
           (!goes_back(step, i) || transforms(path, &step[i - 1]));
}

/* Decides whether the users' arrays can replace the ranks' parts of the window in exchange i. The
 * other ranks may read the input only if all ranks meet once more, in another exchange through
 * memory, before the run ends. They may write the output only if all ranks have met before. Returns
 * false, with an error, when there is no memory. */
static bool find_shared(const weft_path *path, weft_schedule *schedule, int i, int ranks)
{
    weft_step *step = schedule->step;
    const int other = step[i].memory.own == WEFT_IN ? i + 2 : i - 2;
    if (step[i].memory.own == WEFT_NOWHERE || !step[i].memory.backend->memory->share ||
        goes_back(step, i) || other < 1 || other >= schedule->steps ||
        step[other].kind != WEFT_MEMORY || goes_back(step, other))
        return true;
    const weft_stage *from = &path->stage[step[i].stage],
                     *meeting = &path->stage[step[other].stage];
    const weft_layout *const here[2] = {&from->after, &(from + 1)->before},
                             *const there[2] = {&meeting->after, &(meeting + 1)->before};
    return weft_groups_within(here, there, ranks, &step[i].memory.shares);
}

static bool stays(const weft_stage *stage)
{
    const weft_layout *before = &stage->before, *after = &stage->after;
    const int last = before->axes - 1;
    const ptrdiff_t stored[2] = {before->padded ? before->padded : before->axis[last].size,
                                 after->padded ? after->padded : after->axis[last].size};
    for (int i = 0; i <= last; i++)
        if (before->order[i] != after->order[i] || stage->modes[i])
            return false;
    if (before->howmany != after->howmany)
        return false;
    if (stage->real_before == stage->real_after)
        return stored[0] == stored[1];
    return before->order[last] == last && before->axis[last].grid_axis < 0 &&
           before->howmany == 1 &&
           stored[0] * (stage->real_before ? 1 : 2) == stored[1] * (stage->real_after ? 1 : 2);
}

/* Whether a step can run within the output array. An exchange that reads the input first copies it
 * there. */
static bool runs_within_output(const weft_path *path, const weft_problem *problem,
                               const weft_schedule *schedule, int i)
{
    const weft_step *step = &schedule->step[i];
    const weft_array_between *array = &schedule->array[i];
    const weft_stage *stage = &path->stage[step->stage];
    const bool fits = array->fits_out && (i > 0 || problem->in_place || array->fits_in);
    return weft_is_exchange(step)
               ? fits && weft_within_possible(&stage->after, &(stage + 1)->before, problem->ranks)
               : stays(stage) || (i == 0 && !problem->in_place);
}

/* Whether all steps can run within the output array. */
static bool little_is_enough(const weft_path *path, const weft_problem *problem,
                             const weft_schedule *schedule)
{
    for (int i = 0; i < schedule->steps; i++) {
        if (schedule->step[i].kind == WEFT_MEMORY || (i > 0 && !schedule->array[i].fits_out) ||
            !runs_within_output(path, problem, schedule, i))
            return false;
    }
    return weft_little_memory(problem) && schedule->steps > 1;
}

static void stay_within_output(weft_schedule *schedule)
{
    for (int i = 0; i < schedule->steps; i++) {
        weft_step *step = &schedule->step[i];
        schedule->array[i + 1].place = WEFT_OUT;
        if (!weft_is_exchange(step))
            continue;
        step->transfer.flags &= ~(unsigned)(WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED);
        step->transfer.flags |= WEFT_IN_PLACE | WEFT_WITHIN;
    }
    schedule->array[0].place = WEFT_IN;
}

/* Sets the memory of the passes next to an exchange through memory: each uses its own part or all
 * parts. */
static void meet_memory(weft_schedule *schedule, int i)
{
    weft_step *step = &schedule->step[i], *before = step - 1, *after = step + 1;
    const bool puts = step->memory.shares ? step->memory.own == WEFT_OUT
                                          : !(step->transfer.flags & WEFT_TO_BLOCKED);
    const bool back = goes_back(schedule->step, i);
    before->to = (weft_array_location){puts || back ? WEFT_ALL_PARTS : WEFT_PART,
                                       step->memory.region_of, WEFT_NOWHERE};
    after->from = (weft_array_location){puts || back ? WEFT_PART : WEFT_ALL_PARTS,
                                        step->memory.region_of, WEFT_NOWHERE};
    if (!step->memory.shares && step->memory.own == WEFT_IN)
        after->from.own = WEFT_IN;
    if (!step->memory.shares && step->memory.own == WEFT_OUT)
        before->to.own = WEFT_OUT;
    if (!back)
        step->memory.region_bytes = !step->memory.shares ? schedule->array[puts ? i + 1 : i].bytes
                                    : puts               ? schedule->array[schedule->steps].bytes
                                                         : schedule->array[0].bytes;
}

static void set_ends(weft_schedule *schedule)
{
    const weft_array_between *array = schedule->array;
    for (int i = 0; i < schedule->steps; i++) {
        schedule->step[i].from = (weft_array_location){array[i].place, 0, WEFT_NOWHERE};
        schedule->step[i].to = (weft_array_location){array[i + 1].place, 0, WEFT_NOWHERE};
    }
    for (int i = 0; i < schedule->steps; i++)
        if (schedule->step[i].kind == WEFT_MEMORY)
            meet_memory(schedule, i);
        else if (weft_has_flag(&schedule->step[i], WEFT_LEAVE_OWN))
            schedule->step[i - 1].to.own = array[i + 1].place;
}

static void follow_places(const weft_path *path, const weft_problem *problem,
                          weft_schedule *schedule)
{
    const weft_array_between *array = schedule->array;
    for (int i = 0; i < schedule->steps; i++) {
        weft_step *step = &schedule->step[i];
        const bool same =
            array[i].place == array[i + 1].place || (schedule->in_place && schedule->steps == 1);
        if (undoes(path, schedule->step, i, problem->ranks))
            step->memory.region_of = i - 2;
        else if (step->kind == WEFT_MESSAGES && same)
            step->transfer.flags |= WEFT_IN_PLACE;
        if (i > 0 && (array[i].place == WEFT_WORK_A || array[i].place == WEFT_WORK_B)) {
            size_t *bytes = &schedule->work_bytes[array[i].place == WEFT_WORK_B];
            *bytes = array[i].bytes > *bytes ? array[i].bytes : *bytes;
        }
    }
}

static bool find_own(const weft_path *path, const weft_problem *problem, weft_schedule *schedule)
{
    for (int i = 1; i + 1 < schedule->steps; i++) {
        if (schedule->step[i].kind != WEFT_MEMORY)
            continue;
        schedule->step[i].memory.own = own_stays_in(path, schedule, i)   ? WEFT_IN
                                       : own_goes_out(path, schedule, i) ? WEFT_OUT
                                                                         : WEFT_NOWHERE;
        if (!find_shared(path, schedule, i, problem->ranks))
            return false;
    }
    return true;
}

bool weft_steps_make(const weft_path *path, const weft_problem *problem, size_t real_bytes,
                     const weft_backend *const *chosen, weft_schedule *schedule)
{
    const size_t most = 2 * (size_t)path->stages;
    schedule->in_place = problem->in_place;
    schedule->may_destroy = problem->may_destroy;
    schedule->workspace_limit = schedule->work_bytes[0] = schedule->work_bytes[1] = 0;
    schedule->step = weft_new(most, sizeof *schedule->step, "a schedule");
    schedule->array = weft_new(most + 1, sizeof *schedule->array, "a schedule");
    if (!schedule->step || !schedule->array)
        return false;
    list_steps(path, problem->ranks, chosen, schedule);
    measure_arrays(path, problem, real_bytes, schedule);
    if (little_is_enough(path, problem, schedule)) {
        stay_within_output(schedule);
    } else {
        weft_places_arrange(schedule);
        follow_places(path, problem, schedule);
        if (!find_own(path, problem, schedule))
            return false;
    }
    set_ends(schedule);
    return true;
}

void weft_steps_free(weft_schedule *schedule)
{
    free(schedule->step);
    free(schedule->array);
    schedule->step = NULL;
    schedule->array = NULL;
    schedule->steps = 0;
}
