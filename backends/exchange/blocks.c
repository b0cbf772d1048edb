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
 * it, so the starts of packed blocks are stored when the exchange is made.
 *
 * If ranks have several boxes, a block has one region for each pair of boxes that intersect, in the
 * order of the sender's boxes, then of the receiver's. There are many pairs, and comparing them is
 * done once, so these blocks are stored until the backend is prepared.
 */
#include "backends/exchange/blocks.h"

#include <stdlib.h>
#include <string.h>
#include "kernels/base/memory.h"

/* Memory that is freed with the blocks: counts, strides and further regions of stored blocks. */
typedef struct weft_kept_memory {
    struct weft_kept_memory *next;
    max_align_t bytes[];
} weft_kept_memory;

typedef struct {
    weft_box box;
    const ptrdiff_t *enclosing; /* NULL: none */
    ptrdiff_t begin;            /* where the box begins in memory, or in its enclosing array */
    ptrdiff_t stride[WEFT_MAX_AXES];
} located_box;

/* A block under construction: its axes in travel order, with the strides at both ends. */
typedef struct {
    int axes;
    ptrdiff_t count[WEFT_MAX_AXES], here[WEFT_MAX_AXES], there[WEFT_MAX_AXES];
    ptrdiff_t offset; /* of the first element in this rank's memory, or in the packed block */
} draft;

/*
 * One direction of the exchange, as seen from this rank ("here") and its peers ("there"): for sent
 * blocks the source layout is here, for received blocks the target layout.
 */
typedef struct {
    const weft_layout *here, *there;
    const int *group;                 /* the peers, numbered as in the layouts */
    int rank;                         /* this rank, numbered likewise */
    bool here_blocked, there_blocked; /* the array on that side consists of packed blocks */
    bool leave_own;                   /* the own block is empty, but its space stays */
    const int *order;                 /* the axes in travel order */
    const weft_cut *cut;              /* NULL: the whole array travels */
    bool received;                    /* this side receives */
    weft_block *kept;                 /* [ranks]; NULL: blocks are computed on request */
    located_box mine;
    weft_block block; /* of group rank `at`; its counts and strides are in `draft` */
    draft draft;
    int at;
    ptrdiff_t *start; /* [ranks + 1] of packed blocks, and the end; NULL: they are not packed */
} one_side;

struct weft_blocks {
    weft_layout from, to;
    int order[WEFT_MAX_AXES];
    weft_cut cut;
    one_side sent, received;
    weft_kept_memory *memory;
};

static const ptrdiff_t zero = 0, one = 1;
static const weft_block nothing = {.axes = 1, .count = &zero, .stride = &one, .contiguous = true};

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

static void locate_box(const weft_layout *layout, located_box *it)
{
    it->begin = weft_layout_place(layout, &it->box, it->enclosing, it->stride);
}

/* Drafts the block that two boxes share. */
static void draft_block(const one_side *side, const located_box *here, const located_box *there,
                        const weft_box *common, draft *d)
{
    const int axes = side->here->axes;
    d->offset = here->begin;
    for (int i = 0; i < axes; i++) {
        const int a = side->order[i];
        d->count[i] = common->span[a].count;
        d->here[i] = here->stride[a];
        d->there[i] = there->stride[a];
        d->offset += (common->span[a].start - here->box.span[a].start) * here->stride[a];
    }
    d->axes = axes + 1;
    d->count[axes] = side->here->howmany;
    d->here[axes] = d->there[axes] = 1;
    if (side->here_blocked) {
        weft_contiguous(d->axes, d->count, d->here);
        d->offset = 0;
    }
    if (side->there_blocked)
        weft_contiguous(d->axes, d->count, d->there);
    collapse(d);
}

static void set_block(weft_block *block, const draft *d, const ptrdiff_t *count,
                      const ptrdiff_t *stride)
{
    *block = (weft_block){.elements = 1,
                          .offset = d->offset,
                          .count = count,
                          .stride = stride,
                          .axes = d->axes,
                          .contiguous = true};
    for (int i = d->axes - 1; i >= 0; i--) {
        block->contiguous &= d->count[i] <= 1 || d->here[i] == block->elements;
        block->elements *= d->count[i];
    }
}

/* Intersects this rank's only box with the peer's only box, and with the part of the sender's box
 * that the exchange moves. Returns false when no elements are shared. */
static bool intersect_only_boxes(const one_side *side, int peer, located_box *there,
                                 weft_box *common)
{
    const int rank = side->group[peer];
    weft_layout_box(side->there, rank, &there->box);
    there->enclosing = weft_layout_enclosing(side->there, rank);
    if (!weft_box_intersect(side->here->axes, &side->mine.box, &there->box, common))
        return false;
    if (!side->cut)
        return true;
    const weft_cut *cut = side->cut;
    const weft_box *sender = side->received ? &there->box : &side->mine.box;
    weft_span *span = &common->span[cut->axis];
    *span =
        weft_span_intersect(*span, weft_cut_span(sender->span[cut->axis], cut->parts, cut->part));
    return span->count > 0;
}

