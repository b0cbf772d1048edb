/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for the fastest schedule: over which path, and how its exchanges are carried out.
 * Collective, and the same on all ranks.
 */
#ifndef WEFT_SEARCH_H
#define WEFT_SEARCH_H

#include "planner/schedule/schedule.h"
#include "planner/search/methods.h"
#include "planner/wisdom/decision.h"

/* With ESTIMATE by the model, else by timing, which overwrites the arrays of the problem. NULL and
 * an error when there is none. */
weft_schedule *weft_search_find(weft_search *search);

/* The schedule that a decision describes; NULL and an error when it does not fit. */
weft_schedule *weft_search_known(const weft_search *search, const weft_decision *decision);

/* FFTW's own way along the path that was chosen: each pass as it is best by itself, and exchanges
 * of messages, the fastest, that pack and unpack; or, estimated, all by rule. NULL and an error
 * when there is none, or messages alone take longer than `most` (negative: whatever they take). */
weft_schedule *weft_search_plain(weft_search *search, bool estimated, double most, int *way);

/* Passes as rank 0 found them best, on all ranks: so wisdom can say how they are done. False and an
 * error when any rank cannot. */
bool weft_search_even_out(const weft_search *search, weft_schedule *schedule);

/* What a schedule is on this rank, for wisdom. */
weft_decision weft_search_decision(const weft_schedule *schedule, int path, double seconds);

#endif
