/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses the division and the variants of a pass. A rule chooses the division into sweeps and the
 * variant of each. With more rigor than ESTIMATE a search begins there: it makes one change after
 * another, times each candidate, and keeps it if it is faster.
 *
 * FFTW's own planning would take most of the time of a search, because every candidate has other
 * strides. With FFTW_MEASURE, candidates are therefore compared with estimated plans, and FFTW
 * measures plans only for the winner. FFTW_PATIENT compares candidates with the plans that will
 * run.
 *
 * Each change is worth its time. If the search may not make a change, the sweeps in which the
 * search left the rule take longer (377 sweeps of 64 cases, 2 ranks on 2 cores with 1 MiB of level
 * 2 each, timed in turns): without any change 4 %; without one change 8 % (streaming), 6 % (larger
 * tiles), 4 % (order of the buffer), 3 % (gathering, scattering) or 1 % (smaller tiles, but up to
 * 20 % for some); up to 40 % in single cases.
 */
#include "kernels/pass/division.h"

#include <math.h>
#include <string.h>
#include "kernels/base/clock.h"
#include "kernels/base/error.h"

/* The share of the level 2 cache for a tile. The rest is for cache lines on their way from the
 * source and to the target. */
static const double TILE_SHARE = 0.25;
/* A sweep that transforms several axes may have tiles a little larger than level 2. */
static const double OWN_CACHE = 1.25;
/* With more rigor than ESTIMATE, tiles may at first have SEVERAL times level 2. On a Xeon with 1
 * rank, one sweep for all axes was sometimes the fastest for 64^3 (twice level 2), and never for
 * 80^3 to 256^3, where planning it took up to 14 s. */
static const double SEVERAL = 4;
/* A sweep is far if it touches more than this share of the last cache, because a whole run uses
 * another array, too, and the program has more. With estimated plans the transforms take longer and
 * memory matters less, up to MOST_ESTIMATED bytes: on no tested processor did more stay in the
 * cache, even if the processor reports a larger one. */
static const double NEAR = 0.5, NEAR_ESTIMATED = 1.5, MOST_ESTIMATED = 12 << 20;
/* The time that MEASURE may spend. WORTH_SEARCHING and WORTH_PLANNING: for a search and for FFTW's
 * plans of the winner, as multiples of the sweep's time. AT_LEAST and OTHER_SIZES: seconds that are
 * always allowed, the latter if quick plans are not the best. ALL_TO_QUICK: the time of planning
 * with all effort, as a multiple of quick planning (30 if FFTW_PATIENT pays). */
static const double WORTH_SEARCHING = 3, AT_LEAST = 0.002, WORTH_PLANNING = 1, OTHER_SIZES = 0.25,
                    ALL_TO_QUICK = 8;
/* Two sweeps whose times differ by less than this factor are timed again. */
static const double CLOSE = 1.15;
/* The search tries another step to smaller or larger tiles if the last step took less than this
 * fraction of the time. */
static const double FAR_OFF = 0.9;
/* FFTW measures tiles of this share of level 2 quickly. */
static const double LITTLE = 1. / 16;

enum { PAGE = 4096, HALF_PAGE = PAGE / 2, PAGES = 64 };

/* Whether the arrays of a sweep do not stay in the caches from one pass to the next. */
static bool is_far(const weft_pass_sweep *sweep, const weft_pass_limits *limits)
{
    double near = NEAR * (double)limits->last;
    if (sweep->spec->fftw_flags & FFTW_ESTIMATE) {
        near = NEAR_ESTIMATED * (double)limits->last;
        near = near < MOST_ESTIMATED ? near : MOST_ESTIMATED;
    }
    return weft_touched_bytes(sweep) > near;
}

/* Whether FFTW is fast on a side without gathering. It is slow along axes with strides of whole
 * half pages, which use only a few sets of the cache, and over more pages than the processor's TLB
 * has. */
static bool is_easy(const weft_pass_sweep *sweep, const weft_side *side)
{
    for (int a = 0; a < sweep->axes; a++) {
        ptrdiff_t step = side->block[0].stride[a] * (ptrdiff_t)side->element;
        if (sweep->transformed[a] && side->count[a] > 1 &&
            (step % HALF_PAGE == 0 || (side->count[a] > PAGES && (step > PAGE || step < -PAGE))))
            return false;
    }
    return true;
}

/* The variant by rule. Far data goes through the buffer and leaves it by streaming stores. For
 * small arrays there is one FFTW plan and no copy. */
