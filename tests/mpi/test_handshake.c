/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first calls on a communicator. One rank makes the MPI calls of another version of Weft; the
 * other ranks call weft_handshake. So these tests also fail if a later version changes the calls.
 * (scripts/hosts has ranks with FFTW's MPI library, which do not answer.)
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "backends/exchange/communicator.h"
#include "kernels/base/digest.h"
#include "kernels/base/error.h"
#include "tests/mpi/harness.h"

enum { NAME = 64 };

typedef struct {
    char version[NAME], host[NAME];
} identity;

static const identity old = {"0.0", "faraway"};

/* The communicator that MPI_Comm_dup below made. */
static MPI_Comm twin;
static bool dup_fails;

/* Gives each rank another host name. */
int gethostname(char *name, size_t capacity)
{
    snprintf(name, capacity, "host%d", rank);
    return 0;
}

/* Replaces MPI's function. It fails on demand, after its work, which the other ranks need. */
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    int (*next)(MPI_Comm, MPI_Comm *);
    *(void **)&next = dlsym(RTLD_NEXT, "MPI_Comm_dup");
    const int code = next(comm, &twin);
    *made = twin;
    if (!dup_fails)
        return code;
    MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
}

static MPI_Comm copy_of_world(void)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    return comm;
}

/* The calls of version 0.0. */
static void shake_hands_as_old(MPI_Comm comm)
{
    identity first = old, other = old;
    int mine, lowest;
    MPI_Request request;
    uint64_t value[3] = {weft_digest_bytes(old.version, strlen(old.version)), 0, 1}, least[3];
    value[1] = ~value[0];
    MPI_Comm_dup(comm, &twin);
    MPI_Iallreduce(value, least, 3, MPI_UINT64_T, MPI_MIN, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, twin);
    mine = rank > 0 ? rank : ranks - 1;
    MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, twin);
    MPI_Bcast(&other, sizeof other, MPI_BYTE, lowest, twin);
    MPI_Comm_free(&twin);
}

TEST(ranks_of_one_version_are_good)
{
    MPI_Comm comm = copy_of_world();
    const weft_handshake_result result = weft_handshake(comm, 100);
    all_true(result == WEFT_HANDSHAKE_GOOD, "%s", weft_error_text());
    MPI_Comm_free(&comm);
}

/* Row 0: rank 0 has the other version; row 1: the last rank. */
TEST(a_rank_of_another_version_is_named_on_all_ranks, .to = 2)
{
    const int odd = _i ? ranks - 1 : 0, lowest = _i ? odd : 1;
    char expected[300];
    MPI_Comm comm = copy_of_world();
    snprintf(expected, sizeof expected,
             _i ? "rank %d on host faraway runs Weft 0.0, rank 0 on host host0 runs Weft %s; all "
                  "need the same"
                : "rank %d on host host1 runs Weft %s, rank 0 on host faraway runs Weft 0.0; all "
                  "need the same",
             lowest, PACKAGE_VERSION);
    weft_handshake_result result = WEFT_HANDSHAKE_FAILED;
    if (rank == odd)
        shake_hands_as_old(comm);
    else
        result = weft_handshake(comm, 100);
    all_true(result == WEFT_HANDSHAKE_FAILED, "result %d", result);
    all_true(rank == odd || strcmp(weft_error_text(), expected) == 0, "\"%s\", not \"%s\"",
             weft_error_text(), expected);
    MPI_Comm_free(&comm);
}

TEST(a_rank_that_gets_no_duplicate_fails_on_all_ranks)
{
    MPI_Comm comm = copy_of_world();
    dup_fails = rank == ranks - 1;
    const weft_handshake_result result = weft_handshake(comm, 100);
    if (dup_fails)
        MPI_Comm_free(&twin);
    dup_fails = false;
    all_true(result == WEFT_HANDSHAKE_FAILED &&
                 strstr(weft_error_text(), "no further communicator"),
             "result %d, \"%s\"", result, weft_error_text());
    MPI_Comm_free(&comm);
}
