/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

/* To be called when a tool has printed everything: gives back `status`, or, where stdout could not
 * be written (a full disk), 1 in place of 0, and says so on stderr. */
int bench_printed(const char *tool, int status);

#endif
