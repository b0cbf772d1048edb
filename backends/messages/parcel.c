/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parcels: pieces made ready to travel. Everything a run needs is made in prepare: the copies that
 * pack and unpack, and the datatypes of messages too large for an int. Cost of a run: one copy of
 * what is not contiguous, at either end; in place, one copy of everything that is sent.
 */
#include "backends/messages/parcel.h"

#include <stdlib.h>
#include "kernels/base/limits.h"

ptrdiff_t weft_aligned(ptrdiff_t bytes)
{
    return (bytes + WEFT_PARCEL_ALIGN - 1) / WEFT_PARCEL_ALIGN * WEFT_PARCEL_ALIGN;
}

bool weft_message_type(const weft_services *services, ptrdiff_t bytes, int *count,
                       MPI_Datatype *type)
{
    *count = bytes <= weft_limit() ? (int)bytes : 1;
    *type = MPI_BYTE;
    if (bytes <= weft_limit() || services->bytes_type(bytes, type))
        return true;
    *type = MPI_BYTE;
    services->error("no memory for the datatype of a message of %td bytes", bytes);
    return false;
}

void weft_message_type_free(MPI_Datatype *type)
{
    if (*type != MPI_BYTE && *type != MPI_DATATYPE_NULL)
        MPI_Type_free(type);
    *type = MPI_DATATYPE_NULL;
}

static bool parcel_prepare(weft_parcel *parcel, const weft_exchange *exchange,
                           const weft_piece *piece, bool sent, bool copied)
{
    const weft_services *services = exchange->services;
    *parcel = (weft_parcel){.type = MPI_BYTE};
    if (!piece->elements)
        return true;
    parcel->bytes = piece->elements * (ptrdiff_t)exchange->element;
    parcel->place = piece->offset * (ptrdiff_t)exchange->element;
    if (copied || !piece->contiguous) {
        parcel->copy = sent ? services->pack_prepare(exchange, piece)
                            : services->unpack_prepare(exchange, piece);
        if (!parcel->copy) {
            services->error("no memory for packing a piece of %td bytes", parcel->bytes);
            return false;
        }
    }
    return weft_message_type(services, parcel->bytes, &parcel->count, &parcel->type);
}

/* Prepares all parcels of one side. */
static bool side_prepare(weft_parcel *parcel, const weft_exchange *exchange, bool sent,
                         unsigned flags)
{
    const weft_piece *piece = sent ? exchange->send : exchange->receive;
    bool copied = sent && exchange->in_place, ok = true;
    for (int peer = 0; flags & WEFT_PARCEL_TOGETHER && peer < exchange->ranks; peer++)
        copied |= peer != exchange->rank && piece[peer].elements && !piece[peer].contiguous;
    for (int peer = 0; peer < exchange->ranks; peer++) {
        parcel[peer].type = MPI_BYTE;
        if (peer != exchange->rank && flags & (sent ? WEFT_PARCEL_SEND : WEFT_PARCEL_RECEIVE))
            ok &= parcel_prepare(&parcel[peer], exchange, &piece[peer], sent, copied);
    }
    return ok;
}

static bool same_region(const weft_piece *a, const weft_piece *b)
{
    bool same = a->offset == b->offset && a->axes == b->axes;
    for (int axis = 0; same && axis < a->axes; axis++)
        same = a->stride[axis] == b->stride[axis] && a->count[axis] == b->count[axis];
    return same;
}

static bool own_prepare(weft_parcels *parcels)
{
    const weft_exchange *exchange = parcels->exchange;
    const weft_services *services = exchange->services;
    const weft_piece *send = &exchange->send[exchange->rank],
                     *receive = &exchange->receive[exchange->rank];
    bool ok;
    if (!send->elements || (exchange->in_place && same_region(send, receive)))
        return true;
    if (exchange->in_place) {
        parcels->own_pack = services->pack_prepare(exchange, send);
        parcels->own_unpack = services->unpack_prepare(exchange, receive);
        ok = parcels->own_pack && parcels->own_unpack;
    } else {
        parcels->own = services->own_prepare(exchange);
        ok = parcels->own;
    }
    if (!ok)
        services->error("no memory for copying a rank's own piece");
    return ok;
}

