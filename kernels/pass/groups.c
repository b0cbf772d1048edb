/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which FFTW plans transform a tile, and between which memories: r2c first, c2r last, one plan for
 * all axes of one direction; but one for each axis where an axis goes from one buffer to another,
 * or spectra have other lengths, so that lines of zeros, or of modes that are not kept, are not
 * transformed.
 */
#include "kernels/pass/fft.h"
#include "kernels/pass/halves.h"
#include "kernels/pass/modes.h"

static bool is_real_kind(weft_kind kind)
{
    return kind >= WEFT_R2HC;
}

static bool is_forward(weft_kind kind)
{
    return kind == WEFT_FORWARD || kind == WEFT_R2C;
}

static weft_group *new_group(weft_sweep *sweep, weft_kind kind)
{
    weft_group *group = &sweep->group[sweep->groups++];
    *group = (weft_group){.kind = kind};
    return group;
}

/* Axes of this kind, or all r2r ones, that are still to be transformed, slowest in the source
 * first, as FFTW is given them. */
static void add_kind(weft_sweep *sweep, weft_kind kind, bool *done)
{
    int order[WEFT_MAX_AXES];
    weft_group *group = NULL;
    weft_side_order(&sweep->source, order);
    for (int k = 0; k < sweep->axes; k++) {
        int a = order[k];
        bool same = sweep->kind[a] == kind || (is_real_kind(kind) && is_real_kind(sweep->kind[a]));
        if (done[a] || !same)
            continue;
        if (!group || weft_modes_differ(sweep))
            group = new_group(sweep, sweep->kind[a]);
        group->axis[group->axes++] = a;
        done[a] = true;
    }
}

/* Asked for many rows of these lengths, FFTW takes them in one piece as long as it does not time
 * every way there is, which is up to twice as slow; asked for a single one, it finds the best in
 * little time. */
static bool best_in_rows(const weft_sweep *sweep, int axis)
{
    return weft_fft_is_quick(sweep) && (sweep->size[axis] == 64 || sweep->size[axis] == 128);
}

/* Whether numbers along an axis lie one after another in a buffer ordered like this side; not where
 * of another axis a single index grows to several, for its step is any. */
static bool innermost(const weft_sweep *sweep, const weft_side *side, int axis)
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

/* Rows that fit a tile, so that they are still in the cache when they are folded. */
static bool goes_in_halves(const weft_sweep *sweep, int axis)
{
    return sweep->choice.halves && weft_halves_pay(sweep->size[axis]) &&
           (double)sweep->size[axis] * sizeof(weft_real) <= sweep->choice.tile &&
           innermost(sweep, &sweep->source, axis) && innermost(sweep, &sweep->target, axis);
}

static bool goes_in_rows(const weft_sweep *sweep, int axis)
{
    return goes_in_halves(sweep, axis) || best_in_rows(sweep, axis);
}

/* Whether r2c or c2r has a group of its own, and other axes another: with a buffer for them FFTW
 * need not find out what it would do without one. */
static bool goes_alone(const weft_sweep *sweep, int axis)
{
    return goes_in_rows(sweep, axis) || weft_modes_differ(sweep) || sweep->choice.gather ||
           sweep->choice.scatter;
}

static bool is_short(ptrdiff_t length)
{
    enum { ONE_PIECE = 128 };
    return length <= ONE_PIECE && (length & (length - 1)) == 0;
}

bool weft_groups_are_short(const weft_sweep *sweep)
{
    for (int a = 0; a < sweep->axes; a++)
        if (sweep->transformed[a] && !is_short(sweep->size[a]))
            return false;
    return true;
}

/* No r2c or c2r, and no spectrum of another length. */
static bool one_kind(const weft_sweep *sweep)
{
    const weft_kind kind = sweep->group[0].kind;
    return sweep->groups == 1 && kind != WEFT_R2C && kind != WEFT_C2R &&
           !weft_modes_differ(sweep) && !weft_groups_are_short(sweep);
}

/*
 * The last axis, from one buffer to another in which its lines lie one after another: FFTW would
 * put them so anyway, and back, where it took time to plan; here scattering does it. (Lines of 48,
 * 90, 100, 120, 256, 1024 numbers, side by side: 1.11, 2.77, 1.78, 1.59, 2.65, 3.19 ns a number as
 * estimated and 0.83, 1.14, 1.07, 1.05, 1.36, 1.82 with all effort, in half the time for planning;
 * in place 1.79, 3.55, 6.16, 2.33, 25.6, 8.61 and 1.17, 1.50, 1.43, 1.40, 1.58, 1.95. Short powers
 * of two are as good in place, for less planning, and real numbers, for which FFTW has no vectors
 * anyway, are 5 % slower.) Factors are multiplied along the lines of the target, which then lie
 * across. Of several axes the first goes to a third buffer: rows of 48, 90, 100, 120, 256, 1024
 * take 1.21, 2.36, 1.47, 1.71, 1.49, 2.23 ns a number in place, planned with pruning in 2 to 12 ms,
 * and 1.02, 2.22, 1.23, 1.47, 1.23, 1.43 from one buffer to another, in 0.3 to 7 ms.
 *
 *     c2c    first --an axis--> middle --other axes--> middle --the last of them--> second, turned
 */
