/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of a cube: the steps between slabs, the places of their arrays, and the volume of exchanges
 * in rows. */
#include "planner/path/path.h"
#include "planner/schedule/schedule.h"
#include "api/request.h"
#include "tests/unit/harness.h"

/* A cube on two ranks, in slabs, transposed at the end or not. */
static weft_problem cube(bool transposed)
{
    weft_problem problem = {.axes = 3,
                            .size = {8, 8, 8},
                            .kind = {WEFT_FORWARD, WEFT_FORWARD, WEFT_FORWARD},
                            .howmany = 1,
                            .comm = MPI_COMM_NULL,
                            .ranks = 2,
                            .threads = 1};
    problem.to.first = problem.to.transposed = transposed;
    weft_divide_in_slabs(&problem, 4, 4);
    return problem;
}

/* A cube on two ranks, by messages: two passes; the first writes the own block to its final place.
 */
static void check_cube(bool transposed, int expected)
{
    const weft_exchange_options none = {0};
    weft_path path;
    weft_schedule schedule = {0};
    weft_problem problem = cube(transposed);
    ck_assert(weft_path_direct(&problem, &path));
    ck_assert(weft_steps_make(&path, &problem, sizeof(double), &none, &schedule));
    ck_assert_int_eq(schedule.steps, expected);
    for (int i = 0; i < schedule.steps; i++)
        ck_assert_int_eq((int)schedule.step[i].kind, (int)(i % 2 ? WEFT_MESSAGES : WEFT_PASS));
    ck_assert(schedule.step[1].transfer.flags & WEFT_LEAVE_OWN);
    ck_assert_uint_eq(schedule.work_bytes[0] + schedule.work_bytes[1], 8 * 8 * 4 * 16);
    weft_steps_free(&schedule);
}

TEST(natural_order_takes_one_exchange_more_than_transposed_order)
{
    check_cube(true, 3);
    check_cube(false, 4);
}

/* Natural order in place through memory: the second exchange reverses the first, and uses its
 * region. */
TEST(through_memory_the_way_back_uses_the_same_region)
{
    const weft_memory functions = {0};
    const weft_backend memory = {.memory = &functions};
    const weft_exchange_options both = {.memory = {&memory, &memory}};
    weft_path path;
    weft_schedule schedule = {0};
    weft_problem problem = cube(false);
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

/* In rows a cube moves as little as possible: all blocks except those that stay, once on up to N
 * ranks, twice on more. */
TEST(a_cube_in_rows_moves_as_little_as_possible)
{
    enum { N = 64 };
    static weft_path path;
    for (int ranks = 1; ranks <= N * N; ranks *= 2) {
        const double expected = ranks <= N ? 1 - 1.0 / ranks : 2 - 1.0 / ranks - (double)N / ranks;
        weft_problem problem = {.task = WEFT_TRANSFORM,
                                .axes = 3,
                                .size = {N, N, N},
                                .kind = {WEFT_FORWARD, WEFT_FORWARD, WEFT_FORWARD},
                                .howmany = 1,
                                .rows = true,
                                .ranks = ranks,
                                .to = {.first = true},
                                .threads = 1};
        weft_divide_in_rows(&problem, true);
        ck_assert(weft_path_by_rows(&problem, &path));
        ck_assert_double_eq_tol(weft_path_moved(&path, ranks) / (N * N * N), expected, 1e-12);
    }
}
