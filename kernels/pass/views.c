/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays in memory: views as callers make them, and sides, as passes use them. */
#include "kernels/pass/views.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"

void weft_box_reach(int axes, const ptrdiff_t *count, const ptrdiff_t *stride, ptrdiff_t *lowest,
                    ptrdiff_t *highest)
{
    *lowest = *highest = 0;
    for (int a = 0; a < axes; a++) {
        ptrdiff_t reach = (count[a] - 1) * stride[a];
        if (reach < 0)
            *lowest += reach;
        else
            *highest += reach;
    }
}

static bool same_strides(int axes, const weft_view_block *a, const weft_view_block *b)
{
    return memcmp(a->stride, b->stride, (size_t)axes * sizeof a->stride[0]) == 0;
}

/* The nth of the equal blocks of an entry, as an entry of one block. */
static weft_view_block single_block(const weft_view_block *block, int nth)
{
    weft_view_block alone = *block;
    alone.offset = weft_block_offset(block, nth);
    alone.array = weft_block_array(block, nth);
    alone.more = alone.array_step = 0;
    alone.offset_step = 0;
    return alone;
}

/* Counts a block as one more of the entry before it, if it continues that series. */
static bool count_with(weft_view_block *before, const weft_view_block *block)
{
    const ptrdiff_t offset_step = block->offset - weft_block_offset(before, before->more);
    const int array_step = block->array - weft_block_array(before, before->more);
    if (block->more > 0 || block->count != before->count ||
        !same_strides(WEFT_MAX_AXES, before, block) ||
        (before->more > 0 &&
         (offset_step != before->offset_step || array_step != before->array_step)))
        return false;
    before->offset_step = offset_step;
    before->array_step = array_step;
    before->more++;
    return true;
}

bool weft_view_add(weft_view *view, const weft_view_block *block)
{
    weft_view_block *blocks = (weft_view_block *)view->block;
    const int count = view->blocks;
    if (count > 0 && count_with(&blocks[count - 1], block))
        return true;
    if ((count & (count - 1)) == 0) { /* the allocated length is a power of two */
        blocks = realloc(blocks, (count ? 2 * (size_t)count : 1) * sizeof *blocks);
        if (!blocks)
            return weft_error("no memory for the %d blocks of a view", count + 1);
    }
    blocks[view->blocks++] = *block;
    view->block = blocks;
    return true;
}

static bool continues(const weft_side *side, const weft_view_block *a, const weft_view_block *b)
{
    return a->array == b->array && same_strides(side->axes, a, b) &&
           b->offset - a->offset == a->count * a->stride[side->axis];
}

/* Copies the blocks of a view. A block that continues the block before it is joined with it. */
static bool join_blocks(const weft_side *side, const weft_view *view, weft_view *joined)
{
    weft_view_block last = {0};
    bool ok = true;
    for (int p = 0; p < view->blocks; p++)
        for (int nth = 0; ok && nth <= view->block[p].more; nth++) {
            const weft_view_block block = single_block(&view->block[p], nth);
            if (block.count == 0)
                continue;
            if (last.count > 0 && continues(side, &last, &block)) {
                last.count += block.count;
                continue;
            }
            ok = last.count == 0 || weft_view_add(joined, &last);
            last = block;
        }
    return ok && weft_view_add(joined, &last);
}

/* Sets `start` and `like` of each entry, and the number of arrays. */
static void index_blocks(weft_side *side)
{
    ptrdiff_t start = 0;
    for (int p = 0; p < side->blocks; p++) {
        weft_view_block *block = &side->block[p];
        const int last = weft_block_array(block, block->more);
        const int arrays = 1 + (last > block->array ? last : block->array);
        block->start = start;
        start += block->count * (1 + (ptrdiff_t)block->more);
        side->arrays = arrays > side->arrays ? arrays : side->arrays;
        block->like = 0;
        while (block->like < p && (side->block[block->like].like != block->like ||
                                   !same_strides(side->axes, &side->block[block->like], block)))
            block->like++;
    }
}

bool weft_side_make(weft_side *side, int axes, const ptrdiff_t *count, size_t element,
                    const weft_view *view)
{
    *side = (weft_side){.axes = axes, .element = element, .axis = view->axis};
    for (int a = 0; a < axes; a++)
        side->count[a] = count[a];
    weft_view joined = {0};
    const bool ok = join_blocks(side, view, &joined);
    side->blocks = joined.blocks;
    side->block = (weft_view_block *)joined.block;
    if (ok)
        index_blocks(side);
    else
        weft_side_free(side);
    return ok;
}

