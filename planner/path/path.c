/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chains of slab problems. An array of two and more dimensions is divided along its first or second
 * axis: the stages alternate between the two, and each transforms what it has whole. One exchange
 * is enough when input and output are divided along different axes (transposed output or input);
 * else a second one brings the array back. A 1-d transform is one of an array of r x m, see
 * chain-line.c.
 */
#include "planner/path/path.h"
#include "kernels/base/error.h"

bool weft_stage_transforms(const weft_stage *stage)
{
    for (int axis = 0; axis < stage->before.axes; axis++)
        if (stage->kind[axis] != WEFT_KEEP)
            return true;
    return stage->twiddle.n > 0;
}

/* The layout of the array divided along one of its first two axes, which lies slowest. */
static weft_layout slab(const weft_problem *problem, int divided, ptrdiff_t block, bool real_side)
{
    const int axes = problem->axes;
    const bool mixed = weft_last_kind(problem) == WEFT_R2C || weft_last_kind(problem) == WEFT_C2R;
    const ptrdiff_t complex_last = problem->size[axes - 1] / 2 + 1;
    weft_layout layout;
    weft_layout_init(&layout, axes, problem->size, problem->howmany);
    if (mixed && real_side)
        layout.padded = 2 * complex_last;
    else if (mixed)
        layout.axis[axes - 1].size = complex_last;
    layout.grid_axes = 1;
    layout.grid[0] = problem->ranks;
    layout.axis[divided].grid_axis = 0;
    layout.axis[divided].rule = block ? WEFT_BLOCKS : WEFT_BALANCED;
    layout.axis[divided].block = block;
    if (divided == 1) {
        layout.order[0] = 1;
        layout.order[1] = 0;
    }
    return layout;
}

weft_stage *weft_path_add(weft_path *path, const weft_layout *layout, bool real)
{
    weft_stage *stage = &path->stage[path->stages++];
    *stage =
        (weft_stage){.before = *layout, .after = *layout, .real_before = real, .real_after = real};
    return stage;
}

static ptrdiff_t divided_size(const weft_layout *layout)
{
    for (int axis = 0; axis < layout->axes; axis++)
        if (layout->axis[axis].grid_axis == 0)
            return layout->axis[axis].size;
    return 0;
}

/* One rank has everything before and after: no division, all axes in one stage. */
static bool all_on_one_rank(const weft_layout *in, const weft_layout *out,
                            const weft_problem *problem)
{
    return problem->in_block >= divided_size(in) && problem->out_block >= divided_size(out);
}

static void transform(weft_stage *stage, const weft_problem *problem, int axis)
{
    stage->kind[axis] = problem->kind[axis];
}

/*
 * Which stage transforms what. The stage divided along axis 0 takes all other axes, for they lie
 * together there; the one divided along axis 1 takes axis 0. But r2c must come first and c2r last,
 * and take with them the axes that would otherwise wait for them.
 */
static void share_out(weft_path *path, const weft_problem *problem, const int *divided)
{
    const int last_stage = path->stages - 1, last_axis = problem->axes - 1;
    for (int axis = 0; axis <= last_axis; axis++) {
        int at = 0;
        if (axis <= 1)
            while (divided[at] == axis ||
                   (axis == last_axis && weft_last_kind(problem) == WEFT_C2R && at < last_stage))
                at++;
        else if (weft_last_kind(problem) == WEFT_C2R)
            at = last_stage;
        else if (weft_last_kind(problem) != WEFT_R2C && divided[0] == 1 && path->stages == 2)
            at = 1;
        transform(&path->stage[at], problem, axis);
    }
    /* Back where it began: of c2r the first stage has nothing to do, so that the last can do all at
     * once. */
    if (path->stages == 3 && weft_last_kind(problem) == WEFT_C2R)
        for (int axis = 0; axis <= last_axis; axis++)
            if (path->stage[0].kind[axis] != WEFT_KEEP) {
                path->stage[0].kind[axis] = WEFT_KEEP;
                transform(&path->stage[2], problem, axis);
            }
}

/* Sizes and kinds of numbers on both sides of the stages, once it is known where r2c or c2r
 * happens. */
static void set_sides(weft_path *path, const weft_problem *problem, const int *divided,
                      const ptrdiff_t *block)
{
    const int last_axis = problem->axes - 1;
    bool real = problem->real || weft_last_kind(problem) == WEFT_R2C;
    for (int i = 0; i < path->stages; i++) {
        weft_stage *stage = &path->stage[i];
        stage->real_before = real;
        stage->before = slab(problem, divided[i], block[i], real);
        if (stage->kind[last_axis] == WEFT_R2C)
            real = false;
        else if (stage->kind[last_axis] == WEFT_C2R)
            real = true;
        stage->real_after = real;
        stage->after = slab(problem, divided[i], block[i], real);
    }
}

