/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses which FFTW plans transform a tile, and between which buffers or arrays. r2c comes first
 * and c2r last; one plan transforms all axes of one direction. Each axis has a separate plan if an
 * axis goes from one buffer to another, or if spectra have other lengths than the grid, so that
 * lines of zeros or of dropped modes are not transformed.
 */
#include "kernels/pass/libfftw3.h"
#include "kernels/pass/sweep.h"

static weft_group *new_group(weft_pass_sweep *sweep, weft_kind kind)
{
    weft_group *group = &sweep->group[sweep->groups++];
    *group = (weft_group){.kind = kind};
    return group;
}

/* Adds the axes of this kind (or all r2r axes) that have no group yet, in the order that FFTW gets:
 * the slowest in the source first. */
static void add_kind(weft_pass_sweep *sweep, weft_kind kind, bool *done)
{
    int order[WEFT_MAX_AXES];
    weft_group *group = NULL;
    weft_side_order(sweep->source, order);
    for (int k = 0; k < sweep->axes; k++) {
        int a = order[k];
        bool same =
            sweep->kind[a] == kind || (weft_kind_is_r2r(kind) && weft_kind_is_r2r(sweep->kind[a]));
        if (done[a] || !same)
            continue;
        if (!group || weft_modes_differ(sweep->axes, sweep->modes))
            group = new_group(sweep, sweep->kind[a]);
        group->axis[group->axes++] = a;
        done[a] = true;
    }
}

/* Whether lines along an axis are contiguous in a buffer ordered like this side. They may not be if
 * another axis grows from one index to several, because the stride of an axis of one index is
 * arbitrary. */
static bool is_innermost(const weft_pass_sweep *sweep, const weft_side *side, int axis)
{
    int order[WEFT_MAX_AXES], k = side->axes - 1;
    for (int a = 0; a < side->axes; a++)
        if (a != axis && side->count[a] == 1 && sweep->modes[a])
            return false;
    weft_side_order(side, order);
    while (order[k] != axis && side->count[order[k]] == 1)
        k--;
    return order[k] == axis;
}

/* Whether rows are transformed in halves. They must fit a tile, so that they are still in the cache
 * when they are folded. */
static bool goes_in_halves(const weft_pass_sweep *sweep, int axis)
{
    return sweep->variant.halves && !sweep->callback && weft_halves_pay(sweep->size[axis]) &&
           (double)sweep->size[axis] * sizeof(weft_real) <= sweep->variant.tile &&
           is_innermost(sweep, sweep->source, axis) && is_innermost(sweep, sweep->target, axis);
}

/* Whether the axis of r2c or c2r is a group and the other axes are another group. With a buffer
 * between the two, FFTW need not search for algorithms without one. */
static bool goes_alone(const weft_pass_sweep *sweep, int axis)
{
    return goes_in_halves(sweep, axis) || weft_modes_differ(sweep->axes, sweep->modes) ||
           sweep->variant.gather || sweep->variant.scatter;
}

/* Whether FFTW transforms a line of this length in one step. */
static bool is_short(ptrdiff_t length)
{
    enum { EVERY = 16, POWERS_OF_2 = 128 };
    return length <= EVERY || length == 20 || length == 25 ||
           (length <= POWERS_OF_2 && (length & (length - 1)) == 0);
}

bool weft_groups_are_short(const weft_pass_sweep *sweep)
{
    for (int a = 0; a < sweep->axes; a++)
        if (sweep->transformed[a] && !is_short(sweep->size[a]))
            return false;
    return true;
}

/* Whether there is one group, of long lines, without r2c, c2r or spectra of another length. */
static bool is_one_group(const weft_pass_sweep *sweep)
{
    const weft_kind kind = sweep->group[0].kind;
    return sweep->groups == 1 && !weft_kind_is_halving(kind) &&
           !weft_modes_differ(sweep->axes, sweep->modes) && !weft_groups_are_short(sweep);
}

