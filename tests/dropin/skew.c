/* SPDX-License-Identifier: BSD-3-Clause */
/* A library to preload: the clocks of ranks differ by 1000 seconds or more, as clocks of nodes do.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time)
{
    const char *rank = getenv("PMI_RANK");
    const int failed = (int)syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_MONOTONIC && rank)
        time->tv_sec += 1000 * (atol(rank) + 1);
    return failed;
}
