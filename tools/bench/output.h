/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* The value of the first of these environment variables that is set; NULL: none is set. */
const char *bench_variable(const char *const *name, size_t names);
/* Whether this process is rank 0, also if no launcher started it. Needs no MPI: launchers set
 * variables of the environment. */
bool bench_is_first(void);

/* To be called after a tool has printed everything. Returns `status`. If standard output could not
 * be written, for example because the disk is full, prints an error on stderr and returns 1 in
 * place of 0. */
int bench_printed(const char *tool, int status);

#endif
