/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each user communicator has one duplicate, found through an attribute. The attribute holds a
 * reference, which is dropped when the user frees the communicator; every plan holds another. Ranks
 * may destroy plans in different orders. Therefore the state that must be the same on all ranks
 * (the list of splits and the next tag) changes only in collective calls: an unused split stays in
 * the list until a call that needs a new split frees those that no rank uses.
 *
 *     the user's communicator --attribute--> duplicate (all ranks, nodes, next tag)
 *                                              |-- split: leaders 0 0 2 2 ..., its communicator
 *                                              |-- split: leaders 0 1 0 1 ..., its communicator
 *
 * MPI_Comm_create_group makes all these communicators. Unlike MPI_Comm_split, MPI_Comm_create_group
 * does not send data of every rank to every other rank; unlike MPI_Comm_dup, it copies neither the
 * user's attributes nor hints that relax the order of messages. Errors in making communicators are
 * returned. Errors in messages end the program (MPI_ERRORS_ARE_FATAL), because a transform cannot
 * report that its output is wrong.
 *
 * When MPI_Finalize begins (abort.h), all remaining communicators are freed, including
 * communicators of plans that were never destroyed. A program that uses sessions instead of
 * MPI_Init frees its communicators before it finalizes a session, so there Weft's use of MPI ends
 * when the last communicator is closed.
 */
#include "backends/exchange/communicator.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/abort.h"
#include "backends/exchange/agreement.h"
#include "backends/exchange/finalize.h"
#include "backends/exchange/nodes.h"
#include "kernels/base/cache.h"
#include "kernels/base/error.h"
#include "kernels/base/memory.h"

enum {
    LAST_TAG = 32767, /* the largest tag that every MPI supports */
    KEPT = 8          /* from this many splits on, unused ones are freed before a new one is made */
};

/* State of the process, protected by the lock: its communicators, the newest first, and the
 * attribute key. The state of one communicator needs no lock: MPI requires that only one
 * thread at a time makes collective calls on a communicator, and where threads run plans at once,
 * each plan has its own communicator. */
static struct {
    pthread_mutex_t lock;
    int key;
    weft_communicator *first;
} process = {PTHREAD_MUTEX_INITIALIZER, MPI_KEYVAL_INVALID, NULL};

static void free_comm(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL)
        MPI_Comm_free(comm);
}

static void free_split(weft_split *split)
{
    free_comm(&split->comm);
    free(split);
}

/* Collective: frees the splits that no plan uses on any rank. */
static bool free_unused_splits(weft_communicator *communicator)
{
    const int count = communicator->splits;
    int *used = weft_new((size_t)count, sizeof *used, "the communicators of groups"), i = 0;

    if (!weft_agree(communicator->all, used)) {
        free(used);
        return false;
    }
    for (weft_split *split = communicator->first; split; split = split->next)
        used[i++] = split->references > 0;
    MPI_Allreduce(MPI_IN_PLACE, used, count, MPI_INT, MPI_MAX, communicator->all);
    weft_split **link = &communicator->first;
    for (i = 0; i < count; i++) {
        weft_split *split = *link;
        if (used[i]) {
            link = &split->next;
        } else {
            *link = split->next;
            free_split(split);
            communicator->splits--;
        }
    }
    free(used);
    return true;
}

static weft_split *make_split(const weft_communicator *communicator, const int *leader)
{
    const size_t bytes = (size_t)communicator->ranks * sizeof *leader;
    weft_split *split = weft_new(1, sizeof *split + bytes, "a communicator");

    if (split)
        split->comm = MPI_COMM_NULL;
    if (!weft_agree(communicator->all, split) ||
        !weft_comm_of_group(communicator->all, leader, &split->comm)) {
        free(split);
        return NULL;
    }
    memcpy(split->leader, leader, bytes);
    return split;
}

weft_split *weft_communicator_split(weft_communicator *communicator, const int *leader)
{
    const size_t bytes = (size_t)communicator->ranks * sizeof *leader;
    weft_split *split = communicator->first;

    while (split && memcmp(split->leader, leader, bytes) != 0)
        split = split->next;
    if (!split) {
        if (communicator->splits >= KEPT && !free_unused_splits(communicator))
            return NULL;
        split = make_split(communicator, leader);
        if (!split)
            return NULL;
        split->next = communicator->first;
        communicator->first = split;
        communicator->splits++;
    }
    split->references++;
    return split;
}

void weft_split_release(weft_split *split)
{
    if (split)
        split->references--;
}

/* Frees all MPI communicators; the splits stay in the list without communicators. */
static void free_comms(weft_communicator *communicator)
{
    for (weft_split *split = communicator->first; split; split = split->next)
        free_comm(&split->comm);
    free_comm(&communicator->all);
}

static void remove_from_list(const weft_communicator *communicator)
{
    weft_communicator **link = &process.first;
    pthread_mutex_lock(&process.lock);
    while (*link != communicator)
        link = &(*link)->next;
    *link = communicator->next;
    if (!process.first && !weft_has_world() && !weft_mpi_is_over())
        weft_finalize(false); /* under the lock: no thread may open a communicator meanwhile */
    pthread_mutex_unlock(&process.lock);
}

void weft_communicator_close(weft_communicator *communicator)
{
    if (!communicator || --communicator->references > 0)
        return;
    remove_from_list(communicator);
    free_comms(communicator);
    for (weft_split *split = communicator->first, *next; split; split = next) {
        next = split->next;
        free_split(split);
    }
    free(communicator->nodes);
    free(communicator);
}

