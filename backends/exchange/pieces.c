/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces. Piece rs, which rank r sends rank s, is the intersection of r's box before with s's box
 * after, as a strided region of the memory of each:
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
 * Both ends of a piece go through the same steps with the same numbers, so that axes are dropped
 * (one index) and collapsed (both ends can walk two as one) alike: O(axes) a piece. Most pieces
 * have the shape of the one before, and then its counts and strides.
 */
#include "backends/exchange/pieces.h"

#include <stdlib.h>
#include <string.h>
#include "backends/exchange/services.h"

/* So many are got at a time, enough for any piece. */
enum { NUMBERS = 2 * (WEFT_MAX_AXES + 1) + 12 };

typedef struct weft_numbers {
    struct weft_numbers *next;
    int used;
    ptrdiff_t number[NUMBERS];
} weft_numbers;

/* One more section of a piece. */
typedef struct weft_section {
    weft_piece piece;
    struct weft_section *next; /* of all that there are */
} weft_section;

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

static const ptrdiff_t zero = 0, one = 1;
static const weft_piece nothing = {.axes = 1, .count = &zero, .stride = &one, .contiguous = true};

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

/* Room for so many more; NULL: no memory. */
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

/* `like`: one that was made before, NULL: none. False: no memory. */
static bool set_piece(weft_pieces *pieces, weft_piece *piece, const draft *d,
                      const weft_piece *like)
{
    const size_t bytes = (size_t)d->axes * sizeof d->count[0];
    *piece = nothing;
    if (like && same_shape(like, d)) {
        *piece = *like;
        piece->offset = d->offset;
        piece->next = NULL;
    } else {
        ptrdiff_t *numbers = add_numbers(pieces, 2 * d->axes);
        if (!numbers)
            return false;
        piece->count = memcpy(numbers, d->count, bytes);
        piece->stride = memcpy(numbers + d->axes, d->here, bytes);
        piece->axes = d->axes;
        piece->offset = d->offset;
    }
    piece->elements = 1;
    piece->contiguous = true;
    for (int i = d->axes - 1; i >= 0; i--) {
        piece->contiguous &= d->count[i] <= 1 || d->here[i] == piece->elements;
        piece->elements *= d->count[i];
    }
    return true;
}

/* One more section of a piece, which may have none yet. False: no memory. */
static bool add_section(weft_pieces *pieces, weft_piece *piece, const draft *d,
                        const weft_piece *like)
{
    weft_piece *last = piece;
    if (piece->elements == 0)
        return set_piece(pieces, piece, d, like);
    weft_section *added = malloc(sizeof *added);
    if (!added)
        return false;
    added->next = pieces->sections;
    pieces->sections = added;
    if (!set_piece(pieces, &added->piece, d, piece)) {
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

/* How many elements a block has room for. */
static ptrdiff_t block(const direction *dir, const weft_box *common)
{
    ptrdiff_t elements = dir->here->howmany;
    for (int axis = 0; axis < dir->here->axes; axis++)
        elements *= common->span[axis].count;
    return elements;
}

/* The section that two boxes share, if any; blocks before it reach to `end`. */
static bool add_shared(weft_pieces *pieces, const direction *dir, const housed *here,
                       const housed *there, ptrdiff_t place, bool own, weft_piece *piece,
                       const weft_piece *like, ptrdiff_t *end)
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
        ok = add_section(pieces, piece, &d, like);
    }
    *end += block(dir, &common);
    return ok;
}

/* What this rank and a peer share: a section for each pair of their boxes. False: no memory. */
static bool make_piece(weft_pieces *pieces, const direction *dir, int rank, int peer,
                       weft_piece *piece, const weft_piece *like, ptrdiff_t *end)
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
            if (!add_shared(pieces, dir, &box[dir->received], &box[!dir->received],
                            dir->received ? targets.offset : sources.offset, peer == rank, piece,
                            like, end))
                return false;
        }
    }
    return true;
}

/* What this rank shares with those of its group in one direction; all the elements that travel.
 * `reach` becomes how far the array goes. Negative: no memory. */
static ptrdiff_t list_pieces(weft_pieces *pieces, const direction *dir, const int *group, int ranks,
                             int rank, weft_piece *piece, ptrdiff_t *reach)
{
    ptrdiff_t total = 0, end = dir->stacked && dir->here_blocked ? dir->cut->base : 0;
    const weft_piece *like = NULL;
    for (int i = 0; i < ranks; i++) {
        piece[i] = nothing;
        if (!make_piece(pieces, dir, rank, group[i], &piece[i], like, &end))
            return -1;
        if (piece[i].elements > 0)
            like = &piece[i];
        total += piece[i].elements;
    }
    *reach = dir->here_blocked ? end : weft_layout_held(dir->here, rank);
    return total;
}

bool weft_pieces_make(weft_pieces *pieces, weft_exchange *exchange, const int *group,
                      const weft_layout *from, const weft_layout *to, unsigned flags,
                      const weft_cut *cut, int part, int rank)
{
    const int ranks = exchange->ranks;
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
    weft_piece *piece = pieces->piece = calloc(2 * (size_t)ranks, sizeof *piece);
    if (!piece)
        return false;
    weft_cut_order(cut, from->axes, flags & WEFT_TRAVEL_TO ? to->order : from->order, order);
    exchange->send = piece;
    exchange->receive = piece + ranks;
    exchange->send_elements =
        list_pieces(pieces, &sent, group, ranks, rank, piece, &exchange->in_elements);
    exchange->receive_elements =
        list_pieces(pieces, &received, group, ranks, rank, piece + ranks, &exchange->out_elements);
    return exchange->send_elements >= 0 && exchange->receive_elements >= 0;
}

void weft_pieces_free(weft_pieces *pieces)
{
    for (weft_section *next, *at = pieces->sections; at; at = next) {
        next = at->next;
        free(at);
    }
    for (weft_numbers *next, *at = pieces->numbers; at; at = next) {
        next = at->next;
        free(at);
    }
    free(pieces->piece);
    *pieces = (weft_pieces){0};
}
