/* SPDX-License-Identifier: BSD-3-Clause */
/* Process grids: parsing, enumeration and estimates of load, without communication except in
 * weft_process_grid_read. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "planner/path/process-grid.h"

static const char column_major[] = ":column-major";

bool weft_process_grid_parse(const char *text, weft_process_grid *process_grid)
{
    *process_grid = (weft_process_grid){0};
    if (!text || !*text || strcmp(text, "auto") == 0)
        return true;
    for (const char *at = text;;) {
        char *end;
        const long long extent = strtoll(at, &end, 10);
        const bool last = !*end || strcmp(end, column_major) == 0;
        if (end == at || extent < 1 || extent > INT_MAX || process_grid->axes == WEFT_MAX_RANK ||
            (!last && *end != 'x')) {
            weft_error("WEFT_GRID is %s; it must be auto, or extents as in 4x2", text);
            *process_grid = (weft_process_grid){0};
            return false;
        }
        process_grid->extent[process_grid->axes++] = (int)extent;
        process_grid->column_major = *end == ':';
        if (last)
            return true;
        at = end + 1;
    }
}

void weft_process_grid_write(weft_writer *to, const char *name,
                             const weft_process_grid *process_grid)
{
    for (int g = 0; g < process_grid->axes; g++)
        weft_write(to, "%s%d", g ? "x" : name, process_grid->extent[g]);
    if (process_grid->axes > 0 && process_grid->column_major)
        weft_write(to, "%s", column_major);
}

bool weft_process_grid_read(MPI_Comm comm, weft_process_grid *process_grid)
{
    const char *mine = weft_setting("WEFT_GRID");
    weft_common_text common;
    weft_broadcast_text(comm, mine ? mine : "", &common);
    const bool ok = common.text && weft_process_grid_parse(common.text, process_grid);
    if (common.text && !ok)
        weft_error_blame_environment();
    weft_common_text_free(&common);
    return ok;
}

bool weft_process_grid_fits(const weft_process_grid *requested, int axes, int ranks)
{
    return requested->axes > 0 && requested->axes < axes &&
           weft_process_grid_ranks(requested) == ranks;
}

int weft_process_grid_ranks(const weft_process_grid *process_grid)
{
    int ranks = 1;
    for (int g = 0; g < process_grid->axes; g++)
        if (__builtin_mul_overflow(ranks, process_grid->extent[g], &ranks))
            return 0;
    return ranks;
}

static int next_divisor(int of, int after)
{
    int divisor = after + 1;
    while (divisor <= of && of % divisor != 0)
        divisor++;
    return divisor <= of ? divisor : 0;
}

/* Sets the extents from `dimension` on to the first in lexicographic order with product `ranks`. */
static void fill(weft_process_grid *process_grid, int dimension, int ranks)
{
    for (; dimension < process_grid->axes - 1; dimension++)
        process_grid->extent[dimension] = 1;
    process_grid->extent[dimension] = ranks;
}

bool weft_process_grid_next(weft_process_grid *process_grid, int ranks)
{
    if (process_grid->extent[0] == 0) {
        fill(process_grid, 0, ranks);
        return true;
    }
    int left = process_grid->extent[process_grid->axes - 1];
    for (int g = process_grid->axes - 2; g >= 0; g--) {
        left *= process_grid->extent[g];
        const int next = next_divisor(left, process_grid->extent[g]);
        if (next) {
            process_grid->extent[g] = next;
            fill(process_grid, g + 1, left / next);
            return true;
        }
    }
    return false;
}

static ptrdiff_t length(const weft_problem *problem, int axis)
{
    const weft_kind kind = problem->kind[axis];
    return kind == WEFT_R2C || kind == WEFT_C2R ? problem->size[axis] / 2 + 1 : problem->size[axis];
}

double weft_process_grid_load(const weft_problem *problem, const weft_process_grid *process_grid)
{
    double load = 0;
    for (int whole = process_grid->axes; whole >= 0; whole--) { /* axis `whole` is undivided */
        double points = 1;
        for (int axis = 0; axis < problem->axes; axis++) {
            const int g = axis < whole ? axis : axis - 1;
            const ptrdiff_t parts =
                axis == whole || g >= process_grid->axes ? 1 : process_grid->extent[g];
            points *= (double)((length(problem, axis) + parts - 1) / parts);
        }
        /* a dimension of one rank needs no exchange */
        if (whole == process_grid->axes || process_grid->extent[whole] > 1)
            load += points;
    }
    return load;
}

static void keep_better(const weft_problem *problem, const weft_process_grid *process_grid,
                        weft_process_grid *best, double *least)
{
    const double load = weft_process_grid_load(problem, process_grid);
    if (best->axes == 0 || load < *least) {
        *best = *process_grid;
        *least = load;
    }
}

bool weft_process_grid_estimate(const weft_problem *problem, weft_process_grid *process_grid)
{
    weft_process_grid best = {0};
    double least = 0;
    if (problem->axes < 3)
        return false;
    for (int first = problem->ranks; first > 0; first--) {
        const weft_process_grid two = {2, {first, problem->ranks / first}, 0};
        if (first <= length(problem, 0) && first <= length(problem, 1))
            keep_better(problem, &two, &best, &least);
    }
    weft_process_grid three = {3, {0}, 0};
    while (problem->axes > 3 && weft_process_grid_next(&three, problem->ranks))
        keep_better(problem, &three, &best, &least);
    *process_grid = best;
    return true;
}

bool weft_process_grid_estimate_divided(const weft_problem *problem,
                                        weft_process_grid *process_grid)
{
    weft_process_grid best = {0}, two = {2, {0}, 0};
    double least = 0;
    while (problem->axes > 2 && weft_process_grid_next(&two, problem->ranks))
        if (two.extent[0] > 1 && two.extent[1] > 1)
            keep_better(problem, &two, &best, &least);
    *process_grid = best;
    return best.axes > 0;
}
