/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI's vector collectives, made ready once. All ranks must make the same call, and how each would
 * make it depends on its own pieces: so they agree in prepare, by one reduction. That reduction
 * also carries whether the preparations before it succeeded, so that no rank goes on to another
 * collective call alone.
 */
#include "backends/messages/collective.h"

#include <stdlib.h>

/*
 * MPI_Alltoall has algorithms for short messages, but copies the own piece, too, and waits for the
 * slowest step of long ones; MPI_Alltoallv is told that the own piece is empty. Measured (8 ranks,
 * Open MPI 4.1.4): 256 bytes a piece 16 us against 21, 1 KiB 33 both, 256 KiB 2.9 ms against 1.5;
 * on 2 ranks MPI_Alltoallv is never slower.
 */
enum { EVEN_BYTES = 512 };

#ifdef HAVE_MPI_LARGE_COUNT
static const weft_call beyond_int = WEFT_CALL_LARGE;
#else
static const weft_call beyond_int = WEFT_CALL_TYPES;
#endif

/* What the ranks tell each other in prepare: of each the smallest over all ranks counts. */
enum { OK, FITS, FIXED, EVEN, LEAST, MINUS_MOST, FACTS };

/* Collective: whether all ranks have come so far, and then which call of bytes they make. */
static bool agree(weft_collective *made, const weft_exchange *exchange, bool ok, bool fits,
                  bool even)
{
    long long bytes = exchange->send[0].elements * (long long)exchange->element;
    bool fixed = exchange->fixed_in && exchange->fixed_out && exchange->fixed_work;
    long long fact[FACTS] = {ok, fits, fixed, even, bytes, -bytes};
    MPI_Allreduce(MPI_IN_PLACE, fact, FACTS, MPI_LONG_LONG, MPI_MIN, exchange->comm);
    if (!fact[OK])
        return false;
    made->bound = fact[FIXED];
    if (made->call == WEFT_CALL_TYPES)
        return true;
    if (fact[EVEN] && fact[LEAST] > 0 && fact[LEAST] == -fact[MINUS_MOST] &&
        fact[LEAST] <= EVEN_BYTES)
        made->call = WEFT_CALL_EVEN, made->even = (int)fact[LEAST];
    else
        made->call = fact[FITS] ? WEFT_CALL_BYTES : beyond_int;
    return true;
}

static bool allocate(weft_collective *made, const weft_exchange *exchange, unsigned parcels)
{
    if (made)
        made->request = MPI_REQUEST_NULL;
    if (made && weft_parcels_prepare(&made->parcels, exchange, parcels) &&
        weft_side_allocate(&made->send, exchange->ranks) &&
        weft_side_allocate(&made->receive, exchange->ranks))
        return true;
    exchange->services->error("no memory for a collective call of %d ranks", exchange->ranks);
    return false;
}

void weft_collective_release(void *state)
{
    weft_collective *made = state;
    if (!made)
        return;
    if (made->request != MPI_REQUEST_NULL)
        MPI_Request_free(&made->request);
    if (made->parcels.exchange) {
        weft_side_release(&made->send, made->parcels.exchange->ranks);
        weft_side_release(&made->receive, made->parcels.exchange->ranks);
    }
    weft_parcels_release(&made->parcels);
    free(made);
}

/* Places one side's parcels and tells MPI where they lie; false: int does not hold that. */
static bool describe(weft_collective *made, bool sent, ptrdiff_t *end, bool *ok)
{
    const weft_exchange *exchange = made->parcels.exchange;
    weft_side *side = sent ? &made->send : &made->receive;
    *end = weft_side_place(side, &made->parcels, sent, *end);
    bool fits = weft_side_describe(side, sent ? made->parcels.send : made->parcels.receive,
                                   exchange->ranks);
    if (!fits && (made->call == WEFT_CALL_TYPES || beyond_int == WEFT_CALL_TYPES))
        *ok &= weft_side_derive(side, exchange->services, exchange->ranks);
    return fits;
}

static const void *from(const weft_collective *made, const void *in, const void *workspace)
{
    if (made->send.empty)
        return &made->nothing[0];
    return (const char *)(made->send.staged ? workspace : in) + made->send.begin;
}

static void *to(weft_collective *made, void *out, void *workspace)
{
    if (made->receive.empty)
        return &made->nothing[1];
    return (char *)(made->receive.staged ? workspace : out) + made->receive.begin;
}

/* The request of a call that is always for the same arrays, where this MPI has that. */
static void bind(weft_collective *made)
{
#ifdef HAVE_MPI_PERSISTENT_COLLECTIVES
    const weft_exchange *exchange = made->parcels.exchange;
    const weft_side *s = &made->send, *r = &made->receive;
    const void *in = from(made, exchange->fixed_in, exchange->fixed_work);
    void *out = to(made, exchange->fixed_out, exchange->fixed_work);
    if (made->call == WEFT_CALL_BYTES)
        MPI_Alltoallv_init(in, s->count, s->displacement, MPI_BYTE, out, r->count, r->displacement,
                           MPI_BYTE, exchange->comm, MPI_INFO_NULL, &made->request);
    else if (made->call == WEFT_CALL_TYPES)
        MPI_Alltoallw_init(in, s->count, s->displacement, s->type, out, r->count, r->displacement,
                           r->type, exchange->comm, MPI_INFO_NULL, &made->request);
#endif
    made->bound = made->request != MPI_REQUEST_NULL;
}

