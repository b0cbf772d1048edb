/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message blocks. Prepare makes everything that runs need: the copies that pack and unpack, and the
 * datatypes of messages too large for an int. Cost of a run: one copy of each non-contiguous block
 * at each end; in place, one copy of every sent block.
 */
#include "backends/messages/blocks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/memory.h"

enum { ALIGNMENT = 64 };

ptrdiff_t weft_round_to_alignment(ptrdiff_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static ptrdiff_t limit = INT_MAX;

ptrdiff_t weft_limit(void)
{
    return limit;
}

void weft_limit_set(ptrdiff_t lowered)
{
    limit = lowered > 0 && lowered < INT_MAX ? lowered : INT_MAX;
}

bool weft_message_type(const weft_services *services, ptrdiff_t bytes, int *count,
                       MPI_Datatype *type)
{
    *count = bytes <= weft_limit() ? (int)bytes : 1;
    *type = MPI_BYTE;
    if (bytes <= weft_limit() || services->bytes_type(bytes, type))
        return true;
    *type = MPI_BYTE;
    return false;
}

void weft_message_type_free(MPI_Datatype *type)
{
    if (*type != MPI_BYTE && *type != MPI_DATATYPE_NULL)
        MPI_Type_free(type);
    *type = MPI_DATATYPE_NULL;
}

/* The previous copied block with one region. */
typedef struct {
    weft_copy *copy; /* NULL: none yet */
    int axes;
    ptrdiff_t count[WEFT_MAX_AXES + 1], stride[WEFT_MAX_AXES + 1];
} copied_block;

static bool is_alike(const copied_block *last, const weft_block *block)
{
    const size_t bytes = (size_t)block->axes * sizeof block->count[0];
    return last->copy && last->axes == block->axes &&
           memcmp(last->count, block->count, bytes) == 0 &&
           memcmp(last->stride, block->stride, bytes) == 0;
}

/* Prepares the copy of a block, or reuses the copy of the previous block if both have the same
 * shape. The copy is relative to the start of the block, or to the start of the array for a block
 * of several regions, which is never reused. Returns NULL when memory runs out. */
static weft_copy *copy_prepare(const weft_exchange *exchange, const weft_block *block, bool sent,
                               copied_block *last)
{
    const weft_services *services = exchange->services;
    weft_block there = *block;
    if (!block->next && is_alike(last, block))
        return last->copy;
    if (!block->next)
        there.offset = 0;
    weft_copy *copy = sent ? services->pack_prepare(exchange, &there)
                           : services->unpack_prepare(exchange, &there);
    last->copy = block->next ? NULL : copy;
    last->axes = block->axes;
    memcpy(last->count, block->count, (size_t)block->axes * sizeof block->count[0]);
    memcpy(last->stride, block->stride, (size_t)block->axes * sizeof block->stride[0]);
    return copy;
}

static bool message_prepare(weft_message_block *message, const weft_exchange *exchange,
                            const weft_block *block, bool sent, bool copied, copied_block *last)
{
    if (!block->elements)
        return true;
    const bool copies = copied || !block->contiguous;
    message->bytes = block->elements * (ptrdiff_t)exchange->element;
    if (!block->next)
        message->begin = block->offset * (ptrdiff_t)exchange->element;
    if (copies)
        message->copy = copy_prepare(exchange, block, sent, last);
    return !copies || message->copy;
}

/* Makes datatypes for blocks that are too large for an int; returns false when memory runs out. */
static bool types_prepare(weft_message_blocks *blocks, const weft_message_block *message, bool sent)
{
    const weft_exchange *exchange = blocks->exchange;
    int longest = 0, count;
    for (int peer = 0; peer < exchange->ranks; peer++)
        longest = message[peer].bytes > message[longest].bytes ? peer : longest;
    if (message[longest].bytes <= weft_limit())
        return true;
    MPI_Datatype *type = weft_new((size_t)exchange->ranks, sizeof *type, "messages");
    bool ok = type;
    blocks->type[sent] = type;
    for (int peer = 0; type && peer < exchange->ranks; peer++)
        ok &= weft_message_type(exchange->services, message[peer].bytes, &count, &type[peer]);
    return ok;
}

static bool side_prepare(weft_message_blocks *blocks, bool sent, unsigned flags)
{
    const weft_exchange *exchange = blocks->exchange;
    const weft_services *services = exchange->services;
    const weft_traffic *traffic = sent ? &exchange->send : &exchange->receive;
    weft_message_block *message = sent ? blocks->send : blocks->receive;
    const bool copied = (sent && exchange->in_place && !(flags & WEFT_BLOCKS_APART)) ||
                        flags & WEFT_BLOCKS_COPIED ||
                        (flags & WEFT_BLOCKS_TOGETHER && !traffic->contiguous);
    copied_block last = {.copy = NULL};
    bool ok = true;
    for (int peer = 0; peer < exchange->ranks; peer++)
        if (peer != exchange->rank && flags & (sent ? WEFT_BLOCKS_SENT : WEFT_BLOCKS_RECEIVED))
            ok &= message_prepare(&message[peer], exchange,
                                  (sent ? services->sent : services->received)(exchange, peer),
                                  sent, copied, &last);
    return ok && types_prepare(blocks, message, sent);
}

static bool same_region(const weft_block *a, const weft_block *b)
{
    for (; a; a = a->next, b = b->next) { /* equally many regions, of equal counts */
        if (a->offset != b->offset)
            return false;
        for (int axis = 0; axis < a->axes; axis++)
            if (a->stride[axis] != b->stride[axis])
                return false;
    }
    return true;
}

static bool own_prepare(weft_message_blocks *blocks)
{
    const weft_exchange *exchange = blocks->exchange;
    const weft_services *services = exchange->services;
    const weft_block *send = services->sent(exchange, exchange->rank),
                     *receive = services->received(exchange, exchange->rank);
    if (!send->elements || (exchange->in_place && same_region(send, receive)))
        return true;
    if (exchange->in_place) {
        blocks->own_pack = services->pack_prepare(exchange, send);
        blocks->own_unpack = services->unpack_prepare(exchange, receive);
        return blocks->own_pack && blocks->own_unpack;
    }
    blocks->own = services->own_prepare(exchange);
    return blocks->own;
}

bool weft_message_blocks_prepare(weft_message_blocks *blocks, const weft_exchange *exchange,
                                 unsigned flags)
{
    size_t ranks = (size_t)exchange->ranks;
    *blocks = (weft_message_blocks){.exchange = exchange,
                                    .early = flags & WEFT_BLOCKS_EARLY ||
                                             (exchange->in_place && !(flags & WEFT_BLOCKS_APART))};
    blocks->send = weft_new(ranks, sizeof *blocks->send, "messages");
    blocks->receive = weft_new(ranks, sizeof *blocks->receive, "messages");
    return blocks->send && blocks->receive && side_prepare(blocks, true, flags) &&
           side_prepare(blocks, false, flags) && own_prepare(blocks);
}

void weft_message_blocks_release(weft_message_blocks *blocks)
{
    if (!blocks->exchange)
        return;
    const weft_services *services = blocks->exchange->services;
    services->copy_release(blocks->own);
    services->copy_release(blocks->own_pack);
    services->copy_release(blocks->own_unpack);
    weft_message_block *side[] = {blocks->receive, blocks->send};
    for (int i = 0; i < 2; i++) {
        weft_copy *last = NULL;
        for (int peer = 0; side[i] && peer < blocks->exchange->ranks; peer++) {
            weft_copy *copy = side[i][peer].copy;
            if (copy && copy != last)
                services->copy_release(last);
            last = copy ? copy : last;
            if (blocks->type[i])
                weft_message_type_free(&blocks->type[i][peer]);
        }
        services->copy_release(last);
        free(side[i]);
        free(blocks->type[i]);
    }
    *blocks = (weft_message_blocks){0};
}

static ptrdiff_t place(weft_message_block *message, ptrdiff_t begin)
{
    if (!message->copy)
        return begin;
    message->place = begin;
    return weft_round_to_alignment(begin + message->bytes);
}

ptrdiff_t weft_message_blocks_place_sent(weft_message_blocks *blocks, ptrdiff_t begin)
{
    const weft_exchange *exchange = blocks->exchange;
    for (int peer = 0; peer < exchange->ranks; peer++)
        begin = place(&blocks->send[peer], begin);
    blocks->own_place = begin;
    if (blocks->own_pack)
        begin =
            weft_round_to_alignment(begin + exchange->own_elements * (ptrdiff_t)exchange->element);
    return begin;
}

ptrdiff_t weft_message_blocks_place_groups(weft_message_blocks *blocks, int group)
{
    const weft_exchange *exchange = blocks->exchange;
    int steps = exchange->ranks - 1;
    ptrdiff_t begin = blocks->early ? weft_message_blocks_place_sent(blocks, 0) : 0, most = begin;
    for (int first = 1; first <= steps; first += group) {
        ptrdiff_t end = begin;
        if (group > steps + 1 - first)
            group = steps + 1 - first;
        for (int step = first; step < first + group; step++) {
            if (!blocks->early)
                end = place(&blocks->send[weft_step_to(exchange, step)], end);
            end = place(&blocks->receive[weft_step_from(exchange, step)], end);
        }
        if (end > most)
            most = end;
    }
    return most;
}

int weft_step_to(const weft_exchange *exchange, int step)
{
    return (exchange->rank + step) % exchange->ranks;
}

int weft_step_from(const weft_exchange *exchange, int step)
{
    return (exchange->rank + exchange->ranks - step) % exchange->ranks;
}

void weft_message_blocks_begin(const weft_message_blocks *blocks, const void *in, void *out,
                               void *workspace)
{
    const weft_exchange *exchange = blocks->exchange;
    for (int step = 1; blocks->early && step < exchange->ranks; step++)
        weft_message_copy(blocks, weft_step_to(exchange, step), in, workspace);
    weft_message_blocks_own_in_place(blocks, in, out, workspace);
}

void weft_message_blocks_own_in_place(const weft_message_blocks *blocks, const void *in, void *out,
                                      void *workspace)
{
    const weft_services *services = blocks->exchange->services;
    if (!blocks->own_pack)
        return;
    char *work = (char *)workspace + blocks->own_place;
    services->copy_run(blocks->own_pack, in, work);
    services->copy_run(blocks->own_unpack, work, out);
}

void weft_message_blocks_own(const weft_message_blocks *blocks, const void *in, void *out)
{
    if (blocks->own)
        blocks->exchange->services->copy_run(blocks->own, in, out);
}

void weft_message_copy(const weft_message_blocks *blocks, int peer, const void *in, void *workspace)
{
    const weft_message_block *message = &blocks->send[peer];
    if (message->copy)
        blocks->exchange->services->copy_run(message->copy, (const char *)in + message->begin,
                                             (char *)workspace + message->place);
}

const void *weft_message_pack(const weft_message_blocks *blocks, int peer, const void *in,
                              void *workspace)
{
    const weft_message_block *message = &blocks->send[peer];
    if (!blocks->early)
        weft_message_copy(blocks, peer, in, workspace);
    return message->copy ? (const char *)workspace + message->place
                         : (const char *)in + message->begin;
}

void *weft_message_target(const weft_message_blocks *blocks, int peer, void *out, void *workspace)
{
    const weft_message_block *message = &blocks->receive[peer];
    return message->copy ? (char *)workspace + message->place : (char *)out + message->begin;
}

MPI_Datatype weft_message_datatype(const weft_message_blocks *blocks, bool sent, int peer,
                                   int *count)
{
    const ptrdiff_t bytes = (sent ? blocks->send : blocks->receive)[peer].bytes;
    *count = bytes <= weft_limit() ? (int)bytes : 1;
    return blocks->type[sent] ? blocks->type[sent][peer] : MPI_BYTE;
}

void weft_message_unpack(const weft_message_blocks *blocks, int peer, void *out,
                         const void *workspace)
{
    const weft_message_block *message = &blocks->receive[peer];
    if (message->copy)
        blocks->exchange->services->copy_run(
            message->copy, (const char *)workspace + message->place, (char *)out + message->begin);
}

int weft_requests_done(const MPI_Request *request, int count)
{
    int all = 1, one;
    for (int i = 0; i < count; i++) {
        MPI_Request_get_status(request[i], &one, MPI_STATUS_IGNORE);
        all &= one;
    }
    return all;
}

void weft_finish_nothing(void *state, const void *in, void *out, void *workspace)
{
    (void)state, (void)in, (void)out, (void)workspace;
}
