/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan that libfftw3 can run. Programs pass Weft's plans to functions of libfftw3:
 * fftw_execute, fftw_destroy_plan, fftw_print_plan, fftw_flops, fftw_cost and fftw_execute_r2r,
 * _dft, _dft_r2c and _dft_c2r. A handle therefore begins with the same fields as libfftw3's own
 * plans, and libfftw3 calls Weft through the function pointers in them.
 */
#ifndef WEFT_HANDLE_H
#define WEFT_HANDLE_H

#include "planner/plan.h"

/*
 * Makes a handle, which owns the plan. Returns NULL with an error when there is no memory; the
 * caller then still owns the plan. The handle runs on any arrays, in place or out of place. It
 * copies arrays when their placement or alignment differs from the arrays of planning. A NULL array
 * on a rank that holds data ends the program with an error message.
 */
FFTW(plan) weft_handle_create(weft_plan *plan);

/* The Weft plan in a handle; NULL when the handle is not Weft's. */
weft_plan *weft_handle_plan(FFTW(plan) handle);
/* Whether a plan of libfftw3's own has the memory layout that Weft assumes for handles, as far as
 * a look without running the plan can show. The handle may contain any pointers, also invalid
 * ones. */
bool weft_handle_resembles(FFTW(plan) handle);
/* The two halves of a run on arrays as in weft_handle_run, and the tests between them. They return
 * false with an error when the handle is not Weft's, when the plan needs MPI after MPI_Finalize, or
 * when it is started (start and idle) or not started (test and finish);
 * test also without an error when messages have not arrived. */
bool weft_handle_start(const char *function, FFTW(plan) handle, void *in, void *out);
bool weft_handle_idle(const char *function, FFTW(plan) handle);
bool weft_handle_test(const char *function, FFTW(plan) handle);
bool weft_handle_finish(const char *function, FFTW(plan) handle);
/* Runs the plan on these arrays; false when the handle is not Weft's. */
bool weft_handle_run(FFTW(plan) handle, void *in, void *out);

#endif