/*
 * Whether the last axis goes to another buffer, in which its lines are contiguous. A good FFTW plan
 * would copy the lines there and back; here scattering copies them back. Lines of 48, 90, 100, 120,
 * 256, 1024 numbers that are side by side take (ns per number):
 *
 *     estimated     to another buffer 1.11, 2.77, 1.78, 1.59, 2.65, 3.19   in place 1.79 to 25.6
 *     all effort    to another buffer 0.83, 1.14, 1.07, 1.05, 1.36, 1.82   in place 1.17 to 1.95
 *
 * with half the planning time. Short lines stay side by side: turned, arrays of 12^3, 20^3 and 25^3
 * take 1.05 to 1.3 times as long, because copies of turned lines take longer. r2r, for which FFTW
 * has no vectors, is 5 % slower turned. With twiddle factors the lines stay side by side, because
 * factors are multiplied along the lines of the target. If there are several axes, the first goes
 * to a third buffer:
 *
 *     c2c    first --an axis--> middle --other axes--> middle --the last of them--> second, turned
 *
 * Rows of 48, 90, 100, 120, 256, 1024 then take 1.02, 2.22, 1.23, 1.47, 1.23, 1.43 ns per number,
 * planned in 0.3 to 7 ms; in place they take 1.21, 2.36, 1.47, 1.71, 1.49, 2.23, planned in 2 to 12
 * ms.
 */
static bool turns(const weft_pass_sweep *sweep)
{
    const bool points = !sweep->callback || sweep->spec->point_axes == sweep->axes;
    return is_one_group(sweep) && !weft_kind_is_r2r(sweep->group[0].kind) && points &&
           sweep->variant.scatter && !sweep->factors;
}

/* Whether there is a third buffer: only if a tile of the wanted size has all axes of the group.
 * Larger tiles leave no space in the cache for a third buffer. */
static bool has_middle(const weft_pass_sweep *sweep)
{
    const weft_group *group = &sweep->group[0];
    double bytes = (double)sweep->source->element;
    for (int k = 0; k < group->axes; k++)
        bytes *= (double)sweep->size[group->axis[k]];
    return group->axes > 1 && bytes <= sweep->variant.tile;
}

/*
 * The group of the axes other than the axis of r2c or c2r, if one of them goes through the third
 * buffer; negative: none does.
 *
 *     r2c    first --rows--> middle --other axes--> middle --the last of them--> second, turned
 *     c2r    first --an axis--> middle --other axes--> middle --rows--> second
 *
 * Lines of 90, 100, 120, 256 numbers take 1.64, 1.19, 1.21, 1.39 ns per number if they become
 * contiguous, 1.53, 1.32, 1.32, 1.53 if they stay side by side, and 2.04, 1.63, 2.14, 1.87 in
 * place. For c2r they stay side by side: gathering would have to make them contiguous, which takes
 * as long as it saves.
 */
static int columns_of(const weft_pass_sweep *sweep)
{
    if (sweep->groups != 2 || sweep->factors || weft_modes_differ(sweep->axes, sweep->modes) ||
        !(sweep->variant.gather || sweep->variant.scatter))
        return -1;
    const int g = sweep->group[0].kind == WEFT_R2C ? 1 : 0;
    const weft_group *rows = &sweep->group[1 - g], *columns = &sweep->group[g];
    bool all_short = true;
    for (int k = 0; k < columns->axes; k++)
        all_short = all_short && is_short(sweep->size[columns->axis[k]]);
    return !all_short && weft_kind_is_halving(rows->kind) ? g : -1;
}

/* Whether groups go from one buffer to another: estimated plans are faster then than in place. */
static bool goes_apart(const weft_pass_sweep *sweep)
{
    return is_one_group(sweep) && sweep->variant.gather && sweep->variant.scatter &&
           weft_effort_is_estimate(sweep);
}

/* Makes a separate group of each axis of group g. The axis that is slowest in the source goes from
 * one buffer to another: its group becomes the first of all, or the last. */
static void divide_group(weft_pass_sweep *sweep, int g)
{
    const weft_group whole = sweep->group[g];
    const int more = whole.axes - 1;
    const bool first = g < sweep->groups - 1;
    for (int h = sweep->groups - 1; h > g; h--)
        sweep->group[h + more] = sweep->group[h];
    for (int k = 0; k <= more; k++) {
        const int axis = whole.axis[first ? k : more - k];
        sweep->group[g + k] = (weft_group){.kind = sweep->kind[axis], .axes = 1, .axis = {axis}};
    }
    sweep->groups += more;
    sweep->apart = first ? 0 : sweep->groups - 1;
}

