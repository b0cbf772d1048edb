/* SPDX-License-Identifier: BSD-3-Clause */
/* Device libraries: the stand-in, or the library that WEFT_DEVICE names, for which only the tests
 * for all libraries run (tools/device/on-gpu). (mpi/test_on_device and the variants on a device
 * test most functions.) */
#include "tests/unit/device.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const weft_device_library *device;
const weft_standin_controls *standin;
weft_queue *queue;

void load(void)
{
    setenv("STANDIN_BYTES", "67108864", 1);
    const char *another = getenv("WEFT_DEVICE");
    void *module = dlopen(another ? another : STANDIN, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(module != NULL, "%s", dlerror());
    device = dlsym(module, WEFT_DEVICE_SYMBOL);
    standin = dlsym(module, STANDIN_SYMBOL);
    ck_assert(device && (standin || another) && device->version == WEFT_DEVICE_VERSION);
    queue = device->queue_create();
    ck_assert_msg(queue != NULL, "%s", device->why());
}

void unload(void)
{
    device->queue_destroy(queue);
}

void *pinned(size_t bytes)
{
    void *array = device->allocate_pinned(bytes);
    ck_assert(array != NULL);
    return array;
}

void *on_device(const void *array, size_t bytes)
{
    void *memory = device->allocate(bytes), *copy = pinned(bytes);
    ck_assert(memory != NULL);
    memcpy(copy, array, bytes);
    ck_assert(device->copy(memory, copy, bytes, queue) && device->queue_wait(queue));
    device->release_pinned(copy);
    return memory;
}

void get(void *array, const void *memory, size_t bytes)
{
    void *copy = pinned(bytes);
    ck_assert(device->copy(copy, memory, bytes, queue) && device->queue_wait(queue));
    memcpy(array, copy, bytes);
    device->release_pinned(copy);
}

/* A chain over all queues: each queue waits for the event of the one before. */
TEST(events_put_queues_in_order, .to = 5, ON_DEVICE)
{
    enum { QUEUES = 4, LINKS = 40 };
    weft_queue *queues[QUEUES];
    weft_device_event *events[LINKS];
    int *numbers = pinned((LINKS + 1) * sizeof *numbers);
    int *memory = device->allocate(sizeof *memory);
    if (standin)
        standin->seed((unsigned)_i);
    for (int q = 0; q < QUEUES; q++)
        queues[q] = device->queue_create();
    numbers[0] = 17;
    for (int i = 0; i < LINKS; i++) {
        weft_queue *its = queues[i % QUEUES];
        events[i] = device->event_create(false);
        if (i)
            ck_assert(device->event_wait_for(events[i - 1], its));
        numbers[i + 1] = -1;
        ck_assert(device->copy(memory, &numbers[i], sizeof *memory, its));
        ck_assert(device->copy(&numbers[i + 1], memory, sizeof *memory, its));
        ck_assert(device->event_record(events[i], its));
    }
    ck_assert(device->event_await(events[LINKS - 1]));
    for (int i = 0; i <= LINKS; i++)
        ck_assert_int_eq(numbers[i], 17);
    for (int i = 0; i < LINKS; i++)
        device->event_destroy(events[i]);
    for (int q = 0; q < QUEUES; q++)
        device->queue_destroy(queues[q]);
    device->release(memory);
    device->release_pinned(numbers);
}

/* Transforms that cuFFT cannot do: a batch without a distance, transforms or rows that begin inside
 * others; in place with other strides, or without padding. Every library refuses to make them, with
 * a sentence. */
static const struct {
    const char *says;
    weft_device_spec spec;
} impossible[] = {
    {"share an address", {WEFT_DEVICE_C2C, false, false, 1, 1, {4}, 2, {0}, 1, 4, {0}, 1, 0}},
    {"share an address", {WEFT_DEVICE_C2C, false, false, 1, 1, {4}, 2, {0}, 1, 3, {0}, 1, 4}},
    {"share an address",
     {WEFT_DEVICE_C2C, false, false, 1, 2, {3, 4}, 1, {3, 3}, 1, 0, {3, 4}, 1, 0}},
    {"same layout", {WEFT_DEVICE_C2C, false, true, 1, 1, {4}, 3, {0}, 1, 4, {0}, 3, 1}},
    {"same layout", {WEFT_DEVICE_R2C, false, true, -1, 1, {4}, 3, {0}, 1, 4, {0}, 1, 3}},
};

TEST(impossible_transforms_are_refused, .to = NUMBER(impossible), ON_DEVICE)
{
    size_t bytes;
    ck_assert_ptr_null(device->transform_create(&impossible[_i].spec, &bytes));
    ck_assert_msg(strstr(device->why(), impossible[_i].says), "%s", device->why());
}

/* These tests do not run with another library. */
#define ON_STAND_IN(count) .from = getenv("WEFT_DEVICE") ? count : 0, .to = count

TEST(memory_of_a_device_faults, .signal = SIGSEGV, ON_STAND_IN(2), ON_DEVICE)
{
    volatile char *memory = device->allocate(100);
    signal(SIGSEGV, SIG_DFL); /* because sanitizers catch the signal */
    if (_i)
        memory[99] = 1;
    else
        printf("%d", memory[0]);
}

TEST(work_is_done_late, ON_STAND_IN(1), ON_DEVICE)
{
    int *from = pinned(sizeof *from), *to = pinned(sizeof *to);
    int *memory = device->allocate(sizeof *memory);
    *from = 1, *to = 5;
    ck_assert(device->copy(memory, from, sizeof *from, queue));
    ck_assert(device->copy(to, memory, sizeof *to, queue));
    ck_assert_int_eq(standin->waiting(), 2);
    ck_assert_int_eq(*to, 5);
    *from = 2; /* too early: the copy gets this number */
    ck_assert(device->queue_wait(queue));
    ck_assert_int_eq(*to, 2);
    ck_assert_int_eq(standin->waiting(), 0);
    device->release(memory);
    device->release_pinned(from);
    device->release_pinned(to);
}
