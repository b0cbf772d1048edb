/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues of the stand-in: lists of work. A caller that waits does the work: of one queue in order,
 * of several queues in any order. A thread does the work that another process waits for, so that a
 * queue advances while its program does something else, as on a device.
 *
 * An event counts how often it was recorded, and how often its queues have reached it:
 *
 *     asked 3, reached 2     the third time is still in a queue; who waits now waits for 3
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tests/device/inside.h"

/* A queue is a stream; several queues of a stream have the same address. */
struct weft_queue {
    weft_queue *next;
    int device, users; /* users: how often it was created or adopted and not destroyed */
    bool user_made;    /* false: the default stream of a device */
    standin_work *first, **last;
};

typedef struct {
    atomic_ullong asked, reached;
    atomic_bool wanted; /* another process waits for it */
} moments;

struct weft_device_event {
    moments *at;
    standin_memory segment; /* memory of a shared event; otherwise `at` is from malloc */
    bool shared, imported, destroyed;
    int users;         /* pieces of work that use it */
    weft_queue *queue; /* the queue where it was recorded last */
    weft_device_event *next;
};

enum { PATIENCE = 120 }; /* seconds */

static weft_queue *queues; /* all queues; one that is destroyed is used again */
static weft_device_event *events;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void nap(long nanoseconds)
{
    nanosleep(&(struct timespec){0, nanoseconds}, NULL);
}

/* The order of work. */

static bool ready(const weft_queue *it)
{
    return it->first && (!it->first->ready || it->first->ready(it->first));
}

static void do_first(weft_queue *it)
{
    standin_work *work = it->first;
    work->run(work);
    it->first = work->next;
    if (!it->first)
        it->last = &it->first;
    for (int i = 0; i < STANDIN_USES; i++)
        if (work->uses[i])
            work->uses[i]->users--;
    standin_count[STANDIN_WAITING]--;
    free(work);
}

/* Returns a random queue whose next work is ready. */
static weft_queue *any_ready(void)
{
    int count = 0;
    for (weft_queue *it = queues; it; it = it->next)
        count += ready(it);
    int chosen = count ? (int)standin_random((unsigned)count) : 0;
    for (weft_queue *it = queues; it; it = it->next)
        if (ready(it) && chosen-- == 0)
            return it;
    return NULL;
}

/* Chooses the next queue to work for, while a caller waits for `wanted`. */
static weft_queue *next_of(weft_queue *wanted)
{
    bool others = standin_random(4) == 0;
    return wanted && ready(wanted) && !others ? wanted : any_ready();
}

static void work_until(bool (*done)(const void *what), const void *what, weft_queue *wanted)
{
    double start = now();
    while (!done(what)) {
        weft_queue *next = next_of(wanted);
        if (next) {
            do_first(next);
            continue;
        }
        standin_unlock();
        nap(50000);
        standin_lock();
        if (now() - start > PATIENCE)
            standin_die("waited %d s for an event that no queue reaches", PATIENCE);
    }
}

void standin_queue_add(weft_queue *queue, const standin_work *given, size_t bytes)
{
    standin_work *work = memcpy(standin_new(bytes), given, bytes);
    for (int i = 0; i < STANDIN_USES; i++)
        if (work->uses[i])
            work->uses[i]->users++;
    *queue->last = work;
    queue->last = &work->next;
    standin_count[STANDIN_WAITING]++;
}

static void check_device(const weft_queue *queue, const char *call)
{
    if (!queue || queue->device != standin_current())
        standin_die("%s in a queue of device %d while device %d is current", call,
                    queue ? queue->device : -1, standin_current());
}

