/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock that planning goes by: the system's, or one that a test puts in its place. */
#ifndef WEFT_CLOCK_H
#define WEFT_CLOCK_H

/* Seconds since some moment. */
double weft_clock(void);
/* Seconds that this thread has had a core, or of the same clock where the system does not count. */
double weft_busy_clock(void);

/* A moment, as this thread has got there. */
typedef struct {
    double clock, busy;
    long preemptions;
} weft_moment;
weft_moment weft_moment_now(void);
/* Seconds since then. Lost: those without the core, if another thread made this one leave it and
 * they are a part that matters, so that it is not a time of its own; else, and where the system
 * does not count, 0. */
double weft_seconds_since(const weft_moment *moment, double *lost);

/* For tests. NULL: the system's again. */
void weft_clock_set(double (*clock)(void));
/* So much is lost of whatever passes by the clock that was set. */
void weft_clock_lose(double seconds);

#endif
