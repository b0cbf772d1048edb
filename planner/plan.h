/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans: the fastest schedule found, ready to run any number of times. Making, running and
 * destroying a plan is collective. The handle that libfftw3 understands (handle.h) wraps a plan.
 */
#ifndef WEFT_PLAN_H
#define WEFT_PLAN_H

#include <stdatomic.h>
#include <stdio.h>
#include "planner/problem.h"
#include "planner/schedule/schedule.h"
#include "planner/search/race.h"
#include "planner/trace.h"

typedef enum { WEFT_BY_MODEL, WEFT_BY_TIMING, WEFT_BY_WISDOM, WEFT_BY_HAND } weft_decision_source;

typedef struct {
    weft_schedule *schedule; /* NULL: the plan has nothing to do */
    /* The plan owns the device and the boxes of both sides. `comm` may no longer exist, and there
     * is no `callback` */
    weft_problem problem;
    /* the plan's own communicator if threads may run plans at once; else MPI_COMM_NULL */
    MPI_Comm comm;
    atomic_flag running;
    bool started; /* a run has been started and not finished; `run` and `begun` describe it */
    weft_run run;
    double begun;
    size_t workspace, pinned; /* bytes; `pinned` is memory of the host, for plans on a device */
    void *given; /* workspace of the program; NULL: the plan borrows the shared workspace */
    /* of the problem, for passes; its function is NULL until the plan is made, because the planner
     * must not call it */
    weft_callback callback;
    int label;      /* label of the plan's runs in the trace; 0: no trace is written */
    char shape[96]; /* how the array is divided: "slab-4", "slab-8-through-4x2", "grid-2x2" */
    weft_decision_source source;
    bool cut_short;
    double seconds;          /* measured time of one run; 0: not measured */
    double planning_seconds; /* planning time of the slowest rank */
    weft_tried tried;
    weft_summary *summary; /* NULL: WEFT_REPORT is not set */
} weft_plan;

/* Makes a plan, which then owns the problem's device and the data of its callback. On failure the
 * device is closed, and the data still belongs to the caller. Returns NULL with an error on every
 * rank when any rank fails, and also when the flags contain FFTW_WISDOM_ONLY and there is no
 * wisdom. */
weft_plan *weft_plan_make(const weft_problem *problem);

/* Whether the plan needs MPI after MPI_Finalize. If so, sets the error and prints it. */
bool weft_plan_is_too_late(const weft_plan *plan);

/* Runs the plan on the arrays of planning, or on others with the same alignment, in place
 * if and only if the arrays of planning were. */
void weft_plan_run(weft_plan *plan, void *in, void *out);
/* A run in two halves: with `stops`, start returns where the run would have to wait for messages;
 * finish does the rest. The caller finishes a started plan before it destroys the plan. */
void weft_plan_start(weft_plan *plan, void *in, void *out, bool stops);
bool weft_plan_test(const weft_plan *plan);
void weft_plan_finish(weft_plan *plan);

/* Makes `memory` the plan's workspace; NULL: the plan borrows the shared workspace again. Returns
 * false with an error, and changes nothing, when the memory is too small or in the wrong place,
 * when the shared workspace cannot be had, or when the plan is running. Local. */
bool weft_plan_use_workspace(weft_plan *plan, void *memory, size_t bytes);

/* Makes the plan use the program's stream for its work on a device; runs then return before their
 * work on the stream is complete. With `own` the plan uses its own queue again. Returns false
 * with an error, and changes nothing, when the plan has no device, is running, or cannot use the
 * stream. Local. */
bool weft_plan_use_stream(weft_plan *plan, void *stream, bool own);

void weft_plan_destroy(weft_plan *plan);

/* Reports (report.c): what a plan does, how it was found, which candidates were tried and, after
 * the first report, how the time of runs divides among passes and exchanges. Local. */

void weft_report(const weft_plan *plan, FILE *file);
void weft_report_json(const weft_plan *plan, FILE *file);
/* Rank 0 prints the report that WEFT_VERBOSE asks for to standard error. */
void weft_report_verbose(const weft_plan *plan, int verbose);
/* Adds the plan to the report of WEFT_REPORT, which then also sums the time of its runs. */
void weft_report_sum(weft_plan *plan);

#endif
