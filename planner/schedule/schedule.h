/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A schedule is the sequence of passes and exchanges that carries out a path, with the memory that
 * they use. make.c makes a schedule once from steps (step.h); run.c runs it any number of times.
 */
#ifndef WEFT_SCHEDULE_H
#define WEFT_SCHEDULE_H

#include <stdint.h>
#include "planner/path/path.h"
#include "kernels/base/precision.h"
#include "planner/search/model.h"
#include "planner/settings.h"

typedef struct weft_schedule weft_schedule;

/* The callback that chooses the backend, parameter and number of parts of exchange number `which`.
 * It returns false, with an error, when no method is possible. All ranks call it for each exchange
 * in order, and it must give the same answer on all ranks. */
typedef bool (*weft_choose)(void *context, const weft_exchange *exchange, int which,
                            weft_method *method);

/* Options for making the passes. */
typedef struct {
    const char *variants; /* text that weft_schedule_variants wrote for another schedule; NULL:
                             choose the variants */
    double until; /* time of CLOCK_MONOTONIC after which no more variants are timed; 0: no limit */
    int ranks_per_core; /* ranks on each core; 0: one */
    bool plain;     /* passes read and write arrays in the order of their layouts, and exchanges by
                       messages pack and unpack */
    bool estimated; /* choose variants by rule and use FFTW_ESTIMATE, even if the problem's flags
                       ask for timing */
} weft_pass_options;

/* Collective. Returns NULL on every rank, with an error, when any rank fails. */
weft_schedule *weft_schedule_make(const weft_path *path, const weft_problem *problem,
                                  weft_choose choose, void *context,
                                  const weft_pass_options *options);

/* Writes the variant of each of this rank's passes, separated by semicolons. */
void weft_schedule_variants(const weft_schedule *schedule, char *text, size_t capacity);
int weft_schedule_passes(const weft_schedule *schedule);
/* Writes the same text, but with the other variant that is worth timing for pass number `which`,
 * counted from 0. Returns false when that pass has no other variant. */
bool weft_schedule_other_variants(const weft_schedule *schedule, int which, char *text,
                                  size_t capacity);
/* Whether any pass of this rank has another variant than `variants` names. */
bool weft_schedule_differs(const weft_schedule *schedule, const char *variants);
/* Remakes the passes whose variants differ from `variants`. Collective. Returns false on every
 * rank, with an error, when any rank fails. */
bool weft_schedule_set_variants(weft_schedule *schedule, const weft_path *path,
                                const weft_problem *problem, const char *variants);

/* The number of exchanges, and the description, the load on this rank and the method of each. */
int weft_schedule_exchanges(const weft_schedule *schedule);
const weft_exchange *weft_schedule_exchange(const weft_schedule *schedule, int which);
const weft_load *weft_schedule_load(const weft_schedule *schedule, int which);
weft_method weft_schedule_method(const weft_schedule *schedule, int which);
/* How many parts of passes run while an exchange is in progress. */
int weft_schedule_overlaps(const weft_schedule *schedule);

/* The state of one run. A run can stop before the first action that waits for messages. */
typedef struct {
    void *in, *out, *workspace;
    void *pinned;  /* pinned workspace on the host; only for a schedule on a device */
    int next;      /* index of the next action */
    int64_t begun; /* start time of the exchange in progress, for the trace */
} weft_run;

/* Bytes that a run needs on this rank: of workspace, of this rank's part of windows, and of pinned
 * host memory. */
size_t weft_schedule_workspace(const weft_schedule *schedule);
size_t weft_schedule_window(const weft_schedule *schedule);
size_t weft_schedule_pinned(const weft_schedule *schedule);
/* Runs the whole schedule on the arrays and workspace of `run`. On a device the work has only been
 * queued when this returns if the caller supplied the queue; if the plan owns the queue, the work
 * is complete. */
void weft_schedule_run(weft_schedule *schedule, weft_run *run);

void weft_schedule_start(weft_schedule *schedule, weft_run *run);
/* Whether the messages that the run waits for have arrived. The call lets MPI make progress. */
bool weft_schedule_test(const weft_schedule *schedule, const weft_run *run);
void weft_schedule_finish(weft_schedule *schedule, weft_run *run);
/* Whether this rank's schedules for a problem need aligned arrays: the arrays of the problem are
 * aligned and its flags do not contain FFTW_UNALIGNED. */
bool weft_schedule_aligned(const weft_problem *problem);
/* Starts tracing the runs of a schedule, under the name `plan`. */
void weft_schedule_trace(weft_schedule *schedule, const char *plan);
/* Seconds that this rank spent in each kind of work. Exchanges through shared memory move their
 * data in passes and count there. */
typedef struct {
    long runs;
    double passes, exchanges /* by messages */, waits /* for the other ranks of a window */;
} weft_account;
/* Returns the time spent so far. The first call starts the counting of runs; before that call, runs
 * do not read the clock. */
weft_account weft_schedule_account(weft_schedule *schedule);
/* Seconds that this rank's passes took when they were timed during planning; negative: at least one
 * was not timed. */
double weft_schedule_pass_seconds(const weft_schedule *schedule);
double weft_schedule_flops(const weft_schedule *schedule);
void weft_schedule_destroy(weft_schedule *schedule);

/* Writes one line for each step through `print`: the work of the step, the backend, and the bytes
 * that this rank reads and writes. Each line starts with `begin` and ends with `end`. */
void weft_schedule_print(const weft_schedule *schedule, const char *begin, const char *end,
                         void (*print)(void *printer, const char *text), void *printer);

#endif
