/* SPDX-License-Identifier: BSD-3-Clause */
/* The FFTW plans inside of passes. Those that FFTW only estimates are shared by all who want the
 * same, and some stay for who comes next. */
#ifndef WEFT_INNER_H
#define WEFT_INNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernels/base/precision.h"
#include "kernels/pass/spec.h"

/* What FFTW is asked for, all of it, as numbers. */
typedef struct {
    ptrdiff_t points; /* the sum of the lengths that are transformed */
    size_t length;
    ptrdiff_t number[8 + 7 * WEFT_MAX_AXES];
} weft_inner_request;

typedef struct weft_inner {
    FFTW(plan) plan;
    weft_real *table; /* that goes with it, or NULL: halves.h */
    size_t users;
    bool shared;                 /* can be found */
    weft_inner_request *request; /* NULL: never to be shared */
    uint64_t digest;             /* of it */
    struct weft_inner *next;     /* of those with a digest like this */
} weft_inner;

/* What was made for the same request, which has one more user now; NULL: there is nothing. */
weft_inner *weft_inner_find(const weft_inner_request *request);
/* The first user's of a plan that FFTW just made and a table, or NULL, that is freed with it;
 * shared from now on if there is a request. NULL, with an error and both gone: no memory. */
weft_inner *weft_inner_add(FFTW(plan) plan, weft_real *table, const weft_inner_request *request);
void weft_inner_leave(weft_inner *inner);
/* Destroys those that nobody uses. */
void weft_inner_cleanup(void);
/* For tests: how many nobody uses. */
int weft_inner_idle(void);
/* While libfftw3 destroys a plan of Weft's it holds the lock of its planner, if the program wants
 * one: until this is taken back, plans of this thread are destroyed without taking it again. */
void weft_inner_planner_is_locked(bool locked);

#endif
