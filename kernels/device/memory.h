/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device as a plan uses it: its library, its number, the queue that the plan's work goes to; and
 * the kinds of memory there are. What fails while a plan runs is kept, and the rest of the run is
 * left out, so that ranks still meet.
 */
#ifndef WEFT_DEVICE_MEMORY_H
#define WEFT_DEVICE_MEMORY_H

#include "kernels/device/device.h"

typedef struct weft_device {
    const weft_device_library *library;
    int number;
    weft_queue *queue;
    bool users; /* the queue is a stream of the program's, which runs go on in without waiting */
    bool failed;
    char why[256]; /* the first time */
} weft_device;

/* On a device, with a queue of its own. NULL and an error: it cannot be used. */
weft_device *weft_device_open(int number);
/* Waits for what is under way. NULL is nothing. */
void weft_device_close(weft_device *device);
/* Its work goes to this stream from now on, once what is under way is done; with `own` to a queue
 * of its own again. False and an error, and nothing has changed: that cannot be. */
bool weft_device_set_stream(weft_device *device, void *stream, bool own);

/* Makes it the current device of this thread; what was to be given back to `leave`. Of NULL nothing
 * is done. */
int weft_device_enter(const weft_device *device);
void weft_device_leave(const weft_device *device, int before);

/* Keeps what has failed. */
void weft_device_did(weft_device *device, bool ok);
/* Waits until the queue is empty; false: that, or something before it, has failed. */
bool weft_device_wait(weft_device *device);
/* Whether everything has gone well since it was asked last; false: with an error. */
bool weft_device_is_well(weft_device *device);

/* Memory of a device, host memory that its copies run from by themselves, or, without a library,
 * memory of the host. The device is the current one when it is got and freed. */
typedef struct {
    const weft_device_library *library;
    int number;
    bool pinned;
} weft_memory_kind;

weft_memory_kind weft_memory_of(const weft_device *device); /* of NULL the host's */
weft_memory_kind weft_pinned_of(const weft_device *device);
bool weft_memory_same(weft_memory_kind a, weft_memory_kind b);
/* Of no bytes there is some. NULL: there is none, with an error where a device says why. */
void *weft_memory_take(weft_memory_kind kind, size_t bytes);
void weft_memory_give(weft_memory_kind kind, void *memory);

#endif