void *standin_use(standin_work *work, const weft_queue *queue, const void *from, size_t bytes,
                  const char *what)
{
    standin_memory *it = standin_memory_find(from);
    check_device(queue, work->call);
    if (!it || (it->kind == STANDIN_PINNED && !work->pinned_too))
        standin_die("%s: %s, at %p, is no memory of a device%s", work->call, what, from,
                    work->pinned_too ? ", nor pinned" : "");
    if (it->released)
        standin_die("%s: %s is released memory", work->call, what);
    const size_t before = (size_t)((const char *)from - it->outside);
    if (before > it->bytes || bytes > it->bytes - before)
        standin_die("%s: %s needs %zu bytes from byte %zu of memory of %zu", work->call, what,
                    bytes, before, it->bytes);
    if (it->kind == STANDIN_MEMORY && it->device != queue->device)
        standin_die("%s: %s is memory of device %d, the queue of device %d", work->call, what,
                    it->device, queue->device);
    int i = 0;
    while (work->uses[i])
        i++;
    work->uses[i] = it;
    return it->inside + before;
}

/* Queues. */

/* Returns a queue of the device without users, or the default stream. */
static weft_queue *find(int device, bool user_made)
{
    weft_queue *it = queues;
    while (it && (it->device != device || it->user_made != user_made ||
                  (user_made && (it->users || it->first))))
        it = it->next;
    if (it)
        return it;
    it = standin_new(sizeof *it);
    *it = (weft_queue){.next = queues, .device = device, .user_made = user_made};
    it->last = &it->first;
    return queues = it;
}

static weft_queue *hold(weft_queue *queue)
{
    queue->users++;
    standin_count[STANDIN_QUEUES]++;
    return queue;
}

weft_queue *standin_queue_create(void)
{
    STANDIN_LOCKED;
    return standin_goes("queue_create") ? hold(find(standin_current(), true)) : NULL;
}

weft_queue *standin_queue_adopt(void *stream)
{
    STANDIN_LOCKED;
    return standin_goes("queue_adopt") ? hold(stream ? stream : find(standin_current(), false))
                                       : NULL;
}

void *standin_queue_stream(weft_queue *queue)
{
    return queue;
}

void standin_queue_destroy(weft_queue *queue)
{
    if (!queue)
        return;
    STANDIN_LOCKED;
    queue->users--;
    standin_count[STANDIN_QUEUES]--;
}

static bool is_empty(const void *queue)
{
    return !((const weft_queue *)queue)->first;
}

bool standin_queue_wait(weft_queue *queue)
{
    STANDIN_LOCKED;
    bool goes = standin_goes("queue_wait");
    work_until(is_empty, queue, queue);
    return goes;
}

/* Events. */

static bool reached(const void *what)
{
    const weft_device_event *event = what;
    return atomic_load(&event->at->reached) >= atomic_load(&event->at->asked);
}

static void *serve(void *argument);

static void serve_others(void)
{
    static pid_t served; /* a thread does not exist after fork */
    pthread_t thread;
    if (served != getpid() && pthread_create(&thread, NULL, serve, NULL) == 0) {
        pthread_detach(thread);
        served = getpid();
    }
}

static weft_device_event *event_enter(weft_device_event it)
{
    weft_device_event *event = standin_new(sizeof *event);
    *event = it;
    event->at = it.shared ? (moments *)(void *)it.segment.inside : standin_new(sizeof *it.at);
    event->next = events;
    if (it.shared)
        serve_others();
    standin_count[STANDIN_EVENTS]++;
    return events = event;
}

weft_device_event *standin_event_create(bool between_processes)
{
    STANDIN_LOCKED;
    weft_device_event it = {.shared = between_processes};
    if (!standin_goes("event_create"))
        return NULL;
    if (between_processes)
        standin_segment_make(&it.segment, sizeof *it.at);
    return event_enter(it);
}

/* Frees a destroyed event when no work uses it. */
static void event_leave(weft_device_event *event)
{
    if (!event->destroyed || event->users)
        return;
    weft_device_event **at = &events;
    while (*at != event)
        at = &(*at)->next;
    *at = event->next;
    if (event->shared)
        standin_segment_close(&event->segment);
    else
        free(event->at);
    free(event);
}

