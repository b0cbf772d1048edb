/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Races between candidates: methods of one exchange, or whole schedules. They take turns, so that
 * whatever disturbs the machine disturbs all alike. A candidate's time is the least of its runs.
 * Whoever is clearly slower is out after one run; the others go on until the difference is clear or
 * the runs are used up. Collective, and the same on all ranks.
 */
#ifndef WEFT_RACE_H
#define WEFT_RACE_H

#include <mpi.h>
#include <stdbool.h>
#include "planner/method.h"

enum { WEFT_MAX_CANDIDATES = 64, WEFT_MAX_TRIED = 160 };

typedef enum {
    WEFT_UNTRIED, /* by the model it had no prospects */
    WEFT_SLOWER,
    WEFT_DROPPED, /* clearly slower after a run or a few */
    WEFT_FAILED,
    WEFT_CHOSEN
} weft_outcome;

typedef struct {
    weft_method method; /* of one exchange; or else */
    struct weft_schedule *schedule;
    int path;       /* of a schedule, its way (weft_search.chosen) */
    double model;   /* seconds that the model says; negative: nothing */
    double seconds; /* the least that was measured, of the slowest rank; negative: nothing was */
    int runs;       /* so many were timed, of them: */
    int together;   /* so many at a time, where one is too short; 0: there was none yet */
    bool is_long;   /* one is enough to be timed */
    bool steady;    /* runs do not differ: more of them would tell no more */
    bool clean;     /* there was a run in which no other process had a rank's core */
    weft_outcome outcome;
    char what[120]; /* for reports */
} weft_candidate;

typedef struct weft_race weft_race;
struct weft_race {
    MPI_Comm comm;
    weft_candidate *candidate; /* in the order of preference: ties go to the first */
    int candidates;
    bool (*prepare)(void *context, int candidate); /* before its first run; NULL: nothing to do */
    void (*run)(void *context, int candidate);
    void *context;
    double enough; /* seconds that can be timed well */
    int most_runs; /* each */
    double begin;  /* of planning, by the clock */
    double until;  /* planning must not take longer; negative: no limit */
    double budget; /* seconds after which a difference need not be made clear any more */
    bool quick;    /* a run is a turn, however short; half as many where they are long; who has been
                      in a race before keeps its time */
    double tie;   /* within this part of their time, two are equally fast; 0: as is usual. Who is to
                     win by a part has to in runs that were clean, of the first as well, ... */
    bool crowded; /* ... unless ranks share cores, so that hardly any is */
    bool out_of_time;
    /* In place of prepare and run, for tests: seconds of a run, a clean one if it does not say
     * otherwise, negative: it cannot run; and what planning has taken when it was over. */
    double (*time)(void *context, int candidate, double *spent);
};

/* The best one's place; -1: none could run. */
int weft_race_run(weft_race *race);

/* What planning tried, for the report. The same on all ranks. */
typedef struct {
    int count;
    weft_candidate *candidate; /* beyond WEFT_MAX_TRIED, or memory, they are forgotten */
} weft_tried;

void weft_tried_add(weft_tried *tried, const weft_candidate *candidate, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void weft_tried_free(weft_tried *tried);
const char *weft_outcome_name(weft_outcome outcome);

#endif