static bool turns(const weft_sweep *sweep)
{
    return one_kind(sweep) && !is_real_kind(sweep->group[0].kind) && sweep->choice.scatter &&
           !sweep->factors;
}

/* Of several axes the first one goes to a third buffer, where a tile of the size that is aimed at
 * has all of them; larger ones leave no room in the cache for another. */
static bool has_middle(const weft_sweep *sweep)
{
    const weft_group *group = &sweep->group[0];
    double bytes = (double)sweep->source.element;
    for (int k = 0; k < group->axes; k++)
        bytes *= (double)sweep->size[group->axis[k]];
    return group->axes > 1 && bytes <= sweep->choice.tile;
}

/*
 * The other axes of r2c or c2r, the group before c2r or after r2c; negative: there is none, or no
 * buffer for it. One of them goes from one buffer to another, and is turned before it is scattered;
 * before c2r gathering would have to turn it, which takes as long as it saves. (Lines of 90, 100,
 * 120, 256 numbers: 1.64, 1.19, 1.21, 1.39 ns a number where they are turned, 1.53, 1.32, 1.32,
 * 1.53 where they stay side by side, both planned in a few milliseconds, and 2.04, 1.63, 2.14, 1.87
 * in place.)
 *
 *     r2c    first --rows--> middle --other axes--> middle --the last of them--> second, turned
 *     c2r    first --an axis--> middle --other axes--> middle --rows--> second
 */
static int columns_of(const weft_sweep *sweep)
{
    if (sweep->groups != 2 || sweep->factors || weft_modes_differ(sweep) ||
        !(sweep->choice.gather || sweep->choice.scatter))
        return -1;
    const int g = sweep->group[0].kind == WEFT_R2C ? 1 : 0;
    const weft_group *rows = &sweep->group[1 - g], *columns = &sweep->group[g];
    bool all_short = true;
    for (int k = 0; k < columns->axes; k++)
        all_short = all_short && is_short(sweep->size[columns->axis[k]]);
    return !all_short && (rows->kind == WEFT_R2C || rows->kind == WEFT_C2R) ? g : -1;
}

/* What FFTW estimates to be the best from one buffer to another is better than in place, too. */
static bool goes_apart(const weft_sweep *sweep)
{
    return one_kind(sweep) && sweep->choice.gather && sweep->choice.scatter &&
           weft_fft_is_estimated(sweep);
}

/* A group for each axis of group g, of which the first of all or the last goes apart; that is the
 * slowest in the source. */
static void divide_group(weft_sweep *sweep, int g)
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

int weft_axis_of_kind(int axes, const weft_kind *kind, weft_kind wanted)
{
    int axis = axes - 1;
    while (axis >= 0 && kind[axis] != wanted)
        axis--;
    return axis;
}

/* r2c or c2r along its axis; with the axes of `others` in the same plan, unless it goes alone. */
static void add_halving(weft_sweep *sweep, weft_kind halving, weft_kind others, bool *done)
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
    group->in_rows = goes_in_rows(sweep, axis);
    group->in_halves = goes_in_halves(sweep, axis);
    done[axis] = true;
}

/* FFTW overwrites the source of c2r in more than one dimension. */
static bool destroys_source(const weft_sweep *sweep)
{
    const weft_group *first = &sweep->group[0];
    return first->from == WEFT_AT_SOURCE && first->kind == WEFT_C2R && first->axes > 1 &&
           !sweep->may_destroy && !sweep->in_place;
}

/* Without a buffer on their complex side, the other axes of what goes alone are transformed there,
 * as FFTW would do it: where rows have just been written, or where they are about to be read. */
static bool stays_in_source(const weft_sweep *sweep)
{
    const weft_group *last = &sweep->group[sweep->groups - 1];
    return last->kind == WEFT_C2R && last->axes == 1 && (sweep->may_destroy || sweep->in_place);
}

static void place(weft_sweep *sweep)
{
    const weft_at second = weft_one_buffer(sweep) ? WEFT_AT_FIRST : WEFT_AT_SECOND;
    weft_at at = sweep->choice.gather ? WEFT_AT_FIRST : WEFT_AT_SOURCE;
    for (int g = 0; g < sweep->groups; g++) {
        weft_group *group = &sweep->group[g];
        const bool rows_first = group->kind == WEFT_R2C && group->axes == 1 && !sweep->middle &&
                                !weft_modes_differ(sweep);
        const bool last = g == sweep->groups - 1,
                   halving = group->kind == WEFT_R2C || group->kind == WEFT_C2R;
        group->from = at;
        if (sweep->middle && g == 0)
            at = WEFT_AT_MIDDLE;
        else if (sweep->middle ? last : halving || g == sweep->apart)
            at = second;
        else if (at == WEFT_AT_SOURCE && !stays_in_source(sweep))
            at = WEFT_AT_FIRST;
        if ((last || rows_first) && !sweep->choice.scatter)
            at = WEFT_AT_TARGET;
        group->to = at;
    }
}

