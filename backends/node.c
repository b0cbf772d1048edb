/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * node: what the ranks of one node send to another node goes as one message. Each rank of a node
 * leads the traffic with some of the other nodes: it gathers what its neighbours have for them, and
 * spreads what comes from them.
 *
 *     node 0: ranks 0 1    node 1: ranks 2 3    node 2: ranks 4 5
 *
 *     rank 0 leads the traffic of node 0 with node 1, rank 1 that with node 2; rank 3 that of node
 * 1 with node 0. From rank 1 to ranks 2 and 3:
 *
 *     gather    1 -> 0    [ to 0 | to 2, to 3 ]
 *     cross     0 -> 3    [ 0 to 2, 0 to 3 | 1 to 2, 1 to 3 ]
 *     spread    3 -> 2    [ 0 to 2, 1 to 2 ]                     for rank 3 itself they are there
 *
 * Cost: with a latency, B bytes a second, N nodes of s ranks of n bytes each: (N - 1) / s messages
 * between nodes and 2 (s - 1) within, where all at once send N s - s and s - 1; what goes between
 * nodes is copied twice more within nodes, at either end by a message and by its leader. With fewer
 * nodes than ranks of a node some lead nothing, and those that do have the more to carry. For many
 * small pieces. Messages between nodes travel between start and finish.
 *
 * The workspace holds, aligned, what leaves for neighbours, what has come from them, and what goes
 * to other nodes and comes from there. How large pieces are that a leader only passes on, its
 * neighbours and the other leaders tell it in prepare.
 */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/exchange.h"
#include "backends/messages/pieces.h"

/* A message to each, and one from each. */
typedef struct {
    weft_message *out, *in;
} messages;

typedef struct {
    weft_message_pieces pieces;
    int nodes, here;    /* that there are, in the order of their first ranks; this rank's */
    int *first;         /* [nodes + 1] where in `member` the ranks of each begin, and the end */
    int *member;        /* [ranks] by node */
    int near, place;    /* ranks on this node, and this rank's place among them */
    int led, led_ranks; /* nodes with which this rank leads the traffic, and their ranks */
    MPI_Aint *told;     /* [ranks + near * led_ranks] sizes, for others */
    MPI_Aint *heard;    /* [near][1 + led_ranks] of what neighbours have, for this rank first */
    MPI_Aint *coming;   /* [led_ranks][near] of what comes from other nodes */
    messages gather, spread;    /* [near] */
    messages cross;             /* [led] */
    ptrdiff_t *at;              /* [near] */
    MPI_Request *far, *request; /* [2 * led], [2 * near] */
    int far_posted, posted;     /* now under way */
    MPI_Status *ignored; /* MPI_STATUSES_IGNORE, which gcc takes for an array that is too small */
} by_node;

static void release_messages(messages *both, int number)
{
    for (int i = 0; i < number; i++) {
        if (both->out)
            weft_message_type_free(&both->out[i].type);
        if (both->in)
            weft_message_type_free(&both->in[i].type);
    }
    free(both->out);
    free(both->in);
}

static void release(void *state)
{
    by_node *made = state;
    if (!made)
        return;
    weft_message_pieces_release(&made->pieces);
    release_messages(&made->gather, made->near);
    release_messages(&made->spread, made->near);
    release_messages(&made->cross, made->led);
    free(made->first);
    free(made->member);
    free(made->told);
    free(made->heard);
    free(made->coming);
    free(made->at);
    free(made->far);
    free(made->request);
    free(made);
}

static int size_of(const by_node *made, int node)
{
    return made->first[node + 1] - made->first[node];
}

static int rank_at(const by_node *made, int node, int place)
{
    return made->member[made->first[node] + place];
}

/* The i-th node with which the rank at a place of this node leads the traffic; -1: there are no
 * more. */
static int led_by(const by_node *made, int place, int i)
{
    const ptrdiff_t step = place + (ptrdiff_t)i * made->near;
    return step < made->nodes - 1 ? (int)((made->here + 1 + step) % made->nodes) : -1;
}

static int neighbour(const by_node *made, int place)
{
    return rank_at(made, made->here, place);
}

/* The rank of another node that leads its traffic with this one. */
static int leader_there(const by_node *made, int node)
{
    const int step = (made->here - node - 1 + made->nodes) % made->nodes;
    return rank_at(made, node, step % size_of(made, node));
}

