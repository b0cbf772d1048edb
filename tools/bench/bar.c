/* SPDX-License-Identifier: BSD-3-Clause */
/* The line is drawn over itself; lines of other output begin by wiping it. */
#include <stdio.h>
#include <unistd.h>
#include "tools/bench/bar.h"

enum { WIDTH = 24 };

void bench_bar(double done, double seconds, int number, int count, const char *what)
{
    char bar[WIDTH + 1] = "", left[64] = "";
    if (!isatty(STDERR_FILENO))
        return;
    for (int i = 0; i < WIDTH; i++)
        bar[i] = (i + 0.5) / WIDTH < done ? '#' : '.';
    if (done > 0) {
        const long rest = (long)(seconds * (1 - done) / done + 0.5);
        snprintf(left, sizeof left, ", about %ld:%02ld left", rest / 60, rest % 60);
    }
    fflush(stdout);
    fprintf(stderr, "\r[%s] %d of %d%s: %s\033[K\r", bar, number, count, left, what);
    fflush(stderr);
}

void bench_bar_end(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}