static weft_variant by_rule(const weft_pass_sweep *sweep, const weft_pass_limits *limits)
{
    const bool little = weft_touched_bytes(sweep) <= (double)limits->level2 / 16, far = sweep->far;
    return (weft_variant){
        .tile = TILE_SHARE * (double)limits->level2,
        .gather = far || !(little || is_easy(sweep, sweep->source)),
        .scatter = far || !(little || is_easy(sweep, sweep->target)),
        .stream = far && !sweep->in_place,
        .halves = true, /* if possible */
    };
}

/* The changes that a search tries. The changes that help most often come first, because the time of
 * a search may end before the last one. */
enum {
    TOGGLE_STREAM,
    TOGGLE_ORDER,
    SMALLER_TILES,
    LARGER_TILES,
    TOGGLE_GATHER,
    TOGGLE_SCATTER,
    TOGGLE_HALVES,
    CHANGES
};

static bool have_same_order(const weft_side *source, const weft_side *target)
{
    int order[2][WEFT_MAX_AXES];
    weft_side_order(source, order[0]);
    weft_side_order(target, order[1]);
    return memcmp(order[0], order[1], (size_t)source->axes * sizeof order[0][0]) == 0;
}

/* Makes a change of a variant. Returns false if the change makes no sense for this sweep. */
static bool make_change(const weft_pass_sweep *sweep, int change, weft_variant *variant)
{
    const bool copy = sweep->groups == 0;
    switch (change) {
    case TOGGLE_STREAM:
        variant->stream = !variant->stream;
        variant->scatter = variant->scatter || (variant->stream && !copy);
        return sweep->far; /* streaming stores would remove near data from the caches */
    case TOGGLE_SCATTER:
        variant->scatter = !variant->scatter;
        variant->stream = variant->stream && variant->scatter;
        return !copy;
    case TOGGLE_GATHER:
        variant->gather = !variant->gather;
        return !copy;
    case SMALLER_TILES:
        variant->tile /= 4;
        return !copy;
    case LARGER_TILES:
        variant->tile *= 2.5;
        return !copy;
    case TOGGLE_ORDER:
        variant->follow_source = !variant->follow_source;
        return !copy && !have_same_order(sweep->source, sweep->target);
    case TOGGLE_HALVES:
        variant->halves = !variant->halves;
        return sweep->rule.halves;
    default:
        return false;
    }
}

/* Whether two variants are equal except for the size of tiles. */
static bool same_variant(const weft_variant *a, const weft_variant *b)
{
    return a->gather == b->gather && a->scatter == b->scatter && a->stream == b->stream &&
           a->follow_source == b->follow_source && a->halves == b->halves;
}

/* Whether two variants lead to the same sweep. */
static bool same_sweep(const weft_pass_sweep *a, const weft_pass_sweep *b)
{
    for (int k = 0; k < a->axes; k++)
        if (a->tiling.axis[k].spans != b->tiling.axis[k].spans)
            return false;
    return a->variant.estimated == b->variant.estimated && a->variant.quick == b->variant.quick &&
           same_variant(&a->variant, &b->variant);
}

static bool is_expired(const weft_pass_sweep *sweep)
{
    return sweep->spec->until > 0 && weft_clock() >= sweep->spec->until;
}

/* Whether a search is worth its time; it is not for very small arrays. */
static bool is_searched(const weft_pass_sweep *sweep, const weft_pass_limits *limits)
{
    double bytes = weft_side_bytes(sweep->source) + weft_side_bytes(sweep->target);
    return !sweep->spec->variant &&
           !(sweep->spec->fftw_flags & (FFTW_ESTIMATE | FFTW_WISDOM_ONLY)) &&
           bytes >= (double)limits->level2 / 16;
}

/* The state of tuning one sweep. */
typedef struct {
    weft_pass_sweep *sweep;
    const weft_pass_limits *limits;
    weft_scratch scratch;
    double quick; /* longest time in seconds of FFTW's quick planning; later quick plans find its
                     results in FFTW's wisdom */
} tuning;

/* Seconds of a candidate; timing stops early above the limit (0: none). */
static double seconds_of(tuning *it, const weft_pass_sweep *sweep, double limit)
{
    return weft_sweep_time(sweep, &it->scratch, it->limits->last, limit);
}

/* Times two sweeps of about the same speed again, in turns, so that a disturbance does not decide.
 * Near sweeps take little time, so planning them should take little time, too. */
