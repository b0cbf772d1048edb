/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of MPI, which end the program, and whether MPI can be called. */
#ifndef WEFT_ABORT_H
#define WEFT_ABORT_H

#include <mpi.h>
#include <stdbool.h>

/* Ends a program that cannot continue: prints the sentence on stderr and aborts all ranks. Runs of
 * plans need this because they return no error code. */
_Noreturn void weft_abort(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether MPI_Finalize has been called. */
bool weft_mpi_is_over(void);
/* Whether MPI_COMM_WORLD can be used: MPI_Init has been called, MPI_Finalize has not. */
bool weft_has_world(void);
/* This rank in MPI_COMM_WORLD; without MPI_COMM_WORLD, in `comm`. */
int weft_process_rank(MPI_Comm comm);

/* The error handler that a communicator had before. */
typedef struct {
    MPI_Comm comm;
    MPI_Errhandler handler;
} weft_handler;
weft_handler weft_handler_replace(MPI_Comm comm, MPI_Errhandler by);
void weft_handler_restore(weft_handler *was);
/* The first line of MPI's text for an error code. */
const char *weft_mpi_error(int code, char text[MPI_MAX_ERROR_STRING]);
/* Ends the program unless the code is MPI_SUCCESS. For calls without a communicator in a run: an
 * error in MPI_Waitall can reach the handler of MPI_COMM_WORLD, which may return it. */
void weft_mpi_must(int code);

#endif
