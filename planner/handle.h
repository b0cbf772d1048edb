/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan that libfftw3 can run. Programs hand Weft's plans to fftw_execute, fftw_destroy_plan,
 * fftw_print_plan, fftw_flops, fftw_cost and fftw_execute_r2r, _dft, _dft_r2c and _dft_c2r, which
 * are libfftw3's; so a handle begins as libfftw3's own plans do, and libfftw3 calls back through
 * it.
 */
#ifndef WEFT_HANDLE_H
#define WEFT_HANDLE_H

#include "planner/plan.h"

/*
 * Owns the plan, unless it returns NULL, with an error, because there is no memory. It runs on any
 * arrays, in place or not: where that is not as the plan was made it takes a copy. Arrays of NULL
 * on a rank that holds data end the program, with a sentence.
 */
FFTW(plan) weft_handle_create(weft_plan *plan, const weft_problem *problem);

/* The plan within, NULL when the handle is not Weft's. */
weft_plan *weft_handle_plan(FFTW(plan) handle);
/* Whether a plan that fftw_plan_... has made is laid out as Weft's are, as far as can be seen
 * without running it; whatever it points to. */
bool weft_handle_resembles(FFTW(plan) handle);
/* The halves of a run on arrays as of weft_handle_run, and what is between. False and an error when
 * the handle is not Weft's, or has been started, or not. */
bool weft_handle_start(const char *function, FFTW(plan) handle, void *in, void *out);
bool weft_handle_idle(const char *function, FFTW(plan) handle);
bool weft_handle_test(const char *function, FFTW(plan) handle, bool *arrived);
bool weft_handle_finish(const char *function, FFTW(plan) handle);
/* Runs it on other arrays; false when the handle is not Weft's. */
bool weft_handle_run(FFTW(plan) handle, void *in, void *out);

#endif
