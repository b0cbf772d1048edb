/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One side of MPI's vector collectives: counts, displacements and datatypes in all the ways that
 * hold them.
 */
#include "backends/messages/side.h"

#include <stdlib.h>
#include "kernels/base/limits.h"

bool weft_side_allocate(weft_side *side, int ranks)
{
    size_t places = (size_t)ranks;
    *side = (weft_side){.empty = true};
    side->count = calloc(places, sizeof *side->count);
    side->displacement = calloc(places, sizeof *side->displacement);
    side->type = calloc(places, sizeof *side->type);
    side->large_count = calloc(places, sizeof *side->large_count);
    side->large_displacement = calloc(places, sizeof *side->large_displacement);
    for (int peer = 0; side->type && peer < ranks; peer++)
        side->type[peer] = MPI_BYTE;
    return side->count && side->displacement && side->type && side->large_count &&
           side->large_displacement;
}

void weft_side_release(weft_side *side, int ranks)
{
    for (int peer = 0; side->type && peer < ranks; peer++)
        weft_message_type_free(&side->type[peer]);
    free(side->count);
    free(side->displacement);
    free(side->type);
    free(side->large_count);
    free(side->large_displacement);
}

ptrdiff_t weft_side_place(weft_side *side, weft_parcels *parcels, bool sent, ptrdiff_t begin)
{
    const weft_exchange *exchange = parcels->exchange;
    const weft_piece *piece = sent ? exchange->send : exchange->receive;
    weft_parcel *parcel = sent ? parcels->send : parcels->receive;
    for (int peer = 0; peer < exchange->ranks; peer++) {
        side->staged |= parcel[peer].copy != NULL;
        side->empty &= !parcel[peer].bytes;
    }
    if (sent && exchange->in_place)
        return weft_parcels_place_staged(parcels, begin);
    if (!side->staged)
        return begin;
    side->begin = begin;
    for (int peer = 0; peer < exchange->ranks; peer++) {
        parcel[peer].place = begin;
        begin += piece[peer].elements * (ptrdiff_t)exchange->element;
    }
    return weft_aligned(begin);
}

bool weft_side_describe(weft_side *side, const weft_parcel *parcel, int ranks)
{
    bool fits = true;
    for (int peer = 0; peer < ranks; peer++) {
        ptrdiff_t bytes = parcel[peer].bytes, place = bytes ? parcel[peer].place - side->begin : 0;
        side->large_count[peer] = bytes;
        side->large_displacement[peer] = place;
        if (bytes > weft_limit() || place > weft_limit()) {
            fits = false;
        } else {
            side->count[peer] = (int)bytes;
            side->displacement[peer] = (int)place;
        }
    }
    return fits;
}

bool weft_side_derive(weft_side *side, const weft_services *services, int ranks)
{
    for (int peer = 0; peer < ranks; peer++) {
        MPI_Aint bytes = side->large_count[peer], place = side->large_displacement[peer];
        if (bytes <= weft_limit() && place <= weft_limit())
            continue;
        MPI_Datatype plain;
        if (!services->bytes_type(bytes, &plain)) {
            services->error("no memory for the datatype of a message of %td bytes",
                            (ptrdiff_t)bytes);
            return false;
        }
        int one = 1;
        bool made =
            MPI_Type_create_hindexed(1, &one, &place, plain, &side->type[peer]) == MPI_SUCCESS &&
            MPI_Type_commit(&side->type[peer]) == MPI_SUCCESS;
        MPI_Type_free(&plain);
        if (!made)
            return false;
        side->count[peer] = 1;
        side->displacement[peer] = 0;
    }
    return true;
}

bool weft_side_walk(weft_side *side, const weft_exchange *exchange, const weft_piece *piece)
{
    for (int peer = 0; peer < exchange->ranks; peer++) {
        if (peer == exchange->rank || !piece[peer].elements)
            continue;
        side->empty = false;
        side->count[peer] = 1;
        if (!exchange->services->piece_type(exchange, &piece[peer], &side->type[peer])) {
            side->type[peer] = MPI_BYTE;
            exchange->services->error("no memory for the datatype of a piece of %td elements",
                                      piece[peer].elements);
            return false;
        }
    }
    return true;
}

bool weft_side_even(const weft_side *side, const weft_exchange *exchange, const weft_piece *piece)
{
    for (int peer = 0; peer < exchange->ranks; peer++) {
        if (piece[peer].elements != piece[0].elements)
            return false;
        if (!side->staged && (!piece[peer].contiguous ||
                              piece[peer].offset - piece[0].offset != peer * piece[0].elements))
            return false;
    }
    return exchange->ranks > 1;
}
