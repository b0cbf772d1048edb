/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues of the stand-in: lists of work that somebody does only once somebody waits, in the order
 * of each, and between them in any order. Who waits works himself. What another process waits for
 * is done by a thread of this one, which looks now and then whether there is such a thing: as on a
 * device, a queue gets on though its program does something else.
 *
 * A mark counts how often it was set, when it was asked, and how far its queues came:
 *
 *     asked 3, reached 2     the third time is still in a queue; who waits now waits for 3
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "tests/device/inside.h"

typedef struct stream stream;
struct stream {
    stream *next;
    int device, queues; /* that have adopted it, or made it */
    bool user_made;     /* false: the default stream of a device */
    standin_work *first, **last;
};

struct weft_queue {
    stream *stream;
    bool adopted;
};

typedef struct {
    atomic_ullong asked, reached;
    atomic_bool wanted; /* by another process */
} moments;

struct weft_mark {
    moments *at;
    standin_segment segment; /* between processes, else at is malloc's */
    bool shared, imported, destroyed;
    int users;      /* pieces of work */
    stream *stream; /* where it was set last */
    weft_mark *next;
};

static stream *streams;
static weft_mark *marks;
static int queues_made, marks_made;
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

/* A little account of its own must not fail. */
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

/* One that nobody holds goes when its work is done. */
static void stream_leave(stream *it)
{
    if (!it->user_made || it->queues || it->first)
        return;
    for (weft_mark *mark = marks; mark; mark = mark->next)
        if (mark->stream == it)
            mark->stream = NULL;
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

/* Any stream that can go on. */
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

/* What is done next while somebody waits for `wanted`. */
static stream *next_of(stream *wanted)
{
    bool others = !standin_is.late && standin_random(4) == 0;
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
        if (now() - start > (double)standin_is.patience)
            standin_die("waited %ld s for a mark that nobody reaches", standin_is.patience);
    }
}

static bool nothing_is_left(const void *what)
{
    return !known(what) || !((const stream *)what)->first;
}

void standin_queue_add(weft_queue *queue, standin_work *work)
{
    stream *it = queue->stream;
    work->next = NULL;
    for (int i = 0; i < STANDIN_USES; i++)
        if (work->uses[i])
            work->uses[i]->users++;
    *it->last = work;
    it->last = &work->next;
    waiting++;
    if (standin_is.now)
        work_until(nothing_is_left, it, it);
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
    standin_lock();
    weft_queue *queue = NULL;
    if (standin_goes("queue_create"))
        queue = hold(stream_make(standin_current(), true), false);
    standin_unlock();
    return queue;
}

weft_queue *standin_queue_adopt(void *its)
{
    standin_lock();
    weft_queue *queue = NULL;
    if (standin_goes("queue_adopt")) {
        stream *it = its ? its : default_stream(standin_current());
        if (!known(it))
            standin_fails("queue_adopt: this is no stream");
        else
            queue = hold(it, true);
    }
    standin_unlock();
    return queue;
}

void *standin_queue_stream(weft_queue *queue)
{
    return queue->stream;
}

void standin_queue_destroy(weft_queue *queue)
{
    if (!queue)
        return;
    standin_lock();
    queue->stream->queues--;
    stream_leave(queue->stream);
    queues_made--;
    free(queue);
    standin_unlock();
}

bool standin_queue_wait(weft_queue *queue)
{
    standin_lock();
    bool goes = standin_goes("queue_wait");
    work_until(nothing_is_left, queue->stream, queue->stream);
    standin_unlock();
    return goes;
}

/* Marks. */

static bool reached(const void *what)
{
    const weft_mark *mark = what;
    return atomic_load(&mark->at->reached) >= atomic_load(&mark->at->asked);
}

static void *serve(void *argument);

static void serve_others(void)
{
    static pid_t served; /* a thread is not there any more after fork */
    pthread_t thread;
    if (served != getpid() && pthread_create(&thread, NULL, serve, NULL) == 0) {
        pthread_detach(thread);
        served = getpid();
    }
}

static weft_mark *mark_enter(weft_mark it)
{
    weft_mark *mark = kept(sizeof *mark);
    *mark = it;
    mark->next = marks;
    marks_made++;
    return marks = mark;
}

weft_mark *standin_mark_create(bool between_processes)
{
    standin_lock();
    weft_mark *mark = NULL;
    weft_mark it = {.shared = between_processes};
    if (standin_goes("mark_create")) {
        if (!between_processes) {
            it.at = kept(sizeof *it.at);
            mark = mark_enter(it);
        } else if (standin_segment_make(&it.segment, sizeof *it.at)) {
            it.at = it.segment.at;
            mark = mark_enter(it);
            serve_others();
        }
    }
    standin_unlock();
    return mark;
}

/* One that is destroyed goes when no work needs it any more. */
static void mark_leave(weft_mark *mark)
{
    if (!mark->destroyed || mark->users)
        return;
    weft_mark **at = &marks;
    while (*at != mark)
        at = &(*at)->next;
    *at = mark->next;
    if (mark->shared)
        standin_segment_close(&mark->segment);
    else
        free(mark->at);
    free(mark);
}

