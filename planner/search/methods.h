/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ways of one exchange: which there are, which the model puts near the top, and which of those is
 * the fastest by itself. Collective functions give the same on all ranks.
 */
#ifndef WEFT_WAYS_H
#define WEFT_WAYS_H

#include "planner/search/model.h"
#include "planner/settings.h"
#include "planner/search/trials.h"

enum { WEFT_MAX_METHODS = 64 };

typedef struct {
    weft_method method;
    double model; /* seconds */
} weft_ranked_method;

/* What planning goes by. */
typedef struct {
    MPI_Comm comm;
    const weft_settings *settings;
    weft_machine machine;
    int rigor;    /* 0 ESTIMATE to 3 EXHAUSTIVE */
    double begin; /* by the clock */
    bool little_memory;
    weft_trials *trials;
} weft_search;

/* Sorts by the model, ties in the order of the list, and keeps what is worth timing. Pure. */
int weft_methods_shortlist(weft_ranked_method *candidate, int count, int rigor);

/* Collective: the ways there are for an exchange, as many as rigor asks for, with the model's
 * times, those of the slowest rank; how many. 0 and an error when there is none. */
int weft_methods_list(const weft_search *search, const weft_exchange *exchange,
                      weft_ranked_method candidate[WEFT_MAX_METHODS]);

/* Collective: times the candidates by themselves; the best one's place, 0 when nothing could be
 * timed, and how long it takes (negative: not known). */
int weft_methods_race(const weft_search *search, const weft_exchange *exchange, int which,
                      const weft_ranked_method *candidate, int count, double *seconds);

/* Says in the trials that these were left untimed. */
void weft_methods_leave(const weft_search *search, int which, const weft_ranked_method *candidate,
                        int count);

/* Seconds since planning began, the most of all ranks; collective. */
double weft_search_spent(const weft_search *search);

#endif
