/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alltoallv, alltoallw: MPI's vector collectives, as used by FFTW, P3DFFT and 2DECOMP, and by
 * Dalcin, Mortensen and Keyes. ialltoallv, ialltoallw: the nonblocking variants, under way between
 * start and finish.
 *
 * alltoallv packs the blocks that are not contiguous; if one block of a side needs packing,
 * alltoallv packs all blocks of this side. Cost, with latency a, B bytes per second and P ranks of
 * n bytes each: depends on the MPI library, at best (P - 1) a + (P - 1) / P n / B, or log2 P a for
 * short messages; and one sweep over the memory on each side whose blocks are not contiguous.
 *
 * alltoallw passes MPI datatypes that walk the user's arrays: nothing is packed, and MPI changes
 * the order of axes on the way. The cost is the same without the sweeps, but MPI's datatype engine
 * walks the memory: fast for long contiguous runs, slow for single elements. In place, the sent
 * data is packed.
 *
 * Weft copies the own block without MPI, except where MPI_Alltoall runs directly on the arrays. The
 * nonblocking variants overlap only if the MPI library progresses by itself, which few libraries
 * do.
 *
 * All ranks must make the same call, but each rank's choice depends on its own blocks. So prepare
 * makes the ranks agree by one reduction. The same reduction tells whether all ranks have succeeded
 * so far, so that no rank goes on alone to another collective call.
 */
#include <stdlib.h>
#include "backends/messages/pieces.h"
#include "kernels/base/limits.h"

/*
 * The largest block, in bytes, for MPI_Alltoall. MPI_Alltoall has algorithms for short messages,
 * but it also copies the own block, and for long messages it waits for the slowest step. For
 * MPI_Alltoallv the own block is declared empty. Measured (8 ranks, Open MPI 4.1.4), MPI_Alltoall
 * against MPI_Alltoallv: 16 us against 21 for blocks of 256 bytes, 33 us both for 1 KiB, 2.9 ms
 * against 1.5 for 256 KiB. On 2 ranks MPI_Alltoallv is never slower.
 */
enum { EVEN_BYTES = 512 };

/* A function that returns the block to or from a rank. */
typedef const weft_piece *(*piece_at)(const weft_exchange *, int);

/* The MPI call that the exchange makes; prepare makes all ranks agree on it. */
typedef enum {
    EVEN,  /* MPI_Alltoall: all blocks of all ranks have one size and are evenly spaced */
    BYTES, /* MPI_Alltoallv of bytes */
    LARGE, /* MPI_Alltoallv_c of bytes, with MPI-4's large counts */
    TYPES  /* MPI_Alltoallw: one datatype for each block */
} call;

#ifdef HAVE_MPI_LARGE_COUNT
static const call beyond_int = LARGE;
#else
static const call beyond_int = TYPES;
#endif

/* The arguments of the MPI call for one side, sending or receiving. Displacements are relative to
 * `begin`, which is an offset in the array, or in the workspace when `staged`. */
typedef struct {
    bool staged;
    bool empty;
    ptrdiff_t begin;
    int *count; /* [ranks], like all arrays below */
    int *displacement;
    MPI_Datatype *type;
    MPI_Count *large_count;
    MPI_Aint *large_displacement;
} collective_side;

typedef struct {
    weft_message_pieces pieces;
    collective_side send, receive;
    call call;
    int even;       /* bytes of each block, for MPI_Alltoall */
    bool own_moved; /* the MPI call also moves the own block */
    MPI_Request request;
    /* Valid addresses to pass for empty sides, which may have no array. */
    char nothing[2];
} collective;

