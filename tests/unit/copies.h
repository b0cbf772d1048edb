/* SPDX-License-Identifier: BSD-3-Clause */
/* Strided copies for tests of the host and of devices: a loop that defines them, and random ones.
 */
#ifndef COPIES_H
#define COPIES_H

#include <stdint.h>
#include "kernels/device/device.h"

extern uint64_t copies_state; /* of the random numbers */
ptrdiff_t copies_below(ptrdiff_t limit);
/* Bytes in which no pattern repeats soon. */
void copies_fill(void *memory, size_t bytes);
/* One element after another. */
void copies_by_loop(const weft_strided_copy *it, const void *from, void *to);
/* How many elements of the source or of the target it needs, from the address that it gets. */
ptrdiff_t copies_reach(const weft_strided_copy *it, bool target);
/* Up to 6 axes in any order, with gaps, reversed axes, counts of 0. */
weft_strided_copy copies_random(size_t element);

#endif
