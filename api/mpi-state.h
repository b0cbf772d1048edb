/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether MPI can be talked to, over the communicator that a program passed. All of it is local. */
#ifndef WEFT_MPI_STATE_H
#define WEFT_MPI_STATE_H

#include <mpi.h>
#include <stdbool.h>

/* Between MPI_Init and MPI_Finalize. Ends the program where the MPI is not Weft's (loaded.h). */
bool weft_mpi_running(void);
/* This rank and the number of ranks; false and an error for null and inter-communicators, and
 * without MPI. */
bool weft_comm_usable(const char *function, MPI_Comm comm, int *rank, int *ranks);
/* The same for functions that all ranks call together, at first use of a communicator: all of them
 * run this version of Weft; false and an error on all ranks if not. Where some run FFTW's MPI
 * library the program ends, with a sentence. */
bool weft_comm_joint(const char *function, MPI_Comm comm, int *rank, int *ranks);
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

#endif
