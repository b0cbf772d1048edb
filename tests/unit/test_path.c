/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The steps that paths between slabs become, for every combination of kinds, sizes, transposed
 * sides and ranks. (test_path_grid checks the paths.)
 */
#include "planner/path/path.h"
#include "planner/schedule/step.h"
#include "api/request.h"
#include "tests/unit/harness.h"

static const ptrdiff_t sizes[][5] = {{6, 4, 0},    {1, 9, 0},    {13, 1, 0},
                                     {4, 6, 8, 0}, {5, 7, 3, 0}, {2, 3, 4, 5, 0}};
static const weft_kind kinds[] = {WEFT_FORWARD, WEFT_BACKWARD, WEFT_R2C, WEFT_C2R, WEFT_REDFT10};

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

static ptrdiff_t block_of(const weft_problem *problem, const weft_problem_side *side,
                          bool real_side)
{
    return ceil_div(side_size(problem, side->first, real_side), problem->ranks);
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
    problem.from.first = problem.from.transposed = transposed & 1;
    problem.to.first = problem.to.transposed = transposed >> 1;
    weft_divide_in_slabs(&problem, block_of(&problem, &problem.from, kind == WEFT_R2C),
                         block_of(&problem, &problem.to, kind == WEFT_C2R));
    return problem;
}

/* With little memory all happens in the output array: exchanges know how to, and passes find each
 * line where it belongs. */
static bool stays_in_output(const weft_problem *problem, const weft_schedule *schedule)
{
    bool any = false;
    for (int i = 0; i < schedule->steps; i++)
        any |= schedule->step[i].kind == WEFT_WITHIN;
    for (int i = 0; any && i < schedule->steps; i++) {
        const weft_step *step = &schedule->step[i];
        ck_assert_int_eq((int)step->to.place, (int)WEFT_OUT);
        ck_assert((step->kind == WEFT_WITHIN) ==
                  (weft_is_exchange(step) && (i > 0 || problem->in_place)));
        ck_assert(!(step->transfer.flags & (WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED | WEFT_LEAVE_OWN)));
    }
    ck_assert(!any || (problem->flags & FFTW_CONSERVE_MEMORY));
    ck_assert(!any || schedule->work_bytes[0] + schedule->work_bytes[1] == 0);
    return any;
}

/* In place the input is the output. */
static weft_place user(const weft_problem *problem, weft_place place)
{
    return problem->in_place && place == WEFT_IN ? WEFT_OUT : place;
}

/* Each step reads what the one before it wrote, and not the array that it writes. */
static void check_steps(const weft_problem *problem, const weft_schedule *schedule)
{
    const int steps = schedule->steps;
    ck_assert_int_eq((int)schedule->step[0].from.place, (int)WEFT_IN);
    ck_assert_int_eq((int)schedule->step[steps - 1].to.place, (int)WEFT_OUT);
    if (stays_in_output(problem, schedule))
        return;
    for (int i = 0; i < steps; i++) {
        const weft_step *step = &schedule->step[i];
        if (i > 0)
            ck_assert_int_eq((int)step->from.place, (int)step[-1].to.place);
        if (steps > 1)
            ck_assert_msg(user(problem, step->from.place) != user(problem, step->to.place),
                          "step %d writes what it reads", i);
        if (!problem->in_place && !problem->may_destroy)
            ck_assert_msg(step->to.place != WEFT_IN, "step %d overwrites the input", i);
        ck_assert((step->to.own != WEFT_NOWHERE) ==
                  (i + 1 < steps && (step[1].transfer.flags & WEFT_LEAVE_OWN) != 0));
        if (step->to.own != WEFT_NOWHERE)
            ck_assert_msg(step->to.own == step[1].to.place &&
                              user(problem, step->from.place) != user(problem, step->to.own),
                          "the own piece of step %d overwrites what its pass reads", i + 1);
    }
}