/* Lists the ranks of the group by node. */
static bool find_nodes(by_node *made, const weft_exchange *exchange)
{
    const int ranks = exchange->ranks, *node = weft_exchange_nodes(exchange);
    int *number = calloc((size_t)ranks, sizeof *number); /* by the first rank there */
    made->first = calloc((size_t)ranks + 1, sizeof *made->first);
    made->member = calloc((size_t)ranks, sizeof *made->member);
    if (number && made->first && made->member) {
        for (int rank = 0; rank < ranks; rank++) {
            if (node[rank] == rank)
                number[rank] = made->nodes++;
            made->first[number[node[rank]] + 1]++;
        }
        for (int i = 0; i < made->nodes; i++)
            made->first[i + 1] += made->first[i];
        made->here = number[node[exchange->rank]];
        for (int rank = ranks - 1; rank >= 0; rank--) /* from the ends of nodes, which so begin */
            made->member[--made->first[number[node[rank]] + 1]] = rank;
        for (int i = 0; i < made->nodes; i++)
            made->first[i] = made->first[i + 1];
        made->first[made->nodes] = ranks;
    }
    free(number);
    return made->member && made->nodes > 0;
}

/* What this rank leads, of which it knows who is where. */
static void find_led(by_node *made, const weft_exchange *exchange)
{
    made->near = size_of(made, made->here);
    while (neighbour(made, made->place) != exchange->rank)
        made->place++;
    for (int node; (node = led_by(made, made->place, made->led)) >= 0; made->led++)
        made->led_ranks += size_of(made, node);
}

static bool allocate_messages(messages *both, int number)
{
    both->out = calloc((size_t)number + 1, sizeof *both->out);
    both->in = calloc((size_t)number + 1, sizeof *both->in);
    for (int i = 0; both->out && both->in && i < number; i++)
        both->out[i].type = both->in[i].type = MPI_BYTE;
    return both->out && both->in;
}

static by_node *allocate(const weft_exchange *exchange)
{
    by_node *made = calloc(1, sizeof *made);
    if (!made || !find_nodes(made, exchange))
        goto fail;
    find_led(made, exchange);
    const size_t near = (size_t)made->near, led = (size_t)made->led,
                 led_ranks = (size_t)made->led_ranks;
    made->told = calloc((size_t)exchange->ranks + near * led_ranks, sizeof *made->told);
    made->heard = calloc(near * (1 + led_ranks), sizeof *made->heard);
    made->coming = calloc(near * led_ranks + 1, sizeof *made->coming);
    made->at = calloc(near, sizeof *made->at);
    made->far = calloc(2 * led + 1, sizeof(MPI_Request));
    made->request = calloc(2 * near, sizeof(MPI_Request));
    made->ignored = MPI_STATUSES_IGNORE;
    if (made->told && made->heard && made->coming && made->at && made->far && made->request &&
        allocate_messages(&made->gather, made->near) &&
        allocate_messages(&made->spread, made->near) &&
        allocate_messages(&made->cross, made->led) &&
        weft_message_pieces_prepare(&made->pieces, exchange, WEFT_PIECES_BOTH | WEFT_PIECES_COPIED))
        return made;
fail:
    exchange->services->error("no memory for the messages of %d ranks", exchange->ranks);
    release(made);
    return NULL;
}

/* The sizes of the pieces that a neighbour has for the nodes that this rank leads, node by node. */
static MPI_Aint *heard_from(const by_node *made, int place)
{
    return made->heard + (ptrdiff_t)place * (1 + made->led_ranks);
}

/* The sizes of what this rank has for the leader at a place: for itself, then for its nodes. */
static int list_sizes(const by_node *made, int place, MPI_Aint *size)
{
    int number = 0;
    size[number++] = made->pieces.send[neighbour(made, place)].bytes;
    for (int i = 0, node; (node = led_by(made, place, i)) >= 0; i++)
        for (int there = 0; there < size_of(made, node); there++)
            size[number++] = made->pieces.send[rank_at(made, node, there)].bytes;
    return number;
}