/* MPI_Alltoall takes no displacements: its buffers begin with the piece of rank 0. */
static void begin_even(weft_collective *made, const weft_exchange *exchange)
{
    if (!made->send.staged)
        made->send.begin = exchange->send[0].offset * (ptrdiff_t)exchange->element;
    if (!made->receive.staged)
        made->receive.begin = exchange->receive[0].offset * (ptrdiff_t)exchange->element;
    made->own_moved = !made->send.staged && !made->receive.staged;
}

weft_collective *weft_collective_packed(const weft_exchange *exchange, bool blocking,
                                        size_t *workspace)
{
    weft_collective *made = calloc(1, sizeof *made);
    bool ok = allocate(made, exchange, WEFT_PARCEL_BOTH | WEFT_PARCEL_TOGETHER), fits = true,
         even = false;
    ptrdiff_t end = 0;
    if (ok) {
        fits = describe(made, true, &end, &ok);
        fits &= describe(made, false, &end, &ok);
        even = blocking && !exchange->in_place &&
               weft_side_even(&made->send, exchange, exchange->send) &&
               weft_side_even(&made->receive, exchange, exchange->receive);
    }
    if (!agree(made, exchange, ok, fits, even)) {
        weft_collective_release(made);
        return NULL;
    }
    if (made->call == WEFT_CALL_EVEN)
        begin_even(made, exchange);
    if (made->bound && !blocking)
        bind(made);
    *workspace = (size_t)end;
    return made;
}

weft_collective *weft_collective_walked(const weft_exchange *exchange, bool blocking,
                                        size_t *workspace)
{
    weft_collective *made = calloc(1, sizeof *made);
    bool ok = allocate(made, exchange, exchange->in_place ? WEFT_PARCEL_SEND : 0);
    ptrdiff_t end = 0;
    if (ok) {
        made->call = WEFT_CALL_TYPES;
        if (exchange->in_place)
            describe(made, true, &end, &ok);
        else
            ok &= weft_side_walk(&made->send, exchange, exchange->send);
        ok &= weft_side_walk(&made->receive, exchange, exchange->receive);
    }
    if (!agree(made, exchange, ok, true, false)) {
        weft_collective_release(made);
        return NULL;
    }
    if (made->bound && !blocking)
        bind(made);
    *workspace = (size_t)end;
    return made;
}

static void pack(const weft_collective *made, const void *in, void *out, void *workspace)
{
    const weft_parcels *parcels = &made->parcels;
    weft_parcels_begin(parcels, in, out, workspace);
    for (int step = 1; step < parcels->exchange->ranks; step++) {
        int peer = weft_step_to(parcels->exchange, step);
        if (parcels->send[peer].bytes)
            weft_parcel_from(parcels, peer, in, workspace);
    }
}

static void unpack(const weft_collective *made, void *out, const void *workspace)
{
    for (int step = 1; step < made->parcels.exchange->ranks; step++)
        weft_parcel_arrived(&made->parcels, weft_step_from(made->parcels.exchange, step), out,
                            workspace);
}

void weft_collective_run(void *state, const void *in, void *out, void *workspace)
{
    weft_collective *made = state;
    const weft_side *s = &made->send, *r = &made->receive;
    MPI_Comm comm = made->parcels.exchange->comm;
    pack(made, in, out, workspace);
    const void *sent = from(made, in, workspace);
    void *received = to(made, out, workspace);
    switch (made->call) {
    case WEFT_CALL_EVEN:
        MPI_Alltoall(sent, made->even, MPI_BYTE, received, made->even, MPI_BYTE, comm);
        break;
    case WEFT_CALL_BYTES:
        MPI_Alltoallv(sent, s->count, s->displacement, MPI_BYTE, received, r->count,
                      r->displacement, MPI_BYTE, comm);
        break;
    case WEFT_CALL_LARGE:
#ifdef HAVE_MPI_LARGE_COUNT
        MPI_Alltoallv_c(sent, s->large_count, s->large_displacement, MPI_BYTE, received,
                        r->large_count, r->large_displacement, MPI_BYTE, comm);
#endif
        break;
    case WEFT_CALL_TYPES:
        MPI_Alltoallw(sent, s->count, s->displacement, s->type, received, r->count, r->displacement,
                      r->type, comm);
        break;
    }
    if (!made->own_moved)
        weft_parcels_own(&made->parcels, in, out);
    unpack(made, out, workspace);
}

static void start_call(weft_collective *made, const void *sent, void *received)
{
    const weft_side *s = &made->send, *r = &made->receive;
    MPI_Comm comm = made->parcels.exchange->comm;
    if (made->bound)
        MPI_Start(&made->request);
    else if (made->call == WEFT_CALL_BYTES)
        MPI_Ialltoallv(sent, s->count, s->displacement, MPI_BYTE, received, r->count,
                       r->displacement, MPI_BYTE, comm, &made->request);
    else if (made->call == WEFT_CALL_TYPES)
        MPI_Ialltoallw(sent, s->count, s->displacement, s->type, received, r->count,
                       r->displacement, r->type, comm, &made->request);
#ifdef HAVE_MPI_LARGE_COUNT
    else
        MPI_Ialltoallv_c(sent, s->large_count, s->large_displacement, MPI_BYTE, received,
                         r->large_count, r->large_displacement, MPI_BYTE, comm, &made->request);
#endif
}

void weft_collective_start(void *state, const void *in, void *out, void *workspace)
{
    weft_collective *made = state;
    pack(made, in, out, workspace);
    start_call(made, from(made, in, workspace), to(made, out, workspace));
    weft_parcels_own(&made->parcels, in, out);
}

void weft_collective_finish(void *state, const void *in, void *out, void *workspace)
{
    weft_collective *made = state;
    (void)in;
    MPI_Wait(&made->request, MPI_STATUS_IGNORE);
    unpack(made, out, workspace);
}