static void check_flow(weft_problem *problem, int variant)
{
    weft_path path;
    weft_schedule schedule = {0};
    const weft_exchange_options none = {0};
    problem->in_place = variant & 1;
    problem->may_destroy = variant & 2;
    problem->flags = variant & 4 ? FFTW_CONSERVE_MEMORY : 0;
    if (!weft_path_direct(problem, &path))
        return;
    ck_assert(weft_steps_make(&path, problem, sizeof(double), &none, &schedule));
    check_steps(problem, &schedule);
    weft_steps_free(&schedule);
}

TEST(steps_read_what_the_ones_before_wrote, .to = NUMBER(sizes))
{
    const int ranks[] = {1, 2, 3, 4, 5, 7, 8, 13};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (int transposed = 0; transposed < 4; transposed++)
            for (size_t r = 0; r < sizeof ranks / sizeof ranks[0]; r++) {
                weft_problem problem = make_problem(sizes[_i], kinds[k], transposed, ranks[r]);
                for (int variant = 0; variant < 8; variant++)
                    check_flow(&problem, variant);
            }
}

/* Of a cube on two ranks, by messages: two passes, of which the first leaves the own block where it
 * is to be. */
static void check_cube(int transposed, int expected)
{
    static const ptrdiff_t cube[] = {8, 8, 8, 0};
    const weft_exchange_options none = {0};
    weft_path path;
    weft_schedule schedule = {0};
    weft_problem problem = make_problem(cube, WEFT_FORWARD, transposed, 2);
    ck_assert(weft_path_direct(&problem, &path));
    ck_assert(weft_steps_make(&path, &problem, sizeof(double), &none, &schedule));
    ck_assert_int_eq(schedule.steps, expected);
    for (int i = 0; i < schedule.steps; i++)
        ck_assert_int_eq((int)schedule.step[i].kind, (int)(i % 2 ? WEFT_MESSAGES : WEFT_PASS));
    ck_assert(schedule.step[1].transfer.flags & WEFT_LEAVE_OWN);
    ck_assert_uint_eq(schedule.work_bytes[0] + schedule.work_bytes[1], 8 * 8 * 4 * 16);
    weft_steps_free(&schedule);
}

TEST(a_transposed_output_takes_two_passes_and_one_exchange)
{
    check_cube(2, 3);
}

TEST(natural_order_takes_two_passes_and_two_exchanges)
{
    check_cube(0, 4);
}

/* Natural order in place through memory: the second exchange undoes the first, in whose region all
 * happens. */
TEST(through_memory_the_way_back_needs_none_of_its_own)
{
    static const ptrdiff_t cube[] = {8, 8, 8, 0};
    const weft_memory functions = {0};
    const weft_backend memory = {.memory = &functions};
    const weft_exchange_options both = {.memory = {&memory, &memory}};
    weft_path path;
    weft_schedule schedule = {0};
    weft_problem problem = make_problem(cube, WEFT_FORWARD, 0, 2);
    problem.in_place = true;
    ck_assert(weft_path_direct(&problem, &path));
    ck_assert(weft_steps_make(&path, &problem, sizeof(double), &both, &schedule));
    const weft_step *step = schedule.step;
    ck_assert_int_eq(schedule.steps, 5);
    ck_assert(step[1].kind == WEFT_MEMORY && step[3].kind == WEFT_MEMORY);
    ck_assert(step[0].to.place == WEFT_PART && step[2].from.place == WEFT_ALL_PARTS);
    ck_assert(step[2].to.place == WEFT_ALL_PARTS && step[4].from.place == WEFT_PART);
    ck_assert(step[3].memory.region_of == 1 && step[2].to.exchange == 1 &&
              step[4].from.exchange == 1);
    ck_assert_uint_eq(step[1].memory.region_bytes, 8 * 8 * 4 * 16);
    ck_assert_uint_eq(step[3].memory.region_bytes, 0);
    ck_assert_int_eq((int)step[2].to.own, (int)WEFT_OUT);
    weft_steps_free(&schedule);
}
