/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans: the schedule that won, ready to run any number of times. Making, running and destroying
 * one is collective. The handle that libfftw3 understands (handle.h) wraps a plan.
 */
#ifndef WEFT_PLAN_H
#define WEFT_PLAN_H

#include <stdatomic.h>
#include "planner/problem.h"
#include "planner/schedule/schedule.h"
#include "planner/search/race.h"
#include "planner/summary.h"

typedef enum { WEFT_BY_MODEL, WEFT_BY_TIMING, WEFT_BY_WISDOM, WEFT_BY_HAND } weft_source;

typedef struct {
    weft_schedule *schedule; /* NULL: there is nothing to do */
    MPI_Comm comm; /* the plan's own, where threads may run plans at once; else MPI_COMM_NULL */
    atomic_flag running;
    bool started; /* and not finished: */
    weft_run run;
    double begun;
    weft_device *device;      /* NULL: the host. The plan's own */
    size_t workspace, pinned; /* bytes; the second on a device, of the host */
    void *given;         /* by the program, to be its workspace; NULL: it borrows what all share */
    weft_layout side[2]; /* what the ranks hold before and after */
    bool scrambled[2];
    int rank, ranks;
    int rigor;
    int verbose; /* what WEFT_VERBOSE asked for when it was made */
    int label;   /* of its runs, in the trace; 0: there is none */
    int path;    /* its place among the problem's candidates */
    char name[256];
    char shape[96]; /* how the array is divided: "slab-4", "slab-8-through-4x2", "grid-2x2" */
    weft_source source;
    bool cut_short;
    double seconds;          /* of a run, as measured; 0: not */
    double planning_seconds; /* until the slowest rank was done */
    weft_tried tried;
    weft_summary *summary; /* NULL: no report is wanted */
} weft_plan;

/* Takes the problem's device over, for good or ill. NULL on every rank, with the error set, when
 * any rank cannot; also NULL, on every rank, when flags say FFTW_WISDOM_ONLY and there is no
 * wisdom. */
weft_plan *weft_plan_make(const weft_problem *problem);

/* The arrays of planning, or others of the same alignment and in-placeness. */
void weft_plan_run(weft_plan *plan, void *in, void *out);
/* The same in two halves: until messages would be waited for, and the rest. A plan that is to be
 * destroyed is finished first. */
void weft_plan_start(weft_plan *plan, void *in, void *out);
bool weft_plan_test(const weft_plan *plan);
void weft_plan_finish(weft_plan *plan);

/* Its workspace is this memory from now on; NULL: what all share again. False and an error, and
 * nothing has changed, where it is too small, there is none to share, or the plan is running.
 * Local. */
bool weft_plan_work_in(weft_plan *plan, void *memory, size_t bytes);

/* Its work on a device goes to this stream of the program's from now on, and runs do not wait for
 * their end; with `own` to a queue of its own again. False and an error, and nothing has changed:
 * it has no device, is running, or cannot use that. Local. */
bool weft_plan_use_stream(weft_plan *plan, void *stream, bool own);

/* Writes the schedule: any number of calls of print, together one parenthesised expression in
 * FFTW's manner, without a line end. */
void weft_plan_print(const weft_plan *plan, void (*print)(void *printer, const char *text),
                     void *printer);

/* This rank's arithmetic per run, and the cost: the time measured in seconds, or, as in FFTW's own
 * plans that were not timed, the arithmetic. */
typedef struct {
    double adds, muls, fmas, other;
    double cost;
} weft_operations;
weft_operations weft_plan_operations(const weft_plan *plan);

void weft_plan_destroy(weft_plan *plan);
/* Gives back what is kept for plans to come. */
void weft_plan_cleanup(void);

#endif
