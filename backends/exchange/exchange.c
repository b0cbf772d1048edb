/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges. Describing an exchange is arithmetic: finding the groups of ranks that exchange data
 * with one another, then the blocks that this rank exchanges within its group (pieces.c). Creating
 * an exchange adds a communicator that contains just the group, and three small reductions in which
 * the ranks check that they all create the same exchange.
 */
#include "backends/exchange/exchange.h"

#include <stdlib.h>
#include <string.h>
#include "backends/exchange/pieces.h"
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "backends/exchange/layout.h"
#include "backends/exchange/nodes.h"
#include "kernels/base/digest.h"
#include "kernels/base/error.h"

enum {
    ALL_FLAGS =
        WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED | WEFT_IN_PLACE | WEFT_TRAVEL_TO | WEFT_LEAVE_OWN
};

typedef struct {
    weft_exchange_base base;
    int groups;
    int *leader; /* for every rank: lowest rank of its group; freed after creation */
    int *group;
    int *node;         /* for every rank of the group: index of the first rank on its node */
    bool neighbours;   /* some group has ranks that share a node and ranks that do not */
    bool within_nodes; /* every group lies within one node */
    weft_communicator *communicator; /* NULL: only described */
    weft_split *split;               /* NULL: there is one group */
    weft_exchange *packed;           /* see weft_exchange_packed; NULL: arrays on the host */
    bool borrows;     /* a packed exchange: everything except its blocks belongs to the original */
    weft_split *near; /* ranks of the group on this node; NULL: not opened */
} whole_exchange;

static bool same_array(const weft_layout *from, const weft_layout *to)
{
    if (from->axes != to->axes) {
        weft_error("the source has %d axes, the target has %d", from->axes, to->axes);
        return false;
    }
    for (int a = 0; a < from->axes; a++)
        if (from->axis[a].size != to->axis[a].size) {
            weft_error("axis %d has a size of %td in the source, but of %td in the target", a,
                       from->axis[a].size, to->axis[a].size);
            return false;
        }
    if (from->howmany != to->howmany) {
        weft_error("the source has %td elements at a point, the target has %td", from->howmany,
                   to->howmany);
        return false;
    }
    return true;
}

/* Packed blocks require that each rank has one box. */
static bool blocks_possible(const weft_layout *from, const weft_layout *to, unsigned flags)
{
    if ((weft_layout_is_single(from) && weft_layout_is_single(to)) ||
        !(flags & (WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED)))
        return true;
    weft_error("blocks need one box on each rank, but some ranks have several boxes");
    return false;
}

static bool arguments_valid(const weft_layout *from, const weft_layout *to, size_t element,
                            unsigned flags, int rank, int ranks)
{
    if (element == 0) {
        weft_error("an element has 0 bytes; it must have at least 1");
        return false;
    }
    if ((flags & ~(unsigned)ALL_FLAGS) != 0) {
        weft_error("the exchange has unknown flags %#x", flags & ~(unsigned)ALL_FLAGS);
        return false;
    }
    if (!weft_layout_valid(from, ranks) || !weft_layout_valid(to, ranks) || !same_array(from, to) ||
        !blocks_possible(from, to, flags))
        return false;
    if (element > weft_layout_largest_element(from) || element > weft_layout_largest_element(to)) {
        weft_error("an array with elements of %zu bytes is larger than can be addressed", element);
        return false;
    }
    if (rank < 0 || rank >= ranks) {
        weft_error("the rank is %d; it must be 0 to %d", rank, ranks - 1);
        return false;
    }
    return true;
}

static bool gather_group(whole_exchange *it, const weft_layout *from, const weft_layout *to,
                         int rank, int ranks)
{
    it->leader = malloc((size_t)ranks * sizeof *it->leader);
    it->group = malloc((size_t)ranks * sizeof *it->group);
    if (!it->leader || !it->group)
        return false;
    it->groups = weft_groups(from, to, ranks, it->leader);
    for (int r = 0; r < ranks; r++)
        if (it->leader[r] == it->leader[rank]) {
            if (r == rank)
                it->base.face.rank = it->base.face.ranks;
            it->group[it->base.face.ranks++] = r;
        }
    return true;
}

