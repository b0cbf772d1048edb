/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Races: candidates, either methods of one exchange or whole schedules, are timed in turns, so
 * that a disturbance of the machine affects all of them. A candidate's time is its fastest run.
 * Clearly slower candidates are dropped. Collective; the result is the same on all ranks.
 */
#ifndef WEFT_RACE_H
#define WEFT_RACE_H

#include <mpi.h>
#include <stdbool.h>
#include "planner/settings.h"

enum { WEFT_MAX_CANDIDATES = 64, WEFT_MAX_TRIED = 160 };

typedef enum {
    WEFT_UNTRIED, /* the model's time was too long, or its turn never came */
    WEFT_SLOWER,
    WEFT_DROPPED, /* clearly slower after one or a few runs */
    WEFT_FAILED,
    WEFT_CHOSEN
} weft_outcome;

typedef struct {
    weft_method method; /* this method of one exchange, or, if not NULL, this schedule: */
    struct weft_schedule *schedule;
    int path;       /* the index of the schedule's path (weft_search.chosen) */
    double model;   /* seconds according to the model; negative: no estimate */
    double seconds; /* of the slowest rank in the fastest run; negative: not measured */
    int runs;       /* number of turns taken */
    int together; /* number of runs that are timed as one, where a single run is too short to time;
                     0: not known yet */
    bool is_long; /* a single run is long enough to be a whole turn */
    bool clean;   /* in at least one run no other process used a rank's core */
    weft_outcome outcome;
    char what[120]; /* description for reports */
} weft_candidate;

/* A candidate that is a whole schedule. */
static inline weft_candidate weft_candidate_of(struct weft_schedule *schedule, int path)
{
    return (weft_candidate){.schedule = schedule, .path = path, .model = -1, .seconds = -1};
}

typedef struct weft_race weft_race;
struct weft_race {
    MPI_Comm comm;
    /* in the order of preference, which decides between equally fast ones */
    weft_candidate *candidate;
    int candidates;
    /* called before a candidate's first run; NULL: nothing to prepare */
    bool (*prepare)(void *context, int candidate);
    void (*run)(void *context, int candidate);
    void *context;
    double enough; /* shortest time, in seconds, that can be timed well */
    int most_runs; /* maximum turns of each candidate */
    double begin;  /* clock time at which planning began */
    double until;  /* maximum planning time in seconds; negative: no limit */
    double budget; /* seconds after which the race ends although the difference is not clear */
    bool quick; /* each turn is one run, however short. Candidates with long runs take half as many
                   turns, and a candidate keeps its time from an earlier race */
    double tie; /* candidates whose times differ by less than this fraction are equally fast; 0: the
                   default. If given, another candidate wins over the first only if it is faster by
                   this fraction, and both had a clean run or the race is crowded */
    bool crowded; /* hardly any run is clean, because ranks share cores, or because the system
                     interrupts ranks to handle packets of a network. So clean and other runs count
                     alike, and a turn is not repeated until a run is clean */
    bool out_of_time;
    /* For tests, in place of prepare and run: returns the seconds of a run, negative if the
     * candidate cannot run, and sets `spent`, the planning time at the end of the run. Runs count
     * as clean unless the function changes that. */
    double (*time)(void *context, int candidate, double *spent);
};

/* Returns the index of the fastest candidate; -1: none could run. */
int weft_race_run(weft_race *race);

/* The candidates that planning tried, for the report. The same on all ranks. */
typedef struct {
    int count;
    weft_candidate *candidate; /* at most WEFT_MAX_TRIED; without memory fewer */
} weft_tried;

void weft_tried_add(weft_tried *tried, const weft_candidate *candidate, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void weft_tried_free(weft_tried *tried);
const char *weft_outcome_name(weft_outcome outcome);

#endif