static void time_again(tuning *it, weft_pass_sweep *other)
{
    weft_pass_sweep *const both[] = {it->sweep, other};
    if (!it->scratch.careful || !it->sweep->far || other->time > CLOSE * it->sweep->time ||
        it->sweep->time > CLOSE * other->time)
        return;
    for (int k = 0; k < 2; k++) {
        const double time = seconds_of(it, both[k], 0);
        if (time > 0 && time < both[k]->time)
            both[k]->time = time;
    }
}

/* Changes to another variant if it is faster by this fraction of the time. */
static void try(tuning *it, const weft_variant *variant, double gain)
{
    weft_pass_sweep *sweep = it->sweep, other = *sweep;
    if (is_expired(sweep) || !weft_sweep_make(&other, variant))
        return;
    other.time = same_sweep(sweep, &other) ? -1 : seconds_of(it, &other, sweep->time);
    if (other.time >= 0)
        time_again(it, &other);
    if (other.time >= 0 && other.time < (1 - gain) * sweep->time) {
        weft_pass_sweep slower = *sweep;
        *sweep = other;
        other = slower;
    }
    weft_sweep_clear(&other);
}

static void search(weft_pass_sweep *sweep, const weft_pass_limits *limits)
{
    tuning it = {.sweep = sweep, .limits = limits};
    if (sweep->tiling.tiles == 0 || !is_searched(sweep, limits) || is_expired(sweep) ||
        !weft_scratch_make(&it.scratch, sweep))
        return;
    sweep->time = seconds_of(&it, sweep, 0);
    const double begin = weft_busy_clock();
    for (int change = 0; sweep->time > 0 && change < CHANGES; change++) {
        weft_variant variant = sweep->variant;
        const double before = sweep->time;
        if (!(sweep->spec->fftw_flags & (FFTW_PATIENT | FFTW_EXHAUSTIVE)) &&
            weft_busy_clock() - begin > WORTH_SEARCHING * sweep->time + AT_LEAST)
            break;
        if (make_change(sweep, change, &variant))
            try(&it, &variant, 0.02);
        if ((change == SMALLER_TILES || change == LARGER_TILES) && sweep->time < FAR_OFF * before)
            change--; /* repeat the change: the cache is smaller than reported */
    }
    weft_scratch_free(&it.scratch);
}

/* Makes a sweep by rule, or in the most similar way for which FFTW has plans: FFTW may have no plan
 * between the arrays as they are, or wisdom for another variant only. */
static bool make_by_rule(weft_pass_sweep *sweep, const weft_pass_limits *limits)
{
    sweep->far = is_far(sweep, limits);
    weft_variant rule = by_rule(sweep, limits);
    const bool late = is_expired(sweep), wisdom_only = sweep->spec->fftw_flags & FFTW_WISDOM_ONLY;
    rule.quick = !(sweep->spec->fftw_flags & (FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE));
    rule.unpruned = rule.quick && !late && !weft_effort_first_plan_is_good(!wisdom_only);
    rule.estimated = late || (rule.quick && !rule.unpruned && is_searched(sweep, limits));
    if (weft_sweep_make(sweep, &rule))
        return true;
    for (int change = 0; change < CHANGES; change++) {
        weft_variant variant = rule;
        if (make_change(sweep, change, &variant) && weft_sweep_make(sweep, &variant))
            return true;
    }
    rule.gather = rule.scatter = true;
    if (weft_sweep_make(sweep, &rule))
        return true;
    return weft_error("pass: FFTW has no plan for this pass with flags %u",
                      sweep->spec->fftw_flags);
}

/* Seconds that FFTW may spend on the plans of the winner. */
static double worth_planning(const weft_pass_sweep *sweep)
{
    double seconds = WORTH_PLANNING * sweep->time;
    return !weft_groups_are_short(sweep) && seconds < OTHER_SIZES ? OTHER_SIZES : seconds;
}

/* Changes to another variant, even if it is slower. */
static void take(tuning *it, const weft_variant *variant)
{
    weft_pass_sweep *sweep = it->sweep, other = *sweep;
    if (weft_sweep_make(&other, variant)) {
        weft_sweep_clear(sweep);
        *sweep = other;
    }
    sweep->time = seconds_of(it, sweep, 0);
}

/* Makes a variant with FFTW's quick plans; then with all effort, if that is likely to pay within
 * the remaining seconds. */
