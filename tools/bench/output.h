/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* The value of the first of these environment variables that is set; NULL: none is set. */
const char *bench_variable(const char *const *name, size_t names);
/* Reads the first line of a file that begins with this text, without the newline. False, with an
 * empty text: there is no such line. */
bool bench_line_of(const char *file, const char *beginning, char *text, size_t capacity);
/* Whether this process is rank 0, also if no launcher started it. Needs no MPI: launchers set
 * variables of the environment. */
bool bench_is_first(void);

/* To be called after a tool has printed everything. Returns `status`. If standard output could not
 * be written, for example because the disk is full, prints an error on stderr and returns 1 in
 * place of 0. */
int bench_printed(const char *tool, int status);

#endif
