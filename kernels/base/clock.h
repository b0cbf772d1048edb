/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock that planning goes by: the system's, or one that a test puts in its place. */
#ifndef WEFT_CLOCK_H
#define WEFT_CLOCK_H

/* Seconds since some moment. */
double weft_clock(void);
/* NULL: the system's again. */
void weft_clock_set(double (*clock)(void));

#endif
