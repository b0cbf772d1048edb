/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Races candidates. With few runs, only a large difference counts as clearly slower; with more runs
 * a small one does, since the fastest of many runs varies little. One sample is a barrier, then as
 * many runs as the clock can resolve; its time is the slowest rank's. A sample is spoiled,
 * and normally not used, if the system gave a rank's core to another process meanwhile.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "planner/search/race.h"

/* A candidate with n runs is dropped when its time is more than clearly[n - 1] times the best; in
 * a race that it must win by a margin, when it exceeds no_gain[n - 1] times the time that would
 * win. */
enum { KNOWN = 5 };
static const double clearly[KNOWN] = {1.5, 1.2, 1.1, 1.06, 1.04};
static const double no_gain[KNOWN] = {1.09, 1.05, 1.03, 1.015, 1};
/* Candidates whose times differ by less than this fraction are equally fast, unless the race sets
 * `tie`; the second value is for a candidate that had no clean run. */
static const double equal = 0.01, equal_if_disturbed = 0.15;
/* In each turn, runs shorter than this (seconds) are timed several times, since a busy machine
 * disturbs some of them; in a quick race they get more turns instead. */
static const double short_run = 3e-3, short_quick_run = 1e-3;
enum { SAMPLES = 3, MOST_TOGETHER = 50 };
/* A turn whose samples were all spoiled is repeated, at most this often and for this many seconds.
 * Longer runs than LONGEST_TRY are not repeated, since a process may not keep its core that long.
 */
enum { MOST_TRIES = 12 };
static const double PATIENCE = 0.03, LONGEST_TRY = 6e-3;

/*
 * Takes samples of `together` runs each and returns the fastest sample that was not spoiled, or the
 * fastest of all. A sample is spoiled when some rank lost its core to another process. Sets
 *     spoiled   the number of spoiled samples
 *     at_least  a lower bound of the samples' times without the time that other processes took,
 *               which may have delayed one rank, or two ranks one after the other
 *     spent     the planning time until now
 */
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
    for (int k = 0; k < samples; k++) {
        const double alone = value[k] - 2 * value[samples + k];
        *at_least = alone < *at_least ? alone : *at_least;
        double *of = &least[value[samples + k] > 0];
        *of = *of < 0 || value[k] < *of ? value[k] : *of;
        *spoiled += value[samples + k] > 0;
    }
    *spent = value[2 * samples];
    this->clean |= least[0] >= 0;
    return least[0] < 0 ? least[1] : least[0];
}

/* Returns the first of the candidates that are as fast as the fastest; negative: none has been
 * timed. */
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
        if (of[i].seconds >= 0 &&
            of[i].seconds <= least * (of[i].clean || race->crowded ? tie : wide))
            return i;
    return -1;
}

/* Returns the seconds beyond which a run in a quick race is clearly slow, even if it was
 * disturbed; negative: no limit. */
static double slow_limit(const weft_race *race)
{
    const int best = best_of(race);
    return race->quick && best >= 0 ? clearly[0] * race->candidate[best].seconds : -1;
}

/* Takes samples until one is not spoiled, the candidate is clearly slow anyway, or PATIENCE is used
 * up; in a crowded race only once, since spoiled samples count alike there. */
static double time_runs(const weft_race *race, int i, int samples, double *spent)
{
    const double most = slow_limit(race);
    double least = -1, took = 0, at_least = 0;
    for (int tries = 0, spoiled = samples; spoiled == samples && tries < MOST_TRIES; tries++) {
        const double seconds = sample(race, i, samples, &spoiled, &at_least, spent);
        least = least < 0 || spoiled < samples || seconds < least ? seconds : least;
        took += seconds * samples * race->candidate[i].together;
        if (race->crowded || took > PATIENCE || seconds > LONGEST_TRY ||
            (most >= 0 && at_least > most))
            break;
    }
    return least;
}

/* Takes a first run, which does not count, to find how many runs are timed together. Returns the
 * time as the candidate's turn if the run is clearly slow in a quick race, or if it is so long that
 * cold caches and connections hardly matter. Negative: the turn has still to be taken. */
