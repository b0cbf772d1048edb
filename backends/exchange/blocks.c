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
 * Blocks are computed on request and not stored: on very many ranks they would take more memory
 * than the array. The start of a packed block depends on all blocks before it, so the starts of
 * packed blocks are stored when the exchange is made.
 *
 * If ranks have several boxes, a block has one region for each pair of boxes that intersect, in the
 * order of the sender's boxes, then of the receiver's.
 */
#include "backends/exchange/blocks.h"

#include <stdlib.h>
#include "kernels/base/memory.h"

typedef struct {
    weft_box box;
    ptrdiff_t begin; /* where the box begins in memory */
    ptrdiff_t stride[WEFT_MAX_AXES];
} located_box;

/* A region of a block: its axes in travel order, with the strides at this rank and at the peer. */
typedef struct {
    weft_block block; /* with the counts and strides that follow */
    ptrdiff_t count[WEFT_MAX_AXES], here[WEFT_MAX_AXES], there[WEFT_MAX_AXES];
} region;

/* The blocks that this rank sends, or those that it receives. */
typedef struct {
    weft_boxes mine; /* the boxes of this rank */
    int at;          /* the group rank whose block was requested last */
    int regions;     /* of this block */
    int most;        /* of any block: the length of the next array */
    region *region;
    ptrdiff_t *start; /* [ranks + 1] of packed blocks, and the end; NULL: they are not packed */
} one_side;

/* Of each pair the first is of the source and of sent blocks, the second of the target and of
 * received blocks. */
struct weft_blocks {
    weft_layout layout[2];
    bool blocked[2]; /* the array on that side consists of packed blocks */
    one_side side[2];
    bool bare;          /* there are no layouts, only the starts of contiguous blocks */
    bool leave_own;     /* the own block is empty, but its space stays */
    const int *group;   /* the peers, numbered as in the layouts */
    int rank;           /* this rank, numbered likewise */
    weft_layout travel; /* of packed blocks: the axes in travel order */
    weft_cut cut;       /* 0 parts: the whole array travels */
};

static const ptrdiff_t zero = 0, one = 1;
static const weft_block nothing = {.axes = 1, .count = &zero, .stride = &one, .contiguous = true};

/* Drops axes with one index and joins adjacent axes; at least one axis stays. Returns how many. */
static int collapse(region *it, int axes)
{
    int kept = 0;
    for (int i = 0; i < axes; i++) {
        if (it->count[i] == 1)
            continue;
        const bool joined = kept > 0 && it->here[kept - 1] == it->count[i] * it->here[i] &&
                            it->there[kept - 1] == it->count[i] * it->there[i];
        const ptrdiff_t outer = joined ? it->count[--kept] : 1;
        it->count[kept] = outer * it->count[i];
        it->here[kept] = it->here[i];
        it->there[kept] = it->there[i];
        kept++;
    }
    if (kept == 0)
        it->count[kept] = it->here[kept] = it->there[kept] = 1, kept++;
    return kept;
}

static void locate_box(const weft_boxes *boxes, located_box *it)
{
    it->begin =
        boxes->offset + weft_layout_place(boxes->layout, &it->box, boxes->enclosing, it->stride);
}

/* Sets the region that a box of the source and a box of the target share. */
static void set_region(const weft_blocks *blocks, bool received, const located_box box[2],
                       const weft_box *common, region *it)
{
    const int axes = blocks->layout[0].axes;
    const one_side *side = &blocks->side[received];
    const located_box *here = &box[received], *there = &box[!received];
    ptrdiff_t offset = here->begin;
    for (int i = 0; i < axes; i++) {
        const int a = blocks->travel.order[i];
        it->count[i] = common->span[a].count;
        it->here[i] = here->stride[a];
        it->there[i] = there->stride[a];
        offset += (common->span[a].start - here->box.span[a].start) * here->stride[a];
    }
    it->count[axes] = blocks->layout[0].howmany;
    it->here[axes] = it->there[axes] = 1;
    if (blocks->blocked[received]) {
        weft_contiguous(axes + 1, it->count, it->here);
        offset = side->start[side->at];
    }
    if (blocks->blocked[!received])
        weft_contiguous(axes + 1, it->count, it->there);
    it->block = (weft_block){.offset = offset, .axes = collapse(it, axes + 1)};
}

/* Intersects two boxes, and the part of the sender's box that the exchange moves. Returns false
 * when no elements are shared. */
