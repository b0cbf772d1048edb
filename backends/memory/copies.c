/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each rank packs the blocks for other ranks into its own part of the shared memory, and the
 * receivers unpack them from there.
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
#include "backends/memory/copies.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/exchange.h"

typedef struct {
    const weft_exchange *exchange;
    const weft_memory *memory;
    void *opened;
    weft_copy **pack;   /* [ranks] copies into the own part; NULL: nothing to copy */
    weft_copy **unpack; /* [ranks] copies out of the other ranks' parts */
    /* The copy of the own block, if it need not go through the memory. */
    weft_copy *own;
    /* [ranks] offset in this rank's part of the block for each rank. */
    int64_t *place;
    /* [ranks] offset in each rank's part of the block for this rank. */
    int64_t *begin;
} copies;

enum { ALIGNMENT = 64 }; /* bytes; alignment of blocks in a part */

static void release(void *state)
{
    copies *it = state;
    if (!it)
        return;
    for (int peer = 0; peer < it->exchange->ranks; peer++) {
        if (it->pack && it->pack[peer])
            it->exchange->services->copy_release(it->pack[peer]);
        if (it->unpack && it->unpack[peer])
            it->exchange->services->copy_release(it->unpack[peer]);
    }
    if (it->own)
        it->exchange->services->copy_release(it->own);
    if (it->opened)
        it->memory->close(it->opened);
    free(it->pack);
    free(it->unpack);
    free(it->place);
    free(it->begin);
    free(it);
}

/* Whether a block goes through the memory. Out of place the own block does not; in place it must,
 * because its old and new place may overlap. */
static bool travels(const weft_exchange *exchange, int peer)
{
    return exchange->in_place || peer != exchange->rank;
}

/* Local: prepares the copies, and places the blocks in this rank's part. Sets `bytes` to the size
 * of the part. */
static bool make_copies(copies *it, size_t *bytes)
{
    const weft_exchange *exchange = it->exchange;
    const weft_services *services = exchange->services;
    bool ok = true;
    ptrdiff_t end = 0;
    for (int peer = 0; peer < exchange->ranks; peer++) {
        const weft_block *send = services->sent(exchange, peer),
                         *receive = services->received(exchange, peer);
        it->place[peer] = end;
        if (!travels(exchange, peer))
            continue;
        if (send->elements) {
            ok &= (it->pack[peer] = services->pack_prepare(exchange, send)) != NULL;
            end += send->elements * (ptrdiff_t)exchange->element;
            end = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        }
        if (receive->elements)
            ok &= (it->unpack[peer] = services->unpack_prepare(exchange, receive)) != NULL;
    }
    if (!exchange->in_place && exchange->own_elements)
        ok &= (it->own = services->own_prepare(exchange)) != NULL;
    *bytes = (size_t)end;
    return ok;
}

static copies *allocate(const weft_exchange *exchange, size_t *bytes)
{
    size_t ranks = (size_t)exchange->ranks;
    copies *it = calloc(1, sizeof *it);
    if (!it)
        return NULL;
    it->exchange = exchange;
    it->pack = calloc(ranks, sizeof *it->pack);
    it->unpack = calloc(ranks, sizeof *it->unpack);
    it->place = calloc(ranks, sizeof *it->place);
    it->begin = calloc(ranks, sizeof *it->begin);
    if (it->pack && it->unpack && it->place && it->begin && make_copies(it, bytes))
        return it;
    release(it);
    return NULL;
}

void *weft_memory_open(const weft_memory *memory, MPI_Comm comm, size_t bytes,
                       struct weft_device *device)
{
    return device ? memory->open_on(comm, bytes, device) : memory->open(comm, bytes);
}

void *weft_copies_prepare(const weft_exchange *exchange, const weft_memory *memory)
{
    size_t bytes = 0;
    copies *it = allocate(exchange, &bytes);
    if (!it)
        exchange->services->error("no memory for the copies between %d ranks", exchange->ranks);
    if (!weft_agree(exchange->comm, it))
        goto fail;
    MPI_Alltoall(it->place, 1, MPI_INT64_T, it->begin, 1, MPI_INT64_T, exchange->comm);
    it->memory = memory;
    it->opened = weft_memory_open(memory, exchange->comm, bytes, weft_base(exchange)->device);
    if (it->opened)
        return it;

fail:
    release(it);
    return NULL;
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    (void)workspace;
    const copies *it = state;
    const weft_memory *memory = it->memory;
    const int rank = it->exchange->rank, ranks = it->exchange->ranks;
    void (*const copy)(const weft_copy *, const void *, void *) = it->exchange->services->copy_run;
    memory->begin(it->opened);
    char *mine = memory->part(it->opened, rank);
    for (int step = 1; step <= ranks; step++) {
        const int peer = (rank + step) % ranks;
        if (it->pack[peer])
            copy(it->pack[peer], in, mine + it->place[peer]);
    }
    memory->publish(it->opened);
    for (int step = 1; step <= ranks; step++) {
        const int peer = (rank + ranks - step) % ranks;
        const char *theirs = memory->part(it->opened, peer);
        if (it->unpack[peer])
            copy(it->unpack[peer], theirs + it->begin[peer], out);
    }
    memory->done(it->opened);
    if (it->own)
        copy(it->own, in, out);
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    (void)state, (void)in, (void)out, (void)workspace;
}

const weft_backend weft_copies = {.start = start, .finish = finish, .release = release};
