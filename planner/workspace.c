/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The workspace is replaced by a larger one when a larger plan comes. When the last plan goes it
 * stays for the next, unless it is large and the machine short of memory: else its pages are made
 * anew for every plan of a program that plans at every step. How much is reserved by how many plans
 * is not kept: it shrinks only to nothing, which is when it matters.
 */
#include <pthread.h>
#include <stdlib.h>
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "planner/abort.h"
#include "planner/workspace.h"

/* So much is kept unasked: to ask takes 10 us, as long as a small plan. */
enum { SMALL = 1 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *memory;
static size_t capacity;
static size_t reservations;
static bool borrowed;

/* With the lock held. */
static void drop(void)
{
    weft_memory_free(memory);
    memory = NULL;
    capacity = 0;
}

void weft_workspace_cleanup(void)
{
    pthread_mutex_lock(&lock);
    if (reservations == 0)
        drop();
    pthread_mutex_unlock(&lock);
}

bool weft_workspace_reserve(size_t bytes)
{
    bool ok = true;
    if (bytes == 0)
        return true;
    pthread_mutex_lock(&lock);
    if (bytes > capacity && reservations == 0)
        drop();
    if (bytes > capacity && !borrowed) { /* in use now: runs make do with memory of their own */
        void *larger = weft_memory_get(bytes);
        ok = larger != NULL;
        if (ok) {
            weft_memory_free(memory);
            memory = larger;
            capacity = bytes;
        }
    }
    reservations += ok;
    pthread_mutex_unlock(&lock);
    if (!ok)
        weft_error("no memory for a workspace of %zu bytes", bytes);
    return ok;
}

void weft_workspace_unreserve(size_t bytes)
{
    if (bytes == 0)
        return;
    pthread_mutex_lock(&lock);
    if (--reservations == 0 && capacity > SMALL && capacity > weft_memory_to_spare())
        drop();
    pthread_mutex_unlock(&lock);
}

void *weft_workspace_borrow(size_t bytes)
{
    if (bytes == 0)
        return NULL;
    pthread_mutex_lock(&lock);
    void *workspace = borrowed || bytes > capacity ? NULL : memory;
    borrowed |= workspace != NULL;
    pthread_mutex_unlock(&lock);
    if (!workspace)
        workspace = weft_memory_get(bytes);
    if (!workspace)
        weft_abort("no memory for a workspace of %zu bytes", bytes);
    return workspace;
}

void weft_workspace_return(void *workspace)
{
    pthread_mutex_lock(&lock);
    if (workspace && workspace == memory)
        borrowed = false;
    else
        weft_memory_free(workspace);
    pthread_mutex_unlock(&lock);
}
