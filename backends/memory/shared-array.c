/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each shared array has its own window. Programs free arrays in any order, on some ranks perhaps
 * never, so the windows stay. An allocation reuses a window whose array all of its ranks have
 * freed. The lock is needed because runs look up arrays while other threads allocate and free.
 */
#include "backends/memory/shared-array.h"

#include <pthread.h>
#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "kernels/base/error.h"

enum { ALIGNMENT = 64 }; /* bytes; the passes rely on this alignment */

/* The words of a note about one array; a note has these words once for each value of `put`. */
enum { NUMBER, OFFSET, RANK, WORDS };

typedef struct allocation {
    weft_window *window;
    /* Unique among the allocations that have a rank in common; never 0. */
    uint64_t number;
    bool taken;  /* in use by a user, or about to be handed out */
    int rank;    /* this rank in the window */
    char *part;  /* NULL: freed, at least on this rank */
    size_t size; /* bytes of the array */
    /* For each value of `put`: the last window that was looked up, if all its ranks see this
     * allocation. */
    const weft_window *seen_in[2];
    struct allocation *next; /* the one with the next larger number */
} allocation;

/* The state of the process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static allocation *first;

static bool same_group(const allocation *it, MPI_Group group)
{
    int result;
    MPI_Group_compare(weft_window_group(it->window), group, &result);
    return result == MPI_IDENT;
}

static uint64_t freed_after(uint64_t number, MPI_Group group)
{
    pthread_mutex_lock(&lock);
    const allocation *it = first;
    while (it && (it->number <= number || it->taken || !same_group(it, group)))
        it = it->next;
    const uint64_t found = it ? it->number : 0;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *take(uint64_t number)
{
    pthread_mutex_lock(&lock);
    allocation *it = first;
    while (it && it->number != number)
        it = it->next;
    if (it && it->taken)
        it = NULL;
    if (it)
        it->taken = true;
    pthread_mutex_unlock(&lock);
    return it;
}

static void leave(void *taken)
{
    pthread_mutex_lock(&lock);
    ((allocation *)taken)->taken = false;
    pthread_mutex_unlock(&lock);
}

/* Under the lock. */
static void enter(allocation *it)
{
    allocation **link = &first;
    while (*link && (*link)->number < it->number)
        link = &(*link)->next;
    it->next = *link;
    *link = it;
}

/* Hands an allocation out to the user: `it`, which was taken from the list, or the new allocation
 * `added`. */
static void *hand_out(allocation *it, allocation *added, size_t bytes)
{
    pthread_mutex_lock(&lock);
    if (added)
        enter(it = added);
    it->part = weft_window_part(it->window, it->rank);
    it->size = bytes;
    pthread_mutex_unlock(&lock);
    return it->part;
}

/* Collective over comm, the ranks of one node. */
static void *make(MPI_Comm comm, size_t bytes)
{
    static const weft_object_cache cache = {freed_after, take, leave};
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    /* All ranks take the same allocation, or none does. */
    allocation *it = weft_agree_on_object(comm, group, &cache);
    MPI_Group_free(&group);
    allocation *added = it ? NULL : calloc(1, sizeof *added);
    if (!it && !added)
        weft_error("no memory for an array");
    bool ok = weft_agree(comm, it || added);
    weft_window *window = ok ? weft_window_open_private(comm, bytes, it ? it->window : NULL) : NULL;
    if (!window) {
        free(added);
        if (it)
            leave(it);
        return NULL;
    }
    if (added) {
        *added = (allocation){.number = weft_agree_number(comm), .window = window, .taken = true};
        MPI_Comm_rank(comm, &added->rank);
    }
    return hand_out(it, added, bytes);
}

void *weft_shared_array_make(MPI_Comm comm, size_t bytes)
{
    weft_communicator *communicator = weft_communicator_open(comm);
    weft_split *node = NULL;
    void *part = NULL;
    if (communicator)
        node = weft_communicator_split(communicator, weft_communicator_nodes(communicator));
    if (node) {
        part = make(weft_split_comm(node), bytes > 0 ? bytes : 1);
        weft_split_release(node);
    }
    if (communicator)
        weft_communicator_close(communicator);
    return part;
}

bool weft_shared_array_free(void *array)
{
    pthread_mutex_lock(&lock);
    allocation *it = array ? first : NULL;
    while (it && it->part != array)
        it = it->next;
    if (it) {
        it->part = NULL;
        weft_window_close(it->window);
        it->taken = false;
    }
    pthread_mutex_unlock(&lock);
    return it != NULL;
}

/* Under the lock: the allocation that contains the whole array of this rank. NULL: no allocation
 * does, or the array is not aligned. */
static allocation *find_allocation(const void *array, size_t bytes)
{
    const uintptr_t at = (uintptr_t)array;
    for (allocation *it = first; it && bytes > 0 && at % ALIGNMENT == 0; it = it->next) {
        const uintptr_t begin = (uintptr_t)it->part;
        if (it->part && at >= begin && at - begin <= it->size && bytes <= it->size - (at - begin))
            return it;
    }
    return NULL;
}

/* Whether all ranks of a window see an allocation: then the union of both groups is not larger than
 * the group of the allocation. */
static bool seen_by_all(const allocation *it, const weft_window *window)
{
    MPI_Group together;
    int ranks, more;
    MPI_Group_union(weft_window_group(it->window), weft_window_group(window), &together);
    MPI_Group_size(together, &more);
    MPI_Group_size(weft_window_group(it->window), &ranks);
    MPI_Group_free(&together);
    return more == ranks;
}

static uint64_t *note_of(const weft_barrier *barrier, int rank, bool put)
{
    return barrier->line[rank].note + (put ? WORDS : 0);
}

bool weft_shared_array_announce(weft_window *window, bool put, const void *array, size_t bytes)
{
    weft_barrier *barrier = weft_window_barrier(window);
    weft_barrier_begin(barrier);
    if (!barrier->line)
        return false;
    pthread_mutex_lock(&lock);
    allocation *it = find_allocation(array, bytes);
    if (it && it->seen_in[put] != window)
        it->seen_in[put] = seen_by_all(it, window) ? window : NULL;
    const bool seen = it && it->seen_in[put];
    uint64_t *note = note_of(barrier, barrier->rank, put);
    note[NUMBER] = seen ? it->number : 0;
    note[OFFSET] = seen ? (uint64_t)((const char *)array - it->part) : 0;
    note[RANK] = seen ? (uint64_t)it->rank : 0;
    pthread_mutex_unlock(&lock);
    return seen;
}

void *weft_shared_array_announced(const weft_window *window, int rank, bool put)
{
    const weft_barrier *barrier = weft_window_barrier((weft_window *)window);
    const uint64_t *note = barrier->line ? note_of(barrier, rank, put) : NULL;
    if (!note || !note[NUMBER])
        return NULL;
    pthread_mutex_lock(&lock);
    const allocation *it = first;
    while (it && it->number != note[NUMBER])
        it = it->next;
    char *part = it ? weft_window_part(it->window, (int)note[RANK]) : NULL;
    pthread_mutex_unlock(&lock);
    return part ? part + note[OFFSET] : NULL;
}
