/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pairwise: P - 1 steps of MPI_Sendrecv, as in FFTW and OpenFFT. In step i each rank sends to
 * rank + i and receives from rank - i.
 *
 * Cost: (P - 1) a + (P - 1) / P n / B, with latency a, B bytes per second and P ranks of n bytes
 * each. Every rank communicates with only two others at a time, so the network is never crowded,
 * and the workspace is one message each way. A slow step delays all steps after it. `start` does
 * everything.
 */
#include "backends/messages/blocks.h"

#include <stdlib.h>

static void release(void *state)
{
    weft_message_blocks *blocks = state;
    if (blocks)
        weft_message_blocks_release(blocks);
    free(blocks);
}

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    weft_message_blocks *blocks = calloc(1, sizeof *blocks);
    if (!blocks) {
        exchange->services->error("no memory for an exchange");
        return NULL;
    }
    if (!weft_message_blocks_prepare(blocks, exchange, WEFT_BLOCKS_BOTH)) {
        release(blocks);
        return NULL;
    }
    *workspace = (size_t)weft_message_blocks_place_groups(blocks, 1);
    return blocks;
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    const weft_message_blocks *blocks = state;
    const weft_exchange *exchange = blocks->exchange;
    weft_message_blocks_begin(blocks, in, out, workspace);
    weft_message_blocks_own(blocks, in, out);
    for (int step = 1; step < exchange->ranks; step++) {
        int to = weft_step_to(exchange, step), from = weft_step_from(exchange, step);
        const weft_message_block *sent = &blocks->send[to], *received = &blocks->receive[from];
        const void *outgoing = sent->bytes ? weft_message_pack(blocks, to, in, workspace) : NULL;
        void *incoming = received->bytes ? weft_message_target(blocks, from, out, workspace) : NULL;
        /* If a block is empty, both ends know that, and both use MPI_PROC_NULL. */
        int send, receive;
        const MPI_Datatype send_type = weft_message_datatype(blocks, true, to, &send),
                           receive_type = weft_message_datatype(blocks, false, from, &receive);
        MPI_Sendrecv(outgoing, send, send_type, sent->bytes ? to : MPI_PROC_NULL, exchange->tag,
                     incoming, receive, receive_type, received->bytes ? from : MPI_PROC_NULL,
                     exchange->tag, exchange->comm, MPI_STATUS_IGNORE);
        weft_message_unpack(blocks, from, out, workspace);
    }
}

const weft_backend weft_backend_pairwise = {
    .version = WEFT_BACKEND_VERSION,
    .name = "pairwise",
    .about = "P - 1 steps of MPI_Sendrecv with rank + i and rank - i",
    .cost = &(const weft_backend_cost){.sweeps = 1, .in_steps = 1, .at_once = 1, .unpack_lag = 0.9},
    .prepare = prepare,
    .start = start,
    .finish = weft_finish_nothing,
    .release = release,
};
