/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One duplicate a communicator of the user, found again through an attribute on it. The attribute
 * holds a reference, given up when the user frees the communicator; every plan holds one. Plans may
 * be destroyed in another order on every rank, so whatever the ranks must agree upon (which splits
 * there are, the next tag) changes only in calls that are collective: a split that is no longer
 * used stays, and only a call that needs a new one frees those that no rank uses.
 *
 *     the user's communicator --attribute--> duplicate (all ranks, nodes, next tag)
 *                                              |-- split: leaders 0 0 2 2 ..., its communicator
 *                                              |-- split: leaders 0 1 0 1 ..., its communicator
 *
 * MPI_Comm_create_group makes them all: unlike MPI_Comm_split it does not have every rank hear of
 * every other, and unlike MPI_Comm_dup it brings along neither the user's attributes nor hints that
 * relax the order of messages. Errors while communicators are being made
 * come back; on the messages themselves they end the program (MPI_ERRORS_ARE_FATAL), because a
 * transform has no other way to say that its output is wrong.
 *
 * At MPI_Finalize the attributes of MPI_COMM_SELF are deleted first, while MPI still works: one
 * that is set there before any other gives back all that is left, also under plans that never were
 * destroyed.
 */
#include "backends/exchange/communicator.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/nodes.h"
#include "kernels/base/cache.h"
#include "kernels/base/error.h"

enum {
    LAST_TAG = 32767, /* that every MPI has */
    KEPT = 8          /* with so many splits, those that no plan uses are looked for */
};

struct weft_split {
    MPI_Comm comm;
    int references; /* of this rank's plans */
    int *leader;
    weft_split *next;
};

struct weft_communicator {
    MPI_Comm all;
    int rank, ranks;
    int *nodes;                 /* of every rank, the lowest rank there */
    int most_ranks, most_cores; /* of a node */
    bool measured;              /* the network was */
    weft_network network;
    MPI_Comm user;  /* MPI_COMM_NULL: freed by the user */
    int references; /* of the user, of this rank's plans */
    int tag;
    weft_split *first;
    int splits;
    weft_communicator *next; /* of this process */
};

/* What belongs to the process: its communicators, in the order in which they were made, and their
 * keys; behind the lock. (What belongs to one communicator only one thread uses at a time, as MPI
 * asks of users: where threads run plans at once, a plan has one of its own.) */
static struct {
    pthread_mutex_t lock;
    int key, end_key;
    weft_communicator *first;
} process = {PTHREAD_MUTEX_INITIALIZER, MPI_KEYVAL_INVALID, MPI_KEYVAL_INVALID, NULL};

static void free_comm(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL)
        MPI_Comm_free(comm);
}

static void free_split(weft_split *split)
{
    free_comm(&split->comm);
    free(split->leader);
    free(split);
}

/* Frees the splits that no plan uses on any rank. */
static bool tidy(weft_communicator *communicator)
{
    const int count = communicator->splits;
    int *used = calloc((size_t)count, sizeof *used), i = 0;

    if (!used)
        weft_error("no memory for %d numbers", count);
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
    weft_split *split = calloc(1, sizeof *split);

    if (split) {
        split->comm = MPI_COMM_NULL;
        split->leader = malloc(bytes);
    }
    if (!split || !split->leader)
        weft_error("no memory for a communicator of %d ranks", communicator->ranks);
    if (!weft_agree(communicator->all, split && split->leader) ||
        !weft_agree(communicator->all,
                    weft_comm_of_group(communicator->all, leader, &split->comm))) {
        if (split)
            free_split(split);
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
        if (communicator->splits >= KEPT && !tidy(communicator))
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

MPI_Comm weft_split_comm(const weft_split *split)
{
    return split->comm;
}

void weft_split_release(weft_split *split)
{
    if (split)
        split->references--;
}

/* Gives back what belongs to MPI; the splits stay, without communicators. */
static void shut(weft_communicator *communicator)
{
    for (weft_split *split = communicator->first; split; split = split->next)
        free_comm(&split->comm);
    free_comm(&communicator->all);
}

static void unlist(const weft_communicator *communicator)
{
    weft_communicator **link = &process.first;
    pthread_mutex_lock(&process.lock);
    while (*link != communicator)
        link = &(*link)->next;
    *link = communicator->next;
    pthread_mutex_unlock(&process.lock);
}

void weft_communicator_close(weft_communicator *communicator)
{
    if (!communicator || --communicator->references > 0)
        return;
    unlist(communicator);
    shut(communicator);
    for (weft_split *split = communicator->first, *next; split; split = next) {
        next = split->next;
        free_split(split);
    }
    free(communicator->nodes);
    free(communicator);
}

/* The user frees the communicator, or MPI_Finalize does. */
static int given_up(MPI_Comm comm, int key, void *value, void *extra)
{
    weft_communicator *communicator = value;

    (void)comm, (void)key, (void)extra;
    communicator->user = MPI_COMM_NULL;
    weft_communicator_close(communicator);
    return MPI_SUCCESS;
}

/* MPI_Finalize has begun. (SimGrid's lets nothing be done any more.) */
static int end(MPI_Comm comm, int key, void *value, void *extra)
{
    int over = 0;
    (void)comm, (void)key, (void)value, (void)extra;
    MPI_Finalized(&over);
    if (over)
        return MPI_SUCCESS;
    for (weft_communicator *it = process.first, *next; it; it = next) {
        next = it->next;
        shut(it);
        /* Those of MPI_COMM_SELF are being deleted just now. */
        if (it->user != MPI_COMM_NULL && it->user != MPI_COMM_SELF)
            MPI_Comm_delete_attr(it->user, process.key);
    }
    MPI_Comm_free_keyval(&process.key);
    MPI_Comm_free_keyval(&process.end_key);
    return MPI_SUCCESS;
}

static bool make_keys(void)
{
    pthread_mutex_lock(&process.lock);
    const bool made = process.key != MPI_KEYVAL_INVALID ||
                      (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &process.end_key, NULL) ==
                           MPI_SUCCESS &&
                       MPI_Comm_set_attr(MPI_COMM_SELF, process.end_key, NULL) == MPI_SUCCESS &&
                       MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, given_up, &process.key,
                                              NULL) == MPI_SUCCESS);
    pthread_mutex_unlock(&process.lock);
    return made;
}

