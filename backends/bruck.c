/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bruck: k-way. What goes from rank r to rank r + j travels along the digits of j in radix k: in
 * the stage of the digit of weight w = 1, k, k^2 ..., everything whose digit there is d moves on
 * from rank q to rank q + d w, together in one message. (Bruck and others 1997; AccFFT's algorithms
 * 4 and 5, for any number of ranks.)
 *
 * Cost: with a latency, B bytes a second, P ranks of n bytes each: ceil(log_k P) stages of k - 1
 * messages under way at a time, so (k - 1) log_k P a + (k - 1) / k log_k P n / B, and a copy of
 * what travels further at every stage. Small k for many small pieces; k = P is a single stage of
 * direct messages, which copies nothing but what is not contiguous.
 *
 * Prepare lists all messages of a run and where the pieces lie in between: route.c.
 */
#include "backends/messages/route.h"

#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"

typedef struct {
    weft_route route;
    MPI_Request *request;
    int posted;          /* requests now under way */
    MPI_Status *ignored; /* MPI_STATUSES_IGNORE, which gcc takes for an array that is too small */
} bruck;

static void release(void *state)
{
    bruck *made = state;
    if (!made)
        return;
    weft_route_release(&made->route);
    free(made->request);
    free(made);
}

/* Radices go from 2 to the number of ranks; by default there are two stages. */
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

static bruck *allocate(const weft_exchange *exchange, int radix)
{
    bruck *made = calloc(1, sizeof *made);
    MPI_Request *request = calloc(2 * (size_t)radix, sizeof *request);
    if (made && request && weft_route_list(&made->route, exchange, radix)) {
        made->request = request;
        made->ignored = MPI_STATUSES_IGNORE;
        return made;
    }
    exchange->services->error("no memory for the messages of %d ranks", exchange->ranks);
    free(request);
    release(made);
    return NULL;
}

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    bruck *made = allocate(exchange, radix_for(exchange, value));
    if (weft_agree(exchange->comm, made) && weft_route_follow(&made->route, workspace))
        return made;
    release(made);
    return NULL;
}

/* Fills a message and says where it lies: a piece alone goes straight from where it is. */
static const void *fill(const weft_route *route, const weft_message *one, const void *in,
                        void *workspace)
{
    char *work = workspace, *place = work + one->out.place;
    for (int i = 0; i < one->passengers; i++) {
        const weft_passenger *on = &one->passenger[i];
        if (!on->out_bytes)
            continue;
        const void *lies = work + on->held;
        if (on->held == WEFT_BEGINS_HERE)
            lies = weft_parcel_from(&route->parcels,
                                    weft_step_to(route->parcels.exchange, on->distance), in, work);
        if (on->out_bytes == one->out.bytes)
            return lies;
        if (lies != place)
            memcpy(place, lies, (size_t)on->out_bytes);
        place += on->out_bytes;
    }
    return work + one->out.place;
}

/* Where a message is received: straight in the array if it is but one piece, which has its end
 * there. */
static void *receive_at(const weft_route *route, const weft_message *one, void *out,
                        void *workspace)
{
    for (int i = 0; i < one->arriving; i++)
        if (one->passenger[i].in_bytes == one->in.bytes)
            return weft_parcel_to(
                &route->parcels,
                weft_step_from(route->parcels.exchange, one->passenger[i].distance), out,
                workspace);
    return (char *)workspace + one->in.place;
}

static void empty(const weft_route *route, const weft_message *one, void *out, void *workspace)
{
    const char *place = (const char *)workspace + one->in.place;
    for (int i = 0; i < one->arriving; place += one->passenger[i++].in_bytes) {
        const weft_passenger *on = &one->passenger[i];
        int from = weft_step_from(route->parcels.exchange, on->distance);
        if (route->parcels.receive[from].copy)
            weft_parcel_arrived(&route->parcels, from, out, workspace);
        else if (on->in_bytes && on->in_bytes != one->in.bytes)
            memcpy((char *)out + route->parcels.receive[from].place, place, (size_t)on->in_bytes);
    }
}

/* Sets all messages of a stage under way. */
static void post(bruck *made, int stage, const void *in, void *out, void *workspace)
{
    const weft_route *route = &made->route;
    const weft_exchange *exchange = route->parcels.exchange;
    const int begin = route->stage[stage], end = route->stage[stage + 1];
    made->posted = 0;
    for (int i = begin; i < end; i++) {
        const weft_message *one = &route->message[i];
        if (one->in.bytes)
            MPI_Irecv(receive_at(route, one, out, workspace), one->in.count, one->in.type,
                      one->in.peer, exchange->tag, exchange->comm, &made->request[made->posted++]);
    }
    for (int i = begin; i < end; i++) {
        const weft_message *one = &route->message[i];
        if (one->out.bytes)
            MPI_Isend(fill(route, one, in, workspace), one->out.count, one->out.type, one->out.peer,
                      exchange->tag, exchange->comm, &made->request[made->posted++]);
    }
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    bruck *made = state;
    weft_parcels_begin(&made->route.parcels, in, out, workspace);
    post(made, 0, in, out, workspace);
    weft_parcels_own(&made->route.parcels, in, out);
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    bruck *made = state;
    const weft_route *route = &made->route;
    for (int stage = 0; stage < route->stages; stage++) {
        if (stage > 0)
            post(made, stage, in, out, workspace);
        MPI_Waitall(made->posted, made->request, made->ignored);
        for (int i = route->stage[stage]; i < route->stage[stage + 1]; i++)
            empty(route, &route->message[i], out, workspace);
    }
}

static const char *applicable(const weft_exchange *exchange, int value)
{
    (void)exchange;
    return value < 0 || value == 1 ? "the radix is at least 2" : NULL;
}

/* Two stages, one, and powers of two between. */
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
    .about = "log_k P stages of k - 1 messages, pieces that go the same way together",
    .parameter = "k, the radix",
    .overlaps = 1,
    .cost = &(const weft_backend_cost){.sweeps = 1, .in_stages = 1, .at_once = 1, .unpack_lag = 1},
    .applicable = applicable,
    .values = values,
    .prepare = prepare,
    .start = start,
    .finish = finish,
    .release = release,
};
