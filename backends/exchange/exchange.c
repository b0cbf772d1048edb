/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges. Piece rs, which rank r sends rank s, is the intersection of r's box before with s's
 * box after, as a strided region of the memory of each:
 *
 *     from: rows              to: columns            blocked, in rank 1's memory
 *     rank 0 | 00 01 02 |     | 00 | 01 | 02 |       sent         | 10 | 11 | 12 |
 *     rank 1 | 10 11 12 |     | 10 | 11 | 12 |       received     | 01 | 11 | 21 |
 *     rank 2 | 20 21 22 |     | 20 | 21 | 22 |
 *                        rank   0    1    2
 *
 * Where ranks hold several boxes a piece has a section for each pair that meets, in the order of
 * the sender's boxes, then of the receiver's.
 *
 * Describing an exchange is arithmetic: the groups of ranks that talk, then the pieces this rank
 * shares with those of its group. Both ends of a piece go through the same steps with the same
 * numbers, so that axes are dropped (one index) and collapsed (both ends can walk two as one)
 * alike: O(axes) a piece. Creating one adds a communicator that holds just the group, and three
 * small reductions by which the ranks make sure that they all create the same.
 */
#include "backends/exchange/exchange.h"

#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "backends/exchange/groups.h"
#include "backends/exchange/nodes.h"
#include "backends/exchange/services.h"
#include "kernels/base/digest.h"
#include "kernels/base/error.h"

enum {
    ALL_FLAGS =
        WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED | WEFT_IN_PLACE | WEFT_TRAVEL_TO | WEFT_LEAVE_OWN
};

/* One more section of a piece. */
typedef struct section {
    weft_piece piece;
    struct section *next; /* of all that there are */
    ptrdiff_t numbers[];
} section;

typedef struct {
    weft_exchange face; /* what backends see */
    int groups;
    int *leader; /* while it is made, of every rank of the caller's: the lowest of its group */
    int *group;
    int *node;          /* of every rank of the group: the first rank of the group there */
    bool neighbours;    /* in some group some ranks share a node, and others do not */
    bool within_nodes;  /* no group goes beyond one */
    weft_piece *pieces; /* sent, then received */
    ptrdiff_t *numbers; /* the counts and strides of pieces */
    section *sections;  /* of pieces that have several, but for the first ones */
    weft_communicator *communicator; /* NULL: the exchange is only described */
    weft_split *split;               /* NULL: one group */
    weft_split *near;                /* those of a group on one node; NULL: not asked for */
} whole_exchange;

/* One direction, as seen from one of its ends: a rank's send pieces have the source here, its
 * receive pieces the target. */
typedef struct {
    const weft_layout *here, *there;
    bool here_blocked, there_blocked; /* that side lies as pieces one after another */
    bool leave_own;                   /* the own piece is left out, but its block keeps its room */
    const int *order;                 /* the axes as the elements travel */
    const weft_cut *cut;              /* NULL: all of every piece, else its part-th part */
    int part;
    bool received; /* the target is here */
    bool cut_here; /* parts are those of what this rank holds of the axis, not those of its peer */
    bool stacked;  /* blocks on this rank hold the part alone */
} direction;

/* A piece while it is being made: its axes in travel order, with the steps at both ends. */
typedef struct {
    int axes;
    ptrdiff_t count[WEFT_MAX_AXES], here[WEFT_MAX_AXES], there[WEFT_MAX_AXES];
    ptrdiff_t offset; /* of its first element in this rank's memory, or in its block there */
} draft;

static const draft nothing = {.axes = 1, .count = {0}, .here = {1}, .there = {1}};

void weft_cut_order(const weft_cut *cut, int axes, const int *order, int *cut_order)
{
    int place = 0;
    if (cut && cut->parts > 1)
        cut_order[place++] = cut->axis;
    for (int i = 0; i < axes; i++)
        if (!cut || cut->parts <= 1 || order[i] != cut->axis)
            cut_order[place++] = order[i];
}

