/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device: ranks of one node write the data for other ranks into device memory that all of them can
 * access, and the receivers read the data from there. This is the variant of `shared` for devices.
 * The barrier of the host only shows that a rank has recorded its event in its queue; the queues
 * themselves wait for the events.
 *
 *     rank 0, host                queue               rank 1, host                queue
 *     publish: records its event  ... writes, event   publish: records its event  ... event
 *     barrier: all have           |                   barrier: all have           |
 *     waits for the event of 1    | waits             waits for the event of 0    | waits
 *     goes on at once             reads               goes on at once             reads
 *
 * Two events alternate from one publish to the next, so that no rank records an event again before
 * the others wait for it. Windows of host memory serve only for their barrier; beside each window
 * every rank has a part on its device.
 *
 * Cost: two waits that read P cache lines each, and P events. There are no extra copies where the
 * passes before and after the exchange write to and read from this memory directly.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/finalize.h"
#include "backends/memory/window.h"
#include "backends/weft-backend.h"
#include "kernels/base/digest.h"
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "kernels/device/memory.h"

enum { TURNS = 2, DONE = TURNS, EVENTS = TURNS + 1 };

/* The data about its device memory that each rank sends to the others. */
typedef struct {
    /* Number of the rank's device memory; 0: none. New memory gets a new number. */
    uint64_t generation;
    char memory[WEFT_DEVICE_HANDLE];
    char event[EVENTS][WEFT_DEVICE_HANDLE];
} address;

/* What this process has imported from one rank of a window. */
typedef struct {
    uint64_t generation; /* of the imported memory; 0: nothing is imported, or this rank itself */
    void *part;
    weft_device_event *event[EVENTS]; /* for this rank itself: its own events */
} member;

/* The device memory that belongs to a window of the host, while the ranks use these devices. */
typedef struct parts {
    weft_window *window;
    weft_device device; /* library and number of this rank's device */
    uint64_t devices;   /* the digest of the numbers of all ranks' devices */
    size_t bytes;       /* bytes of this rank's part */
    address mine;
    struct opened *first; /* the plans that use these parts */
    struct parts *next;
    member of[]; /* [ranks] */
} parts;

/* The use of parts by one plan. */
typedef struct opened {
    parts *parts;
    weft_device *device;
    int references;
    struct opened *next; /* the next plan that uses the same parts */
} opened;

