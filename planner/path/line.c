/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A 1-d transform of n = r m numbers is a transform of an r x m array with twiddle factors between
 * the two axes: with index j = j1 m + j2 and frequency k = k1 + r k2,
 *
 *     X[k] = sum over j2 of w_m^(j2 k2) ( w_n^(j2 k1) sum over j1 of w_r^(j1 k1) x[j1 m + j2] ).
 *
 * Axis 0 of the array is j1 before its transform and k1 after it; axis 1 is j2 and then k2.
 * Scrambled orders determine r: one of r and m equals the number of ranks, and the other may be so
 * long that its transform is split once more in the same way.
 */
#include <fftw3.h>
#include "planner/path/path.h"

static ptrdiff_t block_of(const weft_problem_side *side)
{
    return weft_layout_block(&side->layout);
}

/* From this length on, serial FFTW takes several sweeps through memory for one transform. */
enum { TOO_LONG = 1 << 19 };

static ptrdiff_t too_long = TOO_LONG;

void weft_path_set_too_long(ptrdiff_t length)
{
    too_long = length ? length : TOO_LONG;
}

/*
 * An r x m array. One of its axes may be too long for one serial transform. Then the axis becomes
 * an array of first x second numbers: with index j = a second + b and frequency k = c + first d,
 * the axis of a, then c, comes before the axis of b, then d.
 */
typedef struct {
    const weft_problem *problem;
    ptrdiff_t size[2];
    int split; /* the axis that is split; -1: none */
    ptrdiff_t first, second;
} line_matrix;

/* The index in the layout of an axis that is not split, or of the first part of the split axis. */
static int place(const line_matrix *it, int axis)
{
    return axis == 1 && it->split == 0 ? 2 : axis;
}

/* The layout that is divided along one axis, `block` rows on each rank. The divided axis is the
 * slowest in memory. The split axis contains indices, or frequencies if it is `done`. */
static weft_layout rows_of(const line_matrix *it, int divided, ptrdiff_t block, bool done)
{
    const bool split = it->split >= 0, halves = it->split == divided;
    const ptrdiff_t three[2][3] = {{it->first, it->second, it->size[1]},
                                   {it->size[0], it->first, it->second}};
    const int by = place(it, divided) + (halves && done), part = place(it, it->split);
    weft_layout layout;
    weft_layout_init(&layout, split ? 3 : 2, split ? three[it->split] : it->size,
                     it->problem->howmany);
    layout.grid_axes = 1;
    layout.grid[0] = it->problem->ranks;
    layout.axis[by].grid_axis = 0;
    layout.axis[by].rule = block ? WEFT_BLOCKS : WEFT_BALANCED;
    layout.axis[by].block = halves ? block / (done ? it->first : it->second) : block;
    for (int turn = 0, at = 0; turn < 2; turn++) {
        const int axis = turn == 0 ? divided : 1 - divided;
        if (axis == it->split) {
            layout.order[at++] = part + done;
            layout.order[at++] = part + !done;
        } else {
            layout.order[at++] = place(it, axis);
        }
    }
    return layout;
}

/* Splits the longer axis if it is too long, as evenly as the blocks along it allow. */
static void split(line_matrix *it)
{
    const weft_problem *problem = it->problem;
    const int axis = it->size[1] >= it->size[0], other = 1 - axis;
    const ptrdiff_t length = it->size[axis];
    /* blocks that the input and the output impose on the axis; 0: none */
    const ptrdiff_t before =
        (axis == 1) == (problem->from.scrambled > 0) ? block_of(&problem->from) : 0;
    const ptrdiff_t after = (axis == 0) == (problem->to.scrambled > 0) ? block_of(&problem->to) : 0;
    if (length < too_long || weft_little_memory(problem))
        return; /* without a split, the transform can run in place */
    for (ptrdiff_t low = 2; low * low <= length; low++)
        for (int side = 0; length % low == 0 && side < 2; side++) {
            const ptrdiff_t first = side ? length / low : low, second = length / first;
            if (before / it->size[other] % second == 0 && after / it->size[other] % first == 0) {
                it->split = axis;
                it->first = first;
                it->second = second;
            }
        }
    if (it->first > too_long / 2 || it->second > too_long / 2)
        it->split = -1;
}

/* Adds the stages that transform one axis while the array is divided along the other. The stage of
 * the first axis also applies the twiddle factors between the two axes. */
static void transform_axis(weft_path *path, const line_matrix *it, int axis, ptrdiff_t block)
{
    const weft_kind kind = it->problem->kind[0];
    const int sign = kind == WEFT_FORWARD ? -1 : 1, part = place(it, axis);
    weft_layout layout = rows_of(it, 1 - axis, block, axis > it->split);
    weft_stage *stage = weft_path_add(path, &layout, false);
    stage->kind[part] = kind;
    if (it->split == axis) {
        stage->twiddle =
            (weft_twiddle){.n = it->size[axis], .sign = sign, .axis = {part, part + 1}};
        stage = weft_path_add(path, &layout, false);
        stage->kind[part + 1] = kind;
        stage->after = rows_of(it, 1 - axis, block, true);
    }
    if (axis == 1)
        return;
    weft_twiddle between = {.n = it->problem->size[0], .sign = sign, .axis = {0, 1}};
    if (it->split == 0) /* the frequency is c + first d */
        between = (weft_twiddle){between.n, sign, {2, 0}, {0, 0}, it->first, 1};
    else if (it->split == 1) /* the index is a second + b */
        between = (weft_twiddle){between.n, sign, {0, 2}, {0, 0}, it->second, 1};
    stage->twiddle = between;
}