/* Adds the axis of r2c or c2r, in one group with the axes of kind `others` unless it has a group by
 * itself. */
static void add_halving(weft_pass_sweep *sweep, weft_kind halving, weft_kind others, bool *done)
{
    const int axis = weft_axis_of_kind(sweep->axes, sweep->kind, halving);
    if (axis < 0)
        return;
    const int before = sweep->groups;
    if (!goes_alone(sweep, axis))
        add_kind(sweep, others, done);
    weft_group *group = sweep->groups > before ? &sweep->group[before] : new_group(sweep, halving);
    group->kind = halving;
    group->axis[group->axes++] = axis;
    group->in_halves = goes_in_halves(sweep, axis);
    done[axis] = true;
}

/* Whether FFTW would overwrite a source that must not change, as it does for c2r along several
 * axes. */
static bool destroys_source(const weft_pass_sweep *sweep)
{
    const weft_group *first = &sweep->group[0];
    return first->from == WEFT_AT_SOURCE && first->kind == WEFT_C2R && first->axes > 1 &&
           !sweep->may_destroy && !sweep->in_place;
}

/* Whether the axes before a c2r with its own group are transformed in place in the source, as FFTW
 * itself would do it. A spectrum of another length may not fit there. */
static bool stays_in_source(const weft_pass_sweep *sweep)
{
    const weft_group *last = &sweep->group[sweep->groups - 1];
    return last->kind == WEFT_C2R && last->axes == 1 && (sweep->may_destroy || sweep->in_place) &&
           !weft_modes_differ(sweep->axes, sweep->modes);
}

static void place_groups(weft_pass_sweep *sweep)
{
    const weft_at second = weft_has_one_buffer(sweep) ? WEFT_AT_FIRST : WEFT_AT_SECOND;
    weft_at at = sweep->variant.gather ? WEFT_AT_FIRST : WEFT_AT_SOURCE;
    for (int g = 0; g < sweep->groups; g++) {
        weft_group *group = &sweep->group[g];
        const bool rows_first = group->kind == WEFT_R2C && group->axes == 1 && !sweep->middle &&
                                !weft_modes_differ(sweep->axes, sweep->modes);
        const bool last = g == sweep->groups - 1, halving = weft_kind_is_halving(group->kind);
        group->from = at;
        if (sweep->middle && g == 0)
            at = WEFT_AT_MIDDLE;
        else if (sweep->middle ? last : halving || g == sweep->apart)
            at = second;
        else if (at == WEFT_AT_SOURCE && !stays_in_source(sweep))
            at = WEFT_AT_FIRST;
        if ((last || rows_first) && !sweep->variant.scatter)
            at = WEFT_AT_TARGET;
        group->to = at;
    }
}

/* Whether FFTW can work on a side directly: a tile is in one block, with the lengths of the grid,
 * and no stride is negative (some versions of FFTW's planner hang on negative strides). */
static bool is_plain(const weft_pass_sweep *sweep, const weft_side *side)
{
    if (weft_tile_reaches_all_blocks(sweep, side))
        return false;
    for (int a = 0; a < side->axes; a++)
        if (sweep->modes[a] &&
            side == (weft_kind_is_forward(sweep->kind[a]) ? sweep->target : sweep->source))
            return false;
    for (int p = 0; p < side->blocks; p++)
        for (int a = 0; a < side->axes; a++)
            if (side->block[p].like == p && side->count[a] > 1 && side->block[p].stride[a] <= 0)
                return false;
    return true;
}

bool weft_tiles_aligned(const weft_side *side, const bool *within)
{
    const ptrdiff_t element = (ptrdiff_t)side->element;
    bool aligned = true;
    for (int p = 0; p < side->blocks && aligned; p++) {
        aligned = weft_fft_aligned(side->block[p].offset * element) &&
                  weft_fft_aligned(side->block[p].offset_step * element);
        for (int a = 0; side->block[p].like == p && a < side->axes; a++)
            if (!within[a] && side->count[a] > 1)
                aligned = aligned && weft_fft_aligned(side->block[p].stride[a] * element);
    }
    return aligned;
}

