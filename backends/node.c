/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * node: all data from one node to another node travels as one message. For each other node one rank
 * of this node is the leader: its part of a shared window contains the message to that node, into
 * which its neighbours write their data, and the message from that node, from which they read.
 *
 *     node 0: ranks 0 1    node 1: ranks 2 3    node 2: ranks 4 5
 *
 *     leader of the traffic of node 0 with node 1: rank 0
 *                              node 0 with node 2: rank 1
 *                              node 1 with node 0: rank 3
 *
 *     part of rank 0
 *     [ 0 to 1 ] [ 0 to 2, 0 to 3 | 1 to 2, 1 to 3 ] [ 2 to 0, 2 to 1 | 3 to 0, 3 to 1 ]
 *                  written by 0   | written by 1       read by both
 *                `------ message to rank 3 -------'  `----- message from rank 3 -------'
 *     part of rank 1
 *     [ 1 to 0 ] [ 0 to 4, 0 to 5 | 1 to 4, 1 to 5 ] [ 4 to 0, 4 to 1 | 5 to 0, 5 to 1 ]
 *
 * Cost, with N nodes of s ranks: each rank sends (N - 1) / s messages to other nodes, where direct
 * messages would be (N - 1) s; two waits for the neighbours; two copies of every element, besides
 * MPI's copies. With fewer other nodes than ranks per node, some ranks lead nothing and the leaders
 * carry more. The backend suits many small blocks. Messages between nodes travel between start and
 * finish.
 *
 * Each exchange has its own window, because other exchanges may begin before this one ends. A run
 * does not wait for the readers of the last run: neighbours have read the data from this node when
 * they publish for the second time in a run, and the data from other nodes when they publish in the
 * next run. No rank receives messages before that.
 */
#include <stdint.h>
#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/exchange.h"
#include "backends/memory/window.h"
#include "backends/messages/blocks.h"
#include "kernels/base/memory.h"

typedef struct {
    /* The place of a block is its offset in a part of the window: of a block for a neighbour in
     * this rank's own part, of a block from a neighbour in the neighbour's part, and of all other
     * blocks in the leader's part. */
    weft_message_blocks blocks;
    /* Number of nodes, in the order of their first ranks; the index of this node. */
    int nodes, here;
    /* [nodes + 1] index in `member` of the first rank of each node, and the end. */
    int *first;
    int *member; /* [ranks] all ranks, sorted by node */
    /* Number of ranks on this node, and this rank's index among them. */
    int near, place;
    int led;           /* number of nodes whose traffic this rank leads */
    weft_message *out; /* [led] the messages to these nodes, in this rank's part */
    weft_message *in;  /* [led] the messages from these nodes */
    size_t bytes;      /* bytes of this rank's part */
    weft_window *window;
} by_node;

static void release(void *state)
{
    by_node *made = state;
    if (made)
        weft_window_close(made->window);
    weft_messages_release(made);
}

static int size_of(const by_node *made, int node)
{
    return made->first[node + 1] - made->first[node];
}

static int rank_at(const by_node *made, int node, int place)
{
    return made->member[made->first[node] + place];
}

/* The i-th node whose traffic is led by the rank with index `place` on this node; -1: there are no
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

/* The index of the rank on this node that leads the traffic with another node. */
static int leader_here(const by_node *made, int node)
{
    return (node - made->here - 1 + made->nodes) % made->nodes % made->near;
}

/* The rank on another node that leads that node's traffic with this node. */
static int leader_there(const by_node *made, int node)
{
    const int step = (made->here - node - 1 + made->nodes) % made->nodes;
    return rank_at(made, node, step % size_of(made, node));
}

static void find_nodes(by_node *made, const weft_exchange *exchange)
{
    const int *node = weft_base(exchange)->node;
    int *member = made->member;
    for (int first = 0; first < exchange->ranks; first++) {
        if (node[first] != first)
            continue;
        if (node[exchange->rank] == first)
            made->here = made->nodes;
        made->first[made->nodes++] = (int)(member - made->member);
        for (int rank = first; rank < exchange->ranks; rank++)
            if (node[rank] == first)
                *member++ = rank;
    }
    made->first[made->nodes] = exchange->ranks;
}

