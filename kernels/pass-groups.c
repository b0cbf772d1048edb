/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which FFTW plans transform a tile, and between which memories: r2c first, c2r last, one plan for
 * all axes of one direction or one an axis.
 */
#include "pass-plan.h"

static bool is_real_kind(weft_kind kind)
{
    return kind >= WEFT_R2HC;
}

static weft_group *new_group(weft_stage *stage, weft_kind kind)
{
    weft_group *group = &stage->group[stage->groups++];
    *group = (weft_group){.kind = kind};
    return group;
}

/* Axes of this kind, or all r2r ones, that are still to be transformed, innermost in the source
 * first. */
static void add_kind(weft_stage *stage, weft_kind kind, bool *done)
{
    int order[WEFT_MAX_AXES];
    weft_group *group = NULL;
    weft_side_order(&stage->source, order);
    for (int k = stage->axes - 1; k >= 0; k--) {
        int a = order[k];
        bool same = stage->kind[a] == kind || (is_real_kind(kind) && is_real_kind(stage->kind[a]));
        if (done[a] || !same)
            continue;
        if (!group || stage->choice.apart)
            group = new_group(stage, stage->kind[a]);
        group->axis[group->axes++] = a;
        done[a] = true;
    }
    /* FFTW is given the axes slowest first. */
    for (int k = 0; group && k < group->axes / 2; k++) {
        int a = group->axis[k];
        group->axis[k] = group->axis[group->axes - 1 - k];
        group->axis[group->axes - 1 - k] = a;
    }
}

/* r2c or c2r along its axis; with the axes of `others` in the same plan, unless they are to be
 * apart. */
static void add_halving(weft_stage *stage, weft_kind halving, weft_kind others, bool *done)
{
    int axis = 0;
    while (axis < stage->axes && stage->kind[axis] != halving)
        axis++;
    if (axis == stage->axes)
        return;
    int before = stage->groups;
    if (!stage->choice.apart)
        add_kind(stage, others, done);
    weft_group *group = stage->groups > before ? &stage->group[before] : new_group(stage, halving);
    group->kind = halving;
    group->axis[group->axes++] = axis;
    done[axis] = true;
}

/* FFTW overwrites the source of c2r in more than one dimension. */
static bool destroys_source(const weft_stage *stage)
{
    const weft_group *first = &stage->group[0];
    return first->from == WEFT_AT_SOURCE && first->kind == WEFT_C2R && first->axes > 1 &&
           !stage->may_destroy && !stage->in_place;
}

static void place(weft_stage *stage)
{
    bool one_buffer = stage->source.element == stage->target.element;
    weft_at second = one_buffer ? WEFT_AT_FIRST : WEFT_AT_SECOND;
    weft_at at = stage->choice.gather ? WEFT_AT_FIRST : WEFT_AT_SOURCE;
    for (int g = 0; g < stage->groups; g++) {
        weft_group *group = &stage->group[g];
        group->from = at;
        if (group->kind == WEFT_R2C || group->kind == WEFT_C2R)
            at = second;
        else if (at == WEFT_AT_SOURCE)
            at = WEFT_AT_FIRST;
        if (g == stage->groups - 1 && !stage->choice.scatter)
            at = WEFT_AT_TARGET;
        group->to = at;
    }
}

/* Whether FFTW can be let loose on a side: all of a tile in one piece, and no axis backwards (some
 * versions of its planner never come back from those). */
static bool plain(const weft_stage *stage, const weft_side *side)
{
    if (side->pieces > 1 && stage->transformed[side->axis])
        return false;
    for (int p = 0; p < side->pieces; p++)
        for (int a = 0; a < side->axes; a++)
            if (side->like[p] == p && side->count[a] > 1 && side->piece[p].stride[a] <= 0)
                return false;
    return true;
}

void WEFT(pass_group)(weft_stage *stage)
{
    bool done[WEFT_MAX_AXES] = {false};
    weft_choice *choice = &stage->choice;
    stage->groups = 0;
    add_halving(stage, WEFT_R2C, WEFT_FORWARD, done);
    bool halves = false;
    for (int a = 0; a < stage->axes; a++)
        halves = halves || stage->kind[a] == WEFT_C2R;
    if (!halves || choice->apart)
        add_kind(stage, WEFT_BACKWARD, done);
    add_kind(stage, WEFT_FORWARD, done);
    add_halving(stage, WEFT_C2R, WEFT_BACKWARD, done);
    add_kind(stage, WEFT_R2HC, done);
    if (stage->groups == 0) {
        choice->gather = choice->scatter = stage->factors != NULL;
        return;
    }
    choice->gather = choice->gather || !plain(stage, &stage->source);
    choice->scatter = choice->scatter || !plain(stage, &stage->target);
    place(stage);
    if (destroys_source(stage)) {
        choice->gather = true;
        place(stage);
    }
}
