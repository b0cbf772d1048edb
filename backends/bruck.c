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
 * Pieces may differ in size. How large are those that only pass through a rank, the ranks tell each
 * other in prepare, by the same messages; and so each run's copies and messages are all listed
 * there. Pieces are packed straight into the first message they travel in and unpacked from the
 * last.
 */
#include "parcel.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_YET = -1, MOST_STAGES = 8 * sizeof(int) };

/* A piece on one message of this rank: one leaves with it, and another that travels as far arrives.
 */
typedef struct {
    int distance; /* how far they travel in all */
    ptrdiff_t
        held; /* where in the workspace an earlier message left the one; NOT_YET: it begins here */
    ptrdiff_t out_bytes; /* how large they are */
    ptrdiff_t in_bytes;
} passenger;

/* One direction of a message: where it lies in the workspace, if anywhere, and what MPI is told. */
typedef struct {
    int peer;
    ptrdiff_t place, bytes;
    int count;
    MPI_Datatype type;
} transport;

typedef struct {
    transport out, in;
    passenger *passenger; /* by distance */
    int passengers;
    int arriving; /* the first so many are at their end after this message, the others travel on */
} message;

typedef struct {
    weft_parcels parcels;
    passenger *passenger;
    message *message;
    int messages, stages;
    int stage[MOST_STAGES + 1]; /* the first message of each */
    MPI_Request *request;
    int posted;          /* requests now under way */
    MPI_Status *ignored; /* MPI_STATUSES_IGNORE, which gcc takes for an array that is too small */
} bruck;

static void release(void *state)
{
    bruck *made = state;
    if (!made)
        return;
    for (int i = 0; i < made->messages; i++) {
        weft_message_type_free(&made->message[i].out.type);
        weft_message_type_free(&made->message[i].in.type);
    }
    weft_parcels_release(&made->parcels);
    free(made->passenger);
    free(made->message);
    free(made->request);
    free(made);
}

static bruck *allocate(const weft_exchange *exchange, int radix)
{
    size_t stages = 0, ranks = (size_t)exchange->ranks;
    for (ptrdiff_t weight = 1; weight < exchange->ranks; weight *= radix)
        stages++;
    bruck *made = calloc(1, sizeof *made);
    if (!made)
        goto fail;
    made->ignored = MPI_STATUSES_IGNORE;
    made->passenger = calloc(stages * ranks + 1, sizeof *made->passenger);
    made->message = calloc(stages * (size_t)(radix - 1) + 1, sizeof *made->message);
    made->request = calloc(2 * (size_t)radix, sizeof *made->request);
    if (weft_parcels_prepare(&made->parcels, exchange, WEFT_PARCEL_BOTH) && made->passenger &&
        made->message && made->request)
        return made;
fail:
    exchange->services->error("no memory for the messages of %d ranks", exchange->ranks);
    release(made);
    return NULL;
}

/* Lists the stages, the messages of each, and who is on them. */
static void list(bruck *made, const weft_exchange *exchange, ptrdiff_t radix)
{
    passenger *next = made->passenger;
    ptrdiff_t ranks = exchange->ranks;
    for (ptrdiff_t weight = 1; weight < ranks; weight *= radix) {
        for (ptrdiff_t step = weight; step < weight * radix && step < ranks; step += weight) {
            message *one = &made->message[made->messages++];
            one->out = (transport){.peer = weft_step_to(exchange, (int)step), .type = MPI_BYTE};
            one->in = (transport){.peer = weft_step_from(exchange, (int)step), .type = MPI_BYTE};
            one->passenger = next;
            for (ptrdiff_t run = step; run < ranks; run += weight * radix)
                for (ptrdiff_t distance = run; distance < run + weight && distance < ranks;
                     distance++) {
                    one->arriving += run == step;
                    next++->distance = (int)distance;
                }
            one->passengers = (int)(next - one->passenger);
        }
        made->stage[++made->stages] = made->messages;
    }
}

/* What is known of the piece of each distance that is at this rank, while the messages are listed.
 */
typedef struct {
    MPI_Aint bytes;
    ptrdiff_t held;
} whereabouts;

/* Collective: fills in the sizes of what leaves with a message and what comes. `size` holds two a
 * passenger. */
static void exchange_sizes(message *one, const weft_exchange *exchange, const whereabouts *piece,
                           MPI_Aint *size)
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
static ptrdiff_t place_in(bruck *made, message *one, whereabouts *piece, ptrdiff_t place)
{
    const weft_exchange *exchange = made->parcels.exchange;
    one->in.place = place;
    for (int i = 0; i < one->passengers; i++) {
        const passenger *on = &one->passenger[i];
        weft_parcel *parcel = &made->parcels.receive[weft_step_from(exchange, on->distance)];
        piece[on->distance] = (whereabouts){.bytes = on->in_bytes, .held = place};
        if (i < one->arriving && parcel->copy)
            parcel->place = place;
        place += on->in_bytes;
    }
    return weft_aligned(place);
}

static ptrdiff_t place_out(bruck *made, message *one, ptrdiff_t place)
{
    const weft_exchange *exchange = made->parcels.exchange;
    one->out.place = place;
    for (int i = 0; i < one->passengers; i++) {
        const passenger *on = &one->passenger[i];
        weft_parcel *parcel = &made->parcels.send[weft_step_to(exchange, on->distance)];
        if (on->held == NOT_YET && parcel->copy && !exchange->in_place)
            parcel->place = place;
        place += on->out_bytes;
    }
    return weft_aligned(place);
}

