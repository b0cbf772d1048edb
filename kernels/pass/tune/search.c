/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for the fastest way to do a sweep: one thing after another is done differently, timed,
 * and kept if that was faster. FFTW's own planning would take most of the time of it, because every
 * candidate has other strides: with FFTW_MEASURE, candidates are compared with estimated plans, and
 * only the winner's are then measured. FFTW_PATIENT compares as it will run.
 */
#include "kernels/pass/sweep.h"

#include <math.h>

/* What MEASURE spends on a sweep, in times that it takes: on a search, beyond which only so many
 * seconds are spent, and on FFTW's plans of the winner, which with all effort take about so many
 * times as long as quick ones. */
static const double WORTH_SEARCHING = 3, AT_LEAST = 0.002, WORTH_PLANNING = 1, OTHER_SIZES = 0.25,
                    ALL_TO_QUICK = 8, HOPELESS = 3, CLOSE = 1.15;
/* Of the level 2 cache: tiles that FFTW is quick to measure. */
static const double LITTLE = 1. / 16;
enum { ONE_PIECE = 128 }; /* points that FFTW transforms in one piece */

/* What can be done differently, what helps most often first. */
enum {
    TOGGLE_STREAM,
    SMALLER_TILES,
    TOGGLE_SCATTER,
    TOGGLE_GATHER,
    LARGER_TILES,
    TOGGLE_APART,
    TOGGLE_ORDER,
    STRAIGHT, /* without buffers */
    ONE_PLAN, /* the same, all of it in one plan of FFTW's */
    CHANGES = WEFT_PASS_CHANGES
};

static bool patient(const weft_sweep *sweep)
{
    return sweep->flags & (FFTW_PATIENT | FFTW_EXHAUSTIVE);
}

static int transformed_axes(const weft_sweep *sweep)
{
    int axes = 0;
    for (int a = 0; a < sweep->axes; a++)
        axes += sweep->transformed[a];
    return axes;
}

static bool same_order(const weft_sweep *sweep)
{
    int order[2][WEFT_MAX_AXES];
    weft_side_order(&sweep->source, order[0]);
    weft_side_order(&sweep->target, order[1]);
    for (int k = 0; k < sweep->axes; k++)
        if (order[0][k] != order[1][k])
            return false;
    return true;
}

/* Whether FFTW is worth asking for one plan for all: it times it on all of the arrays, many times.
 */
static bool one_plan_is_cheap(const weft_sweep *sweep, const weft_pass_limits *limits)
{
    double bytes = weft_side_bytes(&sweep->source) + weft_side_bytes(&sweep->target);
    return bytes <= (double)limits->last / 4 || patient(sweep);
}

bool weft_pass_change(const weft_sweep *sweep, const weft_pass_limits *limits, int change,
                      weft_choice *choice)
{
    bool copy = sweep->groups == 0, estimated = choice->estimated;
    switch (change) {
    case TOGGLE_STREAM:
        choice->stream = !choice->stream;
        choice->scatter = choice->scatter || (choice->stream && !copy);
        return weft_pass_is_far(sweep, limits); /* else it had better stay */
    case TOGGLE_SCATTER:
        choice->scatter = !choice->scatter;
        choice->stream = choice->stream && choice->scatter;
        return !copy;
    case TOGGLE_GATHER:
        choice->gather = !choice->gather;
        return !copy;
    case SMALLER_TILES:
        choice->tile /= 4;
        return !copy;
    case LARGER_TILES:
        choice->tile *= 2.5;
        return !copy;
    case TOGGLE_APART:
        choice->apart = !choice->apart;
        return transformed_axes(sweep) > 1;
    case TOGGLE_ORDER:
        choice->follow_source = !choice->follow_source;
        return !copy && !same_order(sweep);
    case STRAIGHT:
        *choice =
            (weft_choice){.tile = WEFT_TILE_SHARE * (double)limits->level2, .estimated = estimated};
        return !copy;
    case ONE_PLAN:
        *choice = (weft_choice){.tile = HUGE_VAL, .estimated = estimated};
        return !copy && sweep->threads == 1 && one_plan_is_cheap(sweep, limits);
    default:
        return false;
    }
}

