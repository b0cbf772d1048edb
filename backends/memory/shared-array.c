/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An array lies in a window of its own. Arrays are freed in any order, on some ranks perhaps never,
 * so windows stay and are taken again: all ranks of a window have the same list of those that they
 * have in common, in the order in which they were made, and agree on the first that all of them
 * have given up.
 */
#include "backends/memory/shared-array.h"

#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "kernels/base/error.h"

enum { ALIGNMENT = 64 }; /* what passes may count on */

/* What a note says of an array, one after the other for each `put`. */
enum { NUMBER, OFFSET, RANK, WORDS };

typedef struct allocation {
    weft_window *window;
    uint64_t number;               /* no two that have ranks in common have the same; never 0 */
    int rank;                      /* in the window */
    char *part;                    /* NULL: it has been given up, on this rank at least */
    size_t size;                   /* of it */
    const weft_window *seen_in[2]; /* the last one, for each `put`, of which all ranks see it */
    struct allocation *next;
} allocation;

/* What belongs to the process. */
static allocation *first;
static uint64_t numbers;

static bool same_group(const allocation *it, MPI_Group group)
{
    int result;
    MPI_Group_compare(weft_window_group(it->window), group, &result);
    return result == MPI_IDENT;
}

/* Collective over comm, whose group it is: the first that all of its ranks have given up; NULL:
 * none. */
static allocation *given_up(MPI_Comm comm, MPI_Group group)
{
    for (allocation *it = first; it; it = it->next) {
        int mine = it->part == NULL, all;
        if (!same_group(it, group))
            continue;
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, comm);
        if (all)
            return it;
    }
    return NULL;
}

static void append(allocation *it)
{
    allocation **end = &first;
    while (*end)
        end = &(*end)->next;
    *end = it;
}

/* Collective over comm, the ranks of one node. */
static void *make(MPI_Comm comm, size_t bytes)
{
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    allocation *it = given_up(comm, group);
    MPI_Group_free(&group);
    allocation *added = it ? NULL : calloc(1, sizeof *added);
    if (!it && !added)
        weft_error("no memory for an array");
    bool ok = weft_agree(comm, it || added);
    weft_window *window = ok ? weft_window_open_alone(comm, bytes, it ? it->window : NULL) : NULL;
    if (!window) {
        free(added);
        return NULL;
    }
    if (added) {
        uint64_t largest;
        MPI_Allreduce(&numbers, &largest, 1, MPI_UINT64_T, MPI_MAX, comm);
        it = added;
        it->window = window;
        it->number = numbers = largest + 1;
        MPI_Comm_rank(comm, &it->rank);
        append(it);
    }
    it->part = weft_window_part(window, it->rank);
    it->size = bytes;
    return it->part;
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
    allocation *it = first;
    while (it && it->part != array)
        it = it->next;
    if (!array || !it)
        return false;
    it->part = NULL;
    weft_window_close(it->window);
    return true;
}

/* The allocation in which all of an array of this rank lies, NULL: in none, or not aligned. */
static allocation *holding(const void *array, size_t bytes)
{
    const uintptr_t at = (uintptr_t)array;
    for (allocation *it = first; it && bytes > 0 && at % ALIGNMENT == 0; it = it->next) {
        const uintptr_t begin = (uintptr_t)it->part;
        if (it->part && at >= begin && at - begin <= it->size && bytes <= it->size - (at - begin))
            return it;
    }
    return NULL;
}

/* Whether all ranks of a window see an allocation: then their union with its ranks has no more. */
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
    allocation *it = holding(array, bytes);
    weft_barrier_begin(barrier);
    if (!barrier->line)
        return false;
    if (it && it->seen_in[put] != window)
        it->seen_in[put] = seen_by_all(it, window) ? window : NULL;
    const bool seen = it && it->seen_in[put];
    uint64_t *note = note_of(barrier, barrier->rank, put);
    note[NUMBER] = seen ? it->number : 0;
    note[OFFSET] = seen ? (uint64_t)((const char *)array - it->part) : 0;
    note[RANK] = seen ? (uint64_t)it->rank : 0;
    return seen;
}

void *weft_shared_array_announced(const weft_window *window, int rank, bool put)
{
    const weft_barrier *barrier = weft_window_barrier((weft_window *)window);
    const uint64_t *note = barrier->line ? note_of(barrier, rank, put) : NULL;
    const allocation *it = note && note[NUMBER] ? first : NULL;
    while (it && it->number != note[NUMBER])
        it = it->next;
    return it ? (char *)weft_window_part(it->window, (int)note[RANK]) + note[OFFSET] : NULL;
}
