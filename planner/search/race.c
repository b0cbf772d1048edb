/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much slower is clearly slower: with a few runs much, with more runs little, since the least
 * of many runs varies little. What is timed is a barrier, as many runs as the clock can tell, and
 * the time of the slowest rank; where the system gave a rank's core to another process meanwhile,
 * it does not count. Where single runs do not differ at all there is no noise that more of them
 * would even out: as where time is simulated, and each costs much more than it says.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/progress.h"
#include "planner/search/race.h"

/* A candidate with so many runs is out when it takes so many times as long as the best, or, where
 * it has to win by a part of the time, as it may take to win. */
enum { KNOWN = 5 };
static const double clearly[KNOWN] = {1.5, 1.2, 1.1, 1.06, 1.04};
static const double no_gain[KNOWN] = {1.09, 1.05, 1.03, 1.015, 1};
/* Within this, two are equally fast, if the race does not say; and if one never ran undisturbed. */
static const double equal = 0.01, equal_if_disturbed = 0.15;
/* Runs that differ by less do not differ: real ones do so by 1 % and more. */
static const double noise = 1e-3;
/* Shorter runs are timed a few times in a turn, for a machine that is busy disturbs some of them;
 * or, in a quick race, in more turns. */
static const double short_run = 3e-3, short_quick_run = 1e-3;
enum { SAMPLES = 3, MOST_TOGETHER = 50 };
/* Turns in which all samples were spoiled are taken again, so often and for so many seconds: runs
 * that take longer than a core is left to a process never come through. */
enum { MOST_TRIES = 12 };
static const double PATIENCE = 0.03;

static bool alike(const double *value, int values)
{
    for (int k = 1; k < values; k++)
        if (value[k] > value[0] * (1 + noise) || value[k] < value[0] * (1 - noise))
            return false;
    return values > 1 && value[0] > 0;
}

/* Samples of so many runs each, times of the slowest rank; `spoiled`: how many of them some rank
 * had to interrupt for another process, which does not matter where they are alike. The least of
 * the others, or of all if there are no others; and what planning has taken until now. Without what
 * other processes took they would all have taken `at_least` so long, if they made one rank wait, or
 * two, one after the other. */
static double sample(const weft_race *race, int i, int samples, int *spoiled, double *at_least,
                     double *spent)
{
    weft_candidate *this = &race->candidate[i];
    double value[2 * SAMPLES + 1] = {0}, least[2] = {-1, -1};
    for (int k = 0; k < samples; k++) {
        MPI_Barrier(race->comm);
        const weft_moment begin = weft_moment_now();
        double lost;
        for (int run = 0; run < this->together; run++)
            race->run(race->context, i);
        value[k] = weft_seconds_since(&begin, &lost) / this->together;
        value[samples + k] = lost / this->together;
    }
    value[2 * samples] = weft_clock() - race->begin;
    weft_agree_max_all(race->comm, value, 2 * samples + 1);
    *spoiled = 0;
    *at_least = value[0];
    this->steady = alike(value, samples);
    for (int k = 0; k < samples && !this->steady; k++) {
        const double alone = value[k] - 2 * value[samples + k];
        *at_least = alone < *at_least ? alone : *at_least;
        double *of = &least[value[samples + k] > 0];
        *of = *of < 0 || value[k] < *of ? value[k] : *of;
        *spoiled += value[samples + k] > 0;
    }
    *spent = value[2 * samples];
    this->clean |= this->steady || least[0] >= 0;
    if (this->steady)
        return value[0];
    return least[0] < 0 ? least[1] : least[0];
}

/* The first of those that are as fast as the fastest; negative: none has been timed. */
static int best_of(const weft_race *race)
{
    const weft_candidate *of = race->candidate;
    const double tie = 1 + (race->tie > 0 ? race->tie : equal);
    double least = -1;
    for (int i = 0; i < race->candidates; i++)
        if (of[i].seconds >= 0 && (least < 0 || of[i].seconds < least))
            least = of[i].seconds;
    const double wide = tie > 1 + equal_if_disturbed ? tie : 1 + equal_if_disturbed;
    for (int i = 0; i < race->candidates; i++)
        if (of[i].seconds >= 0 && of[i].seconds <= least * (of[i].clean ? tie : wide))
            return i;
    return -1;
}