/* Collective: neighbours tell the leaders what they have. */
static void hear_neighbours(by_node *made)
{
    const weft_exchange *exchange = made->pieces.exchange;
    MPI_Aint *told = made->told;
    made->posted = 0;
    for (int place = 0; place < made->near; place++) {
        if (place == made->place) {
            list_sizes(made, place, heard_from(made, place));
            continue;
        }
        const int number = list_sizes(made, place, told), peer = neighbour(made, place);
        MPI_Irecv(heard_from(made, place), 1 + made->led_ranks, MPI_AINT, peer, exchange->tag,
                  exchange->comm, &made->request[made->posted++]);
        MPI_Isend(told, number, MPI_AINT, peer, exchange->tag, exchange->comm,
                  &made->request[made->posted++]);
        told += number;
    }
    MPI_Waitall(made->posted, made->request, made->ignored);
}

/* Collective: and these tell each other. */
static void hear_leaders(by_node *made)
{
    const weft_exchange *exchange = made->pieces.exchange;
    MPI_Aint *told = made->told + exchange->ranks, *coming = made->coming;
    made->far_posted = 0;
    for (int i = 0, before = 1; i < made->led; i++) {
        const int node = led_by(made, made->place, i), ranks = size_of(made, node);
        const int number = made->near * ranks, peer = leader_there(made, node);
        for (int place = 0; place < made->near; place++)
            memcpy(told + (ptrdiff_t)place * ranks, heard_from(made, place) + before,
                   (size_t)ranks * sizeof *told);
        MPI_Irecv(coming, number, MPI_AINT, peer, exchange->tag, exchange->comm,
                  &made->far[made->far_posted++]);
        MPI_Isend(told, number, MPI_AINT, peer, exchange->tag, exchange->comm,
                  &made->far[made->far_posted++]);
        told += number;
        coming += number;
        before += ranks;
    }
    MPI_Waitall(made->far_posted, made->far, made->ignored);
}

/* Sets where the pieces of a rank for, or from, a leader and its nodes lie; returns their end. */
static ptrdiff_t place_for(const by_node *made, weft_message_piece *piece, int place, bool direct,
                           ptrdiff_t end)
{
    if (direct) {
        piece[neighbour(made, place)].place = end;
        end += piece[neighbour(made, place)].bytes;
    }
    for (int i = 0, node; (node = led_by(made, place, i)) >= 0; i++)
        for (int there = 0; there < size_of(made, node); there++) {
            weft_message_piece *one = &piece[rank_at(made, node, there)];
            one->place = end;
            end += one->bytes;
        }
    return end;
}

/* A message from `place` to `end`, aligned; returns where the next may lie. */
static ptrdiff_t set_message(weft_message *message, int peer, ptrdiff_t place, ptrdiff_t end)
{
    message->peer = peer;
    message->place = place;
    message->bytes = end - place;
    return weft_aligned(end);
}

static ptrdiff_t sum(const MPI_Aint *size, int number)
{
    ptrdiff_t all = 0;
    for (int i = 0; i < number; i++)
        all += size[i];
    return all;
}

/* What leaves for neighbours. */
static ptrdiff_t place_gather_out(by_node *made, ptrdiff_t begin)
{
    for (int place = 0; place < made->near; place++)
        if (place != made->place)
            begin = set_message(&made->gather.out[place], neighbour(made, place), begin,
                                place_for(made, made->pieces.send, place, true, begin));
    return begin;
}

/* What comes from them: for this rank, then for its nodes. */
static ptrdiff_t place_gather_in(by_node *made, ptrdiff_t begin)
{
    for (int place = 0; place < made->near; place++) {
        const int peer = neighbour(made, place);
        if (place == made->place)
            continue;
        made->pieces.receive[peer].place = begin;
        begin = set_message(&made->gather.in[place], peer, begin,
                            begin + sum(heard_from(made, place), 1 + made->led_ranks));
    }
    return begin;
}

/* What goes to other nodes, by neighbours; what this rank itself has it packs there. */
static ptrdiff_t place_cross_out(by_node *made, ptrdiff_t begin)
{
    for (int i = 0, before = 1; i < made->led; i++) {
        const int node = led_by(made, made->place, i), ranks = size_of(made, node);
        ptrdiff_t end = begin;
        for (int place = 0; place < made->near; place++)
            for (int there = 0; there < ranks; there++) {
                if (place == made->place)
                    made->pieces.send[rank_at(made, node, there)].place = end;
                end += heard_from(made, place)[before + there];
            }
        begin = set_message(&made->cross.out[i], leader_there(made, node), begin, end);
        before += ranks;
    }
    return begin;
}

