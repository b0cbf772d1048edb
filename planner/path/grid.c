/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chains on process grids. Dimension i of the grid divides axis i; the array is transformed along
 * the axes that are whole, then dimension g - 1 lets go of axis g - 1 and takes axis g instead, an
 * exchange among the ranks of that dimension only; and so on down to dimension 0, until axis 0 is
 * whole, too. That is the way from the side aligned along the last axis to the one aligned along
 * the first; backward transforms go it the other way round. (L. Dalcin, M. Mortensen, D. Keyes:
 * Fast parallel multidimensional FFT using advanced MPI.)
 *
 * A way is a row of divisions. Dimensions of one rank divide nothing, so divisions that differ only
 * in what these do are one. An axis is transformed at the first division in which it is whole on
 * the way forward, at the last on the way back: r2c comes first, c2r last. What transforms nothing
 * is left out, for one exchange can be between any two layouts.
 *
 * On one node there is a shorter way, because each division costs a sweep: all ranks together take
 * slabs of axis 0, from which one exchange leads to the side aligned along the first axis.
 */
#include <string.h>
#include "planner/path/path.h"
#include "kernels/base/error.h"

/* The dimension of a grid that divides each axis; -1: none. */
typedef struct {
    weft_process_grid process_grid;
    int by[WEFT_MAX_RANK];
} cut;

typedef struct {
    const weft_problem *problem;
    weft_process_grid process_grid;
    weft_rule rule;
    int steps;
    cut step[2 * WEFT_MAX_RANK];
    weft_kind kind[2 * WEFT_MAX_RANK][WEFT_MAX_AXES]; /* what is transformed at each */
    bool backward;
} way;

static bool is_r2r(weft_kind kind)
{
    return kind >= WEFT_R2HC;
}

/* The numbers of a side, before and after all transforms. */
static bool real_side(const weft_problem *problem, bool out)
{
    return problem->real || weft_last_kind(problem) == (out ? WEFT_C2R : WEFT_R2C);
}

/* Each dimension of the grid divides the axis of its number, or with `first` the one after it. */
static cut aligned(const weft_process_grid *process_grid, bool first)
{
    cut made = {.process_grid = *process_grid};
    for (int axis = 0; axis < WEFT_MAX_RANK; axis++)
        made.by[axis] = -1;
    for (int g = 0; g < process_grid->axes; g++)
        if (process_grid->extent[g] > 1)
            made.by[first ? g + 1 : g] = g;
    return made;
}

static weft_layout divided(const way *it, const cut *division, bool real)
{
    const weft_problem *problem = it->problem;
    const int axes = problem->axes;
    weft_layout layout;
    weft_layout_init(&layout, axes, problem->size, problem->howmany);
    if (!real && (weft_last_kind(problem) == WEFT_R2C || weft_last_kind(problem) == WEFT_C2R))
        layout.axis[axes - 1].size = problem->size[axes - 1] / 2 + 1;
    layout.grid_axes = division->process_grid.axes;
    for (int g = 0; g < division->process_grid.axes; g++)
        layout.grid[g] = division->process_grid.extent[g];
    for (int axis = 0; axis < axes; axis++) {
        layout.axis[axis].grid_axis = division->by[axis];
        layout.axis[axis].rule = it->rule;
    }
    return layout;
}

/* Between exchanges the divided axes lie slowest, so that what goes to or comes from one rank lies
 * together; but the last axis stays the fastest, so that rows are long. */
static void order_inside(weft_layout *layout, const cut *division)
{
    const int last = layout->axes - 1;
    int place = 0;
    for (int turn = 0; turn < 2; turn++)
        for (int axis = 0; axis <= last; axis++) {
            const bool slow = division->by[axis] >= 0 && (axis < last || layout->axes == 2);
            if (slow == (turn == 0))
                layout->order[place++] = axis;
        }
}

static way way_of(const weft_problem *problem)
{
    return (way){.problem = problem, .process_grid = problem->grid, .rule = problem->rule};
}

void weft_grid_side(const weft_problem *problem, bool out, weft_layout *layout)
{
    const bool first = out ? problem->first_out : problem->first_in;
    const bool transposed = out ? problem->transposed_out : problem->transposed_in;
    const bool real = real_side(problem, out);
    const way it = way_of(problem);
    const cut division = aligned(&problem->grid, first);
    *layout = divided(&it, &division, real);
    if (real && !problem->real && !problem->unpadded)
        layout->padded = 2 * (problem->size[problem->axes - 1] / 2 + 1);
    if (first && transposed) {
        const int whole = problem->grid.axes; /* the place of axis 0 */
        for (int i = 0; i < whole; i++)
            layout->order[i] = i + 1;
        layout->order[whole] = 0;
    }
}

static void add_step(way *it, cut division)
{
    if (it->steps == 0 || memcmp(&it->step[it->steps - 1], &division, sizeof division) != 0)
        it->step[it->steps++] = division;
}

/* From the alignment along the last axis to that along the first, or back. */
static void go(way *it, bool back)
{
    const int dimensions = it->process_grid.axes;
    cut now = aligned(&it->process_grid, back);
    add_step(it, now);
    for (int i = 0; i < dimensions; i++) {
        const int g = back ? i : dimensions - 1 - i;
        if (it->process_grid.extent[g] == 1)
            continue;
        now.by[back ? g + 1 : g] = -1;
        now.by[back ? g : g + 1] = g;
        add_step(it, now);
    }
}

/* The transforms of steps `from` up to `until`. */
static void share_out(way *it, int from, int until)
{
    for (int axis = 0; axis < it->problem->axes; axis++) {
        int at = it->backward ? until - 1 : from;
        while (it->step[at].by[axis] >= 0)
            at += it->backward ? -1 : 1;
        it->kind[at][axis] = it->problem->kind[axis];
    }
}

