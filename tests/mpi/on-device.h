/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans on the stand-in device, for test_on_device.c and test_streams.c. */
#ifndef ON_DEVICE_H
#define ON_DEVICE_H

#include "tests/mpi/harness.h"
#include "tests/mpi/problems.h"
#include "tests/mpi/twins.h"

enum { N0 = 8, N1 = 6, CAPACITY = 2 * N0 * N1 * 2 };

extern const weft_device_library *gpu; /* the stand-in */
extern const weft_standin_controls *standin;
extern const dropin_case on_device_case;
extern const char *const on_device_ways[4]; /* backends of the exchanges */

FFTW(plan) on_device_plan(void *in, void *out, unsigned flags);
/* Makes a plan in place, with this backend; NULL: any. */
void on_device_make(kept_plan *my, const char *backend, unsigned flags);
/* Checks that a run gives the result of serial FFTW. */
void on_device_check(kept_plan *my);

#endif
