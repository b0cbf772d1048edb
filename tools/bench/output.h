/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

/* To be called after a tool has printed everything. Returns `status`. If standard output could not
 * be written, for example because the disk is full, prints an error on stderr and returns 1 in
 * place of 0. */
int bench_printed(const char *tool, int status);

#endif
