/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two sides of a pass: views that have been checked, without empty pieces, in which neighbours
 * that are one strided array have been joined, and others that are alike told once. The same for
 * all precisions.
 */
#ifndef WEFT_PASS_SIDE_H
#define WEFT_PASS_SIDE_H

#include "kernels/pass/spec.h"

typedef struct {
    int axes;
    ptrdiff_t count[WEFT_MAX_AXES]; /* on this side: size / 2 + 1 where it is half-complex */
    size_t element;
    int axis;   /* the divided one */
    int pieces; /* as they are told: each may stand for more */
    int arrays; /* the highest array of a piece, and one */
    weft_view_piece *piece;
    ptrdiff_t *start; /* of each piece along the divided axis */
    int *like;        /* the first piece that has the same strides */
} weft_side;

/* Adds a piece to a view that owns its pieces; one like those that were added last, as far away
 * from the last as these from one another, becomes one more of them. False: no memory. */
bool weft_view_add(weft_view *view, const weft_view_piece *piece);
/* The nth of those that are alike, by itself. */
weft_view_piece weft_piece_alone(const weft_view_piece *piece, int nth);

/* Whether a side has more than one piece. */
static inline bool weft_side_divided(const weft_side *side)
{
    return side->pieces > 1 || side->piece[0].more > 0;
}

/* Makes a side from a view; `name` is for the error. False: the view does not cover the counts or
 * reaches beyond any address, or there is no memory. */
bool weft_side_make(weft_side *side, const char *name, int axes, const ptrdiff_t *count,
                    size_t element, const weft_view *view);
/* One compact array, the axes in the order of strides of `like`. */
bool weft_side_make_compact(weft_side *side, const weft_side *like, const ptrdiff_t *count,
                            size_t element);
bool weft_side_copy(weft_side *side, const weft_side *from);
void weft_side_free(weft_side *side);

/* One of the pieces that a side has: of what is told as piece p the nth. */
typedef struct {
    int p, nth;
} weft_piece_at;

/* Where it begins along the divided axis. */
static inline ptrdiff_t weft_side_start(const weft_side *side, weft_piece_at at)
{
    return side->start[at.p] + at.nth * side->piece[at.p].count;
}

/* Goes on to the next one; false: there is none. */
bool weft_side_walk(const weft_side *side, weft_piece_at *at);

/* Whether, in place, the result for any part of the kept axes goes just where that part is read.
 * `halved` is the axis of r2c or c2r, or -1. Pieces of the result may lie in other arrays
 * than where they are read, in which then nothing is read. */
bool weft_sides_match(const weft_side *source, const weft_side *target, int halved);
/* Whether any pieces do, of sides that match. */
bool weft_sides_differ(const weft_side *source, const weft_side *target);

/* Whether the steps of two axes are those of one longer axis, and no piece begins within the inner
 * axis. */
bool weft_side_are_one(const weft_side *side, int outer, int inner);
/* Makes the inner axis that longer one; of the outer axis a single index stays. */
void weft_side_make_one(weft_side *side, int outer, int inner);

/* Axes sorted by their steps, largest first; those of one index come first of all. */
void weft_side_order(const weft_side *side, int *order);

/* Lowest and highest offset of a box of so many indices, in elements, its first index at 0. */
void weft_box_reach(int axes, const ptrdiff_t *count, const ptrdiff_t *stride, ptrdiff_t *lowest,
                    ptrdiff_t *highest);

ptrdiff_t weft_side_elements(const weft_side *side);
double weft_side_bytes(const weft_side *side);

#endif
