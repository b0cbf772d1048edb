/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost model: messages, their bytes, and sweeps over local memory. */
#include "planner/search/model.h"

#include <stdlib.h>
#include "backends/exchange/exchange.h"

/*
 * Measured on 2 to 4 ranks of one node (MPICH 4.0, two cores with 2 MiB of second-level cache
 * each), and the usual figures of networks of 100 Gbit/s for the rest.
 */
static const struct {
    double message;       /* seconds to send a message to a rank of the node */
    double message_far;   /* and to one of another node */
    double byte;          /* seconds for each byte that goes to a rank of the node */
    double byte_far;      /* and to another node, for a rank that has the network to itself */
    double barrier;       /* of two ranks of a node; of more, times the logarithm */
    double turn;          /* what waiting for messages costs when ranks share cores */
    double turn_direct;   /* and waiting for memory that they share */
    double sweep;         /* for each byte that is read and written once, in memory */
    double sweep_cached;  /* the same in a cache */
    double cached_bytes;  /* up to here arrays stay in a cache */
    double typed;         /* times as long as a sweep it takes MPI to walk a datatype */
    double many;          /* messages under way at once that networks still like */
    double few_nodes;     /* to so many nodes at once messages share links as if to all */
    double message_crowd; /* seconds more for each message beyond those */
    double level;         /* for each number and doubling of the length of its transform */
} of = {.message = 1e-6,
        .message_far = 3e-6,
        .byte = 1.3e-10,
        .byte_far = 8e-11,
        .barrier = 0.5e-6,
        .turn = 20e-6,
        .turn_direct = 12e-6,
        .sweep = 1e-10,
        .sweep_cached = 4e-11,
        .cached_bytes = 4e6,
        .typed = 2.5,
        .many = 64,
        .few_nodes = 4,
        .message_crowd = 1e-6,
        .level = 1e-9};

/* A backend that does not say what it costs. */
static const weft_backend_cost plain = {.sweeps = 1, .at_once = 1.2, .unpack_lag = 1};

static double sweep(double bytes)
{
    return bytes * (bytes > of.cached_bytes ? of.sweep : of.sweep_cached);
}

weft_load weft_model_load(const weft_exchange *exchange)
{
    const weft_traffic *send = &exchange->send, *receive = &exchange->receive;
    const int *node = weft_exchange_nodes(exchange);
    const ptrdiff_t most = send->elements > receive->elements ? send->elements : receive->elements;
    weft_load load = {.peers = send->pieces > receive->pieces ? send->pieces : receive->pieces,
                      .ranks = exchange->ranks,
                      .bytes = (double)most * (double)exchange->element,
                      .own_bytes = (double)exchange->own_elements * (double)exchange->element,
                      .packed = !send->contiguous,
                      .unpacked = !receive->contiguous,
                      .on_device = weft_exchange_device(exchange)};
    for (int peer = 0; node && peer < exchange->ranks; peer++) {
        load.nodes += node[peer] == peer;
        load.near += node[peer] == node[exchange->rank];
    }
    return load;
}

double *weft_model_pieces(const weft_exchange *exchange)
{
    const weft_services *services = exchange->services;
    const int ranks = exchange->ranks, rank = exchange->rank;
    const double element = (double)exchange->element;
    double *piece = malloc(2 * (size_t)ranks * sizeof *piece);
    for (int peer = 0; piece && peer < ranks; peer++) {
        piece[(peer - rank + ranks) % ranks] =
            (double)services->sent(exchange, peer)->elements * element;
        piece[ranks + (rank - peer + ranks) % ranks] =
            (double)services->received(exchange, peer)->elements * element;
    }
    return piece;
}

static double logarithm(double of_what, int radix)
{
    double stages = 0;
    for (double reach = 1; reach < of_what; reach *= radix < 2 ? 2 : radix)
        stages++;
    return stages;
}

/* Ranks of a node that send at a time. */
static int at_once_on(const weft_machine *machine, const weft_load *load)
{
    return machine->per_node < load->ranks ? machine->per_node : load->ranks;
}

/* Messages and their bytes that stay on the node, and such that go to other nodes. */
static double stay(double messages, double bytes)
{
    return messages * of.message + bytes * of.byte;
}

/* `rounds`: in so many, in each of which all send to a few, equally far from each; in one it is few
 * messages that make a few. 0: to nodes all over the network. */
static double leave(const weft_machine *machine, const weft_load *load, double messages,
                    double bytes, double rounds)
{
    const weft_network *network = &machine->network;
    const int near = at_once_on(machine, load);
    const bool measured = network->latency > 0,
               few = messages < of.few_nodes * rounds * (rounds > 1 ? near : 1);
    const double byte = few && network->step > 0 ? network->step : network->byte;
    return messages * (measured ? network->message : of.message_far) +
           bytes * (measured ? byte : of.byte_far * near);
}

/* The part of what ranks send that goes to other nodes. */
static double far_part(const weft_machine *machine, const weft_load *load)
{
    const int near = load->near > 0 ? load->near : at_once_on(machine, load);
    return load->ranks > 1 ? (double)(load->ranks - near) / (load->ranks - 1) : 0;
}

/* Both together. On a network that was measured a message takes little while others are under way,
 * and each round waits until the last has come. */
static double transfer(const weft_machine *machine, const weft_load *load, double messages,
                       double bytes, double rounds)
{
    const double far = far_part(machine, load);
    return leave(machine, load, far * messages, far * bytes, rounds) +
           stay((1 - far) * messages, (1 - far) * bytes) +
           (far > 0 ? rounds * machine->network.latency : 0);
}

