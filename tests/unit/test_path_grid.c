/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths on process grids and through grids between slabs: their number of exchanges, and which of
 * these may use shared memory, for kinds, sides, sizes and all grids of up to 12 ranks.
 * (Results are compared by mpi/test_grid, test_pencil and test_random; scripts/info has the volume
 * of exchanges in rows.) */
#include <string.h>
#include <sys/resource.h>
#include "planner/path/path.h"
#include "kernels/base/error.h"
#include "planner/schedule/schedule.h"
#include "api/request.h"
#include "planner/path/process-grid.h"
#include "tests/layouts.h"
#include "tests/unit/harness.h"

static const struct {
    int axes;
    ptrdiff_t size[5];
} sizes[] = {{2, {6, 4}}, {3, {5, 7, 8}}, {3, {1, 2, 3}}, {4, {4, 3, 2, 6}}, {5, {2, 3, 4, 2, 5}}};

static const weft_kind rows[][5] = {
    {WEFT_FORWARD, WEFT_FORWARD, WEFT_FORWARD, WEFT_FORWARD, WEFT_FORWARD},
    {WEFT_BACKWARD, WEFT_BACKWARD, WEFT_BACKWARD, WEFT_BACKWARD, WEFT_BACKWARD},
    {WEFT_FORWARD, WEFT_FORWARD, WEFT_FORWARD, WEFT_FORWARD, WEFT_R2C},
    {WEFT_BACKWARD, WEFT_BACKWARD, WEFT_BACKWARD, WEFT_BACKWARD, WEFT_C2R},
    {WEFT_REDFT10, WEFT_DHT, WEFT_RODFT11, WEFT_R2HC, WEFT_HC2R},
    {WEFT_REDFT10, WEFT_KEEP, WEFT_FORWARD, WEFT_DHT, WEFT_R2C},
    {WEFT_BACKWARD, WEFT_KEEP, WEFT_REDFT01, WEFT_KEEP, WEFT_C2R},
    {WEFT_KEEP, WEFT_FORWARD, WEFT_RODFT00, WEFT_KEEP, WEFT_KEEP}};
enum { LAST_FIRST, FIRST_LAST, LAST_LAST, WAYS };

/* Returns a problem; its last kind is the kind of the last axis, for any number of axes. */
static weft_problem problem_of(int shape, int sort, int method, int ranks)
{
    weft_problem problem = {.task = WEFT_TRANSFORM,
                            .axes = sizes[shape].axes,
                            .howmany = 1,
                            .ranks = ranks,
                            .from = {.first = method == FIRST_LAST},
                            .to = {.first = method == LAST_FIRST},
                            .threads = 1};
    for (int axis = 0; axis < problem.axes; axis++) {
        problem.size[axis] = sizes[shape].size[axis];
        problem.kind[axis] = rows[sort][axis == problem.axes - 1 ? 4 : axis];
    }
    return problem;
}

/* Checks that hold for every path. */
static void check_path(const weft_problem *problem, const weft_path *path, int most)
{
    weft_schedule schedule = {0};
    const weft_backend *const none[WEFT_MAX_STAGES] = {NULL};
    int exchanges = 0;
    for (int i = 1; i < path->stages; i++) {
        const weft_layout *from = &path->stage[i - 1].after, *to = &path->stage[i].before;
        int changed = 0;
        for (int axis = 0; axis < from->axes; axis++)
            changed += from->axis[axis].grid_axis != to->axis[axis].grid_axis;
        exchanges += changed > 0;
    }
    ck_assert_msg(exchanges <= most, "%d exchanges, and not %d", exchanges, most);
    ck_assert(weft_steps_make(path, problem, sizeof(double), none, &schedule));
    weft_steps_free(&schedule);
}

