/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chains and the flow of their data, for every combination of kinds, sizes, transposed sides and
 * ranks: what must hold of any chain, checked against the problem itself.
 */
#include <string.h>
#include "planner/path/path.h"
#include "kernels/base/error.h"
#include "planner/schedule/steps.h"
#include "tests/unit/harness.h"

static const ptrdiff_t sizes[][5] = {{6, 4, 0},    {1, 9, 0},    {13, 1, 0},
                                     {4, 6, 8, 0}, {5, 7, 3, 0}, {2, 3, 4, 5, 0}};
static const weft_kind kinds[] = {WEFT_FORWARD, WEFT_BACKWARD, WEFT_R2C, WEFT_C2R, WEFT_REDFT10};

static const bool nowhere[WEFT_MAX_STAGES];

static ptrdiff_t ceil_div(ptrdiff_t n, ptrdiff_t parts)
{
    return (n + parts - 1) / parts;
}

/* The length of an axis on one side: of the complex half for r2c and c2r. */
static ptrdiff_t side_size(const weft_problem *problem, int axis, bool real_side)
{
    const weft_kind last = problem->kind[problem->axes - 1];
    const bool half = (last == WEFT_R2C || last == WEFT_C2R) && !real_side;
    return half && axis == problem->axes - 1 ? problem->size[axis] / 2 + 1 : problem->size[axis];
}

static weft_problem make_problem(const ptrdiff_t *size, weft_kind kind, int transposed, int ranks)
{
    const bool mixed = kind == WEFT_R2C || kind == WEFT_C2R;
    weft_problem problem = {.howmany = 1, .comm = MPI_COMM_NULL, .ranks = ranks, .threads = 1};
    for (; size[problem.axes]; problem.axes++) {
        problem.size[problem.axes] = size[problem.axes];
        problem.kind[problem.axes] = !mixed             ? kind
                                     : kind == WEFT_R2C ? WEFT_FORWARD
                                                        : WEFT_BACKWARD;
    }
    problem.kind[problem.axes - 1] = kind;
    problem.real = kind == WEFT_REDFT10;
    problem.transposed_in = transposed & 1;
    problem.transposed_out = transposed >> 1;
    problem.in_block =
        ceil_div(side_size(&problem, problem.transposed_in, kind == WEFT_R2C), ranks);
    problem.out_block =
        ceil_div(side_size(&problem, problem.transposed_out, kind == WEFT_C2R), ranks);
    return problem;
}

static bool impossible(const weft_problem *problem)
{
    const weft_kind last = problem->kind[problem->axes - 1];
    return problem->axes == 2 && ((last == WEFT_R2C && problem->transposed_in) ||
                                  (last == WEFT_C2R && problem->transposed_out));
}

static void check_end(const weft_problem *problem, const weft_layout *layout, bool transposed,
                      ptrdiff_t block, bool real_side, const char *name)
{
    ck_assert_msg(layout->axis[transposed].grid_axis == 0, "%s: the wrong axis is divided", name);
    ck_assert_msg(layout->order[0] == transposed, "%s: the divided axis is not the slowest", name);
    ck_assert_msg(layout->axis[transposed].block == block, "%s: not the block asked for", name);
    for (int axis = 0; axis < problem->axes; axis++)
        ck_assert_msg(layout->axis[axis].size == side_size(problem, axis, real_side),
                      "%s: axis %d has the wrong size", name, axis);
}

static void check_path(const weft_problem *problem)
{
    weft_path path;
    weft_error_clear();
    if (impossible(problem)) {
        ck_assert(!weft_path_slab(problem, &path));
        ck_assert(strlen(weft_error_text()) > 0);
        return;
    }
    ck_assert(weft_path_slab(problem, &path));
    const weft_kind last = problem->kind[problem->axes - 1];
    check_end(problem, &path.stage[0].before, problem->transposed_in, problem->in_block,
              last == WEFT_R2C, "input");
    check_end(problem, &path.stage[path.stages - 1].after, problem->transposed_out,
              problem->out_block, last == WEFT_C2R, "output");
    int done[WEFT_MAX_AXES] = {0}, count = 0, at_last = -1;
    for (int i = 0; i < path.stages; i++) {
        const weft_stage *stage = &path.stage[i];
        for (int axis = 0; axis < problem->axes; axis++) {
            if (stage->kind[axis] == WEFT_KEEP)
                continue;
            const bool whole = stage->before.axis[axis].grid_axis < 0 || path.stages == 1;
            ck_assert_msg(whole, "axis %d is transformed while it is divided", axis);
            ck_assert_int_eq((int)stage->kind[axis], (int)problem->kind[axis]);
            done[axis]++;
            count++;
            if (axis == problem->axes - 1)
                at_last = i;
        }
        for (int axis = 0; i > 0 && axis < problem->axes; axis++)
            ck_assert_msg(stage->before.axis[axis].size == (stage - 1)->after.axis[axis].size &&
                              stage->real_before == (stage - 1)->real_after,
                          "stage %d does not begin where the one before ends", i);
    }
    for (int axis = 0; axis < problem->axes; axis++)
        ck_assert_msg(done[axis] == 1, "axis %d is transformed %d times", axis, done[axis]);
    ck_assert_int_eq(count, problem->axes);
    for (int i = 0; i < path.stages; i++)
        for (int axis = 0; axis < problem->axes && (last == WEFT_R2C || last == WEFT_C2R); axis++)
            if (path.stage[i].kind[axis] != WEFT_KEEP)
                ck_assert_msg(last == WEFT_R2C ? i >= at_last : i <= at_last,
                              "an axis is transformed on the wrong side of r2c or c2r");
}

