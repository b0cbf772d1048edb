/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each shared array has its own window. A later allocation by the same ranks reuses the window once
 * all of them have freed their arrays. The lock is needed because runs look up arrays while other
 * threads allocate and free.
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
    int rank;    /* this rank in the window */
    char *part;  /* the array */
    size_t size; /* bytes of the array */
    /* For each value of `put`: the last window that was looked up, if all its ranks see this
     * allocation. */
    const weft_window *seen_in[2];
    struct allocation *next;
} allocation;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static allocation *first;

/* Collective over comm, the ranks of one node. */
static void *make(MPI_Comm comm, size_t bytes)
{
    allocation *it = calloc(1, sizeof *it);
    if (!it)
        weft_error("no memory for an array");
    weft_window *window = weft_agree(comm, it) ? weft_window_open_private(comm, bytes) : NULL;
    if (!window) {
        free(it);
        return NULL;
    }
    it->window = window;
    it->size = bytes;
    MPI_Comm_rank(comm, &it->rank);
    it->part = weft_window_part(window, it->rank);
    pthread_mutex_lock(&lock);
    it->next = first;
    first = it;
    pthread_mutex_unlock(&lock);
    return it->part;
}

void *weft_shared_array_make(MPI_Comm comm, size_t bytes)
{
    weft_communicator *communicator = weft_communicator_open(comm);
    weft_split *node = NULL;
    void *part = NULL;
    if (communicator)
        node = weft_communicator_split(communicator, communicator->nodes);
    if (node) {
        part = make(node->comm, bytes > 0 ? bytes : 1);
        weft_split_release(node);
    }
    if (communicator)
        weft_communicator_close(communicator);
    return part;
}

bool weft_shared_array_free(void *array)
{
    pthread_mutex_lock(&lock);
    allocation **link = &first;
    while (*link && (*link)->part != array)
        link = &(*link)->next;
    allocation *it = *link;
    if (it)
        *link = it->next;
    pthread_mutex_unlock(&lock);
    if (it)
        weft_window_close(it->window);
    free(it);
    return it != NULL;
}

/* Under the lock: the allocation that contains the whole array of this rank. NULL: no allocation
 * does, or the array is not aligned. */
static allocation *find_allocation(const void *array, size_t bytes)
{
    const uintptr_t at = (uintptr_t)array;
    for (allocation *it = first; it && bytes > 0 && at % ALIGNMENT == 0; it = it->next) {
        const uintptr_t begin = (uintptr_t)it->part;
        if (at >= begin && at - begin <= it->size && bytes <= it->size - (at - begin))
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

int weft_shared_array_announce(void *memory, int put, const void *array, size_t bytes)
{
    weft_window *window = memory;
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
    note[NUMBER] = seen ? weft_window_number(it->window) : 0;
    note[OFFSET] = seen ? (uint64_t)((const char *)array - it->part) : 0;
    note[RANK] = seen ? (uint64_t)it->rank : 0;
    pthread_mutex_unlock(&lock);
    return seen;
}

void *weft_shared_array_announced(const void *window, int rank, int put)
{
    const weft_barrier *barrier = weft_window_barrier((weft_window *)window);
    const uint64_t *note = barrier->line ? note_of(barrier, rank, put) : NULL;
    const weft_window *of = note && note[NUMBER] ? weft_window_with_number(note[NUMBER]) : NULL;
    return of ? (char *)weft_window_part(of, (int)note[RANK]) + note[OFFSET] : NULL;
}
