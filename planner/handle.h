/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan that libfftw3 can run. Programs hand Weft's plans to fftw_execute, fftw_destroy_plan,
 * fftw_print_plan, fftw_flops, fftw_cost and fftw_execute_r2r, which are libfftw3's; so a handle
 * begins as libfftw3's own plans do, and libfftw3 calls back through it.
 */
#ifndef WEFT_HANDLE_H
#define WEFT_HANDLE_H

#include "plan.h"

/* Owns the plan from now on, and destroys it when there is no memory (NULL, and the error set;
 * local). */
FFTW(plan) WEFT(handle_create)(WEFT(plan) * plan, void *in, void *out);

/* The plan within, NULL when the handle is not Weft's. */
WEFT(plan) * WEFT(handle_plan)(FFTW(plan) handle);

#endif