/* What of the common part of two boxes along the cut axis belongs to this part of the exchange. */
static weft_span part_of(const direction *dir, const weft_box *here, const weft_box *there,
                         const weft_box *common)
{
    const int axis = dir->cut->axis;
    const weft_span holder = (dir->cut_here ? here : there)->span[axis];
    return weft_span_intersect(common->span[axis],
                               weft_cut_span(holder, dir->cut->parts, dir->part));
}

/* Drops axes of one index and joins adjacent ones; at least one stays. */
static void collapse(draft *d)
{
    int kept = 0;
    for (int i = 0; i < d->axes; i++) {
        if (d->count[i] == 1)
            continue;
        const bool joined = kept > 0 && d->here[kept - 1] == d->count[i] * d->here[i] &&
                            d->there[kept - 1] == d->count[i] * d->there[i];
        const ptrdiff_t outer = joined ? d->count[--kept] : 1;
        d->count[kept] = outer * d->count[i];
        d->here[kept] = d->here[i];
        d->there[kept] = d->there[i];
        kept++;
    }
    if (kept == 0)
        d->count[kept] = d->here[kept] = d->there[kept] = 1, kept++;
    d->axes = kept;
}

/* A box, and the room it has, if any. */
typedef struct {
    weft_box box;
    const ptrdiff_t *room;
} housed;

/* The draft of what two boxes share. False when nothing of it is to be moved. */
static bool share(const direction *dir, const housed *here_in, const housed *there_in,
                  const weft_box *common, draft *d)
{
    const int axes = dir->here->axes;
    const weft_box *here = &here_in->box, *there = &there_in->box;
    ptrdiff_t here_stride[WEFT_MAX_AXES], there_stride[WEFT_MAX_AXES];
    d->offset = weft_layout_place(dir->here, here, here_in->room, here_stride);
    weft_layout_place(dir->there, there, there_in->room, there_stride);
    for (int i = 0; i < axes; i++) {
        const int a = dir->order[i];
        d->count[i] = common->span[a].count;
        d->here[i] = here_stride[a];
        d->there[i] = there_stride[a];
        d->offset += (common->span[a].start - here->span[a].start) * here_stride[a];
    }
    d->axes = axes + 1;
    d->count[axes] = dir->here->howmany;
    d->here[axes] = d->there[axes] = 1;
    if (dir->here_blocked) {
        weft_contiguous(d->axes, d->count, d->here);
        d->offset = 0;
    }
    if (dir->there_blocked)
        weft_contiguous(d->axes, d->count, d->there);
    if (dir->cut) { /* the cut axis travels slowest */
        const weft_span part = part_of(dir, here, there, common);
        d->offset += (part.start - common->span[dir->cut->axis].start) * d->here[0];
        d->count[0] = part.count;
    }
    const bool any = d->count[0] > 0;
    collapse(d);
    return any;
}

static void set_piece(weft_piece *piece, const draft *d, ptrdiff_t *numbers)
{
    const size_t bytes = (size_t)d->axes * sizeof *numbers;
    *piece = (weft_piece){.elements = 1,
                          .offset = d->offset,
                          .count = memcpy(numbers, d->count, bytes),
                          .stride = memcpy(numbers + d->axes, d->here, bytes),
                          .axes = d->axes,
                          .contiguous = true};
    for (int i = d->axes - 1; i >= 0; i--) {
        piece->contiguous &= d->count[i] <= 1 || d->here[i] == piece->elements;
        piece->elements *= d->count[i];
    }
}

/* One more section of a piece, which may have none yet. False: no memory. */
static bool add_section(whole_exchange *it, weft_piece *piece, const draft *d)
{
    weft_piece *last = piece;
    if (piece->elements == 0) {
        set_piece(piece, d, (ptrdiff_t *)piece->count);
        return true;
    }
    section *added = malloc(sizeof *added + 2 * (size_t)d->axes * sizeof added->numbers[0]);
    if (!added)
        return false;
    added->next = it->sections;
    it->sections = added;
    set_piece(&added->piece, d, added->numbers);
    for (;; last = (weft_piece *)last->next) {
        last->elements += added->piece.elements;
        last->contiguous = false;
        if (!last->next)
            break;
    }
    last->next = &added->piece;
    return true;
}

