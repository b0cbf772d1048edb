/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the network. Every rank sends over distances that are multiples of the largest number of
 * ranks on a node: if nodes hold consecutive ranks, all messages go to other nodes. A measurement
 * takes the time of the slowest rank, since a rank that leaves the barrier late finds messages that
 * have arrived already. Each time is the minimum of TURNS measurements: disturbances only add time,
 * and on a busy machine half of the measurements are disturbed.
 *
 *     one small message             latency
 *     FEW small ones at once        latency + (FEW - 1) message
 *     FEW of LARGE bytes            latency + (FEW - 1) message + FEW LARGE byte
 *     one of LARGE bytes            latency + LARGE step
 *
 * The FEW messages go to nodes spread over the network, which loads each link as an all-to-all
 * would. The single large message goes to the next node, then in another measurement halfway
 * around: on some networks such messages of many nodes share links.
 */
#include "backends/exchange/nodes.h"

#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/clock.h"

enum { TURNS = 6, FEW = 8, SMALL = 64, LARGE = 8192 };

/* The distance in ranks of the i-th of several messages, which are spread over all nodes; a single
 * message goes `part` / FEW of the way around. */
static int distance(int ranks, int away, int messages, int i, int part)
{
    const int nodes = ranks / away; /* or one more, with fewer ranks */
    const int node = nodes < 2 ? 1 : 1 + (messages > 1 ? i : part) * (nodes - 1) / FEW;
    return node * away;
}

/* Seconds per round to send and receive `messages` messages. Several rounds reduce the error that
 * ranks leave the barrier at different times. */
static double send_around(MPI_Comm comm, int away, int messages, int bytes, int rounds, int part)
{
    static char from[LARGE];
    static _Thread_local char to[FEW * LARGE];
    MPI_Request request[2 * FEW];
    MPI_Status status[2 * FEW]; /* (compilers warn about MPICH's MPI_STATUSES_IGNORE) */
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Barrier(comm);
    const double begin = weft_clock();
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < messages; i++) {
            const int step = distance(ranks, away, messages, i, part);
            MPI_Irecv(to + i * LARGE, bytes, MPI_CHAR, (rank + ranks - step) % ranks, i, comm,
                      &request[i]);
            MPI_Isend(from, bytes, MPI_CHAR, (rank + step) % ranks, i, comm,
                      &request[messages + i]);
        }
        MPI_Waitall(2 * messages, request, status);
    }
    return (weft_clock() - begin) / rounds;
}

static double above(double value, double least)
{
    return value > least ? value : least;
}

weft_network weft_network_measure(MPI_Comm comm, const int *node)
{
    static const struct {
        int messages, bytes, rounds, part;
    } what[] = {{1, SMALL, 4, 0},
                {FEW, SMALL, 4, 0},
                {FEW, LARGE, 1, 0},
                {1, LARGE, 2, 0},
                {1, LARGE, 2, FEW / 2}};
    enum { WHAT = sizeof what / sizeof *what };
    double time[TURNS][WHAT], least[WHAT];
    int ranks, away = 0;
    MPI_Comm_size(comm, &ranks);
    for (int rank = 0; rank < ranks; rank++) {
        int here = 0;
        for (int other = node[rank]; node[rank] == rank && other < ranks; other++)
            here += node[other] == rank;
        away = here > away ? here : away;
    }
    if (away == ranks)
        return (weft_network){0};
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < WHAT; i++)
            time[turn][i] = send_around(comm, away, what[i].messages, what[i].bytes, what[i].rounds,
                                        what[i].part);
    weft_agree_max_all(comm, time[0], TURNS * WHAT);
    memcpy(least, time[0], sizeof least);
    for (int turn = 1; turn < TURNS; turn++)
        for (int i = 0; i < WHAT; i++)
            least[i] = time[turn][i] < least[i] ? time[turn][i] : least[i];
    const double byte = above((least[2] - least[1]) / (FEW * LARGE), 1e-12);
    return (weft_network){
        .latency = above(least[0], 1e-7),
        .message = above((least[1] - least[0]) / (FEW - 1), 1e-8),
        .byte = byte,
        .step = above(((least[3] + least[4]) / 2 - least[0]) / LARGE, byte),
    };
}
