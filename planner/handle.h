/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan that libfftw3 can run. Programs hand Weft's plans to fftw_execute, fftw_destroy_plan,
 * fftw_print_plan, fftw_flops, fftw_cost and fftw_execute_r2r, which are libfftw3's; so a handle
 * begins as libfftw3's own plans do, and libfftw3 calls back through it.
 */
#ifndef WEFT_HANDLE_H
#define WEFT_HANDLE_H

#include "planner/plan.h"

/*
 * Owns the plan, unless it returns NULL, with an error, because there is no memory. In place, a
 * rank that got only one array uses it for both; and one that planned with two copies so many bytes
 * of `in` to `out` before each run.
 */
FFTW(plan)
weft_handle_create(weft_plan *plan, void *in, void *out, bool in_place, size_t copied);

/* The plan within, NULL when the handle is not Weft's. */
weft_plan *weft_handle_plan(FFTW(plan) handle);
/* Whether a plan that fftw_plan_... has made is laid out as Weft's are, as far as can be seen
 * without running it; whatever it points to. */
bool weft_handle_resembles(FFTW(plan) handle);
/* Runs it on other arrays; false when the handle is not Weft's. */
bool weft_handle_run(FFTW(plan) handle, void *in, void *out);

#endif
