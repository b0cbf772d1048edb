/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The largest number that MPI's int arguments are given. What is larger goes another way (a derived
 * type, or MPI-4's calls). It is INT_MAX, but for tests: they lower it, so that small arrays go the
 * ways of large ones.
 */
#ifndef WEFT_LIMIT_H
#define WEFT_LIMIT_H

#include <stddef.h>

/* The most axes of an array, that of `howmany` included. (The same line as in weft-backend.h, which
 * stands alone.) */
#define WEFT_MAX_AXES 32

ptrdiff_t weft_limit(void);
/* 0 restores INT_MAX. What has been prepared before keeps its way. */
void weft_limit_set(ptrdiff_t limit);

#endif
