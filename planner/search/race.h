/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Races between candidates, which take turns so that whatever disturbs the machine disturbs them
 * alike. A candidate's time is the least of its runs. Whoever is clearly slower is out after one
 * run; the others go on until the difference is clear or the runs are used up. Pure: the clock is
 * the caller's, and when the times it gives are the same on all ranks, so is everything else.
 */
#ifndef WEFT_RACE_H
#define WEFT_RACE_H

#include <stdbool.h>

enum { WEFT_MAX_RACERS = 64 };

/* One run, or a few where one is too short to be timed. */
typedef struct {
    double seconds; /* of one run; negative: it cannot run */
    double spent;   /* since planning began, when it was over */
} weft_lap;

typedef struct {
    weft_lap (*run)(void *context, int candidate);
    void *context;
    int candidates; /* in the order of preference: ties go to the first */
    int most_runs;  /* each */
    double until;   /* `spent` must not get beyond it; negative: no limit */
    double budget;  /* seconds after which a difference need not be made clear any more */
} weft_race;

typedef struct {
    double seconds[WEFT_MAX_RACERS]; /* the least; negative: never ran */
    int runs[WEFT_MAX_RACERS];
    bool dropped[WEFT_MAX_RACERS]; /* out before the end, for being clearly slower */
    int best;                      /* -1: none could run */
    bool out_of_time;
} weft_result;

void weft_race_run(const weft_race *race, weft_result *result);

#endif
