/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * direct: posts all messages directly between device memories, for an MPI library that reports
 * support for device memory. This is the variant of `waitall` for devices. Blocks that are not
 * contiguous are packed and unpacked in the queue, so that MPI sees only contiguous bytes. MPI
 * knows nothing of queues, so the host waits for an event in the queue before it posts:
 *
 *     host      packs ...   waits for the event   posts all messages   waits for them   unpacks ...
 *     queue     | .. packs, event | own block |                                        | unpacks
 *
 * Every prepare sends a small test message, to find out whether MPI really supports device memory.
 *
 * Cost: as waitall, without copies through the host, unless MPI itself makes them.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/exchange.h"
#include "backends/messages/blocks.h"
#include "kernels/base/error.h"
#include "kernels/device/memory.h"

enum { TRIAL = 512 /* bytes */ };

typedef struct {
    weft_message_blocks blocks;
    weft_device *device;
    weft_device_event *packed;
    MPI_Request *request; /* [2 * ranks] the receives, then the sends */
    int *peer;            /* [ranks] the source of each receive */
    int receives, all;    /* numbers of receives and of all messages now under way */
    MPI_Status *ignored;  /* MPI_STATUSES_IGNORE, which gcc takes for an array that is too small */
} messages;

/* Finds a function of the MPI library in use, also where the program has loaded that library
 * without making its symbols global. */
static void *function_of_mpi(const char *name)
{
    Dl_info info;
    void *found = dlsym(RTLD_DEFAULT, name);
    if (found || !dladdr(dlsym(RTLD_DEFAULT, "MPI_Init"), &info))
        return found;
    void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library) {
        found = dlsym(library, name);
        dlclose(library); /* the library stays loaded, because others use it */
    }
    return found;
}

static const char *applicable(const weft_exchange *exchange, int value)
{
    (void)value;
    const weft_device *device = weft_base(exchange)->device;
    return device->library->mpi_reaches(function_of_mpi)
               ? NULL
               : "this MPI does not say that it knows memory of a device";
}

static void release(void *state)
{
    messages *it = state;
    if (!it)
        return;
    weft_message_blocks_release(&it->blocks);
    if (it->packed)
        it->device->library->event_destroy(it->packed);
    free(it->request);
    free(it->peer);
    free(it);
}

/* Sends a message from the first half of this rank's test memory to the second half of the next
 * rank's. */
static bool try_message(const weft_exchange *exchange, weft_device *device, char *there, char *here)
{
    const weft_device_library *library = device->library;
    const int next = weft_step_to(exchange, 1), last = weft_step_from(exchange, 1);
    MPI_Request request[2];
    MPI_Irecv(there + TRIAL, TRIAL, MPI_BYTE, last, exchange->tag, exchange->comm, &request[0]);
    MPI_Isend(there, TRIAL, MPI_BYTE, next, exchange->tag, exchange->comm, &request[1]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    bool ok = library->copy(here, there + TRIAL, TRIAL, device->queue) &&
              library->queue_wait(device->queue);
    for (int i = 0; ok && i < TRIAL; i++)
        ok = here[i] == (char)(i + last);
    return ok;
}

/* Collective over the exchange's ranks: whether a test message between devices arrives intact. */
static bool messages_arrive(const weft_exchange *exchange, weft_device *device)
{
    const weft_device_library *library = device->library;
    char *there = weft_memory_kind_allocate(weft_memory_kind_of(device), 2 * (size_t)TRIAL);
    char *here = weft_memory_kind_allocate(weft_memory_kind_pinned(device), TRIAL);
    bool ok = there && here;
    for (int i = 0; ok && i < TRIAL; i++)
        here[i] = (char)(i + exchange->rank);
    ok = ok && library->copy(there, here, TRIAL, device->queue) &&
         library->queue_wait(device->queue);
    if (!ok)
        weft_error("no test message could be sent from device %d: %s", device->number,
                   library->why());
    if (weft_agree(exchange->comm, ok)) {
        ok = try_message(exchange, device, there, here);
        if (!ok)
            weft_error("MPI reports that it supports device memory, but a test message from device "
                       "%d arrived damaged",
                       device->number);
        ok = weft_agree(exchange->comm, ok);
    } else {
        ok = false;
    }
    weft_memory_kind_free(weft_memory_kind_pinned(device), here);
    weft_memory_kind_free(weft_memory_kind_of(device), there);
    return ok;
}

static messages *make(const weft_exchange *exchange, weft_device *device)
{
    const size_t ranks = (size_t)exchange->ranks;
    messages *it = calloc(1, sizeof *it);
    if (!it)
        goto fail;
    it->device = device;
    it->ignored = MPI_STATUSES_IGNORE;
    it->request = calloc(2 * ranks, sizeof *it->request);
    it->peer = calloc(ranks, sizeof *it->peer);
    if (!it->request || !it->peer ||
        !weft_message_blocks_prepare(&it->blocks, exchange, WEFT_BLOCKS_BOTH))
        goto fail;
    it->packed = device->library->event_create(false);
    if (it->packed)
        return it;
    weft_error("no event for messages of the device could be made: %s", device->library->why());
    release(it);
    return NULL;
fail:
    weft_error("no memory for the messages of %d ranks", exchange->ranks);
    release(it);
    return NULL;
}

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    weft_device *device = weft_base(exchange)->device;
    messages *it = make(exchange, device);
    /* A rank that has failed still takes part in the test, because the others would wait for it. */
    if (messages_arrive(exchange, device) && it) {
        *workspace = (size_t)weft_message_blocks_place_groups(&it->blocks, exchange->ranks - 1);
        return it;
    }
    release(it);
    return NULL;
}

