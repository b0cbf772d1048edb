/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The workspace is replaced by a larger one when a larger plan comes, and freed when the last plan
 * goes. How much is reserved by how many plans is not kept: it shrinks only to nothing, which is
 * when it matters.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "error.h"
#include "workspace.h"

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *memory;
static size_t capacity;
static size_t reservations;
static bool borrowed;

/* Large ones lie on huge pages where the system has them: passes walk them in long strides. */
static void *allocate(size_t bytes)
{
    void *fresh = NULL;
    const bool large = bytes >= 2 * HUGE_PAGE;
    if (posix_memalign(&fresh, large ? HUGE_PAGE : PAGE, bytes) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (large)
        (void)madvise(fresh, bytes, MADV_HUGEPAGE);
#endif
    return fresh;
}

bool weft_workspace_reserve(size_t bytes)
{
    bool ok = true;
    if (bytes == 0)
        return true;
    pthread_mutex_lock(&lock);
    if (bytes > capacity && !borrowed) { /* in use now: runs make do with memory of their own */
        void *larger = allocate(bytes);
        ok = larger != NULL;
        if (ok) {
            free(memory);
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
    if (--reservations == 0) {
        free(memory);
        memory = NULL;
        capacity = 0;
    }
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
        workspace = allocate(bytes);
    if (!workspace)
        abort(); /* a run cannot fail: there is nobody to tell */
    return workspace;
}

void weft_workspace_return(void *workspace)
{
    pthread_mutex_lock(&lock);
    if (workspace && workspace == memory)
        borrowed = false;
    else
        free(workspace);
    pthread_mutex_unlock(&lock);
}
