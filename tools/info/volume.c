/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes from the layouts of each path which fraction of the numbers changes ranks in a forward
 * transform. The numbers that a rank has before and after an exchange do not count. Grids are as
 * close to a square or a cube as possible. Bricks first become pencils; all other ways begin and
 * end in the cheapest layouts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api/request.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "planner/path/path.h"
#include "planner/path/process-grid.h"
#include "tools/info/volume.h"

enum { FEWEST = 16, MOST = 65536, COLUMNS = 4 };
static const char *const names[COLUMNS] = {"rows", "slabs", "2-d-grid", "3-d-grid"};

static bool read_sizes(const char *text, weft_problem *problem)
{
    *problem = (weft_problem){.task = WEFT_TRANSFORM, .howmany = 1, .threads = 1};
    problem->axes = weft_parse_sizes(text, "", 1, PTRDIFF_MAX, problem->size, 4);
    for (int axis = 0; axis < problem->axes; axis++)
        problem->kind[axis] = WEFT_FORWARD;
    return problem->axes >= 3;
}

/* Returns the grid with this number of dimensions whose longest and shortest dimensions differ the
 * least, the longer dimensions first. */
static weft_process_grid square(int dimensions, int ranks)
{
    weft_process_grid best = {0}, next = {dimensions, {0}, 0};
    int least = ranks;
    while (weft_process_grid_next(&next, ranks)) {
        int low = ranks, high = 1;
        for (int g = 0; g < dimensions; g++) {
            low = next.extent[g] < low ? next.extent[g] : low;
            high = next.extent[g] > high ? next.extent[g] : high;
        }
        if (best.axes == 0 || high - low <= least) {
            best = next;
            least = high - low;
        }
    }
    return best;
}

/* Whether every rank has points in each alignment. */
static bool fits(const weft_problem *problem, const weft_process_grid *grid)
{
    for (int g = 0; g < grid->axes; g++)
        if (grid->extent[g] > problem->size[g] ||
            (g + 1 < problem->axes && grid->extent[g] > problem->size[g + 1]))
            return false;
    return true;
}

/* The number of times that the whole array would have to move to match the data that moves;
 * negative: impossible on this number of ranks. */
static double on_grid(weft_problem problem, int dimensions)
{
    weft_path *path = malloc(sizeof *path);
    const weft_process_grid bricks = square(dimensions, problem.ranks);
    const bool from_bricks = dimensions == problem.axes;
    double moved = -1;
    problem.grid = from_bricks ? square(dimensions - 1, problem.ranks) : bricks;
    problem.to.first = true;
    weft_divide_on_grid(&problem, WEFT_BALANCED, true);
    if (from_bricks) {
        weft_layout *from = &problem.from.layout;
        from->grid_axes = dimensions;
        for (int axis = 0; axis < dimensions; axis++) {
            from->grid[axis] = bricks.extent[axis];
            from->axis[axis].grid_axis = axis;
        }
    }
    if (path && fits(&problem, &bricks) && fits(&problem, &problem.grid)) {
        weft_path_direct(&problem, path);
        moved = weft_path_moved(path, problem.ranks);
    }
    free(path);
    return moved;
}

static double in_rows(weft_problem problem)
{
    weft_path *path = malloc(sizeof *path);
    double moved = -1;
    problem.rows = problem.to.first = true;
    if (path && (problem.axes == 3 || problem.axes == WEFT_ROWS_RANK)) {
        weft_divide_in_rows(&problem, true);
        weft_path_by_rows(&problem, path);
        moved = weft_path_moved(path, problem.ranks);
    }
    free(path);
    return moved;
}

static void print_table(weft_problem problem)
{
    double points = 1;
    for (int axis = 0; axis < problem.axes; axis++)
        points *= (double)problem.size[axis];
    printf("%8s", "ranks");
    for (int i = 0; i < COLUMNS; i++)
        printf(" %9s", names[i]);
    printf("\n");
    for (problem.ranks = FEWEST; problem.ranks <= MOST; problem.ranks *= 2) {
        printf("%8d", problem.ranks);
        for (int i = 0; i < COLUMNS; i++) {
            const double moved = i == 0 ? in_rows(problem) : on_grid(problem, i);
            if (moved < 0)
                printf(" %9s", "-");
            else
                printf(" %9.5f", moved / points);
        }
        printf("\n");
    }
}

/* Writes the script for gnuplot. Rows are drawn wider than slabs, so that both are visible where
 * they coincide. */
static void print_plot(const char *sizes, const weft_problem *problem)
{
    printf("$table << END\n");
    print_table(*problem);
    printf("END\n"
           "set terminal svg size 800,500 background \"white\"\n"
           "set title \"%s\"\nset xlabel \"ranks\"\n"
           "set ylabel \"numbers that change ranks, of all\"\n"
           "set datafile missing \"-\"\nset logscale x 2\nset yrange [0:%d.2]\n"
           "set grid\nset key bottom right\n"
           "plot for [i=2:%d] $table using 1:i with linespoints linewidth (i == 2 ? 9 : 2) "
           "pointsize (i == 2 ? 0 : 0.7) linecolor rgb word(\"gray70 dark-green blue orange\", "
           "i - 1) title columnheader(i)\n",
           sizes, problem->axes - (problem->axes > 3), COLUMNS + 1);
}

int info_volume(const char *sizes, bool plot)
{
    weft_problem problem;
    if (!read_sizes(sizes, &problem)) {
        fprintf(stderr,
                "weft-info: --volume is \"%s\"; it must be three or four sizes such as 256x256x256 "
                "that fit a ptrdiff_t\n",
                sizes);
        return 2;
    }
    if (!weft_sizes_valid("--volume", problem.axes, problem.size, 1)) {
        fprintf(stderr, "weft-info: %s\n", weft_error_text());
        return 2;
    }
    if (plot) {
        print_plot(sizes, &problem);
    } else {
        printf("%s: numbers that change ranks, of all\n", sizes);
        print_table(problem);
    }
    return EXIT_SUCCESS;
}
