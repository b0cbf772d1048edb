/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prepares an exchange with a backend and runs it. Preparation succeeds on all ranks of the
 * communicator or on none, even on ranks of groups that do not talk to one another, because a plan
 * must be the same on all ranks.
 */
#include "backends/exchange/exchange.h"

#include <stdint.h>
#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "backends/messages/blocks.h"
#include "backends/table.h"
#include "kernels/base/error.h"

/*
 * Exchanges through shared memory of any kind, for passes that cannot write to and read from this
 * memory themselves. Each rank packs the blocks for other ranks into its own part of the memory,
 * and the receivers unpack them from there.
 *
 *     in of rank 0             part of rank 0         out of rank 1
 *     | own | to 1 |  -pack->  | to 1 |  -unpack->  | from 0 | own |
 *
 *     in of rank 1             part of rank 1         out of rank 0
 *     | to 0 | own |  -pack->  | to 0 |  -unpack->  | own | from 1 |
 *
 * Cost: two copies of every element that changes ranks; one copy of every other element (two in
 * place, where its old and new place may overlap); two waits of the memory. `start` does
 * everything, because only one run at a time may use the memory.
 */
typedef struct {
    weft_message_blocks blocks; /* each block's place is its offset in the part of its sender */
    const weft_memory *memory;
    void *opened;
} copies;

static void release_copies(void *state)
{
    copies *it = state;
    if (!it)
        return;
    if (it->opened)
        it->memory->close(it->opened);
    weft_message_blocks_release(&it->blocks);
    free(it);
}

void *weft_memory_open(const weft_memory *memory, MPI_Comm comm, size_t bytes,
                       struct weft_device *device)
{
    return device ? memory->open_on(comm, bytes, device) : memory->open(comm, bytes);
}

/* Collective: each rank learns where the blocks for it are. `place` has space for 2 * ranks
 * numbers. */
static void exchange_places(weft_message_blocks *blocks, int64_t *place)
{
    const int ranks = blocks->exchange->ranks;
    for (int peer = 0; peer < ranks; peer++)
        place[peer] = blocks->send[peer].place;
    MPI_Alltoall(place, 1, MPI_INT64_T, place + ranks, 1, MPI_INT64_T, blocks->exchange->comm);
    for (int peer = 0; peer < ranks; peer++)
        blocks->receive[peer].place = (ptrdiff_t)place[ranks + peer];
}

static void *prepare_copies(const weft_exchange *exchange, const weft_memory *memory)
{
    copies *it = calloc(1, sizeof *it);
    int64_t *place = calloc(2 * (size_t)exchange->ranks, sizeof *place);
    const bool ok =
        it && place &&
        weft_message_blocks_prepare(&it->blocks, exchange,
                                    WEFT_BLOCKS_BOTH | WEFT_BLOCKS_COPIED | WEFT_BLOCKS_EARLY);
    if (!ok)
        exchange->services->error("no memory for the copies between %d ranks", exchange->ranks);
    if (weft_agree(exchange->comm, ok)) {
        const size_t bytes = (size_t)weft_message_blocks_place_sent(&it->blocks, 0);
        exchange_places(&it->blocks, place);
        it->memory = memory;
        it->opened = weft_memory_open(memory, exchange->comm, bytes, weft_base(exchange)->device);
    }
    free(place);
    if (it && it->opened)
        return it;
    release_copies(it);
    return NULL;
}

static void start_copies(void *state, const void *in, void *out, void *workspace)
{
    (void)workspace;
    const copies *it = state;
    const weft_memory *memory = it->memory;
    const weft_exchange *exchange = it->blocks.exchange;
    memory->begin(it->opened);
    weft_message_blocks_begin(&it->blocks, in, out, memory->part(it->opened, exchange->rank));
    memory->publish(it->opened);
    for (int step = 1; step < exchange->ranks; step++) {
        const int from = weft_step_from(exchange, step);
        weft_message_unpack(&it->blocks, from, out, memory->part(it->opened, from));
    }
    memory->done(it->opened);
    weft_message_blocks_own(&it->blocks, in, out);
}

