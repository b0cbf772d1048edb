/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Paths of arrays with two or more axes. Aligned along the last axis, dimension i of the grid
 * divides axis i; aligned along the first axis, it divides axis i + 1. On the way from the former
 * alignment to the latter, the highest dimension g - 1 first stops dividing axis g - 1 and divides
 * axis g instead. That step is an exchange among the ranks of that dimension only. The other
 * dimensions follow, down to dimension 0:
 *
 *     grid 2x4, axes 0 1 2:   / / -    ->   / - /    ->   - / /        (/ divided, - undivided)
 *     slabs:                  / - -    ->   - / -
 *
 * (L. Dalcin, M. Mortensen, D. Keyes: Fast parallel multidimensional FFT using advanced MPI.) Slabs
 * are a grid of one dimension. Slabs in natural order on both sides take one more exchange back.
 *
 * The struct `way` lists the divisions that the array goes through. Dimensions of one rank divide
 * nothing, so divisions that differ only in such dimensions count as one. A forward transform of an
 * axis happens at the first division in which the axis is undivided, a backward transform at the
 * last; so r2c comes first and c2r last. Divisions without a transform are left out, because one
 * exchange can connect any two layouts.
 *
 * On one node a grid has a shorter path, because each division costs a sweep through memory: all
 * ranks together take slabs of axis 0, and one exchange leads from the slabs to the side aligned
 * along the first axis. Slabs can also go through pencils. With more ranks than slabs, pencils keep
 * all ranks busy. Otherwise pencils cost two more exchanges, each among fewer ranks, which pays
 * where messages are many and small. The best first dimension of the pencils is the number of
 * slabs: each slab is then divided among few ranks. Where messages are slow, a transform in natural
 * order returns to the pencils within slabs before it ends, because otherwise all ranks exchange
 * data with the slabs at the end:
 *
 *     8 ranks, 4 slabs, 4x2:  / - -  ->  / / -  ->  / - /  ->  - / /  ->  / - /  ->  / - -
 *     peers of a rank:               1          1          3          3          1
 *     without going back:            1          1          3                 7
 *
 * In rows, the array goes through a series of axis orders. In each order the first axes are
 * divided, as few of them as give every rank a row. Consecutive orders share as many first axes as
 * possible, so that little data moves:
 *
 *     axes 0 1 2:   / / -   ->   2 0 1: / / -   ->   2 1 0: / / -
 *
 * (T. Duy, T. Ozaki: A decomposition method with minimum communication amount for parallelization
 * of multi-dimensional FFTs.)
 */
#include <string.h>
#include "planner/path/path.h"

/* One division of the array. by[axis] is the dimension of the grid that divides the axis; -1: none.
 * In rows, by[axis] is 0 for the divided axes. */
typedef struct {
    weft_process_grid grid;
    int by[WEFT_MAX_RANK];
    int rows; /* index of the order of axes in `orders`, from 1; 0: not in rows */
} alignment;

/* The orders of axes for arrays of 3 and 4 axes, from natural order to the reverse. */
static const int orders[WEFT_ROWS_RANK + 1][WEFT_ROWS_RANK][WEFT_ROWS_RANK] = {
    [3] = {{0, 1, 2}, {2, 0, 1}, {2, 1, 0}},
    [4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {3, 2, 0, 1}, {3, 2, 1, 0}}};

typedef struct {
    const weft_problem *problem;
    weft_process_grid grid;
    weft_rule rule; /* rule that divides the axes between the two sides */
    bool backward;
    bool stops; /* keep divisions in which nothing is transformed */
    int steps;
    alignment step[2 * WEFT_MAX_RANK];
    bool spectral[WEFT_MAX_AXES]; /* axes that have their number of modes at the current step */
    weft_kind kind[2 * WEFT_MAX_RANK][WEFT_MAX_AXES]; /* transforms of each step */
} way;

bool weft_stage_transforms(const weft_stage *stage)
{
    return weft_kinds_transform(stage->before.axes, stage->kind) || stage->operates ||
           stage->twiddle.n > 0;
}

weft_stage *weft_path_add(weft_path *path, const weft_layout *layout, bool real)
{
    weft_stage *stage = &path->stage[path->stages++];
    *stage =
        (weft_stage){.before = *layout, .after = *layout, .real_before = real, .real_after = real};
    return stage;
}

double weft_path_moved(const weft_path *path, int ranks)
{
    double sum = 0;
    for (int i = 0; i + 1 < path->stages; i++)
        sum += weft_layout_moved(&path->stage[i].after, &path->stage[i + 1].before, ranks);
    return sum;
}

