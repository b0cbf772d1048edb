/* SPDX-License-Identifier: BSD-3-Clause */
/* The median of times, for the programs that measure. */
#ifndef TOOLS_MEDIAN_H
#define TOOLS_MEDIAN_H

#include <stdlib.h>

/* For qsort: compares two doubles. */
static inline int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the times and returns their median. */
static inline double median_of(double *time, int count)
{
    qsort(time, (size_t)count, sizeof *time, ascending);
    return time[count / 2];
}

#endif
