/* SPDX-License-Identifier: BSD-3-Clause */
/* How far it is, and the time left: a bar on standard error, where that is a terminal, else lines.
 */
#ifndef BENCH_BAR_H
#define BENCH_BAR_H

#include <stdbool.h>
#include <stddef.h>

/* So much is done, 0 to 1, in so many seconds; item `number` of `count` is next. Draws nothing but
 * on a terminal. */
void bench_bar(double done, double seconds, int number, int count, const char *what);
/* Wipes it, before a line is printed. */
void bench_bar_end(void);
/* Whether there is no terminal; then what can be said in place of the bar. */
bool bench_bar_is_text(void);
/* ", about 1:05 left"; nothing where nothing is done. */
void bench_bar_left(double done, double seconds, char *text, size_t room);

#endif
