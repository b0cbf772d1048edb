/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The laps of a race: a barrier, as many runs as can be timed, and the time of the slowest rank.
 * Collective, and the same on all ranks.
 */
#ifndef WEFT_LAPS_H
#define WEFT_LAPS_H

#include "planner/search/race.h"
#include "planner/search/methods.h"

/* Begins with all times 0. */
typedef struct {
    const weft_search *search;
    double enough; /* seconds that can be timed well */
    void (*run)(void *context, int candidate);
    void *context;
    int times[WEFT_MAX_RACERS];      /* runs of a lap; 0: did not run yet */
    bool long_runs[WEFT_MAX_RACERS]; /* that one of is enough to be timed */
} weft_laps;

weft_lap weft_laps_time(weft_laps *laps, int candidate);

#endif
