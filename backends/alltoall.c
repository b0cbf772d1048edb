/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alltoallv, alltoallw: MPI's vector collectives, as used by FFTW, P3DFFT and 2DECOMP, and by
 * Dalcin, Mortensen and Keyes. ialltoallv, ialltoallw: the nonblocking variants, under way between
 * start and finish. alltoall: MPI_Alltoall, the collective that MPI libraries tune best, as in
 * rocFFT, heFFTe, 2DECOMP and dtFFT.
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
 * alltoall packs all blocks into slots of one size, the size of the largest block of any rank:
 *
 *     slot of rank    0        1        2
 *                     [aaaa]   [bbb.]   [cccc]      all packed, the rest is 0
 *
 * To limit the waste of memory and time, `applicable_slots` refuses exchanges in which a rank's
 * largest block is more than a quarter larger than the mean, or in which a rank sends more than
 * twice what it receives, or the reverse.
 *
 * Weft copies the own block without MPI. The nonblocking variants overlap only if the MPI library
 * progresses by itself, which few libraries do.
 *
 * A size or displacement that does not fit int needs a derived datatype, and so MPI_Alltoallw. All
 * ranks must make the same call, so prepare makes the ranks agree by one reduction.
 */
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/messages/blocks.h"

/* The arguments of the MPI call for one side, sending or receiving. Displacements are relative to
 * `begin`, which is an offset in the array, or in the workspace when `staged`. */
typedef struct {
    bool staged;
    bool empty;
    ptrdiff_t begin;
    int *count; /* [ranks], like all arrays below */
    int *displacement;
    MPI_Datatype *type;
} collective_side;

typedef enum { IN_BYTES, IN_TYPES, IN_SLOTS } manner;

typedef struct {
    weft_message_blocks blocks;
    collective_side send, receive;
    ptrdiff_t slot; /* bytes of a slot; 0: there are no slots */
    int slot_count; /* a slot is so many elements of this type */
    MPI_Datatype slot_type;
    bool types; /* MPI_Alltoallw with one datatype for each block; else MPI_Alltoallv of bytes. All
                   ranks agree on it */
    /* Valid addresses to pass for empty sides, which may have no array. */
    char nothing[2];
} collective;

static void allocate_side(collective *made, collective_side *side)
{
    const int ranks = made->blocks.exchange->ranks;
    *side = (collective_side){.empty = true};
    side->count = weft_message_new(&made->blocks, (size_t)ranks, sizeof *side->count);
    side->displacement = weft_message_new(&made->blocks, (size_t)ranks, sizeof *side->displacement);
    side->type = weft_message_new(&made->blocks, (size_t)ranks, sizeof *side->type);
    for (int peer = 0; side->type && peer < ranks; peer++)
        side->type[peer] = MPI_BYTE;
}

static collective *allocate(const weft_exchange *exchange, unsigned blocks)
{
    collective *made = weft_messages_make(sizeof *made, exchange, blocks);
    if (!made)
        return NULL;
    allocate_side(made, &made->send);
    allocate_side(made, &made->receive);
    made->blocks.request = weft_message_new(&made->blocks, 1, sizeof *made->blocks.request);
    return weft_messages_made(made);
}

/* Places the staged blocks of a side in the workspace, in the order of ranks: in slots, after the
 * own block in place, or without gaps. Returns the end in the workspace. */
static ptrdiff_t place(collective *made, bool sent, ptrdiff_t begin)
{
    const weft_exchange *exchange = made->blocks.exchange;
    collective_side *side = sent ? &made->send : &made->receive;
    weft_message_block *message = sent ? made->blocks.send : made->blocks.receive;
    side->staged = made->slot > 0;
    side->empty = !side->staged;
    for (int peer = 0; peer < exchange->ranks; peer++) {
        side->staged |= message[peer].copy != NULL;
        side->empty &= !message[peer].bytes;
    }
    if (sent && exchange->in_place && made->slot == 0)
        return weft_message_blocks_place_sent(&made->blocks);
    if (!side->staged)
        return begin;
    if (sent && made->blocks.own_pack)
        begin = weft_round_to_alignment(exchange->own_elements * (ptrdiff_t)exchange->element);
    side->begin = begin;
    for (int peer = 0; peer < exchange->ranks; peer++) {
        message[peer].place = begin;
        begin += made->slot > 0 ? made->slot : message[peer].bytes;
    }
    return weft_round_to_alignment(begin);
}

/* Describes bytes as `count` elements of the returned type: MPI_BYTE, or one derived type when an
 * int cannot hold their number. */
static MPI_Datatype type_of(collective *made, ptrdiff_t bytes, int *count)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    *count = (int)bytes;
    if (bytes <= weft_limit())
        return MPI_BYTE;
    *count = 1;
    const bool ok = made->blocks.exchange->services->bytes_type(bytes, &type);
    return weft_message_keep_type(&made->blocks, ok, type);
}

