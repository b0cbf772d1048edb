/* SPDX-License-Identifier: BSD-3-Clause */
/* How a sweep is done: by rule, or as timing says. Compiled once a precision. */
#ifndef WEFT_PASS_TUNE_H
#define WEFT_PASS_TUNE_H

#include "kernels/pass/sweep.h"

/* Makes a sweep by rule and searches for a faster way. False, with an error: FFTW has no plan. */
bool weft_tune(weft_sweep *sweep, const weft_pass_limits *limits);
/* Measures FFTW's plans for the sweep that won, where candidates had estimated ones. */
void weft_tune_finish(weft_sweep *sweep, const weft_pass_limits *limits);

#endif
