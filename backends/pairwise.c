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
#include "backends/messages/pieces.h"

#include <stdlib.h>

static void release(void *state)
{
    weft_message_pieces *pieces = state;
    if (pieces)
        weft_message_pieces_release(pieces);
    free(pieces);
}

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    weft_message_pieces *pieces = calloc(1, sizeof *pieces);
    if (!pieces) {
        exchange->services->error("no memory for an exchange");
        return NULL;
    }
    if (!weft_message_pieces_prepare(pieces, exchange, WEFT_PIECES_BOTH)) {
        release(pieces);
        return NULL;
    }
    *workspace = (size_t)weft_message_pieces_place_groups(pieces, 1);
    return pieces;
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    const weft_message_pieces *pieces = state;
    const weft_exchange *exchange = pieces->exchange;
    weft_message_pieces_begin(pieces, in, out, workspace);
    weft_message_pieces_own(pieces, in, out);
    for (int step = 1; step < exchange->ranks; step++) {
        int to = weft_step_to(exchange, step), from = weft_step_from(exchange, step);
        const weft_message_piece *sent = &pieces->send[to], *received = &pieces->receive[from];
        const void *outgoing = sent->bytes ? weft_message_from(pieces, to, in, workspace) : NULL;
        void *incoming = received->bytes ? weft_message_to(pieces, from, out, workspace) : NULL;
        /* If a block is empty, both ends know that, and both use MPI_PROC_NULL. */
        int send, receive;
        const MPI_Datatype send_type = weft_message_told(pieces, true, to, &send),
                           receive_type = weft_message_told(pieces, false, from, &receive);
        MPI_Sendrecv(outgoing, send, send_type, sent->bytes ? to : MPI_PROC_NULL, exchange->tag,
                     incoming, receive, receive_type, received->bytes ? from : MPI_PROC_NULL,
                     exchange->tag, exchange->comm, MPI_STATUS_IGNORE);
        weft_message_arrived(pieces, from, out, workspace);
    }
}

const weft_backend weft_backend_pairwise = {
    .version = WEFT_BACKEND_VERSION,
    .name = "pairwise",
    .about = "P - 1 steps of MPI_Sendrecv with rank + i and rank - i",
    .cost = &(const weft_backend_cost){.sweeps = 1, .in_steps = 1, .at_once = 1, .unpack_lag = 0.9},
    .applicable = weft_applicable_always,
    .prepare = prepare,
    .start = start,
    .finish = weft_finish_nothing,
    .release = release,
};
