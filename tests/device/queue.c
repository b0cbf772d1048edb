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

typedef struct stream stream;
struct stream {
    stream *next;
    int device, queues; /* queues: number of queues of the stream */
    bool user_made;     /* false: the default stream of a device */
    standin_work *first, **last;
};

struct weft_queue {
    stream *stream;
    bool adopted;
};

typedef struct {
    atomic_ullong asked, reached;
    atomic_bool wanted; /* another process waits for it */
} moments;

struct weft_device_event {
    moments *at;
    standin_segment segment; /* memory of a shared event; otherwise `at` is from malloc */
    bool shared, imported, destroyed;
    int users;      /* pieces of work that use it */
    stream *stream; /* the stream where it was recorded last */
    weft_device_event *next;
};

enum { PATIENCE = 120 }; /* seconds */

static stream *streams;
static weft_device_event *events;
static int queues_made, events_made;
static int waiting;

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

/* Allocates the stand-in's data; must not fail. */
static void *kept(size_t bytes)
{
    void *it = calloc(1, bytes);
    if (!it)
        standin_die("no memory for its own account");
    return it;
}

/* Streams. */

static stream *stream_make(int device, bool user_made)
{
    stream *it = kept(sizeof *it);
    *it = (stream){.next = streams, .device = device, .user_made = user_made};
    it->last = &it->first;
    return streams = it;
}

static stream *default_stream(int device)
{
    for (stream *it = streams; it; it = it->next)
        if (!it->user_made && it->device == device)
            return it;
    return stream_make(device, false);
}

/* Frees a stream without queues when its work is done. */
static void stream_leave(stream *it)
{
    if (!it->user_made || it->queues || it->first)
        return;
    for (weft_device_event *event = events; event; event = event->next)
        if (event->stream == it)
            event->stream = NULL;
    stream **at = &streams;
    while (*at != it)
        at = &(*at)->next;
    *at = it->next;
    free(it);
}

static bool ready(const stream *it)
{
    return it->first && (!it->first->ready || it->first->ready(it->first));
}

static void do_first(stream *it)
{
    standin_work *work = it->first;
    work->run(work);
    it->first = work->next;
    if (!it->first)
        it->last = &it->first;
    for (int i = 0; i < STANDIN_USES; i++)
        if (work->uses[i])
            work->uses[i]->users--;
    waiting--;
    free(work);
    stream_leave(it);
}

/* Returns a random stream whose next work is ready. */
static stream *any_ready(void)
{
    int count = 0;
    for (stream *it = streams; it; it = it->next)
        count += ready(it);
    int chosen = count ? (int)standin_random((unsigned)count) : 0;
    for (stream *it = streams; it; it = it->next)
        if (ready(it) && chosen-- == 0)
            return it;
    return NULL;
}

/* Chooses the next stream to work for, while a caller waits for `wanted`. */
static stream *next_of(stream *wanted)
{
    bool others = standin_random(4) == 0;
    return wanted && ready(wanted) && !others ? wanted : any_ready();
}

typedef bool is_done(const void *what);

static bool known(const stream *wanted)
{
    for (stream *it = streams; it; it = it->next)
        if (it == wanted)
            return true;
    return false;
}