/* A path through slabs has two exchanges, and both can use shared memory. */
static void check_slabs(const weft_problem *problem, int method, int dividing)
{
    static weft_path path;
    const bool made = weft_path_by_slabs(problem, &path);
    ck_assert(made == (dividing >= 2 && method != LAST_LAST));
    if (!made)
        return;
    check_path(problem, &path, 2);
    ck_assert(path.through.axes == 1 && path.through.extent[0] == problem->ranks);
    for (int i = 0; i + 1 < path.stages; i++)
        ck_assert(weft_may_use_memory(&path, i, problem->ranks));
}

/* Whether the last axis is divided on the real side, which no public function allows. */
static bool impossible(const weft_problem *problem)
{
    const weft_kind last = weft_last_kind(problem);
    const bool first = last == WEFT_R2C ? problem->from.first : problem->to.first;
    /* the dimension that divides the last axis if the first is whole */
    const int g = problem->axes - 2;
    return (last == WEFT_R2C || last == WEFT_C2R) && first && g < problem->grid.axes &&
           problem->grid.extent[g] > 1;
}

static void check_grid(weft_problem *problem, int method)
{
    weft_divide_on_grid(problem, WEFT_BALANCED, true);
    static weft_path path;
    int dividing = 0;
    for (int g = 0; g < problem->grid.axes; g++)
        dividing += problem->grid.extent[g] > 1;
    if (impossible(problem))
        return;
    weft_path_direct(problem, &path);
    check_path(problem, &path, dividing + (method == LAST_LAST));
    ck_assert(path.through.axes == problem->grid.axes);
    const weft_kind last = weft_last_kind(problem);
    if (!(last == WEFT_R2C && method == FIRST_LAST) && !(last == WEFT_C2R && method == LAST_FIRST))
        check_slabs(problem, method, dividing);
}

TEST(every_grid_needs_as_few_exchanges_as_possible, .to = NUMBER(sizes))
{
    for (int sort = 0; sort < NUMBER(rows); sort++)
        for (int method = 0; method < WAYS; method++)
            for (int ranks = 1; ranks <= 12; ranks++) {
                weft_problem problem = problem_of(_i, sort, method, ranks);
                for (int i = 0; i < 2 * (problem.axes - 1); i++) {
                    problem.grid = (weft_process_grid){1 + i / 2, {0}, i % 2};
                    while (weft_process_grid_next(&problem.grid, ranks))
                        check_grid(&problem, method);
                }
            }
}

static int share(void *memory, int put, const void *array, size_t bytes)
{
    return memory && put && array && bytes;
}

/* Returns the exchanges, one bit each, that may use shared arrays on a path through slabs for a
 * grid of 2x3, forward or backward, if the first or second exchange is through memory. */
static unsigned shared(bool back, bool first, bool second)
{
    const weft_memory functions = {.share = share};
    const weft_backend memory = {.memory = &functions};
    const weft_backend *const both[WEFT_MAX_STAGES] = {first ? &memory : NULL,
                                                       second ? &memory : NULL};
    weft_problem problem = problem_of(1, back, back ? FIRST_LAST : LAST_FIRST, 6);
    static weft_path path;
    weft_schedule schedule = {0};
    unsigned found = 0;
    problem.size[0] = 12;
    problem.grid = (weft_process_grid){2, {2, 3}, 0};
    weft_divide_on_grid(&problem, WEFT_BALANCED, true);
    ck_assert(weft_path_by_slabs(&problem, &path));
    ck_assert(weft_steps_make(&path, &problem, sizeof(double), both, &schedule));
    for (int i = 0, exchange = 0; i < schedule.steps; i++)
        if (weft_is_exchange(&schedule.step[i]))
            found |= (unsigned)schedule.step[i].memory.shares << exchange++;
    weft_steps_free(&schedule);
    return found;
}

/* Only if all ranks that read, or write, have synchronized before or will afterwards. */
TEST(arrays_are_shared_if_all_ranks_synchronize, .to = 2)
{
    ck_assert_uint_eq(shared(_i, true, true), 1U << _i);
    ck_assert_uint_eq(shared(_i, true, false), 0);
    ck_assert_uint_eq(shared(_i, false, true), 0);
}