/* Makes a datatype of a block whose size or displacement does not fit int. */
static void derive(collective *made, collective_side *side, int peer, MPI_Aint bytes, MPI_Aint from)
{
    int count;
    MPI_Datatype plain = type_of(made, bytes, &count), type = MPI_DATATYPE_NULL;
    const bool ok = MPI_Type_create_hindexed(1, &count, &from, plain, &type) == MPI_SUCCESS &&
                    MPI_Type_commit(&type) == MPI_SUCCESS;
    side->count[peer] = 1;
    side->type[peer] = weft_message_keep_type(&made->blocks, ok, type);
}

/* Fills in counts and displacements in bytes, and clears *fits if one does not fit int. */
static void describe(collective *made, collective_side *side, const weft_message_block *message,
                     bool *fits)
{
    for (int peer = 0; peer < made->blocks.exchange->ranks; peer++) {
        const ptrdiff_t bytes = message[peer].bytes,
                        at = side->staged ? message[peer].place : message[peer].begin,
                        from = bytes ? at - side->begin : 0;
        if (bytes > weft_limit() || from > weft_limit()) {
            *fits = false;
            derive(made, side, peer, bytes, from);
        } else {
            side->count[peer] = (int)bytes;
            side->displacement[peer] = (int)from;
        }
    }
}

static void walk(collective *made, collective_side *side, bool sent)
{
    const weft_exchange *exchange = made->blocks.exchange;
    const weft_services *services = exchange->services;
    for (int peer = 0; peer < exchange->ranks; peer++) {
        const weft_block *block = (sent ? services->sent : services->received)(exchange, peer);
        MPI_Datatype type = MPI_DATATYPE_NULL;
        if (peer == exchange->rank || !block->elements)
            continue;
        const bool ok = services->piece_type(exchange, block, &type);
        side->empty = false;
        side->count[peer] = 1;
        side->type[peer] = weft_message_keep_type(&made->blocks, ok, type);
    }
}

/* Prepares one side. Clears *fits when a count or displacement does not fit int. */
static void prepare_side(collective *made, bool sent, ptrdiff_t *end, bool *fits)
{
    const weft_exchange *exchange = made->blocks.exchange;
    collective_side *side = sent ? &made->send : &made->receive;
    if (made->types && !(sent && exchange->in_place)) {
        walk(made, side, sent);
        return;
    }
    *end = place(made, sent, *end);
    if (made->slot == 0)
        describe(made, side, sent ? made->blocks.send : made->blocks.receive, fits);
}

static collective *prepare(const weft_exchange *exchange, manner how, size_t *workspace)
{
    const unsigned flags[] = {
        [IN_BYTES] = WEFT_BLOCKS_BOTH | WEFT_BLOCKS_TOGETHER | WEFT_BLOCKS_EARLY,
        [IN_TYPES] = exchange->in_place ? WEFT_BLOCKS_SENT : 0,
        [IN_SLOTS] = WEFT_BLOCKS_BOTH | WEFT_BLOCKS_COPIED | WEFT_BLOCKS_EARLY};
    const ptrdiff_t sent = exchange->send.largest, received = exchange->receive.largest;
    double largest = (double)(sent > received ? sent : received);
    if (how == IN_SLOTS)
        largest = weft_agree_max(exchange->comm, largest);
    collective *made = allocate(exchange, flags[how]);
    bool fits = true;
    ptrdiff_t end = 0;
    if (made) {
        made->types = how == IN_TYPES;
        if (how == IN_SLOTS)
            made->slot = (ptrdiff_t)largest * (ptrdiff_t)exchange->element;
        made->slot_type = type_of(made, made->slot, &made->slot_count);
        prepare_side(made, true, &end, &fits);
        prepare_side(made, false, &end, &fits);
        made = weft_messages_made(made);
    }
    /* The reduction also tells whether all ranks have succeeded so far. */
    int fact[2] = {made != NULL, fits};
    MPI_Allreduce(MPI_IN_PLACE, fact, 2, MPI_INT, MPI_MIN, exchange->comm);
    if (!fact[0]) {
        weft_messages_release(made);
        return NULL;
    }
    made->types = how == IN_TYPES || !fact[1];
    *workspace = (size_t)end;
    return made;
}

/* Writes zeros to the bytes of the slots behind the packed blocks. */
static void fill_slots(const collective *made, char *work)
{
    for (int peer = 0; peer < made->blocks.exchange->ranks; peer++) {
        const weft_message_block *block = &made->blocks.send[peer];
        memset(work + block->place + block->bytes, 0, (size_t)(made->slot - block->bytes));
    }
}

static const void *buffer(const collective_side *side, const void *array, const void *workspace,
                          const char *nothing)
{
    return side->empty ? nothing : (const char *)(side->staged ? workspace : array) + side->begin;
}

