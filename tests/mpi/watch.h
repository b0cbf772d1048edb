/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts the MPI handles that this process has made and not freed, by `watch_kind`, and makes MPI
 * calls fail on demand. It watches calls of the program and of Weft, not calls inside MPI.
 */
#ifndef WATCH_H
#define WATCH_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum {
    WATCH_COMMUNICATOR,
    WATCH_DATATYPE,
    WATCH_GROUP,
    WATCH_OPERATION,
    WATCH_HANDLER,
    WATCH_KEY,
    WATCH_REQUEST,
    WATCH_KINDS
} watch_kind;

int watch_alive(watch_kind kind);
int watch_alive_all(void);
/* Does not count this communicator: the program does not free it. */
void watch_keep(MPI_Comm comm);

/* Makes one later call fail with MPI_ERR_OTHER: 1 is the next one, 0 none. The error handler that
 * MPI would call is called first. */
void watch_fail(long number);
/* The number of calls since watch_fail. */
long watch_calls(void);

/* The wrappers of MPI's calls (watch-calls) call these functions. `place` is the address of the
 * caller in the program. */
#define WATCH_BITS(handle)                                                                         \
    ((intptr_t)(handle)) /* handles are numbers or addresses, depending on the MPI */
#define WATCH_PUBLIC __attribute__((visibility("default")))
void watch_made(watch_kind kind, intptr_t bits, const char *call, const void *place);
void watch_used(watch_kind kind, intptr_t bits, const char *call, const void *place);
void watch_gone(watch_kind kind, intptr_t bits, const char *call, const void *place);
/* watch_requests copies requests before a call; watch_finished frees the copy and notes the
 * requests that the call has completed. */
MPI_Request *watch_requests(int count, const MPI_Request *request);
void watch_finished(int count, MPI_Request *before, const MPI_Request *after, const char *call,
                    const void *place);
/* Notes a collective call; `detail` must be the same on all ranks. */
void watch_together(MPI_Comm comm, const char *call, int64_t detail, const void *place);
/* Notes a communicator that the last collective call on its parent made. */
void watch_born(MPI_Comm parent, MPI_Comm child, const char *call, const void *place);
/* watch_fails says whether this call must fail; watch_error returns the error code for it. */
bool watch_fails(void);
int watch_error(MPI_Comm comm);

#endif
