/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock for planning: the system's clock, or a replacement that a test sets. */
#ifndef WEFT_CLOCK_H
#define WEFT_CLOCK_H

/* Seconds since an arbitrary fixed time. */
double weft_clock(void);
/* CPU seconds of this thread; weft_clock where the system does not count them. */
double weft_busy_clock(void);

/* A point in time, with the thread's CPU time and number of preemptions. */
typedef struct {
    double clock, busy;
    long preemptions;
} weft_moment;
weft_moment weft_moment_now(void);
/* Returns the seconds since `moment`. *lost becomes the seconds that the thread spent without a
 * core, if it was preempted and this part is large enough to spoil a timing. Else, and where the
 * system does not count CPU time, *lost becomes 0. */
double weft_seconds_since(const weft_moment *moment, double *lost);

/* For tests: replaces the clock; NULL restores the system's. */
void weft_clock_set(double (*clock)(void));
/* For tests: sets the value of *lost while the clock is replaced. */
void weft_clock_lose(double seconds);

#endif
