/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a sweep is done: by rule, or as a variant says. With more rigor than ESTIMATE the rule's
 * choice is where the search begins.
 */
#include "kernels/pass/sweep.h"

#include "kernels/base/error.h"

/* Of the last cache: beside what a sweep touches, a run has another array, and the program others.
 * With plans that are only estimated the transforms take longer, and memory matters less. */
static const double NEAR = 0.5, NEAR_ESTIMATED = 0.75;

enum { PAGE = 4096, HALF_PAGE = PAGE / 2, PAGES = 64 };

/* Whether FFTW works well on a side as it is: not along axes in steps of whole half pages, which
 * all compete for the same few places of the cache, or over more pages than the processor has
 * addresses of at hand. */
static bool easy(const weft_sweep *sweep, const weft_side *side)
{
    for (int a = 0; a < sweep->axes; a++) {
        ptrdiff_t step = side->piece[0].stride[a] * (ptrdiff_t)side->element;
        if (sweep->transformed[a] && side->count[a] > 1 &&
            (step % HALF_PAGE == 0 || (side->count[a] > PAGES && (step > PAGE || step < -PAGE))))
            return false;
    }
    return true;
}

double weft_pass_touched_bytes(const weft_sweep *sweep)
{
    double bytes = weft_side_bytes(&sweep->source);
    return sweep->in_place ? bytes : bytes + weft_side_bytes(&sweep->target);
}

bool weft_pass_is_far(const weft_sweep *sweep, const weft_pass_limits *limits)
{
    const double near = sweep->flags & FFTW_ESTIMATE ? NEAR_ESTIMATED : NEAR;
    return weft_pass_touched_bytes(sweep) > near * (double)limits->last;
}

/* What does not stay in the caches goes through the buffer, and leaves it by streaming stores.
 * Little arrays are left to one plan of FFTW's. */
static weft_choice by_rule(const weft_sweep *sweep, const weft_pass_limits *limits)
{
    bool little = weft_pass_touched_bytes(sweep) <= (double)limits->level2 / 16;
    bool far = weft_pass_is_far(sweep, limits);
    return (weft_choice){
        .tile = WEFT_TILE_SHARE * (double)limits->level2,
        .gather = far || !(little || easy(sweep, &sweep->source)),
        .scatter = far || !(little || easy(sweep, &sweep->target)),
        .stream = far && !sweep->in_place,
    };
}

bool weft_pass_choose(weft_sweep *sweep, const weft_pass_limits *limits)
{
    weft_choice rule = by_rule(sweep, limits);
    rule.estimated = weft_pass_expired(sweep) || weft_pass_searches_estimated(sweep, limits);
    rule.quick = !(sweep->flags & (FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE));
    if (weft_pass_sweep_make(sweep, &rule))
        return true;
    /* FFTW may lack a plan between the arrays as they are, or have wisdom for another choice only.
     */
    for (int change = 0; change < WEFT_PASS_CHANGES; change++) {
        weft_choice choice = rule;
        if (weft_pass_change(sweep, limits, change, &choice) &&
            weft_pass_sweep_make(sweep, &choice))
            return true;
    }
    rule.gather = rule.scatter = true;
    if (weft_pass_sweep_make(sweep, &rule))
        return true;
    weft_error("pass: FFTW has no plan for this with flags %u", sweep->flags);
    return false;
}