/* State of the process. The lock also protects the lists of plans. */
static struct {
    pthread_mutex_t lock;
    parts *parts;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Closes what this process has imported from a rank, if anything. */
static void forget(parts *it, int rank)
{
    member *of = &it->of[rank];
    if (of->generation == 0)
        return;
    if (of->part)
        it->device.library->memory_close(of->part);
    for (int i = 0; i < EVENTS; i++)
        it->device.library->event_destroy(of->event[i]);
    *of = (member){0};
}

static void free_parts(parts *it)
{
    const int before = weft_device_enter(&it->device);
    for (int rank = 0; rank < it->window->ranks; rank++)
        forget(it, rank);
    for (int i = 0; i < EVENTS; i++)
        it->device.library->event_destroy(it->of[it->window->rank].event[i]);
    weft_memory_free_on(&it->device, false, it->of[it->window->rank].part);
    weft_device_leave(&it->device, before);
    free(it);
}

/* Weft's use of MPI ends: no plan runs any more. */
static void end(bool over)
{
    (void)over;
    for (parts *it = process.parts, *next; it; it = next) {
        next = it->next;
        free_parts(it);
    }
    process.parts = NULL;
}

/* The parts for a window and the devices of its ranks: existing ones, or new ones. NULL: no memory.
 */
static parts *find_parts(weft_window *window, const weft_device *device, uint64_t devices)
{
    parts *it = process.parts;
    while (it && !(it->window == window && it->devices == devices))
        it = it->next;
    const size_t bytes = sizeof *it + (size_t)window->ranks * sizeof *it->of;
    if (!it && (it = weft_new(1, bytes, "device memory that ranks share"))) {
        it->window = window;
        it->devices = devices;
        it->device = (weft_device){.library = device->library, .number = device->number};
        it->next = process.parts;
        process.parts = it;
    }
    return it;
}

/* The use of the parts by a plan: an existing one, or a new one. NULL: no memory. */
static opened *find_use(parts *it, weft_device *device)
{
    opened *this = it->first;
    while (this && this->device != device)
        this = this->next;
    if (!this && (this = weft_new(1, sizeof *this, "device memory that ranks share"))) {
        *this = (opened){it, device, 0, it->first};
        it->first = this;
    }
    return this;
}

/* Collective: returns what a plan opens. NULL: no memory on this rank. */
static opened *open_parts(weft_window *window, weft_device *device, MPI_Comm comm)
{
    const int own[] = {window->rank, device->number};
    uint64_t devices = weft_digest_bytes(own, sizeof own);
    MPI_Allreduce(MPI_IN_PLACE, &devices, 1, MPI_UINT64_T, MPI_BXOR, comm);
    pthread_mutex_lock(&process.lock);
    parts *it = find_parts(window, device, devices);
    opened *this = it ? find_use(it, device) : NULL;
    if (this)
        this->references++;
    pthread_mutex_unlock(&process.lock);
    return this;
}

static bool make_events(parts *it)
{
    member *own = &it->of[it->window->rank];
    for (int i = 0; i < EVENTS; i++) {
        if (!own->event[i])
            own->event[i] = it->device.library->event_create(true);
        if (!own->event[i] || !it->device.library->event_export(own->event[i], it->mine.event[i]))
            return false;
    }
    return true;
}

/* Replaces this rank's part by one of `bytes` bytes. No rank has the old part imported any more. */
static bool replace(parts *it, size_t bytes, uint64_t number)
{
    member *own = &it->of[it->window->rank];
    it->mine.generation = 0;
    weft_memory_free_on(&it->device, false, own->part);
    own->part = weft_memory_allocate_on(&it->device, false, bytes);
    if (!own->part || !make_events(it) ||
        !it->device.library->memory_export(own->part, it->mine.memory))
        return false;
    it->bytes = bytes;
    it->mine.generation = number;
    return true;
}

/* Imports the memory and events of another rank, unless already imported. Returns false on failure.
 */
static bool import(parts *it, int rank, const address *theirs)
{
    member *of = &it->of[rank];
    if (of->generation == theirs->generation)
        return true;
    forget(it, rank);
    of->generation = theirs->generation;
    of->part = it->device.library->memory_import(theirs->memory);
    bool ok = of->part;
    for (int i = 0; ok && i < EVENTS; i++)
        ok = (of->event[i] = it->device.library->event_import(theirs->event[i]));
    if (!ok)
        forget(it, rank);
    return ok;
}

/* Waits until the queues of all plans that use these parts are empty. */
static bool settle(const parts *it)
{
    bool ok = true;
    pthread_mutex_lock(&process.lock);
    for (const opened *of = it->first; of; of = of->next)
        ok &= it->device.library->queue_wait(of->device->queue);
    pthread_mutex_unlock(&process.lock);
    return ok;
}

static bool no_memory(const parts *it)
{
    return weft_error("device %d has no memory that ranks can share: %s", it->device.number,
                      it->device.library->why());
}

/* Enlarges this rank's part. On failure the part has its old size again, because other plans may
 * use it. */
static bool enlarge(parts *it, size_t bytes, uint64_t number)
{
    if (replace(it, bytes, number))
        return true;
    no_memory(it);
    if (it->bytes > 0)
        (void)replace(it, it->bytes, number);
    return false;
}

/* Collective: makes sure that this rank's part has `bytes` bytes. To enlarge its part a rank must
 * free the old one; so first the other ranks wait for their queues and close the old part. In the
 * end, also after a failure, each rank has imported the parts that there are. */
static bool reserve(parts *it, MPI_Comm comm, size_t bytes)
{
    const bool larger = !it->mine.generation || bytes > it->bytes;
    const uint64_t number = weft_agree_number(comm);
    address mine = it->mine, *all = weft_new((size_t)it->window->ranks, sizeof *all,
                                             "the device memory of all ranks");
    if (!weft_agree(comm, all)) {
        free(all);
        return false;
    }
    if (larger)
        mine.generation = 0;
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof *all, MPI_BYTE, comm);
    bool ok = settle(it) || no_memory(it);
    for (int rank = 0; rank < it->window->ranks; rank++)
        if (all[rank].generation == 0)
            forget(it, rank);
    ok = weft_agree(comm, ok); /* after this no rank has the old part imported */
    ok = ok && (!larger || enlarge(it, bytes > 0 ? bytes : 1, number));
    MPI_Allgather(&it->mine, sizeof it->mine, MPI_BYTE, all, sizeof *all, MPI_BYTE, comm);
    for (int rank = 0; rank < it->window->ranks; rank++)
        if (rank != it->window->rank && !import(it, rank, &all[rank]))
            ok = weft_error("memory of another rank's device cannot be reached from device %d: %s",
                            it->device.number, it->device.library->why());
    free(all);
    return weft_agree(comm, ok);
}