static bool allocate_side(collective_side *side, int ranks)
{
    size_t places = (size_t)ranks;
    *side = (collective_side){.empty = true};
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

static void release_side(collective_side *side, int ranks)
{
    for (int peer = 0; side->type && peer < ranks; peer++)
        weft_message_type_free(&side->type[peer]);
    free(side->count);
    free(side->displacement);
    free(side->type);
    free(side->large_count);
    free(side->large_displacement);
}

static void release(void *state)
{
    collective *made = state;
    if (!made)
        return;
    if (made->pieces.exchange) {
        release_side(&made->send, made->pieces.exchange->ranks);
        release_side(&made->receive, made->pieces.exchange->ranks);
    }
    weft_message_pieces_release(&made->pieces);
    free(made);
}

static collective *allocate(const weft_exchange *exchange, unsigned pieces)
{
    collective *made = calloc(1, sizeof *made);
    if (made && weft_message_pieces_prepare(&made->pieces, exchange, pieces) &&
        allocate_side(&made->send, exchange->ranks) &&
        allocate_side(&made->receive, exchange->ranks))
        return made;
    exchange->services->error("no memory for a collective call of %d ranks", exchange->ranks);
    release(made);
    return NULL;
}

/*
 * Places the staged blocks of a side in the workspace, in the order of ranks and without gaps. The
 * place of the own block (if there is one) stays free, so that blocks of one size are evenly
 * spaced. Returns the end in the workspace.
 */
static ptrdiff_t place(collective_side *side, weft_message_pieces *pieces, bool sent,
                       ptrdiff_t begin)
{
    const weft_exchange *exchange = pieces->exchange;
    weft_message_piece *message = sent ? pieces->send : pieces->receive;
    for (int peer = 0; peer < exchange->ranks; peer++) {
        side->staged |= message[peer].copy != NULL;
        side->empty &= !message[peer].bytes;
    }
    if (sent && exchange->in_place)
        return weft_message_pieces_place_staged(pieces, begin);
    if (!side->staged)
        return begin;
    side->begin = begin;
    for (int peer = 0; peer < exchange->ranks; peer++) {
        message[peer].place = begin;
        begin += peer == exchange->rank ? exchange->own_elements * (ptrdiff_t)exchange->element
                                        : message[peer].bytes;
    }
    return weft_aligned(begin);
}

/* Fills in counts and displacements in bytes. Returns false when a value does not fit int. */
static bool describe(collective_side *side, const weft_message_piece *message, int ranks)
{
    bool fits = true;
    for (int peer = 0; peer < ranks; peer++) {
        ptrdiff_t bytes = message[peer].bytes,
                  at = side->staged ? message[peer].place : message[peer].begin,
                  from = bytes ? at - side->begin : 0;
        side->large_count[peer] = bytes;
        side->large_displacement[peer] = from;
        if (bytes > weft_limit() || from > weft_limit()) {
            fits = false;
        } else {
            side->count[peer] = (int)bytes;
            side->displacement[peer] = (int)from;
        }
    }
    return fits;
}

/* After describe: replaces the counts and displacements that do not fit int by derived types.
 * Returns false without memory. */
static bool derive(collective_side *side, const weft_services *services, int ranks)
{
    for (int peer = 0; peer < ranks; peer++) {
        MPI_Aint bytes = side->large_count[peer], from = side->large_displacement[peer];
        if (bytes <= weft_limit() && from <= weft_limit())
            continue;
        MPI_Datatype plain;
        if (!services->bytes_type(bytes, &plain))
            return false;
        int one = 1;
        bool made =
            MPI_Type_create_hindexed(1, &one, &from, plain, &side->type[peer]) == MPI_SUCCESS &&
            MPI_Type_commit(&side->type[peer]) == MPI_SUCCESS;
        MPI_Type_free(&plain);
        if (!made)
            return false;
        side->count[peer] = 1;
        side->displacement[peer] = 0;
    }
    return true;
}

/* Makes datatypes that walk the blocks in the array itself. Returns false without memory. */
static bool walk(collective_side *side, const weft_exchange *exchange, piece_at at)
{
    for (int peer = 0; peer < exchange->ranks; peer++) {
        const weft_piece *piece = at(exchange, peer);
        if (peer == exchange->rank || !piece->elements)
            continue;
        side->empty = false;
        side->count[peer] = 1;
        if (!exchange->services->piece_type(exchange, piece, &side->type[peer])) {
            side->type[peer] = MPI_BYTE;
            return false;
        }
    }
    return true;
}

/* Prepares one side. Returns false without memory; sets `fits` to false when a count or
 * displacement does not fit int. */
static bool prepare_side(collective *made, bool sent, ptrdiff_t *end, bool *fits)
{
    const weft_exchange *exchange = made->pieces.exchange;
    collective_side *side = sent ? &made->send : &made->receive;
    if (made->call == TYPES && !(sent && exchange->in_place))
        return walk(side, exchange, sent ? exchange->services->sent : exchange->services->received);
    *end = place(side, &made->pieces, sent, *end);
    if (describe(side, sent ? made->pieces.send : made->pieces.receive, exchange->ranks))
        return true;
    *fits = false;
    return (made->call != TYPES && beyond_int != TYPES) ||
           derive(side, exchange->services, exchange->ranks);
}

/* After place: whether MPI_Alltoall could use the blocks of a side where they are. */
static bool lies_evenly(const collective_side *side, const weft_exchange *exchange, piece_at at)
{
    const ptrdiff_t elements = at(exchange, 0)->elements, offset = at(exchange, 0)->offset;
    for (int peer = 0; peer < exchange->ranks; peer++) {
        const weft_piece *piece = at(exchange, peer);
        if (piece->elements != elements)
            return false;
        if (!side->staged && (!piece->contiguous || piece->offset - offset != peer * elements))
            return false;
    }
    return exchange->ranks > 1;
}

/* Collective: whether all ranks have succeeded so far. If so, chooses the call for bytes. The
 * reduction takes the minimum of each value over all ranks. */
static bool agree(collective *made, const weft_exchange *exchange, bool fits, bool even)
{
    enum { MADE, FITS, EVENLY, LEAST, MINUS_MOST, FACTS };
    long long bytes =
        exchange->services->sent(exchange, 0)->elements * (long long)exchange->element;
    long long fact[FACTS] = {made != NULL, fits, even, bytes, -bytes};
    MPI_Allreduce(MPI_IN_PLACE, fact, FACTS, MPI_LONG_LONG, MPI_MIN, exchange->comm);
    if (!fact[MADE])
        return false;
    if (made->call == TYPES)
        return true;
    made->call = fact[FITS] ? BYTES : beyond_int;
    if (fact[EVENLY] && fact[LEAST] > 0 && fact[LEAST] == -fact[MINUS_MOST] &&
        fact[LEAST] <= EVEN_BYTES)
        made->call = EVEN, made->even = (int)fact[LEAST];
    return true;
}

/* MPI_Alltoall takes no displacements, so its buffers begin at the block of rank 0. */
static void begin_evenly(collective *made, const weft_exchange *exchange)
{
    if (!made->send.staged)
        made->send.begin =
            exchange->services->sent(exchange, 0)->offset * (ptrdiff_t)exchange->element;
    if (!made->receive.staged)
        made->receive.begin =
            exchange->services->received(exchange, 0)->offset * (ptrdiff_t)exchange->element;
    made->own_moved = !made->send.staged && !made->receive.staged;
}

static collective *prepare(const weft_exchange *exchange, bool types, bool blocking,
                           size_t *workspace)
{
    const unsigned in_types = exchange->in_place ? WEFT_PIECES_SENT : 0,
                   in_bytes = WEFT_PIECES_BOTH | WEFT_PIECES_TOGETHER;
    collective *made = allocate(exchange, types ? in_types : in_bytes);
    bool fits = true, even = false;
    ptrdiff_t end = 0;
    if (made) {
        made->call = types ? TYPES : BYTES;
        made->request = MPI_REQUEST_NULL;
        if (prepare_side(made, true, &end, &fits) && prepare_side(made, false, &end, &fits))
            even = !types && blocking && !exchange->in_place &&
                   lies_evenly(&made->send, exchange, exchange->services->sent) &&
                   lies_evenly(&made->receive, exchange, exchange->services->received);
        else
            release(made), made = NULL;
    }
    if (!agree(made, exchange, fits, even)) {
        release(made);
        return NULL;
    }
    if (made->call == EVEN)
        begin_evenly(made, exchange);
    *workspace = (size_t)end;
    return made;
}

static void pack(const collective *made, const void *in, void *out, void *workspace)
{
    const weft_message_pieces *pieces = &made->pieces;
    weft_message_pieces_begin(pieces, in, out, workspace);
    for (int step = 1; step < pieces->exchange->ranks; step++) {
        int peer = weft_step_to(pieces->exchange, step);
        if (pieces->send[peer].bytes)
            weft_message_from(pieces, peer, in, workspace);
    }
}

static void unpack(const collective *made, void *out, const void *workspace)
{
    const weft_exchange *exchange = made->pieces.exchange;
    for (int step = 1; step < exchange->ranks; step++)
        weft_message_arrived(&made->pieces, weft_step_from(exchange, step), out, workspace);
}

static const void *buffer(const collective_side *side, const void *array, const void *workspace,
                          const char *nothing)
{
    return side->empty ? nothing : (const char *)(side->staged ? workspace : array) + side->begin;
}

static void run(void *state, const void *in, void *out, void *workspace)
{
    collective *made = state;
    const collective_side *s = &made->send, *r = &made->receive;
    MPI_Comm comm = made->pieces.exchange->comm;
    pack(made, in, out, workspace);
    const void *from = buffer(s, in, workspace, &made->nothing[0]);
    void *to = (void *)buffer(r, out, workspace, &made->nothing[1]);
    switch (made->call) {
    case EVEN:
        MPI_Alltoall(from, made->even, MPI_BYTE, to, made->even, MPI_BYTE, comm);
        break;
    case BYTES:
        MPI_Alltoallv(from, s->count, s->displacement, MPI_BYTE, to, r->count, r->displacement,
                      MPI_BYTE, comm);
        break;
    case LARGE:
#ifdef HAVE_MPI_LARGE_COUNT
        MPI_Alltoallv_c(from, s->large_count, s->large_displacement, MPI_BYTE, to, r->large_count,
                        r->large_displacement, MPI_BYTE, comm);
#endif
        break;
    case TYPES:
        MPI_Alltoallw(from, s->count, s->displacement, s->type, to, r->count, r->displacement,
                      r->type, comm);
        break;
    }
    if (!made->own_moved)
        weft_message_pieces_own(&made->pieces, in, out);
    unpack(made, out, workspace);
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    collective *made = state;
    const collective_side *s = &made->send, *r = &made->receive;
    MPI_Comm comm = made->pieces.exchange->comm;
    pack(made, in, out, workspace);
    const void *from = buffer(s, in, workspace, &made->nothing[0]);
    void *to = (void *)buffer(r, out, workspace, &made->nothing[1]);
    if (made->call == BYTES)
        MPI_Ialltoallv(from, s->count, s->displacement, MPI_BYTE, to, r->count, r->displacement,
                       MPI_BYTE, comm, &made->request);
    else if (made->call == TYPES)
        MPI_Ialltoallw(from, s->count, s->displacement, s->type, to, r->count, r->displacement,
                       r->type, comm, &made->request);
#ifdef HAVE_MPI_LARGE_COUNT
    else
        MPI_Ialltoallv_c(from, s->large_count, s->large_displacement, MPI_BYTE, to, r->large_count,
                         r->large_displacement, MPI_BYTE, comm, &made->request);
#endif
    weft_message_pieces_own(&made->pieces, in, out);
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    collective *made = state;
    (void)in;
    MPI_Wait(&made->request, MPI_STATUS_IGNORE);
    unpack(made, out, workspace);
}

static int test(void *state)
{
    collective *made = state;
    int arrived;
    MPI_Request_get_status(made->request, &arrived, MPI_STATUS_IGNORE);
    return arrived;
}

static void *prepare_alltoallv(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    return prepare(exchange, false, true, workspace);
}

static void *prepare_alltoallw(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    return prepare(exchange, true, true, workspace);
}

static void *prepare_ialltoallv(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    return prepare(exchange, false, false, workspace);
}

static void *prepare_ialltoallw(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    return prepare(exchange, true, false, workspace);
}

const weft_backend weft_backend_alltoallv = {
    .version = WEFT_BACKEND_VERSION,
    .name = "alltoallv",
    .about = "pack, one MPI_Alltoallv (MPI_Alltoall for small equal blocks), unpack",
    .cost = &(const weft_backend_cost){.sweeps = 1, .at_once = 1.6, .unpack_lag = 1},
    .applicable = weft_applicable_always,
    .prepare = prepare_alltoallv,
    .start = run,
    .finish = weft_finish_nothing,
    .release = release,
};

const weft_backend weft_backend_alltoallw = {
    .version = WEFT_BACKEND_VERSION,
    .name = "alltoallw",
    .about = "one MPI_Alltoallw on datatypes of the arrays, no packing",
    .cost = &(const weft_backend_cost){.typed = 1, .at_once = 1.6, .unpack_lag = 1},
    .applicable = weft_applicable_always,
    .prepare = prepare_alltoallw,
    .start = run,
    .finish = weft_finish_nothing,
    .release = release,
};

const weft_backend weft_backend_ialltoallv = {
    .version = WEFT_BACKEND_VERSION,
    .name = "ialltoallv",
    .about = "pack, one MPI_Ialltoallv, unpack",
    .cost = &(const weft_backend_cost){.sweeps = 1, .at_once = 1.7, .unpack_lag = 1},
    .overlaps = 1,
    .applicable = weft_applicable_always,
    .prepare = prepare_ialltoallv,
    .start = start,
    .finish = finish,
    .release = release,
    .test = test,
};

const weft_backend weft_backend_ialltoallw = {
    .version = WEFT_BACKEND_VERSION,
    .name = "ialltoallw",
    .about = "one MPI_Ialltoallw on datatypes of the arrays",
    .cost = &(const weft_backend_cost){.typed = 1, .at_once = 1.7, .unpack_lag = 1},
    .overlaps = 1,
    .applicable = weft_applicable_always,
    .prepare = prepare_ialltoallw,
    .start = start,
    .finish = finish,
    .release = release,
    .test = test,
};