/* How often ranks wait for one another; when there are more of them than cores, each costs. What a
 * round takes on a network that was measured is counted with its messages. */
static double waits(const weft_machine *machine, const weft_load *load, double times, double turn)
{
    const bool near = machine->network.latency <= 0 || far_part(machine, load) <= 0;
    return times * ((machine->per_node > machine->cores ? turn : 0) +
                    (near ? of.barrier * logarithm(load->ranks, 2) : 0));
}

/* What a rank has to do with pieces that travel in stages. */
typedef struct {
    double messages, bytes;
} stages;

/* Of pieces that begin at this rank, or end there: each travels once for every digit of its
 * distance, in one message with those of the same digit there. */
static stages stages_of(const double *piece, int ranks, int radix, bool *seen)
{
    stages it = {0, 0};
    for (int away = 1; away < ranks; away++) {
        int left = piece[away] > 0 ? away : 0;
        for (bool *digit = seen; left > 0; left /= radix, digit += radix)
            if (left % radix > 0) {
                it.messages += !digit[left % radix];
                it.bytes += piece[away];
                digit[left % radix] = true;
            }
    }
    return it;
}

static stages larger(stages a, stages b)
{
    return (stages){a.messages > b.messages ? a.messages : b.messages,
                    a.bytes > b.bytes ? a.bytes : b.bytes};
}

/* As if all sent to all, or, where pieces are known, of the ends at which there is more to do. */
static stages in_stages(const weft_load *load, int radix, double rounds)
{
    const size_t digits = (size_t)rounds * (size_t)radix;
    bool *seen = load->piece ? calloc(2 * digits, sizeof *seen) : NULL;
    stages it = {.messages = rounds * (radix - 1),
                 .bytes = load->bytes * rounds * (radix - 1) / radix};
    it.messages = it.messages > load->peers ? load->peers : it.messages;
    it.bytes *= (double)load->ranks / load->peers;
    if (seen)
        it = larger(stages_of(load->piece, load->ranks, radix, seen),
                    stages_of(load->piece + load->ranks, load->ranks, radix, seen + digits));
    free(seen);
    return it;
}

static double through_memory(const weft_machine *machine, const weft_load *load,
                             const weft_backend_cost *this)
{
    return waits(machine, load, 2, of.turn_direct) +
           (load->packed || load->unpacked ? this->sweeps : 0) * sweep(load->bytes);
}

/* All is packed into memory of the node, also what stays, and unpacked there; neighbours wait for
 * one another twice. The ranks that have to send the most decide. */
static double by_node(const weft_machine *machine, const weft_load *load,
                      const weft_backend_cost *this)
{
    const double others = load->ranks - load->near;
    const double far_bytes = load->bytes * others / (load->ranks - 1);
    const int messages = (load->nodes - 1 + load->near - 1) / load->near;
    const bool crowded = machine->per_node > machine->cores;
    return leave(machine, load, messages, far_bytes, 0) + machine->network.latency +
           2 * (of.barrier * logarithm(load->near, 2) + (crowded ? of.turn_direct : 0)) +
           2 * this->sweeps * sweep(load->bytes) + sweep(load->own_bytes);
}

double weft_model_time(const weft_machine *machine, const weft_load *load,
                       const weft_backend *backend, int value)
{
    const weft_backend_cost *this = backend->cost ? backend->cost : &plain;
    const double staging = load->on_device && !backend->on_device ? 2 * sweep(load->bytes) : 0;
    double messages = load->peers, bytes = load->bytes, rounds = 1, extra = staging;
    if (load->peers == 0)
        return sweep(load->own_bytes);
    if (backend->memory)
        return through_memory(machine, load, this) + sweep(load->own_bytes);
    if (this->by_node && load->near > 0)
        return by_node(machine, load, this) + staging;
    if (this->in_steps)
        rounds = load->peers;
    if (backend->grouped && value > 0)
        rounds = (load->peers + value - 1) / value;
    if (this->in_stages) {
        const int radix = value < 2 ? 2 : value;
        rounds = logarithm(load->ranks, radix);
        const stages it = in_stages(load, radix, rounds);
        messages = it.messages;
        bytes = it.bytes;
        extra += (rounds + 1) * sweep(bytes / rounds); /* each stage collects what it sends */
    }
    const double under_way = messages / rounds;
    if (under_way > of.many)
        extra += (messages - of.many * rounds) * of.message_crowd;
    const double sweeps = this->typed ? of.typed : this->sweeps;
    extra += load->packed * sweeps * sweep(load->bytes);
    extra += load->unpacked * sweeps * this->unpack_lag * sweep(load->bytes);
    return this->at_once * transfer(machine, load, messages, bytes, rounds) +
           waits(machine, load, rounds, of.turn) + extra + sweep(load->own_bytes);
}

/* Of real numbers half as long. */
double weft_model_transforms(const weft_path *path, int rank)
{
    double seconds = 0;
    for (int i = 0; i < path->stages; i++) {
        const weft_stage *stage = &path->stage[i];
        const double held = (double)weft_layout_held(&stage->before, rank);
        for (int axis = 0; axis < stage->before.axes; axis++)
            if (stage->kind[axis] != WEFT_KEEP)
                seconds += held * of.level * (stage->real_before ? 0.5 : 1) *
                           logarithm((double)stage->before.axis[axis].size, 2);
    }
    return seconds;
}
