/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost model adds the costs of messages, of their bytes, and of sweeps over local memory. */
#include "planner/search/model.h"

#include "backends/exchange/exchange.h"

/*
 * Measured on 2 to 4 ranks of one node (MPICH 4.0, two cores with 2 MiB of second-level cache
 * each). The figures between nodes are the usual ones of networks of 100 Gbit/s.
 */
static const struct {
    double message;       /* seconds to send a message to a rank on the same node */
    double message_far;   /* the same to a rank on another node */
    double byte;          /* seconds for each byte to a rank on the same node */
    double byte_far;      /* the same to another node, for a rank that uses the network alone */
    double barrier;       /* of two ranks of a node; of more, times log2 of their number */
    double arrival;       /* seconds until the last rank of a node reaches the barriers of `node` */
    double turn;          /* seconds of a wait for messages when ranks share cores */
    double turn_direct;   /* seconds of a wait for shared memory when ranks share cores */
    double sweep;         /* seconds to read and write one byte in memory */
    double sweep_cached;  /* the same in a cache */
    double cached_bytes;  /* arrays up to this size stay in a cache */
    double typed;         /* MPI's time to walk a datatype, as a multiple of a sweep */
    double many;          /* messages in flight at once that networks handle well */
    double few_nodes;     /* sending to this many at once shares links like sending to all */
    double eager;         /* MPI sends messages up to this many bytes without asking the receiver */
    double message_crowd; /* seconds added for each message in flight beyond `many` */
    double level;         /* seconds for each number and each doubling of the transform's length */
} constant = {.message = 1e-6,
              .message_far = 3e-6,
              .byte = 1.3e-10,
              .byte_far = 8e-11,
              .barrier = 0.5e-6,
              .arrival = 3e-6,
              .turn = 20e-6,
              .turn_direct = 12e-6,
              .sweep = 1e-10,
              .sweep_cached = 4e-11,
              .cached_bytes = 4e6,
              .typed = 2.5,
              .many = 64,
              .few_nodes = 4,
              .eager = 24e3,
              .message_crowd = 1e-6,
              .level = 1e-9};

/* The cost of a backend that does not declare one. */
static const weft_backend_cost plain = {.sweeps = 1, .at_once = 1.2, .unpack_lag = 1};

static double sweep(double bytes)
{
    return bytes * (bytes > constant.cached_bytes ? constant.sweep : constant.sweep_cached);
}

weft_load weft_model_load(const weft_exchange *exchange)
{
    const weft_traffic *send = &exchange->send, *receive = &exchange->receive;
    const int *node = weft_base(exchange)->node;
    const ptrdiff_t most = send->elements > receive->elements ? send->elements : receive->elements;
    weft_load load = {.peers = send->pieces > receive->pieces ? send->pieces : receive->pieces,
                      .ranks = exchange->ranks,
                      .bytes = (double)most * (double)exchange->element,
                      .own_bytes = (double)exchange->own_elements * (double)exchange->element,
                      .packed = !send->contiguous,
                      .unpacked = !receive->contiguous,
                      .on_device = weft_base(exchange)->device};
    for (int peer = 0; node && peer < exchange->ranks; peer++) {
        load.nodes += node[peer] == peer;
        load.near += node[peer] == node[exchange->rank];
    }
    load.consecutive = node && exchange->ranks % load.near == 0;
    for (int peer = 0; load.consecutive && peer < exchange->ranks; peer++)
        load.consecutive = node[peer] == peer - peer % load.near;
    return load;
}

static double logarithm(double of_what, int radix)
{
    double stages = 0;
    for (double reach = 1; reach < of_what; reach *= radix < 2 ? 2 : radix)
        stages++;
    return stages;
}

static int at_once_on(const weft_machine *machine, const weft_load *load)
{
    return machine->per_node < load->ranks ? machine->per_node : load->ranks;
}

/* The cost of messages and bytes that go to other nodes, in `rounds` rounds. In each of several
 * rounds, all ranks send to a few ranks at equal distances; in a single round, messages count as
 * few if there are few of them. Few messages take the measured time `step` for each byte. 0
 * rounds: the messages go to many nodes all over the network. On a measured network, further
 * messages cost little while others are in flight, and each round waits until its last message has
 * arrived. Before a long message, the ranks also exchange two short ones. */
