/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first calls on a communicator. Some ranks make the MPI calls of another version of Weft, or
 * of FFTW's MPI library; the other ranks call weft_handshake. So these tests also fail if a later
 * version changes the calls.
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

enum { NAME = 64, TAG = 31617 };

typedef struct {
    char version[NAME], host[NAME];
} identity;

static const identity old = {"0.0", "faraway"};

/* The communicator that MPI_Comm_dup below made; weft_handshake keeps it if ranks do not answer. */
static MPI_Comm twin;
static MPI_Request request;
static bool dup_fails, never_done;

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

/* With `never_done` it uses its own arrays, because the reduction ends after the caller has freed
 * its arrays. */
int MPI_Iallreduce(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op operation,
                   MPI_Comm comm, MPI_Request *made)
{
    static uint64_t in[3], out[3];
    int (*next)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *);
    *(void **)&next = dlsym(RTLD_NEXT, "MPI_Iallreduce");
    const int code = next(never_done ? in : sent, never_done ? out : received, count, type,
                          operation, comm, &request);
    *made = request;
    return code;
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

/* Completes the calls of the other ranks: the silent ranks also reduce, and receive names. */
static void answer_late(MPI_Comm comm, bool silent, int first, int count)
{
    uint64_t value[3] = {0}, least[3];
    identity theirs;
    if (silent)
        MPI_Iallreduce(value, least, 3, MPI_UINT64_T, MPI_MIN, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int peer = 0; silent && peer < ranks; peer++)
        if (peer < first || peer >= first + count)
            MPI_Recv(&theirs, sizeof theirs, MPI_BYTE, peer, TAG, twin, MPI_STATUS_IGNORE);
    MPI_Comm_free(&twin);
}

/* Whether the sentence says that `silent` ranks do not answer, and names the hosts of the others.
 */
static bool counts(const char *text, int silent, int first)
{
    char begin[200], host[NAME];
    snprintf(begin, sizeof begin,
             "rank %d, and %d of %d ranks in all, do not run Weft %s but FFTW's MPI library, ",
             first, silent, ranks, PACKAGE_VERSION);
    const char *hosts = strstr(text, "Weft runs on");
    bool ok = hosts && strncmp(text, begin, strlen(begin)) == 0;
    for (int r = 0; ok && r < ranks; r++) {
        snprintf(host, sizeof host, "host%d", r);
        ok = (strstr(hosts, host) != NULL) == (r < first || r >= first + silent);
    }
    return ok;
}

/* Row 0: rank 0 does not answer; row 1: all ranks but 0 do not. The lowest rank that answers gets
 * the sentence. */
TEST(ranks_that_do_not_answer_are_counted, .to = 2)
{
    const int first = _i ? 1 : 0, count = _i ? ranks - 1 : 1, lowest = _i ? 0 : 1;
    const bool silent = rank >= first && rank < first + count;
    MPI_Comm comm = copy_of_world();
    weft_handshake_result result = WEFT_HANDSHAKE_ALONE;
    weft_error_clear();
    never_done = true;
    if (silent)
        MPI_Comm_dup(comm, &twin);
    else
        result = weft_handshake(comm, 0.2);
    all_true(result == WEFT_HANDSHAKE_ALONE, "result %d", result);
    answer_late(comm, silent, first, count);
    never_done = false;
    const char *text = weft_error_text();
    all_true(rank == lowest ? counts(text, count, first) : !*text, "\"%s\"", text);
    MPI_Comm_free(&comm);
}
