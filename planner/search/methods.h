/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The methods of one exchange: which methods exist, which of them the model ranks near the top,
 * and which of these is the fastest when the exchange runs alone. Collective functions return the
 * same on all ranks.
 */
#ifndef WEFT_METHODS_H
#define WEFT_METHODS_H

#include "planner/environment.h"
#include "planner/path/path.h"
#include "planner/search/race.h"
#include "planner/settings.h"

/* The state of a search for the schedule of a problem: its input and its result. */
typedef struct {
    const weft_problem *problem;
    const weft_settings *settings;
    weft_environment environment;
    const weft_path *path; /* the candidate paths */
    int paths;
    int raced;    /* the first `raced` paths are timed or compared */
    int rigor;    /* 0 ESTIMATE to 3 EXHAUSTIVE */
    double begin; /* clock time at which planning began */
    bool little_memory;
    weft_tried *tried;

    /* The result: */
    int chosen;     /* the way of the schedule found: the index of its path, plus `paths` if it uses
                       FFTW's own way along that path */
    double seconds; /* time of one run on the slowest rank; 0: not timed */
    bool by_hand;   /* the user chose some or all backends */
    bool cut_short; /* the time limit ended the search */
} weft_search;

/* Sorts the candidates by the model's time, keeping the order of ties, and returns how many, from
 * the first on, are worth timing. Pure. */
int weft_methods_shortlist(weft_candidate *candidate, int count, int rigor);

/* Lists the methods that can carry out an exchange, as many as the rigor asks for, with the
 * model's time for the slowest rank. Returns their number; 0 with an error when there is none.
 * Collective. */
int weft_methods_list(const weft_search *search, const weft_exchange *exchange,
                      weft_candidate candidate[WEFT_MAX_CANDIDATES]);

/* Times the exchange alone with each candidate; `quick` takes fewer runs, for callers that need no
 * exact result. Returns the index of the fastest, 0 when nothing could be timed, and sets its time
 * (negative: unknown). Collective. */
int weft_methods_race(const weft_search *search, const weft_exchange *exchange, int which,
                      weft_candidate *candidate, int count, bool quick, double *seconds);

/* Adds the candidates for exchange number `which` to the list of what was tried. */
void weft_methods_tried(const weft_search *search, int which, const weft_candidate *candidate,
                        int count);

/* Seconds since planning began, the maximum over all ranks; collective. */
double weft_search_spent(const weft_search *search);
/* Whether the time limit has passed or will pass within `more` seconds; collective. */
bool weft_search_is_late(const weft_search *search, double more);

/* Whether there are more ranks than cores on a node. */
bool weft_search_is_crowded(const weft_search *search);

#endif
