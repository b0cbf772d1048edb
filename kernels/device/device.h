/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device library: a table of functions with everything that Weft needs from a GPU. libweft-cuda
 * implements it with CUDA and cuFFT; the tests have a stand-in whose memory only the stand-in may
 * access. libweft links to neither and loads a device library with dlopen when a plan's array may
 * be device memory.
 *
 * Functions that take a queue return before the work is done; work runs in order within one queue
 * only. Functions that can fail return false or NULL; `why` then returns the reason, for this
 * thread.
 */
#ifndef WEFT_DEVICE_H
#define WEFT_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include "kernels/copy/copy.h"

#define WEFT_DEVICE_VERSION 4
#define WEFT_DEVICE_SYMBOL  "weft_device_library" /* const weft_device_library */

enum { WEFT_DEVICE_AXES = 32, WEFT_DEVICE_HANDLE = 64 };

typedef struct weft_queue weft_queue;                       /* a CUDA stream */
typedef struct weft_device_event weft_device_event;         /* an event recorded in a queue */
typedef struct weft_device_transform weft_device_transform; /* a cuFFT plan */

/* Twiddle factors. They multiply the element with indices i of a complex array, stored at the sum
 * of i[k] * stride[k], by exp(sign 2 pi i a b / length). Here a = first[0] + the sum of i[k] *
 * step[0][k], and b = first[1] + the sum of i[k] * step[1][k]. */
typedef struct {
    bool single; /* float, else double */
    int axes;
    ptrdiff_t count[WEFT_DEVICE_AXES], stride[WEFT_DEVICE_AXES]; /* in complex numbers */
    ptrdiff_t first[2], step[2][WEFT_DEVICE_AXES];
    ptrdiff_t length;
    int sign;
} weft_device_factors;

typedef enum { WEFT_DEVICE_C2C, WEFT_DEVICE_R2C, WEFT_DEVICE_C2R } weft_device_kind;

/* A batch of transforms along 1 to 3 axes, with the parameters of cufftMakePlanMany64: element (i0,
 * i1, i2) of transform b is stored at b * distance + ((i0 * embed[1] + i1) * embed[2] + i2) *
 * stride, in elements of that side. */
typedef struct {
    weft_device_kind kind;
    bool single;   /* float, else double */
    bool in_place; /* every run is in place; else none is */
    int sign;      /* -1 forward, 1 backward */
    int axes;
    ptrdiff_t size[3];
    ptrdiff_t batch;
    ptrdiff_t in_embed[3], in_stride, in_distance;
    ptrdiff_t out_embed[3], out_stride, out_distance;
} weft_device_spec;

typedef struct {
    unsigned version; /* WEFT_DEVICE_VERSION */
    const char *name; /* such as "CUDA 13.0" */
    const char *(*why)(void);

    /* Devices. */
    int (*count)(void);
    int (*current)(void);                /* negative: there is none */
    bool (*use)(int device);             /* makes the device current in this thread */
    const char *(*describe)(int device); /* the name of the device for reports and wisdom: one line
                                            without commas, semicolons or quotes */
    bool (*usable)(int device); /* false, with a reason: for example, the driver is too old */
    /* Whether MPI says that it accepts device memory in messages. `function` looks up a function of
     * the MPI in use by name; NULL if it has no such function. */
    bool (*mpi_reaches)(void *(*function)(const char *name));

    /* The device that an array is on, or WEFT_DEVICE_HOST for everything else (NULL, pageable host
     * memory, pinned host memory). */
    int (*where)(const void *array);

    /* Memory. Pinned memory is host memory that the device copies from and to asynchronously. */
    void *(*allocate)(size_t bytes);
    void (*release)(void *memory);
    void *(*allocate_pinned)(size_t bytes);
    void (*release_pinned)(void *memory);

    /* Queues and events: CUDA's streams and events. `queue_adopt` makes a queue of one of the
     * user's streams (a cudaStream_t; NULL: the default stream); queue_destroy leaves that stream
     * alone. The function with `wait_for` in its name makes the queue wait for an event; the one
     * with `await` makes the caller wait. */
    weft_queue *(*queue_create)(void);
    weft_queue *(*queue_adopt)(void *stream);
    void *(*queue_stream)(weft_queue *queue); /* the cudaStream_t of the queue */
    void (*queue_destroy)(weft_queue *queue);
    bool (*queue_wait)(weft_queue *queue); /* the caller waits until all work is done */
    weft_device_event *(*event_create)(bool between_processes);
    void (*event_destroy)(weft_device_event *event);
    bool (*event_record)(weft_device_event *event, weft_queue *queue);
    bool (*event_wait_for)(weft_device_event *event, weft_queue *queue);
    bool (*event_await)(weft_device_event *event);

    /* `copy` copies contiguous bytes: host (pinned) to device, device to host, device to device.
     * `copy_strided` copies units of contiguous bytes in device memory. Axes are ordered from the
     * slowest in the target to the fastest, and no two of them could be joined. Addresses, steps
     * and the unit are multiples of 4 bytes; no count is 0. */
    bool (*copy)(void *to, const void *from, size_t bytes, weft_queue *queue);
    bool (*copy_strided)(size_t unit, int axes, const weft_copy_axis *axis, const void *from,
                         void *to, weft_queue *queue);
    bool (*factors)(const weft_device_factors *factors, void *array, weft_queue *queue);

    /* Transforms. transform_create refuses what the FFT library cannot do. The caller passes `work`
     * bytes of device memory to each run; they must not begin where an array begins. */
    weft_device_transform *(*transform_create)(const weft_device_spec *spec, size_t *work);
    bool (*transform_run)(weft_device_transform *transform, const void *in, void *out, void *work,
                          weft_queue *queue);
    void (*transform_destroy)(weft_device_transform *transform);

    /* Between processes of one machine: share memory of `allocate`, and events created with
     * `between_processes`. */
    bool (*memory_export)(void *memory, char handle[WEFT_DEVICE_HANDLE]);
    void *(*memory_import)(const char handle[WEFT_DEVICE_HANDLE]);
    void (*memory_close)(void *imported);
    bool (*event_export)(weft_device_event *event, char handle[WEFT_DEVICE_HANDLE]);
    weft_device_event *(*event_import)(const char handle[WEFT_DEVICE_HANDLE]);
} weft_device_library;

enum { WEFT_DEVICE_HOST = -1 };

#endif
