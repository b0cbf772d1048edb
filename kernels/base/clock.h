/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock that planning goes by: the system's, or one that a test puts in its place. */
#ifndef WEFT_CLOCK_H
#define WEFT_CLOCK_H

/* Seconds since some moment. */
double weft_clock(void);
/* How often this thread has had to leave its core to another; what ran meanwhile is not a time of
 * its own. Always 0 where the system does not count. */
long weft_preemptions(void);
/* NULL: the system's again. */
void weft_clock_set(double (*clock)(void));

#endif
