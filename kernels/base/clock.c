/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock. The two variables serve only the tests. */
#include "kernels/base/clock.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

static double (*in_its_place)(void);
static double lost_in_its_place;

/* The smallest lost fraction of a time that spoils a timing. */
static const double MATTERS = 0.01;

static double seconds(const struct timespec *time)
{
    return (double)time->tv_sec + 1e-9 * (double)time->tv_nsec;
}

double weft_clock(void)
{
    struct timespec now;
    if (in_its_place)
        return in_its_place();
    clock_gettime(CLOCK_MONOTONIC, &now);
    return seconds(&now);
}

/* Number of involuntary preemptions of this thread; 0 where a test replaces the clock. */
static long preemptions(void)
{
#ifdef RUSAGE_THREAD
    struct rusage usage;
    if (!in_its_place && getrusage(RUSAGE_THREAD, &usage) == 0)
        return usage.ru_nivcsw;
#endif
    return 0;
}

double weft_busy_clock(void)
{
#ifdef CLOCK_THREAD_CPUTIME_ID
    struct timespec used;
    if (!in_its_place && clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) == 0)
        return seconds(&used);
#endif
    return weft_clock();
}

weft_moment weft_moment_now(void)
{
    return (weft_moment){.preemptions = preemptions(),
                         .busy = in_its_place ? 0 : weft_busy_clock(),
                         .clock = weft_clock()};
}

/* A thread that waits in a system call also leaves the core, but voluntarily, so that is not lost
 * time. */
double weft_seconds_since(const weft_moment *moment, double *lost)
{
    const weft_moment now = weft_moment_now();
    const double passed = now.clock - moment->clock, elsewhere = passed - (now.busy - moment->busy);
    const bool matters = now.preemptions != moment->preemptions && elsewhere > MATTERS * passed;
    *lost = in_its_place ? lost_in_its_place : matters ? elsewhere : 0;
    return passed;
}

void weft_clock_set(double (*clock)(void))
{
    in_its_place = clock;
    lost_in_its_place = 0;
}

void weft_clock_lose(double seconds)
{
    lost_in_its_place = seconds;
}
