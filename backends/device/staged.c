/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges of arrays on a device by messages between hosts:
 *
 *     device, rank 0        pinned                     pinned              device, rank 1
 *     | own | to 1 |  -copy->  | to 1 |  --message-->  | from 0 |  -copy->  | from 0 | own |
 *
 * A piece that does not lie in one run is packed on the device first, and unpacked there. What the
 * backend sees is an exchange of pieces that lie one after another. It starts when the copies down
 * are there; those up are left to the queue, and so parts of an exchange overlap: messages of one,
 * copies of another.
 *
 *     pinned       [ sent, a piece for each rank | received | the backend's workspace ]
 *     workspace    [ packed | to be unpacked | own piece ]
 */
#include "backends/device/staged.h"

#include <stdbool.h>
#include <stdlib.h>
#include "backends/exchange/exchange.h"
#include "kernels/base/error.h"
#include "kernels/device/memory.h"

enum { LINE = 512 };

/* One side: sent, or received. */
typedef struct {
    weft_copy **copy; /* [ranks] packs or unpacks; NULL: it lies in one run, or there is nothing */
    size_t bytes;     /* of all pieces */
    size_t pinned, scratch; /* where they begin */
    bool packed;            /* any is */
} traffic;

typedef struct {
    const weft_exchange *exchange, *seen; /* the second by the backend */
    const weft_backend *backend;
    void *state;
    weft_device *device;
    weft_mark *down; /* the copies down are there */
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
    for (int peer = 0; side->copy && peer < it->exchange->ranks; peer++)
        it->exchange->services->copy_release(side->copy[peer]);
    free(side->copy);
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
        it->device->library->mark_destroy(it->down);
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
    bool ok = true;
    side->copy = calloc((size_t)exchange->ranks, sizeof *side->copy);
    if (!side->copy) {
        weft_error("no memory for the copies of %d ranks", exchange->ranks);
        return false;
    }
    side->bytes = (size_t)(sent ? seen->in_elements : seen->out_elements) * exchange->element;
    for (int peer = 0; ok && peer < exchange->ranks; peer++) {
        const weft_piece *piece = sent ? &exchange->send[peer] : &exchange->receive[peer];
        if (peer == exchange->rank || !piece->elements || piece->contiguous)
            continue;
        side->packed = true;
        side->copy[peer] = sent ? services->pack_prepare(exchange, piece)
                                : services->unpack_prepare(exchange, piece);
        ok = side->copy[peer];
    }
    return ok;
}

/* In place the old and the new place of the own piece may overlap. */
static bool make_own(staged *it)
{
    const weft_exchange *exchange = it->exchange;
    const weft_services *services = exchange->services;
    const weft_piece *send = &exchange->send[exchange->rank];
    if (!send->elements)
        return true;
    if (!exchange->in_place)
        return (it->own = services->own_prepare(exchange));
    it->own_pack = services->pack_prepare(exchange, send);
    it->own_unpack = services->unpack_prepare(exchange, &exchange->receive[exchange->rank]);
    return it->own_pack && it->own_unpack;
}

static void lay_out(staged *it, size_t *workspace, size_t *pinned)
{
    const weft_exchange *exchange = it->exchange;
    const ptrdiff_t own = exchange->send[exchange->rank].elements;
    it->received.pinned = whole_lines(it->sent.bytes);
    it->work_at = it->received.pinned + whole_lines(it->received.bytes);
    *pinned = it->work_at;
    it->received.scratch = it->sent.packed ? whole_lines(it->sent.bytes) : 0;
    it->own_at = it->received.scratch + (it->received.packed ? whole_lines(it->received.bytes) : 0);
    *workspace = it->own_at + (it->own_pack ? whole_lines((size_t)own * exchange->element) : 0);
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
                   .seen = weft_exchange_packed(exchange),
                   .backend = backend,
                   .device = weft_exchange_device(exchange)};
    bool ok = make_side(it, &it->sent, true) && make_side(it, &it->received, false) && make_own(it);
    if (ok && !(it->down = it->device->library->mark_create(false))) {
        weft_error("no mark for copies of the device: %s", it->device->library->why());
        ok = false;
    }
    /* what others do together with this rank comes before its own trouble */
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
        weft_device_did(device, device->library->copy(to, from, bytes, device->queue));
}

/* A run of pieces that lie one after another on the device as they do on the host. */
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

/* All pieces of a side, down or up, as few copies as there can be. */
static void copy_side(const staged *it, const traffic *side, bool sent, char *array, char *scratch)
{
    const weft_exchange *exchange = it->exchange, *seen = it->seen;
    const ptrdiff_t element = (ptrdiff_t)exchange->element;
    stretch all = {0};
    for (int peer = 0; peer < exchange->ranks; peer++) {
        const weft_piece *piece = sent ? &exchange->send[peer] : &exchange->receive[peer];
        const weft_piece *packed = sent ? &seen->send[peer] : &seen->receive[peer];
        if (!packed->elements)
            continue;
        char *at =
            side->copy[peer] ? scratch + packed->offset * element : array + piece->offset * element;
        char *host = it->pinned + side->pinned + packed->offset * element;
        const size_t bytes = (size_t)(packed->elements * element);
        if (all.bytes > 0 && all.device + all.bytes == at && all.host + all.bytes == host) {
            all.bytes += bytes;
            continue;
        }
        copy_stretch(it, &all, sent);
        all = (stretch){at, host, bytes};
    }
    copy_stretch(it, &all, sent);
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    staged *it = state;
    weft_device *device = it->device;
    const weft_services *services = it->exchange->services;
    const ptrdiff_t element = (ptrdiff_t)it->exchange->element;
    char *scratch = workspace;
    for (int peer = 0; peer < it->exchange->ranks; peer++)
        if (it->sent.copy[peer])
            services->copy_run(it->sent.copy[peer], in,
                               scratch + it->seen->send[peer].offset * element);
    copy_side(it, &it->sent, true, (char *)in, scratch);
    if (!device->failed)
        weft_device_did(device, device->library->mark_set(it->down, device->queue));
    if (it->own)
        services->copy_run(it->own, in, out);
    if (it->own_pack)
        services->copy_run(it->own_pack, in, scratch + it->own_at);
    if (!device->failed)
        weft_device_did(device, device->library->mark_await(it->down));
    it->backend->start(it->state, it->pinned + it->sent.pinned, it->pinned + it->received.pinned,
                       it->pinned + it->work_at);
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    (void)in;
    staged *it = state;
    const weft_services *services = it->exchange->services;
    const ptrdiff_t element = (ptrdiff_t)it->exchange->element;
    char *scratch = workspace, *arrived = scratch + it->received.scratch;
    it->backend->finish(it->state, it->pinned + it->sent.pinned, it->pinned + it->received.pinned,
                        it->pinned + it->work_at);
    copy_side(it, &it->received, false, out, arrived);
    for (int peer = 0; peer < it->exchange->ranks; peer++)
        if (it->received.copy[peer])
            services->copy_run(it->received.copy[peer],
                               arrived + it->seen->receive[peer].offset * element, out);
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
