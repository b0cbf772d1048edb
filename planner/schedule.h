/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schedules: the passes and exchanges, in order, that carry out a chain, and the buffers between
 * them. A stage that transforms becomes a pass that reads straight from the blocks of the exchange
 * before it and writes straight into those of the one after it; a stage that does not becomes
 * nothing, and the exchange itself packs or unpacks.
 */
#ifndef WEFT_SCHEDULE_H
#define WEFT_SCHEDULE_H

#include "chain.h"
#include "precision.h"
#include "settings.h"

typedef struct WEFT(schedule) WEFT(schedule);

/* Chooses how the which-th exchange of a schedule is carried out; false and an error when that
 * cannot be. Called on all ranks, for each exchange in order, and to answer the same on all of
 * them. */
typedef bool (*weft_choose)(void *context, const weft_exchange *exchange, int which, weft_way *way);

/* How the passes are to be made. */
typedef struct {
    const char
        *variants; /* what schedule_variants has said of another one; NULL: to be found out */
    double until;  /* by CLOCK_MONOTONIC, after which nothing more is tried; 0: no limit */
    int crowd;     /* ranks that share a core; 0: one */
} weft_pass_wishes;

/* Collective; NULL on every rank, with an error, when any rank cannot. */
WEFT(schedule) * WEFT(schedule_make)(const weft_chain *chain, const weft_problem *problem,
                                     weft_choose choose, void *context,
                                     const weft_pass_wishes *wishes);

/* How the passes are done on this rank, one word each, with semicolons between them. */
void WEFT(schedule_variants)(const WEFT(schedule) * schedule, char *text, size_t room);
/* Whether this rank does any of them otherwise. */
bool WEFT(schedule_differs)(const WEFT(schedule) * schedule, const char *variants);
/* Makes those passes anew that are done otherwise; collective. False on every rank, with an error,
 * when any rank cannot. */
bool WEFT(schedule_set_variants)(WEFT(schedule) * schedule, const weft_chain *chain,
                                 const weft_problem *problem, const char *variants);

/* The exchanges of a schedule, and how they are carried out. */
int WEFT(schedule_exchanges)(const WEFT(schedule) * schedule);
const weft_exchange *WEFT(schedule_exchange)(const WEFT(schedule) * schedule, int which);
weft_way WEFT(schedule_way)(const WEFT(schedule) * schedule, int which);
/* How many parts of passes run while something moves. */
int WEFT(schedule_overlaps)(const WEFT(schedule) * schedule);

/* Bytes of workspace that a run needs, and those of this rank's in windows. */
size_t WEFT(schedule_workspace)(const WEFT(schedule) * schedule);
size_t WEFT(schedule_window)(const WEFT(schedule) * schedule);
void WEFT(schedule_run)(WEFT(schedule) * schedule, void *in, void *out, void *workspace);
/* Seconds of this rank's passes, as timed when they were made; negative: they were not. */
double WEFT(schedule_pass_seconds)(const WEFT(schedule) * schedule);
double WEFT(schedule_flops)(const WEFT(schedule) * schedule);
void WEFT(schedule_destroy)(WEFT(schedule) * schedule);

/* Writes it, a step at a time through `print`, each beginning with `begin` and ending with `end`:
 * what is done, with which backend, and the bytes that this rank reads and writes. */
void WEFT(schedule_print)(const WEFT(schedule) * schedule, const char *begin, const char *end,
                          void (*print)(void *printer, const char *text), void *printer);

#endif
