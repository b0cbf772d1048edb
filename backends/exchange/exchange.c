/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges. Describing an exchange is arithmetic: finding the groups of ranks that exchange data
 * with one another, then the blocks that this rank exchanges within its group (blocks.c). Creating
 * an exchange adds a communicator that contains just the group, and small reductions in which
 * the ranks check that they all create the same exchange.
 */
#include "backends/exchange/exchange.h"

#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "backends/exchange/nodes.h"
#include "kernels/base/digest.h"
#include "kernels/base/memory.h"

static bool gather_group(weft_exchange_base *it, const weft_layout *from, const weft_layout *to,
                         int rank, int ranks)
{
    it->leader = weft_new((size_t)ranks, sizeof *it->leader, "the groups of the ranks");
    it->group = weft_new((size_t)ranks, sizeof *it->group, "the groups of the ranks");
    if (!it->leader || !it->group)
        return false;
    it->groups = weft_groups(from, to, ranks, it->leader);
    for (int r = 0; r < ranks; r++)
        if (it->leader[r] == it->leader[rank]) {
            if (r == rank)
                it->face.rank = it->face.ranks;
            it->group[it->face.ranks++] = r;
        }
    return true;
}

weft_exchange *weft_exchange_describe(const weft_layout *from, const weft_layout *to,
                                      size_t element, unsigned flags, const weft_cut *cut, int rank,
                                      int ranks)
{
    weft_exchange_base *it = weft_new(1, sizeof *it, "an exchange");
    if (!it)
        return NULL;
    it->face.comm = it->face.node = MPI_COMM_NULL;
    it->face.element = element;
    it->face.in_place = (flags & WEFT_IN_PLACE) != 0;
    it->within = flags & WEFT_WITHIN;
    it->face.services = &weft_services_ours;
    if (gather_group(it, from, to, rank, ranks))
        it->blocks = weft_blocks_make(&it->face, it->group, from, to, flags, cut);
    if (it->blocks)
        return &it->face;
    weft_exchange_destroy(&it->face);
    return NULL;
}

/* Collective: whether all ranks described an exchange, and the same one. The layouts are hashed
 * only if the description succeeded: invalid layouts may have arbitrary numbers of axes. */
static bool agreed(const weft_layout *from, const weft_layout *to, const weft_exchange *exchange,
                   unsigned flags, const weft_cut *cut, MPI_Comm comm, bool any[2])
{
    uint64_t digest = WEFT_DIGEST;
    if (exchange) {
        digest = weft_digest(digest, (ptrdiff_t)weft_layout_digest(from));
        digest = weft_digest(digest, (ptrdiff_t)weft_layout_digest(to));
        digest = weft_digest(weft_digest(digest, (ptrdiff_t)exchange->element), flags);
    }
    if (exchange && cut) {
        digest = weft_digest(weft_digest(digest, cut->parts), cut->axis);
        digest = weft_digest(digest, cut->part);
    }
    return weft_agree_both(comm, exchange, &digest, sizeof digest,
                           "the exchange (layouts, element size or flags)", any);
}

enum { NEIGHBOURS, APART };

/* Finds which ranks of the group share nodes. Sets any[APART] if not all of them do, and
 * any[NEIGHBOURS] if some of them do, too. */
static bool find_nodes(weft_exchange_base *it, const weft_communicator *communicator, bool any[2])
{
    const int ranks = it->face.ranks;
    it->node = weft_new((size_t)ranks, sizeof *it->node, "the nodes of the ranks");
    const int nodes =
        it->node ? weft_nodes_of_group(communicator->nodes, it->group, ranks, it->node) : 0;
    any[APART] = nodes > 1;
    any[NEIGHBOURS] = nodes > 1 && nodes < ranks;
    return nodes > 0;
}

/* Opens the group's communicator and takes a tag. Frees the array over all ranks. */
static bool connect(weft_exchange_base *it)
{
    it->face.comm = it->communicator->all;
    if (it->groups > 1) {
        it->split = weft_communicator_split(it->communicator, it->leader);
        if (!it->split)
            return false;
        it->face.comm = it->split->comm;
    }
    it->face.tag = weft_communicator_tag(it->communicator);
    free(it->leader);
    it->leader = NULL;
    return true;
}

