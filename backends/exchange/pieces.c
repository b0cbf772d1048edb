/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks. Block rs, which rank r sends rank s, is the intersection of r's source box with s's
 * target box, described as a strided region of each rank's memory. On a packed side, the array
 * consists of its blocks, contiguous and one after another:
 *
 *     from: rows              to: columns            packed, in rank 1's memory
 *     rank 0 | 00 01 02 |     | 00 | 01 | 02 |       sent         | 10 | 11 | 12 |
 *     rank 1 | 10 11 12 |     | 10 | 11 | 12 |       received     | 01 | 11 | 21 |
 *     rank 2 | 20 21 22 |     | 20 | 21 | 22 |
 *                        rank   0    1    2
 *
 * Both ends of a block perform the same steps with the same numbers. So both drop the same axes
 * (axes with one index) and join the same axes (two axes that both ends can walk as one). Cost:
 * O(axes) per block.
 *
 * If each rank has one box, blocks are computed on request and not stored: on very many ranks they
 * would take more memory than the array. The start of a packed block depends on all blocks before
 * it, so the start of every 16th block is stored, and the sizes of the blocks after it are added
 * up.
 *
 * If ranks have several boxes, a block has one region for each pair of boxes that intersect, in the
 * order of the sender's boxes, then of the receiver's. There are many pairs, and comparing them is
 * done once, so these blocks are stored. Most have the shape of the block before and share its
 * counts and strides.
 */
#include "backends/exchange/pieces.h"

#include <stdlib.h>
#include <string.h>

void weft_cut_order(const weft_cut *cut, int axes, const int *order, int *cut_order)
{
    int place = 0;
    if (cut && cut->parts > 1)
        cut_order[place++] = cut->axis;
    for (int i = 0; i < axes; i++)
        if (!cut || cut->parts <= 1 || order[i] != cut->axis)
            cut_order[place++] = order[i];
}

void weft_contiguous(int axes, const ptrdiff_t *count, ptrdiff_t *stride)
{
    ptrdiff_t step = 1;

    for (int i = axes - 1; i >= 0; i--) {
        stride[i] = step;
        step *= count[i];
    }
}

/* Numbers per allocation; enough for any block. */
enum { NUMBERS = 2 * (WEFT_MAX_AXES + 1) + 12 };

typedef struct weft_numbers {
    struct weft_numbers *next;
    int used;
    ptrdiff_t number[NUMBERS];
} weft_numbers;

/* A further region of a block. */
typedef struct weft_section {
    weft_piece piece;
    struct weft_section *next; /* in the list of all further regions */
} weft_section;

/* A box of a rank and its placement in the rank's memory. */
typedef struct {
    weft_box box;
    const ptrdiff_t *room; /* NULL: none */
    ptrdiff_t begin;       /* where the box begins in memory, or in its enclosing array */
    ptrdiff_t stride[WEFT_MAX_AXES];
} housed;

/* A block under construction: its axes in travel order, with the strides at both ends. */
typedef struct {
    int axes;
    ptrdiff_t count[WEFT_MAX_AXES], here[WEFT_MAX_AXES], there[WEFT_MAX_AXES];
    ptrdiff_t offset; /* of the first element in this rank's memory, or in the packed block */
} draft;

/* One direction of the exchange, as seen from this rank ("here") and its peers ("there"): for sent
 * blocks the source layout is here, for received blocks the target layout. */
typedef struct {
    const weft_layout *here, *there;
    const int *group;                 /* the peers, numbered as in the layouts */
    int rank;                         /* this rank, numbered likewise */
    bool here_blocked, there_blocked; /* the array on that side consists of packed blocks */
    bool leave_own;                   /* the own block is empty, but its space stays */
    const int *order;                 /* the axes in travel order */
    const weft_cut *cut;              /* NULL: whole blocks travel; otherwise part `part` of them */
    int part;
    bool received; /* this side receives */
    bool cut_here; /* the cut divides this rank's span, not the peer's */
    bool stacked;  /* packed blocks on this rank contain only the part */
} direction;

