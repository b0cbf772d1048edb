/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for the fastest schedule: which path it takes and how its exchanges are carried out.
 * Collective; the result is the same on all ranks.
 */
#ifndef WEFT_SEARCH_H
#define WEFT_SEARCH_H

#include "planner/schedule/schedule.h"
#include "planner/search/methods.h"
#include "planner/wisdom/decision.h"

/* One schedule (choose.c). */

enum { WEFT_SHARE_NONE = 0 /* no exchange uses shared memory */ };

/* How to carry out the exchanges of one schedule... */
typedef struct {
    const weft_search *search;
    const weft_decision *known; /* all choices of a known decision; NULL: the search chooses */
    int shared;                 /* bit i: exchange i uses shared memory, if possible */
    bool refused;   /* shared memory was refused before, so the search does not ask again */
    bool estimated; /* nothing is timed */
    double most;    /* maximum time of messages in seconds; negative: no maximum */
    /* ...and the result, after the schedule is made */
    int took_shared;    /* bit i: exchange i uses shared memory because `shared` asks for it */
    bool picked_shared; /* some exchange uses shared memory, and the user did not choose it */
    bool by_hand;
    double messages; /* measured seconds of the messages of all exchanges so far */
    double model;    /* the model's seconds of all exchanges so far */
} weft_search_options;

/* Makes the schedule of a way. A way is the index of a path, or `paths` plus this index for FFTW's
 * own way along the path. */
weft_schedule *weft_search_make(int way, weft_search_options *to);

/* Makes the schedule that a decision describes; NULL with an error when the decision does not
 * fit. */
weft_schedule *weft_search_known(const weft_search *search, const weft_decision *decision);

/* Makes a schedule in FFTW's own way along the chosen path: each pass uses the variant that is
 * fastest alone, and each exchange uses the fastest messages, which pack and unpack. With
 * `estimated` nothing is timed. NULL with an error when there is no such schedule or its messages
 * alone take longer than `most` seconds (negative: no maximum). */
weft_schedule *weft_search_plain(weft_search *search, bool estimated, double most, int *way);

/* Makes all ranks use the variants of passes that rank 0 found fastest, so that wisdom can record
 * them. False with an error on all ranks when any rank fails. */
bool weft_search_even_out(const weft_search *search, weft_schedule *schedule);

/* The decision that describes a schedule on this rank, for wisdom. */
weft_decision weft_search_decision(const weft_schedule *schedule, int path, double seconds);

/* Races of whole schedules (whole.c). */

/* Returns the index of the fastest candidate; -1: no memory to time them in. Sets `out_of_time`
 * when the time limit ended the race. */
int weft_whole_race(const weft_search *search, weft_candidate *candidate, int count,
                    bool *out_of_time);

/* Returns the schedule, or a faster one with other variants of passes or in FFTW's own way;
 * destroys the slower one. */
weft_schedule *weft_whole_refine(weft_search *search, weft_schedule *schedule);

/* The whole search (search.c). ESTIMATE uses the model; other rigors time candidates, which
 * overwrites the arrays of the problem. NULL with an error when there is no schedule. */
weft_schedule *weft_search_find(weft_search *search);

#endif
