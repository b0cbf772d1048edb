/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device of a plan (library, device number, and the queue for the plan's work), and the kinds
 * of memory. If a call fails while a plan runs, the error is kept and the rest of the device work
 * of the run is skipped, so that the ranks still meet in their exchanges.
 */
#ifndef WEFT_DEVICE_MEMORY_H
#define WEFT_DEVICE_MEMORY_H

#include "kernels/device/device.h"

typedef struct weft_device {
    const weft_device_library *library;
    int number;
    weft_queue *queue;
    weft_queue *down, *up; /* for copies to the host and to the device; NULL: not opened */
    bool users; /* the queue is a stream of the program; runs return without waiting for it */
    bool failed;
    char why[256]; /* the reason of the first failure */
} weft_device;

/* Where arrays are. */

/* The array is in device memory, but no device library that could work on it is installed; or the
 * process has no such memory. */
enum { WEFT_DEVICE_UNKNOWN = -2 };

/* The device that an array is on, WEFT_DEVICE_HOST, or WEFT_DEVICE_UNKNOWN, with an error. In a
 * process that uses no device this loads nothing. Local. */
int weft_device_where(const void *array);
/* Whether any array that this process has asked about may have been on a device. */
bool weft_device_may_be_in_use(void);
/* The device library; it is loaded by the first call. Returns NULL with an error that says what is
 * missing. */
const weft_device_library *weft_device_load(void);

/* Opens a device and makes a queue for the plan. Returns NULL with an error if the device cannot be
 * used. */
weft_device *weft_device_open(int number);
/* Makes the queues `down` and `up`, unless they exist. Returns false, without an error, if the
 * device has no more queues. */
bool weft_device_open_bus(weft_device *device);
/* Waits for the work under way and closes the device; NULL is allowed. */
void weft_device_close(weft_device *device);
/* Sends the plan's work to this stream from now on, or with `own` to a new queue of Weft's; waits
 * for the work under way first. Returns false with an error, and changes nothing, if the stream
 * cannot be used. */
bool weft_device_set_stream(weft_device *device, void *stream, bool own);

/* weft_device_enter makes the device current in this thread and returns the device that was current
 * before, to be passed to weft_device_leave. Both do nothing if the device is NULL. */
int weft_device_enter(const weft_device *device);
void weft_device_leave(const weft_device *device, int before);

/* Records a failure, with the library's reason, if `ok` is false. */
void weft_device_record(weft_device *device, bool ok);
/* Calls a function of the device library, and records a failure; does nothing after a failure. */
#define weft_device_call(device, call)                                                             \
    ((device)->failed ? (void)0 : weft_device_record(device, (device)->library->call))
/* Waits until the queues are empty. Returns false if this, or anything before it, has failed. */
bool weft_device_wait(weft_device *device);
/* Whether nothing has failed since the last call of this function; sets an error if something
 * has. */
bool weft_device_succeeded(weft_device *device);

/* Allocates memory of a device, which must be current, or with `pinned` pinned host memory for it;
 * ordinary host memory if the device is NULL. Also for 0 bytes. Returns NULL if there is no memory,
 * with an error if there is a device. */
void *weft_memory_allocate_on(const weft_device *device, bool pinned, size_t bytes);
void weft_memory_free_on(const weft_device *device, bool pinned, void *memory);

#endif