/* How many elements a block has room for. */
static ptrdiff_t block(const direction *dir, const weft_box *common)
{
    ptrdiff_t elements = dir->here->howmany;
    for (int axis = 0; axis < dir->here->axes; axis++)
        elements *= common->span[axis].count;
    return elements;
}

/* Two numbers for each axis of a piece, `howmany` included. */
static int piece_numbers(int axes)
{
    return 2 * (axes + 1);
}

/* The section that two boxes share, if any; blocks before it reach to `end`. */
static bool add_shared(whole_exchange *it, const direction *dir, const housed *here,
                       const housed *there, ptrdiff_t place, bool own, weft_piece *piece,
                       ptrdiff_t *end)
{
    weft_box common;
    draft d;
    bool ok = true;
    if (dir->here->howmany == 0 ||
        !weft_box_intersect(dir->here->axes, &here->box, &there->box, &common))
        return true;
    if (dir->stacked && dir->here_blocked)
        common.span[dir->cut->axis] = part_of(dir, &here->box, &there->box, &common);
    if (share(dir, here, there, &common, &d) && !(dir->leave_own && own)) {
        d.offset += dir->here_blocked ? *end : place;
        ok = add_section(it, piece, &d);
    }
    *end += block(dir, &common);
    return ok;
}

/* What this rank and a peer share: a section for each pair of their boxes. False: no memory. */
static bool make_piece(whole_exchange *it, const direction *dir, int rank, int peer,
                       weft_piece *piece, ptrdiff_t *end)
{
    const weft_layout *from = dir->received ? dir->there : dir->here,
                      *to = dir->received ? dir->here : dir->there;
    weft_boxes sources = weft_boxes_of(from, dir->received ? peer : rank);
    housed box[2];
    while (weft_boxes_next(&sources, &box[0].box)) {
        weft_boxes targets = weft_boxes_of(to, dir->received ? rank : peer);
        box[0].room = sources.room;
        while (weft_boxes_next(&targets, &box[1].box)) {
            box[1].room = targets.room;
            if (!add_shared(it, dir, &box[dir->received], &box[!dir->received],
                            dir->received ? targets.offset : sources.offset, peer == rank, piece,
                            end))
                return false;
        }
    }
    return true;
}

/* What this rank shares with those of its group in one direction; all the elements that travel.
 * `reach` becomes how far the array goes. Negative: no memory. */
static ptrdiff_t list_pieces(whole_exchange *it, const direction *dir, int rank, weft_piece *piece,
                             ptrdiff_t *numbers, ptrdiff_t *reach)
{
    ptrdiff_t total = 0, end = dir->stacked && dir->here_blocked ? dir->cut->base : 0;
    for (int i = 0; i < it->face.ranks; i++, numbers += piece_numbers(dir->here->axes)) {
        set_piece(&piece[i], &nothing, numbers);
        if (!make_piece(it, dir, rank, it->group[i], &piece[i], &end))
            return -1;
        total += piece[i].elements;
    }
    *reach = dir->here_blocked ? end : weft_layout_held(dir->here, rank);
    return total;
}

