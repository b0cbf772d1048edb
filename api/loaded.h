/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What else is loaded in this process. Programs and Weft may be built for different MPI libraries,
 * whose handles mean nothing to each other: then the program ends with a sentence, before a call
 * crashes.
 */
#ifndef WEFT_LOADED_H
#define WEFT_LOADED_H

#include <stddef.h>

/* The file that holds an address, as the loader names it; "" when that cannot be known. */
const char *weft_file_of(const void *address);
/* That file as dlsym knows it; NULL for the program itself. */
void *weft_library_of(const void *address);
/* What this MPI calls itself, and its file. */
const char *weft_mpi_title(char *text, size_t room);
const char *weft_mpi_file(void);

/* Prints the sentence and ends the process with status 1, without what libraries would do at their
 * end. */
void weft_end(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Does not come back when Weft's calls reach an MPI of another kind than it was built for. */
void weft_mpi_check_kind(void);
/* Does not come back when another MPI library than Weft's is initialized; to be asked when Weft's
 * is not. */
void weft_mpi_check_other(void);

#endif