/* Packs, makes the MPI call, and copies the own block. A blocking call leaves no request. */
static void call(collective *made, bool blocks, const void *in, void *out, void *workspace)
{
    const collective_side *s = &made->send, *r = &made->receive;
    MPI_Comm comm = made->blocks.exchange->comm;
    weft_message_blocks_begin(&made->blocks, in, out, workspace);
    const void *from = buffer(s, in, workspace, &made->nothing[0]);
    void *to = (void *)buffer(r, out, workspace, &made->nothing[1]);
    if (made->slot > 0) {
        fill_slots(made, workspace);
        MPI_Alltoall(from, made->slot_count, made->slot_type, to, made->slot_count, made->slot_type,
                     comm);
    } else if (made->types && blocks)
        MPI_Alltoallw(from, s->count, s->displacement, s->type, to, r->count, r->displacement,
                      r->type, comm);
    else if (made->types)
        MPI_Ialltoallw(from, s->count, s->displacement, s->type, to, r->count, r->displacement,
                       r->type, comm, made->blocks.request);
    else if (blocks)
        MPI_Alltoallv(from, s->count, s->displacement, MPI_BYTE, to, r->count, r->displacement,
                      MPI_BYTE, comm);
    else
        MPI_Ialltoallv(from, s->count, s->displacement, MPI_BYTE, to, r->count, r->displacement,
                       MPI_BYTE, comm, made->blocks.request);
    weft_message_blocks_own(&made->blocks, in, out);
}

static void start_blocking(void *state, const void *in, void *out, void *workspace)
{
    call(state, true, in, out, workspace);
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    collective *made = state;
    call(made, false, in, out, workspace);
    made->blocks.receives = 1;
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    collective *made = state;
    const weft_exchange *exchange = made->blocks.exchange;
    (void)in;
    weft_messages_wait(&made->blocks);
    for (int step = 1; step < exchange->ranks; step++)
        weft_message_unpack(&made->blocks, weft_step_from(exchange, step), out, workspace);
}

static void *prepare_bytes(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    return prepare(exchange, IN_BYTES, workspace);
}

static void *prepare_types(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    return prepare(exchange, IN_TYPES, workspace);
}

static void *prepare_slots(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    return prepare(exchange, IN_SLOTS, workspace);
}

static const char *applicable_slots(const weft_exchange *exchange, int value)
{
    const double others = exchange->ranks - 1, sent = (double)exchange->send.elements,
                 received = (double)exchange->receive.elements;
    (void)value;
    return (double)exchange->send.largest * others > 1.25 * sent ||
                   (double)exchange->receive.largest * others > 1.25 * received ||
                   sent > 2 * received || received > 2 * sent
               ? "its blocks differ too much in size"
               : NULL;
}

#define BLOCKING                                                                                   \
    .version = WEFT_BACKEND_VERSION, .start = start_blocking, .finish = finish,                    \
    .release = weft_messages_release
#define NONBLOCKING                                                                                \
    .version = WEFT_BACKEND_VERSION, .start = start, .finish = finish,                             \
    .release = weft_messages_release, .test = weft_messages_test

const weft_backend weft_backend_alltoall = {
    BLOCKING,
    .name = "alltoall",
    .about = "pack into slots of one size, one MPI_Alltoall, unpack",
    .cost = &(const weft_backend_cost){.sweeps = 1.2, .at_once = 1.6, .unpack_lag = 1},
    .applicable = applicable_slots,
    .prepare = prepare_slots,
};

const weft_backend weft_backend_alltoallv = {
    BLOCKING,
    .name = "alltoallv",
    .about = "pack, one MPI_Alltoallv, unpack",
    .cost = &(const weft_backend_cost){.sweeps = 1, .at_once = 1.6, .unpack_lag = 1},
    .prepare = prepare_bytes,
};

const weft_backend weft_backend_alltoallw = {
    BLOCKING,
    .name = "alltoallw",
    .about = "one MPI_Alltoallw on datatypes of the arrays, no packing",
    .cost = &(const weft_backend_cost){.typed = 1, .at_once = 1.6, .unpack_lag = 1},
    .prepare = prepare_types,
};

const weft_backend weft_backend_ialltoallv = {
    NONBLOCKING,
    .name = "ialltoallv",
    .about = "pack, one MPI_Ialltoallv, unpack",
    .cost = &(const weft_backend_cost){.sweeps = 1, .at_once = 1.7, .unpack_lag = 1},
    .prepare = prepare_bytes,
};

const weft_backend weft_backend_ialltoallw = {
    NONBLOCKING,
    .name = "ialltoallw",
    .about = "one MPI_Ialltoallw on datatypes of the arrays",
    .cost = &(const weft_backend_cost){.typed = 1, .at_once = 1.7, .unpack_lag = 1},
    .prepare = prepare_types,
};
