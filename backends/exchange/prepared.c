/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prepares an exchange with a backend and runs it. Preparation succeeds on all ranks of the
 * communicator or on none, even on ranks of groups that do not talk to one another, because a plan
 * must be the same on all ranks.
 */
#include "backends/exchange/exchange.h"

#include <stdint.h>
#include <stdlib.h>
#include "backends/exchange/abort.h"
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "backends/messages/blocks.h"
#include "backends/table.h"
#include "kernels/base/error.h"
#include "kernels/base/memory.h"

/*
 * The wrapper for shared memory of any kind, where no passes write to and read from this memory
 * themselves. Each rank packs the blocks for other ranks into its own part of the memory,
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
    size_t bytes; /* of this rank's part */
} copies;

static void release_copies(void *state)
{
    copies *it = state;
    if (it->opened)
        it->memory->close(it->opened);
    weft_messages_release(it);
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

static bool prepare_copies(weft_prepared *prepared, const weft_exchange *exchange)
{
    copies *it = weft_messages_make(sizeof *it, exchange,
                                    WEFT_BLOCKS_BOTH | WEFT_BLOCKS_COPIED | WEFT_BLOCKS_EARLY);
    int64_t *place = weft_new(2 * (size_t)exchange->ranks, sizeof *place, "the places of blocks");
    prepared->state = it;
    if (weft_agree(exchange->comm, it && place)) {
        it->bytes = (size_t)weft_message_blocks_place_sent(&it->blocks);
        exchange_places(&it->blocks, place);
        it->memory = prepared->asked->memory;
        it->opened =
            weft_memory_open(it->memory, exchange->comm, it->bytes, weft_base(exchange)->device);
    }
    free(place);
    return it && it->opened;
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

void weft_nothing_to_finish(void *state, const void *in, void *out, void *workspace)
{
    (void)state, (void)in, (void)out, (void)workspace;
}

static size_t shared_copies(const void *state)
{
    return ((const copies *)state)->bytes;
}

static const weft_wrapper wrapper_copies = {.prepare = prepare_copies,
                                            .run = {.start = start_copies,
                                                    .finish = weft_nothing_to_finish,
                                                    .release = release_copies,
                                                    .shared = shared_copies}};

const char *weft_exchange_why_unsuited(const weft_exchange *exchange, const weft_backend *backend)
{
    const bool device = weft_base(exchange)->device;
    const bool needs = backend->memory ? backend->memory->open_on != NULL : backend->on_device;
    if (backend->memory && !backend->applicable && !weft_base(exchange)->within_nodes)
        return "its ranks are on several nodes";
    if (device == needs || (device && !backend->memory))
        return NULL;
    return device ? "its arrays are on a device" : "its arrays are in memory of the host";
}

bool weft_exchange_staged(const weft_exchange *exchange, const weft_backend *backend)
{
    return weft_base(exchange)->device && !backend->memory && !backend->on_device &&
           exchange->ranks > 1;
}

bool weft_exchange_as_float(const weft_exchange *exchange, const weft_backend *backend)
{
    return weft_base(exchange)->as_float && !backend->memory && exchange->ranks > 1;
}

const char *weft_exchange_why_refused(const weft_exchange *exchange, const weft_backend *backend,
                                      int value)
{
    const char *unsuited = weft_exchange_why_unsuited(exchange, backend);
    if (unsuited)
        return unsuited;
    if (weft_exchange_staged(exchange, backend) || weft_exchange_as_float(exchange, backend))
        exchange = weft_base(exchange)->packed;
    return backend->applicable ? backend->applicable(exchange, value) : NULL;
}

static const weft_wrapper *wrapper_of(const weft_exchange *exchange, const weft_backend *backend)
{
    return weft_base(exchange)->within                 ? &weft_wrapper_within
           : backend->memory                           ? &wrapper_copies
           : weft_exchange_staged(exchange, backend)   ? &weft_wrapper_staged
           : weft_exchange_as_float(exchange, backend) ? &weft_wrapper_as_float
                                                       : NULL;
}

/* Does the local part of weft_prepare, before the backend is called. */
static weft_prepared *begin(const weft_exchange *exchange, const weft_backend *backend, int value)
{
    const weft_backend *used = exchange->ranks > 1 ? backend : weft_backend_alone;
    /* A packed exchange is inside another, which has been checked. */
    const char *reason =
        weft_base(exchange)->borrows ? NULL : weft_exchange_why_refused(exchange, used, value);
    if (reason != NULL) {
        weft_error("backend %s cannot carry out this exchange: %s", backend->name, reason);
        return NULL;
    }
    weft_prepared *prepared = weft_new(1, sizeof *prepared, "an exchange");
    if (prepared)
        *prepared = (weft_prepared){.asked = backend, .backend = used, .value = value};
    return prepared;
}

static bool call_backend(weft_prepared *prepared, const weft_exchange *exchange)
{
    const weft_wrapper *wrapper = wrapper_of(exchange, prepared->backend);
    if (wrapper) {
        prepared->backend = &wrapper->run;
        return wrapper->prepare(prepared, exchange);
    }
    prepared->state = prepared->backend->prepare(exchange, prepared->value, &prepared->workspace);
    return prepared->state != NULL;
}

/* Collective over `comm`. */
static weft_prepared *prepare(const weft_exchange *exchange, const weft_backend *backend, int value,
                              MPI_Comm comm)
{
    weft_prepared *prepared = exchange ? begin(exchange, backend, value) : NULL;
    if (!weft_agree(comm, prepared != NULL))
        goto fail;
    weft_error_clear();
    if (backend->shared && !weft_exchange_open_node(exchange))
        goto fail;
    const bool ok = call_backend(prepared, exchange), fits = prepared->workspace <= PTRDIFF_MAX;
    if (!ok && weft_error_text()[0] == '\0')
        weft_error("backend %s could not be prepared", backend->name);
    if (ok && !fits)
        weft_error("backend %s asks for %zu bytes of workspace, more than can be addressed",
                   backend->name, prepared->workspace);
    if (!weft_agree(comm, ok && fits))
        goto fail;
    prepared->workspace = weft_round_up(prepared->workspace, 64);
    return prepared;

fail:
    weft_prepared_release(prepared);
    return NULL;
}

weft_prepared *weft_prepare(const weft_exchange *exchange, const weft_backend *backend, int value)
{
    /* This communicator has the ranks of all groups. */
    return prepare(exchange, backend, value, weft_base(exchange)->communicator->all);
}

weft_prepared *weft_prepare_inner(weft_prepared *outer, weft_exchange *exchange, MPI_Comm comm)
{
    weft_prepared *inner = prepare(exchange, outer->asked, outer->value, comm);
    if (!inner) {
        weft_exchange_destroy(exchange);
        return NULL;
    }
    weft_exchange_free_blocks(exchange);
    inner->owned = exchange;
    inner->next = outer->inner;
    outer->inner = inner;
    return inner;
}

size_t weft_prepared_shared(const weft_prepared *prepared)
{
    size_t bytes = prepared->backend->shared ? prepared->backend->shared(prepared->state) : 0;
    for (const weft_prepared *inner = prepared->inner; inner; inner = inner->next) {
        const size_t more = weft_prepared_shared(inner);
        if (!inner->asked->memory)
            bytes += more;
        else if (bytes < more) /* they use the same memory in turn */
            bytes = more;
    }
    return bytes;
}

bool weft_prepared_test(const weft_prepared *prepared)
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
    if (prepared == NULL)
        return;
    for (weft_prepared *next, *inner = prepared->inner; inner; inner = next) {
        next = inner->next;
        weft_prepared_release(inner);
    }
    /* After MPI_Finalize a backend can free neither requests nor datatypes. */
    if (prepared->state != NULL && !weft_mpi_is_over())
        prepared->backend->release(prepared->state);
    weft_exchange_destroy(prepared->owned);
    free(prepared);
}
