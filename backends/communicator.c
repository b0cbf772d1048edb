/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One duplicate a communicator of the user, found again through an attribute on it. The attribute
 * holds a reference, given up when the user frees the communicator; every plan holds one. Plans may
 * be destroyed in another order on every rank, so whatever the ranks must agree upon (which splits
 * there are, the next tag) changes only in calls that are collective.
 *
 * At MPI_Finalize the attributes of MPI_COMM_SELF are deleted first, while MPI still works: one
 * that is set there before any other gives back all that is left, also under plans that never were
 * destroyed.
 *
 * Errors while communicators are being made come back as NULL; on the messages themselves they end
 * the program (MPI_ERRORS_ARE_FATAL), because a transform has no other way to say that its output
 * is wrong.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "agreement.h"
#include "communicator.h"
#include "error.h"

enum {
    KEPT_SPLITS = 8, /* with more than these, the ones that no plan uses are looked for */
    LAST_TAG = 32767 /* that every MPI has */
};

struct weft_split {
    MPI_Comm comm;
    int references; /* of this rank's plans */
    int *leader;
    weft_split *next;
};

struct weft_communicator {
    MPI_Comm all;
    MPI_Comm user; /* MPI_COMM_NULL: freed by the user */
    int ranks, rank;
    int references; /* of the user, of this rank's plans */
    int tag;
    int splits;
    weft_split *first;
    weft_communicator *before, *after; /* all of this process */
};

/* What belongs to the process: its communicators, in the order in which they were made, and their
 * keys. */
static struct {
    int key, end_key;
    weft_communicator *first, *last;
} process = {MPI_KEYVAL_INVALID, MPI_KEYVAL_INVALID, NULL, NULL};

static void list(weft_communicator *communicator)
{
    communicator->before = process.last;
    communicator->after = NULL;
    if (process.last != NULL)
        process.last->after = communicator;
    else
        process.first = communicator;
    process.last = communicator;
}

static void unlist(weft_communicator *communicator)
{
    if (communicator->before != NULL)
        communicator->before->after = communicator->after;
    else
        process.first = communicator->after;
    if (communicator->after != NULL)
        communicator->after->before = communicator->before;
    else
        process.last = communicator->before;
}

static void free_comm(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL)
        MPI_Comm_free(comm);
}

/* Gives back what belongs to MPI. */
static void shut(weft_communicator *communicator)
{
    for (weft_split *split = communicator->first; split != NULL; split = split->next)
        free_comm(&split->comm);
    free_comm(&communicator->all);
}

static void free_split(weft_split *split)
{
    free_comm(&split->comm);
    free(split->leader);
    free(split);
}

void weft_communicator_close(weft_communicator *communicator)
{
    if (communicator == NULL || --communicator->references > 0)
        return;
    while (communicator->first != NULL) {
        weft_split *split = communicator->first;

        communicator->first = split->next;
        free_split(split);
    }
    shut(communicator);
    unlist(communicator);
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

/* MPI_Finalize has begun. */
static int end(MPI_Comm comm, int key, void *value, void *extra)
{
    weft_communicator *after;

    (void)comm, (void)key, (void)value, (void)extra;
    for (weft_communicator *it = process.first; it != NULL; it = after) {
        after = it->after;
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
    if (process.key != MPI_KEYVAL_INVALID)
        return true;
    return MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &process.end_key, NULL) ==
               MPI_SUCCESS &&
           MPI_Comm_set_attr(MPI_COMM_SELF, process.end_key, NULL) == MPI_SUCCESS &&
           MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, given_up, &process.key, NULL) ==
               MPI_SUCCESS;
}

/* MPI_Comm_split, whose failure comes back whatever the error handler. NULL from no memory goes the
 * same way. Unlike MPI_Comm_dup it brings along neither the user's attributes nor hints that relax
 * the order of messages. */
