/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A part lies in a window of its own. Parts are freed in any order, on some ranks perhaps never, so
 * windows stay and are taken again: all ranks of a window have the same list of those that they
 * have in common, in the order in which they were made, and agree on the first that all of them
 * have given up.
 */
#include "backends/memory/lent.h"

#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "kernels/base/error.h"
#include "backends/memory/window.h"

enum { ALIGNMENT = 64 }; /* what passes may count on */

typedef struct lent {
    weft_window *window;
    uint64_t number;
    int rank;    /* in the window */
    char *part;  /* NULL: it has been given up, on this rank at least */
    size_t size; /* of it */
    struct lent *next;
} lent;

/* What belongs to the process. */
static lent *first;
static uint64_t numbers;

static bool same_group(const lent *it, MPI_Group group)
{
    int result;
    MPI_Group_compare(weft_window_group(it->window), group, &result);
    return result == MPI_IDENT;
}

/* Collective over comm, whose group it is: the first that all of its ranks have given up; NULL:
 * none. */
static lent *given_up(MPI_Comm comm, MPI_Group group)
{
    for (lent *it = first; it; it = it->next) {
        int mine = it->part == NULL, all;
        if (!same_group(it, group))
            continue;
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, comm);
        if (all)
            return it;
    }
    return NULL;
}

static void append(lent *it)
{
    lent **end = &first;
    while (*end)
        end = &(*end)->next;
    *end = it;
}

/* Collective over comm, the ranks of one node. */
static void *make(MPI_Comm comm, size_t bytes)
{
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    lent *it = given_up(comm, group);
    MPI_Group_free(&group);
    lent *added = it ? NULL : calloc(1, sizeof *added);
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

void *weft_lent_make(MPI_Comm comm, size_t bytes)
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

bool weft_lent_free(void *part)
{
    lent *it = first;
    while (it && it->part != part)
        it = it->next;
    if (!part || !it)
        return false;
    it->part = NULL;
    weft_window_close(it->window);
    return true;
}

weft_loan weft_loan_of(const void *array, size_t bytes)
{
    const uintptr_t at = (uintptr_t)array;
    for (const lent *it = first; it && bytes > 0 && at % ALIGNMENT == 0; it = it->next) {
        const uintptr_t begin = (uintptr_t)it->part;
        if (it->part && at >= begin && at - begin <= it->size && bytes <= it->size - (at - begin))
            return (weft_loan){it->number, at - begin, it->rank};
    }
    return (weft_loan){0};
}

static const lent *numbered(uint64_t number)
{
    const lent *it = first;
    while (it && it->number != number)
        it = it->next;
    return it;
}

bool weft_loan_reaches(const weft_loan *loan, MPI_Comm comm)
{
    const lent *it = numbered(loan->number);
    MPI_Group group, larger;
    int result, ranks;
    if (!it)
        return false;
    /* all of comm's ranks are in the window when their union has no more than the window's */
    MPI_Comm_group(comm, &group);
    MPI_Group_union(weft_window_group(it->window), group, &larger);
    MPI_Group_size(larger, &result);
    MPI_Group_size(weft_window_group(it->window), &ranks);
    MPI_Group_free(&larger);
    MPI_Group_free(&group);
    return result == ranks;
}

void *weft_loan_at(const weft_loan *loan)
{
    return (char *)weft_window_part(numbered(loan->number)->window, loan->rank) + loan->offset;
}
