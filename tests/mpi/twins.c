/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents are copied through pinned memory, in a separate queue. */
#include "tests/mpi/twins.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct twin {
    const void *array;
    void *memory;
    size_t bytes;
    struct twin *next;
} twin;

static const weft_device_library *library;
static const weft_standin_controls *controls;
static twin *first;

static void give_up(const char *what)
{
    fprintf(stderr, "twins: %s: %s\n", what, library ? library->why() : dlerror());
    abort();
}

void twins_begin(const char *name)
{
    const char *another = getenv("WEFT_DEVICE"); /* tools/device/on-gpu */
    if (another && *another)
        name = another;
    setenv("WEFT_DEVICE", name, 1);
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        give_up(name);
    library = dlsym(handle, WEFT_DEVICE_SYMBOL);
    controls = dlsym(handle, STANDIN_SYMBOL);
    if (!library)
        give_up(WEFT_DEVICE_SYMBOL);
}

bool twins_begun(void)
{
    return library;
}

const weft_device_library *twins_library(void)
{
    return library;
}

const weft_standin_controls *twins_controls(void)
{
    return controls;
}

void twins_add(const void *array, size_t bytes)
{
    if (!library)
        return;
    twin *it = malloc(sizeof *it);
    *it = (twin){array, library->allocate(bytes), bytes, first};
    if (!it->memory)
        give_up("no memory");
    first = it;
    twin_push(array);
}

static twin **find(const void *array)
{
    twin **link = &first;
    while (*link && (*link)->array != array)
        link = &(*link)->next;
    return link;
}

void twins_drop(const void *array)
{
    twin **link = find(array), *it = *link;
    if (!it)
        return;
    *link = it->next;
    library->release(it->memory);
    free(it);
}

void *twin_of(void *array)
{
    const twin *it = array ? *find(array) : NULL;
    return it ? it->memory : array;
}

/* Copies an array to its twin, or back. */
static void transfer(void *array, bool up)
{
    const twin *it = array ? *find(array) : NULL;
    if (!it)
        return;
    void *pinned = library->allocate_pinned(it->bytes);
    weft_queue *queue = library->queue_create();
    if (!pinned || !queue)
        give_up("no queue");
    if (up)
        memcpy(pinned, array, it->bytes);
    if (!library->copy(up ? it->memory : pinned, up ? pinned : it->memory, it->bytes, queue) ||
        !library->queue_wait(queue))
        give_up("no copy");
    if (!up)
        memcpy(array, pinned, it->bytes);
    library->queue_destroy(queue);
    library->release_pinned(pinned);
}

void twin_push(const void *array)
{
    transfer((void *)array, true);
}

void twin_pull(void *array)
{
    transfer(array, false);
}

const char *twin_backend(const char *backend)
{
    return library && backend && strcmp(backend, "shared") == 0 ? "device" : backend;
}
