/* SPDX-License-Identifier: BSD-3-Clause */
/* What a plan is made of; for plan.c and its report. */
#ifndef WEFT_PLAN_INSIDE_H
#define WEFT_PLAN_INSIDE_H

#include "planner/wisdom/decision.h"
#include "planner/plan.h"
#include "planner/schedule/schedule.h"
#include "planner/search/race.h"

typedef enum { WEFT_BY_MODEL, WEFT_BY_TIMING, WEFT_BY_WISDOM, WEFT_BY_HAND } weft_source;

struct weft_plan {
    weft_schedule *schedule; /* NULL: there is nothing to do */
    size_t workspace;
    int rank, ranks;
    int rigor;
    int path; /* its place among the problem's candidates */
    char name[256];
    char shape[96]; /* how the array is divided: "slab-4", "slab-8-through-4x2", "grid-2x2" */
    weft_source source;
    bool cut_short;
    double seconds;          /* of a run, as measured; 0: not */
    double planning_seconds; /* the slowest rank's */
    weft_tried tried;
};

#endif