/* Adds the stage of one step and one sort of transforms. */
static void add_sort(weft_path *path, const way *it, int step, bool r2r, bool *real)
{
    const weft_kind *kind = it->kind[step];
    const weft_kind last = kind[it->problem->axes - 1];
    weft_layout layout = divided(it, &it->step[step], *real);
    order_inside(&layout, &it->step[step]);
    weft_stage *stage = weft_path_add(path, &layout, *real);
    for (int axis = 0; axis < it->problem->axes; axis++)
        if (is_r2r(kind[axis]) == r2r)
            stage->kind[axis] = kind[axis];
    if (!r2r && (last == WEFT_R2C || last == WEFT_C2R)) {
        *real = last == WEFT_C2R;
        stage->after = divided(it, &it->step[step], *real);
        order_inside(&stage->after, &it->step[step]);
        stage->real_after = *real;
    }
}

/* Real transforms and Fourier transforms take a stage each, with no exchange in between; the real
 * ones are done while numbers are real, if there is a choice. */
static void add_stages(weft_path *path, const way *it, int step, bool *real)
{
    int r2r = 0, fourier = 0;
    for (int axis = 0; axis < it->problem->axes; axis++) {
        r2r += is_r2r(it->kind[step][axis]);
        fourier += it->kind[step][axis] != WEFT_KEEP && !is_r2r(it->kind[step][axis]);
    }
    const bool r2r_first = *real;
    for (int turn = 0; turn < 2; turn++)
        if ((turn == 0) == r2r_first ? r2r > 0 : fourier > 0)
            add_sort(path, it, step, (turn == 0) == r2r_first, real);
}

/* Whether two layouts give all ranks the same boxes. */
static bool same_boxes(const weft_layout *a, const weft_layout *b)
{
    weft_layout x = *a, y = *b;
    for (int axis = 0; axis < x.axes; axis++)
        x.order[axis] = y.order[axis] = axis;
    x.padded = y.padded = 0;
    return weft_layout_same(&x, &y);
}

/* The chain from `in` to `out` with the transforms of all steps in between. */
static void make_path(const way *it, const weft_layout *in, const weft_layout *out, weft_path *path)
{
    const bool real_in = real_side(it->problem, false), real_out = real_side(it->problem, true);
    bool real = real_in;
    path->through = it->process_grid;
    path->stages = 0;
    weft_path_add(path, in, real_in);
    for (int step = 0; step < it->steps; step++)
        add_stages(path, it, step, &real);
    /* the first stage of its own is not needed where the next one holds the same */
    if (path->stages > 1 && same_boxes(in, &path->stage[1].before)) {
        memmove(path->stage, path->stage + 1, sizeof path->stage[0] * (size_t)(path->stages - 1));
        path->stages--;
        path->stage[0].before = *in;
    }
    weft_stage *last = &path->stage[path->stages - 1];
    if (!same_boxes(out, &last->after))
        last = weft_path_add(path, out, real_out);
    last->after = *out;
    if (!weft_stage_transforms(last) && path->stages > 1)
        last->before = *out;
}

static bool goes_backward(const weft_problem *problem)
{
    return problem->first_in || (weft_last_kind(problem) == WEFT_C2R && !problem->first_out);
}

/* The chain along the steps of a way, from what the caller holds to what he gets. */
static void follow(way *it, weft_path *path)
{
    weft_layout in, out;
    weft_grid_side(it->problem, false, &in);
    weft_grid_side(it->problem, true, &out);
    share_out(it, 0, it->steps);
    make_path(it, &in, &out, path);
}

bool weft_path_grid(const weft_problem *problem, weft_path *path)
{
    way it = way_of(problem);
    it.backward = goes_backward(problem);
    if (weft_last_kind(problem) == (it.backward ? WEFT_R2C : WEFT_C2R)) {
        weft_error("the real side of r2c and c2r transforms is aligned along the last axis");
        return false;
    }
    go(&it, it.backward);
    follow(&it, path);
    return true;
}

/* Between slabs and the side aligned along the first axis, parts of the slabs are cut along several
 * axes: they are not in blocks, but can lie as the other side does. There, in natural order, axes
 * that are not transformed lie as one. */
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

bool weft_path_grid_slabs(const weft_problem *problem, weft_path *path)
{
    way it = way_of(problem);
    int dividing = 0;
    for (int g = 0; g < it.process_grid.axes; g++)
        dividing += it.process_grid.extent[g] > 1;
    it.backward = goes_backward(problem);
    if (dividing < 2 || problem->first_in == problem->first_out || it.backward != problem->first_in)
        return false;
    const cut first = aligned(&it.process_grid, true);
    it.process_grid = (weft_process_grid){1, {problem->ranks}};
    add_step(&it, it.backward ? first : aligned(&it.process_grid, false));
    add_step(&it, it.backward ? aligned(&it.process_grid, false) : first);
    follow(&it, path);
    order_slabs(path, it.backward);
    return true;
}

bool weft_path_between(const weft_problem *problem, const weft_process_grid *process_grid,
                       weft_path *path)
{
    weft_path slabs;
    way it = {.problem = problem,
              .process_grid = *process_grid,
              .rule = WEFT_BALANCED,
              .backward = weft_last_kind(problem) == WEFT_C2R};
    if (problem->task != WEFT_TRANSFORM || problem->axes < 3 ||
        process_grid->axes >= problem->axes) {
        weft_error("pencils between slabs need a transform of three axes or more");
        return false;
    }
    if (!weft_path_slab(problem, &slabs))
        return false;
    go(&it, it.backward);
    share_out(&it, 0, it.steps);
    make_path(&it, &slabs.stage[0].before, &slabs.stage[slabs.stages - 1].after, path);
    return true;
}