bool weft_side_make_compact(weft_side *side, int axes, const int *order, const ptrdiff_t *capacity,
                            const ptrdiff_t *count, size_t element)
{
    weft_view_block block = {.count = count[0]};
    const weft_view view = {.axis = 0, .blocks = 1, .block = &block};
    ptrdiff_t stride = 1;
    for (int k = axes - 1; k >= 0; k--) {
        block.stride[order[k]] = stride;
        stride *= capacity[order[k]];
    }
    return weft_side_make(side, axes, count, element, &view);
}

void weft_side_free(weft_side *side)
{
    free(side->block);
    *side = (weft_side){0};
}

static bool has_array(const weft_side *side, int array)
{
    for (int p = 0; p < side->blocks; p++) {
        const weft_view_block *block = &side->block[p];
        const int step = block->array_step, nth = step ? (array - block->array) / step : 0;
        if (nth >= 0 && nth <= block->more && weft_block_array(block, nth) == array)
            return true;
    }
    return false;
}

bool weft_side_next_block(const weft_side *side, weft_block_at *at)
{
    if (at->nth++ < side->block[at->p].more)
        return true;
    at->nth = 0;
    return ++at->p < side->blocks;
}

/* Whether, in place, target block q is where source block p is, or in another array. */
static bool block_matches(const weft_side *source, weft_block_at p, const weft_side *target,
                          weft_block_at q, int halved)
{
    const weft_view_block *a = &source->block[p.p], *b = &target->block[q.p];
    ptrdiff_t from = (ptrdiff_t)source->element, to = (ptrdiff_t)target->element;
    if (weft_side_divided(source) && a->count != b->count)
        return false;
    if (!has_array(source, weft_block_array(b, q.nth)))
        return true;
    if (weft_block_array(a, p.nth) != weft_block_array(b, q.nth) ||
        weft_block_offset(a, p.nth) * from != weft_block_offset(b, q.nth) * to)
        return false;
    for (int k = 0; k < source->axes; k++) {
        if (k == halved ? a->stride[k] != 1 || b->stride[k] != 1
                        : source->count[k] > 1 && a->stride[k] * from != b->stride[k] * to)
            return false;
    }
    return true;
}

/* Where only one side is complex, matching rows along the halved axis begin at the same addresses,
 * and the real row is not longer than the complex one. */
bool weft_sides_match(const weft_side *source, const weft_side *target, int halved)
{
    weft_block_at p = {0}, q = {0};
    bool more, too;
    if (weft_side_divided(source) && (source->axis != target->axis || source->axis == halved))
        return false;
    do {
        if (!block_matches(source, p, target, q, halved))
            return false;
        more = weft_side_next_block(source, &p);
        too = weft_side_next_block(target, &q);
    } while (more && too);
    return more == too;
}

bool weft_sides_differ(const weft_side *source, const weft_side *target)
{
    weft_block_at p = {0}, q = {0};
    do
        if (weft_block_array(&source->block[p.p], p.nth) !=
            weft_block_array(&target->block[q.p], q.nth))
            return true;
    while (weft_side_next_block(source, &p) && weft_side_next_block(target, &q));
    return false;
}

bool weft_side_can_join_axes(const weft_side *side, int outer, int inner)
{
    if (weft_side_divided(side) && side->axis == inner)
        return false;
    for (int p = 0; p < side->blocks; p++)
        if (side->block[p].stride[outer] != side->count[inner] * side->block[p].stride[inner])
            return false;
    return true;
}

void weft_side_join_axes(weft_side *side, int outer, int inner)
{
    const ptrdiff_t times = side->count[inner];
    side->count[inner] *= side->count[outer];
    side->count[outer] = 1;
    if (side->axis != outer && side->axis != inner)
        return;
    side->axis = inner;
    if (!weft_side_divided(side)) {
        side->block[0].count = side->count[inner];
        return;
    }
    for (int p = 0; p < side->blocks; p++) {
        side->block[p].start *= times;
        side->block[p].count *= times;
    }
}

void weft_side_order(const weft_side *side, int *order)
{
    const ptrdiff_t *stride = side->block[0].stride;
    for (int a = 0; a < side->axes; a++) {
        ptrdiff_t step = side->count[a] > 1 ? labs(stride[a]) : PTRDIFF_MAX;
        int k = a;
        for (; k > 0; k--) {
            int before = order[k - 1];
            if (side->count[before] <= 1 || labs(stride[before]) >= step)
                break;
            order[k] = before;
        }
        order[k] = a;
    }
}

ptrdiff_t weft_side_elements(const weft_side *side)
{
    ptrdiff_t elements = 1;
    for (int a = 0; a < side->axes; a++)
        elements *= side->count[a];
    return elements;
}

double weft_side_bytes(const weft_side *side)
{
    return (double)weft_side_elements(side) * (double)side->element;
}