/* Collective: follows every piece through the stages, and places it at each. Returns the bytes of
 * workspace. */
static ptrdiff_t follow(bruck *made, whereabouts *piece, MPI_Aint *size)
{
    const weft_exchange *exchange = made->parcels.exchange;
    ptrdiff_t end = weft_parcels_place_staged(&made->parcels, 0), most;
    for (int distance = 1; distance < exchange->ranks; distance++)
        piece[distance] = (whereabouts){
            .bytes = made->parcels.send[weft_step_to(exchange, distance)].bytes, .held = NOT_YET};
    for (int i = 0; i < made->messages; i++) {
        message *one = &made->message[i];
        exchange_sizes(one, exchange, piece, size);
        for (int j = 0; j < one->passengers; j++)
            one->passenger[j].held = piece[one->passenger[j].distance].held;
        end = place_in(made, one, piece, end);
    }
    /* What leaves in one stage lies where that of the stage before has left. */
    most = end;
    for (int stage = 0; stage < made->stages; stage++) {
        ptrdiff_t place = end;
        for (int i = made->stage[stage]; i < made->stage[stage + 1]; i++)
            place = place_out(made, &made->message[i], place);
        most = place > most ? place : most;
    }
    return most;
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

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    int radix = radix_for(exchange, value);
    bruck *made = allocate(exchange, radix);
    whereabouts *piece = calloc((size_t)exchange->ranks, sizeof *piece);
    MPI_Aint *size = calloc(2 * (size_t)exchange->ranks, sizeof *size);
    int ok = made && piece && size;
    MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_LAND, exchange->comm);
    if (ok) {
        list(made, exchange, radix);
        *workspace = (size_t)follow(made, piece, size);
    }
    for (int i = 0; ok && i < made->messages; i++) {
        transport *out = &made->message[i].out, *in = &made->message[i].in;
        ok = weft_message_type(exchange->services, out->bytes, &out->count, &out->type) &&
             weft_message_type(exchange->services, in->bytes, &in->count, &in->type);
    }
    free(piece);
    free(size);
    if (ok)
        return made;
    exchange->services->error("no memory for the messages of %d ranks", exchange->ranks);
    release(made);
    return NULL;
}

/* Fills a message and says where it lies: a piece alone goes straight from where it is. */
static const void *fill(const bruck *made, const message *one, const void *in, void *workspace)
{
    char *work = workspace, *place = work + one->out.place;
    for (int i = 0; i < one->passengers; i++) {
        const passenger *on = &one->passenger[i];
        if (!on->out_bytes)
            continue;
        const void *lies = work + on->held;
        if (on->held == NOT_YET)
            lies = weft_parcel_from(&made->parcels,
                                    weft_step_to(made->parcels.exchange, on->distance), in, work);
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
static void *receive_at(const bruck *made, const message *one, void *out, void *workspace)
{
    for (int i = 0; i < one->arriving; i++)
        if (one->passenger[i].in_bytes == one->in.bytes)
            return weft_parcel_to(
                &made->parcels, weft_step_from(made->parcels.exchange, one->passenger[i].distance),
                out, workspace);
    return (char *)workspace + one->in.place;
}

static void empty(const bruck *made, const message *one, void *out, void *workspace)
{
    const char *place = (const char *)workspace + one->in.place;
    for (int i = 0; i < one->arriving; place += one->passenger[i++].in_bytes) {
        const passenger *on = &one->passenger[i];
        int from = weft_step_from(made->parcels.exchange, on->distance);
        if (made->parcels.receive[from].copy)
            weft_parcel_arrived(&made->parcels, from, out, workspace);
        else if (on->in_bytes && on->in_bytes != one->in.bytes)
            memcpy((char *)out + made->parcels.receive[from].place, place, (size_t)on->in_bytes);
    }
}

static int post(bruck *made, int stage, const void *in, void *out, void *workspace)
{
    const weft_exchange *exchange = made->parcels.exchange;
    int posted = 0;
    for (int i = made->stage[stage]; i < made->stage[stage + 1]; i++) {
        const message *one = &made->message[i];
        if (one->in.bytes)
            MPI_Irecv(receive_at(made, one, out, workspace), one->in.count, one->in.type,
                      one->in.peer, exchange->tag, exchange->comm, &made->request[posted++]);
    }
    for (int i = made->stage[stage]; i < made->stage[stage + 1]; i++) {
        const message *one = &made->message[i];
        if (one->out.bytes)
            MPI_Isend(fill(made, one, in, workspace), one->out.count, one->out.type, one->out.peer,
                      exchange->tag, exchange->comm, &made->request[posted++]);
    }
    return posted;
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    bruck *made = state;
    weft_parcels_begin(&made->parcels, in, out, workspace);
    made->posted = made->stages ? post(made, 0, in, out, workspace) : 0;
    weft_parcels_own(&made->parcels, in, out);
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    bruck *made = state;
    for (int stage = 0; stage < made->stages; stage++) {
        if (stage > 0)
            made->posted = post(made, stage, in, out, workspace);
        MPI_Waitall(made->posted, made->request, made->ignored);
        for (int i = made->stage[stage]; i < made->stage[stage + 1]; i++)
            empty(made, &made->message[i], out, workspace);
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
    .applicable = applicable,
    .values = values,
    .prepare = prepare,
    .start = start,
    .finish = finish,
    .release = release,
};
