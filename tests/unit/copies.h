/* SPDX-License-Identifier: BSD-3-Clause */
/* Strided copies for tests of the host and of devices: a loop that defines them, and random ones.
 */
#ifndef COPIES_H
#define COPIES_H

#include <stdbool.h>
#include <stdint.h>
#include "kernels/copy/copy.h"

/* A strided copy, in elements. Axes are in any order. */
typedef struct {
    size_t element;
    int axes;
    ptrdiff_t count[WEFT_MAX_AXES];
    ptrdiff_t from_offset, from_stride[WEFT_MAX_AXES], to_offset, to_stride[WEFT_MAX_AXES];
} strided_copy;

extern uint64_t copies_state; /* state of the random numbers */
ptrdiff_t copies_below(ptrdiff_t limit);
/* Fills memory with bytes that do not repeat over short distances. */
void copies_fill(void *memory, size_t bytes);
/* Copies one element after another. */
void copies_by_loop(const strided_copy *it, const void *from, void *to);
/* Returns the number of elements from the address of the source, or the target, to its end. */
ptrdiff_t copies_reach(const strided_copy *it, bool target);
/* Makes a random copy: up to 6 axes in any order, with gaps, reversed axes, counts of 0. */
strided_copy copies_random(size_t element);

#endif
