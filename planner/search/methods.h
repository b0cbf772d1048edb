/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Methods of one exchange: which there are, which the model puts near the top, and which of those
 * is the fastest by itself. Collective functions give the same on all ranks.
 */
#ifndef WEFT_METHODS_H
#define WEFT_METHODS_H

#include "planner/environment.h"
#include "planner/path/path.h"
#include "planner/search/race.h"
#include "planner/settings.h"

/* The search for the schedule of a problem: all between the two. */
typedef struct {
    const weft_problem *problem;
    const weft_settings *settings;
    weft_environment environment;
    const weft_path *path; /* the candidates */
    int paths;
    int raced;    /* so many of them, from the first on, are worth timing, or comparing */
    int rigor;    /* 0 ESTIMATE to 3 EXHAUSTIVE */
    double begin; /* by the clock */
    bool little_memory;
    weft_tried *tried;

    /* what was found */
    int chosen;     /* the schedule's way: its path, or, in FFTW's own way, its path and `paths` */
    double seconds; /* of a run, the slowest rank's; 0: was not timed */
    bool by_hand;   /* the user chose all backends or some */
    bool cut_short; /* the time limit came first */
} weft_search;

/* Sorts by the model, ties in the order of the list, and keeps what is worth timing. Pure. */
int weft_methods_shortlist(weft_candidate *candidate, int count, int rigor);

/* Collective: the methods there are for an exchange, as many as rigor asks for, with the model's
 * times, those of the slowest rank; how many. 0 and an error when there is none. */
int weft_methods_list(const weft_search *search, const weft_exchange *exchange,
                      weft_candidate candidate[WEFT_MAX_CANDIDATES]);

/* Collective: times the candidates by themselves, quickly where a little does not matter; the best
 * one's place, 0 when nothing could be timed, and how long it takes (negative: not known). */
int weft_methods_race(const weft_search *search, const weft_exchange *exchange, int which,
                      weft_candidate *candidate, int count, bool quick, double *seconds);

/* Enters the candidates for the which-th exchange into what was tried. */
void weft_methods_tried(const weft_search *search, int which, const weft_candidate *candidate,
                        int count);

/* Seconds since planning began, the most of all ranks; collective. */
double weft_search_spent(const weft_search *search);
/* Whether the time limit has come, or will have after so many seconds more; collective. */
bool weft_search_is_late(const weft_search *search, double more);

/* Whether ranks share cores. */
bool weft_search_is_crowded(const weft_search *search);

#endif
