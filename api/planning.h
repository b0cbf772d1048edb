/* SPDX-License-Identifier: BSD-3-Clause */
/* From a request to the plan that the program gets. */
#ifndef WEFT_PLANNING_H
#define WEFT_PLANNING_H

#include "kernels/base/precision.h"
#include "api/request.h"

/* Once a process: ends it where Weft's plans cannot run, and says with WEFT_VERBOSE what is in use.
 */
void weft_set_up(void);
/* Collective. NULL on every rank, with the error set, when any rank cannot. */
FFTW(plan) weft_planned(const weft_request *request);

#endif