static alignment aligned(const weft_process_grid *grid, bool first)
{
    alignment made = {.grid = *grid};
    for (int axis = 0; axis < WEFT_MAX_RANK; axis++)
        made.by[axis] = -1;
    for (int g = 0; g < grid->axes; g++)
        if (grid->extent[g] > 1)
            made.by[first ? g + 1 : g] = g;
    return made;
}

/* Puts the divided axes first (slowest) in memory, so that the data for one rank or from one rank
 * is contiguous. The last axis stays the fastest, so that rows are long. */
static void order_axes(weft_layout *layout, const alignment *at)
{
    const int last = layout->axes - 1;
    int place = 0;
    for (int turn = 0; turn < 2; turn++)
        for (int axis = 0; axis <= last; axis++) {
            const bool slow = at->by[axis] >= 0 && (axis < last || layout->axes == 2);
            if (slow == (turn == 0))
                layout->order[place++] = axis;
        }
}

/* The number of parts of an axis. *step is the distance in ranks from one part to the next. */
static int parts_along(const weft_layout *layout, int axis, int *step)
{
    const int g = layout->axis[axis].grid_axis;
    *step = 1;
    for (int faster = g + 1; g >= 0 && layout->grid[g] > 1 && faster < layout->grid_axes; faster++)
        *step *= layout->grid[faster];
    return g >= 0 ? layout->grid[g] : 1;
}

/* If a side divides the array like a step's layout, copies the side's rules and block sizes to the
 * layout, so that no data moves. */
static void take_blocks(weft_layout *layout, const weft_layout *side)
{
    bool alike = weft_layout_is_regular(layout) && weft_layout_is_regular(side);
    int steps[2];
    for (int axis = 0; alike && axis < layout->axes; axis++)
        alike = parts_along(layout, axis, &steps[0]) == parts_along(side, axis, &steps[1]) &&
                steps[0] == steps[1];
    for (int axis = 0; alike && axis < layout->axes; axis++) {
        layout->axis[axis].rule = side->axis[axis].rule;
        layout->axis[axis].block = side->axis[axis].block;
    }
}

static weft_layout whole(const way *it, bool real)
{
    weft_layout layout = weft_undivided_layout(it->problem, real, false);
    for (int axis = 0; axis < it->problem->axes; axis++)
        if (it->spectral[axis])
            layout.axis[axis].size = weft_spectrum_size(it->problem, axis);
    return layout;
}

/* The layout at a step. The first and the last step copy the block sizes of the sides; steps in
 * between use it->rule. */
static weft_layout layout_at(const way *it, int step, bool real)
{
    const weft_problem *problem = it->problem;
    const alignment *at = &it->step[step];
    weft_layout layout = whole(it, real);
    layout.grid_axes = at->grid.axes;
    for (int g = 0; g < at->grid.axes; g++)
        layout.grid[weft_process_grid_place(&at->grid, g)] = at->grid.extent[g];
    for (int axis = 0; axis < problem->axes; axis++) {
        if (at->by[axis] >= 0)
            layout.axis[axis].grid_axis = weft_process_grid_place(&at->grid, at->by[axis]);
        layout.axis[axis].rule = it->rule;
    }
    if (at->rows)
        weft_layout_set_rows(&layout, orders[problem->axes][at->rows - 1], problem->ranks);
    else
        order_axes(&layout, at);
    if (step == 0)
        take_blocks(&layout, &problem->from.layout);
    if (step == it->steps - 1)
        take_blocks(&layout, &problem->to.layout);
    return layout;
}

static void add_step(way *it, alignment at)
{
    if (it->steps == 0 || memcmp(&it->step[it->steps - 1], &at, sizeof at) != 0)
        it->step[it->steps++] = at;
}

/* Adds the steps from the alignment along the last axis to the alignment along the first axis, or
 * in reverse order with `back`. */
static void add_steps(way *it, bool back)
{
    const int dimensions = it->grid.axes;
    alignment now = aligned(&it->grid, back);
    add_step(it, now);
    for (int i = 0; i < dimensions; i++) {
        const int g = back ? i : dimensions - 1 - i;
        if (it->grid.extent[g] == 1)
            continue;
        now.by[back ? g + 1 : g] = -1;
        now.by[back ? g : g + 1] = g;
        add_step(it, now);
    }
}

static void share_out(way *it)
{
    for (int axis = 0; axis < it->problem->axes; axis++) {
        int at = it->backward ? it->steps - 1 : 0;
        while (it->step[at].by[axis] >= 0)
            at += it->backward ? -1 : 1;
        it->kind[at][axis] = it->problem->kind[axis];
    }
}

