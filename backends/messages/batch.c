/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches of messages. Receives are posted before anything is packed, so that what comes early
 * finds its place; each message leaves as soon as it is packed, and the own piece is copied while
 * they travel.
 */
#include "backends/messages/batch.h"

#include <stdlib.h>

static weft_batch *prepare(const weft_exchange *exchange, int group, size_t *workspace)
{
    weft_batch *made = calloc(1, sizeof *made);
    if (!made)
        goto fail;
    made->ignored = MPI_STATUSES_IGNORE;
    made->steps = exchange->ranks - 1;
    made->group = group < made->steps ? group : made->steps;
    size_t places = made->group > 0 ? (size_t)made->group : 1;
    made->request = calloc(2 * places, sizeof *made->request);
    made->peer = calloc(places, sizeof *made->peer);
    made->arrived = calloc(places, sizeof *made->arrived);
    if (!weft_parcels_prepare(&made->parcels, exchange, WEFT_PARCEL_BOTH))
        goto release;
    if (!made->request || !made->peer || !made->arrived)
        goto fail;
    *workspace = (size_t)weft_parcels_place_groups(&made->parcels, made->group);
    return made;
fail:
    exchange->services->error("no memory for the messages of %d ranks", exchange->ranks);
release:
    weft_batch_release(made);
    return NULL;
}

void *weft_batch_prepare_all(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    return prepare(exchange, exchange->ranks, workspace);
}

void *weft_batch_prepare_some(const weft_exchange *exchange, int value, size_t *workspace)
{
    return prepare(exchange, value > 0 ? value : WEFT_BATCH_DEFAULT, workspace);
}

void weft_batch_release(void *state)
{
    weft_batch *batch = state;
    if (!batch)
        return;
    weft_parcels_release(&batch->parcels);
    free(batch->request);
    free(batch->peer);
    free(batch->arrived);
    free(batch);
}

/* Sets all messages of the group of steps that begins with `first` under way. */
static void post(weft_batch *batch, int first, const void *in, void *out, void *workspace)
{
    const weft_parcels *parcels = &batch->parcels;
    const weft_exchange *exchange = parcels->exchange;
    int end = batch->group < batch->steps + 1 - first ? first + batch->group : batch->steps + 1;
    batch->receives = batch->sends = 0;
    for (int step = first; step < end; step++) {
        int from = weft_step_from(exchange, step);
        const weft_parcel *parcel = &parcels->receive[from];
        if (!parcel->bytes)
            continue;
        batch->peer[batch->receives] = from;
        MPI_Irecv(weft_parcel_to(parcels, from, out, workspace), parcel->count, parcel->type, from,
                  exchange->tag, exchange->comm, &batch->request[batch->receives++]);
    }
    for (int step = first; step < end; step++) {
        int to = weft_step_to(exchange, step);
        const weft_parcel *parcel = &parcels->send[to];
        if (parcel->bytes)
            MPI_Isend(weft_parcel_from(parcels, to, in, workspace), parcel->count, parcel->type, to,
                      exchange->tag, exchange->comm,
                      &batch->request[batch->group + batch->sends++]);
    }
}

void weft_batch_start(void *state, const void *in, void *out, void *workspace)
{
    weft_batch *batch = state;
    weft_parcels_begin(&batch->parcels, in, out, workspace);
    post(batch, 1, in, out, workspace);
    weft_parcels_own(&batch->parcels, in, out);
}

static void complete(weft_batch *batch, void *out, void *workspace, weft_batch_receive receive)
{
    receive(batch, out, workspace);
    MPI_Waitall(batch->sends, batch->request + batch->group, batch->ignored);
}

void weft_batch_finish(weft_batch *batch, const void *in, void *out, void *workspace,
                       weft_batch_receive receive)
{
    complete(batch, out, workspace, receive);
    for (int first = 1 + batch->group; first <= batch->steps; first += batch->group) {
        post(batch, first, in, out, workspace);
        complete(batch, out, workspace, receive);
    }
}

const char *weft_batch_applicable(const weft_exchange *exchange, int value)
{
    (void)exchange;
    return value < 0 ? "a group has at least 1 rank" : NULL;
}

int weft_batch_values(const weft_exchange *exchange, int *value, int most)
{
    int values = 0;
    if (most > 0)
        value[values++] = WEFT_BATCH_DEFAULT;
    /* Groups of all ranks and more are all the same: the default stands for them. */
    for (int group = 128; group >= 2 && values < most; group /= 2)
        if (group != WEFT_BATCH_DEFAULT && group < exchange->ranks - 1)
            value[values++] = group;
    return values;
}
