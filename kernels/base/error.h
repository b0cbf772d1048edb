/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last error, one sentence for each thread. A function that fails sets the sentence here and
 * returns NULL or false; the function that the user has called decides what to print.
 */
#ifndef WEFT_ERROR_H
#define WEFT_ERROR_H

#include <stdbool.h>

/* Returns false, so that a function can return the result of this call. */
bool weft_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The last error; "" when nothing has failed since the last weft_error_clear. */
const char *weft_error_text(void);
void weft_error_clear(void);

/* Marks the last error as caused by the environment, such as a bad setting, not by the program.
 * Weft then always prints the error, because the program would not report it. Returns false. */
bool weft_error_blame_environment(void);
bool weft_error_is_environment(void);

/* Prints a sentence on stderr, but each sentence only once per process. */
void weft_print_once(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* With WEFT_VERBOSE, rank 0 prints every few seconds on standard error what planning is doing. */

/* Sets the name of the plan that this thread makes, and the time at which it began. NULL: no plan,
 * or nothing to print. The string `name` must stay valid. */
void weft_progress_begin(const char *name, double begin);
/* Prints the current step of planning, if the last message is some seconds old. */
void weft_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The name of the host that this process runs on, for error messages. The system is asked once. */
const char *weft_host(void);

#endif
