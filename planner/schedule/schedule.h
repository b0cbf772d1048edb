/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schedules: the passes and exchanges, in order, that carry out a path, and the memory between
 * them. Made once (make.c, from steps: step.h), run any number of times (run.c).
 */
#ifndef WEFT_SCHEDULE_H
#define WEFT_SCHEDULE_H

#include <stdint.h>
#include "planner/path/path.h"
#include "kernels/base/precision.h"
#include "planner/search/model.h"
#include "planner/settings.h"

typedef struct weft_schedule weft_schedule;

/* Chooses how the which-th exchange of a schedule is carried out; false and an error when that
 * cannot be. Called on all ranks, for each exchange in order, and to answer the same on all of
 * them. */
typedef bool (*weft_choose)(void *context, const weft_exchange *exchange, int which,
                            weft_method *method);

/* How the passes are to be made. */
typedef struct {
    const char
        *variants;      /* what schedule_variants has said of another one; NULL: to be found out */
    double until;       /* by CLOCK_MONOTONIC, after which nothing more is tried; 0: no limit */
    int ranks_per_core; /* ranks that share a core; 0: one */
    bool plain;         /* passes see arrays as layouts have them, and exchanges, of messages, pack
                           and unpack by themselves */
    bool estimated;     /* by rule, with FFTW's estimated plans, whatever the problem's flags say */
} weft_pass_wishes;

/* Collective; NULL on every rank, with an error, when any rank cannot. */
weft_schedule *weft_schedule_make(const weft_path *path, const weft_problem *problem,
                                  weft_choose choose, void *context,
                                  const weft_pass_wishes *wishes);

/* How the passes are done on this rank, one word each, with semicolons between them. */
void weft_schedule_variants(const weft_schedule *schedule, char *text, size_t room);
int weft_schedule_passes(const weft_schedule *schedule);
/* The same with the which-th pass, from 0, done in the other way that is worth trying in the memory
 * where it runs. False: it has none. */
bool weft_schedule_other_variants(const weft_schedule *schedule, int which, char *text,
                                  size_t room);
/* Whether this rank does any of them otherwise. */
bool weft_schedule_differs(const weft_schedule *schedule, const char *variants);
/* Makes those passes anew that are done otherwise; collective. False on every rank, with an error,
 * when any rank cannot. */
bool weft_schedule_set_variants(weft_schedule *schedule, const weft_path *path,
                                const weft_problem *problem, const char *variants);

/* The exchanges of a schedule, and how they are carried out. */
int weft_schedule_exchanges(const weft_schedule *schedule);
const weft_exchange *weft_schedule_exchange(const weft_schedule *schedule, int which);
const weft_load *weft_schedule_load(const weft_schedule *schedule, int which);
weft_method weft_schedule_method(const weft_schedule *schedule, int which);
/* How many parts of passes run while something moves. */
int weft_schedule_overlaps(const weft_schedule *schedule);

/* A run, which may stop where it would first wait for messages. */
typedef struct {
    void *in, *out, *workspace;
    void *pinned;  /* workspace of the host, of a schedule on a device */
    int next;      /* action */
    int64_t begun; /* when the exchange under way has started, for the trace */
} weft_run;

/* Bytes of workspace that a run needs, and those of this rank's in windows. */
size_t weft_schedule_workspace(const weft_schedule *schedule);
size_t weft_schedule_window(const weft_schedule *schedule);
size_t weft_schedule_pinned(const weft_schedule *schedule);
/* All of it, on memory as `run` says. On a device it has been given to the queue then, and is
 * over where that is the plan's own. */
void weft_schedule_run(weft_schedule *schedule, weft_run *run);

void weft_schedule_start(weft_schedule *schedule, weft_run *run);
/* Whether what is under way has arrived; lets MPI move it. */
bool weft_schedule_test(const weft_schedule *schedule, const weft_run *run);
void weft_schedule_finish(weft_schedule *schedule, weft_run *run);
/* Whether this rank's schedules for a problem run on aligned arrays only: those of the problem are,
 * and it does not say that others need not be. */
bool weft_schedule_aligned(const weft_problem *problem);
/* Its runs are traced from now on, as those of a plan of that name. */
void weft_schedule_trace(weft_schedule *schedule, const char *plan);
/* Where the time of this rank's runs went, in seconds; through memory that is shared, data moves in
 * passes. */
typedef struct {
    long runs;
    double passes, exchanges /* of messages */, waits /* for those who share memory */;
} weft_account;
/* From the first time that this is asked on runs are counted; until then they do not look at the
 * clock. */
weft_account weft_schedule_account(weft_schedule *schedule);
/* Seconds of this rank's passes, as timed when they were made; negative: they were not. */
double weft_schedule_pass_seconds(const weft_schedule *schedule);
double weft_schedule_flops(const weft_schedule *schedule);
void weft_schedule_destroy(weft_schedule *schedule);

/* Writes it, a step at a time through `print`, each beginning with `begin` and ending with `end`:
 * what is done, with which backend, and the bytes that this rank reads and writes. */
void weft_schedule_print(const weft_schedule *schedule, const char *begin, const char *end,
                         void (*print)(void *printer, const char *text), void *printer);

#endif