static const weft_backend copies_backend = {
    .start = start_copies, .finish = weft_finish_nothing, .release = release_copies};

/*
 * Exchanges arrays on a device by messages between hosts, with any backend of messages:
 *
 *     device, rank 0        pinned                     pinned              device, rank 1
 *     | own | to 1 |  -copy->  | to 1 |  --message-->  | from 0 |  -copy->  | from 0 | own |
 *
 * A non-contiguous block is packed and unpacked on the device. The wrapped backend sees an exchange
 * of contiguous blocks in host memory, one after another. The backend starts when the copies to the
 * host are complete. Copies to the device are only queued, so that parts of an exchange overlap:
 * the messages of one part with the copies of another.
 *
 *     pinned       [ sent, a block for each rank | received | the backend's workspace ]
 *     workspace    [ packed | to be unpacked | own block ]
 */
enum { LINE = 512 };

typedef struct {
    weft_message_blocks blocks;
    const weft_exchange *seen; /* what the wrapped backend sees */
    const weft_backend *backend;
    void *state;
    weft_device *device;
    weft_device_event *down;     /* the event at the end of the copies to the host */
    size_t received_at, work_at; /* offsets in pinned memory */
    char *pinned;
} staged;

static size_t whole_lines(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static void release_staged(void *state)
{
    staged *it = state;
    if (!it)
        return;
    if (it->state)
        it->backend->release(it->state);
    if (it->down)
        it->device->library->event_destroy(it->down);
    weft_message_blocks_release(&it->blocks);
    free(it);
}

/* Places the blocks of a side in the workspace as they are on the host. Returns the end. */
static size_t place(weft_message_block *block, int ranks, size_t begin)
{
    size_t end = begin;
    bool packed = false;
    for (int peer = 0; peer < ranks; peer++) {
        block[peer].place = (ptrdiff_t)end;
        end += (size_t)block[peer].bytes;
        packed |= block[peer].copy != NULL;
    }
    return packed ? whole_lines(end) : begin;
}

static void lay_out(staged *it, size_t *workspace, size_t *pinned)
{
    const weft_exchange *exchange = it->blocks.exchange;
    const size_t element = exchange->element, received = (size_t)it->seen->out_elements * element;
    it->received_at = whole_lines((size_t)it->seen->in_elements * element);
    it->work_at = *pinned = it->received_at + whole_lines(received);
    const size_t end =
        place(it->blocks.receive, exchange->ranks, place(it->blocks.send, exchange->ranks, 0));
    it->blocks.own_place = (ptrdiff_t)end;
    *workspace =
        end + (it->blocks.own_pack ? whole_lines((size_t)exchange->own_elements * element) : 0);
}

static void *prepare_staged(const weft_exchange *exchange, const weft_backend *backend, int value,
                            size_t *workspace, size_t *pinned)
{
    staged *it = calloc(1, sizeof *it);
    size_t work = 0;
    if (!it) {
        weft_error("no memory for an exchange");
        return NULL;
    }
    *it = (staged){.seen = weft_base(exchange)->packed,
                   .backend = backend,
                   .device = weft_base(exchange)->device};
    bool ok =
        weft_message_blocks_prepare(&it->blocks, exchange, WEFT_BLOCKS_BOTH | WEFT_BLOCKS_APART);
    if (ok && !(it->down = it->device->library->event_create(false))) {
        weft_error("no event for copies of the device could be made: %s",
                   it->device->library->why());
        ok = false;
    }
    /* Even if this rank failed, the backend must be prepared, because that is collective. */
    it->state = backend->prepare(it->seen, value, &work);
    if (!ok || !it->state) {
        release_staged(it);
        return NULL;
    }
    lay_out(it, workspace, pinned);
    *pinned += whole_lines(work);
    return it;
}

static size_t shared_by_staged(const void *state)
{
    const staged *it = state;
    return it->backend->shared ? it->backend->shared(it->state) : 0;
}

static void copy(weft_device *device, void *to, const void *from, size_t bytes)
{
    if (!device->failed && bytes > 0)
        weft_device_record(device, device->library->copy(to, from, bytes, device->queue));
}

/* A range of blocks that are adjacent both on the device and on the host. */
typedef struct {
    char *device, *host;
    size_t bytes;
} stretch;

static void copy_stretch(const staged *it, const stretch *all, bool sent)
{
    if (sent)
        copy(it->device, all->host, all->device, all->bytes);
    else
        copy(it->device, all->device, all->host, all->bytes);
}

/* Copies all blocks of a side to the host or to the device, with as few copies as possible. */
static void copy_side(const staged *it, bool sent, char *array, char *scratch)
{
    const weft_message_block *side = sent ? it->blocks.send : it->blocks.receive;
    char *host = it->pinned + (sent ? 0 : it->received_at);
    stretch all = {0};
    for (int peer = 0; peer < it->blocks.exchange->ranks; peer++) {
        const weft_message_block *block = &side[peer];
        if (!block->bytes)
            continue;
        char *at = block->copy ? scratch + block->place : array + block->begin;
        if (all.bytes == 0 || all.device + all.bytes != at) {
            copy_stretch(it, &all, sent);
            all = (stretch){at, host, 0};
        }
        all.bytes += (size_t)block->bytes;
        host += block->bytes;
    }
    copy_stretch(it, &all, sent);
}

static void start_staged(void *state, const void *in, void *out, void *workspace)
{
    staged *it = state;
    weft_device *device = it->device;
    for (int peer = 0; peer < it->blocks.exchange->ranks; peer++)
        weft_message_copy(&it->blocks, peer, in, workspace);
    copy_side(it, true, (char *)in, workspace);
    if (!device->failed)
        weft_device_record(device, device->library->event_record(it->down, device->queue));
    weft_message_blocks_own(&it->blocks, in, out);
    weft_message_blocks_own_in_place(&it->blocks, in, out, workspace);
    if (!device->failed)
        weft_device_record(device, device->library->event_await(it->down));
    it->backend->start(it->state, it->pinned, it->pinned + it->received_at,
                       it->pinned + it->work_at);
}

static void finish_staged(void *state, const void *in, void *out, void *workspace)
{
    (void)in;
    staged *it = state;
    it->backend->finish(it->state, it->pinned, it->pinned + it->received_at,
                        it->pinned + it->work_at);
    copy_side(it, false, out, workspace);
    for (int peer = 0; peer < it->blocks.exchange->ranks; peer++)
        weft_message_unpack(&it->blocks, peer, out, workspace);
}

static int test_staged(void *state)
{
    const staged *it = state;
    return !it->backend->test || it->backend->test(it->state);
}

static const weft_backend staged_backend = {.start = start_staged,
                                            .finish = finish_staged,
                                            .release = release_staged,
                                            .test = test_staged,
                                            .shared = shared_by_staged};

const char *weft_exchange_why_unsuited(const weft_exchange *exchange, const weft_backend *backend)
{
    const bool device = weft_base(exchange)->device;
    const bool needs = backend->memory ? backend->memory->open_on != NULL : backend->on_device;
    if (device == needs || (device && !backend->memory))
        return NULL;
    return device ? "its arrays lie on a device" : "its arrays lie in memory of the host";
}

bool weft_exchange_staged(const weft_exchange *exchange, const weft_backend *backend)
{
    return weft_base(exchange)->device && !backend->memory && !backend->on_device &&
           exchange->ranks > 1;
}

const char *weft_exchange_why_refused(const weft_exchange *exchange, const weft_backend *backend,
                                      int value)
{
    const char *unsuited = weft_exchange_why_unsuited(exchange, backend);
    if (unsuited)
        return unsuited;
    if (weft_exchange_staged(exchange, backend))
        exchange = weft_base(exchange)->packed;
    if (backend->applicable != NULL)
        return backend->applicable(exchange, value);
    return backend->memory == NULL || weft_base(exchange)->within_nodes
               ? NULL
               : "its ranks are on several nodes";
}

/* Does the local part of weft_prepare, before the backend is called. */
static weft_prepared *begin(const weft_exchange *exchange, const weft_backend *backend, int value)
{
    const weft_backend *used = exchange->ranks > 1 ? backend : weft_backend_alone;
    weft_prepared *prepared;
    const char *reason = weft_exchange_why_refused(exchange, used, value);
    if (reason != NULL) {
        weft_error("backend %s cannot carry out this exchange: %s", backend->name, reason);
        return NULL;
    }
    prepared = calloc(1, sizeof *prepared);
    if (prepared == NULL) {
        weft_error("no memory to prepare an exchange");
        return NULL;
    }
    prepared->asked = backend;
    prepared->backend = used->memory != NULL                   ? &copies_backend
                        : weft_exchange_staged(exchange, used) ? &staged_backend
                                                               : used;
    prepared->value = value;
    return prepared;
}

weft_prepared *weft_prepare(const weft_exchange *exchange, const weft_backend *backend, int value)
{
    MPI_Comm home = weft_base(exchange)->home;
    weft_prepared *prepared;

    if (home == MPI_COMM_NULL) {
        weft_error("the exchange has no communicator");
        return NULL;
    }
    prepared = begin(exchange, backend, value);
    if (!weft_agree(home, prepared != NULL))
        goto fail;
    weft_error_clear();
    if (backend->shared && !weft_exchange_open_node(exchange))
        goto fail;
    if (prepared->backend == &copies_backend)
        prepared->state = prepare_copies(exchange, backend->memory);
    else if (prepared->backend == &staged_backend)
        prepared->state =
            prepare_staged(exchange, backend, value, &prepared->workspace, &prepared->pinned);
    else
        prepared->state = prepared->backend->prepare(exchange, value, &prepared->workspace);
    if (prepared->state == NULL && weft_error_text()[0] == '\0')
        weft_error("backend %s could not be prepared", backend->name);
    const bool fits = prepared->workspace <= PTRDIFF_MAX;
    if (prepared->state && !fits)
        weft_error("backend %s asks for %zu bytes of workspace, more than can be addressed",
                   backend->name, prepared->workspace);
    if (!weft_agree(home, prepared->state && fits))
        goto fail;
    prepared->workspace = (prepared->workspace + 63) / 64 * 64;
    return prepared;

fail:
    weft_prepared_release(prepared);
    return NULL;
}

void weft_prepared_pin(weft_prepared *prepared, void *pinned)
{
    if (prepared->backend == &staged_backend)
        ((staged *)prepared->state)->pinned = pinned;
}

size_t weft_prepared_shared(const weft_prepared *prepared)
{
    return prepared->backend->shared ? prepared->backend->shared(prepared->state) : 0;
}

void weft_prepared_start(weft_prepared *prepared, const void *in, void *out, void *workspace)
{
    prepared->backend->start(prepared->state, in, out, workspace);
}

void weft_prepared_finish(weft_prepared *prepared, const void *in, void *out, void *workspace)
{
    prepared->backend->finish(prepared->state, in, out, workspace);
}

bool weft_prepared_test(weft_prepared *prepared)
{
    return !prepared->backend->test || prepared->backend->test(prepared->state);
}

void weft_prepared_run(weft_prepared *prepared, const void *in, void *out, void *workspace)
{
    prepared->backend->start(prepared->state, in, out, workspace);
    prepared->backend->finish(prepared->state, in, out, workspace);
}

void weft_prepared_release(weft_prepared *prepared)
{
    int over = 0;

    if (prepared == NULL)
        return;
    /* After MPI_Finalize a backend can free neither requests nor datatypes. */
    MPI_Finalized(&over);
    if (prepared->state != NULL && !over)
        prepared->backend->release(prepared->state);
    free(prepared);
}
