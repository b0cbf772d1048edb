/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared: ranks of one node write what others need into memory that all of them see, and those
 * take it from there. No message, and nothing to be matched, copied or buffered by MPI.
 *
 * Cost: every element that changes ranks is copied twice, every other once; two looks at P cache
 * lines. All of it in `start`: the memory belongs to one run at a time.
 */
#include <stdint.h>
#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/exchange.h"
#include "backends/messages/pieces.h"
#include "backends/memory/window.h"

typedef struct {
    const weft_exchange *exchange;
    weft_window *window;
    weft_copy **pack;   /* [ranks] into the own part; NULL: nothing to copy */
    weft_copy **unpack; /* [ranks] out of another's part */
    weft_copy *own;     /* what stays here and need not go through the window */
    int64_t *place;     /* [ranks] where in this rank's part that begins which goes to each */
    int64_t *begin;     /* [ranks] where in each rank's part that begins which comes here */
} shared;

static const char *applicable(const weft_exchange *exchange, int value)
{
    (void)value;
    return weft_exchange_within_nodes(exchange) ? NULL : "its ranks are on several nodes";
}

static void release(void *state)
{
    shared *it = state;
    if (!it)
        return;
    for (int peer = 0; peer < it->exchange->ranks; peer++) {
        if (it->pack && it->pack[peer])
            it->exchange->services->copy_release(it->pack[peer]);
        if (it->unpack && it->unpack[peer])
            it->exchange->services->copy_release(it->unpack[peer]);
    }
    if (it->own)
        it->exchange->services->copy_release(it->own);
    weft_window_close(it->window);
    free(it->pack);
    free(it->unpack);
    free(it->place);
    free(it->begin);
    free(it);
}

/* Whether the own piece goes through the window, because its old and new place may overlap. */
static bool travels(const weft_exchange *exchange, int peer)
{
    return exchange->in_place || peer != exchange->rank;
}

/* Local: the copies, and where the pieces lie in this rank's part, which ends at `bytes`. */
static bool make_copies(shared *it, size_t *bytes)
{
    const weft_exchange *exchange = it->exchange;
    const weft_services *services = exchange->services;
    bool ok = true;
    ptrdiff_t end = 0;
    for (int peer = 0; peer < exchange->ranks; peer++) {
        const weft_piece *send = &exchange->send[peer], *receive = &exchange->receive[peer];
        it->place[peer] = end;
        if (!travels(exchange, peer))
            continue;
        if (send->elements) {
            ok &= (it->pack[peer] = services->pack_prepare(exchange, send)) != NULL;
            end = weft_aligned(end + send->elements * (ptrdiff_t)exchange->element);
        }
        if (receive->elements)
            ok &= (it->unpack[peer] = services->unpack_prepare(exchange, receive)) != NULL;
    }
    if (!exchange->in_place && exchange->send[exchange->rank].elements)
        ok &= (it->own = services->own_prepare(exchange)) != NULL;
    *bytes = (size_t)end;
    return ok;
}

static shared *allocate(const weft_exchange *exchange, size_t *bytes)
{
    size_t ranks = (size_t)exchange->ranks;
    shared *it = calloc(1, sizeof *it);
    if (!it)
        return NULL;
    it->exchange = exchange;
    it->pack = calloc(ranks, sizeof *it->pack);
    it->unpack = calloc(ranks, sizeof *it->unpack);
    it->place = calloc(ranks, sizeof *it->place);
    it->begin = calloc(ranks, sizeof *it->begin);
    if (it->pack && it->unpack && it->place && it->begin && make_copies(it, bytes))
        return it;
    release(it);
    return NULL;
}

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    size_t bytes = 0;
    shared *it = allocate(exchange, &bytes);
    *workspace = 0;
    if (!it)
        exchange->services->error("no memory for the copies between %d ranks", exchange->ranks);
    if (!weft_agree(exchange->comm, it))
        goto fail;
    MPI_Alltoall(it->place, 1, MPI_INT64_T, it->begin, 1, MPI_INT64_T, exchange->comm);
    it->window = weft_window_open(exchange->comm, bytes);
    if (it->window)
        return it;

fail:
    release(it);
    return NULL;
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    const shared *it = state;
    const weft_exchange *exchange = it->exchange;
    const weft_services *services = exchange->services;
    char *mine = weft_window_part(it->window, exchange->rank);
    (void)workspace;
    weft_window_begin(it->window);
    for (int step = 1; step <= exchange->ranks; step++) {
        int peer = weft_step_to(exchange, step);
        if (it->pack[peer])
            services->copy_run(it->pack[peer], in, mine + it->place[peer]);
    }
    weft_window_post(it->window);
    if (it->own)
        services->copy_run(it->own, in, out);
    for (int step = 1; step <= exchange->ranks; step++) {
        int peer = weft_step_from(exchange, step);
        if (!it->unpack[peer])
            continue;
        weft_window_await(it->window, peer);
        const char *theirs = weft_window_part(it->window, peer);
        services->copy_run(it->unpack[peer], theirs + it->begin[peer], out);
    }
    weft_window_done(it->window);
}

const weft_backend weft_backend_shared = {
    .version = WEFT_BACKEND_VERSION,
    .name = "shared",
    .about = "through memory that the ranks of a node share",
    .applicable = applicable,
    .prepare = prepare,
    .start = start,
    .finish = weft_finish_nothing,
    .release = release,
};
