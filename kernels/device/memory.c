/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices of plans, and allocation of all kinds of memory. */
#include "kernels/device/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include "kernels/base/error.h"
#include "kernels/base/memory.h"

static bool usable(const weft_device_library *library, int number)
{
    if (library->usable(number))
        return true;
    weft_error("device %d cannot be used: %s", number, library->why());
    return false;
}

weft_device *weft_device_open(int number)
{
    const weft_device_library *library = weft_device_load();
    if (!library || !usable(library, number))
        return NULL;
    weft_device *device = calloc(1, sizeof *device);
    if (!device) {
        weft_error("no memory for a device");
        return NULL;
    }
    *device = (weft_device){.library = library, .number = number};
    const int before = weft_device_enter(device);
    device->queue = library->queue_create();
    weft_device_leave(device, before);
    if (device->queue)
        return device;
    weft_error("device %d has no queue for a plan: %s", number, library->why());
    free(device);
    return NULL;
}

void weft_device_close(weft_device *device)
{
    if (!device)
        return;
    const int before = weft_device_enter(device);
    (void)device->library->queue_wait(device->queue);
    device->library->queue_destroy(device->queue);
    weft_device_leave(device, before);
    free(device);
}

bool weft_device_set_stream(weft_device *device, void *stream, bool own)
{
    const weft_device_library *library = device->library;
    const int before = weft_device_enter(device);
    weft_queue *queue = own ? library->queue_create() : library->queue_adopt(stream);
    const bool ok = queue && library->queue_wait(device->queue);
    if (!ok)
        weft_error("the stream cannot be used on device %d: %s", device->number, library->why());
    weft_queue *leaves = ok ? device->queue : queue;
    if (ok) {
        device->queue = queue;
        device->users = !own;
    }
    if (leaves)
        library->queue_destroy(leaves);
    weft_device_leave(device, before);
    return ok;
}

int weft_device_enter(const weft_device *device)
{
    if (!device)
        return WEFT_DEVICE_HOST;
    const int before = device->library->current();
    if (before != device->number)
        (void)device->library->use(device->number);
    return before;
}

void weft_device_leave(const weft_device *device, int before)
{
    if (device && before >= 0 && before != device->number)
        (void)device->library->use(before);
}

void weft_device_record(weft_device *device, bool ok)
{
    if (ok || device->failed)
        return;
    device->failed = true;
    snprintf(device->why, sizeof device->why, "%s", device->library->why());
}

bool weft_device_wait(weft_device *device)
{
    weft_device_record(device, device->library->queue_wait(device->queue));
    return !device->failed;
}

bool weft_device_succeeded(weft_device *device)
{
    const bool well = !device->failed;
    if (!well)
        weft_error("device %d has failed: %s", device->number, device->why);
    device->failed = false;
    return well;
}

weft_memory_kind weft_memory_kind_of(const weft_device *device)
{
    return device ? (weft_memory_kind){.library = device->library, .number = device->number}
                  : (weft_memory_kind){0};
}

weft_memory_kind weft_memory_kind_pinned(const weft_device *device)
{
    return (weft_memory_kind){.library = device->library, .number = device->number, .pinned = true};
}

bool weft_memory_kind_same(weft_memory_kind a, weft_memory_kind b)
{
    return a.library == b.library && a.number == b.number && a.pinned == b.pinned;
}

void *weft_memory_kind_allocate(weft_memory_kind kind, size_t bytes)
{
    if (!kind.library)
        return weft_memory_allocate(bytes);
    bytes = bytes > 0 ? bytes : 1;
    void *memory =
        kind.pinned ? kind.library->allocate_pinned(bytes) : kind.library->allocate(bytes);
    if (!memory)
        weft_error("no %s of %zu bytes: %s", kind.pinned ? "pinned memory" : "memory on the device",
                   bytes, kind.library->why());
    return memory;
}

void weft_memory_kind_free(weft_memory_kind kind, void *memory)
{
    if (!memory)
        return;
    if (!kind.library)
        weft_memory_free(memory);
    else if (kind.pinned)
        kind.library->release_pinned(memory);
    else
        kind.library->release(memory);
}
