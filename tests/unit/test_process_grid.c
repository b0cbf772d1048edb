/* SPDX-License-Identifier: BSD-3-Clause */
/* Process grids: their settings, the list of all grids, and the load of ranks. */
#include "planner/path/process-grid.h"
#include <stdio.h>
#include <string.h>
#include "planner/path/path.h"
#include "kernels/base/error.h"
#include "api/request.h"
#include "tests/unit/harness.h"

static const struct {
    const char *text;
    weft_process_grid grid;
} good[] = {{NULL, {0}},
            {"", {0}},
            {"auto", {0}},
            {"4", {1, {4}, 0}},
            {"4x2", {2, {4, 2}, 0}},
            {"1x1x1", {3, {1, 1, 1}, 0}},
            {"16x1", {2, {16, 1}, 0}},
            {"4x2:column-major", {2, {4, 2}, 1}},
            {"2x3x4:column-major", {3, {2, 3, 4}, 1}}};

TEST(grids_are_read, .to = NUMBER(good))
{
    weft_process_grid process_grid;
    ck_assert(weft_process_grid_parse(good[_i].text, &process_grid));
    ck_assert_mem_eq(&process_grid, &good[_i].grid, sizeof process_grid);
    char text[64] = "";
    weft_writer to = weft_write_to(text, sizeof text);
    weft_process_grid_write(&to, "", &process_grid);
    ck_assert_str_eq(text, process_grid.axes > 0 ? good[_i].text : "");
}

static const char *const bad[] = {
    "4x",
    "x4",
    "4x2x",
    "0x4",
    "-2x2",
    "4*2",
    "four",
    "4x2 or",
    "2147483648",
    "99999999999999999999x1",
    "4x2.5",
    "Auto",
    "4x2:",
    "4x2:column",
    "4x2:row-major",
    "4x:column-major",
    ":column-major",
    "4:column-majorx2",

    "1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1"};

TEST(wrong_grids_are_refused_with_a_sentence, .to = NUMBER(bad))
{
    weft_process_grid process_grid;
    weft_error_clear();
    ck_assert(!weft_process_grid_parse(bad[_i], &process_grid));
    ck_assert_int_eq(process_grid.axes, 0);
    ck_assert_msg(strstr(weft_error_text(), "WEFT_GRID") && strstr(weft_error_text(), bad[_i]),
                  "\"%s\" is refused with \"%s\"", bad[_i], weft_error_text());
}

TEST(too_many_ranks_count_as_none)
{
    ck_assert_int_eq(weft_process_grid_ranks(&(weft_process_grid){3, {4, 2, 3}, 0}), 24);
    ck_assert_int_eq(weft_process_grid_ranks(&(weft_process_grid){2, {1 << 20, 1 << 20}, 0}), 0);
}

/* Counts grids by trying all extents. */
static int factorizations(int axes, int ranks)
{
    int count = 0;
    if (axes == 1)
        return 1;
    for (int extent = 1; extent <= ranks; extent++)
        if (ranks % extent == 0)
            count += factorizations(axes - 1, ranks / extent);
    return count;
}

TEST(every_grid_is_listed_once_in_order, .from = 1, .to = 37)
{
    for (int axes = 1; axes <= 4; axes++) {
        weft_process_grid process_grid = {axes, {0}, 0}, last = process_grid;
        int count = 0;
        for (; weft_process_grid_next(&process_grid, _i); count++) {
            int product = 1, order = 0;
            for (int g = 0; g < axes; g++) {
                product *= process_grid.extent[g];
                order = order ? order : process_grid.extent[g] - last.extent[g];
            }
            ck_assert_int_eq(product, _i);
            ck_assert_msg(order > 0, "grid %d of %d ranks is not after the one before", count, _i);
            last = process_grid;
        }
        ck_assert_int_eq(count, factorizations(axes, _i));
    }
}