static bool path_multidimensional(const weft_problem *problem, weft_path *path)
{
    const int from = problem->transposed_in, to = problem->transposed_out;
    const bool real_in = problem->real || weft_last_kind(problem) == WEFT_R2C;
    const bool real_out = problem->real || weft_last_kind(problem) == WEFT_C2R;
    const weft_layout in = slab(problem, from, problem->in_block, real_in);
    const weft_layout out = slab(problem, to, problem->out_block, real_out);
    if (problem->axes == 2 && ((weft_last_kind(problem) == WEFT_R2C && from == 1) ||
                               (weft_last_kind(problem) == WEFT_C2R && to == 1))) {
        weft_error("the real side of a 2-d r2c or c2r transform cannot be transposed");
        return false;
    }
    path->stages = 0;
    if (all_on_one_rank(&in, &out, problem)) {
        weft_stage *stage = weft_path_add(path, &in, real_in);
        stage->after = out;
        stage->real_after = real_out;
        for (int axis = 0; axis < problem->axes; axis++)
            transform(stage, problem, axis);
        return true;
    }
    const int divided[3] = {from, 1 - from, to};
    const ptrdiff_t block[3] = {problem->in_block, from == to ? 0 : problem->out_block,
                                problem->out_block};
    const int stages = from == to ? 3 : 2;
    while (path->stages < stages)
        weft_path_add(path, &in, real_in);
    share_out(path, problem, divided);
    set_sides(path, problem, divided, block);
    return true;
}

static bool path_transpose(const weft_problem *problem, weft_path *path)
{
    weft_layout in = slab(problem, 0, problem->in_block, true);
    weft_layout out = slab(problem, 1, problem->out_block, true);
    if (problem->transposed_in) {
        in.order[0] = 1;
        in.order[1] = 0;
    }
    if (problem->transposed_out) {
        out.order[0] = 0;
        out.order[1] = 1;
    }
    path->stages = 0;
    weft_path_add(path, &in, true);
    weft_path_add(path, &out, true);
    return true;
}

/* Whether r x m rows fit both distributions: whole rows of m in the input, of r in the output. */
static bool splits(const weft_problem *problem, ptrdiff_t r)
{
    const ptrdiff_t m = problem->size[0] / r;
    const ptrdiff_t in_row = problem->scrambled_in ? r : m;
    const ptrdiff_t out_row = problem->scrambled_out ? m : r;
    return problem->in_block % in_row == 0 && problem->out_block % out_row == 0;
}

/* r: given by a scrambled side, else of those that split both sides the one nearest to the square
 * root. */
static ptrdiff_t choose_r(const weft_problem *problem)
{
    const ptrdiff_t n = problem->size[0];
    if (problem->scrambled_out || problem->scrambled_in) {
        const ptrdiff_t r =
            problem->scrambled_out ? problem->scrambled_out : n / problem->scrambled_in;
        return splits(problem, r) ? r : 0;
    }
    ptrdiff_t best = 0;
    double best_distance = 0;
    for (ptrdiff_t low = 1; low * low <= n; low++)
        for (int side = 0; n % low == 0 && side < 2; side++) {
            const ptrdiff_t r = side ? n / low : low;
            const double distance = (double)(n / low) / (double)low;
            if (splits(problem, r) && (!best || distance < best_distance)) {
                best = r;
                best_distance = distance;
            }
        }
    return best;
}

/* What cannot be taken apart, real transforms and blocks that are no rows: each rank does whole
 * transforms of its share of the howmany. */
static bool path_whole_lines(const weft_problem *problem, weft_path *path)
{
    weft_problem lines = *problem;
    lines.axes = 2;
    lines.size[1] = problem->howmany;
    lines.kind[1] = WEFT_KEEP;
    lines.howmany = 1;
    return path_multidimensional(&lines, path);
}

static bool path_one_dimensional(const weft_problem *problem, weft_path *path)
{
    const ptrdiff_t n = problem->size[0];
    path->stages = 0;
    if (problem->in_block >= n && problem->out_block >= n && !problem->scrambled_in &&
        !problem->scrambled_out) {
        weft_layout layout = slab(problem, 0, problem->in_block, problem->real);
        transform(weft_path_add(path, &layout, problem->real), problem, 0);
        return true;
    }
    const bool scrambled = problem->scrambled_in || problem->scrambled_out;
    const ptrdiff_t r = problem->real && !scrambled ? 0 : choose_r(problem);
    if (r == 0 && !scrambled)
        return path_whole_lines(problem, path);
    if (r == 0) {
        weft_error("no scrambled transform of %td numbers for this distribution", n);
        return false;
    }
    weft_path_line(problem, r, path);
    return true;
}

bool weft_path_slab(const weft_problem *problem, weft_path *path)
{
    path->through.axes = 0;
    if (problem->task == WEFT_TRANSPOSE)
        return path_transpose(problem, path);
    if (problem->axes == 1)
        return path_one_dimensional(problem, path);
    return path_multidimensional(problem, path);
}

bool weft_path_redistribute(const weft_problem *problem, weft_path *path)
{
    path->through.axes = 0;
    path->stages = 0;
    weft_path_add(path, problem->from, true);
    weft_path_add(path, problem->to, true);
    return true;
}