static bool split_quietly(MPI_Comm comm, int color, int rank, MPI_Comm *made)
{
    MPI_Errhandler handler;
    char text[MPI_MAX_ERROR_STRING];
    int code, length;

    MPI_Comm_get_errhandler(comm, &handler);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    code = MPI_Comm_split(comm, color, rank, made);
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

static weft_communicator *allocate(MPI_Comm user)
{
    weft_communicator *communicator = calloc(1, sizeof *communicator);

    if (communicator == NULL)
        return NULL;
    communicator->all = MPI_COMM_NULL;
    communicator->user = user;
    communicator->references = 1;
    MPI_Comm_size(user, &communicator->ranks);
    MPI_Comm_rank(user, &communicator->rank);
    list(communicator);
    return communicator;
}

static weft_communicator *first_use(MPI_Comm user)
{
    weft_communicator *communicator = make_keys() ? allocate(user) : NULL;
    bool kept;

    if (communicator == NULL)
        weft_error("no memory for a communicator");
    if (!weft_agree(user, communicator != NULL) ||
        !weft_agree(user, split_quietly(user, 0, communicator->rank, &communicator->all))) {
        weft_communicator_close(communicator);
        return NULL;
    }
    kept = MPI_Comm_set_attr(user, process.key, communicator) == MPI_SUCCESS;
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

weft_communicator *weft_communicator_open(MPI_Comm user)
{
    weft_communicator *communicator = NULL;
    int inter = 0, found = 0;

    if (user == MPI_COMM_NULL) {
        weft_error("the communicator is MPI_COMM_NULL");
        return NULL;
    }
    MPI_Comm_test_inter(user, &inter);
    if (inter) {
        weft_error("the communicator is an intercommunicator; Weft needs one of a single group");
        return NULL;
    }
    if (process.key != MPI_KEYVAL_INVALID)
        MPI_Comm_get_attr(user, process.key, &communicator, &found);
    if (!found)
        communicator = first_use(user);
    if (communicator != NULL)
        communicator->references++;
    return communicator;
}

MPI_Comm weft_communicator_all(const weft_communicator *communicator)
{
    return communicator->all;
}

int weft_communicator_tag(weft_communicator *communicator)
{
    communicator->tag = communicator->tag % LAST_TAG + 1;
    return communicator->tag;
}

static weft_split *known(const weft_communicator *communicator, const int *leader)
{
    size_t bytes = (size_t)communicator->ranks * sizeof *leader;
    weft_split *split = communicator->first;

    while (split != NULL && memcmp(split->leader, leader, bytes) != 0)
        split = split->next;
    return split;
}

/* Frees the splits that no plan uses on any rank. */
static bool tidy(weft_communicator *communicator)
{
    int *used = calloc((size_t)communicator->splits, sizeof *used);
    weft_split **link = &communicator->first;

    if (used == NULL)
        weft_error("no memory for %d numbers", communicator->splits);
    if (!weft_agree(communicator->all, used != NULL)) {
        free(used);
        return false;
    }
    for (int i = 0; *link != NULL; i++, link = &(*link)->next)
        used[i] = (*link)->references > 0;
    MPI_Allreduce(MPI_IN_PLACE, used, communicator->splits, MPI_INT, MPI_MAX, communicator->all);
    link = &communicator->first;
    for (int i = 0, all = communicator->splits; i < all; i++) {
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

static weft_split *make_split(weft_communicator *communicator, const int *leader)
{
    size_t bytes = (size_t)communicator->ranks * sizeof *leader;
    weft_split *split = calloc(1, sizeof *split);
    int *copy = malloc(bytes);
    bool ok = split != NULL && copy != NULL;
    int rank = communicator->rank;

    if (ok)
        split->comm = MPI_COMM_NULL;
    else
        weft_error("no memory for a communicator of %d ranks", communicator->ranks);
    if (!weft_agree(communicator->all, ok) ||
        !weft_agree(communicator->all,
                    split_quietly(communicator->all, leader[rank], rank, &split->comm))) {
        if (ok)
            free_comm(&split->comm);
        free(copy);
        free(split);
        return NULL;
    }
    memcpy(copy, leader, bytes);
    split->leader = copy;
    split->next = communicator->first;
    communicator->first = split;
    communicator->splits++;
    return split;
}

weft_split *weft_communicator_split(weft_communicator *communicator, const int *leader)
{
    weft_split *split = known(communicator, leader);

    if (split == NULL) {
        if (communicator->splits >= KEPT_SPLITS && !tidy(communicator))
            return NULL;
        split = make_split(communicator, leader);
    }
    if (split != NULL)
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