static double cost_between_nodes(const weft_machine *machine, const weft_load *load,
                                 double messages, double bytes, double rounds)
{
    const weft_network *network = &machine->network;
    const int near = at_once_on(machine, load);
    const bool measured = network->latency > 0, long_ones = bytes > constant.eager * messages,
               few = messages < constant.few_nodes * rounds * (rounds > 1 ? near : 1);
    const double byte = few && network->step > 0 ? network->step : network->byte;
    return messages * (measured ? network->message : constant.message_far) +
           bytes * (measured ? byte : constant.byte_far * near) +
           (rounds > 1 ? rounds : 1) * (long_ones ? 3 : 1) * network->latency;
}

static double far_part(const weft_machine *machine, const weft_load *load)
{
    const int near = load->near > 0 ? load->near : at_once_on(machine, load);
    return load->ranks > 1 ? (double)(load->ranks - near) / (load->ranks - 1) : 0;
}

/* The cost of all messages, of which the part `far` goes to other nodes in that many rounds. */
static double transfer(const weft_machine *machine, const weft_load *load, double messages,
                       double bytes, double far, double rounds)
{
    return (far > 0 ? cost_between_nodes(machine, load, far * messages, far * bytes, rounds) : 0) +
           (1 - far) * (messages * constant.message + bytes * constant.byte);
}

/* The cost of `times` waits of ranks for each other. Each wait costs more when ranks share cores.
 * On a measured network, the cost of a round is part of the messages' cost. */
static double waits(const weft_machine *machine, const weft_load *load, double times, double turn)
{
    const bool near = machine->network.latency <= 0 || far_part(machine, load) <= 0;
    return times * ((weft_machine_is_crowded(machine) ? turn : 0) +
                    (near ? constant.barrier * logarithm(load->ranks, 2) : 0));
}

static double through_memory(const weft_machine *machine, const weft_load *load,
                             const weft_backend_cost *this)
{
    return waits(machine, load, 2, constant.turn_direct) +
           (load->packed || load->unpacked ? this->sweeps : 0) * sweep(load->bytes);
}

/* The cost of exchanges by node: the ranks of a node pack all data, also data that stays, into
 * shared memory and unpack it there. They wait for each other twice. The ranks that send the most
 * decide the cost. */
static double by_node(const weft_machine *machine, const weft_load *load,
                      const weft_backend_cost *this)
{
    const double others = load->ranks - load->near;
    const double far_bytes = load->bytes * others / (load->ranks - 1);
    const int messages = (load->nodes - 1 + load->near - 1) / load->near;
    const int rounds = load->nodes - 1 < constant.few_nodes; /* 0: many nodes */
    return cost_between_nodes(machine, load, messages, far_bytes, rounds) +
           2 * (constant.barrier * logarithm(load->near, 2) + constant.arrival +
                (weft_machine_is_crowded(machine) ? constant.turn_direct : 0)) +
           2 * this->sweeps * sweep(load->bytes) + sweep(load->own_bytes);
}

/* Whether the first of several stages moves data within nodes only. */
static bool first_stage_is_near(const weft_load *load, const weft_backend_cost *this, int radix)
{
    return this->in_stages && load->nodes > 1 && load->consecutive && radix > 1 &&
           load->near % radix == 0;
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
        /* as if every rank sent to all others */
        bytes *= rounds * (radix - 1) / radix * load->ranks / load->peers;
        messages = rounds * (radix - 1);
        messages = messages > load->peers ? load->peers : messages;
        extra += (rounds + 1) * sweep(bytes / rounds); /* each stage packs what it sends */
    }
    const double far_rounds = rounds - first_stage_is_near(load, this, value);
    const double far = far_rounds < rounds ? far_rounds / rounds : far_part(machine, load);
    const double under_way = messages / rounds;
    if (under_way > constant.many)
        extra += (messages - constant.many * rounds) * constant.message_crowd;
    const double sweeps = this->typed ? constant.typed : this->sweeps;
    extra += load->packed * sweeps * sweep(load->bytes);
    extra += load->unpacked * sweeps * this->unpack_lag * sweep(load->bytes);
    return this->at_once * transfer(machine, load, messages, bytes, far, far_rounds) +
           waits(machine, load, rounds, constant.turn) + extra + sweep(load->own_bytes);
}

/* A transform of real numbers costs half as much. */
double weft_model_transforms(const weft_path *path, int rank)
{
    double seconds = 0;
    for (int i = 0; i < path->stages; i++) {
        const weft_stage *stage = &path->stage[i];
        const double held = (double)weft_layout_local_elements(&stage->before, rank);
        for (int axis = 0; axis < stage->before.axes; axis++)
            if (stage->kind[axis] != WEFT_KEEP)
                seconds += held * constant.level * (stage->real_before ? 0.5 : 1) *
                           logarithm((double)stage->before.axis[axis].size, 2);
    }
    return seconds;
}
