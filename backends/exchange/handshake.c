/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FFTW's MPI library begins to plan with MPI_Comm_dup of the program's communicator, and goes on on
 * the duplicate. So does Weft here:
 *
 *     Weft        MPI_Comm_dup    MPI_Iallreduce on the program's communicator, polled
 *     FFTW-MPI    MPI_Comm_dup    waits on the duplicate, for good
 *
 * Once the duplicate is there, every rank is in a plan function, however late it came, and one that
 * runs Weft needs microseconds to answer. A rank that has not answered after a minute runs
 * something else. Ranks that wait then tell one another who they are, on the duplicate, whose
 * messages no receive of the program's can take.
 *
 * Cost: a duplicate and a reduction of 24 bytes, once for each communicator.
 */
#include "backends/exchange/handshake.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "kernels/base/clock.h"
#include "kernels/base/digest.h"
#include "kernels/base/error.h"
#include "kernels/base/host.h"

enum { TAG = 31617, NAME = 64 };

/* Read at run time, so that a test can change it in the file of the library. */
static const char *volatile version = PACKAGE_VERSION;

/* What ranks say of themselves where something is wrong. */
typedef struct {
    char version[NAME], host[NAME];
} identity;

static identity own_identity(void)
{
    identity it = {"", ""};
    snprintf(it.version, sizeof it.version, "%s", version);
    snprintf(it.host, sizeof it.host, "%s", weft_host());
    return it;
}

static void rest(long nanoseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

/* Polls until it is done. Time in which this process did not run does not count. */
static bool await(MPI_Request *request, double limit)
{
    enum { EAGER = 20000, MILLISECOND = 1000 * 1000 };
    double waited = 0, before = weft_clock();
    for (long polls = 0; waited < limit; polls++) {
        int done = 0;
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return true;
        if (polls < EAGER)
            sched_yield();
        else
            rest(MILLISECOND);
        const double now = weft_clock();
        waited += now - before < 0.1 ? now - before : 0.1;
        before = now;
    }
    return false;
}

/* The ranks that answer on the duplicate within a while; how many there are, and their hosts. */
static int count_answers(MPI_Comm comm, int rank, int ranks, char *answered, char *hosts,
                         size_t room)
{
    const identity mine = own_identity();
    MPI_Request request;
    int count = 1;
    snprintf(hosts, room, "%s", mine.host);
    answered[rank] = 1;
    for (int peer = 0; peer < ranks; peer++)
        if (peer != rank) {
            MPI_Isend(&mine, sizeof mine, MPI_BYTE, peer, TAG, comm, &request);
            MPI_Request_free(&request);
        }
    for (const double begin = weft_clock(); weft_clock() - begin < 2;) {
        MPI_Status status;
        identity theirs;
        int there = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, TAG, comm, &there, &status);
        if (!there) {
            rest(100 * 1000);
            continue;
        }
        MPI_Recv(&theirs, sizeof theirs, MPI_BYTE, status.MPI_SOURCE, TAG, comm, MPI_STATUS_IGNORE);
        answered[status.MPI_SOURCE] = 1;
        count++;
        const size_t used = strlen(hosts);
        if (!strstr(hosts, theirs.host) && used + NAME + 3 < room)
            snprintf(hosts + used, room - used, ", %.*s", NAME - 1, theirs.host);
    }
    return count;
}

static void say_who_is_missing(MPI_Comm comm)
{
    char hosts[400];
    int rank, ranks, first = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    char *answered = calloc((size_t)ranks, 1);
    if (!answered) {
        weft_error("ranks do not run Weft, and there is no memory to find out which");
        return;
    }
    const int count = count_answers(comm, rank, ranks, answered, hosts, sizeof hosts);
    weft_error_clear();
    while (first < rank && !answered[first])
        first++;
    if (first == rank) { /* the lowest of those that answer */
        for (first = 0; first < ranks - 1 && answered[first];)
            first++;
        weft_error("rank %d, and %d of %d ranks in all, do not run Weft %s but FFTW's MPI library, "
                   "or do not answer: the preload or the library path may not reach their host; "
                   "Weft runs on %s",
                   first, ranks - count, ranks, PACKAGE_VERSION, hosts);
    }
    free(answered);
}

/* All answer, so that ordinary collective calls will do. Nothing is allocated, which could fail on
 * one rank. */
static void say_who_differs(MPI_Comm comm)
{
    identity first = own_identity(), other = first;
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, comm);
    int mine = strcmp(other.version, first.version) != 0 ? rank : ranks - 1, lowest;
    MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, comm);
    MPI_Bcast(&other, sizeof other, MPI_BYTE, lowest, comm);
    weft_error("rank %d on host %s runs Weft %s, rank 0 on host %s runs Weft %s; all need the same",
               lowest, other.host, other.version, first.host, first.version);
}

/* The duplicate; errors come back whatever the error handler says. */
static bool duplicate(MPI_Comm comm, MPI_Comm *made)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(comm, &handler);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    const int code = MPI_Comm_dup(comm, made);
    MPI_Comm_set_errhandler(comm, handler);
    if (handler != MPI_ERRHANDLER_NULL)
        MPI_Errhandler_free(&handler);
    if (code == MPI_SUCCESS)
        MPI_Comm_set_errhandler(*made, MPI_ERRORS_ARE_FATAL);
    else
        *made = MPI_COMM_NULL;
    return code == MPI_SUCCESS;
}

weft_handshake_result weft_handshake(MPI_Comm comm, double limit)
{
    uint64_t mine[3], least[3];
    MPI_Comm twin;
    MPI_Request request;
    int ranks;

    MPI_Comm_size(comm, &ranks);
    if (WEFT_RANKS_ARE_THREADS || ranks == 1)
        return WEFT_HANDSHAKE_GOOD;
    mine[2] = duplicate(comm, &twin);
    mine[0] = weft_digest_bytes(version, strlen(version));
    mine[1] = ~mine[0];
    MPI_Iallreduce(mine, least, 3, MPI_UINT64_T, MPI_MIN, comm, &request);
    if (!await(&request, limit)) {
        if (twin != MPI_COMM_NULL)
            say_who_is_missing(twin);
        return WEFT_HANDSHAKE_ALONE;
    }
    const bool same = least[0] == ~least[1];
    if (least[2] == 0)
        weft_error("no further communicator could be made");
    else if (!same)
        say_who_differs(twin);
    if (twin != MPI_COMM_NULL)
        MPI_Comm_free(&twin);
    return same && least[2] ? WEFT_HANDSHAKE_GOOD : WEFT_HANDSHAKE_FAILED;
}