void standin_mark_destroy(weft_mark *mark)
{
    if (!mark)
        return;
    standin_lock();
    if (mark->destroyed)
        standin_die("mark_destroy of a mark that is destroyed already");
    mark->destroyed = true;
    marks_made--;
    mark_leave(mark);
    standin_unlock();
}

typedef struct {
    standin_work work;
    weft_mark *mark;
    unsigned long long moment;
} moment_work;

static void add_moment(weft_mark *mark, weft_queue *queue, moment_work it)
{
    moment_work *work = kept(sizeof *work);
    *work = it;
    work->mark = mark;
    mark->users++;
    standin_queue_add(queue, &work->work);
}

static void forget(weft_mark *mark)
{
    mark->users--;
    mark_leave(mark);
}

static void reach(standin_work *work)
{
    const moment_work *it = (const moment_work *)work;
    unsigned long long before = atomic_load(&it->mark->at->reached);
    if (before < it->moment)
        atomic_store(&it->mark->at->reached, it->moment);
    forget(it->mark);
}

bool standin_mark_set(weft_mark *mark, weft_queue *queue)
{
    standin_lock();
    standin_queue_device(queue, "mark_set");
    bool goes = standin_goes("mark_set");
    if (goes) {
        moment_work it = {.work = {.run = reach}};
        it.moment = atomic_fetch_add(&mark->at->asked, 1) + 1;
        mark->stream = queue->stream;
        add_moment(mark, queue, it);
    }
    standin_unlock();
    return goes;
}

static bool moment_came(standin_work *work)
{
    const moment_work *it = (const moment_work *)work;
    if (atomic_load(&it->mark->at->reached) >= it->moment)
        return true;
    atomic_store(&it->mark->at->wanted, true);
    return false;
}

static void pass_by(standin_work *work)
{
    forget(((moment_work *)work)->mark);
}

bool standin_mark_wait_for(weft_mark *mark, weft_queue *queue)
{
    standin_lock();
    standin_queue_device(queue, "mark_wait_for");
    bool goes = standin_goes("mark_wait_for");
    if (goes) {
        moment_work it = {.work = {.ready = moment_came, .run = pass_by}};
        it.moment = atomic_load(&mark->at->asked);
        add_moment(mark, queue, it);
    }
    standin_unlock();
    return goes;
}

bool standin_mark_await(weft_mark *mark)
{
    standin_lock();
    bool goes = standin_goes("mark_await");
    if (!reached(mark))
        atomic_store(&mark->at->wanted, true);
    work_until(reached, mark, mark->stream);
    standin_unlock();
    return goes;
}

bool standin_mark_export(weft_mark *mark, char handle[WEFT_DEVICE_HANDLE])
{
    standin_lock();
    if (!mark->shared || mark->imported)
        standin_die("mark_export of a mark that was not made for other processes");
    bool goes = standin_goes("mark_export");
    if (goes && standin_is.no_export)
        goes = standin_fails("mark_export: refused here");
    goes = goes && standin_segment_tell(&mark->segment, handle);
    standin_unlock();
    return goes;
}

weft_mark *standin_mark_import(const char handle[WEFT_DEVICE_HANDLE])
{
    standin_lock();
    weft_mark *mark = NULL;
    weft_mark it = {.shared = true, .imported = true};
    if (standin_goes("mark_import") && standin_segment_open(&it.segment, handle)) {
        it.at = it.segment.at;
        mark = mark_enter(it);
        serve_others();
    }
    standin_unlock();
    return mark;
}

/* For other processes. */

static weft_mark *wanted_elsewhere(void)
{
    for (weft_mark *it = marks; it; it = it->next)
        if (it->shared && atomic_load(&it->at->wanted)) {
            if (!reached(it) && it->stream)
                return it;
            if (reached(it))
                atomic_store(&it->at->wanted, false);
        }
    return NULL;
}

/* One piece of work at a time: a stream that waits for yet another process must not keep the rest
 * from going on. */
static void *serve(void *argument)
{
    for (;;) {
        standin_lock();
        const weft_mark *mark = wanted_elsewhere();
        stream *next = mark ? next_of(known(mark->stream) ? mark->stream : NULL) : NULL;
        if (next)
            do_first(next);
        standin_unlock();
        if (!next)
            nap(500000);
    }
    return argument;
}

/* What is left. */

int standin_queue_waiting(void)
{
    return waiting;
}

int standin_queue_left(void)
{
    return queues_made + marks_made;
}

void standin_queue_complain(void)
{
    if (queues_made)
        fprintf(stderr, "stand-in device: %d queues are not destroyed\n", queues_made);
    if (marks_made)
        fprintf(stderr, "stand-in device: %d marks are not destroyed\n", marks_made);
    if (waiting)
        fprintf(stderr, "stand-in device: %d pieces of work were never waited for\n", waiting);
}