/* Attribute callback: the user, or MPI_Finalize, frees the communicator. */
static int user_freed(MPI_Comm comm, int key, void *value, void *extra)
{
    weft_communicator *communicator = value;

    (void)comm, (void)key, (void)extra;
    communicator->user = MPI_COMM_NULL;
    weft_communicator_close(communicator);
    return MPI_SUCCESS;
}

/* Weft's use of MPI ends. */
static void end(bool over)
{
    for (weft_communicator *it = process.first, *next; it && !over; it = next) {
        next = it->next;
        free_comms(it);
        /* MPI is already deleting the attributes of MPI_COMM_SELF. */
        if (it->user != MPI_COMM_NULL && it->user != MPI_COMM_SELF)
            MPI_Comm_delete_attr(it->user, process.key);
    }
    if (!over && process.key != MPI_KEYVAL_INVALID)
        MPI_Comm_free_keyval(&process.key);
}

/* Under the lock. */
static bool make_key(void)
{
    static weft_finalizer finalizer = {.end = end};
    const bool made =
        weft_at_finalize(&finalizer) && (process.key != MPI_KEYVAL_INVALID ||
                                         MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, user_freed,
                                                                &process.key, NULL) == MPI_SUCCESS);
    return made || weft_error("MPI has no memory for an attribute");
}

static weft_communicator *allocate(MPI_Comm user)
{
    weft_communicator *communicator = weft_new(1, sizeof *communicator, "a communicator");

    if (!communicator)
        return NULL;
    MPI_Comm_rank(user, &communicator->rank);
    MPI_Comm_size(user, &communicator->ranks);
    communicator->all = MPI_COMM_NULL;
    communicator->user = user;
    communicator->references = 1;
    pthread_mutex_lock(&process.lock);
    if (make_key()) {
        communicator->next = process.first;
        process.first = communicator;
    } else {
        free(communicator);
        communicator = NULL;
    }
    pthread_mutex_unlock(&process.lock);
    return communicator;
}

static void find_most(weft_communicator *communicator)
{
    const int *node = communicator->nodes;
    int here = 0;
    for (int r = 0; r < communicator->ranks; r++)
        here += node[r] == node[communicator->rank];
    /* Simulated nodes have a core for each rank. */
    double most[2] = {here, WEFT_RANKS_ARE_THREADS ? here : weft_cores_online()};
    weft_agree_max_all(communicator->all, most, 2);
    communicator->most_ranks = (int)most[0];
    communicator->most_cores = (int)most[1];
}

static weft_communicator *first_use(MPI_Comm user)
{
    weft_communicator *communicator = allocate(user);
    weft_nodes nodes;

    if (!weft_agree(user, communicator) || !weft_comm_of_group(user, NULL, &communicator->all) ||
        !weft_nodes_find(user, &nodes)) {
        weft_communicator_close(communicator);
        return NULL;
    }
    communicator->nodes = nodes.leader;
    find_most(communicator);
    const bool kept = MPI_Comm_set_attr(user, process.key, communicator) == MPI_SUCCESS;
    if (!kept)
        weft_error("no attribute could be set on the communicator");
    if (weft_agree(user, kept))
        return communicator;
    if (kept)
        MPI_Comm_delete_attr(user, process.key);
    else
        weft_communicator_close(communicator);
    return NULL;
}

/* The duplicate of a user communicator; NULL: none yet. */
static weft_communicator *find(MPI_Comm user)
{
    weft_communicator *communicator = NULL;
    int found = 0;
    pthread_mutex_lock(&process.lock);
    if (make_key())
        MPI_Comm_get_attr(user, process.key, &communicator, &found);
    pthread_mutex_unlock(&process.lock);
    return found ? communicator : NULL;
}

bool weft_communicator_is_open(MPI_Comm user)
{
    return find(user) != NULL;
}

weft_communicator *weft_communicator_open(MPI_Comm user)
{
    weft_communicator *communicator = find(user);
    if (!communicator)
        communicator = first_use(user);
    if (communicator != NULL)
        communicator->references++;
    return communicator;
}

bool weft_threads_at_once(void)
{
    int level = MPI_THREAD_MULTIPLE; /* sessions may have any level */
    if (weft_has_world())
        MPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
}

/* Probes MPI_COMM_WORLD, or without it Weft's communicators of several ranks: on a communicator of
 * one rank MPICH knows that nothing can arrive, and makes no progress. */
void weft_make_progress(void)
{
    int arrived;
    if (weft_has_world()) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE);
        return;
    }
    if (pthread_mutex_trylock(&process.lock) != 0)
        return; /* another thread opens or closes a communicator; this one may hold another lock */
    for (const weft_communicator *it = process.first; it; it = it->next)
        if (it->all != MPI_COMM_NULL && it->ranks > 1)
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, it->all, &arrived, MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&process.lock);
}

weft_network weft_communicator_network(weft_communicator *communicator)
{
    if (!communicator->measured)
        communicator->network = weft_network_measure(communicator->all, communicator->most_ranks);
    communicator->measured = true;
    return communicator->network;
}

int weft_communicator_tag(weft_communicator *communicator)
{
    communicator->tag = communicator->tag % LAST_TAG + 1;
    return communicator->tag;
}
