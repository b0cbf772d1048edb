/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a sweep is done: by rule, and with more rigor than ESTIMATE by a search that begins there:
 * one thing after another is done differently, timed, and kept if that was faster. FFTW's own
 * planning would take most of the time of a search, because every candidate has other strides: with
 * FFTW_MEASURE, candidates are compared with estimated plans, and only the winner's are then
 * measured. FFTW_PATIENT compares as it will run.
 *
 * What going back costs where the search ended elsewhere than at the rule (377 sweeps of 64 cases,
 * 2 ranks on 2 cores with 1 MiB of level 2 each, both ways timed in turn): 4 % for all of the rule;
 * for one change alone 8 % (streaming), 6 % (larger tiles), 4 % (order of the buffer), 3 %
 * (gathering, scattering) and 1 % (smaller tiles, but up to 20 % of some), up to 40 % in single
 * cases.
 */
#include "kernels/pass/tune/tune.h"

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/pass/fft.h"
#include "kernels/pass/tune/time.h"

/* How much of the level 2 cache a tile gets: beside it there must be room for what is on its way
 * from the source and to the target. */
static const double TILE_SHARE = 0.25;

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

/* What does not stay in the caches goes through the buffer, and leaves it by streaming stores.
 * Little arrays are left to one plan of FFTW's. */
static weft_choice by_rule(const weft_sweep *sweep, const weft_pass_limits *limits)
{
    bool little = weft_touched_bytes(sweep) <= (double)limits->level2 / 16;
    bool far = weft_is_far(sweep, limits);
    return (weft_choice){
        .tile = TILE_SHARE * (double)limits->level2,
        .gather = far || !(little || easy(sweep, &sweep->source)),
        .scatter = far || !(little || easy(sweep, &sweep->target)),
        .stream = far && !sweep->in_place,
        .halves = true, /* where they can be */
    };
}

/* What MEASURE spends on a sweep, in times that it takes: on a search, beyond which only so many
 * seconds are spent, and on FFTW's plans of the winner, in seconds at least where quick plans are
 * not the best; with all effort those take 8 times as long as quick ones and, with what patience
 * pays for, up to 30 times. */
static const double WORTH_SEARCHING = 3, AT_LEAST = 0.002, WORTH_PLANNING = 1, OTHER_SIZES = 0.25,
                    ALL_TO_QUICK = 8, CLOSE = 1.15;
/* Of the time before, where that shows that tiles were much too large, or too small. */
static const double FAR_OFF = 0.9;
/* Of the level 2 cache: tiles that FFTW is quick to measure. */
static const double LITTLE = 1. / 16;

/* What can be done differently, what helps most often first: a search may be out of time before the
 * last of them. */
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

