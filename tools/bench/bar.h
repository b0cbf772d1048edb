/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress: a bar on standard error if that is a terminal; otherwise the tools print lines. */
#ifndef BENCH_BAR_H
#define BENCH_BAR_H

#include <stdbool.h>
#include <stddef.h>

/* Draws the bar for the fraction `done` (0 to 1) reached after `seconds`. Item `number` of `count`
 * is next; `what` names it. Draws nothing unless standard error is a terminal. */
void bench_bar(double done, double seconds, int number, int count, const char *what);
/* Erases the bar. To be called before a line is printed. */
void bench_bar_end(void);
/* Whether standard error is no terminal, so that the tool prints lines instead of a bar. */
bool bench_bar_is_text(void);
/* Writes the estimated time left, such as ", about 1:05 left"; nothing if `done` is 0. */
void bench_bar_left(double done, double seconds, char *text, size_t capacity);

#endif