static bool make_pieces(whole_exchange *it, const weft_layout *from, const weft_layout *to,
                        unsigned flags, const weft_cut *cut, int part, int rank)
{
    weft_exchange *e = &it->face;
    const size_t ranks = (size_t)e->ranks, numbers = (size_t)piece_numbers(from->axes);
    const bool by_to = cut && cut->by_to;
    int order[WEFT_MAX_AXES];
    direction sent = {.here = from,
                      .there = to,
                      .here_blocked = flags & WEFT_FROM_BLOCKED,
                      .there_blocked = flags & WEFT_TO_BLOCKED,
                      .leave_own = flags & WEFT_LEAVE_OWN,
                      .order = order,
                      .cut = cut,
                      .part = part,
                      .cut_here = !by_to};
    direction received = sent;
    received.received = true;
    received.here = to;
    received.there = from;
    received.here_blocked = sent.there_blocked;
    received.there_blocked = sent.here_blocked;
    received.cut_here = by_to;
    received.stacked = cut && cut->stacked;
    it->pieces = calloc(2 * ranks, sizeof *it->pieces);
    it->numbers = calloc(2 * ranks * numbers, sizeof *it->numbers);
    if (!it->pieces || !it->numbers)
        return false;
    weft_cut_order(cut, from->axes, flags & WEFT_TRAVEL_TO ? to->order : from->order, order);
    e->send = it->pieces;
    e->receive = it->pieces + ranks;
    e->send_elements = list_pieces(it, &sent, rank, it->pieces, it->numbers, &e->in_elements);
    e->receive_elements = list_pieces(it, &received, rank, it->pieces + ranks,
                                      it->numbers + ranks * numbers, &e->out_elements);
    return e->send_elements >= 0 && e->receive_elements >= 0;
}

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

/* Blocks are of ranks that hold one box each. */
static bool blocks_possible(const weft_layout *from, const weft_layout *to, unsigned flags)
{
    if ((weft_layout_is_single(from) && weft_layout_is_single(to)) ||
        !(flags & (WEFT_FROM_BLOCKED | WEFT_TO_BLOCKED)))
        return true;
    weft_error("what ranks with several boxes exchange does not lie in blocks");
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
        weft_error("there is no rank %d among %d", rank, ranks);
        return false;
    }
    return true;
}

/* Finds this rank's group. */
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
                it->face.rank = it->face.ranks;
            it->group[it->face.ranks++] = r;
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
    it->face.comm = it->face.node = MPI_COMM_NULL;
    it->face.element = element;
    it->face.in_place = (flags & WEFT_IN_PLACE) != 0;
    it->face.services = &weft_services_ours;
    if (gather_group(it, from, to, rank, ranks) &&
        make_pieces(it, from, to, flags, cut, part, rank))
        return &it->face;

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

/* Whether all ranks could describe the exchange, and the same one. Layouts that are not valid may
 * have wild counts of axes, and are not looked at. */
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

/* Who of the group share nodes. */
static bool find_nodes(whole_exchange *it, const weft_communicator *communicator)
{
    it->node = malloc((size_t)it->face.ranks * sizeof *it->node);
    if (!it->node)
        weft_error("no memory for the nodes of %d ranks", it->face.ranks);
    return it->node && weft_nodes_of_group(weft_communicator_nodes(communicator), it->group,
                                           it->face.ranks, it->node, &it->neighbours);
}

/* Whether all of a group share a node, in every group. */
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

/* The group's communicator and the tag; of all ranks nothing is kept. */
static bool connect(whole_exchange *it)
{
    it->face.comm = weft_communicator_all(it->communicator);
    if (it->groups > 1) {
        it->split = weft_communicator_split(it->communicator, it->leader);
        if (!it->split)
            return false;
        it->face.comm = weft_split_comm(it->split);
    }
    it->face.tag = weft_communicator_tag(it->communicator);
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
        it->face.node = weft_split_comm(it->near);
    return it->near;
}

void weft_exchange_destroy(weft_exchange *exchange)
{
    whole_exchange *it = (whole_exchange *)exchange;
    if (!it)
        return;
    weft_split_release(it->near);
    weft_split_release(it->split);
    weft_communicator_close(it->communicator);
    free(it->leader);
    free(it->group);
    free(it->node);
    for (section *next, *at = it->sections; at; at = next) {
        next = at->next;
        free(at);
    }
    free(it->pieces);
    free(it->numbers);
    free(it);
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
