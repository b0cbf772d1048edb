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
 */
#include <stdbool.h>
#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "kernels/base/error.h"
#include "backends/exchange/node.h"
#include "backends/exchange/splits.h"

enum { LAST_TAG = 32767 /* that every MPI has */ };

struct weft_communicator {
    MPI_Comm all;
    int *nodes;     /* of every rank, the lowest rank there */
    MPI_Comm user;  /* MPI_COMM_NULL: freed by the user */
    int references; /* of the user, of this rank's plans */
    int tag;
    weft_splits splits;
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

/* Gives back what belongs to MPI. */
static void shut(weft_communicator *communicator)
{
    weft_splits_shut(&communicator->splits);
    if (communicator->all != MPI_COMM_NULL)
        MPI_Comm_free(&communicator->all);
}

void weft_communicator_close(weft_communicator *communicator)
{
    if (communicator == NULL || --communicator->references > 0)
        return;
    shut(communicator);
    weft_splits_free(&communicator->splits);
    unlist(communicator);
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

static weft_communicator *allocate(MPI_Comm user)
{
    weft_communicator *communicator = calloc(1, sizeof *communicator);

    if (communicator == NULL)
        return NULL;
    communicator->all = MPI_COMM_NULL;
    communicator->user = user;
    communicator->references = 1;
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
        !weft_agree(user, weft_split_quietly(user, 0, &communicator->all)) ||
        (communicator->nodes = weft_node_leaders(user)) == NULL) {
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

const int *weft_communicator_nodes(const weft_communicator *communicator)
{
    return communicator->nodes;
}

int weft_communicator_tag(weft_communicator *communicator)
{
    communicator->tag = communicator->tag % LAST_TAG + 1;
    return communicator->tag;
}

weft_split *weft_communicator_split(weft_communicator *communicator, const int *leader)
{
    return weft_splits_get(&communicator->splits, communicator->all, leader);
}
