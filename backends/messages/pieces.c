/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Message blocks. Prepare makes everything that runs need: the copies that pack and unpack, and the
 * datatypes of messages too large for an int. Cost of a run: one copy of each non-contiguous block
 * at each end; in place, one copy of every sent block.
 */
#include "backends/messages/pieces.h"

#include <stdlib.h>
#include <string.h>
#include "kernels/base/limits.h"

enum { ALIGNMENT = 64 };

ptrdiff_t weft_aligned(ptrdiff_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
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
} copied_piece;

static bool is_alike(const copied_piece *last, const weft_piece *piece)
{
    const size_t bytes = (size_t)piece->axes * sizeof piece->count[0];
    return last->copy && last->axes == piece->axes &&
           memcmp(last->count, piece->count, bytes) == 0 &&
           memcmp(last->stride, piece->stride, bytes) == 0;
}

/* Prepares the copy of a block, or reuses the copy of the previous block if both have the same
 * shape. The copy is relative to the start of the block, or to the start of the array for a block
 * of several regions, which is never reused. Returns NULL when memory runs out. */
static weft_copy *copy_prepare(const weft_exchange *exchange, const weft_piece *piece, bool sent,
                               copied_piece *last)
{
    const weft_services *services = exchange->services;
    weft_piece there = *piece;
    if (!piece->next && is_alike(last, piece))
        return last->copy;
    if (!piece->next)
        there.offset = 0;
    weft_copy *copy = sent ? services->pack_prepare(exchange, &there)
                           : services->unpack_prepare(exchange, &there);
    last->copy = piece->next ? NULL : copy;
    last->axes = piece->axes;
    memcpy(last->count, piece->count, (size_t)piece->axes * sizeof piece->count[0]);
    memcpy(last->stride, piece->stride, (size_t)piece->axes * sizeof piece->stride[0]);
    return copy;
}

static bool message_prepare(weft_message_piece *message, const weft_exchange *exchange,
                            const weft_piece *piece, bool sent, bool copied, copied_piece *last)
{
    if (!piece->elements)
        return true;
    const bool copies = copied || !piece->contiguous;
    message->bytes = piece->elements * (ptrdiff_t)exchange->element;
    if (!piece->next)
        message->begin = piece->offset * (ptrdiff_t)exchange->element;
    if (copies)
        message->copy = copy_prepare(exchange, piece, sent, last);
    return !copies || message->copy;
}

/* Makes datatypes for blocks that are too large for an int; returns false when memory runs out. */
static bool types_prepare(weft_message_pieces *pieces, const weft_message_piece *message, bool sent)
{
    const weft_exchange *exchange = pieces->exchange;
    int longest = 0, count;
    for (int peer = 0; peer < exchange->ranks; peer++)
        longest = message[peer].bytes > message[longest].bytes ? peer : longest;
    if (message[longest].bytes <= weft_limit())
        return true;
    MPI_Datatype *type = malloc((size_t)exchange->ranks * sizeof *type);
    bool ok = type;
    pieces->type[sent] = type;
    for (int peer = 0; type && peer < exchange->ranks; peer++)
        ok &= weft_message_type(exchange->services, message[peer].bytes, &count, &type[peer]);
    return ok;
}

static bool side_prepare(weft_message_pieces *pieces, bool sent, unsigned flags)
{
    const weft_exchange *exchange = pieces->exchange;
    const weft_services *services = exchange->services;
    const weft_traffic *traffic = sent ? &exchange->send : &exchange->receive;
    weft_message_piece *message = sent ? pieces->send : pieces->receive;
    const bool copied = (sent && exchange->in_place) || flags & WEFT_PIECES_COPIED ||
                        (flags & WEFT_PIECES_TOGETHER && !traffic->contiguous);
    copied_piece last = {.copy = NULL};
    bool ok = true;
    for (int peer = 0; peer < exchange->ranks; peer++)
        if (peer != exchange->rank && flags & (sent ? WEFT_PIECES_SENT : WEFT_PIECES_RECEIVED))
            ok &= message_prepare(&message[peer], exchange,
                                  (sent ? services->sent : services->received)(exchange, peer),
                                  sent, copied, &last);
    return ok && types_prepare(pieces, message, sent);
}

static bool same_region(const weft_piece *a, const weft_piece *b)
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

static bool own_prepare(weft_message_pieces *pieces)
{
    const weft_exchange *exchange = pieces->exchange;
    const weft_services *services = exchange->services;
    const weft_piece *send = services->sent(exchange, exchange->rank),
                     *receive = services->received(exchange, exchange->rank);
    if (!send->elements || (exchange->in_place && same_region(send, receive)))
        return true;
    if (exchange->in_place) {
        pieces->own_pack = services->pack_prepare(exchange, send);
        pieces->own_unpack = services->unpack_prepare(exchange, receive);
        return pieces->own_pack && pieces->own_unpack;
    }
    pieces->own = services->own_prepare(exchange);
    return pieces->own;
}

bool weft_message_pieces_prepare(weft_message_pieces *pieces, const weft_exchange *exchange,
                                 unsigned flags)
{
    size_t ranks = (size_t)exchange->ranks;
    *pieces = (weft_message_pieces){.exchange = exchange};
    pieces->send = calloc(ranks, sizeof *pieces->send);
    pieces->receive = calloc(ranks, sizeof *pieces->receive);
    if (!pieces->send || !pieces->receive) {
        exchange->services->error("no memory for the messages of %d ranks", exchange->ranks);
        return false;
    }
    return side_prepare(pieces, true, flags) && side_prepare(pieces, false, flags) &&
           own_prepare(pieces);
}

