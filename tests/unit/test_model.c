/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost model: comparisons that hold for any constants, and the shortlists that it makes. */
#include <string.h>
#include "backends/exchange/exchange.h"
#include "tests/layouts.h"
#include "planner/search/model.h"
#include "backends/table.h"
#include "tests/unit/harness.h"
#include "planner/search/search.h"

static const weft_machine one_node = {.per_node = 8, .cores = 8};

static weft_load load_of(int ranks, double bytes)
{
    return (weft_load){.peers = ranks - 1,
                       .ranks = ranks,
                       .bytes = bytes,
                       .own_bytes = bytes / ranks,
                       .packed = true,
                       .unpacked = true};
}

static double model(const weft_machine *machine, weft_load load, const char *backend)
{
    const weft_backend *it = weft_backend_named(backend);
    return weft_model_time(machine, &load, it, it->parameter ? 2 : 0);
}

static int backends(void)
{
    int count = 0;
    while (weft_backend_at(count))
        count++;
    return count;
}

TEST(more_bytes_take_longer, .to = backends())
{
    const weft_backend *backend = weft_backend_at(_i);
    for (int ranks = 2; ranks <= 8; ranks *= 2) {
        double before = 0;
        for (double bytes = 100; bytes < 1e10; bytes *= 3) {
            const double now = model(&one_node, load_of(ranks, bytes), backend->name);
            ck_assert_msg(now > before, "%s, %d ranks, %g bytes: %g s, less than %g", backend->name,
                          ranks, bytes, now, before);
            before = now;
        }
        weft_load bare = load_of(ranks, 1e3), more = load_of(ranks, 1e9);
        bare.packed = bare.unpacked = more.packed = more.unpacked = false;
        bare.own_bytes = more.own_bytes = 0;
        if (!backend->memory) /* backends of memory then move nothing */
            ck_assert_msg(
                model(&one_node, more, backend->name) > 10 * model(&one_node, bare, backend->name),
                "%s, %d ranks: messages with any content cost the same", backend->name, ranks);
    }
}

TEST(packing_costs_and_so_do_shared_cores_and_other_nodes, .to = backends())
{
    const weft_backend *backend = weft_backend_at(_i);
    const weft_machine few_cores = {.per_node = 8, .cores = 2}, nodes = {.per_node = 4, .cores = 8};
    weft_load load = load_of(8, 1e6);
    const double packed = model(&one_node, load, backend->name);
    ck_assert_msg(model(&few_cores, load, backend->name) > packed, "%s", backend->name);
    if (!backend->memory) /* backends of memory need one node */
        ck_assert_msg(model(&nodes, load, backend->name) > packed, "%s", backend->name);
    load.packed = load.unpacked = false;
    ck_assert_msg(model(&one_node, load, backend->name) < packed, "%s", backend->name);
}

TEST(a_rank_alone_only_sweeps, .to = backends())
{
    const weft_load load = {.ranks = 4, .own_bytes = 1e6};
    const double expected = model(&one_node, load, "waitall");
    ck_assert_double_gt(expected, 0);
    ck_assert_double_eq_tol(model(&one_node, load, weft_backend_at(_i)->name), expected,
                            expected * 1e-12);
}

/* The first backend takes longer than the second on nodes with so many ranks and cores. */
static const struct {
    const char *slower, *faster;
    int per_node, ranks, nodes; /* without `nodes` the load does not say where the ranks are */
    double bytes;
    bool contiguous;
    weft_network network; /* latency, message, byte, step */
} orders[] = {
    /* many small messages need logarithmic stages, large ones do not */
    {"waitall", "bruck", 1, 256, .bytes = 255 * 8},
    {"bruck", "waitall", 1, 256, .bytes = 1e9},
    /* the cost of a message decides, too */
    {"waitall", "bruck", 1, 64, .bytes = 16384, .network = {1e-6, 3e-6, 1e-10, 0}},
    {"bruck", "waitall", 1, 64, .bytes = 16384, .network = {1e-6, 1e-7, 1e-10, 0}},
    {"pairwise", "waitall", 1, 64, .bytes = 16384, .network = {20e-6, 3e-6, 1e-8, 0}},
    /* a datatype is slower than a copy */
    {"alltoallw", "alltoallv", 8, 4, .bytes = 1e8},
    /* gathering by node is for many small pieces; it packs large ones even if passes have packed
     * them */
    {"waitall", "node", 16, 1024, .nodes = 64, .bytes = 1024 * 64},
    {"pairwise", "node", 16, 1024, .nodes = 64, .bytes = 1024 * 64},
    {"node", "waitall", 16, 1024, .nodes = 64, .bytes = 1024 * 1e5, .contiguous = true},
};