static bool intersect(const weft_blocks *blocks, const weft_box *source, const weft_box *target,
                      weft_box *common)
{
    const weft_cut *cut = &blocks->cut;
    if (!weft_box_intersect(blocks->layout[0].axes, source, target, common))
        return false;
    if (cut->parts == 0)
        return true;
    weft_span *span = &common->span[cut->axis];
    *span =
        weft_span_intersect(*span, weft_cut_span(source->span[cut->axis], cut->parts, cut->part));
    return span->count > 0;
}

/* Sets the regions of a block, as far as there is memory for them, and their number. */
static void find_regions(const weft_blocks *blocks, bool received, one_side *side)
{
    const int peer = blocks->group[side->at];
    located_box box[2];
    weft_box common;
    const weft_boxes theirs = weft_boxes_of(&blocks->layout[!received], peer);
    weft_boxes target, source = received ? theirs : side->mine;
    while (weft_boxes_next(&source, &box[0].box)) {
        target = received ? side->mine : theirs;
        while (weft_boxes_next(&target, &box[1].box)) {
            if (!intersect(blocks, &box[0].box, &box[1].box, &common) ||
                side->regions++ >= side->most)
                continue;
            locate_box(&source, &box[0]);
            locate_box(&target, &box[1]);
            set_region(blocks, received, box, &common, &side->region[side->regions - 1]);
        }
    }
}

/* Completes a region's block. A block counts the elements of its region and of the next regions. */
static void complete(region *it, const weft_block *next)
{
    weft_block *block = &it->block;
    block->count = it->count;
    block->stride = it->here;
    block->elements = 1;
    block->contiguous = !next;
    block->next = next;
    for (int i = block->axes - 1; i >= 0; i--) {
        block->contiguous &= it->count[i] <= 1 || it->here[i] == block->elements;
        block->elements *= it->count[i];
    }
    block->elements += next ? next->elements : 0;
}

static const weft_block *compute_block(weft_blocks *blocks, bool received, int peer)
{
    one_side *side = &blocks->side[received];
    const weft_block *block = NULL;
    side->at = peer;
    side->regions = blocks->bare;
    if (blocks->bare)
        *side->region = (region){.block = {.axes = 1, .offset = side->start[peer]},
                                 .count = {side->start[peer + 1] - side->start[peer]},
                                 .here = {1}};
    else
        find_regions(blocks, received, side);
    for (int i = side->regions - 1; i >= 0 && side->regions <= side->most; i--) {
        complete(&side->region[i], block);
        block = &side->region[i].block;
    }
    return block ? block : &nothing;
}

static const weft_block *block_at(weft_blocks *blocks, bool received, int peer)
{
    const one_side *side = &blocks->side[received];
    if (blocks->leave_own && blocks->group[peer] == blocks->rank)
        return &nothing;
    if (side->at != peer)
        return compute_block(blocks, received, peer);
    return side->regions > 0 ? &side->region[0].block : &nothing;
}

static bool allocate_regions(one_side *side, int regions)
{
    free(side->region);
    side->region = weft_new((size_t)regions, sizeof *side->region, "the blocks of an exchange");
    side->most = side->region ? regions : 0;
    return side->region;
}

