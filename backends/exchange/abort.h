/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends a program that cannot continue. Runs of plans need this because they return no error code.
 */
#ifndef WEFT_ABORT_H
#define WEFT_ABORT_H

/* Prints the sentence on stderr and aborts all ranks. */
_Noreturn void weft_abort(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
