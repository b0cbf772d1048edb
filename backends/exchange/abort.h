/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a program that cannot go on: runs have nobody to return an error to. */
#ifndef WEFT_ABORT_H
#define WEFT_ABORT_H

/* Prints the sentence on stderr and ends all ranks. */
_Noreturn void weft_abort(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