static double first_run(const weft_race *race, int i, double *spent)
{
    weft_candidate *this = &race->candidate[i];
    const double most = slow_limit(race);
    this->together = 1;
    const double once = time_runs(race, i, 1, spent);
    this->is_long = once > (race->quick ? short_quick_run : short_run);
    if (once > PATIENCE || (most >= 0 && once > most))
        return once;
    if (once * MOST_TOGETHER < race->enough)
        this->together = MOST_TOGETHER;
    else if (once < race->enough)
        this->together = (int)(race->enough / once) + 1;
    return -1;
}

/* Takes a candidate's turn and returns its time; negative: the candidate cannot run. */
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

/* The factor of the best time that candidate i may take without being dropped. In a quick race, a
 * long run counts as two. */
static double may_take(const weft_race *race, int i)
{
    const weft_candidate *this = &race->candidate[i];
    const int runs = race->quick && this->is_long ? 2 * this->runs : this->runs;
    const int known = (runs > KNOWN ? KNOWN : runs) - 1;
    return race->tie > 0 && i > 0 ? (1 - race->tie) * no_gain[known] : clearly[known];
}

/* Drops candidates that are clearly slower and returns how many are left. */
static int drop(const weft_race *race)
{
    const int best = best_of(race);
    int left = 0;
    for (int i = 0; i < race->candidates; i++) {
        weft_candidate *this = &race->candidate[i];
        if (this->seconds < 0 || this->outcome == WEFT_DROPPED)
            continue;
        if (i != best && this->seconds > race->candidate[best].seconds * may_take(race, i)) {
            this->outcome = WEFT_DROPPED;
            continue;
        }
        left++;
    }
    return left;
}

/* False when the time limit is reached. */
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
    /* the next turn may take as long as this one */
    const double took = before > 0 ? *spent - before : seconds;
    return race->until < 0 || *spent + took <= race->until;
}

/* Takes turns until the difference is clear or the budget is used up. False when the time limit is
 * reached. */
static bool take_turns(const weft_race *race)
{
    double spent = 0, begin = -1;
    int most = 1;
    for (int round = 0; round < most; round++) {
        for (int i = 0; i < race->candidates; i++) {
            if (race->candidate[i].outcome >= WEFT_DROPPED ||
                (round == 0 && race->candidate[i].runs > 0))
                continue;
            if (!take_turn(race, i, &spent))
                return false;
            begin = begin < 0 ? spent : begin;
            /* candidates that have not run yet must beat the best so far */
            if (round == 0)
                drop(race);
        }
        if (drop(race) <= 1 || (round > 0 && spent - begin > race->budget))
            break;
        most =
            race->quick && race->candidate[0].is_long ? (race->most_runs + 1) / 2 : race->most_runs;
    }
    return true;
}

static bool is_informative(const weft_race *race, int best)
{
    const weft_candidate *first = &race->candidate[0];
    return race->tie == 0 || race->crowded || first->seconds < 0 ||
           (first->clean && race->candidate[best].clean);
}

/* Prepares a candidate for a race. A candidate that was in a race before needs no first run; in a
 * quick race its earlier time also counts, as one run, if that time was clean. */
static void prepare_candidate(const weft_race *race, weft_candidate *this)
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
        prepare_candidate(race, &race->candidate[i]);
    race->out_of_time = !take_turns(race);
    int best = best_of(race);
    if (best > 0 && !is_informative(race, best))
        best = 0;
    if (best >= 0)
        race->candidate[best].outcome = WEFT_CHOSEN;
    return best;
}

void weft_tried_add(weft_tried *tried, const weft_candidate *candidate, const char *format, ...)
{
    va_list arguments;
    weft_candidate *larger =
        tried->count < WEFT_MAX_TRIED
            ? realloc(tried->candidate, ((size_t)tried->count + 1) * sizeof *larger)
            : NULL;
    if (!larger)
        return;
    tried->candidate = larger;
    weft_candidate *copy = &larger[tried->count++];
    *copy = *candidate;
    copy->schedule = NULL; /* the schedule may be destroyed before the report is written */
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
