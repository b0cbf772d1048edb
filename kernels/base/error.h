/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last error, one sentence, kept per thread. A function that fails says why here and returns
 * NULL or false; nothing is printed, unless WEFT_VERBOSE asks for it.
 */
#ifndef WEFT_ERROR_H
#define WEFT_ERROR_H

void weft_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The sentence, "" when nothing has failed since the last weft_error_clear. */
const char *weft_error_text(void);
void weft_error_clear(void);

#endif
