/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations that the files of the stand-in share. The caller has the lock, unless a comment says
 * otherwise.
 */
#ifndef STANDIN_INSIDE_H
#define STANDIN_INSIDE_H

#include <stdatomic.h>
#include "tests/device/standin.h"

/* standin.c: the lock, settings, failures, leaks. */
enum { STANDIN_DEVICES = 2 };
extern uint64_t standin_bytes; /* memory of each device */
extern bool standin_no_peers;
bool standin_refuses(const char *what); /* whether STANDIN_REFUSE has this value */
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
/* Allocates data of the stand-in itself, filled with 0. */
void *standin_new(size_t bytes);

/* Number of things of each kind that the program has and must give back. */
typedef enum {
    STANDIN_MEMORY,
    STANDIN_PINNED,
    STANDIN_IMPORTED,
    STANDIN_QUEUES,
    STANDIN_EVENTS,
    STANDIN_TRANSFORMS,
    STANDIN_WAITING, /* pieces of work that are not done */
    STANDIN_KINDS
} standin_kind;
extern int standin_count[STANDIN_KINDS];

/* memory.c: memory of devices, pinned memory, and memory shared between processes. */
typedef struct standin_memory standin_memory;
struct standin_memory {
    standin_memory *next;
    standin_kind kind;
    int device; /* WEFT_DEVICE_HOST: pinned host memory */
    size_t bytes;
    int file;
    char *outside; /* the program's address; memory of a device faults there */
    char *inside;  /* the stand-in's address of the same memory */
    bool released;
    int users; /* pieces of work that use it */
};
/* Returns the memory that contains `from`, NULL if the stand-in does not know it. */
standin_memory *standin_memory_find(const void *from);
/* Memory that processes share and may access, at `inside`: one process writes its handle, others
 * open it. */
void standin_segment_make(standin_memory *segment, size_t bytes);
void standin_segment_write(const standin_memory *segment, char handle[WEFT_DEVICE_HANDLE]);
bool standin_segment_open(standin_memory *segment, const char handle[WEFT_DEVICE_HANDLE]);
void standin_segment_close(const standin_memory *segment);

/* queue.c: queues, events, and the order of work. */
enum { STANDIN_USES = 3 };
typedef struct standin_work standin_work;
struct standin_work {
    standin_work *next;
    const char *call;                  /* the function that adds the work */
    bool pinned_too;                   /* the work may use pinned memory, too */
    bool (*ready)(standin_work *work); /* NULL: always ready */
    void (*run)(standin_work *work);
    standin_memory *uses[STANDIN_USES];
};
/* Work of the queue will use `what`, the `bytes` bytes at `from`. Ends the program if they are not
 * in one piece of memory that the queue's device can access. Returns the stand-in's address of
 * them. */
void *standin_use(standin_work *work, const weft_queue *queue, const void *from, size_t bytes,
                  const char *what);
/* Adds a copy of the `bytes` bytes at `work` to the queue, and frees the copy when the work is
 * done. */
void standin_queue_add(weft_queue *queue, const standin_work *work, size_t bytes);

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
