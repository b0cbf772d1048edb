/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views: the blocks and strides of arrays in local memory. A caller describes an array by a
 * weft_view; a pass checks the view and stores it as a weft_side. The same code serves all
 * precisions.
 */
#ifndef WEFT_PASS_VIEWS_H
#define WEFT_PASS_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include "kernels/copy/copy.h"

/*
 * A view divides one axis into blocks. Each block has its own place in memory and its own strides;
 * an ordinary strided array is one block. Counts, offsets and strides are in elements of that side:
 * complex numbers if the side is complex, otherwise real numbers. There may be as many blocks as
 * ranks. Most blocks have the same count and strides and equal distances, so one entry stands for
 * all of these:
 *
 *     | 0 | 1 | 2 | ... | 997 |998|     two entries: 0, with 997 more like it; and 998, shorter
 */
typedef struct {
    ptrdiff_t count;  /* number of indices of the divided axis in this block */
    int array;        /* index of its array among the arrays passed to weft_pass_run */
    ptrdiff_t offset; /* offset of the first element in that array */
    ptrdiff_t stride[WEFT_MAX_AXES]; /* of every axis */
    int more;                        /* number of equal blocks that follow; each of them is */
    int array_step;                  /* this many arrays */
    ptrdiff_t offset_step;           /* and this many elements after the one before */
    ptrdiff_t start;                 /* in a side: the first index along the divided axis, */
    int like;                        /* and the first entry with the same strides */
} weft_view_block;

typedef struct {
    int axis; /* the divided axis */
    int blocks;
    const weft_view_block *block; /* weft_pass_create copies these */
} weft_view;

/* Offset and array of the nth of the equal blocks that an entry stands for. */
static inline ptrdiff_t weft_block_offset(const weft_view_block *block, ptrdiff_t nth)
{
    return block->offset + nth * block->offset_step;
}

static inline int weft_block_array(const weft_view_block *block, ptrdiff_t nth)
{
    return block->array + (int)nth * block->array_step;
}

/* Adds a block to a view that owns its blocks. If the block continues the series of the last entry,
 * it is counted there. Returns false if there is no memory. */
bool weft_view_add(weft_view *view, const weft_view_block *block);

/* One side of a pass, its source or its target: a checked view without empty blocks, in which
 * neighbouring blocks that form one strided array are joined. */
typedef struct {
    int axes;
    ptrdiff_t count[WEFT_MAX_AXES]; /* counts on this side: size / 2 + 1 along the axis of r2c or
                                       c2r if the side is complex */
    size_t element;                 /* bytes */
    int axis;                       /* the divided axis */
    int blocks;                     /* number of entries; each may stand for several equal blocks */
    int arrays;                     /* the highest array index of a block, plus one */
    weft_view_block *block;
} weft_side;

/* Whether a side has more than one block. */
static inline bool weft_side_divided(const weft_side *side)
{
    return side->blocks > 1 || side->block[0].more > 0;
}

/* Makes a side from a view that covers the counts. False, with an error: there is no memory. */
bool weft_side_make(weft_side *side, int axes, const ptrdiff_t *count, size_t element,
                    const weft_view *view);
/* Makes one array whose axes are in this order, the slowest first. Its strides leave space for
 * `capacity` indices of each axis. */
bool weft_side_make_compact(weft_side *side, int axes, const int *order, const ptrdiff_t *capacity,
                            const ptrdiff_t *count, size_t element);
void weft_side_free(weft_side *side);

/* Identifies one block of a side: the nth of the equal blocks of entry p. */
typedef struct {
    int p, nth;
} weft_block_at;

/* The first index of a block along the divided axis. */
static inline ptrdiff_t weft_side_start(const weft_side *side, weft_block_at at)
{
    return side->block[at.p].start + at.nth * side->block[at.p].count;
}

/* Advances to the next block; returns false after the last. */
bool weft_side_next_block(const weft_side *side, weft_block_at *at);

/* Whether a pass in place can write every tile over the memory from which it was read. `halved` is
 * the axis of r2c or c2r, or -1. A target block may also be in an array that has no source block.
 */
bool weft_sides_match(const weft_side *source, const weft_side *target, int halved);
/* Whether some blocks of matching sides are in different arrays. */
bool weft_sides_differ(const weft_side *source, const weft_side *target);

/* Whether two axes form one longer axis: their strides fit and no block begins within the inner
 * one. */
bool weft_side_can_join_axes(const weft_side *side, int outer, int inner);
/* Joins two such axes: the inner one becomes the longer axis, the outer one keeps one index. */
void weft_side_join_axes(weft_side *side, int outer, int inner);

/* Sorts the axes by stride, largest first. Axes of one index come first of all. */
void weft_side_order(const weft_side *side, int *order);

/* Lowest and highest offset, in elements, of a box whose first index is at 0. */
void weft_box_reach(int axes, const ptrdiff_t *count, const ptrdiff_t *stride, ptrdiff_t *lowest,
                    ptrdiff_t *highest);

ptrdiff_t weft_side_elements(const weft_side *side);
double weft_side_bytes(const weft_side *side);

#endif
