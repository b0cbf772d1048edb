/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bruck: the k-way algorithm of Bruck and others (1997), algorithms 4 and 5 of AccFFT, for any
 * number of ranks. A block from rank r to rank r + j travels along the digits of its distance j in
 * radix k. There is one stage for each digit weight w = 1, k, k^2, ...: in the stage of weight w,
 * rank q sends all blocks whose digit is d in one message to rank q + d w.
 *
 *     blocks by their distance j, P = 9, k = 3
 *     stage w = 1    to rank + 1: 1 4 7    to rank + 2: 2 5 8    1 and 2 arrive, the rest goes on
 *     stage w = 3    to rank + 3: 3 4 5    to rank + 6: 6 7 8    all arrive; 3 and 6 start here
 *
 * Where k divides P, the first stage stays within groups of k consecutive ranks, which usually are
 * on one node: the first digit is added without a carry.
 *
 * Cost, with latency a, B bytes per second and P ranks of n bytes each: ceil(log_k P) stages with
 * k - 1 messages under way at a time, so (k - 1) log_k P a + (k - 1) / k log_k P n / B; and in
 * every stage a copy of the blocks that travel on. Small k suits many small blocks. With k = P
 * there is a single stage of direct messages, which copies only the blocks that are not contiguous.
 *
 * prepare lists all messages of a run, and the places of the blocks between them. Blocks may differ
 * in size, so prepare sends the sizes of passing blocks along the same paths that the blocks will
 * take. A block is packed directly into its first message and unpacked directly from its last.
 */
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/messages/blocks.h"

/* A special value of `held`: the block starts at this rank, so no message has brought it. */
enum { BEGINS_HERE = -1 };

/* While prepare follows the blocks: the block of one distance that is at this rank now. */
typedef struct {
    MPI_Aint bytes;
    ptrdiff_t held; /* its offset in the workspace, or BEGINS_HERE */
} held_block;

/* Two blocks of one distance: one leaves this rank with a transfer, the other arrives. */
typedef struct {
    int distance;
    ptrdiff_t held; /* offset of the leaving block, or BEGINS_HERE */
    ptrdiff_t out_bytes, in_bytes;
} carried_blocks;

/* A message that leaves, and the message that arrives in the same step. */
typedef struct {
    /* The messages are in the workspace, except messages of a single block. */
    weft_message out, in;
    carried_blocks *carried; /* ordered by distance */
    int number;
    /* The first `arriving` blocks are at their destination now, the others travel on. */
    int arriving;
} transfer;

typedef struct {
    /* The blocks, each placed in its first or last message. */
    weft_message_blocks blocks;
    transfer *transfer;
    int transfers, stages;
    int stage[8 * sizeof(int) + 1]; /* first transfer of each stage, and the end */
    carried_blocks *carried;        /* blocks of all transfers */
    int group;       /* consecutive ranks that exchange in the first stage: the radix, or all */
    held_block *now; /* [ranks] ordered by distance */
    /* [2 * ranks] sizes of the blocks of one transfer. */
    MPI_Aint *size;
} bruck;

/* The radix for a value: from 2 to the number of ranks. The default makes two stages. */
static int radix_for(const weft_exchange *exchange, int value)
{
    ptrdiff_t ranks = exchange->ranks, radix = value;
    if (value <= 0)
        for (radix = 2; radix * radix < ranks;)
            radix++;
    if (radix > ranks)
        radix = ranks;
    return radix < 2 ? 2 : (int)radix;
}

/* The rank at a distance from this rank. With groups of k ranks, the first digit of the distance
 * leads to a rank of the same group, and the other digits to the same place in another group. */
static int rank_at(const bruck *made, int sign, ptrdiff_t distance)
{
    const weft_exchange *exchange = made->blocks.exchange;
    const ptrdiff_t group = made->group, groups = exchange->ranks / group;
    const ptrdiff_t place = exchange->rank % group + sign * (distance % group) + group;
    const ptrdiff_t here = exchange->rank / group + sign * (distance / group) + groups;
    return (int)(here % groups * group + place % group);
}

static bruck *allocate(const weft_exchange *exchange, int radix)
{
    size_t stages = 0, ranks = (size_t)exchange->ranks;
    bruck *made = weft_messages_make(sizeof *made, exchange, WEFT_BLOCKS_BOTH);
    if (!made)
        return NULL;
    weft_message_blocks *blocks = &made->blocks;
    for (ptrdiff_t weight = 1; weight < exchange->ranks; weight *= radix)
        stages++;
    made->transfer = weft_message_new(blocks, stages * (size_t)(radix - 1), sizeof *made->transfer);
    made->carried = weft_message_new(blocks, stages * ranks, sizeof *made->carried);
    made->now = weft_message_new(blocks, ranks, sizeof *made->now);
    made->size = weft_message_new(blocks, 2 * ranks, sizeof *made->size);
    return weft_messages_made(made);
}

