/* SPDX-License-Identifier: BSD-3-Clause */
/* What a strided copy must do, and checks that one does it. */
#ifndef COPIES_H
#define COPIES_H

#include <stddef.h>
#include "kernels/copy/kernel.h"

enum { MAX_AXES = 6 };

typedef struct {
    size_t element;
    int axes;
    ptrdiff_t count[MAX_AXES];
    ptrdiff_t from_offset, from_stride[MAX_AXES];
    ptrdiff_t to_offset, to_stride[MAX_AXES];
    size_t misaligned[2]; /* bytes by which source and target are off */
} copy_case;

/* Bytes that repeat nowhere near. */
void copy_pattern(unsigned char *to, size_t bytes);

void naive_copy(const copy_case *c, const unsigned char *from, unsigned char *to);

/* Runs it twice, with those limits or as the machine has them: the target must be as the naive
 * copy leaves it, guards and gaps included. */
void check_copy(const copy_case *c, const weft_copy_limits *limits);

#endif