/*
 * The blocks of one direction, stored or computed on request. For packed blocks, `end` is where the
 * block requested last ends:
 *
 *     blocks     | 0 | 1 | 2 | ... | 16 | 17 | ... | at | ...
 *                start[0]          start[1]             end
 */
typedef struct {
    direction dir;
    weft_piece *kept; /* [ranks]; NULL: blocks are computed on request */
    housed mine;
    weft_piece piece; /* of group rank `at`; its counts and strides are in `draft` */
    draft draft;
    int at;
    ptrdiff_t end, *mark;
} one_side;

enum { EVERY = 16 /* number of blocks per stored start */ };

struct weft_pieces {
    weft_layout from, to;
    int order[WEFT_MAX_AXES];
    weft_cut cut;
    one_side sent, received;
    weft_numbers *numbers;  /* counts and strides of stored blocks */
    weft_section *sections; /* further regions of stored blocks */
};

static const ptrdiff_t zero = 0, one = 1;
static const weft_piece nothing = {.axes = 1, .count = &zero, .stride = &one, .contiguous = true};

/* The range along the cut axis of the boxes' intersection that belongs to this part of the
 * exchange. */
static weft_span part_of(const direction *dir, const weft_box *here, const weft_box *there,
                         const weft_box *common)
{
    const int axis = dir->cut->axis;
    const weft_span holder = (dir->cut_here ? here : there)->span[axis];
    return weft_span_intersect(common->span[axis],
                               weft_cut_span(holder, dir->cut->parts, dir->part));
}

/* Drops axes with one index and joins adjacent axes; at least one axis stays. */
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

static void house(const weft_layout *layout, housed *it)
{
    it->begin = weft_layout_place(layout, &it->box, it->room, it->stride);
}

/* Drafts the block that two boxes share. Returns false when this part of the exchange moves none of
 * it. */
