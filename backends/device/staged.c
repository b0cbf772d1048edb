/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges arrays on a device by messages between hosts:
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
#include "backends/device/staged.h"

#include <stdbool.h>
#include <stdlib.h>
#include "backends/exchange/exchange.h"
#include "kernels/base/error.h"
#include "kernels/device/memory.h"

enum { LINE = 512 };

/* A block from or for another rank. `at` is its offset in bytes in the array, or among the packed
 * blocks of its side if it has a copy; `on_host` is its offset among the blocks of its side on the
 * host. */
typedef struct {
    weft_copy *copy; /* packs or unpacks; NULL: the block is contiguous or empty */
    ptrdiff_t at, on_host, bytes;
} carried;

/* All blocks of one side: sent or received. */
typedef struct {
    carried *block;         /* [ranks] */
    size_t bytes;           /* of all blocks */
    size_t pinned, scratch; /* offsets of the side in these buffers */
    bool packed;            /* some block is packed or unpacked */
} traffic;

typedef struct {
    const weft_exchange *exchange, *seen; /* the backend sees `seen` */
    const weft_backend *backend;
    void *state;
    weft_device *device;
    weft_device_event *down; /* the event at the end of the copies to the host */
    traffic sent, received;
    weft_copy *own, *own_pack, *own_unpack;
    size_t own_at, work_at;
    char *pinned;
} staged;

