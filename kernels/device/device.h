/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device library: all that Weft asks of a GPU, as one table of functions. libweft-cuda exports it
 * over CUDA and cuFFT, the tests' stand-in over memory that only it may touch; libweft itself links
 * to neither and loads one by dlopen when a plan's array may be device memory.
 *
 * Everything with a queue returns before it is done, in the order of that queue alone. Functions
 * that can fail return false or NULL, and `why` then says why, in this thread.
 */
#ifndef WEFT_DEVICE_H
#define WEFT_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#define WEFT_DEVICE_VERSION 1
#define WEFT_DEVICE_SYMBOL  "weft_device_library" /* const weft_device_library */

enum { WEFT_DEVICE_AXES = 32, WEFT_DEVICE_HANDLE = 64 };

typedef struct weft_queue weft_queue;                       /* a stream */
typedef struct weft_mark weft_mark;                         /* an event: a moment of a queue */
typedef struct weft_device_transform weft_device_transform; /* a plan of cuFFT */

/* A strided copy between two arrays, device memory both; axes slowest first; elements of `element`
 * bytes (4, 8, 16, or any multiple of 4). */
typedef struct {
    size_t element;
    int axes;
    ptrdiff_t count[WEFT_DEVICE_AXES];
    ptrdiff_t from_offset, from_stride[WEFT_DEVICE_AXES]; /* in elements */
    ptrdiff_t to_offset, to_stride[WEFT_DEVICE_AXES];
} weft_device_move;

/* Twiddle factors: multiplies element i of a complex array, which lies at the sum of i[k] *
 * stride[k], by exp(sign 2 pi i a b / length), where a = first[0] + the sum of i[k] * step[0][k],
 * and b likewise of 1. */
typedef struct {
    bool single; /* float, else double */
    int axes;
    ptrdiff_t count[WEFT_DEVICE_AXES], stride[WEFT_DEVICE_AXES]; /* in complex numbers */
    ptrdiff_t first[2], step[2][WEFT_DEVICE_AXES];
    ptrdiff_t length;
    int sign;
} weft_device_factors;

typedef enum { WEFT_DEVICE_C2C, WEFT_DEVICE_R2C, WEFT_DEVICE_C2R } weft_device_kind;

/* Many transforms along 1 to 3 axes, as cufftMakePlanMany64 has them: element (i0, i1, i2) of
 * transform b lies at b * distance + ((i0 * embed[1] + i1) * embed[2] + i2) * stride, in elements
 * of its side. */
typedef struct {
    weft_device_kind kind;
    bool single; /* float, else double */
    int sign;    /* -1 forward, 1 backward */
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
    int (*current)(void);                /* negative: none */
    bool (*use)(int device);             /* for this thread, from now on */
    const char *(*describe)(int device); /* its name, for reports and for wisdom; one line without
                                            commas, ; or quotes */
    bool (*usable)(int device);          /* false, and why: a driver too old ... */
    /* Whether MPI says that it takes device memory for messages; functions of the MPI in use, by
     * name, are what `function` finds, NULL: there is none. */
    bool (*mpi_reaches)(void *(*function)(const char *name));

    /* Where an array lies: its device, or WEFT_DEVICE_HOST for everything else (NULL, pageable and
     * pinned host memory). */
    int (*where)(const void *array);

    /* Memory. `pinned` is host memory that copies run from by themselves. */
    void *(*allocate)(size_t bytes);
    void (*release)(void *memory);
    void *(*allocate_pinned)(size_t bytes);
    void (*release_pinned)(void *memory);

    /* Queues and marks. `adopt` makes a queue of a stream of the user's (a cudaStream_t, NULL: the
     * default stream), whose destroy leaves the stream alone. `wait_for` lets the queue wait for a
     * mark, `await` the caller. */
    weft_queue *(*queue_create)(void);
    weft_queue *(*queue_adopt)(void *stream);
    void *(*queue_stream)(weft_queue *queue); /* the stream itself: a cudaStream_t */
    void (*queue_destroy)(weft_queue *queue);
    bool (*queue_wait)(weft_queue *queue); /* the caller waits until all of it is done */
    bool (*queue_idle)(weft_queue *queue); /* whether it is, without waiting */
    weft_mark *(*mark_create)(bool between_processes);
    void (*mark_destroy)(weft_mark *mark);
    bool (*mark_set)(weft_mark *mark, weft_queue *queue);
    bool (*mark_wait_for)(weft_mark *mark, weft_queue *queue);
    bool (*mark_await)(weft_mark *mark);
    bool (*mark_reached)(weft_mark *mark);
    float (*mark_seconds)(
        weft_mark *from,
        weft_mark *to); /* both reached; made with timing when not between processes */

    /* Copies of contiguous bytes: host (pinned) to device, device to host, device to device. */
    bool (*copy)(void *to, const void *from, size_t bytes, weft_queue *queue);
    bool (*move)(const weft_device_move *move, const void *from, void *to, weft_queue *queue);
    bool (*factors)(const weft_device_factors *factors, void *array, weft_queue *queue);

    /* Transforms. `work` bytes of device memory are given to each run. In place where in == out. */
    weft_device_transform *(*transform_create)(const weft_device_spec *spec, size_t *work);
    bool (*transform_run)(weft_device_transform *transform, const void *in, void *out, void *work,
                          weft_queue *queue);
    void (*transform_destroy)(weft_device_transform *transform);

    /* Between processes of one machine: memory that `allocate` gave, and marks made for it. */
    bool (*memory_export)(void *memory, char handle[WEFT_DEVICE_HANDLE]);
    void *(*memory_import)(const char handle[WEFT_DEVICE_HANDLE]);
    void (*memory_close)(void *imported);
    bool (*mark_export)(weft_mark *mark, char handle[WEFT_DEVICE_HANDLE]);
    weft_mark *(*mark_import)(const char handle[WEFT_DEVICE_HANDLE]);
} weft_device_library;

enum { WEFT_DEVICE_HOST = -1 };

#endif
