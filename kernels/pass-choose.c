/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a stage is done. A rule gives a first choice, which is what FFTW_ESTIMATE gets. With more
 * rigor one thing after another is done differently, timed, and kept if it was faster.
 */
#include "pass-plan.h"

#include <math.h>
#include "error.h"

enum { HALF_PAGE = 2048 };

/* Whether FFTW works well on a side as it is: along the contiguous axis, and never in steps of
 * whole half pages, which all compete for the same few places of the cache. */
static bool easy(const weft_stage *stage, const weft_side *side)
{
    int order[WEFT_MAX_AXES];
    weft_side_order(side, order);
    int inner = order[stage->axes - 1];
    for (int a = 0; a < stage->axes; a++) {
        ptrdiff_t step = side->piece[0].stride[a] * (ptrdiff_t)side->element;
        if (stage->transformed[a] && side->count[a] > 1 && a != inner && step % HALF_PAGE == 0)
            return false;
    }
    return stage->transformed[inner] && side->count[inner] > 1;
}

static double side_bytes(const weft_side *side)
{
    return (double)weft_side_elements(side) * (double)side->element;
}

/* What does not stay in the caches goes through the buffer, and leaves it by streaming stores.
 * Little arrays are left to one plan of FFTW's. */
static weft_choice by_rule(const weft_stage *stage, const weft_pass_limits *limits)
{
    double bytes = side_bytes(&stage->source);
    if (!stage->in_place)
        bytes += side_bytes(&stage->target);
    bool little = bytes <= (double)limits->level2 / 2, far = bytes > 1.5 * (double)limits->last;
    return (weft_choice){
        .tile = (double)limits->level2 / 2,
        .gather = far || !(little || easy(stage, &stage->source)),
        .scatter = far || !(little || easy(stage, &stage->target)),
        .stream = far && !stage->in_place,
    };
}

/* What can be done differently. */
typedef enum {
    TOGGLE_STREAM,
    TOGGLE_SCATTER,
    TOGGLE_GATHER,
    SMALLER_TILES,
    LARGER_TILES,
    TOGGLE_APART,
    TOGGLE_ORDER,
    STRAIGHT, /* without buffers */
    ONE_PLAN, /* the same, all of it in one plan of FFTW's */
    CHANGES
} pass_change;

static int transformed_axes(const weft_stage *stage)
{
    int axes = 0;
    for (int a = 0; a < stage->axes; a++)
        axes += stage->transformed[a];
    return axes;
}

static bool same_order(const weft_stage *stage)
{
    int order[2][WEFT_MAX_AXES];
    weft_side_order(&stage->source, order[0]);
    weft_side_order(&stage->target, order[1]);
    for (int k = 0; k < stage->axes; k++)
        if (order[0][k] != order[1][k])
            return false;
    return true;
}

/* Whether FFTW is worth asking for one plan for all: it times it on all of the arrays, many times.
 */
static bool one_plan_is_cheap(const weft_stage *stage, const weft_pass_limits *limits)
{
    double bytes = side_bytes(&stage->source) + side_bytes(&stage->target);
    return bytes <= (double)limits->last / 4 || (stage->flags & (FFTW_PATIENT | FFTW_EXHAUSTIVE));
}

/* False: it makes no sense here. */
static bool apply(const weft_stage *stage, const weft_pass_limits *limits, pass_change change,
                  weft_choice *choice)
{
    bool copy = stage->groups == 0;
    switch (change) {
    case TOGGLE_STREAM:
        choice->stream = !choice->stream;
        choice->scatter = choice->scatter || (choice->stream && !copy);
        return true;
    case TOGGLE_SCATTER:
        choice->scatter = !choice->scatter;
        choice->stream = choice->stream && choice->scatter;
        return !copy;
    case TOGGLE_GATHER:
        choice->gather = !choice->gather;
        return !copy;
    case SMALLER_TILES:
        choice->tile /= 2;
        return !copy;
    case LARGER_TILES:
        choice->tile *= 2;
        return !copy;
    case TOGGLE_APART:
        choice->apart = !choice->apart;
        return transformed_axes(stage) > 1;
    case TOGGLE_ORDER:
        choice->follow_source = !choice->follow_source;
        return !copy && !same_order(stage);
    case STRAIGHT:
        *choice = (weft_choice){.tile = (double)limits->level2 / 2};
        return !copy;
    case ONE_PLAN:
        *choice = (weft_choice){.tile = HUGE_VAL};
        return !copy && stage->threads == 1 && one_plan_is_cheap(stage, limits);
    default:
        return false;
    }
}

/* Whether a choice has come to mean what another one does. */
static bool same_choice(const weft_stage *a, const weft_stage *b)
{
    const weft_choice *x = &a->choice, *y = &b->choice;
    for (int k = 0; k < a->axes; k++)
        if (a->tiling.axis[k].segments != b->tiling.axis[k].segments)
            return false;
    return x->gather == y->gather && x->scatter == y->scatter && x->stream == y->stream &&
           x->apart == y->apart && x->follow_source == y->follow_source;
}

static void search(weft_stage *stage, const weft_pass_limits *limits, double *time)
{
    weft_scratch scratch;
    if (stage->tiling.tiles == 0 || !WEFT(pass_scratch_make)(&scratch, stage))
        return;
    *time = WEFT(pass_stage_time)(stage, &scratch, limits, 0);
    for (pass_change change = 0; *time >= 0 && change < CHANGES; change++) {
        weft_stage other = *stage;
        weft_choice choice = stage->choice;
        if (!apply(stage, limits, change, &choice) || !WEFT(pass_stage_make)(&other, &choice))
            continue;
        double other_time = -1;
        if (!same_choice(stage, &other))
            other_time = WEFT(pass_stage_time)(&other, &scratch, limits, *time);
        if (other_time >= 0 && other_time < 0.98 * *time) {
            weft_stage slower = *stage;
            *stage = other;
            other = slower;
            *time = other_time;
        }
        WEFT(pass_stage_unmake)(&other);
    }
    WEFT(pass_scratch_free)(&scratch);
}

bool WEFT(pass_choose)(weft_stage *stage, const weft_pass_limits *limits, double *time)
{
    weft_choice rule = by_rule(stage, limits);
    bool made = WEFT(pass_stage_make)(stage, &rule);
    *time = 0;
    /* FFTW may lack a plan between the arrays as they are, or have wisdom for another choice only.
     */
    for (pass_change change = 0; !made && change < CHANGES; change++) {
        weft_choice choice = rule;
        if (apply(stage, limits, change, &choice))
            made = WEFT(pass_stage_make)(stage, &choice);
    }
    rule.gather = rule.scatter = true;
    made = made || WEFT(pass_stage_make)(stage, &rule);
    if (!made)
        weft_error("pass: FFTW has no plan for this with flags %u", stage->flags);
    bool tiny =
        side_bytes(&stage->source) + side_bytes(&stage->target) < (double)limits->level2 / 16;
    if (made && !tiny && !(stage->flags & (FFTW_ESTIMATE | FFTW_WISDOM_ONLY)))
        search(stage, limits, time);
    return made;
}
