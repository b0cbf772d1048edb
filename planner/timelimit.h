/* SPDX-License-Identifier: BSD-3-Clause */
/* The time limit that a program gives with fftw_set_timelimit. */
#ifndef WEFT_TIMELIMIT_H
#define WEFT_TIMELIMIT_H

#include "kernels/base/precision.h"

/* Seconds; negative: there is none, or this libfftw3 does not let it be read. */
double weft_timelimit(void);

#endif
