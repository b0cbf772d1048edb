/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FFTW's MPI library begins planning with MPI_Comm_dup of the program's communicator, and then uses
 * only the duplicate. Weft's first call is therefore the same:
 *
 *     Weft        MPI_Comm_dup    MPI_Iallreduce on the program's communicator, polled
 *     FFTW-MPI    MPI_Comm_dup    waits on the duplicate, forever
 *
 * MPI_Comm_dup returns only when every rank has entered a plan function, however late. From then on
 * a rank that runs Weft needs microseconds to answer, so a rank that has not answered after a
 * minute runs other software. The waiting ranks then send one another their names on the duplicate,
 * where no receive of the program can match the messages.
 *
 * Cost: one duplicate and one reduction of 24 bytes per communicator.
 */
#include "backends/exchange/communicator.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "backends/exchange/abort.h"
#include "kernels/base/clock.h"
#include "kernels/base/digest.h"
#include "kernels/base/error.h"

enum { TAG = 31617, NAME = 64 };

/* volatile, so that a test can change the string in the library file */
static const char *volatile version = PACKAGE_VERSION;

/* What a rank sends about itself when something is wrong. */
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

/* Polls until the request is done; returns false after `limit` seconds. Time in which the process
 * was suspended does not count. */
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

/* Exchanges names on the duplicate for 2 seconds. Marks the ranks that answered, collects their
 * hosts, and returns the number of ranks that answered, including this rank. */
static int count_answers(MPI_Comm comm, int rank, int ranks, char *answered, char *hosts,
                         size_t capacity)
{
    const identity mine = own_identity();
    MPI_Request request;
    int count = 1;
    snprintf(hosts, capacity, "%s", mine.host);
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
        if (!strstr(hosts, theirs.host) && used + NAME + 3 < capacity)
            snprintf(hosts + used, capacity - used, ", %.*s", NAME - 1, theirs.host);
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
        weft_error("some ranks do not run Weft, and there is no memory to find out which");
        return;
    }
    const int count = count_answers(comm, rank, ranks, answered, hosts, sizeof hosts);
    weft_error_clear();
    while (first < rank && !answered[first])
        first++;
    if (first == rank) { /* this is the lowest rank that answered */
        for (first = 0; first < ranks - 1 && answered[first];)
            first++;
        weft_error("rank %d, and %d of %d ranks in all, do not run Weft %s but FFTW's MPI library, "
                   "or do not answer: the preload or the library path may not reach their host; "
                   "Weft runs on %s",
                   first, ranks - count, ranks, PACKAGE_VERSION, hosts);
    }
    free(answered);
}

/* All ranks answer here, so collective calls are safe. Allocates nothing, because an allocation
 * could fail on one rank only. */
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

/* Duplicates comm. Errors are returned, also if comm has another error handler. */
static bool duplicate(MPI_Comm comm, MPI_Comm *made)
{
    weft_handler was = weft_handler_replace(comm, MPI_ERRORS_RETURN);
    const int code = MPI_Comm_dup(comm, made);
    weft_handler_restore(&was);
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
