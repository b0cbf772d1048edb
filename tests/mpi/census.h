/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts what this process has allocated and not freed, and makes allocations fail on demand. MPI
 * and FFTW keep memory for later use, so only allocations of the program and of Weft count: the
 * linker's --wrap redirects calls in the program's own objects to this file (CENSUS_WRAPS), but not
 * calls in shared libraries.
 */
#ifndef CENSUS_H
#define CENSUS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    int handles; /* MPI handles of all kinds */
    int allocations;
    ptrdiff_t bytes; /* of the whole heap; 0: unknown on this system */
} census;

census census_now(void);

/* Makes one later allocation fail: 1 is the next one, 0 none. census_failed says whether it has
 * failed. */
void census_fail(long which);
bool census_failed(void);

#endif