static void compute_block(one_side *side, int peer)
{
    draft *d = &side->draft;
    located_box there;
    weft_box common;
    const bool any = intersect_only_boxes(side, peer, &there, &common);
    side->at = peer;
    side->block = nothing;
    if (side->start)
        side->start[peer + 1] =
            side->start[peer] +
            (any ? side->here->howmany * weft_box_points(side->here->axes, &common) : 0);
    if (!any)
        return;
    locate_box(side->there, &there);
    if (side->leave_own && side->group[peer] == side->rank)
        return;
    draft_block(side, &side->mine, &there, &common, d);
    d->offset += side->start ? side->start[peer] : 0;
    set_block(&side->block, d, d->count, d->here);
}

static const weft_block *block_at(one_side *side, int peer)
{
    if (side->kept)
        return &side->kept[peer];
    if (side->at != peer)
        compute_block(side, peer);
    return &side->block;
}

static void *keep(weft_blocks *blocks, size_t bytes)
{
    weft_kept_memory *it = weft_new(1, sizeof *it + bytes, "the blocks of an exchange");
    if (!it)
        return NULL;
    it->next = blocks->memory;
    blocks->memory = it;
    return it->bytes;
}

/* Stores a block. Returns false when memory runs out. */
static bool keep_block(weft_blocks *blocks, weft_block *block, const draft *d)
{
    const size_t bytes = (size_t)d->axes * sizeof d->count[0];
    ptrdiff_t *numbers = keep(blocks, 2 * bytes);
    if (numbers)
        set_block(block, d, memcpy(numbers, d->count, bytes),
                  memcpy(numbers + d->axes, d->here, bytes));
    return numbers;
}

static bool add_region(weft_blocks *blocks, weft_block *block, const draft *d)
{
    weft_block *last = block;
    if (block->elements == 0)
        return keep_block(blocks, block, d);
    weft_block *added = keep(blocks, sizeof *added);
    if (!added || !keep_block(blocks, added, d))
        return false;
    for (;; last = (weft_block *)last->next) {
        last->elements += added->elements;
        last->contiguous = false;
        if (!last->next)
            break;
    }
    last->next = added;
    return true;
}

/* Adds a region for each pair of boxes of this rank and the peer that intersect. There are no
 * packed blocks here: they require one box per rank. Returns false when memory runs out. */
static bool keep_regions(weft_blocks *blocks, const one_side *side, int peer, weft_block *block)
{
    weft_boxes sources = weft_boxes_of(&blocks->from, side->received ? peer : side->rank);
    located_box box[2], *here = &box[side->received], *there = &box[!side->received];
    weft_box common;
    draft d;
    while (weft_boxes_next(&sources, &box[0].box)) {
        weft_boxes targets = weft_boxes_of(&blocks->to, side->received ? side->rank : peer);
        box[0].enclosing = sources.enclosing;
        while (weft_boxes_next(&targets, &box[1].box)) {
            box[1].enclosing = targets.enclosing;
            if (!weft_box_intersect(side->here->axes, &box[0].box, &box[1].box, &common))
                continue;
            locate_box(side->here, here);
            locate_box(side->there, there);
            draft_block(side, here, there, &common, &d);
            d.offset += side->received ? targets.offset : sources.offset;
            if (!add_region(blocks, block, &d))
                return false;
        }
    }
    return true;
}

static bool keep_side(weft_blocks *blocks, one_side *side, int ranks)
{
    weft_block *block = side->kept =
        weft_new((size_t)ranks, sizeof *block, "the blocks of an exchange");
    bool ok = block;
    for (int i = 0; ok && i < ranks; i++) {
        block[i] = nothing;
        if (!side->leave_own || side->group[i] != side->rank)
            ok = keep_regions(blocks, side, side->group[i], &block[i]);
    }
    return ok;
}

/* Prepares a side for computing blocks on request. make_side then requests all blocks in the order
 * of ranks, which stores the starts. Returns false when memory runs out. */
static bool begin_side(one_side *side, int ranks)
{
    weft_layout_box(side->here, side->rank, &side->mine.box);
    side->mine.enclosing = weft_layout_enclosing(side->here, side->rank);
    locate_box(side->here, &side->mine);
    side->at = -1;
    if (!side->here_blocked)
        return true;
    side->start = weft_new((size_t)ranks + 1, sizeof *side->start, "the starts of blocks");
    if (side->start && side->cut)
        side->start[0] = side->cut->base;
    return side->start;
}

static void count(weft_traffic *traffic, const weft_block *block)
{
    if (block->elements == 0)
        return;
    traffic->elements += block->elements;
    traffic->pieces++;
    traffic->contiguous &= block->contiguous;
    if (block->elements > traffic->largest)
        traffic->largest = block->elements;
}

