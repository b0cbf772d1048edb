/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws the progress bar. Each bar overwrites the one before on the same line of the terminal; a
 * program calls bench_bar_end to erase the bar before it prints other lines. */
#include <stdio.h>
#include <unistd.h>
#include "tools/bench/bar.h"

enum { WIDTH = 24 };

bool bench_bar_is_text(void)
{
    return !isatty(STDERR_FILENO);
}

void bench_bar_left(double done, double seconds, char *text, size_t capacity)
{
    const long rest = done > 0 ? (long)(seconds * (1 - done) / done + 0.5) : 0;
    *text = '\0';
    if (done > 0)
        snprintf(text, capacity, ", about %ld:%02ld left", rest / 60, rest % 60);
}

void bench_bar(double done, double seconds, int number, int count, const char *what)
{
    char bar[WIDTH + 1] = "", left[64];
    if (bench_bar_is_text())
        return;
    for (int i = 0; i < WIDTH; i++)
        bar[i] = (i + 0.5) / WIDTH < done ? '#' : '.';
    bench_bar_left(done, seconds, left, sizeof left);
    fflush(stdout);
    fprintf(stderr, "\r[%s] %d of %d%s: %s\033[K\r", bar, number, count, left, what);
    fflush(stderr);
}

void bench_bar_end(void)
{
    if (!bench_bar_is_text())
        fputs("\r\033[K", stderr);
}