/* Seconds beyond which a run in a quick race is clearly slow, however it was disturbed; negative:
 * none are. */
static double hopeless(const weft_race *race)
{
    const int best = best_of(race);
    return race->quick && best >= 0 ? clearly[0] * race->candidate[best].seconds : -1;
}

/* The same until there is one that was not spoiled, or two are alike, or it is clearly slow all the
 * same, or it takes too long. */
static double time_runs(const weft_race *race, int i, int samples, double *spent)
{
    const double most = hopeless(race);
    double least = -1, begin = 0, last[2] = {0}, at_least = 0;
    for (int tries = 0, spoiled = samples;
         spoiled == samples && !alike(last, 2) && tries < MOST_TRIES; tries++) {
        const double seconds = sample(race, i, samples, &spoiled, &at_least, spent);
        last[0] = last[1];
        last[1] = seconds;
        least = least < 0 || spoiled < samples || seconds < least ? seconds : least;
        begin = tries == 0 ? *spent : begin;
        if (*spent - begin > PATIENCE || (most >= 0 && at_least > most))
            break;
    }
    return least;
}

/* One run that does not count tells how many are timed together: one, where a few short ones are
 * alike, which then are the turn, or where it is clearly slow in a quick race. Negative: the turn
 * is still to be taken. */
static double first_run(const weft_race *race, int i, double *spent)
{
    weft_candidate *this = &race->candidate[i];
    const double most = hopeless(race);
    this->together = 1;
    const double once = time_runs(race, i, 1, spent);
    this->is_long = once > (race->quick ? short_quick_run : short_run);
    if (most >= 0 && once > most)
        return once;
    if (once < race->enough) {
        int spoiled;
        double at_least;
        const double seconds = sample(race, i, SAMPLES, &spoiled, &at_least, spent);
        if (this->steady)
            return seconds;
    }
    if (once * MOST_TOGETHER < race->enough)
        this->together = MOST_TOGETHER;
    else if (once < race->enough)
        this->together = (int)(race->enough / once) + 1;
    return -1;
}

/* A turn of a candidate; negative: it cannot run. */
static double turn(const weft_race *race, int i, double *spent)
{
    if (race->time)
        return race->time(race->context, i, spent);
    if (race->candidate[i].together == 0) {
        if (race->prepare && !race->prepare(race->context, i)) {
            weft_error_clear();
            *spent = weft_agree_max(race->comm, weft_clock() - race->begin);
            return -1;
        }
        const double seconds = first_run(race, i, spent);
        if (seconds >= 0)
            return seconds;
    }
    return time_runs(race, i, race->candidate[i].is_long || race->quick ? 1 : SAMPLES, spent);
}

/* How many times as long as the best one candidate i may take; long runs tell as much as two. */
static double may_take(const weft_race *race, int i, const weft_candidate *best)
{
    const weft_candidate *this = &race->candidate[i];
    const int runs = race->quick && this->is_long ? 2 * this->runs : this->runs;
    const int known = (runs > KNOWN ? KNOWN : runs) - 1;
    if (this->steady && best->steady)
        return 1 + equal;
    return race->tie > 0 && i > 0 ? (1 - race->tie) * no_gain[known] : clearly[known];
}

/* Drops who is clearly slower; how many are left, 1 also where more runs would tell nothing. */
static int drop(const weft_race *race)
{
    const int best = best_of(race);
    int left = 0, steady = 0;
    for (int i = 0; i < race->candidates; i++) {
        weft_candidate *this = &race->candidate[i];
        if (this->seconds < 0 || this->outcome == WEFT_DROPPED)
            continue;
        const weft_candidate *fastest = &race->candidate[best];
        if (i != best && this->seconds > fastest->seconds * may_take(race, i, fastest)) {
            this->outcome = WEFT_DROPPED;
            continue;
        }
        left++;
        steady += this->steady;
    }
    return steady == left ? 1 : left;
}

