/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans: the schedule that won, ready to run any number of times. Making, running and destroying
 * one is collective. The handle that libfftw3 understands (handle.h) wraps a plan.
 */
#ifndef WEFT_PLAN_H
#define WEFT_PLAN_H

#include "kernels/base/precision.h"
#include "planner/problem.h"

typedef struct weft_plan weft_plan;

/* NULL on every rank, with the error set, when any rank cannot; also NULL, on every rank, when
 * flags say FFTW_WISDOM_ONLY and there is no wisdom. */
weft_plan *weft_plan_make(const weft_problem *problem);

/* The arrays of planning, or others of the same alignment and in-placeness. */
void weft_plan_run(weft_plan *plan, void *in, void *out);

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

#endif