static bool allocate_starts(one_side *side, int ranks)
{
    side->start = weft_new((size_t)ranks + 1, sizeof *side->start, "the starts of blocks");
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

/* Computes all blocks of a side once, in the order of ranks, to allocate memory for the most
 * regions, to store the starts, and to sum up the traffic; *reach becomes the number of elements of
 * the array. Returns false when memory runs out. */
static bool make_side(weft_blocks *blocks, bool received, const weft_exchange *exchange,
                      weft_traffic *traffic, ptrdiff_t *reach)
{
    one_side *side = &blocks->side[received];
    *traffic = (weft_traffic){.contiguous = true};
    side->mine = weft_boxes_of(&blocks->layout[received], blocks->rank);
    if (blocks->blocked[received] && !allocate_starts(side, exchange->ranks))
        return false;
    if (side->start)
        side->start[0] = blocks->cut.base;
    for (int peer = 0; peer < exchange->ranks; peer++) {
        const weft_block *block = compute_block(blocks, received, peer);
        if (side->regions > side->most) {
            if (!allocate_regions(side, side->regions))
                return false;
            block = compute_block(blocks, received, peer);
        }
        if (side->start)
            side->start[peer + 1] = side->start[peer] + block->elements;
        if (peer != exchange->rank)
            count(traffic, block);
    }
    *reach = side->start ? side->start[exchange->ranks]
                         : weft_layout_local_elements(&blocks->layout[received], blocks->rank);
    return true;
}

weft_blocks *weft_blocks_make(weft_exchange *exchange, const int *group, const weft_layout *from,
                              const weft_layout *to, unsigned flags, const weft_cut *cut)
{
    weft_blocks *blocks = weft_new(1, sizeof *blocks, "the blocks of an exchange");
    if (!blocks)
        return NULL;
    const int *order = flags & WEFT_TRAVEL_TO ? to->order : from->order;
    int axes = 0;
    *blocks = (weft_blocks){.layout = {*from, *to},
                            .blocked = {flags & WEFT_FROM_BLOCKED, flags & WEFT_TO_BLOCKED},
                            .leave_own = flags & WEFT_LEAVE_OWN,
                            .group = group,
                            .rank = group[exchange->rank],
                            .travel = *from};
    blocks->travel.padded = 0;
    if (cut) {
        blocks->cut = *cut;
        blocks->travel.order[axes++] = cut->axis;
    }
    for (int i = 0; i < from->axes; i++)
        if (!cut || order[i] != cut->axis)
            blocks->travel.order[axes++] = order[i];
    if (make_side(blocks, false, exchange, &exchange->send, &exchange->in_elements) &&
        make_side(blocks, true, exchange, &exchange->receive, &exchange->out_elements)) {
        exchange->own_elements = block_at(blocks, false, exchange->rank)->elements;
        return blocks;
    }
    weft_blocks_free(blocks);
    return NULL;
}

static bool pack_side(weft_blocks *blocks, bool received, const weft_exchange *like, int chunks,
                      weft_traffic *traffic)
{
    one_side *side = &blocks->side[received];
    *traffic = (weft_traffic){.contiguous = true};
    if (!allocate_regions(side, 1) || !allocate_starts(side, like->ranks))
        return false;
    for (int peer = 0; peer < like->ranks; peer++) {
        const ptrdiff_t all = block_at(weft_base(like)->blocks, received, peer)->elements,
                        chunk = peer == like->rank ? 0 : weft_chunk_size(all, chunks);
        side->start[peer + 1] = side->start[peer] + chunk;
        count(traffic, compute_block(blocks, received, peer));
    }
    return true;
}

weft_blocks *weft_blocks_make_packed(weft_exchange *exchange, const weft_exchange *like, int chunks)
{
    weft_blocks *blocks = weft_new(1, sizeof *blocks, "the blocks of an exchange");
    if (!blocks)
        return NULL;
    blocks->bare = true;
    if (pack_side(blocks, false, like, chunks, &exchange->send) &&
        pack_side(blocks, true, like, chunks, &exchange->receive)) {
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
    return block_at(weft_base(exchange)->blocks, false, peer);
}

const weft_block *weft_exchange_received(const weft_exchange *exchange, int peer)
{
    return block_at(weft_base(exchange)->blocks, true, peer);
}

bool weft_exchange_packed_block(const weft_exchange *exchange, bool received, int rank, int peer,
                                weft_box *box, ptrdiff_t *offset, ptrdiff_t *stride)
{
    const weft_blocks *blocks = weft_base(exchange)->blocks;
    const one_side *side = &blocks->side[received];
    const bool here = rank == exchange->rank;
    weft_box box_of_rank = side->mine.whole, theirs;
    bool some = false;
    if (!here)
        weft_layout_box(&blocks->layout[received], blocks->group[rank], &box_of_rank);
    *offset = here ? side->start[peer] : 0;
    for (int i = here ? peer : 0; i <= peer; i++) {
        weft_layout_box(&blocks->layout[!received], blocks->group[i], &theirs);
        some = weft_box_intersect(blocks->travel.axes, &box_of_rank, &theirs, box);
        if (some && i < peer)
            *offset += weft_box_points(blocks->travel.axes, box) * blocks->travel.howmany;
    }
    if (some)
        weft_layout_place(&blocks->travel, box, NULL, stride);
    stride[blocks->travel.axes] = 1;
    return some;
}

const weft_layout *weft_exchange_layouts(const weft_exchange *exchange)
{
    return weft_base(exchange)->blocks->layout;
}

void weft_blocks_free(weft_blocks *blocks)
{
    for (int i = 0; blocks && i < 2; i++) {
        free(blocks->side[i].region);
        free(blocks->side[i].start);
    }
    free(blocks);
}