static size_t whole_lines(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static void release_side(const staged *it, traffic *side)
{
    for (int peer = 0; side->block && peer < it->exchange->ranks; peer++)
        it->exchange->services->copy_release(side->block[peer].copy);
    free(side->block);
}

static void release(void *state)
{
    staged *it = state;
    if (!it)
        return;
    const weft_services *services = it->exchange->services;
    if (it->state)
        it->backend->release(it->state);
    if (it->down)
        it->device->library->event_destroy(it->down);
    release_side(it, &it->sent);
    release_side(it, &it->received);
    services->copy_release(it->own);
    services->copy_release(it->own_pack);
    services->copy_release(it->own_unpack);
    free(it);
}

static bool make_side(const staged *it, traffic *side, bool sent)
{
    const weft_exchange *exchange = it->exchange, *seen = it->seen;
    const weft_services *services = exchange->services;
    const ptrdiff_t element = (ptrdiff_t)exchange->element;
    bool ok = true;
    side->block = calloc((size_t)exchange->ranks, sizeof *side->block);
    if (!side->block) {
        weft_error("no memory for the copies of %d ranks", exchange->ranks);
        return false;
    }
    side->bytes = (size_t)(sent ? seen->in_elements : seen->out_elements) * exchange->element;
    for (int peer = 0; ok && peer < exchange->ranks; peer++) {
        const weft_block *packed = (sent ? weft_exchange_sent : weft_exchange_received)(seen, peer);
        const weft_block *block = (sent ? services->sent : services->received)(exchange, peer);
        carried *one = &side->block[peer];
        one->at = block->offset * element;
        one->on_host = packed->offset * element;
        one->bytes = packed->elements * element;
        if (peer == exchange->rank || !block->elements || block->contiguous)
            continue;
        side->packed = true;
        one->at = one->on_host;
        one->copy = sent ? services->pack_prepare(exchange, block)
                         : services->unpack_prepare(exchange, block);
        ok = one->copy;
    }
    return ok;
}

/* In place, the old and the new position of the own block may overlap, so it goes through the
 * workspace. */
static bool make_own(staged *it)
{
    const weft_exchange *exchange = it->exchange;
    const weft_services *services = exchange->services;
    if (!exchange->own_elements)
        return true;
    if (!exchange->in_place)
        return (it->own = services->own_prepare(exchange));
    it->own_pack = services->pack_prepare(exchange, services->sent(exchange, exchange->rank));
    it->own_unpack =
        services->unpack_prepare(exchange, services->received(exchange, exchange->rank));
    return it->own_pack && it->own_unpack;
}

static void lay_out(staged *it, size_t *workspace, size_t *pinned)
{
    const weft_exchange *exchange = it->exchange;
    const size_t own = (size_t)exchange->own_elements * exchange->element;
    it->received.pinned = whole_lines(it->sent.bytes);
    it->work_at = it->received.pinned + whole_lines(it->received.bytes);
    *pinned = it->work_at;
    it->received.scratch = it->sent.packed ? whole_lines(it->sent.bytes) : 0;
    it->own_at = it->received.scratch + (it->received.packed ? whole_lines(it->received.bytes) : 0);
    *workspace = it->own_at + (it->own_pack ? whole_lines(own) : 0);
}

void *weft_staged_prepare(const weft_exchange *exchange, const weft_backend *backend, int value,
                          size_t *workspace, size_t *pinned)
{
    staged *it = calloc(1, sizeof *it);
    size_t work = 0;
    if (!it) {
        weft_error("no memory for an exchange");
        return NULL;
    }
    *it = (staged){.exchange = exchange,
                   .seen = weft_base(exchange)->packed,
                   .backend = backend,
                   .device = weft_base(exchange)->device};
    bool ok = make_side(it, &it->sent, true) && make_side(it, &it->received, false) && make_own(it);
    if (ok && !(it->down = it->device->library->event_create(false))) {
        weft_error("no event for copies of the device could be made: %s",
                   it->device->library->why());
        ok = false;
    }
    /* Even if this rank failed, the backend must be prepared, because that is collective. */
    it->state = backend->prepare(it->seen, value, &work);
    if (!ok || !it->state) {
        release(it);
        return NULL;
    }
    lay_out(it, workspace, pinned);
    *pinned += whole_lines(work);
    return it;
}

size_t weft_staged_shared(void *state)
{
    const staged *it = state;
    return it->backend->shared ? it->backend->shared(it->state) : 0;
}

void weft_staged_pin(void *state, void *pinned)
{
    ((staged *)state)->pinned = pinned;
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
static void copy_side(const staged *it, const traffic *side, bool sent, char *array, char *scratch)
{
    stretch all = {0};
    for (int peer = 0; peer < it->exchange->ranks; peer++) {
        const carried *block = &side->block[peer];
        if (!block->bytes)
            continue;
        char *at = (block->copy ? scratch : array) + block->at;
        char *host = it->pinned + side->pinned + block->on_host;
        if (all.bytes > 0 && all.device + all.bytes == at && all.host + all.bytes == host) {
            all.bytes += (size_t)block->bytes;
            continue;
        }
        copy_stretch(it, &all, sent);
        all = (stretch){at, host, (size_t)block->bytes};
    }
    copy_stretch(it, &all, sent);
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    staged *it = state;
    weft_device *device = it->device;
    const weft_services *services = it->exchange->services;
    char *scratch = workspace;
    for (int peer = 0; peer < it->exchange->ranks; peer++) {
        const carried *block = &it->sent.block[peer];
        if (block->copy)
            services->copy_run(block->copy, in, scratch + block->at);
    }
    copy_side(it, &it->sent, true, (char *)in, scratch);
    if (!device->failed)
        weft_device_record(device, device->library->event_record(it->down, device->queue));
    if (it->own)
        services->copy_run(it->own, in, out);
    if (it->own_pack)
        services->copy_run(it->own_pack, in, scratch + it->own_at);
    if (!device->failed)
        weft_device_record(device, device->library->event_await(it->down));
    it->backend->start(it->state, it->pinned + it->sent.pinned, it->pinned + it->received.pinned,
                       it->pinned + it->work_at);
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    (void)in;
    staged *it = state;
    const weft_services *services = it->exchange->services;
    char *scratch = workspace, *arrived = scratch + it->received.scratch;
    it->backend->finish(it->state, it->pinned + it->sent.pinned, it->pinned + it->received.pinned,
                        it->pinned + it->work_at);
    copy_side(it, &it->received, false, out, arrived);
    for (int peer = 0; peer < it->exchange->ranks; peer++) {
        const carried *block = &it->received.block[peer];
        if (block->copy)
            services->copy_run(block->copy, arrived + block->at, out);
    }
    if (it->own_unpack)
        services->copy_run(it->own_unpack, scratch + it->own_at, out);
}

static int test(void *state)
{
    const staged *it = state;
    return !it->backend->test || it->backend->test(it->state);
}

const weft_backend weft_staged = {
    .start = start, .finish = finish, .release = release, .test = test};
