/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which FFTW plans transform a tile, and between which memories: r2c first, c2r last, one plan for
 * all axes of one direction; but one for each axis where spectra have other lengths, so that lines
 * of zeros, or of modes that are not kept, are not transformed.
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

bool weft_groups_are_short(const weft_sweep *sweep)
{
    enum { ONE_PIECE = 128 };
    for (int a = 0; a < sweep->axes; a++)
        if (sweep->transformed[a] &&
            (sweep->size[a] > ONE_PIECE || (sweep->size[a] & (sweep->size[a] - 1)) != 0))
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
 * across.
 */
static bool turns(const weft_sweep *sweep)
{
    return one_kind(sweep) && !is_real_kind(sweep->group[0].kind) && sweep->choice.scatter &&
           !sweep->factors;
}

/* What FFTW estimates to be the best from one buffer to another is better than in place, too. */
static bool goes_apart(const weft_sweep *sweep)
{
    return one_kind(sweep) && sweep->choice.gather && sweep->choice.scatter &&
           weft_fft_is_estimated(sweep);
}

/* A group for each axis, the fastest in the source first. */
static void divide_group(weft_sweep *sweep)
{
    const weft_group whole = sweep->group[0];
    sweep->groups = 0;
    for (int k = whole.axes - 1; k >= 0; k--) {
        weft_group *group = new_group(sweep, sweep->kind[whole.axis[k]]);
        group->axis[group->axes++] = whole.axis[k];
    }
}

static bool goes_in_rows(const weft_sweep *sweep, int axis)
{
    return goes_in_halves(sweep, axis) || best_in_rows(sweep, axis);
}

int weft_axis_of_kind(int axes, const weft_kind *kind, weft_kind wanted)
{
    int axis = axes - 1;
    while (axis >= 0 && kind[axis] != wanted)
        axis--;
    return axis;
}

/* r2c or c2r along its axis; with the axes of `others` in the same plan, unless it goes in rows. */
static void add_halving(weft_sweep *sweep, weft_kind halving, weft_kind others, bool *done)
{
    const int axis = weft_axis_of_kind(sweep->axes, sweep->kind, halving);
    if (axis < 0)
        return;
    const int before = sweep->groups;
    const bool in_halves = goes_in_halves(sweep, axis),
               in_rows = in_halves || best_in_rows(sweep, axis);
    if (!in_rows && !weft_modes_differ(sweep))
        add_kind(sweep, others, done);
    weft_group *group = sweep->groups > before ? &sweep->group[before] : new_group(sweep, halving);
    group->kind = halving;
    group->axis[group->axes++] = axis;
    group->in_rows = in_rows;
    group->in_halves = in_halves;
    done[axis] = true;
}

/* FFTW overwrites the source of c2r in more than one dimension. */
static bool destroys_source(const weft_sweep *sweep)
{
    const weft_group *first = &sweep->group[0];
    return first->from == WEFT_AT_SOURCE && first->kind == WEFT_C2R && first->axes > 1 &&
           !sweep->may_destroy && !sweep->in_place;
}

/* Without a buffer on their complex side, the other axes of what goes in rows are transformed
 * there, as FFTW would do it: where rows have just been written, or where they are about to be
 * read. */
static bool stays_in_source(const weft_sweep *sweep)
{
    const weft_group *last = &sweep->group[sweep->groups - 1];
    return last->in_rows && last->kind == WEFT_C2R && (sweep->may_destroy || sweep->in_place);
}

static void place(weft_sweep *sweep)
{
    const weft_at second = weft_one_buffer(sweep) ? WEFT_AT_FIRST : WEFT_AT_SECOND;
    weft_at at = sweep->choice.gather ? WEFT_AT_FIRST : WEFT_AT_SOURCE;
    for (int g = 0; g < sweep->groups; g++) {
        weft_group *group = &sweep->group[g];
        const bool rows_first = group->in_rows && group->kind == WEFT_R2C;
        group->from = at;
        if (group->kind == WEFT_R2C || group->kind == WEFT_C2R ||
            (sweep->apart && g == sweep->groups - 1))
            at = second;
        else if (at == WEFT_AT_SOURCE && !stays_in_source(sweep))
            at = WEFT_AT_FIRST;
        if ((g == sweep->groups - 1 || rows_first) && !sweep->choice.scatter)
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
    bool done[WEFT_MAX_AXES] = {false};
    weft_choice *choice = &sweep->choice;
    sweep->groups = 0;
    sweep->apart = sweep->turned = false;
    add_halving(sweep, WEFT_R2C, WEFT_FORWARD, done);
    const int last = weft_axis_of_kind(sweep->axes, sweep->kind, WEFT_C2R);
    if (last < 0 || goes_in_rows(sweep, last) || weft_modes_differ(sweep))
        add_kind(sweep, WEFT_BACKWARD, done);
    add_kind(sweep, WEFT_FORWARD, done);
    add_halving(sweep, WEFT_C2R, WEFT_BACKWARD, done);
    add_kind(sweep, WEFT_R2HC, done);
    choice->halves = false; /* unless some rows are */
    for (int g = 0; g < sweep->groups; g++)
        choice->halves = choice->halves || sweep->group[g].in_halves;
    if (sweep->groups == 0) {
        choice->gather = choice->scatter = sweep->factors != NULL;
        return;
    }
    const bool moves = sweep->in_place && weft_sides_differ(&sweep->source, &sweep->target);
    choice->gather = choice->gather || moves || !plain(sweep, &sweep->source);
    choice->scatter = choice->scatter || moves || !plain(sweep, &sweep->target);
    gather_rows(sweep);
    sweep->turned = turns(sweep);
    sweep->apart = sweep->turned || goes_apart(sweep);
    if (sweep->turned)
        divide_group(sweep);
    place(sweep);
    if (destroys_source(sweep)) {
        choice->gather = true;
        place(sweep);
    }
}
