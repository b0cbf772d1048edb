/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for the fastest schedule: over which path, and how its exchanges are carried out.
 * Collective, and the same on all ranks.
 */
#ifndef WEFT_SEARCH_H
#define WEFT_SEARCH_H

#include "planner/schedule/schedule.h"
#include "planner/search/methods.h"
#include "planner/wisdom/decision.h"

/* One schedule (choose.c). */

enum { WEFT_NOWHERE = 0 /* no exchange through shared memory */ };

/* How the exchanges of one schedule are to be carried out... */
typedef struct {
    const weft_search *search;
    const weft_decision *known; /* NULL: the search chooses; else all is known */
    int shared;                 /* bit i: exchange i through shared memory, if possible */
    bool refused;               /* memory of the node was refused before: none is asked for */
    bool estimated;             /* nothing is timed */
    double most;                /* seconds that messages may take; negative: any */
    /* ...and, once it is made, how they are */
    int took_shared;    /* bit i: exchange i does so, because `shared` asks for it */
    bool picked_shared; /* some exchange uses shared memory, and the user did not choose it */
    bool by_hand;
    double messages; /* seconds, so far */
    double model;    /* seconds of all exchanges, so far */
} weft_search_choice;

/* The schedule of a way: a path, or `paths` and a path for FFTW's own way along it. */
weft_schedule *weft_search_make(int way, weft_search_choice *to);

/* The schedule that a decision describes; NULL and an error when it does not fit. */
weft_schedule *weft_search_known(const weft_search *search, const weft_decision *decision);

/* FFTW's own way along the path that was chosen: each pass as it is best by itself, and exchanges
 * of messages, the fastest, that pack and unpack; or, estimated, all by rule. NULL and an error
 * when there is none, or messages alone take longer than `most` (negative: whatever they take). */
weft_schedule *weft_search_plain(weft_search *search, bool estimated, double most, int *way);

/* Passes as rank 0 found them best, on all ranks: so wisdom can say how they are done. False and an
 * error when any rank cannot. */
bool weft_search_even_out(const weft_search *search, weft_schedule *schedule);

/* What a schedule is on this rank, for wisdom. */
weft_decision weft_search_decision(const weft_schedule *schedule, int path, double seconds);

/* Whole schedules in races (whole.c). */

/* The place of the fastest candidate, -1: there is no memory to time them in. `out_of_time`: the
 * time limit came first. */
int weft_whole_race(const weft_search *search, weft_candidate *candidate, int count,
                    bool *out_of_time);

/* The schedule, or a faster one that differs only in how its passes are done; the slower one is
 * destroyed. */
weft_schedule *weft_whole_refine(weft_search *search, weft_schedule *schedule);

/* The whole search (search.c): with ESTIMATE by the model, else by timing, which overwrites the
 * arrays of the problem. NULL and an error when there is no schedule. */
weft_schedule *weft_search_find(weft_search *search);

#endif