static weft_problem cube(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, ptrdiff_t n3, int ranks)
{
    weft_problem problem = {
        .axes = n3 ? 4 : 3, .size = {n0, n1, n2, n3}, .howmany = 1, .ranks = ranks};
    for (int axis = 0; axis < problem.axes; axis++)
        problem.kind[axis] = WEFT_FORWARD;
    return problem;
}

/* Returns the largest number of points of a rank, summed over the stages of the path on that grid.
 */
static double most_points(weft_problem *problem)
{
    weft_divide_on_grid(problem, WEFT_BALANCED, true);
    static weft_path path;
    double sum = 0;
    weft_path_direct(problem, &path);
    for (int stage = 0; stage < path.stages; stage++) {
        double most = 0;
        for (int rank = 0; rank < problem->ranks; rank++) {
            weft_box box;
            double points = 1;
            weft_layout_box(&path.stage[stage].before, rank, &box);
            for (int axis = 0; axis < problem->axes; axis++)
                points *= (double)box.span[axis].count;
            most = points > most ? points : most;
        }
        sum += most;
    }
    return sum;
}

TEST(the_load_is_that_of_the_busiest_rank, .to = 6)
{
    static const ptrdiff_t sizes[][4] = {{8, 8, 8, 0},  {2, 9, 5, 0}, {13, 4, 6, 0},
                                         {1, 7, 30, 0}, {4, 5, 6, 7}, {2, 2, 9, 3}};
    for (int ranks = 1; ranks <= 12; ranks++)
        for (int axes = 1; axes <= (sizes[_i][3] ? 3 : 2); axes++) {
            weft_problem problem =
                cube(sizes[_i][0], sizes[_i][1], sizes[_i][2], sizes[_i][3], ranks);
            problem.to.first = true;
            problem.grid.axes = axes;
            while (weft_process_grid_next(&problem.grid, ranks)) {
                const double load = weft_process_grid_load(&problem, &problem.grid);
                const double expected = most_points(&problem);
                ck_assert_msg(load >= expected && load <= expected,
                              "size %d, %d ranks, %dx%dx%d: %g and not %g", _i, ranks,
                              problem.grid.extent[0], problem.grid.extent[1],
                              problem.grid.extent[2], load, expected);
            }
        }
}

/* The estimated grid for a cube, and the one that must divide two axes; 0: none, -1: any of three
 * dimensions with all ranks. With a prime number of ranks some stay idle. Of grids with the same
 * load the planner takes the one whose pencils are within slabs. */
TEST(estimated_grids_keep_ranks_busy, .to = 6)
{
    static const struct {
        ptrdiff_t n[4];
        int ranks, extent[3], divided[2];
    } row[] = {{{2, 64, 64}, 8, {1, 8}, {2, 4}}, {{1, 64, 64}, 8, {1, 8}, {0}},
               {{2, 2, 2, 64}, 8, {-1}, {0}},    {{4, 4, 64}, 17, {4, 4}, {0}},
               {{16, 16, 64}, 64, {16, 4}, {0}}, {{8, 8, 0}, 4, {0}, {0}}};
    const ptrdiff_t *n = row[_i].n;
    weft_process_grid grid;
    weft_problem problem = cube(n[0], n[1], n[2], n[3], row[_i].ranks);
    problem.axes = n[2] == 0 ? 2 : problem.axes;
    ck_assert(weft_process_grid_estimate(&problem, false, &grid) == (row[_i].extent[0] != 0));
    if (row[_i].extent[0] < 0)
        ck_assert(grid.axes == 3 && weft_process_grid_ranks(&grid) == 8);
    for (int g = 0; row[_i].extent[0] > 0 && g < grid.axes; g++)
        ck_assert_int_eq(grid.extent[g], row[_i].extent[g]);
    if (row[_i].divided[0] || _i == 3)
        ck_assert(weft_process_grid_estimate(&problem, true, &grid) == (row[_i].divided[0] > 0));
    for (int g = 0; row[_i].divided[0] && g < 2; g++)
        ck_assert_int_eq(grid.extent[g], row[_i].divided[g]);
}

