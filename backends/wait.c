/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * waitall: posts all messages, then calls MPI_Waitall once. waitsome: the same, but unpacks each
 * block as soon as it has arrived. waitall/b, waitsome/b: the same in groups of b ranks, as in
 * OpenFFT. pairwise: one rank at a time, as in FFTW and OpenFFT. direct: waitall between device
 * memories.
 *
 *     step      1      2    ...    b     b + 1   ...   P - 1     step i sends to rank + i and
 *             |------ group 1 ------|  |----- group 2 ----- ...  receives from rank - i
 *
 * All messages of a group are under way at a time. One group follows the other, and all groups use
 * the same workspace. Receives are posted before anything is packed, so that MPI need not buffer
 * early messages. Each message leaves as soon as it is packed, and the own block is copied while
 * messages travel. Only the messages of the first group travel between start and finish.
 *
 * Cost: (P - 1) a + (P - 1) / P n / B, with latency a, B bytes per second and P ranks of n bytes
 * each; all messages of a group compete for the network. waitsome hides the unpacking where the
 * network is slower than the unpacking. It unpacks in the order of arrival, and calls MPI_Waitsome
 * several times. With pairwise every rank communicates with only two others at a time, so the
 * network is never crowded, and the workspace is one message each way; but a slow step delays all
 * steps after it.
 *
 * direct needs an MPI library that reports support for device memory. MPI knows nothing of queues,
 * so the host waits for an event in the queue before it posts the messages:
 *
 *     host      packs ...   waits for the event   posts all messages   waits for them   unpacks ...
 *     queue     | .. packs, event | own block |                                        | unpacks
 *
 * Every prepare sends a small test message, to find out whether MPI really supports device memory.
 */
#include <dlfcn.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/exchange.h"
#include "backends/messages/blocks.h"
#include "kernels/base/error.h"

enum { DEFAULT_GROUP = 32 /* ranks */, TRIAL = 512 /* bytes of a test message */ };

typedef struct {
    weft_message_blocks blocks;
    int group;                 /* number of steps under way at a time */
    int steps;                 /* ranks - 1 */
    int *peer;                 /* [group] the source of each receive */
    int *arrived;              /* [group] indices returned by MPI_Waitsome */
    weft_device_event *packed; /* direct only */
} posted;

static posted *prepare(const weft_exchange *exchange, int group, unsigned flags, size_t *workspace)
{
    posted *made = weft_messages_make(sizeof *made, exchange, WEFT_BLOCKS_BOTH | flags);
    if (!made)
        return NULL;
    weft_message_blocks *blocks = &made->blocks;
    made->steps = exchange->ranks - 1;
    made->group = group < made->steps ? group : made->steps;
    const size_t places = (size_t)made->group;
    blocks->request = weft_message_new(blocks, 2 * places, sizeof *blocks->request);
    made->peer = weft_message_new(blocks, places, sizeof *made->peer);
    made->arrived = weft_message_new(blocks, places, sizeof *made->arrived);
    *workspace = (size_t)weft_message_blocks_place_groups(blocks, made->group);
    return weft_messages_made(made);
}

static void *prepare_all(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    return prepare(exchange, exchange->ranks, 0, workspace);
}

static void *prepare_groups(const weft_exchange *exchange, int value, size_t *workspace)
{
    return prepare(exchange, value > 0 ? value : DEFAULT_GROUP, 0, workspace);
}

static void *prepare_pairs(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    return prepare(exchange, 1, 0, workspace);
}

/* Posts all messages of the group of steps that begins with `first`. */
static void post(posted *made, int first, const void *in, void *out, void *workspace)
{
    weft_message_blocks *blocks = &made->blocks;
    int end = made->group < made->steps + 1 - first ? first + made->group : made->steps + 1;
    blocks->receives = blocks->sends = 0;
    for (int step = first; step < end; step++) {
        const int from = weft_step_from(blocks->exchange, step);
        const weft_message message = weft_message_of_block(blocks, false, from);
        if (!message.bytes)
            continue;
        made->peer[blocks->receives] = from;
        weft_message_receive(blocks, &message, weft_message_target(blocks, from, out, workspace));
    }
    for (int step = first; step < end; step++) {
        const int to = weft_step_to(blocks->exchange, step);
        const weft_message message = weft_message_of_block(blocks, true, to);
        if (message.bytes)
            weft_message_send(blocks, &message, weft_message_pack(blocks, to, in, workspace));
    }
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    posted *made = state;
    weft_message_blocks_begin(&made->blocks, in, out, workspace);
    post(made, 1, in, out, workspace);
    weft_message_blocks_own(&made->blocks, in, out);
}

static void receive_all(posted *made, void *out, void *workspace)
{
    const weft_message_blocks *blocks = &made->blocks;
    MPI_Waitall(blocks->receives, blocks->request, blocks->ignored);
    for (int i = 0; i < blocks->receives; i++)
        weft_message_unpack(blocks, made->peer[i], out, workspace);
}

static void receive_some(posted *made, void *out, void *workspace)
{
    const weft_message_blocks *blocks = &made->blocks;
    for (int left = blocks->receives, arrived; left > 0; left -= arrived) {
        MPI_Waitsome(blocks->receives, blocks->request, &arrived, made->arrived, blocks->ignored);
        for (int i = 0; i < arrived; i++)
            weft_message_unpack(blocks, made->peer[made->arrived[i]], out, workspace);
    }
}

/* Completes the group that start has posted, then runs the other groups one after another. */
static void finish(posted *made, const void *in, void *out, void *workspace,
                   void (*receive)(posted *made, void *out, void *workspace))
{
    for (int first = 1; first <= made->steps; first += made->group) {
        if (first > 1)
            post(made, first, in, out, workspace);
        receive(made, out, workspace);
        weft_messages_wait(&made->blocks);
    }
}

