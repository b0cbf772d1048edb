/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a stage is done: by rule.
 */
#include "pass-plan.h"

static bool inner_is_transformed(const weft_stage *stage, const weft_side *side)
{
    int order[WEFT_MAX_AXES];
    weft_side_order(side, order);
    int inner = order[stage->axes - 1];
    return stage->transformed[inner] && side->count[inner] > 1;
}

static weft_choice by_rule(const weft_stage *stage, const weft_pass_limits *limits)
{
    double bytes = (double)weft_side_elements(&stage->target) * (double)stage->target.element;
    bool large = bytes >= (double)limits->last / 2 && !stage->in_place;
    return (weft_choice){
        .tile = (double)limits->level2 / 2,
        .gather = !inner_is_transformed(stage, &stage->source),
        .scatter = large || !inner_is_transformed(stage, &stage->target),
        .stream = large,
    };
}

bool WEFT(pass_choose)(weft_stage *stage, const weft_pass_limits *limits)
{
    weft_choice choice = by_rule(stage, limits);
    if (WEFT(pass_stage_make)(stage, &choice))
        return true;
    choice.gather = choice.scatter = true; /* FFTW may lack a plan between arrays as they are */
    return WEFT(pass_stage_make)(stage, &choice);
}