/* Adds a stage for one step, with only its r2r transforms (`r2r`) or only its other transforms. */
static void add_stage(weft_path *path, way *it, int step, bool r2r, bool *real)
{
    const weft_kind *kind = it->kind[step];
    const weft_kind last = kind[it->problem->axes - 1];
    const weft_layout layout = layout_at(it, step, *real);
    weft_stage *stage = weft_path_add(path, &layout, *real);
    for (int axis = 0; axis < it->problem->axes; axis++)
        if (weft_kind_is_r2r(kind[axis]) == r2r) {
            stage->kind[axis] = kind[axis];
            stage->modes[axis] = kind[axis] == WEFT_KEEP ? 0 : it->problem->modes[axis];
            it->spectral[axis] ^= kind[axis] != WEFT_KEEP;
        }
    if (!r2r && weft_kind_is_halving(last))
        *real = last == WEFT_C2R;
    stage->after = layout_at(it, step, *real);
    stage->real_after = *real;
}

/* Adds the stages of one step. R2r transforms and Fourier transforms take one stage each, with no
 * exchange in between; the r2r transforms run while numbers are real, where there is a choice. A
 * step without transforms gets an empty stage if it->stops. */
static void add_stages(weft_path *path, way *it, int step, bool *real)
{
    bool has[2] = {false}; /* Fourier transforms, r2r transforms */
    for (int axis = 0; axis < it->problem->axes; axis++)
        if (it->kind[step][axis] != WEFT_KEEP)
            has[weft_kind_is_r2r(it->kind[step][axis])] = true;
    if (!has[false] && !has[true] && it->stops) {
        const weft_layout layout = layout_at(it, step, *real);
        weft_path_add(path, &layout, *real);
    }
    const bool first = *real;
    if (has[first])
        add_stage(path, it, step, first, real);
    if (has[!first])
        add_stage(path, it, step, !first, real);
}

/* Whether two layouts give all ranks the same boxes, so that one pass can read one layout and write
 * the other. If ranks have several boxes, a pass takes them as one sequence of points, without
 * enclosing arrays (weft_layout.enclosing) and in the same order of joined axes. */
static bool same_boxes(const weft_layout *a, const weft_layout *b, int ranks)
{
    const bool single = weft_layout_is_single(a);
    if (single != weft_layout_is_single(b) || (!single && (a->enclosing || b->enclosing)) ||
        a->joined != b->joined ||
        memcmp(a->order, b->order, (size_t)a->joined * sizeof *a->order) != 0)
        return false;
    return weft_layout_same_boxes(a, b, ranks);
}

/* Makes the path from the input side to the output side with the transforms of all steps. */
static void follow(way *it, weft_path *path)
{
    const weft_problem_side *from = &it->problem->from, *to = &it->problem->to;
    bool real = from->real;
    share_out(it);
    for (int axis = 0; axis < it->problem->axes; axis++)
        it->spectral[axis] = weft_kind_is_backward(it->problem->kind[axis]);
    path->stages = 0;
    weft_path_add(path, &from->layout, real);
    for (int step = 0; step < it->steps; step++)
        add_stages(path, it, step, &real);
    /* remove the first stage if the next stage has the same boxes */
    if (path->stages > 1 && same_boxes(&from->layout, &path->stage[1].before, it->problem->ranks)) {
        memmove(path->stage, path->stage + 1, sizeof path->stage[0] * (size_t)--path->stages);
        path->stage[0].before = from->layout;
    }
    weft_stage *last = &path->stage[path->stages - 1];
    if (!same_boxes(&to->layout, &last->after, it->problem->ranks))
        last = weft_path_add(path, &to->layout, to->real);
    last->after = to->layout;
    if (!weft_stage_transforms(last) && path->stages > 1)
        last->before = to->layout;
}

/* Whether axes are transformed as late as possible. */
static bool goes_backward(const weft_problem *problem)
{
    return weft_last_kind(problem) == WEFT_C2R ||
           (weft_last_kind(problem) != WEFT_R2C && problem->from.first && !problem->to.first);
}

static bool on_one_rank(const weft_layout *layout)
{
    for (int axis = 0; axis < layout->axes; axis++)
        if (layout->axis[axis].grid_axis >= 0 && layout->axis[axis].block < layout->axis[axis].size)
            return false;
    return !layout->boxes;
}

void weft_path_direct(const weft_problem *problem, weft_path *path)
{
    const bool slabs = problem->grid.axes == 0;
    /* a grid of one rank divides nothing */
    const bool one = on_one_rank(&problem->from.layout) && on_one_rank(&problem->to.layout);
    way it = {.problem = problem, .backward = goes_backward(problem)};
    it.grid = slabs ? (weft_process_grid){1, {one ? 1 : problem->ranks}, 0} : problem->grid;
    it.rule = slabs ? WEFT_BALANCED : problem->from.layout.axis[0].rule;
    path->through = problem->grid;
    /* start with the alignment of the input, or, backward, end with the alignment of the output */
    add_steps(&it, it.backward ? !problem->to.first : problem->from.first);
    follow(&it, path);
}