static bool patient(const weft_sweep *sweep)
{
    return sweep->flags & (FFTW_PATIENT | FFTW_EXHAUSTIVE);
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

/* One of the changes to a choice. False: it makes no sense here. */
static bool make_change(const weft_sweep *sweep, const weft_pass_limits *limits, int change,
                        weft_choice *choice)
{
    const bool copy = sweep->groups == 0;
    switch (change) {
    case TOGGLE_STREAM:
        choice->stream = !choice->stream;
        choice->scatter = choice->scatter || (choice->stream && !copy);
        return weft_is_far(sweep, limits); /* else it had better stay */
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
    case TOGGLE_ORDER:
        choice->follow_source = !choice->follow_source;
        return !copy && !same_order(sweep);
    case TOGGLE_HALVES:
        choice->halves = !choice->halves;
        return sweep->rule.halves;
    default:
        return false;
    }
}

/* But for the tiles. */
static bool same_choice(const weft_choice *a, const weft_choice *b)
{
    return a->gather == b->gather && a->scatter == b->scatter && a->stream == b->stream &&
           a->follow_source == b->follow_source && a->halves == b->halves;
}

/* Whether a choice has come to mean what another one does. */
static bool same_sweep(const weft_sweep *a, const weft_sweep *b)
{
    for (int k = 0; k < a->axes; k++)
        if (a->tiling.axis[k].spans != b->tiling.axis[k].spans)
            return false;
    return same_choice(&a->choice, &b->choice);
}

static bool expired(const weft_sweep *sweep)
{
    return sweep->until > 0 && weft_clock() >= sweep->until;
}

/* Very little arrays are not worth it. */
static bool searches(const weft_sweep *sweep, const weft_pass_limits *limits)
{
    double bytes = weft_side_bytes(&sweep->source) + weft_side_bytes(&sweep->target);
    return sweep->timed && !(sweep->flags & (FFTW_ESTIMATE | FFTW_WISDOM_ONLY)) &&
           bytes >= (double)limits->level2 / 16;
}

/* A sweep while it is tuned. */
typedef struct {
    weft_sweep *sweep;
    const weft_pass_limits *limits;
    weft_scratch scratch;
    double quick; /* seconds, the longest that FFTW's quick plans have taken: others find what these
                     have left in its wisdom */
} tuning;

/* Seconds of one of its candidates, given up early over the limit (0: none). */
static double seconds_of(tuning *it, const weft_sweep *sweep, double limit)
{
    return weft_sweep_time(sweep, &it->scratch, it->limits, limit);
}

/* Times two sweeps that are about as fast in turn, that none of them has had the better moments
 * only. Sweeps that are near take little time, and planning them is to take little, too. */
static void time_again(tuning *it, weft_sweep *other)
{
    weft_sweep *const both[] = {it->sweep, other};
    if (!it->scratch.careful || !weft_is_far(it->sweep, it->limits) ||
        other->time > CLOSE * it->sweep->time || it->sweep->time > CLOSE * other->time)
        return;
    for (int k = 0; k < 2; k++) {
        const double time = seconds_of(it, both[k], 0);
        if (time > 0 && time < both[k]->time)
            both[k]->time = time;
    }
}

/* Takes the other choice if it is faster by so much of the time. Only the better one is left. */
static void try(tuning *it, const weft_choice *choice, double gain)
{
    weft_sweep *sweep = it->sweep, other = *sweep;
    if (expired(sweep) || !weft_sweep_make(&other, choice))
        return;
    other.time = -1;
    if (choice->estimated != sweep->choice.estimated || choice->quick != sweep->choice.quick ||
        !same_sweep(sweep, &other))
        other.time = seconds_of(it, &other, sweep->time);
    if (other.time >= 0)
        time_again(it, &other);
    if (other.time >= 0 && other.time < (1 - gain) * sweep->time) {
        weft_sweep slower = *sweep;
        *sweep = other;
        other = slower;
    }
    weft_sweep_unmake(&other);
}

static void search(weft_sweep *sweep, const weft_pass_limits *limits)
{
    tuning it = {.sweep = sweep, .limits = limits};
    if (sweep->tiling.tiles == 0 || !searches(sweep, limits) || expired(sweep) ||
        !weft_scratch_make(&it.scratch, sweep))
        return;
    sweep->time = seconds_of(&it, sweep, 0);
    const double begin = weft_busy_clock();
    for (int change = 0; sweep->time > 0 && change < CHANGES; change++) {
        weft_choice choice = sweep->choice;
        const double before = sweep->time;
        if (!patient(sweep) && weft_busy_clock() - begin > WORTH_SEARCHING * sweep->time + AT_LEAST)
            break;
        if (make_change(sweep, limits, change, &choice))
            try(&it, &choice, 0.02);
        if ((change == SMALLER_TILES || change == LARGER_TILES) && sweep->time < FAR_OFF * before)
            change--; /* once more, for the level 2 cache is not what it was said to be */
    }
    weft_scratch_free(&it.scratch);
}

/* The rule, or what comes nearest to it. */
static bool begin_by_rule(weft_sweep *sweep, const weft_pass_limits *limits)
{
    weft_choice rule = by_rule(sweep, limits);
    const bool late = expired(sweep), wisdom_only = sweep->flags & FFTW_WISDOM_ONLY;
    rule.quick = !(sweep->flags & (FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE));
    rule.unpruned = rule.quick && !late && !weft_fft_first_will_do(wisdom_only);
    rule.estimated = late || (rule.quick && !rule.unpruned && searches(sweep, limits));
    if (weft_sweep_make(sweep, &rule))
        return true;
    /* FFTW may lack a plan between the arrays as they are, or have wisdom for another choice only.
     */
    for (int change = 0; change < CHANGES; change++) {
        weft_choice choice = rule;
        if (make_change(sweep, limits, change, &choice) && weft_sweep_make(sweep, &choice))
            return true;
    }
    rule.gather = rule.scatter = true;
    if (weft_sweep_make(sweep, &rule))
        return true;
    weft_error("pass: FFTW has no plan for this with flags %u", sweep->flags);
    return false;
}

bool weft_tune(weft_sweep *sweep, const weft_pass_limits *limits)
{
    if (!begin_by_rule(sweep, limits))
        return false;
    sweep->time = 0;
    sweep->rule = sweep->choice;
    search(sweep, limits);
    return true;
}

/* Seconds. */
static double worth_planning(const weft_sweep *sweep)
{
    double seconds = WORTH_PLANNING * sweep->time;
    return !weft_groups_are_short(sweep) && seconds < OTHER_SIZES ? OTHER_SIZES : seconds;
}

/* Takes the other choice, whatever time it takes. */
static void take(tuning *it, const weft_choice *choice)
{
    weft_sweep *sweep = it->sweep, other = *sweep;
    if (weft_sweep_make(&other, choice)) {
        weft_sweep_unmake(sweep);
        *sweep = other;
    }
    sweep->time = seconds_of(it, sweep, 0);
}

/* With FFTW's quick plans; then with all of its effort, if that promises to be worth the seconds
 * that are left. */
static void finish_choice(tuning *it, weft_choice choice, bool only_if_faster, double left)
{
    const double begin = weft_busy_clock(), little = LITTLE * (double)it->limits->level2;
    choice.estimated = false;
    choice.quick = true;
    if (!choice.gather && !weft_fft_pruned_well(it->sweep) && choice.tile > little)
        choice.tile = little; /* it measures on the whole of a tile */
    if (only_if_faster)
        try(it, &choice, 0);
    else
        take(it, &choice);
    choice.quick = false;
    if ((choice.gather && weft_groups_are_short(it->sweep)) || weft_fft_quick_is_all(it->sweep))
        return; /* quick plans are the best there are between buffers */
    const double seconds = weft_busy_clock() - begin;
    it->quick = seconds > it->quick ? seconds : it->quick;
    if (ALL_TO_QUICK * it->quick < left)
        try(it, &choice, 0);
}

/* What won by luck, or with estimated plans only, must win again over the rule. Quick plans are no
 * slower than estimated ones where tiles are gathered: of 52 such sweeps, which were timed with
 * both, 4 % at the most, as much as times differ. */
static void finish_estimated(tuning *it)
{
    weft_sweep *sweep = it->sweep;
    const weft_choice choice = sweep->choice;
    const bool by_rule = same_choice(&choice, &sweep->rule) && choice.tile == sweep->rule.tile;
    const double begin = weft_busy_clock();
    if (!choice.gather)
        sweep->time = seconds_of(it, sweep, 0);
    finish_choice(it, choice, !choice.gather, worth_planning(sweep));
    const double left = worth_planning(sweep) - (weft_busy_clock() - begin);
    if (sweep->time > 0 && !by_rule && (weft_is_far(sweep, it->limits) || left > 0))
        finish_choice(it, sweep->rule, true, left);
}

/* What won with quick plans, where estimated ones would not do. */
static void finish_quick(tuning *it)
{
    weft_sweep *sweep = it->sweep;
    weft_choice choice = sweep->choice;
    choice.quick = false;
    sweep->time = seconds_of(it, sweep, 0);
    if (worth_planning(sweep) >= OTHER_SIZES && !weft_fft_quick_is_all(sweep))
        try(it, &choice, 0);
}

void weft_tune_finish(weft_sweep *sweep, const weft_pass_limits *limits)
{
    const weft_choice *choice = &sweep->choice;
    tuning it = {.sweep = sweep, .limits = limits};
    if (!(choice->estimated || choice->quick) || sweep->groups == 0 || sweep->time <= 0 ||
        expired(sweep) || !weft_scratch_make(&it.scratch, sweep))
        return;
    it.scratch.careful = true;
    if (choice->estimated)
        finish_estimated(&it);
    else
        finish_quick(&it);
    weft_scratch_free(&it.scratch);
}
