/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces: the intersection of this rank's box with another's, as a strided region of this rank's
 * memory. Both ends go through the same steps with the same numbers, so that axes are dropped (one
 * index) and collapsed (both ends can walk two as one) alike: O(axes) a piece.
 */
#include <string.h>
#include "backends/exchange/pieces.h"

/* A piece while it is being made: its axes in travel order, with the steps at both ends. */
typedef struct {
    int axes;
    ptrdiff_t count[WEFT_MAX_AXES], here[WEFT_MAX_AXES], there[WEFT_MAX_AXES];
} draft;

void weft_contiguous(int axes, const ptrdiff_t *count, ptrdiff_t *stride)
{
    ptrdiff_t step = 1;

    for (int i = axes - 1; i >= 0; i--) {
        stride[i] = step;
        step *= count[i];
    }
}

/* Drops axes of one index and joins adjacent ones; at least one stays. */
static void collapse(draft *d)
{
    int kept = 0;

    for (int i = 0; i < d->axes; i++) {
        if (d->count[i] == 1)
            continue;
        if (kept > 0 && d->here[kept - 1] == d->count[i] * d->here[i] &&
            d->there[kept - 1] == d->count[i] * d->there[i]) {
            kept--;
            d->count[kept] *= d->count[i];
        } else {
            d->count[kept] = d->count[i];
        }
        d->here[kept] = d->here[i];
        d->there[kept] = d->there[i];
        kept++;
    }
    if (kept == 0)
        d->count[kept] = d->here[kept] = d->there[kept] = 1, kept++;
    d->axes = kept;
}

static bool is_contiguous(const draft *d)
{
    ptrdiff_t step = 1;

    for (int i = d->axes - 1; i >= 0; i--) {
        if (d->count[i] > 1 && d->here[i] != step)
            return false;
        step *= d->count[i];
    }
    return true;
}

static void set(weft_piece *piece, const draft *d, ptrdiff_t offset, ptrdiff_t *numbers)
{
    memcpy(numbers, d->count, (size_t)d->axes * sizeof *numbers);
    memcpy(numbers + d->axes, d->here, (size_t)d->axes * sizeof *numbers);
    piece->elements = 1;
    for (int i = 0; i < d->axes; i++)
        piece->elements *= d->count[i];
    piece->offset = offset;
    piece->count = numbers;
    piece->stride = numbers + d->axes;
    piece->axes = d->axes;
    piece->contiguous = is_contiguous(d);
}

static const draft nothing = {.axes = 1, .count = {0}, .here = {1}, .there = {1}};

weft_span weft_cut_span(weft_span span, int parts, int part)
{
    const ptrdiff_t least = span.count / parts, more = span.count % parts;
    const ptrdiff_t start = part * least + (part < more ? part : more);
    return (weft_span){span.start + start, least + (part < more)};
}

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
static weft_span part_of(const weft_direction *dir, const weft_box *here, const weft_box *there,
                         const weft_box *common)
{
    const int axis = dir->cut->axis;
    const weft_span span = common->span[axis],
                    part = weft_cut_span((dir->cut_here ? here : there)->span[axis],
                                         dir->cut->parts, dir->part);
    const ptrdiff_t start = span.start > part.start ? span.start : part.start;
    const ptrdiff_t end = span.start + span.count < part.start + part.count
                              ? span.start + span.count
                              : part.start + part.count;
    return (weft_span){start, end > start ? end - start : 0};
}

/* Takes the draft's first axis, the cut one, down to a part of it; false: nothing is left. */
static bool cut_draft(const weft_direction *dir, const weft_box *here, const weft_box *there,
                      const weft_box *common, draft *d, ptrdiff_t *offset)
{
    const weft_span part = part_of(dir, here, there, common);
    *offset += (part.start - common->span[dir->cut->axis].start) * d->here[0];
    d->count[0] = part.count;
    return part.count > 0;
}

/* The draft of what two boxes share, and where in this rank's memory it begins: in a block of its
 * own, or in the whole. False when nothing of it is to be moved. */
static bool share(const weft_direction *dir, const weft_box *here, const weft_box *there,
                  const weft_box *common, draft *d, ptrdiff_t *offset)
{
    int axes = dir->here->axes;
    ptrdiff_t here_stride[WEFT_MAX_AXES], there_stride[WEFT_MAX_AXES];

    weft_layout_strides(dir->here, here, here_stride);
    weft_layout_strides(dir->there, there, there_stride);
    *offset = 0;
    for (int i = 0; i < axes; i++) {
        int a = dir->order[i];

        d->count[i] = common->span[a].count;
        d->here[i] = here_stride[a];
        d->there[i] = there_stride[a];
        *offset += (common->span[a].start - here->span[a].start) * here_stride[a];
    }
    d->axes = axes + 1;
    d->count[axes] = dir->here->howmany;
    d->here[axes] = d->there[axes] = 1;
    if (dir->here_blocked) {
        weft_contiguous(d->axes, d->count, d->here);
        *offset = 0;
    }
    if (dir->there_blocked)
        weft_contiguous(d->axes, d->count, d->there);
    if (dir->cut && !cut_draft(dir, here, there, common, d, offset))
        return false;
    collapse(d);
    return true;
}

static ptrdiff_t block(const weft_direction *dir, const weft_box *common)
{
    ptrdiff_t elements = dir->here->howmany;
    for (int axis = 0; axis < dir->here->axes; axis++)
        elements *= common->span[axis].count;
    return elements;
}

int weft_piece_numbers(int axes)
{
    return 2 * (axes + 1);
}

ptrdiff_t weft_pieces(const weft_direction *dir, int rank, const int *group, int ranks,
                      weft_piece *piece, ptrdiff_t *numbers, ptrdiff_t *blocks)
{
    int axes = dir->here->axes;
    ptrdiff_t total = 0;
    weft_box here;

    const bool stacked = dir->stacked && dir->here_blocked;
    weft_layout_box(dir->here, rank, &here);
    *blocks = stacked ? dir->cut->base : 0;
    for (int i = 0; i < ranks; i++, numbers += weft_piece_numbers(axes)) {
        weft_box there, common;
        draft d = nothing;
        ptrdiff_t offset = 0;

        weft_layout_box(dir->there, group[i], &there);
        const bool talk =
            dir->here->howmany > 0 && weft_box_intersect(axes, &here, &there, &common);
        if (talk && stacked)
            common.span[dir->cut->axis] = part_of(dir, &here, &there, &common);
        if (!talk || !share(dir, &here, &there, &common, &d, &offset) ||
            (dir->leave_own && group[i] == rank)) {
            d = nothing;
            offset = 0;
        } else if (dir->here_blocked) {
            offset += *blocks;
        }
        set(&piece[i], &d, offset, numbers);
        *blocks += talk ? block(dir, &common) : 0;
        total += piece[i].elements;
    }
    return total;
}