static weft_communicator *allocate(MPI_Comm user)
{
    weft_communicator *communicator = make_keys() ? calloc(1, sizeof *communicator) : NULL;
    weft_communicator **link = &process.first;

    if (!communicator) {
        weft_error("no memory for a communicator");
        return NULL;
    }
    MPI_Comm_rank(user, &communicator->rank);
    MPI_Comm_size(user, &communicator->ranks);
    communicator->all = MPI_COMM_NULL;
    communicator->user = user;
    communicator->references = 1;
    pthread_mutex_lock(&process.lock);
    while (*link)
        link = &(*link)->next;
    *link = communicator;
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
    double most[2] = {here, WEFT_RANKS_ARE_THREADS ? here : weft_cores()};
    weft_agree_max_all(communicator->all, most, 2);
    communicator->most_ranks = (int)most[0];
    communicator->most_cores = (int)most[1];
}

static weft_communicator *first_use(MPI_Comm user)
{
    weft_communicator *communicator = allocate(user);
    weft_nodes nodes;

    if (!weft_agree(user, communicator) ||
        !weft_agree(user, weft_comm_of_group(user, NULL, &communicator->all)) ||
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

/* NULL: there is none. */
static weft_communicator *find(MPI_Comm user)
{
    weft_communicator *communicator = NULL;
    int found = 0;
    if (make_keys())
        MPI_Comm_get_attr(user, process.key, &communicator, &found);
    return found ? communicator : NULL;
}

bool weft_communicator_is_open(MPI_Comm user)
{
    return find(user) != NULL;
}

weft_communicator *weft_communicator_open(MPI_Comm user)
{
    int inter = 0;

    if (user == MPI_COMM_NULL) {
        weft_error("the communicator is MPI_COMM_NULL");
        return NULL;
    }
    MPI_Comm_test_inter(user, &inter);
    if (inter) {
        weft_error("the communicator is an intercommunicator; Weft needs one of a single group");
        return NULL;
    }
    weft_communicator *communicator = find(user);
    if (!communicator)
        communicator = first_use(user);
    if (communicator != NULL)
        communicator->references++;
    return communicator;
}

bool weft_threads_at_once(void)
{
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
}

MPI_Comm weft_communicator_all(const weft_communicator *communicator)
{
    return communicator->all;
}

const int *weft_communicator_nodes(const weft_communicator *communicator)
{
    return communicator->nodes;
}

void weft_communicator_most(const weft_communicator *communicator, int *ranks, int *cores)
{
    *ranks = communicator->most_ranks;
    *cores = communicator->most_cores;
}

weft_network weft_communicator_network(weft_communicator *communicator)
{
    if (!communicator->measured)
        communicator->network = weft_network_measure(communicator->all, communicator->nodes);
    communicator->measured = true;
    return communicator->network;
}

int weft_communicator_tag(weft_communicator *communicator)
{
    communicator->tag = communicator->tag % LAST_TAG + 1;
    return communicator->tag;
}
