/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges. Describing an exchange is arithmetic: finding the groups of ranks that exchange data
 * with one another, then the blocks that this rank exchanges within its group (blocks.c). Creating
 * an exchange adds a communicator that contains just the group, and three small reductions in which
 * the ranks check that they all create the same exchange.
 */
#include "backends/exchange/exchange.h"

#include <stdlib.h>
#include <string.h>
#include "backends/exchange/blocks.h"
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "backends/exchange/layout.h"
#include "backends/exchange/nodes.h"
#include "kernels/base/digest.h"
#include "kernels/base/error.h"

typedef struct {
    weft_exchange_base base;
    int *leader; /* for every rank: lowest rank of its group; freed after creation */
    weft_communicator *communicator; /* NULL: only described */
    weft_split *split;               /* NULL: there is one group */
    bool borrows;     /* a packed exchange: all but the blocks belongs to the original */
    weft_split *near; /* ranks of the group on this node; NULL: not opened */
} whole_exchange;

static bool gather_group(whole_exchange *it, const weft_layout *from, const weft_layout *to,
                         int rank, int ranks)
{
    it->leader = malloc((size_t)ranks * sizeof *it->leader);
    it->base.group = malloc((size_t)ranks * sizeof *it->base.group);
    if (!it->leader || !it->base.group)
        return false;
    it->base.groups = weft_groups(from, to, ranks, it->leader);
    for (int r = 0; r < ranks; r++)
        if (it->leader[r] == it->leader[rank]) {
            if (r == rank)
                it->base.face.rank = it->base.face.ranks;
            it->base.group[it->base.face.ranks++] = r;
        }
    return true;
}

weft_exchange *weft_exchange_describe_part(const weft_layout *from, const weft_layout *to,
                                           size_t element, unsigned flags, const weft_cut *cut,
                                           int part, int rank, int ranks)
{
    if (cut && cut->parts <= 1)
        cut = NULL;
    whole_exchange *it = calloc(1, sizeof *it);
    if (!it)
        goto fail;
    it->base.face.comm = it->base.face.node = it->base.home = MPI_COMM_NULL;
    it->base.face.element = element;
    it->base.face.in_place = (flags & WEFT_IN_PLACE) != 0;
    it->base.face.services = &weft_services_ours;
    if (gather_group(it, from, to, rank, ranks))
        it->base.blocks =
            weft_blocks_make(&it->base.face, it->base.group, from, to, flags, cut, part, rank);
    if (it->base.blocks)
        return &it->base.face;

fail:
    weft_error("no memory to describe an exchange between %d ranks", ranks);
    weft_exchange_destroy((weft_exchange *)it);
    return NULL;
}

weft_exchange *weft_exchange_describe(const weft_layout *from, const weft_layout *to,
                                      size_t element, unsigned flags, int rank, int ranks)
{
    return weft_exchange_describe_part(from, to, element, flags, NULL, 0, rank, ranks);
}

static uint64_t digest_layout(uint64_t digest, const weft_layout *layout)
{
    digest = weft_digest(digest, (ptrdiff_t)weft_layout_digest(layout));
    digest = weft_digest(weft_digest(digest, layout->howmany), layout->padded);
    for (int a = 0; a < layout->axes; a++)
        digest = weft_digest(weft_digest(digest, layout->axis[a].size), layout->order[a]);
    return digest;
}

/* Collective: whether all ranks described an exchange, and the same one. The layouts are hashed
 * only if the description succeeded: invalid layouts may have arbitrary numbers of axes. */
static bool agreed(const weft_layout *from, const weft_layout *to, const weft_exchange *exchange,
                   unsigned flags, const weft_cut *cut, int part, MPI_Comm comm, bool *neighbours)
{
    uint64_t digest = WEFT_DIGEST;
    if (exchange) {
        digest = digest_layout(digest_layout(digest, from), to);
        digest = weft_digest(weft_digest(digest, (ptrdiff_t)exchange->element), flags);
    }
    if (exchange && cut) {
        digest = weft_digest(weft_digest(digest, cut->parts), cut->axis);
        digest = weft_digest(weft_digest(digest, cut->by_to), part);
    }
    return weft_agree_both(comm, exchange, &digest, sizeof digest,
                           "the exchange (layouts, element size or flags)", neighbours);
}

/* Finds which ranks of the group share nodes. */
static bool find_nodes(whole_exchange *it, const weft_communicator *communicator)
{
    it->base.node = malloc((size_t)it->base.face.ranks * sizeof *it->base.node);
    if (!it->base.node)
        weft_error("no memory for the nodes of %d ranks", it->base.face.ranks);
    return it->base.node &&
           weft_nodes_of_group(weft_communicator_nodes(communicator), it->base.group,
                               it->base.face.ranks, it->base.node, &it->base.neighbours);
}

