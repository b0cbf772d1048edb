/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last error, one sentence, kept per thread. A function that fails says why here and returns
 * NULL or false; who called from outside decides what is printed.
 */
#ifndef WEFT_ERROR_H
#define WEFT_ERROR_H

#include <stdbool.h>

void weft_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The sentence, "" when nothing has failed since the last weft_error_clear. */
const char *weft_error_text(void);
void weft_error_clear(void);

/* The last error is the environment's, not the program's: nobody would see it unless printed. */
void weft_error_blame_environment(void);
bool weft_error_is_environment(void);

/* Prints a sentence on stderr, unless this process has done so before. */
void weft_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
