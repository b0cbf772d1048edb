/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for the fastest schedule of a chain: how its exchanges are carried out. Collective,
 * and the same on all ranks.
 */
#ifndef WEFT_SEARCH_H
#define WEFT_SEARCH_H

#include "planner/wisdom/decision.h"
#include "planner/schedule/schedule.h"
#include "planner/search/methods.h"

typedef struct {
    const weft_search *by;
    const weft_path *path; /* the candidates */
    int paths;
    int raced; /* so many of them, from the first on, are worth timing */
    const weft_problem *problem;
} weft_task_at_hand;

typedef struct {
    weft_schedule *schedule;
    int path;
    double seconds; /* of a run, the slowest rank's; 0: was not timed */
    bool by_hand;   /* the user chose all backends or some */
    bool cut_short; /* the time limit came first */
} weft_found;

/* With ESTIMATE by the model, else by timing. NULL schedule and an error when there is none. */
weft_found weft_search_find(const weft_task_at_hand *task);

/* The schedule that a decision describes; NULL and an error when it does not fit. */
weft_schedule *weft_search_known(const weft_task_at_hand *task, const weft_decision *decision);

/* Passes as rank 0 found them best, on all ranks: so wisdom can say how they are done. Collective;
 * false and an error when any rank cannot. */
bool weft_search_even_out(const weft_task_at_hand *task, weft_found *found);

/* What a schedule is on this rank, for wisdom. */
weft_decision weft_search_decision(const weft_schedule *schedule, int path, double seconds);

#endif
