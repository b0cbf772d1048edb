/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cases of bench-copy.
 */
#ifndef BENCH_COPY_H
#define BENCH_COPY_H

#include <stddef.h>

enum { MAX_PARTS = 16, AXES = 3 };

/* One strided copy, in elements. */
typedef struct {
    ptrdiff_t count[AXES];
    ptrdiff_t from_offset, from_stride[AXES];
    ptrdiff_t to_offset, to_stride[AXES];
} part;

typedef struct {
    char name[48];
    ptrdiff_t elements;
    int parts;
    part part[MAX_PARTS];
} work;

int cases(void);
work case_number(int number);

#endif
