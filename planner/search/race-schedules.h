/* SPDX-License-Identifier: BSD-3-Clause */
/* Timing whole schedules against one another. */
#ifndef WEFT_SEARCH_RACE_H
#define WEFT_SEARCH_RACE_H

#include "planner/search/race.h"
#include "planner/search/search.h"

/* Two chains, for each a few ways of sharing memory, and those in parts. */
enum { WEFT_MOST_ENTRANTS = 16 };

typedef struct {
    weft_schedule *schedule;
    int path;   /* its place among the candidates */
    int shared; /* bit i: exchange i goes through shared memory, by the search's choice */
} weft_entrant;

/* Collective. Overwrites the arrays of the problem. No best: no memory to time them in. */
void weft_search_race(const weft_task_at_hand *task, const weft_entrant *entrant, int count,
                      weft_result *result);

#endif
