/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pipelines, simulated without data: every part of every step runs once, no step reads an array
 * before it is complete, and no step overwrites an array that another still reads.
 */
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "planner/schedule/schedule.h"
#include "api/request.h"
#include "tests/unit/harness.h"

/* The array at each place, and the parts of each step that are done. */
typedef struct {
    const weft_schedule *schedule;
    int holds[WEFT_NOWHERE];
    int begun[WEFT_MAX_STEPS], done[WEFT_MAX_STEPS];
} paper;

static int place(const weft_schedule *schedule, int array)
{
    const weft_place at = schedule->array[array].place;
    return at == WEFT_IN && schedule->in_place ? WEFT_OUT : at;
}

static bool complete(const paper *on, int step)
{
    return on->done[step] == on->schedule->step[step].parts;
}

/* A step writes to an array: the steps that read and wrote the old array at its place must be
 * complete. */
static void put(paper *on, int step, int array)
{
    const int at = place(on->schedule, array), old = on->holds[at];
    if (old == array)
        return;
    for (int s = 0; s < step; s++)
        if (old >= 0 && (s == old || s == old - 1) &&
            !(on->schedule->steps == 1 && on->schedule->in_place))
            ck_assert_msg(complete(on, s), "step %d writes array %d over %d, which step %d needs",
                          step, array, old, s);
    on->holds[at] = array;
}

/* Checks that the previous step has done the parts that this part needs. */
static void check_input(const paper *on, int step, int part)
{
    const weft_schedule *schedule = on->schedule;
    ck_assert_msg(on->holds[place(schedule, step)] == step,
                  "step %d reads an array that is not there", step);
    if (step == 0)
        return;
    const bool tied = weft_is_exchange(&schedule->step[step])
                          ? schedule->step[step - 1].pass.with_after
                          : schedule->step[step].pass.with_before;
    ck_assert_msg(complete(on, step - 1) || (tied && on->done[step - 1] > part),
                  "part %d of step %d comes too early", part, step);
}

static void act(paper *on, const weft_action *action)
{
    const weft_schedule *schedule = on->schedule;
    const int step = action->step;
    ck_assert(weft_is_exchange(&schedule->step[step]) == (action->kind != WEFT_RUN));
    if (action->kind == WEFT_FINISH) {
        ck_assert_int_eq(action->part, on->done[step]);
        ck_assert_int_lt(on->done[step]++, on->begun[step]);
        ck_assert(on->holds[place(schedule, step)] == step ||
                  place(schedule, step) == place(schedule, step + 1));
        ck_assert(on->holds[place(schedule, step + 1)] == step + 1);
        return;
    }
    ck_assert_int_eq(action->part, on->begun[step]++);
    check_input(on, step, action->part);
    put(on, step, step + 1);
    if (step + 1 < schedule->steps && (schedule->step[step + 1].transfer.flags & WEFT_LEAVE_OWN))
        put(on, step, step + 2);
    on->done[step] += action->kind == WEFT_RUN;
}

/* Checks the order of the schedule's actions; returns the number of overlaps. */
static int check_order(const weft_schedule *schedule)
{
    paper on = {.schedule = schedule};
    memset(on.holds, -1, sizeof on.holds);
    on.holds[place(schedule, 0)] = 0;
    for (int i = 0; i < schedule->actions; i++)
        act(&on, &schedule->action[i]);
    for (int step = 0; step < schedule->steps; step++)
        ck_assert_msg(complete(&on, step) && on.begun[step] == schedule->step[step].parts,
                      "step %d is not done", step);
    return schedule->overlaps;
}

/* Checks the order of the problem, and the other one with or without little memory. Little memory
 * means no overlaps. */
static int check_pipeline(weft_schedule *schedule)
{
    const int overlaps = check_order(schedule);
    const bool little = schedule->little_memory;
    free(schedule->action);
    schedule->little_memory = !little;
    ck_assert(weft_pipeline_order(schedule));
    const int others = check_order(schedule);
    ck_assert_int_eq(little ? overlaps : others, 0);
    return little ? others : overlaps;
}

