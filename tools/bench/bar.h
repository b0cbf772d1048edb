/* SPDX-License-Identifier: BSD-3-Clause */
/* A bar with the time left, on standard error where that is a terminal; else nothing. */
#ifndef BENCH_BAR_H
#define BENCH_BAR_H

/* So much is done, 0 to 1, in so many seconds; item `number` of `count` is next. */
void bench_bar(double done, double seconds, int number, int count, const char *what);
void bench_bar_end(void);

#endif
