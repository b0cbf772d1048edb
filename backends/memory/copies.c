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
#include "backends/messages/blocks.h"

typedef struct {
    weft_message_blocks blocks; /* each block's place is its offset in the part of its sender */
    const weft_memory *memory;
    void *opened;
} copies;

static void release(void *state)
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

void *weft_copies_prepare(const weft_exchange *exchange, const weft_memory *memory)
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
    release(it);
    return NULL;
}

static void start(void *state, const void *in, void *out, void *workspace)
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

const weft_backend weft_copies = {
    .start = start, .finish = weft_finish_nothing, .release = release};
