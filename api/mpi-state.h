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
/* The same for functions that all ranks call together. At first use of a communicator it checks
 * that all ranks run this version of Weft; false and an error on all ranks if not. Where some ranks
 * run FFTW-MPI the program ends with a sentence. */
bool weft_comm_joint(const char *function, MPI_Comm comm, int *rank, int *ranks);
/* Until the function with this line returns, errors of MPI end the program with the sentence of
 * MPI, whatever error handlers the program has set: a rank that went on would leave the others
 * waiting. Functions that create communicators and shared memory return their errors instead. */
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

/* Prints the error on stderr, on rank 0 or on a rank that does not know its number. Errors of the
 * program are printed only when WEFT_VERBOSE asks for that, since FFTW is silent; errors of the
 * environment are printed once. */
void weft_complain(MPI_Comm comm);
/* The communicator for Fortran's number; MPI_COMM_NULL without MPI. */
MPI_Comm weft_comm_of(MPI_Fint comm);

/* The name of the file that an address belongs to, as the loader writes it; "": not known. */
const char *weft_file_of(const void *address);
/* The handle of that file for dlsym; NULL for the program itself. */
void *weft_library_of(const void *address);
/* The name and version of this MPI, and its file. */
const char *weft_mpi_title(char *text, size_t room);
const char *weft_mpi_file(void);

/* Prints the sentence and ends the process with status 1, without calling the exit functions of
 * libraries. */
void weft_end(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Ends the process when Weft's calls reach an MPI of another kind than it was built for. */
void weft_mpi_check_kind(void);
/* Ends the process when another MPI library than Weft's is initialized; to be called when Weft's is
 * not. */
void weft_mpi_check_other(void);

#endif