static void find_led(by_node *made, const weft_exchange *exchange)
{
    made->near = size_of(made, made->here);
    while (neighbour(made, made->place) != exchange->rank)
        made->place++;
    while (led_by(made, made->place, made->led) >= 0)
        made->led++;
}

static by_node *allocate(const weft_exchange *exchange)
{
    const size_t ranks = (size_t)exchange->ranks;
    by_node *made =
        weft_messages_make(sizeof *made, exchange, WEFT_BLOCKS_BOTH | WEFT_BLOCKS_COPIED);
    if (!made)
        return NULL;
    weft_message_blocks *blocks = &made->blocks;
    made->first = weft_message_new(blocks, ranks + 1, sizeof *made->first);
    made->member = weft_message_new(blocks, ranks, sizeof *made->member);
    if (made->first && made->member) {
        find_nodes(made, exchange);
        find_led(made, exchange);
    }
    const size_t led = (size_t)made->led;
    made->out = weft_message_new(blocks, led, sizeof *made->out);
    made->in = weft_message_new(blocks, led, sizeof *made->in);
    return weft_messages_made(made);
}

/* Collective over the ranks of the node: sets size[near][2][ranks], the bytes that each neighbour
 * sends to and receives from every rank. */
static void gather_sizes(const by_node *made, int64_t *size)
{
    const weft_exchange *exchange = made->blocks.exchange;
    int64_t *send = size + 2 * (ptrdiff_t)made->place * exchange->ranks,
            *receive = send + exchange->ranks;
    for (int peer = 0; peer < exchange->ranks; peer++) {
        send[peer] = made->blocks.send[peer].bytes;
        receive[peer] = made->blocks.receive[peer].bytes;
    }
    send[exchange->rank] = exchange->own_elements * (int64_t)exchange->element;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT64_T, size, 2 * exchange->ranks, MPI_INT64_T,
                  exchange->node);
}

/* The bytes that a rank of this node sends to a peer, or receives from it. */
static ptrdiff_t bytes_of(const by_node *made, const int64_t *size, int place, int peer, bool sent)
{
    const ptrdiff_t row = 2 * (ptrdiff_t)place + !sent;
    return (ptrdiff_t)size[row * made->blocks.exchange->ranks + peer];
}

/* Places the blocks that one rank of this node sends to its neighbours, in that rank's own part.
 * Returns the end. */
static ptrdiff_t lay_near(by_node *made, const int64_t *size, int place)
{
    ptrdiff_t end = 0;
    for (int other = 0; other < made->near; other++) {
        const int peer = neighbour(made, other);
        if (other == place && !made->blocks.exchange->in_place)
            continue;
        if (place == made->place)
            made->blocks.send[peer].place = end;
        if (other == made->place)
            made->blocks.receive[neighbour(made, place)].place = end;
        end = weft_round_to_alignment(end + bytes_of(made, size, place, peer, true));
    }
    return end;
}

/* Places the blocks of the message to another node, or from it: from each sender to each receiver.
 * Returns the end. */
static ptrdiff_t lay_message(by_node *made, const int64_t *size, int node, bool out, ptrdiff_t end)
{
    const int senders = size_of(made, out ? made->here : node),
              receivers = size_of(made, out ? node : made->here);
    weft_message_block *block = out ? made->blocks.send : made->blocks.receive;
    for (int s = 0; s < senders; s++)
        for (int r = 0; r < receivers; r++) {
            const int place = out ? s : r, peer = rank_at(made, node, out ? r : s);
            if (place == made->place)
                block[peer].place = end;
            end += bytes_of(made, size, place, peer, out);
        }
    return end;
}

