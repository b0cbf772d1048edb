/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * waitall: posts all messages, then calls MPI_Waitall once. waitsome: the same, but unpacks each
 * block as soon as it has arrived. waitall/b, waitsome/b: the same in groups of b ranks, as in
 * OpenFFT. pairwise: one rank at a time, as in FFTW and OpenFFT. overlap: waitall in messages of k
 * KB, sent while the pass before still runs. direct: waitall between device memories.
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
 * Where the pass before an exchange completes every block from its first element on, each message
 * of overlap leaves as soon as its part of the block is complete:
 *
 *     pass        |tiles|tiles|tiles|tiles|
 *     messages          |0 0 0|1 1 1|2 2 2|3 3 3|
 *
 * Short messages leave at once and arrive in order. A long message begins with a handshake, which
 * would wait behind the data of earlier messages. Over TCP, 16 KB are short and 64 KB are long for
 * MPICH 4.0 and Open MPI 4.1. Cost: the longer of the pass and the messages, plus the last part of
 * the shorter one. There are more messages than with waitall, so overlap is slower where the
 * network is fast.
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
#include <limits.h>
#include "backends/exchange/abort.h"
#include "backends/exchange/agreement.h"
#include "backends/exchange/exchange.h"
#include "backends/messages/blocks.h"
#include "kernels/base/error.h"

enum { DEFAULT_GROUP = 32 /* ranks */, TRIAL = 512 /* bytes of a test message */ };
enum { KB = 1024, DEFAULT_KB = 16, MOST_KB = INT_MAX / KB };

typedef struct {
    weft_message_blocks blocks;
    int group;                 /* number of steps under way at a time */
    int steps;                 /* ranks - 1 */
    int *peer;                 /* the source of each receive */
    int *arrived;              /* indices returned by MPI_Waitsome */
    int *left;                 /* [ranks] messages still to come for the block from each rank */
    ptrdiff_t done;            /* overlap only: the argument of the last `send` */
    void *out;                 /* overlap only: the argument of `begin` */
    weft_device_event *packed; /* direct only */
} posted;

static posted *prepare(const weft_exchange *exchange, int group, ptrdiff_t part, unsigned flags,
                       size_t *workspace)
{
    const ptrdiff_t received = exchange->receive.elements * (ptrdiff_t)exchange->element,
                    sent = exchange->send.elements * (ptrdiff_t)exchange->element;
    posted *made = weft_messages_make(sizeof *made, exchange, WEFT_BLOCKS_BOTH | flags);
    if (!made)
        return NULL;
    weft_message_blocks *blocks = &made->blocks;
    made->steps = exchange->ranks - 1;
    made->group = group < made->steps ? group : made->steps;
    blocks->part = part;
    const size_t receives = weft_message_count(blocks, made->group, received),
                 sends = weft_message_count(blocks, made->group, sent);
    blocks->request = weft_message_new(blocks, receives + sends, sizeof *blocks->request);
    made->peer = weft_message_new(blocks, receives, sizeof *made->peer);
    made->arrived = weft_message_new(blocks, receives, sizeof *made->arrived);
    made->left = weft_message_new(blocks, (size_t)exchange->ranks, sizeof *made->left);
    *workspace = (size_t)weft_message_blocks_place_groups(blocks, made->group);
    return weft_messages_made(made);
}

static void *prepare_all(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    return prepare(exchange, exchange->ranks, weft_limit(), 0, workspace);
}

static void *prepare_groups(const weft_exchange *exchange, int value, size_t *workspace)
{
    return prepare(exchange, value > 0 ? value : DEFAULT_GROUP, weft_limit(), 0, workspace);
}

static void *prepare_pairs(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    return prepare(exchange, 1, weft_limit(), 0, workspace);
}

/* The end of the group of steps that begins with `first`. */
static int end_of_group(const posted *made, int first)
{
    return made->group < made->steps + 1 - first ? first + made->group : made->steps + 1;
}

static void post_receives(posted *made, int first, void *out, void *workspace)
{
    weft_message_blocks *blocks = &made->blocks;
    blocks->receives = blocks->sends = 0;
    for (int step = first; step < end_of_group(made, first); step++) {
        const int from = weft_step_from(blocks->exchange, step), before = blocks->receives;
        weft_message_receive(blocks, from, weft_message_target(blocks, from, out, workspace),
                             blocks->receive[from].bytes);
        made->left[from] = blocks->receives - before;
        for (int i = before; i < blocks->receives; i++)
            made->peer[i] = from;
    }
}