static weft_problem make_problem(int axes, const ptrdiff_t *size, weft_kind kind, int transposed,
                                 int ranks)
{
    weft_problem problem = {.axes = axes, .howmany = 1, .ranks = ranks, .threads = 1};
    for (int axis = 0; axis < axes; axis++) {
        problem.size[axis] = size[axis];
        problem.kind[axis] = kind == WEFT_R2C && axis < axes - 1 ? WEFT_FORWARD : kind;
    }
    problem.real = kind == WEFT_REDFT10;
    problem.from.first = problem.from.transposed = transposed & 1;
    problem.to.first = problem.to.transposed = transposed >> 1;
    weft_divide_in_slabs(&problem, (size[transposed & 1] + ranks - 1) / ranks,
                         (size[transposed >> 1] + ranks - 1) / ranks);
    return problem;
}

static void check_path(const weft_path *path, weft_problem *problem)
{
    for (int variant = 0; variant < 8; variant++)
        for (int parts = 1; parts <= 5; parts++) {
            weft_schedule schedule = {0};
            weft_exchange_options options = {0};
            for (int i = 0; i < WEFT_MAX_STAGES; i++)
                options.parts[i] = parts == 5 ? 1 + i % 3 : parts;
            problem->in_place = variant & 1;
            problem->may_destroy = variant & 2;
            problem->flags = variant & 4 ? FFTW_CONSERVE_MEMORY : 0;
            ck_assert(weft_steps_make(path, problem, sizeof(double), &options, &schedule));
            const int overlaps = check_pipeline(&schedule);
            ck_assert(parts > 1 || overlaps == 0);
            weft_steps_free(&schedule);
        }
}

TEST(nothing_is_lost_or_early_between_slabs, .to = 3)
{
    static const ptrdiff_t sizes[][3] = {{8, 12, 5}, {3, 7, 1}, {16, 1, 4}};
    static const weft_kind kinds[] = {WEFT_FORWARD, WEFT_R2C, WEFT_REDFT10};
    for (int k = 0; k < 3; k++)
        for (int transposed = 0; transposed < 4; transposed++)
            for (int ranks = 2; ranks < 6; ranks++)
                for (int axes = 2; axes <= 3; axes++) {
                    weft_path path;
                    weft_problem problem =
                        make_problem(axes, sizes[_i], kinds[k], transposed, ranks);
                    if (weft_path_direct(&problem, &path))
                        check_path(&path, &problem);
                    weft_error_clear();
                }
}

TEST(nothing_is_lost_or_early_on_grids, .to = 3)
{
    static const ptrdiff_t size[] = {8, 9, 10};
    static const int grid[][2] = {{2, 2}, {1, 4}, {3, 2}};
    for (int back = 0; back < 4; back++) {
        weft_path path;
        weft_problem problem = make_problem(3, size, WEFT_FORWARD, 0, grid[_i][0] * grid[_i][1]);
        problem.grid = (weft_process_grid){2, {grid[_i][0], grid[_i][1]}, 0};
        problem.from.first = back & 1;
        problem.to.first = back >> 1;
        weft_divide_on_grid(&problem, WEFT_BALANCED, true);
        ck_assert(weft_path_direct(&problem, &path));
        check_path(&path, &problem);
    }
}

/* Pass, exchange and pass with transposed output: at least the second half of the parts of the
 * first pass overlap with messages. */
TEST(transforms_overlap_with_messages)
{
    static const ptrdiff_t size[] = {32, 32, 32};
    for (int in_place = 0; in_place < 2; in_place++) {
        weft_path path;
        weft_schedule schedule = {0};
        weft_problem problem = make_problem(3, size, WEFT_FORWARD, 2, 4);
        const weft_exchange_options options = {.parts = {4}};
        problem.in_place = in_place;
        ck_assert(weft_path_direct(&problem, &path));
        ck_assert(weft_steps_make(&path, &problem, sizeof(double), &options, &schedule));
        ck_assert_int_eq(schedule.step[1].parts, 4);
        ck_assert_int_ge(check_pipeline(&schedule), 3);
        weft_steps_free(&schedule);
    }
}