TEST(the_model_orders_backends_as_expected, .to = NUMBER(orders))
{
    const int per_node = orders[_i].per_node;
    const weft_machine machine = {per_node, per_node, orders[_i].network};
    weft_load load = load_of(orders[_i].ranks, orders[_i].bytes);
    load.nodes = orders[_i].nodes;
    load.near = orders[_i].nodes ? per_node : 0;
    load.packed = load.unpacked = !orders[_i].contiguous;
    ck_assert_double_gt(model(&machine, load, orders[_i].slower),
                        model(&machine, load, orders[_i].faster));
}

TEST(no_message_within_a_node_is_faster_than_shared_memory, .to = backends())
{
    ck_assert_double_le(model(&one_node, load_of(4, 1e8), "shared") * (1 - 1e-12),
                        model(&one_node, load_of(4, 1e8), weft_backend_at(_i)->name));
}

TEST(a_backend_without_a_cost_has_the_cost_of_plain_messages_with_any_name)
{
    const weft_load load = load_of(4, 1e8);
    const weft_backend mine = {.name = "mine"}, yours = {.name = "alltoallw"};
    const double time = weft_model_time(&one_node, &load, &mine, 0);
    ck_assert_double_gt(time, 0);
    ck_assert_double_eq_tol(weft_model_time(&one_node, &load, &yours, 0), time, time * 1e-12);
}

/* 8 x 12 points of 16 bytes, divided along the first axis, then along the second, over 4 ranks:
 * each has 24 points and keeps a quarter of them. */
TEST(the_load_is_that_of_the_exchange)
{
    weft_layout from, to;
    slab_layouts(2, (ptrdiff_t[]){8, 12}, 1, 4, &from, &to);
    weft_exchange *exchange = weft_exchange_describe(&from, &to, 16, 0, NULL, 1, 4);
    const weft_load load = weft_model_load(exchange);
    ck_assert_int_eq(load.peers, 3);
    ck_assert_int_eq(load.ranks, 4);
    ck_assert_double_eq(load.bytes, 18 * 16);
    ck_assert_double_eq(load.own_bytes, 6 * 16);
    ck_assert(load.packed); /* 3 of each row of 12 */
    ck_assert(!load.unpacked);
    weft_exchange_destroy(exchange);
}

/* 16 ranks in radix 4: a block of 80 bytes from each rank to each other travels in 2 stages of 3
 * messages. Of all 16 distances, 3 of 4 have another digit than 0 in each place. */
TEST(in_stages_a_rank_sends_few_messages_and_more_bytes)
{
    weft_load load = {.peers = 15, .ranks = 16, .near = 1, .bytes = 15 * 80};
    const weft_backend *bruck = weft_backend_named("bruck");
    weft_machine machine = {.per_node = 1, .cores = 1};
    machine.network = (weft_network){.latency = 1e-12, .message = 1, .byte = 1e-12};
    ck_assert_double_eq_tol(weft_model_time(&machine, &load, bruck, 4), 6, 1e-3);
    machine.network = (weft_network){.latency = 1e-12, .message = 1e-12, .byte = 1};
    ck_assert_double_eq_tol(weft_model_time(&machine, &load, bruck, 4), 2 * 12 * 80, 1e-3);
    load.peers = 2; /* no more messages than blocks */
    machine.network = (weft_network){.latency = 1e-12, .message = 1, .byte = 1e-12};
    ck_assert_double_eq_tol(weft_model_time(&machine, &load, bruck, 4), 2, 1e-3);
}

/* The model's times, and the number of candidates for each rigor. */
static const struct {
    const char *name;
    int rigor, count, kept;
    double model[8];
} lists[] = {
    {"ESTIMATE takes the best alone", 0, 4, 1, {3, 1, 2, 4}},
    {"MEASURE leaves out what takes more than twice as long", 1, 4, 2, {3, 1, 2, 2.1}},
    {"MEASURE times five at the most", 1, 8, 5, {1, 1, 1, 1, 1, 1, 1, 1}},
    {"PATIENT times what takes much longer", 2, 4, 4, {300, 1, 2, 400}},
    {"EXHAUSTIVE times all", 3, 8, 8, {1, 2, 3, 4, 5, 6, 7, 8e6}},
    {"times too short to be told apart count as one", 1, 3, 3, {1e-7, 1e-6, 4e-6}},
};