void standin_event_destroy(weft_device_event *event)
{
    if (!event)
        return;
    STANDIN_LOCKED;
    if (event->destroyed)
        standin_die("event_destroy of an event that is destroyed already");
    event->destroyed = true;
    standin_count[STANDIN_EVENTS]--;
    event_leave(event);
}

typedef struct {
    standin_work work;
    weft_device_event *event;
    unsigned long long moment;
} moment_work;

static void add_moment(weft_device_event *event, weft_queue *queue, moment_work it)
{
    it.event = event;
    event->users++;
    standin_queue_add(queue, &it.work, sizeof it);
}

static void forget(weft_device_event *event)
{
    event->users--;
    event_leave(event);
}

static void reach(standin_work *work)
{
    const moment_work *it = (const moment_work *)work;
    unsigned long long before = atomic_load(&it->event->at->reached);
    if (before < it->moment)
        atomic_store(&it->event->at->reached, it->moment);
    forget(it->event);
}

bool standin_event_record(weft_device_event *event, weft_queue *queue)
{
    STANDIN_LOCKED;
    check_device(queue, "event_record");
    if (!standin_goes("event_record"))
        return false;
    moment_work it = {.work = {.run = reach}};
    it.moment = atomic_fetch_add(&event->at->asked, 1) + 1;
    event->queue = queue;
    add_moment(event, queue, it);
    return true;
}

static bool moment_came(standin_work *work)
{
    const moment_work *it = (const moment_work *)work;
    if (atomic_load(&it->event->at->reached) >= it->moment)
        return true;
    atomic_store(&it->event->at->wanted, true);
    return false;
}

static void pass_by(standin_work *work)
{
    forget(((moment_work *)work)->event);
}

bool standin_event_wait_for(weft_device_event *event, weft_queue *queue)
{
    STANDIN_LOCKED;
    check_device(queue, "event_wait_for");
    if (!standin_goes("event_wait_for"))
        return false;
    moment_work it = {.work = {.ready = moment_came, .run = pass_by}};
    it.moment = atomic_load(&event->at->asked);
    add_moment(event, queue, it);
    return true;
}

bool standin_event_await(weft_device_event *event)
{
    STANDIN_LOCKED;
    bool goes = standin_goes("event_await");
    if (!reached(event))
        atomic_store(&event->at->wanted, true);
    work_until(reached, event, event->queue);
    return goes;
}

bool standin_event_export(weft_device_event *event, char handle[WEFT_DEVICE_HANDLE])
{
    STANDIN_LOCKED;
    if (!event->shared || event->imported)
        standin_die("event_export of an event that was not made for other processes");
    if (!standin_goes("event_export"))
        return false;
    standin_segment_write(&event->segment, handle);
    return true;
}

weft_device_event *standin_event_import(const char handle[WEFT_DEVICE_HANDLE])
{
    STANDIN_LOCKED;
    weft_device_event it = {.shared = true, .imported = true};
    if (standin_goes("event_import") && standin_segment_open(&it.segment, handle))
        return event_enter(it);
    return NULL;
}

/* For other processes. */

static weft_device_event *wanted_elsewhere(void)
{
    for (weft_device_event *it = events; it; it = it->next)
        if (it->shared && atomic_load(&it->at->wanted)) {
            if (!reached(it) && it->queue)
                return it;
            if (reached(it))
                atomic_store(&it->at->wanted, false);
        }
    return NULL;
}

/* Does one piece of work at a time: a queue that waits for another process must not stop the
 * others. */
static void *serve(void *argument)
{
    for (;;) {
        standin_lock();
        const weft_device_event *event = wanted_elsewhere();
        weft_queue *next = event ? next_of(event->queue) : NULL;
        if (next)
            do_first(next);
        standin_unlock();
        if (!next)
            nap(500000);
    }
    return argument;
}
