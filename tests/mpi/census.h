/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this process has taken and not given back; and allocations that fail on demand. MPI and FFTW
 * keep memory for later as they like, so allocations are counted where the program and Weft make
 * them: the linker's --wrap leads those of the program's own objects here (CENSUS_WRAPS), and those
 * of shared libraries not.
 */
#ifndef CENSUS_H
#define CENSUS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    int handles; /* of MPI, all kinds */
    int allocations;
    ptrdiff_t bytes; /* of the whole heap; 0: cannot be known here */
} census;

census census_now(void);

/* The allocation with this number, from 1, counted from now on, fails (0: none does); whether it
 * has. */
void census_fail(long which);
bool census_failed(void);

#endif