static void transform_as_matrix(const weft_problem *problem, ptrdiff_t r, weft_path *path)
{
    const ptrdiff_t m = problem->size[0] / r;
    const bool one_rank = problem->ranks == 1;
    line_matrix it = {.problem = problem, .size = {r, m}, .split = -1};
    split(&it);
    const weft_layout in = rows_of(&it, 0, block_of(&problem->from) / m, false),
                      out = rows_of(&it, 1, block_of(&problem->to) / r, true);
    if (!problem->from.scrambled && !one_rank)
        weft_path_add(path, &in, false);
    transform_axis(path, &it, 0, problem->from.scrambled ? block_of(&problem->from) / r : 0);
    transform_axis(path, &it, 1, problem->to.scrambled ? block_of(&problem->to) / m : 0);
    if (one_rank) {
        path->stage[0].before = in;
        path->stage[path->stages - 1].after = out;
    } else if (!problem->to.scrambled) {
        weft_path_add(path, &out, false);
    }
}

/* Whether r fits both distributions: the input's blocks must be whole rows of m, the output's whole
 * rows of r. */
static bool fits_rows(const weft_problem *problem, ptrdiff_t r)
{
    const ptrdiff_t m = problem->size[0] / r;
    const ptrdiff_t in_row = problem->from.scrambled ? r : m;
    const ptrdiff_t out_row = problem->to.scrambled ? m : r;
    return block_of(&problem->from) % in_row == 0 && block_of(&problem->to) % out_row == 0;
}

/* Chooses r. A scrambled side determines r. Otherwise, r is the divisor nearest to the square root
 * of n that fits both sides. Returns 0 when there is none. */
static ptrdiff_t choose_r(const weft_problem *problem)
{
    const ptrdiff_t n = problem->size[0];
    if (problem->to.scrambled || problem->from.scrambled)
        return problem->to.scrambled ? problem->to.scrambled : n / problem->from.scrambled;
    ptrdiff_t best = 0;
    double best_distance = 0;
    for (ptrdiff_t low = 1; low * low <= n; low++)
        for (int side = 0; n % low == 0 && side < 2; side++) {
            const ptrdiff_t r = side ? n / low : low;
            const double distance = (double)(n / low) / (double)low;
            if (fits_rows(problem, r) && (!best || distance < best_distance)) {
                best = r;
                best_distance = distance;
            }
        }
    return best;
}

static weft_layout with_howmany(const weft_problem *problem, const weft_layout *line)
{
    const ptrdiff_t size[2] = {problem->size[0], problem->howmany};
    weft_layout layout;
    weft_layout_init(&layout, 2, size, 1);
    layout.grid_axes = line->grid_axes;
    layout.grid[0] = line->grid[0];
    layout.axis[0] = line->axis[0];
    return layout;
}

/* For transforms that cannot be split, which are real transforms and blocks that are not whole
 * rows: each rank computes whole transforms, its share of the howmany. */
static void transform_whole_lines(const weft_problem *problem, weft_path *path)
{
    weft_problem lines = *problem;
    lines.axes = 2;
    lines.size[1] = problem->howmany;
    lines.kind[1] = WEFT_KEEP;
    lines.howmany = 1;
    lines.from.layout = with_howmany(problem, &problem->from.layout);
    lines.to.layout = with_howmany(problem, &problem->to.layout);
    weft_path_direct(&lines, path);
}

/* Whether one rank has the whole line and transforms it by serial FFTW. On one rank, a long line
 * becomes a matrix: for 2^20 numbers that took 0.7 of the time, and planning 0.7 s instead of 6 s.
 */
static bool is_serial(const weft_problem *problem, ptrdiff_t r)
{
    const ptrdiff_t n = problem->size[0];
    if (block_of(&problem->from) < n || block_of(&problem->to) < n || problem->from.scrambled ||
        problem->to.scrambled)
        return false;
    return problem->ranks > 1 || n < too_long || r == 0 || r >= too_long || n / r >= too_long ||
           weft_little_memory(problem);
}

void weft_path_line(const weft_problem *problem, weft_path *path)
{
    const bool scrambled = problem->from.scrambled || problem->to.scrambled;
    const ptrdiff_t r = problem->from.real && !scrambled ? 0 : choose_r(problem);
    path->stages = 0;
    path->through.axes = 0;
    if (is_serial(problem, r))
        weft_path_add(path, &problem->from.layout, problem->from.real)->kind[0] = problem->kind[0];
    else if (r > 0)
        transform_as_matrix(problem, r, path);
    else
        transform_whole_lines(problem, path);
}