/* The paths for problems of FFTW's interface. */
TEST(slabs_go_through_pencils_if_ranks_would_be_idle, .to = 9)
{
    static const struct {
        ptrdiff_t n[3];
        int ranks, wanted, candidates, first_through, measured, patient;
    } row[] = {
        {{64, 64, 64}, 1, 0, 1, 0, 1, 1}, {{64, 64, 64}, 3, 0, 1, 0, 1, 1},
        {{64, 64, 64}, 4, 0, 2, 0, 1, 2}, {{2, 64, 64}, 4, 0, 2, 0, 2, 2},
        {{64, 2, 64}, 4, 0, 2, 0, 2, 2},  {{1, 8, 64}, 4, 0, 2, 1, 2, 2},
        {{2, 16, 64}, 16, 0, 2, 1, 2, 2}, {{64, 64, 64}, 4, 1, 1, 1, 1, 1},
        {{64, 64, 64}, 6, 1, 2, 0, 1, 2},
    };
    const weft_process_grid wanted = {2, {2, 2}, 0}, none = {0};
    weft_problem problem = cube(row[_i].n[0], row[_i].n[1], row[_i].n[2], 0, row[_i].ranks);
    const ptrdiff_t block = (row[_i].n[0] + row[_i].ranks - 1) / row[_i].ranks;
    weft_divide_in_slabs(&problem, block, block);
    static weft_path path[WEFT_PATHS_CAPACITY];
    const int count = weft_path_candidates(&problem, row[_i].wanted ? &wanted : &none, true, path);
    ck_assert_int_eq(count, row[_i].candidates);
    ck_assert_int_eq(path[0].through.axes > 0, row[_i].first_through);
    if (count == 2)
        ck_assert_int_eq(path[1].through.axes > 0, !row[_i].first_through);
    ck_assert_int_eq(weft_path_raced(&problem, count, 0, false), 1);
    /* on several nodes the model decides, if ranks would be idle */
    ck_assert_int_eq(weft_path_raced(&problem, count, 0, true), row[_i].measured);
    ck_assert_int_eq(weft_path_raced(&problem, count, 1, false), row[_i].measured);
    ck_assert_int_eq(weft_path_raced(&problem, count, 2, false), row[_i].patient);
}

/* Each of the first ranks has a slab, and the slab is also a part of its pencils. */
TEST(pencils_of_idle_ranks_begin_where_slabs_are, .to = 3)
{
    static const struct {
        int ranks, column_major;
    } row[] = {{16, 1}, {12, 1}, {4, 0}};
    weft_problem problem = cube(4, 4, 64, 0, row[_i].ranks);
    weft_divide_in_slabs(&problem, 1, 1);
    static weft_path path[WEFT_PATHS_CAPACITY];
    ck_assert_int_eq(weft_path_candidates(&problem, &(weft_process_grid){0}, false, path), 2);
    const weft_path *pencils = &path[path[0].through.axes > 0 ? 0 : 1];
    ck_assert_int_eq(pencils->through.column_major, row[_i].column_major);
    for (int rank = 0; row[_i].column_major && rank < 4; rank++) {
        weft_box slab, pencil;
        weft_layout_box(&problem.from.layout, rank, &slab);
        weft_layout_box(&pencils->stage[1].before, rank, &pencil);
        ck_assert_mem_eq(slab.span, pencil.span, sizeof *slab.span);
    }
}

/* The paths for problems of weft.h: first through slabs if ranks share memory and axis 0 is long
 * enough. */