bool weft_parcels_prepare(weft_parcels *parcels, const weft_exchange *exchange, unsigned flags)
{
    size_t ranks = (size_t)exchange->ranks;
    *parcels = (weft_parcels){.exchange = exchange};
    parcels->send = calloc(ranks, sizeof *parcels->send);
    parcels->receive = calloc(ranks, sizeof *parcels->receive);
    if (!parcels->send || !parcels->receive) {
        exchange->services->error("no memory for the messages of %d ranks", exchange->ranks);
        return false;
    }
    bool ok = side_prepare(parcels->send, exchange, true, flags);
    ok &= side_prepare(parcels->receive, exchange, false, flags);
    return ok && own_prepare(parcels);
}

void weft_parcels_release(weft_parcels *parcels)
{
    if (!parcels->exchange)
        return;
    const weft_services *services = parcels->exchange->services;
    weft_copy *own[] = {parcels->own, parcels->own_pack, parcels->own_unpack};
    for (int i = 0; i < 3; i++)
        if (own[i])
            services->copy_release(own[i]);
    weft_parcel *side[] = {parcels->send, parcels->receive};
    for (int i = 0; i < 2; i++) {
        for (int peer = 0; side[i] && peer < parcels->exchange->ranks; peer++) {
            if (side[i][peer].copy)
                services->copy_release(side[i][peer].copy);
            if (side[i][peer].bytes)
                weft_message_type_free(&side[i][peer].type);
        }
        free(side[i]);
    }
    *parcels = (weft_parcels){0};
}

static ptrdiff_t place(weft_parcel *parcel, ptrdiff_t begin)
{
    if (!parcel->copy)
        return begin;
    parcel->place = begin;
    return weft_aligned(begin + parcel->bytes);
}

ptrdiff_t weft_parcels_place_staged(weft_parcels *parcels, ptrdiff_t begin)
{
    const weft_exchange *exchange = parcels->exchange;
    if (!exchange->in_place)
        return begin;
    for (int peer = 0; peer < exchange->ranks; peer++)
        begin = place(&parcels->send[peer], begin);
    parcels->own_place = begin;
    if (parcels->own_pack)
        begin = weft_aligned(begin + exchange->send[exchange->rank].elements *
                                         (ptrdiff_t)exchange->element);
    return begin;
}

ptrdiff_t weft_parcels_place_groups(weft_parcels *parcels, int group)
{
    const weft_exchange *exchange = parcels->exchange;
    int steps = exchange->ranks - 1;
    ptrdiff_t begin = weft_parcels_place_staged(parcels, 0), most = begin;
    for (int first = 1; first <= steps; first += group) {
        ptrdiff_t end = begin;
        if (group > steps + 1 - first)
            group = steps + 1 - first;
        for (int step = first; step < first + group; step++) {
            if (!exchange->in_place)
                end = place(&parcels->send[weft_step_to(exchange, step)], end);
            end = place(&parcels->receive[weft_step_from(exchange, step)], end);
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

void weft_parcels_begin(const weft_parcels *parcels, const void *in, void *out, void *workspace)
{
    const weft_exchange *exchange = parcels->exchange;
    const weft_services *services = exchange->services;
    char *work = workspace;
    if (!exchange->in_place)
        return;
    for (int peer = 0; peer < exchange->ranks; peer++)
        if (parcels->send[peer].copy)
            services->copy_run(parcels->send[peer].copy, in, work + parcels->send[peer].place);
    if (parcels->own_pack) {
        services->copy_run(parcels->own_pack, in, work + parcels->own_place);
        services->copy_run(parcels->own_unpack, work + parcels->own_place, out);
    }
}

void weft_parcels_own(const weft_parcels *parcels, const void *in, void *out)
{
    if (parcels->own)
        parcels->exchange->services->copy_run(parcels->own, in, out);
}

const void *weft_parcel_from(const weft_parcels *parcels, int peer, const void *in, void *workspace)
{
    const weft_parcel *parcel = &parcels->send[peer];
    if (!parcel->copy)
        return (const char *)in + parcel->place;
    char *packed = (char *)workspace + parcel->place;
    if (!parcels->exchange->in_place)
        parcels->exchange->services->copy_run(parcel->copy, in, packed);
    return packed;
}

void *weft_parcel_to(const weft_parcels *parcels, int peer, void *out, void *workspace)
{
    const weft_parcel *parcel = &parcels->receive[peer];
    return (char *)(parcel->copy ? workspace : out) + parcel->place;
}

void weft_parcel_arrived(const weft_parcels *parcels, int peer, void *out, const void *workspace)
{
    const weft_parcel *parcel = &parcels->receive[peer];
    if (parcel->copy)
        parcels->exchange->services->copy_run(parcel->copy, (const char *)workspace + parcel->place,
                                              out);
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