void weft_message_pieces_release(weft_message_pieces *pieces)
{
    if (!pieces->exchange)
        return;
    const weft_services *services = pieces->exchange->services;
    services->copy_release(pieces->own);
    services->copy_release(pieces->own_pack);
    services->copy_release(pieces->own_unpack);
    weft_message_piece *side[] = {pieces->receive, pieces->send};
    for (int i = 0; i < 2; i++) {
        weft_copy *last = NULL;
        for (int peer = 0; side[i] && peer < pieces->exchange->ranks; peer++) {
            weft_copy *copy = side[i][peer].copy;
            if (copy && copy != last)
                services->copy_release(last);
            last = copy ? copy : last;
            if (pieces->type[i])
                weft_message_type_free(&pieces->type[i][peer]);
        }
        services->copy_release(last);
        free(side[i]);
        free(pieces->type[i]);
    }
    *pieces = (weft_message_pieces){0};
}

static ptrdiff_t place(weft_message_piece *message, ptrdiff_t begin)
{
    if (!message->copy)
        return begin;
    message->place = begin;
    return weft_aligned(begin + message->bytes);
}

ptrdiff_t weft_message_pieces_place_staged(weft_message_pieces *pieces, ptrdiff_t begin)
{
    const weft_exchange *exchange = pieces->exchange;
    if (!exchange->in_place)
        return begin;
    for (int peer = 0; peer < exchange->ranks; peer++)
        begin = place(&pieces->send[peer], begin);
    pieces->own_place = begin;
    if (pieces->own_pack)
        begin = weft_aligned(begin + exchange->own_elements * (ptrdiff_t)exchange->element);
    return begin;
}

ptrdiff_t weft_message_pieces_place_groups(weft_message_pieces *pieces, int group)
{
    const weft_exchange *exchange = pieces->exchange;
    int steps = exchange->ranks - 1;
    ptrdiff_t begin = weft_message_pieces_place_staged(pieces, 0), most = begin;
    for (int first = 1; first <= steps; first += group) {
        ptrdiff_t end = begin;
        if (group > steps + 1 - first)
            group = steps + 1 - first;
        for (int step = first; step < first + group; step++) {
            if (!exchange->in_place)
                end = place(&pieces->send[weft_step_to(exchange, step)], end);
            end = place(&pieces->receive[weft_step_from(exchange, step)], end);
        }
        if (end > most)
            most = end;
    }
    return most;
}

int weft_step_to(const weft_exchange *exchange, int step)
{
    int to = exchange->rank - exchange->ranks + step;
    return to < 0 ? to + exchange->ranks : to;
}

int weft_step_from(const weft_exchange *exchange, int step)
{
    int from = exchange->rank - step;
    return from < 0 ? from + exchange->ranks : from;
}

void weft_message_pieces_begin(const weft_message_pieces *pieces, const void *in, void *out,
                               void *workspace)
{
    const weft_exchange *exchange = pieces->exchange;
    const weft_services *services = exchange->services;
    char *work = workspace;
    if (!exchange->in_place)
        return;
    for (int peer = 0; peer < exchange->ranks; peer++)
        if (pieces->send[peer].copy)
            services->copy_run(pieces->send[peer].copy, (const char *)in + pieces->send[peer].begin,
                               work + pieces->send[peer].place);
    if (pieces->own_pack) {
        services->copy_run(pieces->own_pack, in, work + pieces->own_place);
        services->copy_run(pieces->own_unpack, work + pieces->own_place, out);
    }
}

void weft_message_pieces_own(const weft_message_pieces *pieces, const void *in, void *out)
{
    if (pieces->own)
        pieces->exchange->services->copy_run(pieces->own, in, out);
}

const void *weft_message_from(const weft_message_pieces *pieces, int peer, const void *in,
                              void *workspace)
{
    const weft_message_piece *message = &pieces->send[peer];
    const char *from = (const char *)in + message->begin;
    if (!message->copy)
        return from;
    char *packed = (char *)workspace + message->place;
    if (!pieces->exchange->in_place)
        pieces->exchange->services->copy_run(message->copy, from, packed);
    return packed;
}

void *weft_message_to(const weft_message_pieces *pieces, int peer, void *out, void *workspace)
{
    const weft_message_piece *message = &pieces->receive[peer];
    return message->copy ? (char *)workspace + message->place : (char *)out + message->begin;
}

MPI_Datatype weft_message_told(const weft_message_pieces *pieces, bool sent, int peer, int *count)
{
    const ptrdiff_t bytes = (sent ? pieces->send : pieces->receive)[peer].bytes;
    *count = bytes <= weft_limit() ? (int)bytes : 1;
    return pieces->type[sent] ? pieces->type[sent][peer] : MPI_BYTE;
}

void weft_message_arrived(const weft_message_pieces *pieces, int peer, void *out,
                          const void *workspace)
{
    const weft_message_piece *message = &pieces->receive[peer];
    if (message->copy)
        pieces->exchange->services->copy_run(
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

const char *weft_applicable_always(const weft_exchange *exchange, int value)
{
    (void)exchange, (void)value;
    return NULL;
}

void weft_finish_nothing(void *state, const void *in, void *out, void *workspace)
{
    (void)state, (void)in, (void)out, (void)workspace;
}