/* But for the tiles. */
static bool same_choice(const weft_choice *a, const weft_choice *b)
{
    return a->gather == b->gather && a->scatter == b->scatter && a->stream == b->stream &&
           a->apart == b->apart && a->follow_source == b->follow_source;
}

/* Whether a choice has come to mean what another one does. */
static bool same_sweep(const weft_sweep *a, const weft_sweep *b)
{
    for (int k = 0; k < a->axes; k++)
        if (a->tiling.axis[k].segments != b->tiling.axis[k].segments)
            return false;
    return same_choice(&a->choice, &b->choice);
}

bool weft_pass_expired(const weft_sweep *sweep)
{
    return sweep->until > 0 && weft_pass_now() >= sweep->until;
}

/* Very little arrays are not worth it. */
static bool searches(const weft_sweep *sweep, const weft_pass_limits *limits)
{
    double bytes = weft_side_bytes(&sweep->source) + weft_side_bytes(&sweep->target);
    return sweep->timed && !(sweep->flags & (FFTW_ESTIMATE | FFTW_WISDOM_ONLY)) &&
           bytes >= (double)limits->level2 / 16;
}

bool weft_pass_searches_estimated(const weft_sweep *sweep, const weft_pass_limits *limits)
{
    return searches(sweep, limits) && !patient(sweep);
}

/* Times two sweeps that are about as fast in turn, that none of them has had the better moments
 * only. Sweeps that are near take little time, and planning them is to take little, too. */
static void time_again(weft_sweep *a, weft_sweep *b, weft_scratch *scratch,
                       const weft_pass_limits *limits)
{
    weft_sweep *const both[] = {a, b};
    if (!scratch->careful || !weft_pass_is_far(a, limits) || b->time > CLOSE * a->time ||
        a->time > CLOSE * b->time)
        return;
    for (int k = 0; k < 2; k++) {
        const double time = weft_pass_sweep_time(both[k], scratch, limits, 0);
        if (time > 0 && time < both[k]->time)
            both[k]->time = time;
    }
}

/* Takes the other choice if it is faster by so much of the time. Only the better one is left.
 * Returns the time of the other, negative when it was not done. */
static double try(weft_sweep *sweep, const weft_choice *choice, weft_scratch *scratch,
                  const weft_pass_limits *limits, double gain)
{
    weft_sweep other = *sweep;
    if (weft_pass_expired(sweep) || !weft_pass_sweep_make(&other, choice))
        return -1;
    other.time = -1;
    if (choice->estimated != sweep->choice.estimated || choice->quick != sweep->choice.quick ||
        !same_sweep(sweep, &other))
        other.time = weft_pass_sweep_time(&other, scratch, limits, sweep->time);
    if (other.time >= 0)
        time_again(sweep, &other, scratch, limits);
    const double time = other.time;
    if (time >= 0 && time < (1 - gain) * sweep->time) {
        weft_sweep slower = *sweep;
        *sweep = other;
        other = slower;
    }
    weft_pass_sweep_unmake(&other);
    return time;
}

void weft_pass_search(weft_sweep *sweep, const weft_pass_limits *limits)
{
    weft_scratch scratch;
    sweep->time = sweep->straight_time = 0;
    sweep->rule = sweep->choice;
    if (sweep->tiling.tiles == 0 || !searches(sweep, limits) || weft_pass_expired(sweep) ||
        !weft_pass_scratch_make(&scratch, sweep))
        return;
    sweep->time = weft_pass_sweep_time(sweep, &scratch, limits, 0);
    const double begin = weft_pass_now();
    for (int change = 0; sweep->time > 0 && change < CHANGES; change++) {
        weft_choice choice = sweep->choice;
        if (!patient(sweep) && weft_pass_now() - begin > WORTH_SEARCHING * sweep->time + AT_LEAST)
            break;
        if (!weft_pass_change(sweep, limits, change, &choice))
            continue;
        double time = try(sweep, &choice, &scratch, limits, 0.02);
        if (change == STRAIGHT)
            sweep->straight_time = time;
    }
    weft_pass_scratch_free(&scratch);
}

