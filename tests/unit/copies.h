/* SPDX-License-Identifier: BSD-3-Clause */
/* Strided copies for tests of the host and of devices: a loop that defines them, and random ones.
 */
#ifndef COPIES_H
#define COPIES_H

#include <stdint.h>
#include "kernels/device/device.h"

extern uint64_t copies_state; /* state of the random numbers */
ptrdiff_t copies_below(ptrdiff_t limit);
/* Fills memory with bytes that do not repeat over short distances. */
void copies_fill(void *memory, size_t bytes);
/* Copies one element after another. */
void copies_by_loop(const weft_strided_copy *it, const void *from, void *to);
/* Returns the number of elements from the address of the source, or the target, to its end. */
ptrdiff_t copies_reach(const weft_strided_copy *it, bool target);
/* Makes a random copy: up to 6 axes in any order, with gaps, reversed axes, counts of 0. */
weft_strided_copy copies_random(size_t element);

#endif