/* Adds the transfer of all blocks whose digit of this weight is step / weight. */
static carried_blocks *add_transfer(bruck *made, ptrdiff_t step, ptrdiff_t weight, int radix,
                                    carried_blocks *next)
{
    const weft_exchange *exchange = made->blocks.exchange;
    const ptrdiff_t ranks = exchange->ranks;
    transfer *one = &made->transfer[made->transfers++];
    one->out.peer = rank_at(made, 1, step);
    one->in.peer = rank_at(made, -1, step);
    one->carried = next;
    for (ptrdiff_t run = step; run < ranks; run += weight * radix)
        for (ptrdiff_t j = run; j < run + weight && j < ranks; j++) {
            one->arriving += run == step;
            next++->distance = (int)j;
        }
    one->number = (int)(next - one->carried);
    return next;
}

static void list(bruck *made, int radix)
{
    const ptrdiff_t ranks = made->blocks.exchange->ranks;
    carried_blocks *next = made->carried;
    for (ptrdiff_t weight = 1; weight < ranks; weight *= radix) {
        for (ptrdiff_t step = weight; step < weight * radix && step < ranks; step += weight)
            next = add_transfer(made, step, weight, radix, next);
        made->stage[++made->stages] = made->transfers;
    }
}

/* Collective: sets the sizes of the blocks that leave and arrive with a transfer. */
static void exchange_sizes(bruck *made, transfer *one)
{
    const weft_exchange *exchange = made->blocks.exchange;
    MPI_Aint *out = made->size, *in = made->size + one->number;
    for (int i = 0; i < one->number; i++)
        out[i] = made->now[one->carried[i].distance].bytes;
    MPI_Sendrecv(out, one->number, MPI_AINT, one->out.peer, exchange->tag, in, one->number,
                 MPI_AINT, one->in.peer, exchange->tag, exchange->comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < one->number; i++) {
        carried_blocks *carried = &one->carried[i];
        carried->held = made->now[carried->distance].held;
        one->out.bytes += carried->out_bytes = out[i];
        one->in.bytes += carried->in_bytes = in[i];
    }
}

/* Places the blocks of an arriving message in the workspace, from `place` on. (A message of one
 * block that is at its destination goes directly to the array.) Returns the end. */
static ptrdiff_t place_in(bruck *made, transfer *one, ptrdiff_t place)
{
    one->in.place = place;
    for (int i = 0; i < one->number; i++) {
        const carried_blocks *carried = &one->carried[i];
        const int from = rank_at(made, -1, carried->distance);
        weft_message_block *block = &made->blocks.receive[from];
        made->now[carried->distance] = (held_block){.bytes = carried->in_bytes, .held = place};
        if (i < one->arriving && block->copy)
            block->place = place;
        place += carried->in_bytes;
    }
    return weft_round_to_alignment(place);
}

static ptrdiff_t place_out(bruck *made, transfer *one, ptrdiff_t place)
{
    const weft_exchange *exchange = made->blocks.exchange;
    one->out.place = place;
    for (int i = 0; i < one->number; i++) {
        const carried_blocks *carried = &one->carried[i];
        weft_message_block *block = &made->blocks.send[rank_at(made, 1, carried->distance)];
        if (carried->held == BEGINS_HERE && block->copy && !exchange->in_place)
            block->place = place;
        place += carried->out_bytes;
    }
    return weft_round_to_alignment(place);
}

/* Collective: follows every block through the stages, and gives it a place on each rank where it
 * arrives. Returns the end in the workspace. */
static ptrdiff_t place_all_in(bruck *made)
{
    const weft_exchange *exchange = made->blocks.exchange;
    ptrdiff_t end = exchange->in_place ? weft_message_blocks_place_sent(&made->blocks) : 0;
    for (int j = 1; j < exchange->ranks; j++)
        made->now[j] = (held_block){.bytes = made->blocks.send[rank_at(made, 1, j)].bytes,
                                    .held = BEGINS_HERE};
    for (int i = 0; i < made->transfers; i++) {
        exchange_sizes(made, &made->transfer[i]);
        end = place_in(made, &made->transfer[i], end);
    }
    return end;
}

/* Places the leaving messages. All stages use the same memory, because the messages of a stage have
 * left before the next stage begins. Returns the end. */
