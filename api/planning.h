/* SPDX-License-Identifier: BSD-3-Clause */
/* From a request to the plan that the program gets. */
#ifndef WEFT_PLANNING_H
#define WEFT_PLANNING_H

#include "kernels/base/precision.h"
#include "api/request.h"

/* The names of functions in error messages, as the program that called them knows them. */
#define NAME(function)     "fftw" WEFT_LETTER "_mpi_" function
#define OWN_NAME(function) "weft" WEFT_LETTER "_" function

/* Once a process: ends the process where Weft's plans cannot run, and says with WEFT_VERBOSE which
 * libraries are in use. */
void weft_set_up(void);
/* Collective. NULL on every rank, with the error set, when any rank cannot. */
FFTW(plan) weft_planned(const weft_request *request);

#endif
