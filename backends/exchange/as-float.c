/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * WEFT_WIRE=float: carries out an exchange of doubles with any backend of messages, but sends each
 * double as a float:
 *
 *     array, rank 0           floats                   floats               array, rank 1
 *     | own | to 1 |  -copy->  | to 1 |  --message-->  | from 0 |  -copy->  | from 0 | own |
 *
 * The backend sees an exchange of contiguous blocks of floats, one after another. Each value is
 * rounded once per exchange, with a relative error of at most 6e-8. A block that is not contiguous
 * is packed or unpacked in a scratch buffer, which all blocks use in turn.
 *
 *     workspace    [ scratch | floats to send | floats received | workspace of the backend ]
 *
 * Cost: half the bytes; one more sweep over the sent and received data at each end. No message
 * leaves before all blocks have been packed, except with a backend that sends while the pass before
 * runs.
 */
#include "backends/exchange/exchange.h"
#include "backends/messages/blocks.h"

typedef struct {
    weft_message_blocks blocks; /* of doubles */
    const weft_prepared *floats;
    char *workspace;                /* of the run that `begin` began */
    ptrdiff_t narrowed;             /* steps of the pass whose numbers are floats now */
    ptrdiff_t sent, received, work; /* offsets in the workspace */
} as_float;

/* The size of the scratch buffer; the place of every block in it is 0. */
static ptrdiff_t scratch_bytes(const weft_exchange *exchange)
{
    const ptrdiff_t send = exchange->send.largest, receive = exchange->receive.largest,
                    own = exchange->own_elements, more = send > receive ? send : receive;
    return weft_round_to_alignment((more > own ? more : own) * (ptrdiff_t)exchange->element);
}

static bool prepare(weft_prepared *prepared, const weft_exchange *exchange)
{
    as_float *it = weft_messages_make(sizeof *it, exchange, WEFT_BLOCKS_BOTH | WEFT_BLOCKS_APART);
    weft_exchange *floats = it ? weft_exchange_packed(exchange, 1, false) : NULL;
    const weft_prepared *inner = weft_prepare_inner(prepared, floats, exchange->comm);
    prepared->state = it;
    if (!inner)
        return false;
    const ptrdiff_t element = (ptrdiff_t)floats->element;
    it->floats = inner;
    it->sent = scratch_bytes(exchange);
    it->received = it->sent + weft_round_to_alignment(floats->in_elements * element);
    it->work = it->received + weft_round_to_alignment(floats->out_elements * element);
    prepared->workspace = (size_t)it->work + inner->workspace;
    return true;
}

static float *narrow(float *to, const double *from, ptrdiff_t values)
{
    for (ptrdiff_t i = 0; i < values; i++)
        to[i] = (float)from[i];
    return to + values;
}

static const float *widen(double *to, const float *from, ptrdiff_t values)
{
    for (ptrdiff_t i = 0; i < values; i++)
        to[i] = from[i];
    return from + values;
}

static ptrdiff_t values_of(const weft_message_block *block)
{
    return block->bytes / (ptrdiff_t)sizeof(double);
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    as_float *it = state;
    const weft_message_blocks *blocks = &it->blocks;
    char *work = workspace;
    float *to = (float *)(void *)(work + it->sent);
    for (int peer = 0; peer < blocks->exchange->ranks; peer++)
        to = narrow(to, weft_message_pack(blocks, peer, in, workspace),
                    values_of(&blocks->send[peer]));
    it->floats->backend->start(it->floats->state, work + it->sent, work + it->received,
                               work + it->work);
    weft_message_blocks_own_in_place(blocks, in, out, workspace);
}

static void begin(void *state, void *out, void *workspace)
{
    (void)out;
    as_float *it = state;
    it->workspace = workspace;
    it->narrowed = 0;
    it->floats->backend->begin(it->floats->state, it->workspace + it->received,
                               it->workspace + it->work);
}

static void send(void *state, const void *in, ptrdiff_t done, ptrdiff_t of)
{
    as_float *it = state;
    const weft_message_blocks *blocks = &it->blocks;
    float *to = (float *)(void *)(it->workspace + it->sent);
    for (int peer = 0; peer < blocks->exchange->ranks; peer++) {
        const ptrdiff_t values = values_of(&blocks->send[peer]), step = values / of;
        const double *from = weft_message_pack(blocks, peer, in, it->workspace);
        narrow(to + step * it->narrowed, from + step * it->narrowed, step * (done - it->narrowed));
        to += values;
    }
    it->narrowed = done;
    it->floats->backend->send(it->floats->state, it->workspace + it->sent, done, of);
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    as_float *it = state;
    const weft_message_blocks *blocks = &it->blocks;
    char *work = workspace;
    const float *from = (const float *)(void *)(work + it->received);
    weft_message_blocks_own(blocks, in, out);
    it->floats->backend->finish(it->floats->state, work + it->sent, work + it->received,
                                work + it->work);
    for (int peer = 0; peer < blocks->exchange->ranks; peer++) {
        from = widen(weft_message_target(blocks, peer, out, workspace), from,
                     values_of(&blocks->receive[peer]));
        weft_message_unpack(blocks, peer, out, workspace);
    }
}

static int test(void *state)
{
    return weft_prepared_test(((const as_float *)state)->floats);
}

const weft_wrapper weft_wrapper_as_float = {.prepare = prepare,
                                            .run = {.start = start,
                                                    .finish = finish,
                                                    .release = weft_messages_release,
                                                    .test = test,
                                                    .begin = begin,
                                                    .send = send}};
