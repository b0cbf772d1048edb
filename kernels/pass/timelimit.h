/* SPDX-License-Identifier: BSD-3-Clause */
/* The time limit of libfftw3's planner: that of the program (fftw_set_timelimit), and Weft's own.
 */
#ifndef WEFT_TIMELIMIT_H
#define WEFT_TIMELIMIT_H

#include <stdbool.h>
#include "kernels/base/precision.h"

/* Seconds; negative: there is none, or this libfftw3 does not let it be read. */
double weft_timelimit(void);
/* The planner takes no more than so many seconds for a plan (negative: as the program says), until
 * this thread takes that back; meanwhile others wait that want to plan, or ask. */
void weft_timelimit_lower(double seconds);
void weft_timelimit_restore(void);

/* The planner is marked where it has no limit, by another number that says so: it does not count as
 * marked once fftw_cleanup has made way for another, nor when the program has set a limit. False:
 * there is one, or this libfftw3 does not let it be read. */
bool weft_timelimit_mark(void);
bool weft_timelimit_is_marked(void);

#endif