static ptrdiff_t place_all_out(bruck *made, ptrdiff_t begin)
{
    ptrdiff_t most = begin;
    for (int stage = 0; stage < made->stages; stage++) {
        ptrdiff_t place = begin;
        for (int i = made->stage[stage]; i < made->stage[stage + 1]; i++)
            place = place_out(made, &made->transfer[i], place);
        most = place > most ? place : most;
    }
    return most;
}

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    const int radix = radix_for(exchange, value);
    bruck *made = allocate(exchange, radix);
    if (!weft_agree(exchange->comm, made)) {
        weft_messages_release(made);
        return NULL;
    }
    made->group = exchange->ranks % radix == 0 ? radix : exchange->ranks;
    list(made, radix);
    *workspace = (size_t)place_all_out(made, place_all_in(made));
    weft_message_blocks *blocks = &made->blocks;
    const size_t messages = weft_message_count(blocks, 2 * radix, (ptrdiff_t)*workspace);
    blocks->request = weft_message_new(blocks, messages, sizeof *blocks->request);
    return weft_messages_made(made);
}

/* Fills a message and returns its address. A message of one block is sent from where the block is.
 */
static const void *fill(const bruck *made, const transfer *one, const void *in, void *workspace)
{
    char *work = workspace, *place = work + one->out.place;
    for (int i = 0; i < one->number; i++) {
        const carried_blocks *carried = &one->carried[i];
        const int to = rank_at(made, 1, carried->distance);
        if (!carried->out_bytes)
            continue;
        const void *block = work + carried->held;
        if (carried->held == BEGINS_HERE)
            block = weft_message_pack(&made->blocks, to, in, work);
        if (carried->out_bytes == one->out.bytes)
            return block;
        if (block != place)
            memcpy(place, block, (size_t)carried->out_bytes);
        place += carried->out_bytes;
    }
    return work + one->out.place;
}

/* The address at which a message is received: directly in the array, if the message is one block
 * that arrives at its destination. */
static void *receive_at(const bruck *made, const transfer *one, void *out, void *workspace)
{
    for (int i = 0; i < one->arriving; i++)
        if (one->carried[i].in_bytes == one->in.bytes)
            return weft_message_target(&made->blocks, rank_at(made, -1, one->carried[i].distance),
                                       out, workspace);
    return (char *)workspace + one->in.place;
}

static void empty(const bruck *made, const transfer *one, void *out, void *workspace)
{
    const char *place = (const char *)workspace + one->in.place;
    for (int i = 0; i < one->arriving; place += one->carried[i++].in_bytes) {
        const size_t bytes = (size_t)one->carried[i].in_bytes;
        const int from = rank_at(made, -1, one->carried[i].distance);
        const weft_message_block *block = &made->blocks.receive[from];
        if (block->copy)
            weft_message_unpack(&made->blocks, from, out, workspace);
        else if (bytes && bytes != (size_t)one->in.bytes)
            memcpy((char *)out + block->begin, place, bytes);
    }
}

static void post(bruck *made, int stage, const void *in, void *out, void *workspace)
{
    weft_message_blocks *blocks = &made->blocks;
    const transfer *begin = made->transfer + made->stage[stage],
                   *end = made->transfer + made->stage[stage + 1];
    blocks->receives = blocks->sends = 0;
    for (const transfer *one = begin; one < end; one++)
        weft_message_receive(blocks, one->in.peer, receive_at(made, one, out, workspace),
                             one->in.bytes);
    for (const transfer *one = begin; one < end; one++)
        weft_message_send(blocks, one->out.peer, fill(made, one, in, workspace), one->out.bytes);
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    bruck *made = state;
    weft_message_blocks_begin(&made->blocks, in, out, workspace);
    post(made, 0, in, out, workspace);
    weft_message_blocks_own(&made->blocks, in, out);
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    bruck *made = state;
    for (int stage = 0; stage < made->stages; stage++) {
        if (stage > 0)
            post(made, stage, in, out, workspace);
        weft_messages_wait(&made->blocks);
        for (int i = made->stage[stage]; i < made->stage[stage + 1]; i++)
            empty(made, &made->transfer[i], out, workspace);
    }
}

static const char *applicable(const weft_exchange *exchange, int value)
{
    (void)exchange;
    return value == 1 ? "the radix must be at least 2" : NULL;
}

/* The radix for two stages, the radix for one stage, and powers of two between. */
static int values(const weft_exchange *exchange, int *value, int most)
{
    int two_stages = radix_for(exchange, 0), number = 0;
    if (number < most)
        value[number++] = two_stages;
    if (number < most && exchange->ranks > two_stages)
        value[number++] = exchange->ranks;
    for (int radix = 2; radix < exchange->ranks && radix <= 64 && number < most; radix *= 2)
        if (radix != two_stages)
            value[number++] = radix;
    return number;
}

const weft_backend weft_backend_bruck = {
    .version = WEFT_BACKEND_VERSION,
    .name = "bruck",
    .about = "log_k P stages of k - 1 messages, blocks that go the same way together",
    .parameter = "k, the radix",
    .cost = &(const weft_backend_cost){.sweeps = 1, .in_stages = 1, .at_once = 1, .unpack_lag = 1},
    .applicable = applicable,
    .values = values,
    .prepare = prepare,
    .start = start,
    .finish = finish,
    .release = weft_messages_release,
};
