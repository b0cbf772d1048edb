/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alltoall: one MPI_Alltoall, the collective that MPI libraries tune best, as in rocFFT, heFFTe,
 * 2DECOMP and dtFFT. Blocks are packed into slots of one size, that of the largest block of any
 * rank:
 *
 *     slot of rank    0        1        2
 *                     [aaaa]   [bbb.]   [cccc]      all packed, the rest is 0
 *
 * Cost, with latency a, B bytes per second and P ranks of n bytes each: depends on the MPI library,
 * at best (P - 1) a + n / B, or log2 P a for short messages; and one sweep over the memory on each
 * side. To limit the waste of memory and time, `applicable` refuses exchanges in which a rank's
 * largest block is more than a quarter larger than the mean, or in which a rank sends more than
 * twice what it receives, or the reverse. The own slot is empty: the own block is copied without
 * MPI. `start` does everything.
 */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/messages/blocks.h"

typedef struct {
    weft_message_blocks blocks;
    ptrdiff_t slot;           /* bytes */
    ptrdiff_t sent, received; /* offsets of the first slots in the workspace */
    int count;                /* the MPI count of a slot, in units of `type` */
    MPI_Datatype type;
} padded;

static void release(void *state)
{
    padded *made = state;
    if (!made)
        return;
    weft_message_blocks_release(&made->blocks);
    weft_message_type_free(&made->type);
    free(made);
}

static const char *applicable(const weft_exchange *exchange, int value)
{
    const double others = exchange->ranks - 1, sent = (double)exchange->send.elements,
                 received = (double)exchange->receive.elements;
    (void)value;
    return (double)exchange->send.largest * others > 1.25 * sent ||
                   (double)exchange->receive.largest * others > 1.25 * received ||
                   sent > 2 * received || received > 2 * sent
               ? "its blocks differ too much in size"
               : NULL;
}

static padded *allocate(const weft_exchange *exchange)
{
    padded *made = calloc(1, sizeof *made);
    if (made) {
        made->type = MPI_BYTE;
        if (weft_message_blocks_prepare(&made->blocks, exchange,
                                        WEFT_BLOCKS_BOTH | WEFT_BLOCKS_COPIED | WEFT_BLOCKS_EARLY))
            return made;
    }
    exchange->services->error("no memory for a collective call of %d ranks", exchange->ranks);
    release(made);
    return NULL;
}

/* Places the slots from `begin` on; returns the end. */
static ptrdiff_t place(const padded *made, weft_message_block *block, ptrdiff_t begin)
{
    const int ranks = made->blocks.exchange->ranks;
    for (int peer = 0; peer < ranks; peer++)
        block[peer].place = begin + peer * made->slot;
    return weft_round_to_alignment(begin + ranks * made->slot);
}

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    const ptrdiff_t sent = exchange->send.largest, received = exchange->receive.largest,
                    own = exchange->own_elements * (ptrdiff_t)exchange->element;
    padded *made = allocate(exchange);
    (void)value;
    if (!weft_agree(exchange->comm, made))
        goto fail;
    made->slot =
        (ptrdiff_t)weft_agree_max(exchange->comm, (double)(sent > received ? sent : received)) *
        (ptrdiff_t)exchange->element;
    made->sent =
        made->blocks.own_pack ? weft_round_to_alignment(own) : 0; /* the own block is at offset 0 */
    made->received = place(made, made->blocks.send, made->sent);
    *workspace = (size_t)place(made, made->blocks.receive, made->received);
    if (weft_message_type(exchange->services, made->slot, &made->count, &made->type))
        return made;
fail:
    release(made);
    return NULL;
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    const padded *made = state;
    const weft_message_blocks *blocks = &made->blocks;
    const weft_exchange *exchange = blocks->exchange;
    char *work = workspace;
    weft_message_blocks_begin(blocks, in, out, workspace);
    for (int peer = 0; peer < exchange->ranks; peer++) {
        const ptrdiff_t bytes = blocks->send[peer].bytes;
        memset(work + made->sent + peer * made->slot + bytes, 0, (size_t)(made->slot - bytes));
    }
    MPI_Alltoall(work + made->sent, made->count, made->type, work + made->received, made->count,
                 made->type, exchange->comm);
    weft_message_blocks_own(blocks, in, out);
    for (int peer = 0; peer < exchange->ranks; peer++)
        weft_message_unpack(blocks, peer, out, workspace);
}

const weft_backend weft_backend_alltoall = {
    .version = WEFT_BACKEND_VERSION,
    .name = "alltoall",
    .about = "pack into slots of one size, one MPI_Alltoall, unpack",
    .cost = &(const weft_backend_cost){.sweeps = 1.2, .at_once = 1.6, .unpack_lag = 1},
    .applicable = applicable,
    .prepare = prepare,
    .start = start,
    .finish = weft_finish_nothing,
    .release = release,
};
