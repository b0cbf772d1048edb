/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes. Pieces may differ in size. How large are those that only pass through a rank, the ranks
 * tell each other, by the messages that will carry them. Pieces are packed straight into the first
 * message they travel in and unpacked from the last.
 */
#include "backends/messages/route.h"

#include <stdlib.h>

void weft_route_release(weft_route *route)
{
    for (int i = 0; i < route->messages; i++) {
        weft_message_type_free(&route->message[i].out.type);
        weft_message_type_free(&route->message[i].in.type);
    }
    weft_parcels_release(&route->parcels);
    free(route->message);
    free(route->passenger);
    free(route->piece);
    free(route->size);
    *route = (weft_route){0};
}

static bool allocate(weft_route *route, const weft_exchange *exchange, int radix)
{
    size_t stages = 0, ranks = (size_t)exchange->ranks;
    for (ptrdiff_t weight = 1; weight < exchange->ranks; weight *= radix)
        stages++;
    *route = (weft_route){.message = calloc(stages * (size_t)(radix - 1) + 1, sizeof(weft_message)),
                          .passenger = calloc(stages * ranks + 1, sizeof(weft_passenger)),
                          .piece = calloc(ranks, sizeof(weft_whereabouts)),
                          .size = calloc(2 * ranks, sizeof(MPI_Aint))};
    if (weft_parcels_prepare(&route->parcels, exchange, WEFT_PARCEL_BOTH) && route->message &&
        route->passenger && route->piece && route->size)
        return true;
    exchange->services->error("no memory for the messages of %d ranks", exchange->ranks);
    return false;
}

/* The stages, the messages of each, and who is on them. */
bool weft_route_list(weft_route *route, const weft_exchange *exchange, int radix)
{
    if (!allocate(route, exchange, radix))
        return false;
    weft_passenger *next = route->passenger;
    ptrdiff_t ranks = exchange->ranks;
    for (ptrdiff_t weight = 1; weight < ranks; weight *= radix) {
        for (ptrdiff_t step = weight; step < weight * radix && step < ranks; step += weight) {
            weft_message *one = &route->message[route->messages++];
            one->out =
                (weft_transport){.peer = weft_step_to(exchange, (int)step), .type = MPI_BYTE};
            one->in =
                (weft_transport){.peer = weft_step_from(exchange, (int)step), .type = MPI_BYTE};
            one->passenger = next;
            for (ptrdiff_t run = step; run < ranks; run += weight * radix)
                for (ptrdiff_t distance = run; distance < run + weight && distance < ranks;
                     distance++) {
                    one->arriving += run == step;
                    next++->distance = (int)distance;
                }
            one->passengers = (int)(next - one->passenger);
        }
        route->stage[++route->stages] = route->messages;
    }
    return true;
}

/* Collective: fills in the sizes of what leaves with a message and what comes. `size` holds two a
 * passenger. */
static void exchange_sizes(weft_message *one, const weft_exchange *exchange,
                           const weft_whereabouts *piece, MPI_Aint *size)
{
    MPI_Aint *came = size + one->passengers;
    for (int i = 0; i < one->passengers; i++)
        size[i] = piece[one->passenger[i].distance].bytes;
    MPI_Sendrecv(size, one->passengers, MPI_AINT, one->out.peer, exchange->tag, came,
                 one->passengers, MPI_AINT, one->in.peer, exchange->tag, exchange->comm,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < one->passengers; i++) {
        one->passenger[i].out_bytes = size[i];
        one->passenger[i].in_bytes = came[i];
        one->out.bytes += size[i];
        one->in.bytes += came[i];
    }
}

/* Where the pieces on a message that comes will lie: each at `place` and on, or straight in the
 * array. */
static ptrdiff_t place_in(weft_route *route, weft_message *one, weft_whereabouts *piece,
                          ptrdiff_t place)
{
    const weft_exchange *exchange = route->parcels.exchange;
    one->in.place = place;
    for (int i = 0; i < one->passengers; i++) {
        const weft_passenger *on = &one->passenger[i];
        weft_parcel *parcel = &route->parcels.receive[weft_step_from(exchange, on->distance)];
        piece[on->distance] = (weft_whereabouts){.bytes = on->in_bytes, .held = place};
        if (i < one->arriving && parcel->copy)
            parcel->place = place;
        place += on->in_bytes;
    }
    return weft_aligned(place);
}

static ptrdiff_t place_out(weft_route *route, weft_message *one, ptrdiff_t place)
{
    const weft_exchange *exchange = route->parcels.exchange;
    one->out.place = place;
    for (int i = 0; i < one->passengers; i++) {
        const weft_passenger *on = &one->passenger[i];
        weft_parcel *parcel = &route->parcels.send[weft_step_to(exchange, on->distance)];
        if (on->held == WEFT_BEGINS_HERE && parcel->copy && !exchange->in_place)
            parcel->place = place;
        place += on->out_bytes;
    }
    return weft_aligned(place);
}

/* Collective: follows every piece through the stages, and places it at each that it comes to.
 * Returns where that ends in the workspace. */
static ptrdiff_t place_all_in(weft_route *route)
{
    const weft_exchange *exchange = route->parcels.exchange;
    weft_whereabouts *piece = route->piece;
    ptrdiff_t end = weft_parcels_place_staged(&route->parcels, 0);
    for (int distance = 1; distance < exchange->ranks; distance++)
        piece[distance] =
            (weft_whereabouts){.bytes = route->parcels.send[weft_step_to(exchange, distance)].bytes,
                               .held = WEFT_BEGINS_HERE};
    for (int i = 0; i < route->messages; i++) {
        weft_message *one = &route->message[i];
        exchange_sizes(one, exchange, piece, route->size);
        for (int j = 0; j < one->passengers; j++)
            one->passenger[j].held = piece[one->passenger[j].distance].held;
        end = place_in(route, one, piece, end);
    }
    return end;
}

/* What leaves in one stage lies where that of the stage before has left. */
static ptrdiff_t place_all_out(weft_route *route, ptrdiff_t begin)
{
    ptrdiff_t most = begin;
    for (int stage = 0; stage < route->stages; stage++) {
        ptrdiff_t place = begin;
        for (int i = route->stage[stage]; i < route->stage[stage + 1]; i++)
            place = place_out(route, &route->message[i], place);
        most = place > most ? place : most;
    }
    return most;
}

bool weft_route_follow(weft_route *route, size_t *workspace)
{
    const weft_services *services = route->parcels.exchange->services;
    bool ok = true;
    *workspace = (size_t)place_all_out(route, place_all_in(route));
    for (int i = 0; ok && i < route->messages; i++) {
        weft_transport *out = &route->message[i].out, *in = &route->message[i].in;
        ok = weft_message_type(services, out->bytes, &out->count, &out->type) &&
             weft_message_type(services, in->bytes, &in->count, &in->type);
    }
    free(route->piece);
    free(route->size);
    route->piece = NULL;
    route->size = NULL;
    return ok;
}
