/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for the fastest schedule of a chain: how its exchanges are carried out. Collective,
 * and the same on all ranks.
 */
#ifndef WEFT_SEARCH_H
#define WEFT_SEARCH_H

#include "decision.h"
#include "schedule.h"
#include "ways.h"

typedef struct {
    const weft_search *by;
    const weft_chain *chain; /* the candidates */
    int chains;
    int raced; /* so many of them, from the first on, are worth timing */
    const weft_problem *problem;
} weft_task_at_hand;

typedef struct {
    WEFT(schedule) * schedule;
    int chain;
    double seconds; /* of a run, the slowest rank's; 0: was not timed */
    bool by_hand;   /* the user chose all backends or some */
    bool cut_short; /* the time limit came first */
} WEFT(found);

/* With ESTIMATE by the model, else by timing. NULL schedule and an error when there is none. */
WEFT(found) WEFT(search_find)(const weft_task_at_hand *task);

/* The schedule that a decision describes; NULL and an error when it does not fit. */
WEFT(schedule) * WEFT(search_known)(const weft_task_at_hand *task, const weft_decision *decision);

/* Passes as rank 0 found them best, on all ranks: so wisdom can say how they are done. Collective;
 * false and an error when any rank cannot. */
bool WEFT(search_even_out)(const weft_task_at_hand *task, WEFT(found) * found);

/* What a schedule is on this rank, for wisdom. */
weft_decision WEFT(search_decision)(const WEFT(schedule) * schedule, int chain, double seconds);

#endif