/* False when the time is up. */
static bool take_turn(const weft_race *race, int i, double *spent)
{
    weft_candidate *this = &race->candidate[i];
    weft_progress("timing %d of %d%s", i + 1, race->candidates,
                  this->schedule ? " schedules" : " ways of an exchange");
    const double before = *spent, seconds = turn(race, i, spent);
    if (seconds < 0) {
        this->seconds = -1;
        this->outcome = WEFT_FAILED;
    } else if (this->runs++ == 0 || seconds < this->seconds) {
        this->seconds = seconds;
        this->outcome = WEFT_SLOWER;
    }
    /* the next one may take as long as this one */
    const double took = before > 0 ? *spent - before : seconds;
    return race->until < 0 || *spent + took <= race->until;
}

static int most_rounds(const weft_race *race)
{
    return race->quick && race->candidate[0].is_long ? (race->most_runs + 1) / 2 : race->most_runs;
}

/* Until the time is up or the difference is clear. */
static bool take_turns(const weft_race *race)
{
    double spent = 0, begin = -1;
    for (int round = 0; round == 0 || round < most_rounds(race); round++) {
        for (int i = 0; i < race->candidates; i++) {
            if (race->candidate[i].outcome >= WEFT_DROPPED ||
                (round == 0 && race->candidate[i].runs > 0))
                continue;
            if (!take_turn(race, i, &spent))
                return false;
            begin = begin < 0 ? spent : begin;
            /* those that have not yet run must beat what is there */
            if (round == 0)
                drop(race);
        }
        if (drop(race) <= 1 || (round > 0 && spent - begin > race->budget))
            break;
    }
    return true;
}

static bool tells(const weft_race *race, int best)
{
    const weft_candidate *first = &race->candidate[0];
    return race->tie == 0 || race->crowded || first->seconds < 0 ||
           (first->clean && race->candidate[best].clean);
}

/* Who has been in a race before needs no first run, and for a quick one its time is kept, if it is
 * worth something, as if it had run once. */
static void line_up(const weft_race *race, weft_candidate *this)
{
    const bool ran = this->runs > 0 && this->seconds >= 0, kept = ran && race->quick && this->clean;
    this->outcome = WEFT_UNTRIED;
    if (!ran)
        this->together = 0;
    this->runs = kept;
    if (!kept) {
        this->seconds = -1;
        this->clean = race->time != NULL;
    }
}

int weft_race_run(weft_race *race)
{
    for (int i = 0; i < race->candidates; i++)
        line_up(race, &race->candidate[i]);
    race->out_of_time = !take_turns(race);
    int best = best_of(race);
    if (best > 0 && !tells(race, best))
        best = 0;
    if (best >= 0)
        race->candidate[best].outcome = WEFT_CHOSEN;
    return best;
}

/* For one more; there is room for a power of two. */
static bool has_room(weft_tried *tried)
{
    const int count = tried->count;
    if (count & (count - 1))
        return true;
    weft_candidate *larger =
        realloc(tried->candidate, (count ? 2 * (size_t)count : 1) * sizeof *larger);
    if (larger)
        tried->candidate = larger;
    return larger != NULL;
}

void weft_tried_add(weft_tried *tried, const weft_candidate *candidate, const char *format, ...)
{
    va_list arguments;
    if (tried->count == WEFT_MAX_TRIED || !has_room(tried))
        return;
    weft_candidate *copy = &tried->candidate[tried->count++];
    *copy = *candidate;
    copy->schedule = NULL; /* which may go */
    va_start(arguments, format);
    vsnprintf(copy->what, sizeof copy->what, format, arguments);
    va_end(arguments);
}

void weft_tried_free(weft_tried *tried)
{
    free(tried->candidate);
    *tried = (weft_tried){0};
}

const char *weft_outcome_name(weft_outcome outcome)
{
    static const char *const name[] = {"untried", "slower", "dropped", "failed", "chosen"};
    return name[outcome];
}
