/* SPDX-License-Identifier: BSD-3-Clause */
/* With WEFT_VERBOSE, rank 0 says every few seconds how far planning is, on standard error. */
#ifndef WEFT_PROGRESS_H
#define WEFT_PROGRESS_H

/* What this thread plans, since when by the clock; NULL: nothing, or nothing is to be said. The
 * name must stay. */
void weft_progress_begin(const char *name, double begin);
/* What it does now. */
void weft_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