/* Changes the order of axes for the exchange between slabs and the side aligned along the first
 * axis. The part of a slab for one rank is cut along several axes, so passes cannot write it as a
 * block. Both sides use the same order instead, so that data is copied in long runs. In natural
 * order the axes that are not transformed form one contiguous axis there. */
static void order_slabs(weft_path *path, bool backward)
{
    for (int i = 0; i + 1 < path->stages; i++) {
        weft_stage *slabs = &path->stage[backward ? i + 1 : i],
                   *whole = &path->stage[backward ? i : i + 1];
        weft_layout *here = backward ? &slabs->before : &slabs->after,
                    *there = backward ? &whole->after : &whole->before;
        if (here->axis[0].grid_axis < 0 || there->axis[0].grid_axis >= 0)
            continue;
        for (int axis = 0; axis < there->axes && weft_stage_transforms(whole); axis++)
            there->order[axis] = axis;
        if (weft_stage_transforms(slabs))
            memcpy(here->order, there->order, sizeof here->order);
    }
}

bool weft_path_by_slabs(const weft_problem *problem, weft_path *path)
{
    way it = {.problem = problem,
              .grid = {1, {problem->ranks}, 0},
              .rule = problem->from.layout.axis[0].rule,
              .backward = goes_backward(problem)};
    int dividing = 0;
    for (int g = 0; g < problem->grid.axes; g++)
        dividing += problem->grid.extent[g] > 1;
    if (dividing < 2 || problem->from.first == problem->to.first ||
        it.backward != problem->from.first)
        return false;
    const alignment first = aligned(&problem->grid, true), slabs = aligned(&it.grid, false);
    add_step(&it, it.backward ? first : slabs);
    add_step(&it, it.backward ? slabs : first);
    path->through = it.grid;
    follow(&it, path);
    order_slabs(path, it.backward);
    return true;
}

/* Adds the step with pencils within slabs on the side where the array is aligned along the first
 * axis. Without this step, a transform in natural order would exchange data among all ranks to get
 * from or to the slabs on that side. */
static void stop_within_slabs(way *it)
{
    if (it->steps < 2)
        return;
    const alignment within = it->step[it->backward ? 1 : it->steps - 2];
    if (within.by[0] < 0)
        return;
    it->stops = true;
    if (it->backward)
        memmove(it->step + 1, it->step, sizeof it->step[0] * (size_t)it->steps);
    it->step[it->backward ? 0 : it->steps] = within;
    it->steps++;
}

void weft_path_through(const weft_problem *problem, const weft_process_grid *grid, weft_rule rule,
                       bool back, bool far, weft_path *path)
{
    const weft_kind last = weft_last_kind(problem);
    way it = {.problem = problem, .grid = *grid, .rule = rule};
    it.backward = last == WEFT_C2R || (last != WEFT_R2C && back);
    add_steps(&it, back);
    if (far && !problem->from.first && !problem->to.first)
        stop_within_slabs(&it);
    path->through = *grid;
    follow(&it, path);
}

void weft_path_by_pencils(const weft_problem *problem, const weft_process_grid *pencils, bool far,
                          weft_path *path)
{
    weft_path_through(problem, pencils, WEFT_BALANCED, goes_backward(problem), far, path);
}

/* Adds a step in rows of one order, unless the previous step divides the array in the same way. */
static void add_rows(way *it, int rows)
{
    const weft_problem *problem = it->problem;
    const int *order = orders[problem->axes][rows - 1];
    const alignment *last = it->steps > 0 ? &it->step[it->steps - 1] : NULL;
    alignment at = {.grid = it->grid, .rows = rows};
    weft_layout layout = whole(it, false);
    weft_layout_set_rows(&layout, order, problem->ranks);
    const int divided = layout.joined > 1 ? layout.joined : 1;
    for (int axis = 0; axis < WEFT_MAX_RANK; axis++)
        at.by[axis] = -1;
    for (int i = 0; i < divided; i++)
        at.by[order[i]] = 0;
    if (!last || memcmp(last->by, at.by, sizeof at.by) != 0 ||
        memcmp(orders[problem->axes][last->rows - 1], order, sizeof *order * (size_t)divided) != 0)
        it->step[it->steps++] = at;
}

void weft_path_by_rows(const weft_problem *problem, weft_path *path)
{
    way it = {.problem = problem,
              .grid = {1, {problem->ranks}, 0},
              .rule = WEFT_EVENLY,
              .backward = goes_backward(problem)};
    const bool back = it.backward ? !problem->to.first : problem->from.first;
    for (int i = 0; i < problem->axes; i++)
        add_rows(&it, back ? problem->axes - i : i + 1);
    path->through = (weft_process_grid){0};
    follow(&it, path);
}
