/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overlap: sends messages of k KB while the pass before the exchange still runs. The pass completes
 * every block from its first element on, and each message leaves as soon as its part is complete:
 *
 *     pass        |tiles|tiles|tiles|tiles|
 *     messages          |0 0 0|1 1 1|2 2 2|3 3 3|
 *
 * Short messages leave at once and arrive in order. A long message begins with a handshake, which
 * would wait behind the data of earlier messages. Over TCP, 16 KB are short and 64 KB are long for
 * MPICH 4.0 and Open MPI 4.1.
 *
 * Cost: the longer of the pass and the messages, plus the last part of the shorter one. There are
 * more messages than with waitall, so the backend is slower where the network is fast.
 */
#include <limits.h>
#include "backends/exchange/exchange.h"
#include "backends/messages/blocks.h"

enum { DEFAULT_KB = 16, KB = 1024, MOST_KB = INT_MAX / KB };

typedef struct {
    weft_message_blocks blocks;
    ptrdiff_t part;  /* bytes of a message */
    ptrdiff_t *sent; /* [ranks] bytes of each block that have been sent */
} overlapped;

static ptrdiff_t part_for(int value)
{
    return (ptrdiff_t)(value > 0 ? value : DEFAULT_KB) * KB;
}

/* The bytes of the message that begins at byte `at` of a block. */
static int message_bytes(const overlapped *made, ptrdiff_t block_bytes, ptrdiff_t at)
{
    return (int)(block_bytes - at < made->part ? block_bytes - at : made->part);
}

static ptrdiff_t messages(const overlapped *made, const weft_message_block *block)
{
    ptrdiff_t sum = 0;
    for (int peer = 0; peer < made->blocks.exchange->ranks; peer++)
        sum += (block[peer].bytes + made->part - 1) / made->part;
    return sum;
}

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    overlapped *made = weft_messages_make(sizeof *made, exchange, WEFT_BLOCKS_BOTH);
    if (!made)
        return NULL;
    made->part = part_for(value);
    made->sent = weft_message_new(&made->blocks, (size_t)exchange->ranks, sizeof *made->sent);
    weft_message_blocks *blocks = &made->blocks;
    blocks->receives = (int)messages(made, blocks->receive);
    const size_t requests = (size_t)blocks->receives + (size_t)messages(made, blocks->send);
    blocks->request = weft_message_new(blocks, requests, sizeof *blocks->request);
    *workspace = (size_t)weft_message_blocks_place_groups(blocks, exchange->ranks);
    return weft_messages_made(made);
}

static void begin(void *state, void *out, void *workspace)
{
    overlapped *made = state;
    const weft_exchange *exchange = made->blocks.exchange;
    MPI_Request *request = made->blocks.request;
    made->blocks.sends = 0;
    for (int step = 1; step < exchange->ranks; step++) {
        const int from = weft_step_from(exchange, step);
        const ptrdiff_t bytes = made->blocks.receive[from].bytes;
        char *const target = weft_message_target(&made->blocks, from, out, workspace);
        made->sent[from] = 0;
        for (ptrdiff_t at = 0; at < bytes; at += made->part)
            MPI_Irecv(target + at, message_bytes(made, bytes, at), MPI_BYTE, from, exchange->tag,
                      exchange->comm, request++);
    }
}

/* Sends the messages of a block whose bytes before `end` are complete. */
static void send_until(overlapped *made, int to, const char *block, ptrdiff_t end)
{
    weft_message_blocks *blocks = &made->blocks;
    const weft_exchange *exchange = blocks->exchange;
    const ptrdiff_t bytes = blocks->send[to].bytes;
    for (ptrdiff_t *at = &made->sent[to]; *at < bytes; *at += made->part) {
        const int length = message_bytes(made, bytes, *at);
        if (*at + length > end)
            return;
        MPI_Isend(block + *at, length, MPI_BYTE, to, exchange->tag, exchange->comm,
                  &blocks->request[blocks->receives + blocks->sends++]);
    }
}

static void send_part(overlapped *made, const void *in, void *workspace, ptrdiff_t done,
                      ptrdiff_t of)
{
    const weft_exchange *exchange = made->blocks.exchange;
    for (int step = 1; step < exchange->ranks; step++) {
        const int to = weft_step_to(exchange, step);
        send_until(made, to, weft_message_pack(&made->blocks, to, in, workspace),
                   made->blocks.send[to].bytes / of * done);
    }
}

static void send(void *state, const void *in, ptrdiff_t done, ptrdiff_t of)
{
    overlapped *made = state;
    int ignored;
    send_part(made, in, NULL, done, of); /* the blocks are contiguous, so no workspace is needed */
    if (made->blocks.receives > 0)       /* lets MPI make progress */
        MPI_Test(&made->blocks.request[made->blocks.receives - 1], &ignored, MPI_STATUS_IGNORE);
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    overlapped *made = state;
    weft_message_blocks_begin(&made->blocks, in, out, workspace);
    begin(state, out, workspace);
    send_part(made, in, workspace, 1, 1);
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    overlapped *made = state;
    const weft_exchange *exchange = made->blocks.exchange;
    weft_message_blocks_own(&made->blocks, in, out);
    MPI_Waitall(made->blocks.receives, made->blocks.request, made->blocks.ignored);
    for (int step = 1; step < exchange->ranks; step++)
        weft_message_unpack(&made->blocks, weft_step_from(exchange, step), out, workspace);
    weft_messages_wait(&made->blocks);
}

static const char *applicable(const weft_exchange *exchange, int value)
{
    const ptrdiff_t elements = exchange->in_elements + exchange->out_elements;
    if (value < 0 || value > MOST_KB)
        return "a message has 1 to 2097151 KB";
    return elements / part_for(value) * (ptrdiff_t)exchange->element > INT_MAX - 2 * exchange->ranks
               ? "there would be too many messages"
               : NULL;
}

static int values(const weft_exchange *exchange, int *value, int most)
{
    (void)exchange;
    if (most > 0)
        value[0] = DEFAULT_KB;
    return most > 0;
}

const weft_backend weft_backend_overlap = {
    .version = WEFT_BACKEND_VERSION,
    .name = "overlap",
    .about = "messages of k KB, sent while the pass before still runs",
    .parameter = "k, KB of a message",
    .applicable = applicable,
    .values = values,
    .prepare = prepare,
    .start = start,
    .finish = finish,
    .release = weft_messages_release,
    .test = weft_messages_test,
    .begin = begin,
    .send = send,
};
