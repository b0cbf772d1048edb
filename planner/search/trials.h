/* SPDX-License-Identifier: BSD-3-Clause */
/* What planning tried, for the report. The same on all ranks. */
#ifndef WEFT_TRIALS_H
#define WEFT_TRIALS_H

#include "planner/search/race.h"

enum { WEFT_MAX_TRIALS = 160 };

typedef enum {
    WEFT_UNTRIED, /* by the model it had no prospects */
    WEFT_SLOWER,
    WEFT_DROPPED, /* clearly slower after a run or a few */
    WEFT_FAILED,
    WEFT_CHOSEN
} weft_outcome;

typedef struct {
    char what[120];
    double model;   /* seconds that the model says; negative: nothing */
    double seconds; /* the least that was measured; negative: nothing was */
    int runs;
    weft_outcome outcome;
} weft_trial;

typedef struct {
    int count;
    weft_trial trial[WEFT_MAX_TRIALS]; /* what is more is forgotten */
} weft_trials;

/* The next one, to be filled in; NULL when there is no room. */
weft_trial *weft_trials_add(weft_trials *trials, double model, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Enters what a race showed of candidate i. */
void weft_trial_enter(weft_trial *trial, const weft_result *result, int i);
const char *weft_outcome_name(weft_outcome outcome);

#endif