/* Under the lock: ends the use by a plan. After the last one this closes the imports; this rank's
 * own part stays, because other ranks may use it. */
static void leave_parts(const opened *this)
{
    parts *it = this->parts;
    opened **link = &it->first;
    while (*link != this)
        link = &(*link)->next;
    *link = this->next;
    for (int rank = 0; !it->first && rank < it->window->ranks; rank++)
        forget(it, rank);
}

static void close_parts(void *memory)
{
    opened *this = memory;
    pthread_mutex_lock(&process.lock);
    weft_window *window = process.parts ? this->parts->window : NULL; /* else all has ended */
    if (--this->references == 0) {
        if (window)
            leave_parts(this);
        free(this);
    }
    pthread_mutex_unlock(&process.lock);
    if (window)
        weft_window_close(window);
}

static void *open_on(MPI_Comm comm, size_t bytes, weft_device *device)
{
    static weft_finalizer finalizer = {.end = end};
    weft_window *window = weft_window_open(comm, 1);
    if (!window)
        return NULL; /* on all ranks */
    opened *this = open_parts(window, device, comm);
    if (weft_agree(comm, weft_at_finalize(&finalizer) && this) && reserve(this->parts, comm, bytes))
        return this;
    if (this)
        close_parts(this);
    else
        weft_window_close(window);
    return NULL;
}

static void *part(const void *memory, int rank)
{
    const opened *this = memory;
    return this->parts->of[rank].part;
}

static weft_barrier *barrier_of(const opened *this)
{
    return &this->parts->window->barrier;
}

/* Makes the queue wait for an event of every other rank. For DONE the queue also waits for this
 * rank's own event, because another plan of this rank may have recorded the event in another queue.
 */
static void wait_for_all(const opened *this, int which)
{
    const parts *it = this->parts;
    for (int rank = 0; rank < it->window->ranks; rank++)
        if (rank != it->window->rank || which == DONE)
            weft_device_call(this->device,
                             event_wait_for(it->of[rank].event[which], this->device->queue));
}

static void set(const opened *this, int which)
{
    const parts *it = this->parts;
    weft_device_call(this->device,
                     event_record(it->of[it->window->rank].event[which], this->device->queue));
}

static void begin(void *memory)
{
    weft_barrier_begin(barrier_of(memory));
    wait_for_all(memory, DONE);
}

static void publish(void *memory)
{
    weft_barrier *barrier = barrier_of(memory);
    const int turn = (int)(barrier->count % TURNS);
    set(memory, turn);
    weft_barrier_publish(barrier);
    wait_for_all(memory, turn);
}

static void done(void *memory)
{
    set(memory, DONE);
    weft_barrier_done(barrier_of(memory));
}

static const weft_memory device_windows = {
    .close = close_parts,
    .part = part,
    .begin = begin,
    .publish = publish,
    .done = done,
    .open_on = open_on,
};

const weft_backend weft_backend_device = {
    .version = WEFT_BACKEND_VERSION,
    .name = "device",
    .about = "through device memory that the ranks of a node share",
    .memory = &device_windows,
};
