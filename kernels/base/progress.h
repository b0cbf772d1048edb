/* SPDX-License-Identifier: BSD-3-Clause */
/* With WEFT_VERBOSE, rank 0 prints every few seconds on standard error what planning is doing. */
#ifndef WEFT_PROGRESS_H
#define WEFT_PROGRESS_H

/* Sets the name of the plan that this thread makes, and the time at which it began. NULL: no plan,
 * or nothing to print. The string `name` must stay valid. */
void weft_progress_begin(const char *name, double begin);
/* Prints the current step of planning, if the last message is some seconds old. */
void weft_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