/* Posts all messages of the group of steps that begins with `first`. */
static void post(posted *made, int first, const void *in, void *out, void *workspace)
{
    weft_message_blocks *blocks = &made->blocks;
    post_receives(made, first, out, workspace);
    for (int step = first; step < end_of_group(made, first); step++) {
        const int to = weft_step_to(blocks->exchange, step);
        weft_message_send(blocks, to, weft_message_pack(blocks, to, in, workspace),
                          blocks->send[to].bytes);
    }
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    posted *made = state;
    weft_message_blocks_begin(&made->blocks, in, out, workspace);
    post(made, 1, in, out, workspace);
    weft_message_blocks_own(&made->blocks, in, out);
}

/* Unpacks a block when the last of its messages has arrived. */
static void unpack(posted *made, int receive, void *out, void *workspace)
{
    const int from = made->peer[receive];
    if (--made->left[from] == 0)
        weft_message_unpack(&made->blocks, from, out, workspace);
}

static void receive_all(posted *made, void *out, void *workspace)
{
    const weft_message_blocks *blocks = &made->blocks;
    weft_mpi_must(MPI_Waitall(blocks->receives, blocks->request, blocks->ignored));
    for (int i = 0; i < blocks->receives; i++)
        unpack(made, i, out, workspace);
}

static void receive_some(posted *made, void *out, void *workspace)
{
    const weft_message_blocks *blocks = &made->blocks;
    for (int left = blocks->receives, arrived; left > 0; left -= arrived) {
        weft_mpi_must(MPI_Waitsome(blocks->receives, blocks->request, &arrived, made->arrived,
                                   blocks->ignored));
        for (int i = 0; i < arrived; i++)
            unpack(made, made->arrived[i], out, workspace);
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

static int values_groups(const weft_exchange *exchange, int *value, int most)
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

static ptrdiff_t part_for(int value)
{
    return (ptrdiff_t)(value > 0 ? value : DEFAULT_KB) * KB;
}

static void *prepare_overlap(const weft_exchange *exchange, int value, size_t *workspace)
{
    return prepare(exchange, exchange->ranks, part_for(value), 0, workspace);
}

static void begin(void *state, void *out, void *workspace)
{
    posted *made = state;
    made->done = 0;
    made->out = out;
    post_receives(made, 1, out, workspace);
}

/* The end of the last complete message of a block whose bytes before `end` are complete. */
static ptrdiff_t complete(const posted *made, int to, ptrdiff_t end)
{
    return end < made->blocks.send[to].bytes ? end - end % made->blocks.part : end;
}

static void send(void *state, const void *in, ptrdiff_t done, ptrdiff_t of)
{
    posted *made = state;
    weft_message_blocks *blocks = &made->blocks;
    int ignored;
    for (int step = 1; step <= made->steps; step++) {
        const int to = weft_step_to(blocks->exchange, step);
        const ptrdiff_t slice = blocks->send[to].bytes / of,
                        sent = complete(made, to, slice * made->done),
                        end = complete(made, to, slice * done);
        const char *block = weft_message_pack(blocks, to, in, NULL); /* which is contiguous */
        weft_message_send(blocks, to, block + sent, end - sent);
    }
    made->done = done;
    if (blocks->receives > 0) /* lets MPI make progress */
        weft_mpi_must(
            MPI_Test(&blocks->request[blocks->receives - 1], &ignored, MPI_STATUS_IGNORE));
    if (done == of)
        weft_message_blocks_own(blocks, in, made->out);
}

static const char *applicable_overlap(const weft_exchange *exchange, int value)
{
    const ptrdiff_t elements = exchange->in_elements + exchange->out_elements;
    if (value > MOST_KB)
        return "a message has 1 to 2097151 KB";
    return elements / part_for(value) * (ptrdiff_t)exchange->element > INT_MAX - 2 * exchange->ranks
               ? "there would be too many messages"
               : NULL;
}

static int values_overlap(const weft_exchange *exchange, int *value, int most)
{
    (void)exchange;
    if (most > 0)
        value[0] = DEFAULT_KB;
    return most > 0;
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
               : "this MPI does not report that it supports device memory";
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
    char *there = weft_memory_allocate_on(device, false, 2 * (size_t)TRIAL);
    char *here = weft_memory_allocate_on(device, true, TRIAL);
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
    weft_memory_free_on(device, true, here);
    weft_memory_free_on(device, false, there);
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
    posted *made = prepare(exchange, exchange->ranks, weft_limit(), WEFT_BLOCKS_EARLY, workspace);
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
    .values = values_groups,
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
    .values = values_groups,
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

const weft_backend weft_backend_overlap = {
    POSTED,
    .name = "overlap",
    .about = "messages of k KB, sent while the pass before still runs",
    .parameter = "k, KB of a message",
    .applicable = applicable_overlap,
    .values = values_overlap,
    .prepare = prepare_overlap,
    .finish = finish_all,
    .begin = begin,
    .send = send,
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
