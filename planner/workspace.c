/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The workspace is replaced by a larger one when a larger plan comes. When the last plan goes it
 * stays for the next, unless it is large and the machine short of memory: else its pages are made
 * anew for every plan of a program that plans at every step; memory of a device does not stay, for
 * others want it. How much is reserved by how many plans is not kept: it shrinks only to nothing,
 * which is when it matters.
 */
#include <pthread.h>
#include <stdlib.h>
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "backends/exchange/abort.h"
#include "planner/workspace.h"

/* So much is not worth giving back. */
enum { SMALL = 1 << 20 };

typedef struct workspace {
    weft_memory_kind kind;
    void *memory;
    size_t capacity;
    size_t reservations;
    bool borrowed;
    weft_mark *used; /* until then a device is at work in it; NULL: none is */
    struct workspace *next;
} workspace;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static workspace of_host;

/* With the lock held. That of a kind; NULL and an error: no memory for it. */
static workspace *find(weft_memory_kind kind)
{
    workspace **link = &of_host.next;
    if (!kind.library)
        return &of_host;
    while (*link && !weft_memory_same((*link)->kind, kind))
        link = &(*link)->next;
    if (!*link && (*link = calloc(1, sizeof **link)))
        (*link)->kind = kind;
    return *link;
}

/* With the lock held. */
static void settle(workspace *it)
{
    if (!it->used)
        return;
    (void)it->kind.library->mark_await(it->used);
    it->kind.library->mark_destroy(it->used);
    it->used = NULL;
}

/* With the lock held. */
static void drop(workspace *it)
{
    settle(it);
    weft_memory_give(it->kind, it->memory);
    it->memory = NULL;
    it->capacity = 0;
}

void weft_workspace_cleanup(void)
{
    pthread_mutex_lock(&lock);
    if (of_host.reservations == 0)
        drop(&of_host);
    pthread_mutex_unlock(&lock);
}

static bool reserve(workspace *it, size_t bytes)
{
    if (bytes > it->capacity && it->reservations == 0)
        drop(it);
    if (bytes > it->capacity && !it->borrowed) { /* in use now: runs make do with their own */
        void *larger = weft_memory_take(it->kind, bytes);
        if (!larger)
            return false;
        drop(it);
        it->memory = larger;
        it->capacity = bytes;
    }
    it->reservations++;
    return true;
}

bool weft_workspace_reserve(weft_memory_kind kind, size_t bytes)
{
    if (bytes == 0)
        return true;
    weft_error_clear();
    pthread_mutex_lock(&lock);
    workspace *it = find(kind);
    const bool ok = it && reserve(it, bytes);
    pthread_mutex_unlock(&lock);
    if (!ok && !weft_error_text()[0])
        weft_error("no memory for a workspace of %zu bytes", bytes);
    return ok;
}

/* What may be held of a kind although nobody needs it now. */
static size_t to_spare(weft_memory_kind kind)
{
    return kind.library ? 0 : weft_memory_to_spare();
}

void weft_workspace_unreserve(weft_memory_kind kind, size_t bytes)
{
    if (bytes == 0)
        return;
    pthread_mutex_lock(&lock);
    workspace *it = find(kind);
    if (--it->reservations == 0 && (kind.library || it->capacity > SMALL) &&
        it->capacity > to_spare(kind))
        drop(it);
    pthread_mutex_unlock(&lock);
}

/* With the lock held: what the run before has left to a device comes before this one. */
static void wait_for_last(workspace *it, weft_device *device)
{
    if (!it->used)
        return;
    if (it->kind.pinned)
        settle(it);
    else
        weft_device_did(device, device->library->mark_wait_for(it->used, device->queue));
}

void *weft_workspace_borrow(weft_memory_kind kind, size_t bytes, weft_device *device)
{
    if (bytes == 0)
        return NULL;
    pthread_mutex_lock(&lock);
    workspace *it = find(kind);
    void *memory = it->borrowed || bytes > it->capacity ? NULL : it->memory;
    it->borrowed |= memory != NULL;
    if (memory)
        wait_for_last(it, device);
    pthread_mutex_unlock(&lock);
    if (!memory)
        memory = weft_memory_take(kind, bytes);
    if (!memory)
        weft_abort("no memory for a workspace of %zu bytes", bytes);
    return memory;
}

/* With the lock held: where runs do not wait for their end. */
static void mark_use(workspace *it, weft_device *device)
{
    const weft_device_library *library = device->library;
    if (!it->used)
        it->used = library->mark_create(false);
    if (!it->used || !library->mark_set(it->used, device->queue))
        (void)library->queue_wait(device->queue);
}

void weft_workspace_return(weft_memory_kind kind, void *memory, weft_device *device)
{
    if (!memory)
        return;
    pthread_mutex_lock(&lock);
    workspace *it = find(kind);
    const bool shared = memory == it->memory;
    if (shared)
        it->borrowed = false;
    if (shared && device && device->users)
        mark_use(it, device);
    pthread_mutex_unlock(&lock);
    if (shared)
        return;
    if (device && device->users)
        (void)device->library->queue_wait(device->queue);
    weft_memory_give(kind, memory);
}
