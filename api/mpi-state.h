/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether MPI can be called, over the communicator that a program passed, and which libraries are
 * in the process: programs and Weft may be built for different MPI libraries, whose handles mean
 * nothing to each other. Then the program ends with a sentence, before a call crashes. All of it is
 * local.
 */
#ifndef WEFT_MPI_STATE_H
#define WEFT_MPI_STATE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Between MPI_Init and MPI_Finalize. Ends the program where the MPI is not Weft's. */
bool weft_mpi_running(void);
/* This rank and the number of ranks; false and an error for null and inter-communicators, and
 * without MPI. */
bool weft_comm_usable(const char *function, MPI_Comm comm, int *rank, int *ranks);
/* Until the function returns that has this line, errors of MPI end the program, with MPI's
 * sentence, whatever error handlers it has set: a rank that went on would leave the others waiting.
 * Of what can fail, communicators and shared memory, the functions that make them say so. */
#define WEFT_ERRORS_ARE_FATAL(comm)                                                                \
    __attribute__((unused, cleanup(weft_handler_restore))) weft_handler handler =                  \
        weft_handler_fatal(comm)
typedef struct {
    MPI_Comm comm;
    MPI_Errhandler handler;
} weft_handler;
weft_handler weft_handler_fatal(MPI_Comm comm);
void weft_handler_restore(weft_handler *was);

/* Whether WEFT_VERBOSE asks for more than errors, in this process. */
bool weft_is_verbose(void);

/* Prints the error on stderr, from rank 0 or from one that cannot tell which it is: what the
 * program did wrong when WEFT_VERBOSE asks for it, for FFTW is silent; what is wrong with the
 * environment, once. */
void weft_complain(MPI_Comm comm);
/* The communicator that Fortran knows by this number; MPI_COMM_NULL without MPI. */
MPI_Comm weft_comm_of(MPI_Fint comm);

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