weft_exchange *weft_exchange_create(const weft_layout *from, const weft_layout *to, size_t element,
                                    unsigned flags, const weft_cut *cut, MPI_Comm comm)
{
    weft_communicator *communicator = weft_communicator_open(comm);
    if (!communicator)
        return NULL;
    const MPI_Comm all = communicator->all;
    weft_exchange *exchange = weft_exchange_describe(from, to, element, flags, cut,
                                                     communicator->rank, communicator->ranks);
    bool any[2] = {false}; /* of this group; after the agreement, of any group */
    if (exchange && !find_nodes((weft_exchange_base *)exchange, communicator, any)) {
        weft_exchange_destroy(exchange);
        exchange = NULL;
    }
    if (!agreed(from, to, exchange, flags, cut, all, any)) {
        weft_exchange_destroy(exchange);
        weft_communicator_close(communicator);
        return NULL;
    }
    weft_exchange_base *it = (weft_exchange_base *)exchange;
    it->communicator = communicator;
    it->neighbours = any[NEIGHBOURS];
    it->within_nodes = !any[APART];
    bool ok = connect(it);
    it->as_float = flags & WEFT_AS_FLOAT;
    if (ok && it->as_float) { /* the exchange of floats replaces the messages of this one */
        it->packed = weft_exchange_packed(exchange, 1, false);
        ok = weft_agree(all, it->packed);
    }
    if (ok)
        return exchange;
    weft_exchange_destroy(exchange);
    return NULL;
}

bool weft_exchange_open_node(const weft_exchange *exchange)
{
    weft_exchange_base *it = (weft_exchange_base *)exchange;
    if (it->near)
        return true;
    const MPI_Comm all = it->communicator->all;
    const int first = it->group[it->node[exchange->rank]];
    int *leader =
        weft_new((size_t)it->communicator->ranks, sizeof *leader, "the nodes of the ranks");
    if (weft_agree(all, leader)) {
        MPI_Allgather(&first, 1, MPI_INT, leader, 1, MPI_INT, all);
        it->near = weft_communicator_split(it->communicator, leader);
    }
    free(leader);
    if (it->near)
        it->face.node = it->near->comm;
    return it->near;
}

void weft_exchange_destroy(weft_exchange *exchange)
{
    weft_exchange_base *it = (weft_exchange_base *)exchange;
    if (!it)
        return;
    if (!it->borrows) {
        weft_exchange_destroy(it->packed);
        weft_split_release(it->near);
        weft_split_release(it->split);
        weft_communicator_close(it->communicator);
        free(it->leader);
        free(it->group);
        free(it->node);
    }
    weft_blocks_free(it->blocks);
    free(it);
}

void weft_exchange_free_blocks(weft_exchange *exchange)
{
    weft_exchange_base *it = (weft_exchange_base *)exchange;
    weft_blocks_free(it->blocks);
    it->blocks = NULL;
    if (it->packed)
        weft_exchange_free_blocks(it->packed);
}

weft_exchange *weft_exchange_packed(const weft_exchange *exchange, int chunks, bool second)
{
    weft_exchange_base *packed = weft_new(1, sizeof *packed, "an exchange");
    if (!packed)
        return NULL;
    *packed = *weft_base(exchange);
    packed->borrows = true;
    packed->device = NULL;
    packed->packed = NULL;
    packed->face.in_place = 0;
    packed->as_float = false;
    if (weft_base(exchange)->as_float)
        packed->face.element /= sizeof(double) / sizeof(float);
    if (second)
        packed->face.tag = packed->second_tag;
    packed->blocks = weft_blocks_make_packed(&packed->face, exchange, chunks);
    if (packed->blocks)
        return &packed->face;
    free(packed);
    return NULL;
}

bool weft_exchange_set_device(weft_exchange *exchange, weft_device *device)
{
    weft_exchange_base *it = (weft_exchange_base *)exchange;
    it->device = device;
    it->second_tag = weft_communicator_tag(it->communicator);
    it->packed = weft_exchange_packed(exchange, 1, false);
    return it->packed;
}
