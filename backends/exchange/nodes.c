/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds ranks that share a node although MPI reports each rank alone on its node. Host names would
 * not do, because containers have their own. So ranks with the same key map one file; each rank
 * writes one page of the file and reads the pages of the others:
 *
 *     each rank's key: boot id and process namespace     a a b b
 *     do the ranks of a key see one another's writes?    yes yes
 *     leaders                                            0 0 2 2
 */
#include "backends/exchange/nodes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/segment.h"
#include "kernels/base/clock.h"
#include "kernels/base/digest.h"
#include "kernels/base/error.h"
#include "kernels/base/memory.h"

enum { PAGE = 4096 };

/* Asks MPI for the lowest rank on every rank's node. The communicator that MPI makes for this is
 * freed at once, because MPI libraries support few communicators. Returns false when MPI cannot
 * make one. */
static bool ask_mpi(MPI_Comm comm, int rank, int *leader)
{
    MPI_Comm node;
    int lowest;
    if (!weft_comm_of_node(comm, &node))
        return false;
    MPI_Allreduce(&rank, &lowest, 1, MPI_INT, MPI_MIN, node);
    MPI_Comm_free(&node);
    MPI_Allgather(&lowest, 1, MPI_INT, leader, 1, MPI_INT, comm);
    return true;
}

static bool all_alone(int ranks, const int *leader)
{
    bool alone = ranks > 1;
    for (int r = 0; r < ranks; r++)
        alone &= leader[r] == r;
    return alone;
}

/* A key that is the same for processes that may share memory; 0: this process must not be joined
 * with others. */
static uint64_t key_of_this_process(void)
{
    char text[400] = "";
    size_t used = 0;
    if (WEFT_RANKS_ARE_THREADS)
        return 0; /* simulated nodes share no memory */
    FILE *boot = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (boot) {
        used = fread(text, 1, 100, boot);
        fclose(boot);
    }
    ssize_t more = readlink("/proc/self/ns/pid", text + used, sizeof text - used);
    if (used == 0 || more <= 0 || getenv("MPIR_CVAR_NUM_CLIQUES") ||
        getenv("MPIR_CVAR_ODD_EVEN_CLIQUES"))
        return 0;
    return weft_digest_bytes(text, used + (size_t)more) | 1;
}

/* Sets each rank's leader to the lowest rank with the same key; returns whether two ranks have the
 * same key. */
static bool join(const uint64_t *key, int ranks, int *leader)
{
    bool any = false;
    for (int r = 0; r < ranks; r++) {
        leader[r] = r;
        for (int other = 0; key[r] && other < r && leader[r] == r; other++)
            if (key[other] == key[r])
                leader[r] = other;
        any |= leader[r] != r;
    }
    return any;
}

/* Collective over the ranks of one key: whether each rank sees what every other rank writes. */
static bool see_each_other(MPI_Comm comm)
{
    weft_segment segment;
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (!weft_segment_open(comm, (size_t)ranks * PAGE, &segment))
        return false;
    *(volatile int *)(void *)(segment.base + (size_t)rank * PAGE) = rank + 1;
    MPI_Barrier(comm);
    bool ok = true;
    for (int r = 0; r < ranks; r++)
        ok &= *(volatile int *)(void *)(segment.base + (size_t)r * PAGE) == r + 1;
    if (!ok)
        weft_error("this rank does not see what other ranks write to shared memory");
    ok = weft_agree(comm, ok);
    weft_segment_close(&segment);
    return ok;
}

/* Collective: nodes->leader holds the leaders that the keys suggest; a rank whose key's ranks do
 * not see one another's memory becomes its own leader. Returns false with an error on all ranks
 * when MPI can make no communicator. */
static bool try_memory(MPI_Comm comm, int rank, weft_nodes *nodes)
{
    MPI_Comm group;
    int members;
    if (!weft_comm_of_group(comm, nodes->leader, &group))
        return false;
    MPI_Comm_size(group, &members);
    const bool seen = see_each_other(group);
    nodes->own = seen && members > 1;
    if (!seen) {
        snprintf(nodes->why, sizeof nodes->why, "%.*s", (int)sizeof nodes->why - 1,
                 weft_error_text());
        weft_error_clear();
    }
    MPI_Comm_free(&group);
    int leader = seen ? nodes->leader[rank] : rank;
    MPI_Allgather(&leader, 1, MPI_INT, nodes->leader, 1, MPI_INT, comm);
    return true;
}

bool weft_nodes_find(MPI_Comm comm, weft_nodes *nodes)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    uint64_t *key = weft_new((size_t)ranks, sizeof *key, "the nodes of the ranks"),
             mine = key_of_this_process();
    *nodes = (weft_nodes){
        .leader = weft_new((size_t)ranks, sizeof *nodes->leader, "the nodes of the ranks")};
    bool ok = weft_agree(comm, nodes->leader && key) && ask_mpi(comm, rank, nodes->leader);
    if (ok && all_alone(ranks, nodes->leader)) {
        MPI_Allgather(&mine, 1, MPI_UINT64_T, key, 1, MPI_UINT64_T, comm);
        ok = !join(key, ranks, nodes->leader) || try_memory(comm, rank, nodes);
    }
    free(key);
    if (!ok) {
        free(nodes->leader);
        nodes->leader = NULL;
    }
    return ok;
}

uint64_t weft_nodes_placement(const int *leader, int ranks)
{
    uint64_t digest = WEFT_DIGEST;
    bool blocks = true;
    int block = 0;
    while (block < ranks && leader[block] == 0)
        block++;
    for (int r = 0; r < ranks; r++) {
        blocks &= leader[r] == r / block * block;
        digest = weft_digest(digest, leader[r]);
    }
    return blocks ? 0 : digest;
}

int weft_nodes_of_group(const int *leader, const int *group, int ranks, int *first)
{
    int number = 0;
    int *seen = weft_new((size_t)group[ranks - 1] + 1, sizeof *seen, /* index + 1, by leader */
                         "the nodes of the ranks");
    for (int i = 0; seen && i < ranks; i++) {
        int *there = &seen[leader[group[i]]];
        number += *there == 0;
        *there = *there ? *there : i + 1;
        first[i] = *there - 1;
    }
    free(seen);
    return number;
}

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
    char to[FEW * LARGE]; /* (as _Thread_local it would be in the stack of each thread) */
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

weft_network weft_network_measure(MPI_Comm comm, int away)
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
    int ranks;
    MPI_Comm_size(comm, &ranks);
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