/* What comes from there, by ranks of that node, for each neighbour in turn. */
static ptrdiff_t place_cross_in(by_node *made, ptrdiff_t begin)
{
    const MPI_Aint *size = made->coming;
    for (int i = 0; i < made->led; i++) {
        const int node = led_by(made, made->place, i);
        ptrdiff_t end = begin;
        for (int there = 0; there < size_of(made, node); there++)
            for (int place = 0; place < made->near; place++) {
                if (place == made->place)
                    made->pieces.receive[rank_at(made, node, there)].place = end;
                end += *size++;
            }
        begin = set_message(&made->cross.in[i], leader_there(made, node), begin, end);
    }
    return begin;
}

/* What of that leaves for neighbours. */
static ptrdiff_t place_spread_out(by_node *made, ptrdiff_t begin)
{
    for (int place = 0; place < made->near; place++) {
        ptrdiff_t end = begin;
        for (int i = 0; i < made->led_ranks; i++)
            end += made->coming[(ptrdiff_t)i * made->near + place];
        if (place != made->place)
            begin = set_message(&made->spread.out[place], neighbour(made, place), begin, end);
    }
    return begin;
}

static ptrdiff_t place_spread_in(by_node *made, ptrdiff_t begin)
{
    for (int place = 0; place < made->near; place++)
        if (place != made->place)
            begin = set_message(&made->spread.in[place], neighbour(made, place), begin,
                                place_for(made, made->pieces.receive, place, false, begin));
    return begin;
}

static ptrdiff_t larger(ptrdiff_t a, ptrdiff_t b)
{
    return a > b ? a : b;
}

/* What is spread lies where that lay which was gathered. */
static ptrdiff_t place_all(by_node *made)
{
    const weft_exchange *exchange = made->pieces.exchange;
    const ptrdiff_t own = exchange->send[exchange->rank].elements * (ptrdiff_t)exchange->element;
    ptrdiff_t end = made->pieces.own_pack ? weft_aligned(own) : 0; /* at 0 */
    end = larger(place_gather_out(made, end), place_spread_out(made, end));
    end = larger(place_gather_in(made, end), place_spread_in(made, end));
    return place_cross_in(made, place_cross_out(made, end));
}

static bool make_types(const weft_services *services, messages *both, int number)
{
    bool ok = true;
    for (int i = 0; ok && i < number; i++) {
        weft_message *out = &both->out[i], *in = &both->in[i];
        ok = weft_message_type(services, out->bytes, &out->count, &out->type) &&
             weft_message_type(services, in->bytes, &in->count, &in->type);
    }
    return ok;
}

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value;
    by_node *made = allocate(exchange);
    if (!weft_agree(exchange->comm, made))
        goto fail;
    hear_neighbours(made);
    hear_leaders(made);
    *workspace = (size_t)place_all(made);
    if (make_types(exchange->services, &made->gather, made->near) &&
        make_types(exchange->services, &made->spread, made->near) &&
        make_types(exchange->services, &made->cross, made->led))
        return made;
fail:
    release(made);
    return NULL;
}

static void receive(const by_node *made, const weft_message *message, int number, void *workspace,
                    MPI_Request *request, int *posted)
{
    const weft_exchange *exchange = made->pieces.exchange;
    for (int i = 0; i < number; i++)
        if (message[i].bytes)
            MPI_Irecv((char *)workspace + message[i].place, message[i].count, message[i].type,
                      message[i].peer, exchange->tag, exchange->comm, &request[(*posted)++]);
}

static void send(const by_node *made, const weft_message *message, const void *workspace,
                 MPI_Request *request, int *posted)
{
    const weft_exchange *exchange = made->pieces.exchange;
    if (message->bytes)
        MPI_Isend((const char *)workspace + message->place, message->count, message->type,
                  message->peer, exchange->tag, exchange->comm, &request[(*posted)++]);
}

/* Packs what this rank has for a leader and its nodes. */
static void pack(const by_node *made, int place, const void *in, void *workspace)
{
    const weft_message_piece *piece = made->pieces.send;
    if (piece[neighbour(made, place)].bytes)
        weft_message_from(&made->pieces, neighbour(made, place), in, workspace);
    for (int i = 0, node; (node = led_by(made, place, i)) >= 0; i++)
        for (int there = 0; there < size_of(made, node); there++)
            if (piece[rank_at(made, node, there)].bytes)
                weft_message_from(&made->pieces, rank_at(made, node, there), in, workspace);
}

