/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workspaces, one per kind of memory. A larger plan replaces the workspace by a larger one. After
 * the last plan is destroyed, the workspace of the host is kept for the next plan, unless it is
 * large and the machine is short of memory; otherwise a program that plans at every step would
 * fault in its pages anew each time. Device memory is not kept, because other users need it. The
 * sizes of reservations are not recorded, so the workspace shrinks only when no plan is left.
 */
#include <pthread.h>
#include <stdlib.h>
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "backends/exchange/abort.h"
#include "planner/workspace.h"

/* A workspace up to this size is always kept. */
enum { SMALL = 1 << 20 };

typedef struct workspace {
    int number; /* the device's */
    bool pinned;
    void *memory;
    size_t capacity;
    size_t reservations;
    bool borrowed;
    weft_device_event *used; /* the event at the end of a device's work in this memory; NULL: no
                        device is working in it */
    struct workspace *next;
} workspace;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static workspace of_host;

/* Returns the workspace of a kind of memory; NULL: no memory for its descriptor. The caller holds
 * the lock. */
static workspace *find(const weft_device *device, bool pinned)
{
    workspace **link = &of_host.next;
    if (!device)
        return &of_host;
    while (*link && ((*link)->number != device->number || (*link)->pinned != pinned))
        link = &(*link)->next;
    if (!*link && (*link = calloc(1, sizeof **link)))
        **link = (workspace){.number = device->number, .pinned = pinned};
    return *link;
}

/* The caller holds the lock. */
static void settle(workspace *it, const weft_device *device)
{
    if (!it->used)
        return;
    (void)device->library->event_await(it->used);
    device->library->event_destroy(it->used);
    it->used = NULL;
}

/* The caller holds the lock. */
static void drop(workspace *it, const weft_device *device)
{
    settle(it, device);
    weft_memory_free_on(device, it->pinned, it->memory);
    it->memory = NULL;
    it->capacity = 0;
}

void weft_workspace_cleanup(void)
{
    pthread_mutex_lock(&lock);
    if (of_host.reservations == 0)
        drop(&of_host, NULL);
    pthread_mutex_unlock(&lock);
}

static bool reserve(workspace *it, const weft_device *device, size_t bytes)
{
    if (bytes > it->capacity && it->reservations == 0)
        drop(it, device);
    /* A workspace in use is not replaced: runs then take separate memory. */
    if (bytes > it->capacity && !it->borrowed) {
        void *larger = weft_memory_allocate_on(device, it->pinned, bytes);
        if (!larger)
            return false;
        drop(it, device);
        it->memory = larger;
        it->capacity = bytes;
    }
    it->reservations++;
    return true;
}

bool weft_workspace_reserve(const weft_device *device, bool pinned, size_t bytes)
{
    if (bytes == 0)
        return true;
    weft_error_clear();
    pthread_mutex_lock(&lock);
    workspace *it = find(device, pinned);
    const bool ok = it && reserve(it, device, bytes);
    pthread_mutex_unlock(&lock);
    if (!ok && !weft_error_text()[0])
        weft_error("no memory for a workspace of %zu bytes", bytes);
    return ok;
}

void weft_workspace_unreserve(const weft_device *device, bool pinned, size_t bytes)
{
    if (bytes == 0)
        return;
    pthread_mutex_lock(&lock);
    workspace *it = find(device, pinned);
    if (--it->reservations == 0 &&
        (device || (it->capacity > SMALL && it->capacity > weft_memory_to_keep())))
        drop(it, device);
    pthread_mutex_unlock(&lock);
}

/* Makes a run wait for work that an earlier run left on a device. The caller holds the lock. */
static void wait_for_last(workspace *it, weft_device *device)
{
    if (!it->used)
        return;
    if (it->pinned)
        settle(it, device);
    else
        weft_device_record(device, device->library->event_wait_for(it->used, device->queue));
}

void *weft_workspace_borrow(weft_device *device, bool pinned, size_t bytes)
{
    if (bytes == 0)
        return NULL;
    pthread_mutex_lock(&lock);
    workspace *it = find(device, pinned);
    void *memory = it->borrowed || bytes > it->capacity ? NULL : it->memory;
    it->borrowed |= memory != NULL;
    if (memory)
        wait_for_last(it, device);
    pthread_mutex_unlock(&lock);
    if (!memory)
        memory = weft_memory_allocate_on(device, pinned, bytes);
    if (!memory)
        weft_abort("no memory for a workspace of %zu bytes", bytes);
    return memory;
}

/* Records an event at the end of the device's work, for runs that return before it is complete. The
 * caller holds the lock. */
static void record_use(workspace *it, weft_device *device)
{
    const weft_device_library *library = device->library;
    if (!it->used)
        it->used = library->event_create(false);
    if (!it->used || !library->event_record(it->used, device->queue))
        (void)library->queue_wait(device->queue);
}

void weft_workspace_return(weft_device *device, bool pinned, void *memory)
{
    if (!memory)
        return;
    pthread_mutex_lock(&lock);
    workspace *it = find(device, pinned);
    const bool shared = memory == it->memory;
    if (shared)
        it->borrowed = false;
    if (shared && device && device->users)
        record_use(it, device);
    pthread_mutex_unlock(&lock);
    if (shared)
        return;
    if (device && device->users)
        (void)device->library->queue_wait(device->queue);
    weft_memory_free_on(device, pinned, memory);
}
