/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this process has made of MPI's and not freed, in the order of `watch_kind`; and MPI calls
 * that fail on demand. Calls of the program and of Weft are watched, not those that MPI makes
 * itself.
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
/* The program means to leave it. */
void watch_keep(MPI_Comm comm);

/* From now on the call with this number, from 1, fails with MPI_ERR_OTHER, once (0: none), after
 * the error handler was called that MPI would call. */
void watch_fail(long number);
/* The calls since then; and the one that failed, NULL: none has. */
long watch_calls(void);
const char *watch_failed(void);

/* What the calls tell: who calls is an address in the program. */
#define WATCH_BITS(handle)                                                                         \
    ((intptr_t)(handle)) /* of an MPI whose handles are numbers, or addresses */
void watch_begin(void);
void watch_made(watch_kind kind, intptr_t bits, const char *call, const void *place);
void watch_used(watch_kind kind, intptr_t bits, const char *call, const void *place);
void watch_gone(watch_kind kind, intptr_t bits, const char *call, const void *place);
/* A collective call; `detail` is what must be the same on all ranks. */
void watch_together(MPI_Comm comm, const char *call, int64_t detail, const void *place);
/* A communicator made by the last collective call on its parent. */
void watch_born(MPI_Comm parent, MPI_Comm child, const char *call, const void *place);
/* Whether this call is the one to fail; what it then returns. */
bool watch_fails(const char *call);
int watch_error(MPI_Comm comm);

#endif