static void finish_all(void *state, const void *in, void *out, void *workspace)
{
    finish(state, in, out, workspace, receive_all);
}

static void finish_some(void *state, const void *in, void *out, void *workspace)
{
    finish(state, in, out, workspace, receive_some);
}

static const char *applicable_groups(const weft_exchange *exchange, int value)
{
    (void)exchange;
    return value < 0 ? "a group has at least 1 rank" : NULL;
}

static int values(const weft_exchange *exchange, int *value, int most)
{
    int number = 0;
    if (most > 0)
        value[number++] = DEFAULT_GROUP;
    /* Groups of all ranks or more behave alike: the default stands for all of them. */
    for (int group = 128; group >= 2 && number < most; group /= 2)
        if (group != DEFAULT_GROUP && group < exchange->ranks - 1)
            value[number++] = group;
    return number;
}

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

static const char *applicable_direct(const weft_exchange *exchange, int value)
{
    (void)value;
    const weft_device *device = weft_base(exchange)->device;
    return device->library->mpi_reaches(function_of_mpi)
               ? NULL
               : "this MPI does not say that it knows memory of a device";
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
    ok = weft_agree(exchange->comm, ok);
    if (ok) {
        ok = try_message(exchange, device, there, here);
        if (!ok)
            weft_error("MPI reports that it supports device memory, but a test message from device "
                       "%d arrived damaged",
                       device->number);
        ok = weft_agree(exchange->comm, ok);
    }
    weft_memory_kind_free(weft_memory_kind_pinned(device), here);
    weft_memory_kind_free(weft_memory_kind_of(device), there);
    return ok;
}

static void release_direct(void *state)
{
    posted *made = state;
    if (made && made->packed)
        weft_base(made->blocks.exchange)->device->library->event_destroy(made->packed);
    weft_messages_release(made);
}

static void *prepare_direct(const weft_exchange *exchange, int value, size_t *workspace)
{
    weft_device *device = weft_base(exchange)->device;
    posted *made = prepare(exchange, exchange->ranks, WEFT_BLOCKS_EARLY, workspace);
    (void)value;
    if (made) {
        made->packed = device->library->event_create(false);
        if (!made->packed)
            weft_error("no event for messages of the device could be made: %s",
                       device->library->why());
    }
    /* A rank that has failed still takes part in the test, because the others would wait for it. */
    if (messages_arrive(exchange, device) && made && made->packed)
        return made;
    release_direct(made);
    return NULL;
}

static void start_direct(void *state, const void *in, void *out, void *workspace)
{
    posted *made = state;
    weft_device *device = weft_base(made->blocks.exchange)->device;
    weft_message_blocks_begin(&made->blocks, in, out, workspace);
    weft_device_call(device, event_record(made->packed, device->queue));
    weft_message_blocks_own(&made->blocks, in, out);
    weft_device_call(device, event_await(made->packed));
    post(made, 1, in, out, workspace);
}

static const weft_backend_cost cost_all = {.sweeps = 1, .at_once = 1, .unpack_lag = 1};
/* Some blocks are unpacked while others are still under way. */
static const weft_backend_cost cost_some = {.sweeps = 1, .at_once = 1, .unpack_lag = 0.8};

/* What the backends without a device have in common. */
#define POSTED                                                                                     \
    .version = WEFT_BACKEND_VERSION, .start = start, .release = weft_messages_release,             \
    .test = weft_messages_test

const weft_backend weft_backend_waitall = {
    POSTED,
    .name = "waitall",
    .about = "all messages posted at a time, MPI_Waitall, unpack",
    .cost = &cost_all,
    .prepare = prepare_all,
    .finish = finish_all,
};

const weft_backend weft_backend_waitsome = {
    POSTED,
    .name = "waitsome",
    .about = "all messages posted at a time, each block unpacked as it arrives",
    .cost = &cost_some,
    .prepare = prepare_all,
    .finish = finish_some,
};

const weft_backend weft_backend_waitall_in_groups = {
    POSTED,
    .name = "waitall/b",
    .about = "as waitall, in groups of b ranks",
    .parameter = "b, ranks in a group",
    .grouped = 1,
    .cost = &cost_all,
    .applicable = applicable_groups,
    .values = values,
    .prepare = prepare_groups,
    .finish = finish_all,
};

const weft_backend weft_backend_waitsome_in_groups = {
    POSTED,
    .name = "waitsome/b",
    .about = "as waitsome, in groups of b ranks",
    .parameter = "b, ranks in a group",
    .grouped = 1,
    .cost = &cost_some,
    .applicable = applicable_groups,
    .values = values,
    .prepare = prepare_groups,
    .finish = finish_some,
};

const weft_backend weft_backend_pairwise = {
    POSTED,
    .name = "pairwise",
    .about = "P - 1 steps: send to rank + i, receive from rank - i",
    .cost = &(const weft_backend_cost){.sweeps = 1, .in_steps = 1, .at_once = 1, .unpack_lag = 0.9},
    .prepare = prepare_pairs,
    .finish = finish_all,
};

const weft_backend weft_backend_direct = {
    .version = WEFT_BACKEND_VERSION,
    .name = "direct",
    .about = "messages from device to device, by an MPI that knows their memory",
    .on_device = 1,
    .cost = &cost_all,
    .applicable = applicable_direct,
    .prepare = prepare_direct,
    .start = start_direct,
    .finish = finish_all,
    .release = release_direct,
    .test = weft_messages_test,
};