/* Whether every group lies within one node. */
static bool groups_within_nodes(const whole_exchange *it)
{
    const int *node = weft_communicator_nodes(it->communicator);
    int ranks;
    MPI_Comm_size(weft_communicator_all(it->communicator), &ranks);
    for (int r = 0; r < ranks; r++)
        if (node[r] != node[it->leader[r]])
            return false;
    return true;
}

/* Opens the group's communicator and takes a tag. Frees the array over all ranks. */
static bool connect(whole_exchange *it)
{
    it->base.face.comm = weft_communicator_all(it->communicator);
    if (it->base.groups > 1) {
        it->split = weft_communicator_split(it->communicator, it->leader);
        if (!it->split)
            return false;
        it->base.face.comm = weft_split_comm(it->split);
    }
    it->base.face.tag = weft_communicator_tag(it->communicator);
    it->base.within_nodes = groups_within_nodes(it);
    free(it->leader);
    it->leader = NULL;
    return true;
}

weft_exchange *weft_exchange_create(const weft_layout *from, const weft_layout *to, size_t element,
                                    unsigned flags, MPI_Comm comm)
{
    return weft_exchange_create_part(from, to, element, flags, NULL, 0, comm);
}

weft_exchange *weft_exchange_create_part(const weft_layout *from, const weft_layout *to,
                                         size_t element, unsigned flags, const weft_cut *cut,
                                         int part, MPI_Comm comm)
{
    weft_communicator *communicator = weft_communicator_open(comm);
    int rank, ranks;
    if (!communicator)
        return NULL;
    const MPI_Comm all = weft_communicator_all(communicator);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &ranks);
    weft_exchange *exchange =
        weft_exchange_describe_part(from, to, element, flags, cut, part, rank, ranks);
    bool neighbours = false;
    if (exchange && find_nodes((whole_exchange *)exchange, communicator)) {
        neighbours = weft_base(exchange)->neighbours;
    } else {
        weft_exchange_destroy(exchange);
        exchange = NULL;
    }
    if (!agreed(from, to, exchange, flags, cut, part, all, &neighbours)) {
        weft_exchange_destroy(exchange);
        weft_communicator_close(communicator);
        return NULL;
    }
    whole_exchange *it = (whole_exchange *)exchange;
    it->communicator = communicator;
    it->base.home = all;
    it->base.neighbours = neighbours;
    if (connect(it))
        return exchange;
    weft_exchange_destroy(exchange);
    return NULL;
}

bool weft_exchange_open_node(const weft_exchange *exchange)
{
    whole_exchange *it = (whole_exchange *)exchange;
    if (it->near)
        return true;
    const MPI_Comm all = weft_communicator_all(it->communicator);
    const int first = it->base.group[it->base.node[exchange->rank]];
    int ranks;
    MPI_Comm_size(all, &ranks);
    int *leader = malloc((size_t)ranks * sizeof *leader);
    if (!leader)
        weft_error("no memory for the nodes of %d ranks", ranks);
    if (weft_agree(all, leader)) {
        MPI_Allgather(&first, 1, MPI_INT, leader, 1, MPI_INT, all);
        it->near = weft_communicator_split(it->communicator, leader);
    }
    free(leader);
    if (it->near)
        it->base.face.node = weft_split_comm(it->near);
    if (it->near && it->base.packed)
        ((whole_exchange *)it->base.packed)->base.face.node = it->base.face.node;
    return it->near;
}

void weft_exchange_destroy(weft_exchange *exchange)
{
    whole_exchange *it = (whole_exchange *)exchange;
    if (!it)
        return;
    if (it->borrows) {
        weft_blocks_free(it->base.blocks);
        free(it);
        return;
    }
    weft_exchange_destroy(it->base.packed);
    weft_split_release(it->near);
    weft_split_release(it->split);
    weft_communicator_close(it->communicator);
    free(it->leader);
    free(it->base.group);
    free(it->base.node);
    weft_blocks_free(it->base.blocks);
    free(it);
}

void weft_exchange_free_blocks(weft_exchange *exchange)
{
    whole_exchange *it = (whole_exchange *)exchange;
    weft_blocks_free(it->base.blocks);
    it->base.blocks = NULL;
    if (it->base.packed)
        weft_exchange_free_blocks(it->base.packed);
}

bool weft_exchange_set_device(weft_exchange *exchange, weft_device *device)
{
    whole_exchange *it = (whole_exchange *)exchange;
    if (!device)
        return true;
    whole_exchange *packed = malloc(sizeof *packed);
    it->base.device = device;
    it->base.face.services = &weft_services_device;
    it->base.packed = (weft_exchange *)packed;
    if (packed) {
        *packed = *it;
        packed->borrows = true;
        packed->base.device = NULL;
        packed->base.packed = NULL;
        packed->base.face.services = &weft_services_ours;
        packed->base.face.in_place = 0;
        packed->base.blocks = weft_blocks_make_packed(&packed->base.face, exchange);
    }
    if (packed && packed->base.blocks)
        return true;
    weft_error("no memory to describe an exchange between %d ranks", exchange->ranks);
    return false;
}