/* One exchange between slabs of an array with modes along two axes. */
TEST(exchanged_arrays_have_the_length_of_their_modes, .to = 2)
{
    weft_problem problem = {.task = WEFT_TRANSFORM,
                            .axes = 3,
                            .size = {12, 10, 8},
                            .modes = {8, 6, 5},
                            .howmany = 1,
                            .ranks = 2,
                            .between = true};
    weft_problem_side *grid = _i ? &problem.to : &problem.from,
                      *spectrum = _i ? &problem.from : &problem.to;
    weft_layout unused;
    static weft_path path[WEFT_PATHS_CAPACITY];
    for (int axis = 0; axis < 3; axis++)
        problem.kind[axis] = _i ? WEFT_BACKWARD : WEFT_FORWARD;
    slab_layouts(3, problem.size, 1, 2, &grid->layout, &unused);
    slab_layouts(3, problem.modes, 1, 2, &unused, &spectrum->layout);
    ck_assert_int_eq(weft_path_candidates(&problem, &(weft_process_grid){0}, false, path), 1);
    ck_assert_int_eq(path[0].stages, 2);
    ck_assert_double_eq(weft_path_moved(&path[0], 2), 12 * 6 * 5 / 2);
    check_path(&problem, &path[0], 1);
}

/* A path between the sides of another problem, on its grid and as boxes, has no more exchanges. */
static void check_as_short(weft_problem problem, const char *name)
{
    static weft_path path[WEFT_PATHS_CAPACITY];
    char grid[64] = "slabs";
    weft_path_direct(&problem, path);
    const int stages = path[0].stages;
    if (problem.grid.axes > 0)
        snprintf(grid, sizeof grid, "%dx%dx%d%s", problem.grid.extent[0], problem.grid.extent[1],
                 problem.grid.extent[2], problem.grid.column_major ? ":column-major" : "");
    problem.between = true;
    problem.grid.axes = 0;
    problem.from.first = problem.to.first = false;
    for (int boxes = 0; boxes < 2; boxes++) {
        ck_assert_int_ge(weft_path_candidates(&problem, &problem.grid, false, path), 1);
        ck_assert_msg(path[0].stages <= stages, "%s of %d axes, %s%s: %d exchanges, and not %d",
                      name, problem.axes, grid, boxes ? ", boxes" : "", path[0].stages - 1,
                      stages - 1);
        list_boxes(&problem.from.layout, problem.ranks);
        list_boxes(&problem.to.layout, problem.ranks);
        weft_layout_simplify(&problem.from.layout);
        weft_layout_simplify(&problem.to.layout);
    }
}

TEST(paths_between_distributions_are_as_short_as_on_grids, .to = 4)
{
    static const char *const names[WAYS] = {"last to first", "first to last", "natural"};
    setrlimit(RLIMIT_STACK,
              &(struct rlimit){192 << 10, RLIM_INFINITY}); /* a small stack is enough */
    for (int axes = 2; axes <= 4; axes++)
        for (int method = 0; method < WAYS; method++)
            for (int i = 0; i < 24; i++) {
                const int ranks = 1 + i / 2, column_major = i % 2;
                weft_problem problem = problem_of(1, _i, method, ranks);
                problem.axes = axes;
                for (int axis = 0; axis < axes; axis++) {
                    problem.size[axis] = 24 + 2 * axis;
                    problem.kind[axis] = rows[_i][axis == axes - 1 ? 4 : axis];
                }
                for (int dimensions = 1; dimensions < axes; dimensions++) {
                    problem.grid = (weft_process_grid){dimensions, {0}, column_major};
                    while (weft_process_grid_next(&problem.grid, ranks)) {
                        weft_divide_on_grid(&problem, WEFT_BALANCED, false);
                        if (!impossible(&problem))
                            check_as_short(problem, names[method]);
                    }
                }
                problem.grid.axes = 0;
                weft_divide_in_slabs(&problem,
                                     (problem.size[problem.from.first] + ranks - 1) / ranks,
                                     (problem.size[problem.to.first] + ranks - 1) / ranks);
                if (axes > 2)
                    check_as_short(problem, names[method]);
            }
}
