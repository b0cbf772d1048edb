/* SPDX-License-Identifier: BSD-3-Clause */
/* FFTW's plans inside passes. Users of the same estimated plan share it through a cache. Compiled
 * once per precision. */
#ifndef WEFT_PASS_PLANS_H
#define WEFT_PASS_PLANS_H

#include <stdbool.h>
#include <stddef.h>
#include "kernels/base/precision.h"
#include "kernels/copy/copy.h"

/* All arguments of a request to FFTW's planner, as numbers. */
typedef struct {
    ptrdiff_t points; /* the sum of the transformed lengths */
    size_t length;
    ptrdiff_t number[8 + 7 * WEFT_MAX_AXES];
} weft_fftw_request;

typedef struct {
    FFTW(plan) plan;
    weft_real *table; /* of weft_halves_table, or NULL */
    size_t users;
    bool shared;   /* in the cache */
    size_t length; /* of the request that follows; 0: the plan is never shared */
    ptrdiff_t number[];
} weft_fftw_plan;

/* Finds the plan that was made for the same request and adds a user. NULL: there is none. */
weft_fftw_plan *weft_fftw_plan_find(const weft_fftw_request *request);
/* Takes ownership of a plan that FFTW has just made and of a table (or NULL), with one user, and
 * adds the plan to the cache if `request` is not NULL. Returns NULL, with an error and both freed,
 * if there is no memory. */
weft_fftw_plan *weft_fftw_plan_add(FFTW(plan) made, weft_real *table,
                                   const weft_fftw_request *request);
void weft_fftw_plan_release(weft_fftw_plan *plan);
/* Destroys the plans that have no user. */
void weft_fftw_plans_cleanup(void);
/* For tests: the number of plans without users. */
int weft_fftw_plans_idle(void);
/* Declares that this thread holds the lock of libfftw3's planner, as it does while libfftw3
 * destroys one of Weft's plans. Plans are then destroyed without taking the lock again. */
void weft_fftw_plans_planner_is_locked(bool locked);

#endif
