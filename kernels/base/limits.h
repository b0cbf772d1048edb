/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The largest value that Weft passes in an int argument of MPI. Larger values need a derived type
 * or MPI-4's calls. The limit is INT_MAX; tests lower it, so that small arrays take the code paths
 * of large ones.
 */
#ifndef WEFT_LIMITS_H
#define WEFT_LIMITS_H

#include <stddef.h>

/* The largest number of axes of an array, including the axis of `howmany`. weft-backend.h repeats
 * this line, because plug-ins use that header alone. */
#define WEFT_MAX_AXES 32

ptrdiff_t weft_limit(void);
/* Sets the limit; 0 restores INT_MAX. Exchanges that are already prepared do not change. */
void weft_limit_set(ptrdiff_t limit);

#endif