TEST(grids_go_by_slabs_on_one_node, .to = 6)
{
    static const struct {
        ptrdiff_t n0;
        int extent[2];
        bool together;
        int candidates, first_through;
    } row[] = {{64, {2, 2}, true, 2, 1}, {64, {2, 2}, false, 2, 2}, {1, {2, 2}, true, 2, 2},
               {64, {1, 4}, true, 1, 2}, {64, {4, 8}, true, 2, 1},  {9, {2, 4}, true, 2, 2}};
    weft_problem problem = cube(row[_i].n0, 64, 64, 0, row[_i].extent[0] * row[_i].extent[1]);
    problem.grid = (weft_process_grid){2, {row[_i].extent[0], row[_i].extent[1]}, 0};
    problem.to.first = true;
    weft_divide_on_grid(&problem, WEFT_BALANCED, true);
    static weft_path path[WEFT_PATHS_CAPACITY];
    const int count =
        weft_path_candidates(&problem, &(weft_process_grid){0}, row[_i].together, path);
    ck_assert_int_eq(count, row[_i].candidates);
    ck_assert_int_eq(path[0].through.axes, row[_i].first_through);
    if (count == 2)
        ck_assert_int_eq(path[1].through.axes, 3 - row[_i].first_through);
    ck_assert_int_eq(weft_path_raced(&problem, count, 2, true), count);
}

/* Consecutive ranks on nodes, or ranks on nodes in turn. */
TEST(grids_are_placed_on_nodes, .to = 14)
{
    static const struct {
        int ranks, per_node, nodes, axes, given[3], squarest[3], best[3], column_major;
    } row[] = {
        {1024, 16, 0, 2, {0}, {32, 32}, {64, 16}, 0},
        {1024, 32, 0, 2, {0}, {32, 32}, {32, 32}, 0},
        {256, 16, 0, 2, {0}, {16, 16}, {16, 16}, 0},
        {64, 16, 0, 2, {0}, {8, 8}, {8, 8}, 0},
        {4096, 4, 0, 2, {0}, {64, 64}, {64, 64}, 0},
        {96, 8, 0, 2, {0}, {12, 8}, {12, 8}, 0},
        {96, 12, 0, 2, {0}, {12, 8}, {8, 12}, 0},
        {1024, 0, 64, 2, {0}, {32, 32}, {16, 64}, 0},
        {1024, 16, 0, 2, {0, 32}, {32, 32}, {32, 32}, 0},
        {512, 8, 0, 3, {0}, {8, 8, 8}, {8, 8, 8}, 0},
        {1024, 1, 0, 2, {0}, {32, 32}, {32, 32}, 0},
        {256, 16, 0, 3, {0}, {8, 8, 4}, {16, 4, 4}, 0},
        {1024, 16, 0, 2, {0}, {32, 32}, {16, 64}, 1},
        {96, 12, 0, 2, {0}, {12, 8}, {12, 8}, 1},
    };
    static int node[4096];
    static double leaves[WEFT_GRIDS];
    weft_process_grid it = {row[_i].axes, {0}, row[_i].column_major}, given = it, best = it;
    for (int rank = 0; rank < row[_i].ranks; rank++)
        node[rank] = row[_i].nodes ? rank % row[_i].nodes : rank - rank % row[_i].per_node;
    for (int g = 0; g < it.axes; g++) {
        given.extent[g] = row[_i].given[g];
        best.extent[g] = row[_i].squarest[g];
    }
    for (int i = 0; row[_i].per_node != 1 && weft_process_grid_next(&it, row[_i].ranks); i++)
        for (int rank = 0; rank < row[_i].ranks; rank++) {
            const double mine = weft_process_grid_leaves(&it, node, rank);
            leaves[i] = mine > leaves[i] ? mine : leaves[i];
        }
    weft_process_grid_near(&given, row[_i].ranks, leaves, &best);
    for (int g = 0; g < it.axes; g++)
        ck_assert_msg(best.extent[g] == row[_i].best[g], "row %d: %dx%dx%d", _i, best.extent[0],
                      best.extent[1], best.extent[2]);
}