static void finish_variant(tuning *it, weft_variant variant, bool only_if_faster, double left)
{
    const double begin = weft_busy_clock(), little = LITTLE * (double)it->limits->level2;
    variant.estimated = false;
    variant.quick = true;
    if (!variant.gather && !weft_effort_is_pruned(it->sweep) && variant.tile > little)
        variant.tile = little; /* FFTW measures with a whole tile */
    if (only_if_faster)
        try(it, &variant, 0);
    else
        take(it, &variant);
    variant.quick = false;
    if ((variant.gather && weft_groups_are_short(it->sweep)) ||
        weft_effort_quick_is_full(it->sweep))
        return; /* quick plans between buffers are already the best */
    const double seconds = weft_busy_clock() - begin;
    it->quick = seconds > it->quick ? seconds : it->quick;
    if (ALL_TO_QUICK * it->quick < left)
        try(it, &variant, 0);
}

/* Plans the winner, which was compared with estimated plans, so it must be faster than the rule
 * again. If tiles are gathered, quick plans replace estimated ones without a comparison: of 52 such
 * sweeps, none was slower by more than 4 %, which is the noise of the timing. */
static void finish_estimated(tuning *it)
{
    weft_pass_sweep *sweep = it->sweep;
    const weft_variant variant = sweep->variant;
    const bool is_rule = same_variant(&variant, &sweep->rule) && variant.tile == sweep->rule.tile;
    const double begin = weft_busy_clock();
    if (!variant.gather)
        sweep->time = seconds_of(it, sweep, 0);
    finish_variant(it, variant, !variant.gather, worth_planning(sweep));
    const double left = worth_planning(sweep) - (weft_busy_clock() - begin);
    if (sweep->time > 0 && !is_rule && (sweep->far || left > 0))
        finish_variant(it, sweep->rule, true, left);
}

/* Plans the winner on processors where candidates had quick plans, because estimated plans are slow
 * there. */
static void finish_quick(tuning *it)
{
    weft_pass_sweep *sweep = it->sweep;
    weft_variant variant = sweep->variant;
    variant.quick = false;
    sweep->time = seconds_of(it, sweep, 0);
    if (worth_planning(sweep) >= OTHER_SIZES && !weft_effort_quick_is_full(sweep))
        try(it, &variant, 0);
}

/* Makes FFTW measure the plans of the winner, if candidates had estimated or quick plans. */
static void finish(weft_pass_sweep *sweep, const weft_pass_limits *limits)
{
    const weft_variant *variant = &sweep->variant;
    tuning it = {.sweep = sweep, .limits = limits};
    if (!(variant->estimated || variant->quick) || sweep->groups == 0 || sweep->time <= 0 ||
        is_expired(sweep) || !weft_scratch_make(&it.scratch, sweep))
        return;
    it.scratch.careful = true;
    if (variant->estimated)
        finish_estimated(&it);
    else
        finish_quick(&it);
    weft_scratch_free(&it.scratch);
}

/* Makes and tunes the sweeps for tiles of at most `most` bytes. Sets *time to their seconds; 0: not
 * timed. */
static bool divide(weft_division *d, double most, const weft_pass_limits *limits, double *time)
{
    *time = 0;
    weft_division_choose(d, most);
    if (!weft_division_make_sweeps(d))
        return false;
    for (int s = 0; s < d->pass->sweeps; s++) {
        weft_pass_sweep *sweep = &d->pass->sweep[s];
        if (!make_by_rule(sweep, limits))
            return false;
        sweep->rule = sweep->variant;
        search(sweep, limits);
        *time += sweep->time;
    }
    return true;
}

/* Tries another division, with tiles of at most `most` bytes, and keeps it if it is faster. */
static void try_division(weft_division *d, double most, const weft_pass_limits *limits, double time)
{
    const int sets = d->sets;
    weft_host_pass *pass = d->pass, other = *pass;
    double other_time;
    weft_division_choose(d, most);
    if (d->sets == sets || time <= 0)
        return;
    d->pass = &other;
    if (divide(d, most, limits, &other_time) && other_time > 0 && other_time < time) {
        weft_host_pass slower = *pass;
        *pass = other;
        other = slower;
    }
    weft_sweeps_free(other.sweep, other.sweeps);
    d->pass = pass;
}

bool weft_tune(weft_division *division, const weft_pass_limits *limits)
{
    weft_host_pass *pass = division->pass;
    const double level2 = (double)limits->level2, own = OWN_CACHE * level2;
    double time, most = fmin(SEVERAL * level2, (double)limits->last / (4 * pass->spec.threads));
    if (most < own || division->spec->fftw_flags & FFTW_ESTIMATE) /* divisions are not compared */
        most = own;
    if (!divide(division, most, limits, &time))
        return false;
    try_division(division, own, limits, time);
    for (int s = 0; s < pass->sweeps; s++)
        finish(&pass->sweep[s], limits);
    return true;
}