/* What is best for powers of two FFTW finds among few ways; of other sizes the quick and estimated
 * plans lose more. */
static bool other_sizes(const weft_sweep *sweep)
{
    for (int a = 0; a < sweep->axes; a++)
        if (sweep->transformed[a] && (sweep->size[a] & (sweep->size[a] - 1)) != 0)
            return true;
    return false;
}

static bool short_axes(const weft_sweep *sweep)
{
    for (int a = 0; a < sweep->axes; a++)
        if (sweep->transformed[a] && sweep->size[a] > ONE_PIECE)
            return false;
    return !other_sizes(sweep);
}

/* Seconds. */
static double worth_planning(const weft_sweep *sweep)
{
    double seconds = WORTH_PLANNING * sweep->time;
    return other_sizes(sweep) && seconds < OTHER_SIZES ? OTHER_SIZES : seconds;
}

static bool straight_may_win(const weft_sweep *sweep)
{
    return other_sizes(sweep)
               ? sweep->straight_time < HOPELESS * sweep->time
               : sweep->straight_time > 0 && sweep->straight_time < 1.3 * sweep->time;
}

/* With FFTW's quick plans; then with all of its effort, if that promises to be worth it. `quick` is
 * the longest that quick plans have taken: others find what these have left in FFTW's wisdom. */
static void finish_choice(weft_sweep *sweep, weft_scratch *scratch, const weft_pass_limits *limits,
                          weft_choice choice, double gain, double *quick)
{
    const double begin = weft_pass_now();
    choice.estimated = false;
    choice.quick = true;
    if (!choice.gather && !weft_pass_pruned_well(sweep) &&
        choice.tile > LITTLE * (double)limits->level2)
        choice.tile = LITTLE * (double)limits->level2; /* it measures on the whole of a tile */
    try(sweep, &choice, scratch, limits, gain);
    choice.quick = false;
    if (choice.gather && short_axes(sweep))
        return; /* quick plans are the best there are between buffers */
    const double seconds = weft_pass_now() - begin;
    *quick = seconds > *quick ? seconds : *quick;
    if (ALL_TO_QUICK * *quick < worth_planning(sweep))
        try(sweep, &choice, scratch, limits, gain);
}

/* What won by luck, or with estimated plans only, must win again over the rule. Measured plans gain
 * most where FFTW has no buffer to work in: what is straight gets another chance unless it was
 * hopeless. */
void weft_pass_finish(weft_sweep *sweep, const weft_pass_limits *limits)
{
    weft_scratch scratch;
    if (!sweep->choice.estimated || sweep->groups == 0 || sweep->time <= 0 ||
        weft_pass_expired(sweep) || !weft_pass_scratch_make(&scratch, sweep))
        return;
    weft_choice choice = sweep->choice, straight = choice;
    const bool worth = straight_may_win(sweep),
               by_rule = same_choice(&choice, &sweep->rule) && choice.tile == sweep->rule.tile;
    const double begin = weft_pass_now();
    double quick = 0;
    scratch.careful = true;
    sweep->time = weft_pass_sweep_time(sweep, &scratch, limits, 0);
    if (sweep->time > 0)
        finish_choice(sweep, &scratch, limits, choice, 0, &quick);
    if (sweep->time > 0 && !by_rule &&
        (weft_pass_is_far(sweep, limits) || weft_pass_now() - begin < worth_planning(sweep)))
        finish_choice(sweep, &scratch, limits, sweep->rule, 0, &quick);
    const bool time_left = weft_pass_pruned_well(sweep) || other_sizes(sweep) ||
                           weft_pass_now() - begin < worth_planning(sweep);
    if (sweep->time > 0 && worth && time_left &&
        weft_pass_change(sweep, limits, STRAIGHT, &straight))
        finish_choice(sweep, &scratch, limits, straight, 0.02, &quick);
    weft_pass_scratch_free(&scratch);
}
