/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The store of splits. Plans may be destroyed in another order on every rank, so a split that is no
 * longer used stays, and only a call that needs a new one, and so is collective, frees those that
 * no rank uses.
 *
 * MPI_Comm_split makes the duplicates too: unlike MPI_Comm_dup it brings along neither the user's
 * attributes nor hints that relax the order of messages. Errors while communicators are being made
 * come back; on the messages themselves they end the program (MPI_ERRORS_ARE_FATAL), because a
 * transform has no other way to say that its output is wrong.
 */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "backends/exchange/splits.h"

enum { KEPT = 8 /* with so many, those that no plan uses are looked for */ };

struct weft_split {
    MPI_Comm comm;
    int references; /* of this rank's plans */
    int *leader;
    weft_split *next;
};

static void shut(weft_split *split)
{
    if (split->comm != MPI_COMM_NULL)
        MPI_Comm_free(&split->comm);
}

static void free_split(weft_split *split)
{
    shut(split);
    free(split->leader);
    free(split);
}

void weft_splits_shut(weft_splits *splits)
{
    for (weft_split *split = splits->first; split != NULL; split = split->next)
        shut(split);
}

void weft_splits_free(weft_splits *splits)
{
    while (splits->first != NULL) {
        weft_split *split = splits->first;

        splits->first = split->next;
        free_split(split);
    }
    splits->count = 0;
}

bool weft_split_quietly(MPI_Comm comm, int color, MPI_Comm *made)
{
    MPI_Errhandler handler;
    char text[MPI_MAX_ERROR_STRING];
    int code, length;

    MPI_Comm_get_errhandler(comm, &handler);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    code = MPI_Comm_split(comm, color, 0, made);
    MPI_Comm_set_errhandler(comm, handler);
    if (handler != MPI_ERRHANDLER_NULL)
        MPI_Errhandler_free(&handler);
    if (code == MPI_SUCCESS) {
        MPI_Comm_set_errhandler(*made, MPI_ERRORS_ARE_FATAL);
        return true;
    }
    *made = MPI_COMM_NULL;
    MPI_Error_string(code, text, &length);
    text[strcspn(text, "\n")] = '\0';
    weft_error("no further communicator could be made: %s", text);
    return false;
}

/* Frees the splits that no plan uses on any rank. */
static bool tidy(weft_splits *splits, MPI_Comm all)
{
    int *used = calloc((size_t)splits->count, sizeof *used);
    weft_split **link = &splits->first;
    int count = splits->count;

    if (used == NULL)
        weft_error("no memory for %d numbers", count);
    if (!weft_agree(all, used != NULL)) {
        free(used);
        return false;
    }
    for (int i = 0; i < count; i++, link = &(*link)->next)
        used[i] = (*link)->references > 0;
    MPI_Allreduce(MPI_IN_PLACE, used, count, MPI_INT, MPI_MAX, all);
    link = &splits->first;
    for (int i = 0; i < count; i++) {
        weft_split *split = *link;

        if (used[i]) {
            link = &split->next;
        } else {
            *link = split->next;
            free_split(split);
            splits->count--;
        }
    }
    free(used);
    return true;
}

static weft_split *make(MPI_Comm all, const int *leader)
{
    weft_split *split = calloc(1, sizeof *split);
    size_t bytes;
    int ranks, rank;

    MPI_Comm_size(all, &ranks);
    MPI_Comm_rank(all, &rank);
    bytes = (size_t)ranks * sizeof *leader;
    if (split != NULL) {
        split->comm = MPI_COMM_NULL;
        split->leader = malloc(bytes);
    }
    if (split == NULL || split->leader == NULL)
        weft_error("no memory for a communicator of %d ranks", ranks);
    if (!weft_agree(all, split != NULL && split->leader != NULL) ||
        !weft_agree(all, weft_split_quietly(all, leader[rank], &split->comm))) {
        if (split != NULL)
            free_split(split);
        return NULL;
    }
    memcpy(split->leader, leader, bytes);
    return split;
}

static weft_split *known(const weft_splits *splits, MPI_Comm all, const int *leader)
{
    weft_split *split = splits->first;
    int ranks;

    MPI_Comm_size(all, &ranks);
    while (split != NULL && memcmp(split->leader, leader, (size_t)ranks * sizeof *leader) != 0)
        split = split->next;
    return split;
}

weft_split *weft_splits_get(weft_splits *splits, MPI_Comm all, const int *leader)
{
    weft_split *split = known(splits, all, leader);

    if (split == NULL) {
        if (splits->count >= KEPT && !tidy(splits, all))
            return NULL;
        split = make(all, leader);
        if (split == NULL)
            return NULL;
        split->next = splits->first;
        splits->first = split;
        splits->count++;
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
    if (split != NULL)
        split->references--;
}