/* Whether FFTW can be let loose on a side: all of a tile in one piece, with the lengths of the
 * grid, and no axis backwards (some versions of its planner never come back from those). */
static bool plain(const weft_sweep *sweep, const weft_side *side)
{
    if (weft_side_divided(side) && sweep->transformed[side->axis])
        return false;
    for (int a = 0; a < side->axes; a++)
        if (sweep->modes[a] &&
            side == (is_forward(sweep->kind[a]) ? &sweep->target : &sweep->source))
            return false;
    for (int p = 0; p < side->pieces; p++)
        for (int a = 0; a < side->axes; a++)
            if (side->like[p] == p && side->count[a] > 1 && side->piece[p].stride[a] <= 0)
                return false;
    return true;
}

/* Whether rows along an axis are all aligned: real ones that are not take twice as long, longer
 * than it takes to copy them to where they are. */
static bool rows_aligned(const weft_sweep *sweep, const weft_side *side, int axis)
{
    const ptrdiff_t element = (ptrdiff_t)side->element;
    bool aligned = !(sweep->flags & FFTW_UNALIGNED);
    for (int p = 0; p < side->pieces; p++) {
        aligned = aligned && weft_fft_aligned(side->piece[p].offset * element) &&
                  weft_fft_aligned(side->piece[p].offset_step * element);
        for (int a = 0; a < side->axes; a++)
            if (a != axis && side->count[a] > 1)
                aligned = aligned && weft_fft_aligned(side->piece[p].stride[a] * element);
    }
    return aligned;
}

/* Whether numbers along an axis lie one after another in every piece. */
static bool rows_whole(const weft_side *side, int axis)
{
    for (int p = 0; p < side->pieces; p++)
        if (side->piece[p].stride[axis] != 1)
            return false;
    return true;
}

static void gather_rows(weft_sweep *sweep)
{
    for (int g = 0; g < sweep->groups; g++) {
        const weft_group *group = &sweep->group[g];
        const int axis = group->axis[0];
        if (!group->in_rows)
            continue;
        if (!rows_aligned(sweep, &sweep->source, axis) ||
            (group->in_halves && !rows_whole(&sweep->source, axis)))
            sweep->choice.gather = true;
        if (!rows_aligned(sweep, &sweep->target, axis) ||
            (group->in_halves && !rows_whole(&sweep->target, axis)))
            sweep->choice.scatter = true;
    }
}

void weft_groups_choose(weft_sweep *sweep)
{
    bool done[WEFT_MAX_AXES] = {false}, any = false;
    weft_choice *choice = &sweep->choice;
    sweep->groups = 0;
    sweep->apart = -1;
    sweep->turned = sweep->middle = false;
    for (int a = 0; a < sweep->axes; a++)
        any = any || sweep->transformed[a];
    if (!any) {
        choice->gather = choice->scatter = sweep->factors != NULL;
        choice->halves = false;
        return;
    }
    const bool moves = sweep->in_place && weft_sides_differ(&sweep->source, &sweep->target);
    choice->gather = choice->gather || moves || !plain(sweep, &sweep->source);
    choice->scatter = choice->scatter || moves || !plain(sweep, &sweep->target);
    add_halving(sweep, WEFT_R2C, WEFT_FORWARD, done);
    const int last = weft_axis_of_kind(sweep->axes, sweep->kind, WEFT_C2R);
    if (last < 0 || goes_alone(sweep, last))
        add_kind(sweep, WEFT_BACKWARD, done);
    add_kind(sweep, WEFT_FORWARD, done);
    add_halving(sweep, WEFT_C2R, WEFT_BACKWARD, done);
    add_kind(sweep, WEFT_R2HC, done);
    choice->halves = false; /* unless some rows are */
    for (int g = 0; g < sweep->groups; g++)
        choice->halves = choice->halves || sweep->group[g].in_halves;
    gather_rows(sweep);
    const int columns = columns_of(sweep);
    sweep->turned = columns < 0 ? turns(sweep) : columns > 0 && choice->scatter;
    sweep->middle = columns >= 0 || (sweep->turned && has_middle(sweep));
    if (sweep->turned || sweep->middle)
        divide_group(sweep, columns < 0 ? 0 : columns);
    else if (goes_apart(sweep))
        sweep->apart = 0;
    place(sweep);
    if (destroys_source(sweep)) {
        choice->gather = true;
        place(sweep);
    }
}