weft_exchange *weft_exchange_describe_part(const weft_layout *from, const weft_layout *to,
                                           size_t element, unsigned flags, const weft_cut *cut,
                                           int part, int rank, int ranks)
{
    if (!arguments_valid(from, to, element, flags, rank, ranks))
        return NULL;
    if (cut && cut->parts <= 1)
        cut = NULL;
    whole_exchange *it = calloc(1, sizeof *it);
    if (!it)
        goto fail;
    it->base.face.comm = it->base.face.node = MPI_COMM_NULL;
    it->base.face.element = element;
    it->base.face.in_place = (flags & WEFT_IN_PLACE) != 0;
    it->base.face.services = &weft_services_ours;
    if (gather_group(it, from, to, rank, ranks))
        it->base.pieces =
            weft_pieces_make(&it->base.face, it->group, from, to, flags, cut, part, rank);
    if (it->base.pieces)
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
    it->node = malloc((size_t)it->base.face.ranks * sizeof *it->node);
    if (!it->node)
        weft_error("no memory for the nodes of %d ranks", it->base.face.ranks);
    return it->node && weft_nodes_of_group(weft_communicator_nodes(communicator), it->group,
                                           it->base.face.ranks, it->node, &it->neighbours);
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
    if (it->groups > 1) {
        it->split = weft_communicator_split(it->communicator, it->leader);
        if (!it->split)
            return false;
        it->base.face.comm = weft_split_comm(it->split);
    }
    it->base.face.tag = weft_communicator_tag(it->communicator);
    it->within_nodes = groups_within_nodes(it);
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
        neighbours = ((whole_exchange *)exchange)->neighbours;
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
    it->neighbours = neighbours;
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
    const int first = it->group[it->node[exchange->rank]];
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
    if (it->near && it->packed)
        ((whole_exchange *)it->packed)->base.face.node = it->base.face.node;
    return it->near;
}

void weft_exchange_destroy(weft_exchange *exchange)
{
    whole_exchange *it = (whole_exchange *)exchange;
    if (!it)
        return;
    if (it->borrows) {
        weft_pieces_free(it->base.pieces);
        free(it);
        return;
    }
    weft_exchange_destroy(it->packed);
    weft_split_release(it->near);
    weft_split_release(it->split);
    weft_communicator_close(it->communicator);
    free(it->leader);
    free(it->group);
    free(it->node);
    weft_pieces_free(it->base.pieces);
    free(it);
}

void weft_exchange_forget(weft_exchange *exchange)
{
    whole_exchange *it = (whole_exchange *)exchange;
    weft_pieces_free(it->base.pieces);
    it->base.pieces = NULL;
    if (it->packed)
        weft_exchange_forget(it->packed);
}

const int *weft_exchange_group(const weft_exchange *exchange)
{
    return ((const whole_exchange *)exchange)->group;
}

int weft_exchange_groups(const weft_exchange *exchange)
{
    return ((const whole_exchange *)exchange)->groups;
}

MPI_Comm weft_exchange_home(const weft_exchange *exchange)
{
    const weft_communicator *communicator = ((const whole_exchange *)exchange)->communicator;
    return communicator ? weft_communicator_all(communicator) : MPI_COMM_NULL;
}

const int *weft_exchange_nodes(const weft_exchange *exchange)
{
    return ((const whole_exchange *)exchange)->node;
}

bool weft_exchange_has_neighbours(const weft_exchange *exchange)
{
    return ((const whole_exchange *)exchange)->neighbours;
}

bool weft_exchange_within_nodes(const weft_exchange *exchange)
{
    return ((const whole_exchange *)exchange)->within_nodes;
}

bool weft_exchange_set_device(weft_exchange *exchange, weft_device *device)
{
    whole_exchange *it = (whole_exchange *)exchange;
    if (!device)
        return true;
    whole_exchange *packed = malloc(sizeof *packed);
    it->base.device = device;
    it->base.face.services = &weft_services_device;
    it->packed = (weft_exchange *)packed;
    if (packed) {
        *packed = *it;
        packed->borrows = true;
        packed->base.device = NULL;
        packed->packed = NULL;
        packed->base.face.services = &weft_services_ours;
        packed->base.face.in_place = 0;
        packed->base.pieces = weft_pieces_make_packed(&packed->base.face, exchange);
    }
    if (packed && packed->base.pieces)
        return true;
    weft_error("no memory to describe an exchange between %d ranks", exchange->ranks);
    return false;
}

const weft_exchange *weft_exchange_packed(const weft_exchange *exchange)
{
    return ((const whole_exchange *)exchange)->packed;
}
