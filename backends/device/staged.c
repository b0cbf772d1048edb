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
#include "backends/messages/blocks.h"
#include "kernels/base/error.h"

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

static void release(void *state)
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

void *weft_staged_prepare(const weft_exchange *exchange, const weft_backend *backend, int value,
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
        release(it);
        return NULL;
    }
    lay_out(it, workspace, pinned);
    *pinned += whole_lines(work);
    return it;
}

static size_t shared(const void *state)
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

static void start(void *state, const void *in, void *out, void *workspace)
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

static void finish(void *state, const void *in, void *out, void *workspace)
{
    (void)in;
    staged *it = state;
    it->backend->finish(it->state, it->pinned, it->pinned + it->received_at,
                        it->pinned + it->work_at);
    copy_side(it, false, out, workspace);
    for (int peer = 0; peer < it->blocks.exchange->ranks; peer++)
        weft_message_unpack(&it->blocks, peer, out, workspace);
}

static int test(void *state)
{
    const staged *it = state;
    return !it->backend->test || it->backend->test(it->state);
}

const weft_backend weft_staged = {
    .start = start, .finish = finish, .release = release, .test = test, .shared = shared};