static void work_until(is_done *done, const void *what, stream *wanted)
{
    double start = now();
    while (!done(what)) {
        stream *next = next_of(known(wanted) ? wanted : NULL);
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

static bool nothing_is_left(const void *what)
{
    return !known(what) || !((const stream *)what)->first;
}

void standin_queue_add(weft_queue *queue, const standin_work *given, size_t bytes)
{
    stream *it = queue->stream;
    standin_work *work = memcpy(kept(bytes), given, bytes);
    work->next = NULL;
    for (int i = 0; i < STANDIN_USES; i++)
        if (work->uses[i])
            work->uses[i]->users++;
    *it->last = work;
    it->last = &work->next;
    waiting++;
}

int standin_queue_device(const weft_queue *queue, const char *call)
{
    if (!queue)
        standin_die("%s without a queue", call);
    int device = queue->stream->device;
    if (device != standin_current())
        standin_die("%s in a queue of device %d while device %d is current", call, device,
                    standin_current());
    return device;
}

/* Queues. */

static weft_queue *hold(stream *its, bool adopted)
{
    weft_queue *queue = kept(sizeof *queue);
    *queue = (weft_queue){its, adopted};
    its->queues++;
    queues_made++;
    return queue;
}

weft_queue *standin_queue_create(void)
{
    STANDIN_LOCKED;
    return standin_goes("queue_create") ? hold(stream_make(standin_current(), true), false) : NULL;
}

weft_queue *standin_queue_adopt(void *its)
{
    STANDIN_LOCKED;
    if (!standin_goes("queue_adopt"))
        return NULL;
    stream *it = its ? its : default_stream(standin_current());
    if (known(it))
        return hold(it, true);
    standin_fails("queue_adopt: this is no stream");
    return NULL;
}

void *standin_queue_stream(weft_queue *queue)
{
    return queue->stream;
}

void standin_queue_destroy(weft_queue *queue)
{
    if (!queue)
        return;
    STANDIN_LOCKED;
    queue->stream->queues--;
    stream_leave(queue->stream);
    queues_made--;
    free(queue);
}

bool standin_queue_wait(weft_queue *queue)
{
    STANDIN_LOCKED;
    bool goes = standin_goes("queue_wait");
    work_until(nothing_is_left, queue->stream, queue->stream);
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
    weft_device_event *event = kept(sizeof *event);
    *event = it;
    event->at = it.shared ? it.segment.at : kept(sizeof *it.at);
    event->next = events;
    if (it.shared)
        serve_others();
    events_made++;
    return events = event;
}

weft_device_event *standin_event_create(bool between_processes)
{
    STANDIN_LOCKED;
    weft_device_event it = {.shared = between_processes};
    if (standin_goes("event_create") &&
        (!between_processes || standin_segment_make(&it.segment, sizeof *it.at)))
        return event_enter(it);
    return NULL;
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
    events_made--;
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
    standin_queue_device(queue, "event_record");
    if (!standin_goes("event_record"))
        return false;
    moment_work it = {.work = {.run = reach}};
    it.moment = atomic_fetch_add(&event->at->asked, 1) + 1;
    event->stream = queue->stream;
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
    standin_queue_device(queue, "event_wait_for");
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
    work_until(reached, event, event->stream);
    return goes;
}

bool standin_event_export(weft_device_event *event, char handle[WEFT_DEVICE_HANDLE])
{
    STANDIN_LOCKED;
    if (!event->shared || event->imported)
        standin_die("event_export of an event that was not made for other processes");
    if (!standin_goes("event_export"))
        return false;
    return standin_segment_write(&event->segment, handle);
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
            if (!reached(it) && it->stream)
                return it;
            if (reached(it))
                atomic_store(&it->at->wanted, false);
        }
    return NULL;
}

/* Does one piece of work at a time: a stream that waits for another process must not stop the
 * others. */
static void *serve(void *argument)
{
    for (;;) {
        standin_lock();
        const weft_device_event *event = wanted_elsewhere();
        stream *next = event ? next_of(known(event->stream) ? event->stream : NULL) : NULL;
        if (next)
            do_first(next);
        standin_unlock();
        if (!next)
            nap(500000);
    }
    return argument;
}

/* Leaks. */

int standin_queue_waiting(void)
{
    return waiting;
}

int standin_queue_left(void)
{
    return queues_made + events_made;
}

void standin_queue_complain(void)
{
    if (queues_made)
        fprintf(stderr, "stand-in device: %d queues are not destroyed\n", queues_made);
    if (events_made)
        fprintf(stderr, "stand-in device: %d events are not destroyed\n", events_made);
    if (waiting)
        fprintf(stderr, "stand-in device: %d pieces of work were never waited for\n", waiting);
}
