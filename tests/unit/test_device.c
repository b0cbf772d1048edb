/* SPDX-License-Identifier: BSD-3-Clause */
/* Device libraries: the stand-in, or the library that WEFT_DEVICE names, for which only the tests
 * for all libraries run (tools/device/on-gpu). */
#include "tests/unit/device.h"
#include <dlfcn.h>
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

/* Every library refuses to make a transform that cuFFT cannot do, with a sentence.
 */
TEST(impossible_transforms_are_refused, .to = 9, ON_DEVICE)
{
    static const struct {
        const char *says;
        weft_device_spec spec;
    } cases[] = {
        {"1 to 3 axes", {.sign = 1, .size = {2}, .batch = 1}},
        {"at least 1", {.axes = 1, .sign = 1, .size = {4}, .in_stride = 1, .out_stride = 1}},
        {"strides", {.axes = 1, .sign = 1, .size = {1}, .batch = 1, .out_stride = 1}},
        {"r2c is forward",
         {.kind = WEFT_DEVICE_R2C,
          .axes = 1,
          .sign = 1,
          .size = {4},
          .batch = 1,
          .in_stride = 1,
          .out_stride = 1}},
        {"share an address", /* the batch has no distance */
         {.axes = 1,
          .sign = 1,
          .size = {4},
          .batch = 2,
          .in_stride = 1,
          .in_distance = 4,
          .out_stride = 1}},
        {"share an address", /* one transform begins inside the previous one */
         {.axes = 1,
          .sign = 1,
          .size = {4},
          .batch = 2,
          .in_stride = 1,
          .in_distance = 3,
          .out_stride = 1,
          .out_distance = 4}},
        {"share an address", /* rows are longer than their distance */
         {.axes = 2,
          .sign = 1,
          .size = {3, 4},
          .batch = 1,
          .in_embed = {3, 3},
          .in_stride = 1,
          .out_embed = {3, 4},
          .out_stride = 1}},
        {"same layout",
         {.in_place = true,
          .axes = 1,
          .sign = 1,
          .size = {4},
          .batch = 3,
          .in_stride = 1,
          .in_distance = 4,
          .out_stride = 3,
          .out_distance = 1}},
        {"same layout", /* real rows are not padded */
         {.kind = WEFT_DEVICE_R2C,
          .in_place = true,
          .axes = 1,
          .sign = -1,
          .size = {4},
          .batch = 3,
          .in_stride = 1,
          .in_distance = 4,
          .out_stride = 1,
          .out_distance = 3}},
    };
    size_t bytes;
    ck_assert_ptr_null(device->transform_create(&cases[_i].spec, &bytes));
    ck_assert_msg(strstr(device->why(), cases[_i].says), "%s", device->why());
}