static void pack(messages *it, const void *in, void *out, void *workspace)
{
    weft_device *device = it->device;
    weft_message_blocks_begin(&it->blocks, in, out, workspace);
    for (int step = 1; step < it->blocks.exchange->ranks; step++) {
        const int to = weft_step_to(it->blocks.exchange, step);
        if (it->blocks.send[to].bytes)
            weft_message_pack(&it->blocks, to, in, workspace);
    }
    if (!device->failed)
        weft_device_record(device, device->library->event_record(it->packed, device->queue));
    weft_message_blocks_own(&it->blocks, in, out);
    if (!device->failed)
        weft_device_record(device, device->library->event_await(it->packed));
}

/* The address of a message that is ready to send. */
static const void *packed_at(const messages *it, int to, const void *in, const void *workspace)
{
    const weft_message_block *message = &it->blocks.send[to];
    return message->copy ? (const char *)workspace + message->place
                         : (const char *)in + message->begin;
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    messages *it = state;
    const weft_exchange *exchange = it->blocks.exchange;
    MPI_Datatype type;
    int count;
    pack(it, in, out, workspace);
    it->receives = 0;
    for (int step = 1; step < exchange->ranks; step++) {
        const int from = weft_step_from(exchange, step);
        if (!it->blocks.receive[from].bytes)
            continue;
        it->peer[it->receives] = from;
        type = weft_message_datatype(&it->blocks, false, from, &count);
        MPI_Irecv(weft_message_target(&it->blocks, from, out, workspace), count, type, from,
                  exchange->tag, exchange->comm, &it->request[it->receives++]);
    }
    it->all = it->receives;
    for (int step = 1; step < exchange->ranks; step++) {
        const int to = weft_step_to(exchange, step);
        if (!it->blocks.send[to].bytes)
            continue;
        type = weft_message_datatype(&it->blocks, true, to, &count);
        MPI_Isend(packed_at(it, to, in, workspace), count, type, to, exchange->tag, exchange->comm,
                  &it->request[it->all++]);
    }
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    (void)in;
    messages *it = state;
    MPI_Waitall(it->all, it->request, it->ignored);
    for (int i = 0; i < it->receives; i++)
        weft_message_unpack(&it->blocks, it->peer[i], out, workspace);
}

static int test(void *state)
{
    const messages *it = state;
    return weft_requests_done(it->request, it->all);
}

const weft_backend weft_backend_direct = {
    .version = WEFT_BACKEND_VERSION,
    .name = "direct",
    .about = "messages from device to device, by an MPI that knows their memory",
    .on_device = 1,
    .overlaps = 1,
    .cost = &(const weft_backend_cost){.sweeps = 1, .at_once = 1, .unpack_lag = 1},
    .applicable = applicable,
    .prepare = prepare,
    .start = start,
    .finish = finish,
    .release = release,
    .test = test,
};
