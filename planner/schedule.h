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

/* Collective; NULL on every rank, with an error, when any rank cannot. */
WEFT(schedule) * WEFT(schedule_make)(const weft_chain *chain, const weft_problem *problem,
                                     const weft_settings *settings);
size_t WEFT(schedule_workspace)(const WEFT(schedule) * schedule);
void WEFT(schedule_run)(const WEFT(schedule) * schedule, void *in, void *out, void *workspace);
double WEFT(schedule_flops)(const WEFT(schedule) * schedule);
void WEFT(schedule_destroy)(WEFT(schedule) * schedule);

/* Writes it, a step at a time through `print`, each beginning with `begin` and ending with `end`:
 * what is done, with which backend, and the bytes that this rank reads and writes. */
void WEFT(schedule_print)(const WEFT(schedule) * schedule, const char *begin, const char *end,
                          void (*print)(void *printer, const char *text), void *printer);

#endif
