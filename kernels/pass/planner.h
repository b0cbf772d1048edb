/* SPDX-License-Identifier: BSD-3-Clause */
/* libfftw3's planner, of which a process has one, among threads. Compiled once a precision. */
#ifndef WEFT_PLANNER_H
#define WEFT_PLANNER_H

#include <stdbool.h>
#include "kernels/base/precision.h"

/* Calls `work` while libfftw3 holds the lock of its planner, if the program has it take one; `work`
 * must not plan or destroy. False: there is no memory for that. */
bool weft_planner_locked(void (*work)(void *argument), void *argument);
/* How many threads fftw_plan_with_nthreads asked for; 1 without FFTW's threads. */
int weft_planner_threads(void);
/* Plans are serial even when the program plans with threads, until this thread says otherwise.
 * Returns FFTW's setting. */
int weft_planner_threads_off(void);
void weft_planner_threads_on(int threads);

#endif