/* Prepares a side and sums up its traffic; *reach becomes the number of elements of its array.
 * Returns false when memory runs out. */
static bool make_side(weft_blocks *blocks, one_side *side, const weft_exchange *exchange,
                      weft_traffic *traffic, ptrdiff_t *reach)
{
    const int ranks = exchange->ranks;
    const bool single = weft_layout_is_single(side->here) && weft_layout_is_single(side->there);
    *traffic = (weft_traffic){.contiguous = true};
    if (!(single ? begin_side(side, ranks) : keep_side(blocks, side, ranks)))
        return false;
    for (int peer = 0; peer < ranks; peer++) {
        const weft_block *block = block_at(side, peer);
        if (peer != exchange->rank)
            count(traffic, block);
    }
    *reach = side->start ? side->start[ranks] : weft_layout_local_elements(side->here, side->rank);
    return true;
}

weft_blocks *weft_blocks_make(weft_exchange *exchange, const int *group, const weft_layout *from,
                              const weft_layout *to, unsigned flags, const weft_cut *cut, int rank)
{
    weft_blocks *blocks = weft_new(1, sizeof *blocks, "the blocks of an exchange");
    if (!blocks)
        return NULL;
    const int *order = flags & WEFT_TRAVEL_TO ? to->order : from->order;
    int axes = 0;
    one_side *sent = &blocks->sent, *received = &blocks->received;
    blocks->from = *from;
    blocks->to = *to;
    if (cut) {
        blocks->cut = *cut;
        blocks->order[axes++] = cut->axis;
    }
    for (int i = 0; i < from->axes; i++)
        if (!cut || order[i] != cut->axis)
            blocks->order[axes++] = order[i];
    *sent = (one_side){.here = &blocks->from,
                       .there = &blocks->to,
                       .group = group,
                       .rank = rank,
                       .here_blocked = flags & WEFT_FROM_BLOCKED,
                       .there_blocked = flags & WEFT_TO_BLOCKED,
                       .leave_own = flags & WEFT_LEAVE_OWN,
                       .order = blocks->order,
                       .cut = cut ? &blocks->cut : NULL};
    *received = *sent;
    received->received = true;
    received->here = sent->there;
    received->there = sent->here;
    received->here_blocked = sent->there_blocked;
    received->there_blocked = sent->here_blocked;
    if (make_side(blocks, &blocks->sent, exchange, &exchange->send, &exchange->in_elements) &&
        make_side(blocks, &blocks->received, exchange, &exchange->receive,
                  &exchange->out_elements)) {
        exchange->own_elements = block_at(&blocks->sent, exchange->rank)->elements;
        return blocks;
    }
    weft_blocks_free(blocks);
    return NULL;
}

static bool pack_side(weft_blocks *blocks, one_side *side, const weft_exchange *like, int chunks,
                      weft_traffic *traffic, const weft_block *(*at)(const weft_exchange *, int))
{
    draft d = {.axes = 1, .here = {1}};
    bool ok = (side->kept =
                   weft_new((size_t)like->ranks, sizeof *side->kept, "the blocks of an exchange"));
    for (int peer = 0; ok && peer < like->ranks; peer++) {
        d.count[0] = peer == like->rank ? 0 : weft_chunk_size(at(like, peer)->elements, chunks);
        ok = keep_block(blocks, &side->kept[peer], &d);
        d.offset += d.count[0];
        count(traffic, &side->kept[peer]);
    }
    return ok;
}

weft_blocks *weft_blocks_make_packed(weft_exchange *exchange, const weft_exchange *like, int chunks)
{
    weft_blocks *blocks = weft_new(1, sizeof *blocks, "the blocks of an exchange");
    exchange->send = exchange->receive = (weft_traffic){.contiguous = true};
    if (blocks &&
        pack_side(blocks, &blocks->sent, like, chunks, &exchange->send, weft_exchange_sent) &&
        pack_side(blocks, &blocks->received, like, chunks, &exchange->receive,
                  weft_exchange_received)) {
        exchange->own_elements = 0;
        exchange->in_elements = exchange->send.elements;
        exchange->out_elements = exchange->receive.elements;
        return blocks;
    }
    weft_blocks_free(blocks);
    return NULL;
}

const weft_block *weft_exchange_sent(const weft_exchange *exchange, int peer)
{
    return block_at(&weft_base(exchange)->blocks->sent, peer);
}

const weft_block *weft_exchange_received(const weft_exchange *exchange, int peer)
{
    return block_at(&weft_base(exchange)->blocks->received, peer);
}

void weft_blocks_free(weft_blocks *blocks)
{
    if (!blocks)
        return;
    for (weft_kept_memory *next, *at = blocks->memory; at; at = next) {
        next = at->next;
        free(at);
    }
    free(blocks->sent.kept);
    free(blocks->sent.start);
    free(blocks->received.kept);
    free(blocks->received.start);
    free(blocks);
}