TEST(shortlists_are_sorted_and_as_long_as_rigor_says, .to = NUMBER(lists))
{
    weft_candidate candidate[8];
    for (int i = 0; i < lists[_i].count; i++)
        candidate[i] = (weft_candidate){.method = {.value = i}, .model = lists[_i].model[i]};
    const int kept = weft_methods_shortlist(candidate, lists[_i].count, lists[_i].rigor);
    ck_assert_msg(kept == lists[_i].kept, "%s: %d kept, not %d", lists[_i].name, kept,
                  lists[_i].kept);
    for (int i = 1; i < kept; i++) {
        ck_assert_double_ge(candidate[i].model, candidate[i - 1].model);
        if (candidate[i].model <= candidate[i - 1].model) /* ties in the order of the table */
            ck_assert_int_gt(candidate[i].method.value, candidate[i - 1].method.value);
    }
}

/* Even if the model prefers stages, a backend with direct messages and node are timed. */
TEST(direct_messages_and_node_are_always_timed, .to = 4)
{
    static const char *const names[] = {"node", "alltoallv", "waitall", "pairwise", "bruck"};
    static const char *const timed[] = {"bruck", "waitall", "node"};
    static const int kept[] = {1, 3, 5, 5};
    weft_candidate candidate[NUMBER(names)];
    for (int i = 0; i < NUMBER(names); i++)
        candidate[i] = (weft_candidate){.method = {.backend = weft_backend_named(names[i])},
                                        .model = i < 4 ? 10 - i : 1};
    ck_assert_int_eq(weft_methods_shortlist(candidate, NUMBER(names), _i), kept[_i]);
    for (int i = 0; i < (_i == 1 ? NUMBER(timed) : 1); i++)
        ck_assert_str_eq(candidate[i].method.backend->name, timed[i]);
}

/* Messages in steps, or to few ranks or nodes, may crowd some links; all at once do not. */
TEST(links_that_steps_share_count_for_steps)
{
    weft_load load = load_of(64, 1e7);
    weft_machine machine = {1, 1, {.latency = 1e-6, .message = 1e-7, .byte = 1e-10, .step = 1e-10}};
    const double straight = model(&machine, load, "waitall"),
                 steps = model(&machine, load, "pairwise");
    machine.network.step = 3e-10;
    ck_assert_double_eq_tol(model(&machine, load, "waitall"), straight, 1e-12);
    ck_assert_double_gt(model(&machine, load, "pairwise"), 1.5 * steps);
    load.peers = 3;
    const double few = model(&machine, load, "waitall");
    load.near = 32, load.nodes = 2;
    const double node = model(&machine, load, "node");
    machine.network.step = 1e-10;
    ck_assert_double_gt(node, 1.2 * model(&machine, load, "node"));
    load.near = load.nodes = 0;
    ck_assert_double_gt(few, 1.5 * model(&machine, load, "waitall"));
    machine.network.latency = 1; /* long messages take three */
    ck_assert_double_eq_tol(model(&machine, load, "waitall"), 3, 0.1);
}

/* Each rank of a group may be on another node, even if nodes have many ranks. */
TEST(placements_decide_what_leaves_the_node)
{
    weft_load load = load_of(16, 1e6);
    const weft_machine machine = {
        16, 16, {.latency = 1e-6, .message = 3e-7, .byte = 1e-9, .step = 1e-9}};
    load.nodes = 1;
    load.near = 16;
    const double within = model(&machine, load, "waitall");
    load.nodes = 16;
    load.near = 1;
    ck_assert_double_gt(model(&machine, load, "waitall"), within + 1e6 * 0.8e-9);
}

/* Slabs of 8 x 8 x 8 on 16 ranks: rank 0 transforms a plane along two axes, and one along the last
 * axis. */
TEST(transforms_are_those_of_a_ranks_part)
{
    weft_path path = {.stages = 2,
                      .stage = {{.kind = {WEFT_KEEP, WEFT_FORWARD, WEFT_FORWARD}},
                                {.kind = {WEFT_FORWARD, WEFT_KEEP, WEFT_KEEP}}}};
    slab_layouts(3, (ptrdiff_t[]){8, 8, 8}, 1, 16, &path.stage[0].before, &path.stage[1].before);
    const double whole = weft_model_transforms(&path, 0);
    ck_assert_double_gt(whole, 0);
    ck_assert_double_eq_tol(weft_model_transforms(&path, 15), 0, 1e-18);
    path.stages = 1;
    ck_assert_double_eq_tol(weft_model_transforms(&path, 0), whole * 2 / 3, 1e-12);
    path.stage[0].real_before = true;
    ck_assert_double_eq_tol(weft_model_transforms(&path, 0), whole / 3, 1e-12);
}
