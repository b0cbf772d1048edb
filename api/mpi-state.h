/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks whether MPI can be called with the communicator that a program passed, and which libraries
 * are loaded. A program and Weft may be built for different MPI libraries, whose handles mean
 * nothing to each other; Weft then prints a sentence and ends the program before a call crashes.
 * All of this is local, except weft_comm_usable_on_all.
 */
#ifndef WEFT_MPI_STATE_H
#define WEFT_MPI_STATE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "backends/exchange/abort.h"

/* Whether MPI is initialized and not finalized. Ends the program if it uses another MPI than
 * Weft. */
bool weft_mpi_running(void);
/* Gets this rank and the number of ranks. Returns false with an error for null communicators, for
 * inter-communicators, and if MPI is not running. */
bool weft_comm_usable(const char *function, MPI_Comm comm, int *rank, int *ranks);
/* The same for functions that all ranks call together. At the first use of a communicator the ranks
 * check that all of them run this version of Weft; if not, all ranks get false and an error. If
 * some ranks run FFTW-MPI, the program ends with a sentence. */
bool weft_comm_usable_on_all(const char *function, MPI_Comm comm, int *rank, int *ranks);
/* Until the calling function returns, MPI errors end the program with MPI's message, with any error
 * handlers the program has set, because a rank that went on would leave the other ranks waiting.
 * Functions that create communicators and shared memory return their errors instead. */
#define WEFT_ERRORS_ARE_FATAL(comm)                                                                \
    __attribute__((unused, cleanup(weft_errors_as_before))) weft_handler handler =                 \
        weft_errors_fatal(comm)
weft_handler weft_errors_fatal(MPI_Comm comm);
void weft_errors_as_before(weft_handler *was);

/* Whether WEFT_VERBOSE of this process asks for more messages than errors. */
bool weft_is_verbose(void);

/* Returns what a public function has made. If that is NULL, prints the error on stderr, on rank 0
 * or on a rank that does not know its number. An error of the program is printed only if
 * WEFT_VERBOSE is set, because FFTW prints nothing; an error of the environment is always printed,
 * once. */
void *weft_or_error(void *made, MPI_Comm comm);
/* Converts a Fortran communicator; returns MPI_COMM_NULL if it cannot be converted because MPI, of
 * a version without sessions, is not running. */
MPI_Comm weft_comm_from_fortran(MPI_Fint comm);

/* The name of the file that contains this address, as the loader writes it; "" if unknown. */
const char *weft_file_of(const void *address);
/* The dlsym handle of the file that contains this address; NULL for the program itself. */
void *weft_library_of(const void *address);
/* The name and version of the MPI in use, and the file that contains it. */
const char *weft_mpi_title(char *text, size_t capacity);
const char *weft_mpi_file(void);

/* Prints the sentence and ends the process with status 1, without calling the exit functions of
 * libraries. */
void weft_exit_process(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
#endif