static bool share(const direction *dir, const housed *here, const housed *there,
                  const weft_box *common, draft *d)
{
    const int axes = dir->here->axes;
    d->offset = here->begin;
    for (int i = 0; i < axes; i++) {
        const int a = dir->order[i];
        d->count[i] = common->span[a].count;
        d->here[i] = here->stride[a];
        d->there[i] = there->stride[a];
        d->offset += (common->span[a].start - here->box.span[a].start) * here->stride[a];
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
    if (dir->cut) { /* the cut axis travels slowest, so index 0 */
        const weft_span part = part_of(dir, &here->box, &there->box, common);
        d->offset += (part.start - common->span[dir->cut->axis].start) * d->here[0];
        d->count[0] = part.count;
    }
    const bool any = d->count[0] > 0;
    collapse(d);
    return any;
}

static void set_piece(weft_piece *piece, const draft *d, const ptrdiff_t *count,
                      const ptrdiff_t *stride)
{
    *piece = (weft_piece){.elements = 1,
                          .offset = d->offset,
                          .count = count,
                          .stride = stride,
                          .axes = d->axes,
                          .contiguous = true};
    for (int i = d->axes - 1; i >= 0; i--) {
        piece->contiguous &= d->count[i] <= 1 || d->here[i] == piece->elements;
        piece->elements *= d->count[i];
    }
}

/* The size of a packed block in elements; an exchange in parts may move fewer. */
static ptrdiff_t block(const direction *dir, const weft_box *common)
{
    ptrdiff_t elements = dir->here->howmany;
    for (int axis = 0; axis < dir->here->axes; axis++)
        elements *= common->span[axis].count;
    return elements;
}

/* Intersects this rank's only box with the peer's only box; returns false when no elements are
 * shared. */
static bool meet(const one_side *side, int peer, housed *there, weft_box *common)
{
    const direction *dir = &side->dir;
    const int rank = dir->group[peer];
    weft_layout_box(dir->there, rank, &there->box);
    there->room = weft_layout_room(dir->there, rank);
    if (dir->here->howmany == 0 ||
        !weft_box_intersect(dir->here->axes, &side->mine.box, &there->box, common))
        return false;
    if (dir->stacked && dir->here_blocked)
        common->span[dir->cut->axis] = part_of(dir, &side->mine.box, &there->box, common);
    return true;
}

/* The element at which the packed block of a peer begins. Adds up sizes from the nearest stored
 * start, or from the block requested last. */
static ptrdiff_t begin_of(const one_side *side, int peer)
{
    const int marked = peer / EVERY * EVERY;
    int at = side->at + 1;
    ptrdiff_t begin = side->end;
    housed there;
    weft_box common;
    if (at < marked || at > peer) {
        at = marked;
        begin = side->mark[marked / EVERY];
    }
    for (; at < peer; at++)
        if (meet(side, at, &there, &common))
            begin += block(&side->dir, &common);
    return begin;
}

static void work_out(one_side *side, int peer)
{
    const direction *dir = &side->dir;
    const ptrdiff_t begin = dir->here_blocked ? begin_of(side, peer) : 0;
    draft *d = &side->draft;
    housed there;
    weft_box common;
    side->at = peer;
    side->end = begin;
    side->piece = nothing;
    if (!meet(side, peer, &there, &common))
        return;
    side->end += block(dir, &common);
    house(dir->there, &there);
    if (!share(dir, &side->mine, &there, &common, d) ||
        (dir->leave_own && dir->group[peer] == dir->rank))
        return;
    d->offset += begin;
    set_piece(&side->piece, d, d->count, d->here);
}

static const weft_piece *piece_at(one_side *side, int peer)
{
    if (side->kept)
        return &side->kept[peer];
    if (side->at != peer)
        work_out(side, peer);
    return &side->piece;
}

/* Space for `count` more numbers; NULL: no memory. */
static ptrdiff_t *add_numbers(weft_pieces *pieces, int count)
{
    weft_numbers *to = pieces->numbers;
    if (!to || to->used + count > NUMBERS) {
        to = malloc(sizeof *to);
        if (!to)
            return NULL;
        to->used = 0;
        to->next = pieces->numbers;
        pieces->numbers = to;
    }
    to->used += count;
    return to->number + to->used - count;
}

static bool same_shape(const weft_piece *piece, const draft *d)
{
    const size_t bytes = (size_t)d->axes * sizeof d->count[0];
    return piece->axes == d->axes && memcmp(piece->count, d->count, bytes) == 0 &&
           memcmp(piece->stride, d->here, bytes) == 0;
}

/* Stores a block. `like` is a block stored earlier whose counts and strides may be shared; NULL:
 * none. Returns false when memory runs out. */
static bool keep_piece(weft_pieces *pieces, weft_piece *piece, const draft *d,
                       const weft_piece *like)
{
    const size_t bytes = (size_t)d->axes * sizeof d->count[0];
    if (like && same_shape(like, d)) {
        set_piece(piece, d, like->count, like->stride);
        return true;
    }
    ptrdiff_t *numbers = add_numbers(pieces, 2 * d->axes);
    if (numbers)
        set_piece(piece, d, memcpy(numbers, d->count, bytes),
                  memcpy(numbers + d->axes, d->here, bytes));
    return numbers;
}

/* Adds a region to a block that may have none yet. Returns false when memory runs out. */
static bool add_section(weft_pieces *pieces, weft_piece *piece, const draft *d,
                        const weft_piece *like)
{
    weft_piece *last = piece;
    if (piece->elements == 0)
        return keep_piece(pieces, piece, d, like);
    weft_section *added = malloc(sizeof *added);
    if (!added)
        return false;
    added->next = pieces->sections;
    pieces->sections = added;
    if (!keep_piece(pieces, &added->piece, d, piece)) {
        pieces->sections = added->next;
        free(added);
        return false;
    }
    for (;; last = (weft_piece *)last->next) {
        last->elements += added->piece.elements;
        last->contiguous = false;
        if (!last->next)
            break;
    }
    last->next = &added->piece;
    return true;
}

/* Adds the region that two boxes share, if any. There are no packed blocks here: they require one
 * box per rank. Returns false when memory runs out. */
static bool add_shared(weft_pieces *pieces, const direction *dir, housed *here, housed *there,
                       ptrdiff_t place, weft_piece *piece, const weft_piece *like)
{
    weft_box common;
    draft d;
    if (dir->here->howmany == 0 ||
        !weft_box_intersect(dir->here->axes, &here->box, &there->box, &common))
        return true;
    house(dir->here, here);
    house(dir->there, there);
    if (!share(dir, here, there, &common, &d))
        return true;
    d.offset += place;
    return add_section(pieces, piece, &d, like);
}

/* Adds a region for each pair of boxes of this rank and the peer. Returns false when memory runs
 * out. */
static bool keep_sections(weft_pieces *pieces, const direction *dir, int peer, weft_piece *piece,
                          const weft_piece *like)
{
    weft_boxes sources = weft_boxes_of(&pieces->from, dir->received ? peer : dir->rank);
    housed box[2];
    while (weft_boxes_next(&sources, &box[0].box)) {
        weft_boxes targets = weft_boxes_of(&pieces->to, dir->received ? dir->rank : peer);
        box[0].room = sources.room;
        while (weft_boxes_next(&targets, &box[1].box)) {
            box[1].room = targets.room;
            if (!add_shared(pieces, dir, &box[dir->received], &box[!dir->received],
                            dir->received ? targets.offset : sources.offset, piece, like))
                return false;
        }
    }
    return true;
}

/* Stores all blocks of a side. Returns false when memory runs out. */
static bool keep_side(weft_pieces *pieces, one_side *side, int ranks)
{
    const direction *dir = &side->dir;
    const weft_piece *like = NULL;
    weft_piece *piece = side->kept = calloc((size_t)ranks, sizeof *piece);
    bool ok = piece;
    for (int i = 0; ok && i < ranks; i++) {
        piece[i] = nothing;
        if (!dir->leave_own || dir->group[i] != dir->rank)
            ok = keep_sections(pieces, dir, dir->group[i], &piece[i], like);
        if (piece[i].elements > 0)
            like = &piece[i];
    }
    return ok;
}

/* Prepares a side for computing blocks on request, except for the stored starts. Returns false when
 * memory runs out. */
static bool begin_side(one_side *side, int ranks)
{
    const direction *dir = &side->dir;
    weft_layout_box(dir->here, dir->rank, &side->mine.box);
    side->mine.room = weft_layout_room(dir->here, dir->rank);
    house(dir->here, &side->mine);
    side->at = -1;
    side->end = dir->stacked && dir->here_blocked ? dir->cut->base : 0;
    if (dir->here_blocked)
        side->mark = malloc(((size_t)ranks / EVERY + 1) * sizeof *side->mark);
    return side->mark || !dir->here_blocked;
}

static void count(weft_traffic *traffic, const weft_piece *piece)
{
    if (piece->elements == 0)
        return;
    traffic->elements += piece->elements;
    traffic->pieces++;
    traffic->contiguous &= piece->contiguous;
    if (piece->elements > traffic->largest)
        traffic->largest = piece->elements;
}

/* Prepares a side and sums up its traffic; *reach becomes the number of elements of its array.
 * Returns false when memory runs out. */
static bool make_side(weft_pieces *pieces, one_side *side, const weft_exchange *exchange,
                      weft_traffic *traffic, ptrdiff_t *reach)
{
    const direction *dir = &side->dir;
    const int ranks = exchange->ranks;
    const bool single = weft_layout_is_single(dir->here) && weft_layout_is_single(dir->there);
    *traffic = (weft_traffic){.contiguous = true};
    if (!(single ? begin_side(side, ranks) : keep_side(pieces, side, ranks)))
        return false;
    for (int peer = 0; peer < ranks; peer++) {
        if (side->mark && peer % EVERY == 0)
            side->mark[peer / EVERY] = side->end;
        const weft_piece *piece = piece_at(side, peer);
        if (peer != exchange->rank)
            count(traffic, piece);
    }
    *reach = dir->here_blocked ? side->end : weft_layout_held(dir->here, dir->rank);
    return true;
}

weft_pieces *weft_pieces_make(weft_exchange *exchange, const int *group, const weft_layout *from,
                              const weft_layout *to, unsigned flags, const weft_cut *cut, int part,
                              int rank)
{
    weft_pieces *pieces = calloc(1, sizeof *pieces);
    if (!pieces)
        return NULL;
    const bool by_to = cut && cut->by_to;
    direction *sent = &pieces->sent.dir, *received = &pieces->received.dir;
    pieces->from = *from;
    pieces->to = *to;
    if (cut)
        pieces->cut = *cut;
    weft_cut_order(cut, from->axes, flags & WEFT_TRAVEL_TO ? to->order : from->order,
                   pieces->order);
    *sent = (direction){.here = &pieces->from,
                        .there = &pieces->to,
                        .group = group,
                        .rank = rank,
                        .here_blocked = flags & WEFT_FROM_BLOCKED,
                        .there_blocked = flags & WEFT_TO_BLOCKED,
                        .leave_own = flags & WEFT_LEAVE_OWN,
                        .order = pieces->order,
                        .cut = cut ? &pieces->cut : NULL,
                        .part = part,
                        .cut_here = !by_to};
    *received = *sent;
    received->received = true;
    received->here = sent->there;
    received->there = sent->here;
    received->here_blocked = sent->there_blocked;
    received->there_blocked = sent->here_blocked;
    received->cut_here = by_to;
    received->stacked = cut && cut->stacked;
    if (make_side(pieces, &pieces->sent, exchange, &exchange->send, &exchange->in_elements) &&
        make_side(pieces, &pieces->received, exchange, &exchange->receive,
                  &exchange->out_elements)) {
        exchange->own_elements = piece_at(&pieces->sent, exchange->rank)->elements;
        return pieces;
    }
    weft_pieces_free(pieces);
    return NULL;
}

/* Stores one side of packed blocks, contiguous and one after another. Returns false when memory
 * runs out. */
static bool pack_side(weft_pieces *pieces, one_side *side, const weft_exchange *like,
                      const weft_piece *(*at)(const weft_exchange *, int))
{
    draft d = {.axes = 1, .here = {1}};
    bool ok = (side->kept = calloc((size_t)like->ranks, sizeof *side->kept));
    for (int peer = 0; ok && peer < like->ranks; peer++) {
        d.count[0] = peer == like->rank ? 0 : at(like, peer)->elements;
        ok = keep_piece(pieces, &side->kept[peer], &d, peer > 0 ? &side->kept[peer - 1] : NULL);
        d.offset += d.count[0];
    }
    return ok;
}

weft_pieces *weft_pieces_make_packed(weft_exchange *exchange, const weft_exchange *like)
{
    weft_pieces *pieces = calloc(1, sizeof *pieces);
    if (pieces && pack_side(pieces, &pieces->sent, like, like->services->sent) &&
        pack_side(pieces, &pieces->received, like, like->services->received)) {
        exchange->send = like->send;
        exchange->receive = like->receive;
        exchange->send.contiguous = exchange->receive.contiguous = true;
        exchange->own_elements = 0;
        exchange->in_elements = like->send.elements;
        exchange->out_elements = like->receive.elements;
        return pieces;
    }
    weft_pieces_free(pieces);
    return NULL;
}

const weft_piece *weft_exchange_sent(const weft_exchange *exchange, int peer)
{
    return piece_at(&weft_base(exchange)->pieces->sent, peer);
}

const weft_piece *weft_exchange_received(const weft_exchange *exchange, int peer)
{
    return piece_at(&weft_base(exchange)->pieces->received, peer);
}

void weft_pieces_free(weft_pieces *pieces)
{
    if (!pieces)
        return;
    for (weft_section *next, *at = pieces->sections; at; at = next) {
        next = at->next;
        free(at);
    }
    for (weft_numbers *next, *at = pieces->numbers; at; at = next) {
        next = at->next;
        free(at);
    }
    free(pieces->sent.kept);
    free(pieces->sent.mark);
    free(pieces->received.kept);
    free(pieces->received.mark);
    free(pieces);
}
