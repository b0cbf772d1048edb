/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pipelines: run on paper, every part of every step comes once, nothing is read before all of it
 * is there, and nothing is written over that somebody still reads.
 */
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "planner/schedule/pipeline.h"
#include "tests/unit/harness.h"

static const bool nowhere[WEFT_MAX_STAGES];

/* Which array each place holds, and how far each step has come. */
typedef struct {
    const weft_steps *steps;
    int holds[WEFT_WINDOW + 1];
    int begun[WEFT_MAX_STEPS], done[WEFT_MAX_STEPS];
} paper;

static int place(const weft_steps *steps, int array)
{
    const weft_place at = steps->buffers.place[array];
    return at == WEFT_IN && steps->in_place ? WEFT_OUT : at;
}

static bool complete(const paper *on, int step)
{
    return on->done[step] == on->steps->parts[step];
}

/* Something of an array is written: whoever reads what was there must have finished, and whoever
 * wrote it. */
static void put(paper *on, int step, int array)
{
    const int at = place(on->steps, array), old = on->holds[at];
    if (old == array)
        return;
    for (int s = 0; s < step; s++)
        if (old >= 0 && (s == old || s == old - 1) &&
            !(on->steps->steps == 1 && on->steps->in_place))
            ck_assert_msg(complete(on, s), "step %d writes array %d over %d, which step %d needs",
                          step, array, old, s);
    on->holds[at] = array;
}

/* The step before has come as far as this part needs. */
static void check_input(const paper *on, int step, int part)
{
    const weft_steps *steps = on->steps;
    ck_assert_msg(on->holds[place(steps, step)] == step, "step %d reads what is not there", step);
    if (step == 0)
        return;
    const bool tied =
        steps->is_exchange[step] ? steps->with_after[step - 1] : steps->with_before[step];
    ck_assert_msg(complete(on, step - 1) || (tied && on->done[step - 1] > part),
                  "part %d of step %d comes too early", part, step);
}

static void act(paper *on, const weft_action *action)
{
    const weft_steps *steps = on->steps;
    const int step = action->step;
    ck_assert(steps->is_exchange[step] == (action->deed != WEFT_RUN));
    if (action->deed == WEFT_FINISH) {
        ck_assert_int_eq(action->part, on->done[step]);
        ck_assert_int_lt(on->done[step]++, on->begun[step]);
        ck_assert(on->holds[place(steps, step)] == step ||
                  place(steps, step) == place(steps, step + 1));
        ck_assert(on->holds[place(steps, step + 1)] == step + 1);
        return;
    }
    ck_assert_int_eq(action->part, on->begun[step]++);
    check_input(on, step, action->part);
    put(on, step, step + 1);
    if (step + 2 <= steps->steps && steps->buffers.leave_own[step + 1])
        put(on, step, step + 2);
    on->done[step] += action->deed == WEFT_RUN;
}

static int check_pipeline(const weft_steps *steps, bool one_by_one)
{
    weft_pipeline pipeline;
    paper on = {.steps = steps};
    memset(on.holds, -1, sizeof on.holds);
    on.holds[place(steps, 0)] = 0;
    ck_assert(weft_pipeline_make(steps, one_by_one, &pipeline));
    for (int i = 0; i < pipeline.actions; i++)
        act(&on, &pipeline.action[i]);
    for (int step = 0; step < steps->steps; step++)
        ck_assert_msg(complete(&on, step) && on.begun[step] == steps->parts[step],
                      "step %d is not done", step);
    const int overlaps = pipeline.overlaps;
    free(pipeline.action);
    return overlaps;
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
    problem.transposed_in = transposed & 1;
    problem.transposed_out = transposed >> 1;
    problem.in_block = (size[transposed & 1] + ranks - 1) / ranks;
    problem.out_block = (size[transposed >> 1] + ranks - 1) / ranks;
    return problem;
}

static void check_path(const weft_path *path, weft_problem *problem)
{
    for (int variant = 0; variant < 8; variant++)
        for (int parts = 1; parts <= 5; parts++) {
            weft_steps steps;
            int wanted[WEFT_MAX_STAGES];
            for (int i = 0; i < WEFT_MAX_STAGES; i++)
                wanted[i] = parts == 5 ? 1 + i % 3 : parts;
            problem->in_place = variant & 1;
            problem->may_destroy = variant & 2;
            problem->flags = variant & 4 ? FFTW_CONSERVE_MEMORY : 0;
            ck_assert(weft_flow_steps(path, problem, sizeof(double), nowhere, &steps));
            ck_assert(weft_pipeline_cut(path, wanted, &steps));
            check_pipeline(&steps, false);
            ck_assert(parts > 1 || check_pipeline(&steps, false) == 0);
            check_pipeline(&steps, true);
        }
}

START_TEST(nothing_is_lost_or_early_between_slabs)
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
                    if (weft_path_slab(&problem, &path))
                        check_path(&path, &problem);
                    weft_error_clear();
                }
}
END_TEST

START_TEST(nothing_is_lost_or_early_on_grids)
{
    static const ptrdiff_t size[] = {8, 9, 10};
    static const int grid[][2] = {{2, 2}, {1, 4}, {3, 2}};
    for (int back = 0; back < 4; back++) {
        weft_path path;
        weft_problem problem = make_problem(3, size, WEFT_FORWARD, 0, grid[_i][0] * grid[_i][1]);
        problem.grid = (weft_process_grid){2, {grid[_i][0], grid[_i][1]}};
        problem.rule = WEFT_BALANCED;
        problem.first_in = back & 1;
        problem.first_out = back >> 1;
        ck_assert(weft_path_grid(&problem, &path));
        check_path(&path, &problem);
    }
}
END_TEST

/* What it is for: pass, exchange and pass of a transposed output; the second half of the parts of
 * the first pass at least run while something moves. */
START_TEST(transforms_overlap_with_messages)
{
    static const ptrdiff_t size[] = {32, 32, 32};
    for (int in_place = 0; in_place < 2; in_place++) {
        weft_path path;
        weft_steps steps;
        weft_problem problem = make_problem(3, size, WEFT_FORWARD, 2, 4);
        const int parts[WEFT_MAX_STAGES] = {4};
        problem.in_place = in_place;
        ck_assert(weft_path_slab(&problem, &path));
        ck_assert(weft_flow_steps(&path, &problem, sizeof(double), nowhere, &steps));
        ck_assert(weft_pipeline_cut(&path, parts, &steps));
        ck_assert_int_eq(steps.parts[1], 4);
        ck_assert_int_ge(check_pipeline(&steps, false), 3);
        ck_assert_int_eq(check_pipeline(&steps, true), 0);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("pipeline");
    TCase *tests = tcase_create("pipelines");
    tcase_add_loop_test(tests, nothing_is_lost_or_early_between_slabs, 0, 3);
    tcase_add_loop_test(tests, nothing_is_lost_or_early_on_grids, 0, 3);
    tcase_add_test(tests, transforms_overlap_with_messages);
    suite_add_tcase(all, tests);
    return all;
}

int main(void)
{
    return run_unit(suite());
}