static void lay_part(by_node *made, const int64_t *size, int place)
{
    ptrdiff_t begin = lay_near(made, size, place);
    for (int i = 0, node; (node = led_by(made, place, i)) >= 0; i++) {
        const ptrdiff_t out = lay_message(made, size, node, true, begin),
                        middle = weft_round_to_alignment(out),
                        end = lay_message(made, size, node, false, middle);
        if (place == made->place) {
            const int peer = leader_there(made, node);
            made->out[i] = (weft_message){peer, begin, out - begin};
            made->in[i] = (weft_message){peer, middle, end - middle};
        }
        begin = weft_round_to_alignment(end);
    }
    if (place == made->place)
        made->bytes = (size_t)begin;
}

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)value, (void)workspace;
    by_node *made = allocate(exchange);
    const size_t sizes = made ? 2 * (size_t)made->near * (size_t)exchange->ranks : 0;
    int64_t *size = weft_new(sizes, sizeof *size, "the sizes of messages");
    if (weft_agree(exchange->comm, made && size)) {
        weft_message_blocks *blocks = &made->blocks;
        gather_sizes(made, size);
        for (int place = 0; place < made->near; place++)
            lay_part(made, size, place);
        const size_t messages = weft_message_count(blocks, 2 * made->led, (ptrdiff_t)made->bytes);
        blocks->request = weft_message_new(blocks, messages, sizeof *blocks->request);
        blocks->own_place = blocks->send[exchange->rank].place;
        made->window = weft_window_open_exclusive(exchange->node, made->bytes);
    }
    free(size);
    if (made && made->window && !made->blocks.failed)
        return made;
    release(made);
    return NULL;
}

static char *part(const by_node *made, int place)
{
    return weft_window_part(made->window, place);
}

/* Packs the blocks for the ranks of a node into the part of one rank of this node. */
static void pack(const by_node *made, int node, int place, const void *in)
{
    for (int there = 0; there < size_of(made, node); there++)
        weft_message_copy(&made->blocks, rank_at(made, node, there), in, part(made, place));
}

static void post(by_node *made)
{
    weft_message_blocks *blocks = &made->blocks;
    char *mine = part(made, made->place);
    blocks->receives = blocks->sends = 0;
    for (int i = 0; i < made->led; i++)
        weft_message_receive(blocks, made->in[i].peer, mine + made->in[i].place, made->in[i].bytes);
    for (int i = 0; i < made->led; i++)
        weft_message_send(blocks, made->out[i].peer, mine + made->out[i].place, made->out[i].bytes);
}

/* Packs the blocks for other nodes first. Each rank begins with a different leader's part, to
 * spread the writes. */
static void start(void *state, const void *in, void *out, void *workspace)
{
    by_node *made = state;
    (void)workspace;
    for (int step = 0; step < made->nodes - 1; step++) {
        const int node = (made->here + 1 + (made->place + step) % (made->nodes - 1)) % made->nodes;
        pack(made, node, leader_here(made, node), in);
    }
    pack(made, made->here, made->place, in);
    weft_message_blocks_own_in_place(&made->blocks, in, out, part(made, made->place));
    weft_barrier_publish(&made->window->barrier);
    post(made);
    for (int step = 0; step < made->near; step++) {
        const int place = (made->place + step) % made->near;
        weft_message_unpack(&made->blocks, neighbour(made, place), out, part(made, place));
    }
    weft_message_blocks_own(&made->blocks, in, out);
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    by_node *made = state;
    weft_barrier *barrier = &made->window->barrier;
    (void)in, (void)workspace;
    weft_messages_wait(&made->blocks);
    weft_barrier_publish(barrier);
    for (int step = 0; step < made->nodes - 1; step++) {
        const int node = (made->here + 1 + (made->place + step) % (made->nodes - 1)) % made->nodes;
        for (int there = 0; there < size_of(made, node); there++)
            weft_message_unpack(&made->blocks, rank_at(made, node, there), out,
                                part(made, leader_here(made, node)));
    }
    weft_barrier_done(barrier);
}

static size_t shared(const void *state)
{
    return ((const by_node *)state)->bytes;
}

static const char *applicable(const weft_exchange *exchange, int value)
{
    (void)value;
    return weft_base(exchange)->neighbours
               ? NULL
               : "all its ranks are on one node, or no two ranks are on the same node";
}

const weft_backend weft_backend_node = {
    .version = WEFT_BACKEND_VERSION,
    .name = "node",
    .about =
        "what goes from one node to another gathered in memory they share, sent as one message",
    .cost = &(const weft_backend_cost){.sweeps = 1, .by_node = 1, .at_once = 1, .unpack_lag = 1},
    .applicable = applicable,
    .prepare = prepare,
    .start = start,
    .finish = finish,
    .release = release,
    .test = weft_messages_test,
    .shared = shared,
};
