/* SPDX-License-Identifier: BSD-3-Clause */
/* Races of whole schedules. Collective, and the same on all ranks. */
#ifndef WEFT_WHOLE_H
#define WEFT_WHOLE_H

#include "planner/search/search.h"

/* The place of the fastest, -1: there is no memory to time them in. `out_of_time`: the time limit
 * came first. */
int weft_whole_race(const weft_search *search, weft_candidate *candidate, int count,
                    bool *out_of_time);

/* The schedule, or one that differs from it in how passes are done, and is faster; the other one
 * goes. */
weft_schedule *weft_whole_refine(weft_search *search, weft_schedule *schedule);

#endif
