/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for the fastest schedule: which path it takes and how its exchanges are carried out.
 * Collective; the result is the same on all ranks.
 */
#ifndef WEFT_SEARCH_H
#define WEFT_SEARCH_H

#include "planner/schedule/schedule.h"
#include "planner/search/race.h"
#include "planner/wisdom/decision.h"

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
    weft_tried *tried;

    /* The result: */
    int chosen;     /* the index of the path of the schedule found */
    double seconds; /* time of one run on the slowest rank; 0: not timed */
    bool by_hand;   /* the user chose some or all backends */
    bool cut_short; /* the time limit ended the search */
} weft_search;

/* The methods of one exchange (choose.c). */

/* Sorts the candidates by the model's time, keeping the order of ties, and returns how many, from
 * the first on, are worth timing. Pure. */
int weft_methods_shortlist(weft_candidate *candidate, int count, int rigor);

/* Lists the methods that can carry out an exchange, as many as the rigor asks for, with the
 * model's time for the slowest rank. Returns their number; 0 with an error when there is none.
 * Collective. */
int weft_methods_list(const weft_search *search, const weft_exchange *exchange,
                      weft_candidate candidate[WEFT_MAX_CANDIDATES]);

/* Times the exchange alone with each candidate; `quick` takes fewer runs, for callers that need no
 * exact result. Returns the index of the fastest; 0 when nothing could be timed. Collective. */
int weft_methods_race(const weft_search *search, const weft_exchange *exchange, int which,
                      weft_candidate *candidate, int count, bool quick);

/* Enters the candidates in the report. */
void weft_methods_tried(const weft_search *search, int which, const weft_candidate *candidate,
                        int count);

/* One schedule. */

enum { WEFT_SHARE_NONE = 0 /* no exchange uses shared memory */ };

/* How to carry out the exchanges of one schedule... */
typedef struct {
    const weft_search *search;
    const weft_decision *known; /* all choices of a known decision; NULL: the search chooses */
    int64_t shared;             /* bit i: exchange i uses shared memory, if possible */
    bool refused; /* shared memory was refused before, so the search does not ask again */
    double most;  /* maximum time of messages in seconds; 0: no maximum */
    /* ...and the result, after the schedule is made */
    int64_t took_shared; /* bit i: exchange i uses shared memory because `shared` asks for it */
    bool picked_shared;  /* some exchange uses shared memory, and the user did not choose it */
    bool by_hand;
    double messages; /* measured seconds of the messages of all exchanges so far */
    double model;    /* the model's seconds of all exchanges so far */
} weft_search_options;

/* Makes a schedule along the path with this index. */
weft_schedule *weft_search_make(int path, weft_search_options *to);

/* Makes the schedule that a decision describes; NULL with an error when the decision does not
 * fit. */
weft_schedule *weft_search_known(const weft_search *search, const weft_decision *decision);

/* If ranks have other variants of passes than rank 0, makes the schedule again with rank 0's
 * variants, so that wisdom can record them. False with an error on all ranks when any rank fails;
 * there is no schedule then. */
bool weft_search_even_out(const weft_search *search, weft_schedule **schedule);

/* The decision that describes a schedule on this rank, for wisdom; without its time. */
weft_decision weft_search_decision(const weft_schedule *schedule, int path);

/* The whole search (search.c). ESTIMATE uses the model; other rigors time candidates, which
 * overwrites the arrays of the problem. NULL with an error when there is no schedule. */
weft_schedule *weft_search_find(weft_search *search);

#endif
