/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much slower is clearly slower: with a few runs much, with more runs little, since the least
 * of many runs varies little.
 */
#include "planner/search/race.h"

/* A candidate with so many runs is out when it takes so many times as long as the best. */
static const double clearly[] = {1.5, 1.2, 1.1, 1.06, 1.04};
/* Within this, two are equally fast. */
static const double tie = 1.01;

static double clear_ratio(int runs)
{
    const int known = sizeof clearly / sizeof *clearly;
    return clearly[runs > known ? known - 1 : runs - 1];
}

/* The first of those that are as fast as the fastest. */
static int best_of(const weft_race *race, const weft_result *result)
{
    double least = -1;
    for (int i = 0; i < race->candidates; i++)
        if (result->seconds[i] >= 0 && (least < 0 || result->seconds[i] < least))
            least = result->seconds[i];
    for (int i = 0; i < race->candidates; i++)
        if (result->seconds[i] >= 0 && result->seconds[i] <= least * tie)
            return i;
    return -1;
}

/* Drops who is clearly slower; how many are left. */
static int drop(const weft_race *race, weft_result *result)
{
    int left = 0;
    result->best = best_of(race, result);
    for (int i = 0; i < race->candidates; i++) {
        if (result->seconds[i] < 0 || result->dropped[i])
            continue;
        const double least = result->seconds[result->best];
        result->dropped[i] =
            i != result->best && result->seconds[i] > least * clear_ratio(result->runs[i]);
        left += !result->dropped[i];
    }
    return left;
}

/* One run of a candidate; false when the time is up. */
static bool lap(const weft_race *race, weft_result *result, int i, double *spent)
{
    const double before = *spent;
    const weft_lap lap = race->run(race->context, i);
    *spent = lap.spent;
    if (lap.seconds < 0) {
        result->seconds[i] = -1;
        result->dropped[i] = true;
    } else if (result->runs[i]++ == 0 || lap.seconds < result->seconds[i]) {
        result->seconds[i] = lap.seconds;
    }
    /* the next one may take as long as this one */
    const double took = before > 0 ? *spent - before : lap.seconds;
    return race->until < 0 || *spent + took <= race->until;
}

void weft_race_run(const weft_race *race, weft_result *result)
{
    double spent = 0, begin = -1;
    *result = (weft_result){.best = -1};
    for (int i = 0; i < race->candidates; i++)
        result->seconds[i] = -1;
    for (int round = 0; round < race->most_runs; round++) {
        for (int i = 0; i < race->candidates; i++) {
            if (result->dropped[i])
                continue;
            if (!lap(race, result, i, &spent)) {
                result->out_of_time = true;
                result->best = best_of(race, result);
                return;
            }
            begin = begin < 0 ? spent : begin;
            /* those that have not yet run must beat what is there */
            if (round == 0)
                drop(race, result);
        }
        const int left = drop(race, result);
        if (left <= 1 || (round > 0 && spent - begin > race->budget))
            return;
    }
}