/* Whether FFTW can work on rows of real numbers directly. Unaligned rows take twice as long;
 * copying them to aligned memory takes less. */
static bool rows_fit(const weft_pass_sweep *sweep, const weft_side *side, int axis)
{
    bool within[WEFT_MAX_AXES] = {false}, contiguous = true;
    within[axis] = true;
    for (int p = 0; p < side->blocks; p++)
        contiguous = contiguous && side->block[p].stride[axis] == 1;
    return contiguous && !(sweep->spec->fftw_flags & FFTW_UNALIGNED) &&
           weft_tiles_aligned(side, within);
}

/* Makes the sweep gather or scatter where FFTW cannot work on the rows directly. */
static void gather_rows(weft_pass_sweep *sweep)
{
    for (int g = 0; g < sweep->groups; g++) {
        const weft_group *group = &sweep->group[g];
        if (!group->in_halves)
            continue;
        if (!rows_fit(sweep, sweep->source, group->axis[0]))
            sweep->variant.gather = true;
        if (!rows_fit(sweep, sweep->target, group->axis[0]))
            sweep->variant.scatter = true;
    }
}

/* Adds the group that transforms back after the callback, which works in the buffer between the two
 * groups. */
static void add_inverse(weft_pass_sweep *sweep)
{
    weft_group *forward = &sweep->group[0], *inverse = &sweep->group[1];
    if (forward->to == WEFT_AT_TARGET)
        forward->to = weft_has_one_buffer(sweep) ? WEFT_AT_FIRST : WEFT_AT_SECOND;
    if (sweep->only_reads)
        return;
    *inverse = *forward;
    inverse->inverse = true;
    inverse->kind = weft_kind_inverse(forward->kind);
    inverse->from = forward->to;
    inverse->to = sweep->variant.scatter ? WEFT_AT_FIRST : WEFT_AT_TARGET;
    sweep->groups = 2;
}

void weft_groups_choose(weft_pass_sweep *sweep)
{
    bool done[WEFT_MAX_AXES] = {false};
    weft_variant *variant = &sweep->variant;
    sweep->groups = 0;
    sweep->apart = -1;
    sweep->turned = sweep->middle = false;
    const bool relocates = sweep->in_place && weft_sides_differ(sweep->source, sweep->target);
    const bool resizes = sweep->callback && weft_modes_differ(sweep->axes, sweep->modes);
    variant->gather = variant->gather || relocates || resizes || !is_plain(sweep, sweep->source);
    variant->scatter = variant->scatter || relocates || resizes || sweep->only_reads ||
                       !is_plain(sweep, sweep->target);
    add_halving(sweep, WEFT_R2C, WEFT_FORWARD, done);
    const int last = weft_axis_of_kind(sweep->axes, sweep->kind, WEFT_C2R);
    if (last < 0 || goes_alone(sweep, last))
        add_kind(sweep, WEFT_BACKWARD, done);
    add_kind(sweep, WEFT_FORWARD, done);
    add_halving(sweep, WEFT_C2R, WEFT_BACKWARD, done);
    add_kind(sweep, WEFT_R2HC, done);
    variant->halves = false; /* true only if a group uses halves */
    for (int g = 0; g < sweep->groups; g++)
        variant->halves = variant->halves || sweep->group[g].in_halves;
    if (sweep->groups == 0) {
        variant->gather = sweep->factors || sweep->callback;
        variant->scatter = variant->gather && !sweep->only_reads;
        return;
    }
    gather_rows(sweep);
    const int columns = columns_of(sweep);
    sweep->turned = columns < 0 ? turns(sweep) : columns > 0 && variant->scatter;
    sweep->middle = columns >= 0 || (sweep->turned && has_middle(sweep));
    if (sweep->turned || sweep->middle)
        divide_group(sweep, columns < 0 ? 0 : columns);
    else if (goes_apart(sweep) || sweep->second != sweep->target->element)
        sweep->apart = 0;
    place_groups(sweep);
    if (destroys_source(sweep)) {
        variant->gather = true;
        place_groups(sweep);
    }
    if (sweep->callback)
        add_inverse(sweep);
    variant->scatter = variant->scatter && !sweep->only_reads;
}
