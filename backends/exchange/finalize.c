/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Finalize first deletes the attributes of MPI_COMM_SELF, while MPI still works. Weft sets one;
 * MPI then calls the function that deletes it, and that function calls the finalizers.
 */
#include <pthread.h>
#include "backends/exchange/abort.h"
#include "backends/exchange/finalize.h"
#include "kernels/base/error.h"

/* The functions that were set, and whether MPI_COMM_SELF has Weft's attribute. */
static struct {
    pthread_mutex_t lock;
    weft_finalizer *first;
    bool attribute;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int finalizing(MPI_Comm comm, int key, void *value, void *extra)
{
    const bool over = weft_mpi_is_over();
    (void)comm, (void)value, (void)extra;
    if (!over)
        MPI_Comm_free_keyval(&key);
    weft_finalize(over);
    return MPI_SUCCESS;
}

static bool set_attribute(void)
{
    int key;
    return MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalizing, &key, NULL) == MPI_SUCCESS &&
           MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL) == MPI_SUCCESS;
}

bool weft_at_finalize(weft_finalizer *it)
{
    pthread_mutex_lock(&process.lock);
    if (!process.attribute && weft_has_world())
        process.attribute = set_attribute();
    const bool ok = process.attribute || !weft_has_world();
    if (ok && !it->set) {
        it->next = process.first;
        process.first = it;
        it->set = true;
    }
    pthread_mutex_unlock(&process.lock);
    return ok || weft_error("MPI has no memory for an attribute");
}

/* Takes the first function out of the list. */
static weft_finalizer *take(void)
{
    pthread_mutex_lock(&process.lock);
    weft_finalizer *it = process.first;
    if (it) {
        process.first = it->next;
        it->set = false;
    }
    pthread_mutex_unlock(&process.lock);
    return it;
}

void weft_finalize(bool over)
{
    for (weft_finalizer *it; (it = take());)
        it->end(over);
}
