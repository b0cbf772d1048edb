/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations that the files of the stand-in share. The caller has the lock, unless a comment says
 * otherwise.
 */
#ifndef STANDIN_INSIDE_H
#define STANDIN_INSIDE_H

#include <stdatomic.h>
#include "tests/device/standin.h"

/* standin.c: the lock, settings, failures. */
enum { STANDIN_DEVICES = 2 };
typedef struct {
    long fail, fail_from;
    uint64_t bytes;
    bool no_peers, no_transforms, no_driver, old, ignore_leaks;
} standin_settings;
extern standin_settings standin_is;
void standin_lock(void);
void standin_unlock(void);
static inline int standin_locked(void)
{
    return standin_lock(), 0;
}
static inline void standin_leave(int *locked)
{
    (void)locked, standin_unlock();
}
/* The lock is held from here to the end of the function. */
#define STANDIN_LOCKED                                                                             \
    __attribute__((cleanup(standin_leave), unused)) int locked_here = standin_locked()
unsigned standin_random(unsigned below);
/* Ends the program after a wrong call. */
void standin_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Counts a call that can fail. Returns false, with an error, if this call must fail. */
bool standin_goes(const char *call);
bool standin_fails(const char *format, ...) __attribute__((format(printf, 1, 2)));
int standin_current(void);
extern struct standin_traffic standin_traffic;

/* memory.c: memory of devices, pinned memory, and memory shared between processes. */
typedef struct standin_memory standin_memory;
struct standin_memory {
    standin_memory *next;
    char *outside; /* the program's address; memory of a device faults there */
    char *inside;  /* the stand-in's address of the same memory */
    size_t bytes, mapped;
    int file;
    int device; /* WEFT_DEVICE_HOST: pinned host memory */
    bool imported, released;
    int users; /* pieces of work that use it */
};
/* Return the memory that contains `from`, NULL if the stand-in does not know it. The second ends
 * the program if fewer than `bytes` bytes follow; `call` and `what` are for the sentence. */
standin_memory *standin_memory_find(const void *from);
standin_memory *standin_memory_of(const void *from, size_t bytes, const char *call,
                                  const char *what);
void *standin_inside(const standin_memory *memory, const void *outside);
int standin_memory_left(void);
void standin_memory_complain(void);

typedef struct {
    int file;
    void *at;
    size_t bytes;
} standin_segment;
bool standin_segment_make(standin_segment *segment, size_t bytes);
bool standin_segment_write(const standin_segment *segment, char handle[WEFT_DEVICE_HANDLE]);
bool standin_segment_open(standin_segment *segment, const char handle[WEFT_DEVICE_HANDLE]);
void standin_segment_close(standin_segment *segment);

/* queue.c: queues, events, and the order of work. */
enum { STANDIN_USES = 4 };
typedef struct standin_work standin_work;
struct standin_work {
    standin_work *next;
    bool (*ready)(standin_work *work); /* NULL: always ready */
    void (*run)(standin_work *work);
    standin_memory *uses[STANDIN_USES];
};
/* Adds a copy of the `bytes` bytes at `work` to the queue, and frees the copy when the work is
 * done. */
void standin_queue_add(weft_queue *queue, const standin_work *work, size_t bytes);
/* Ends the program unless the queue's device is current; returns that device. */
int standin_queue_device(const weft_queue *queue, const char *call);
/* Returns the pieces of work that are not done. */
int standin_queue_waiting(void);
int standin_queue_left(void);
void standin_queue_complain(void);

/* transform.c */
int standin_transforms_left(void);

/* The functions of the table that these files define: standin_NAME for each name. */
/* clang-format off */
#define STANDIN_ENTRIES(X) \
    X(where) \
    X(allocate) X(release) X(allocate_pinned) X(release_pinned) \
    X(memory_export) X(memory_import) X(memory_close) \
    X(queue_create) X(queue_adopt) X(queue_stream) X(queue_destroy) X(queue_wait) \
    X(event_create) X(event_destroy) X(event_record) X(event_wait_for) X(event_await) \
    X(event_export) X(event_import) \
    X(copy) X(copy_strided) X(factors) \
    X(transform_create) X(transform_run) X(transform_destroy)
/* clang-format on */
#define STANDIN_DECLARE(name) __typeof__(*((const weft_device_library *)NULL)->name) standin_##name;
STANDIN_ENTRIES(STANDIN_DECLARE)

#endif