/* From neighbours, beginning with the next, as all do. */
static void gather(by_node *made, const void *in, void *out, void *workspace)
{
    made->posted = 0;
    receive(made, made->gather.in, made->near, workspace, made->request, &made->posted);
    for (int step = 1; step <= made->near; step++) {
        const int place = (made->place + step) % made->near;
        pack(made, place, in, workspace);
        send(made, &made->gather.out[place], workspace, made->request, &made->posted);
    }
    MPI_Waitall(made->posted, made->request, made->ignored);
    for (int place = 0; place < made->near; place++)
        weft_message_arrived(&made->pieces, neighbour(made, place), out, workspace);
}

/* Fills the messages to other nodes with what neighbours have sent, and sets them under way. */
static void cross(by_node *made, void *workspace)
{
    char *work = workspace;
    for (int place = 0; place < made->near; place++)
        made->at[place] = made->gather.in[place].place + heard_from(made, place)[0];
    for (int i = 0, before = 1; i < made->led; i++) {
        const int ranks = size_of(made, led_by(made, made->place, i));
        char *to = work + made->cross.out[i].place;
        for (int place = 0; place < made->near; place++) {
            const ptrdiff_t bytes = sum(heard_from(made, place) + before, ranks);
            if (place != made->place)
                memcpy(to, work + made->at[place], (size_t)bytes);
            made->at[place] += bytes;
            to += bytes;
        }
        send(made, &made->cross.out[i], workspace, made->far, &made->far_posted);
        before += ranks;
    }
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    by_node *made = state;
    weft_message_pieces_begin(&made->pieces, in, out, workspace);
    made->far_posted = 0;
    receive(made, made->cross.in, made->led, workspace, made->far, &made->far_posted);
    gather(made, in, out, workspace);
    cross(made, workspace);
    weft_message_pieces_own(&made->pieces, in, out);
}

/* Fills the messages to neighbours with what has come from other nodes. */
static void sort_out(by_node *made, void *workspace)
{
    char *work = workspace;
    const MPI_Aint *size = made->coming;
    for (int place = 0; place < made->near; place++)
        made->at[place] = made->spread.out[place].place;
    for (int i = 0; i < made->led; i++) {
        const char *from = work + made->cross.in[i].place;
        for (int there = size_of(made, led_by(made, made->place, i)); there > 0; there--)
            for (int place = 0; place < made->near; place++) {
                const size_t bytes = (size_t)*size++;
                if (place != made->place)
                    memcpy(work + made->at[place], from, bytes);
                made->at[place] += (ptrdiff_t)bytes;
                from += bytes;
            }
    }
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    by_node *made = state;
    const weft_exchange *exchange = made->pieces.exchange;
    (void)in;
    made->posted = 0;
    receive(made, made->spread.in, made->near, workspace, made->request, &made->posted);
    MPI_Waitall(made->far_posted, made->far, made->ignored);
    sort_out(made, workspace);
    for (int step = 1; step < made->near; step++)
        send(made, &made->spread.out[(made->place + step) % made->near], workspace, made->request,
             &made->posted);
    MPI_Waitall(made->posted, made->request, made->ignored);
    for (int i = 0; i < exchange->ranks; i++)
        if (i < made->first[made->here] || i >= made->first[made->here + 1])
            weft_message_arrived(&made->pieces, made->member[i], out, workspace);
}

static int test(void *state)
{
    by_node *made = state;
    int all = 1, one;
    for (int i = 0; i < made->far_posted; i++) {
        MPI_Request_get_status(made->far[i], &one, MPI_STATUS_IGNORE);
        all &= one;
    }
    return all;
}

static const char *applicable(const weft_exchange *exchange, int value)
{
    (void)value;
    return weft_exchange_has_neighbours(exchange)
               ? NULL
               : "its ranks are on one node, or each on a node of its own";
}

const weft_backend weft_backend_node = {
    .version = WEFT_BACKEND_VERSION,
    .name = "node",
    .about = "what goes from one node to another gathered, sent as one message, and spread",
    .overlaps = 1,
    .cost = &(const weft_backend_cost){.sweeps = 1, .by_node = 1, .at_once = 1, .unpack_lag = 1},
    .applicable = applicable,
    .prepare = prepare,
    .start = start,
    .finish = finish,
    .release = release,
    .test = test,
};