/* With little memory all happens in the output array: exchanges know how to, and passes find each
 * line where it belongs. */
static bool stays_in_output(const weft_problem *problem, const weft_steps *steps)
{
    bool any = false;
    for (int i = 0; i < steps->steps; i++)
        any |= steps->inside[i];
    for (int i = 0; any && i < steps->steps; i++) {
        ck_assert_int_eq((int)steps->buffers.place[i + 1], (int)WEFT_OUT);
        ck_assert(steps->inside[i] == (steps->is_exchange[i] && (i > 0 || problem->in_place)));
        ck_assert(!(steps->flags[i] & (WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED | WEFT_LEAVE_OWN)));
    }
    ck_assert(!any || (problem->flags & FFTW_CONSERVE_MEMORY));
    ck_assert(!any || steps->work_bytes[0] + steps->work_bytes[1] == 0);
    return any;
}

/* No step reads the array that it writes, nothing is written where the input must stay. */
static void check_flow(weft_problem *problem, int variant)
{
    weft_path path;
    weft_steps steps;
    problem->in_place = variant & 1;
    problem->may_destroy = variant & 2;
    problem->flags = variant & 4 ? FFTW_CONSERVE_MEMORY : 0;
    if (!weft_path_slab(problem, &path))
        return;
    ck_assert(weft_flow_steps(&path, problem, sizeof(double), nowhere, &steps));
    const weft_place *place = steps.buffers.place;
    ck_assert_int_eq((int)place[0], (int)WEFT_IN);
    ck_assert_int_eq((int)place[steps.steps], (int)WEFT_OUT);
    if (stays_in_output(problem, &steps))
        return;
    for (int i = 0; i < steps.steps; i++) {
        const bool user_in = place[i] == WEFT_IN || (problem->in_place && place[i] == WEFT_OUT);
        const bool user_out =
            place[i + 1] == WEFT_IN || (problem->in_place && place[i + 1] == WEFT_OUT);
        if (steps.steps > 1)
            ck_assert_msg(place[i] != place[i + 1] && !(problem->in_place && user_in && user_out),
                          "step %d writes what it reads", i);
        if (!problem->in_place && !problem->may_destroy)
            ck_assert_msg(place[i + 1] != WEFT_IN, "step %d overwrites the input", i);
        if (steps.buffers.leave_own[i])
            ck_assert_msg(
                place[i - 1] != place[i + 1] &&
                    !(problem->in_place && place[i - 1] == WEFT_IN && place[i + 1] == WEFT_OUT),
                "the own piece of step %d overwrites what its pass reads", i);
    }
}

START_TEST(chains_of_multidimensional_problems_transform_each_axis_once)
{
    const int ranks[] = {1, 2, 3, 4, 5, 7, 8, 13};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (int transposed = 0; transposed < 4; transposed++)
            for (size_t r = 0; r < sizeof ranks / sizeof ranks[0]; r++) {
                weft_problem problem = make_problem(sizes[_i], kinds[k], transposed, ranks[r]);
                check_path(&problem);
                for (int variant = 0; variant < 8; variant++)
                    check_flow(&problem, variant);
            }
}
END_TEST

/* Of a cube on two ranks. */
static weft_steps steps_of_cube(int transposed)
{
    static const ptrdiff_t cube[] = {8, 8, 8, 0};
    weft_path path;
    weft_steps steps;
    weft_problem problem = make_problem(cube, WEFT_FORWARD, transposed, 2);
    ck_assert(weft_path_slab(&problem, &path));
    ck_assert(weft_flow_steps(&path, &problem, sizeof(double), nowhere, &steps));
    return steps;
}

START_TEST(a_transposed_output_takes_two_passes_and_one_exchange)
{
    const weft_steps steps = steps_of_cube(2);
    ck_assert_int_eq(steps.steps, 3);
    ck_assert(steps.is_exchange[1] && steps.buffers.leave_own[1]);
    ck_assert_uint_eq(steps.work_bytes[0] + steps.work_bytes[1], 8 * 8 * 4 * 16);
}
END_TEST

START_TEST(natural_order_takes_two_passes_and_two_exchanges)
{
    const weft_steps steps = steps_of_cube(0);
    ck_assert_int_eq(steps.steps, 4);
    ck_assert(steps.is_exchange[1] && steps.buffers.leave_own[1] && steps.is_exchange[3]);
    ck_assert_uint_eq(steps.work_bytes[0] + steps.work_bytes[1], 8 * 8 * 4 * 16);
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("chain");
    TCase *cases = tcase_create("chains");
    tcase_add_loop_test(cases, chains_of_multidimensional_problems_transform_each_axis_once, 0,
                        sizeof sizes / sizeof sizes[0]);
    tcase_add_test(cases, a_transposed_output_takes_two_passes_and_one_exchange);
    tcase_add_test(cases, natural_order_takes_two_passes_and_two_exchanges);
    suite_add_tcase(all, cases);
    return all;
}

int main(void)
{
    return run_unit(suite());
}
