/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message blocks. Prepare makes the copies that pack and unpack. Cost of a run: one copy of each
 * non-contiguous block at each end; in place, one copy of every sent block.
 */
#include "backends/messages/blocks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/abort.h"
#include "kernels/base/memory.h"

enum { ALIGNMENT = 64 };

ptrdiff_t weft_round_to_alignment(ptrdiff_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* A multiple of the alignment: so the parts of a large block are aligned, too. */
enum { LIMIT = INT_MAX / ALIGNMENT * ALIGNMENT };

static ptrdiff_t limit = LIMIT;

ptrdiff_t weft_limit(void)
{
    return limit;
}

void weft_limit_set(ptrdiff_t lowered)
{
    limit = lowered > 0 && lowered < LIMIT ? lowered : LIMIT;
}

/* Memory, a copy or a datatype, which weft_messages_release frees. */
typedef struct weft_message_kept {
    struct weft_message_kept *next;
    weft_copy *copy;
    MPI_Datatype type;
    max_align_t memory[];
} kept;

static kept *keep(weft_message_blocks *blocks, size_t bytes)
{
    kept *it = weft_new(1, sizeof *it + bytes, "messages");
    blocks->failed |= !it;
    if (!it)
        return NULL;
    it->type = MPI_DATATYPE_NULL;
    it->next = blocks->kept;
    return blocks->kept = it;
}

void *weft_message_new(weft_message_blocks *blocks, size_t count, size_t size)
{
    kept *it = keep(blocks, count * size);
    return it ? it->memory : NULL;
}

static weft_copy *keep_copy(weft_message_blocks *blocks, weft_copy *copy)
{
    kept *it = keep(blocks, 0);
    blocks->failed |= !copy;
    if (it)
        return it->copy = copy;
    blocks->exchange->services->copy_release(copy);
    return NULL;
}

MPI_Datatype weft_message_keep_type(weft_message_blocks *blocks, bool made, MPI_Datatype type)
{
    kept *it = keep(blocks, 0);
    blocks->failed |= !made;
    if (it && made)
        return it->type = type;
    if (made)
        MPI_Type_free(&type);
    return MPI_BYTE;
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
 * of several regions, which is never reused. */
static weft_copy *copy_prepare(weft_message_blocks *blocks, const weft_block *block, bool sent,
                               copied_block *last)
{
    const weft_exchange *exchange = blocks->exchange;
    const weft_services *services = exchange->services;
    weft_block there = *block;
    if (!block->next && is_alike(last, block))
        return last->copy;
    if (!block->next)
        there.offset = 0;
    weft_copy *copy = keep_copy(blocks, sent ? services->pack_prepare(exchange, &there)
                                             : services->unpack_prepare(exchange, &there));
    last->copy = block->next ? NULL : copy;
    last->axes = block->axes;
    memcpy(last->count, block->count, (size_t)block->axes * sizeof block->count[0]);
    memcpy(last->stride, block->stride, (size_t)block->axes * sizeof block->stride[0]);
    return copy;
}

static void side_prepare(weft_message_blocks *blocks, bool sent, unsigned flags)
{
    const weft_exchange *exchange = blocks->exchange;
    const weft_services *services = exchange->services;
    const weft_traffic *traffic = sent ? &exchange->send : &exchange->receive;
    const bool copied = (sent && exchange->in_place && !(flags & WEFT_BLOCKS_APART)) ||
                        flags & WEFT_BLOCKS_COPIED ||
                        (flags & WEFT_BLOCKS_TOGETHER && !traffic->contiguous);
    copied_block last = {.copy = NULL};
    for (int peer = 0; peer < exchange->ranks; peer++) {
        weft_message_block *message = &(sent ? blocks->send : blocks->receive)[peer];
        const weft_block *block = (sent ? services->sent : services->received)(exchange, peer);
        if (peer == exchange->rank || !block->elements)
            continue;
        message->bytes = block->elements * (ptrdiff_t)exchange->element;
        if (!block->next)
            message->begin = block->offset * (ptrdiff_t)exchange->element;
        if (copied || !block->contiguous)
            message->copy = copy_prepare(blocks, block, sent, &last);
    }
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

static void own_prepare(weft_message_blocks *blocks)
{
    const weft_exchange *exchange = blocks->exchange;
    const weft_services *services = exchange->services;
    const weft_block *send = services->sent(exchange, exchange->rank),
                     *receive = services->received(exchange, exchange->rank);
    if (!send->elements || (exchange->in_place && same_region(send, receive)))
        return;
    if (!exchange->in_place) {
        blocks->own = keep_copy(blocks, services->own_prepare(exchange));
        return;
    }
    blocks->own_pack = keep_copy(blocks, services->pack_prepare(exchange, send));
    blocks->own_unpack = keep_copy(blocks, services->unpack_prepare(exchange, receive));
}

void *weft_messages_make(size_t size, const weft_exchange *exchange, unsigned flags)
{
    weft_message_blocks *blocks = weft_new(1, size, "messages");
    if (!blocks)
        return NULL;
    *blocks = (weft_message_blocks){.exchange = exchange,
                                    .early = flags & WEFT_BLOCKS_EARLY ||
                                             (exchange->in_place && !(flags & WEFT_BLOCKS_APART)),
                                    .part = weft_limit(),
                                    .ignored = MPI_STATUSES_IGNORE};
    const size_t ranks = (size_t)exchange->ranks;
    blocks->send = weft_message_new(blocks, ranks, sizeof *blocks->send);
    blocks->receive = weft_message_new(blocks, ranks, sizeof *blocks->receive);
    if (blocks->send && flags & WEFT_BLOCKS_SENT)
        side_prepare(blocks, true, flags);
    if (blocks->receive && flags & WEFT_BLOCKS_RECEIVED)
        side_prepare(blocks, false, flags);
    own_prepare(blocks);
    return weft_messages_made(blocks);
}

void *weft_messages_made(void *state)
{
    weft_message_blocks *blocks = state;
    if (!blocks->failed)
        return state;
    weft_messages_release(state);
    return NULL;
}

void weft_messages_release(void *state)
{
    weft_message_blocks *blocks = state;
    for (kept *next, *it = blocks ? blocks->kept : NULL; it; it = next) {
        next = it->next;
        blocks->exchange->services->copy_release(it->copy);
        if (it->type != MPI_DATATYPE_NULL)
            MPI_Type_free(&it->type);
        free(it);
    }
    free(state);
}

static ptrdiff_t place(weft_message_block *message, ptrdiff_t begin)
{
    if (!message->copy)
        return begin;
    message->place = begin;
    return weft_round_to_alignment(begin + message->bytes);
}

ptrdiff_t weft_message_blocks_place_sent(weft_message_blocks *blocks)
{
    const weft_exchange *exchange = blocks->exchange;
    ptrdiff_t begin = 0;
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
    ptrdiff_t begin = blocks->early ? weft_message_blocks_place_sent(blocks) : 0, most = begin;
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

void weft_message_unpack(const weft_message_blocks *blocks, int peer, void *out,
                         const void *workspace)
{
    const weft_message_block *message = &blocks->receive[peer];
    if (message->copy)
        blocks->exchange->services->copy_run(
            message->copy, (const char *)workspace + message->place, (char *)out + message->begin);
}

static int next_part(const weft_message_blocks *blocks, ptrdiff_t left)
{
    return (int)(left < blocks->part ? left : blocks->part);
}

void weft_message_receive(weft_message_blocks *blocks, int peer, void *at, ptrdiff_t bytes)
{
    const weft_exchange *exchange = blocks->exchange;
    for (ptrdiff_t done = 0; done < bytes; done += blocks->part)
        MPI_Irecv((char *)at + done, next_part(blocks, bytes - done), MPI_BYTE, peer, exchange->tag,
                  exchange->comm, &blocks->request[blocks->receives++]);
}

void weft_message_send(weft_message_blocks *blocks, int peer, const void *at, ptrdiff_t bytes)
{
    const weft_exchange *exchange = blocks->exchange;
    for (ptrdiff_t done = 0; done < bytes; done += blocks->part)
        MPI_Isend((const char *)at + done, next_part(blocks, bytes - done), MPI_BYTE, peer,
                  exchange->tag, exchange->comm,
                  &blocks->request[blocks->receives + blocks->sends++]);
}

size_t weft_message_count(const weft_message_blocks *blocks, int number, ptrdiff_t bytes)
{
    return (size_t)number + (size_t)(bytes / blocks->part);
}

void weft_messages_wait(weft_message_blocks *blocks)
{
    weft_mpi_must(MPI_Waitall(blocks->receives + blocks->sends, blocks->request, blocks->ignored));
}

int weft_messages_test(void *state)
{
    const weft_message_blocks *blocks = state;
    int all = 1, one;
    for (int i = 0; i < blocks->receives + blocks->sends; i++) {
        weft_mpi_must(MPI_Request_get_status(blocks->request[i], &one, MPI_STATUS_IGNORE));
        all &= one;
    }
    return all;
}
