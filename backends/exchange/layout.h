/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts: which box of a global array each rank holds, and how that box lies in its memory. Pure
 * arithmetic: any rank's box is computed in O(axes), none is stored, and there is no MPI in here.
 */
#ifndef WEFT_LAYOUT_H
#define WEFT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include "backends/weft-backend.h"

/* A contiguous part of one axis. */
typedef struct {
    ptrdiff_t start, count;
} weft_span;

/* A part of the global array: one span an axis. Empty boxes have a count of 0 somewhere. */
typedef struct {
    weft_span span[WEFT_MAX_AXES];
} weft_box;

typedef enum {
    WEFT_BLOCKS,  /* `block` indices for each coordinate until none are left, as FFTW divides */
    WEFT_BALANCED /* size / extent each, and one more for the first size % extent */
} weft_rule;

typedef struct {
    ptrdiff_t size;  /* global length */
    int grid_axis;   /* the dimension of the process grid that divides this axis, -1: undivided */
    weft_rule rule;  /* how it is divided */
    ptrdiff_t block; /* WEFT_BLOCKS: indices a coordinate; 0: ceil(size / extent) */
} weft_axis;

/*
 * Ranks are the coordinates of the grid in row-major order; ranks beyond the grid hold nothing.
 * Every grid dimension divides at most one axis, and those of extent > 1 exactly one.
 */
typedef struct {
    int axes;
    weft_axis axis[WEFT_MAX_AXES];
    int grid_axes;
    int grid[WEFT_MAX_AXES];
    ptrdiff_t howmany;        /* contiguous elements at every point */
    int order[WEFT_MAX_AXES]; /* the axes as they lie in local memory, slowest first */
    ptrdiff_t padded; /* stored length of axis[axes - 1], which must be undivided; 0: no padding */

    /* Not NULL: the box of every rank, `boxes` of them, in any tiling; no grid then (grid_axes 0).
     * The array must live as long as the layout is used. */
    const weft_box *box;
    int boxes;
} weft_layout;

/* A layout without division: axes in order, no padding. The caller then sets what differs. */
void weft_layout_init(weft_layout *layout, int axes, const ptrdiff_t *size, ptrdiff_t howmany);

/* The same boxes, in the same order in memory. */
bool weft_layout_same(const weft_layout *a, const weft_layout *b);

/* Whether it makes sense on so many ranks, given boxes covering every point once; if not, the error
 * function has been told why. */
bool weft_layout_valid(const weft_layout *layout, int ranks);

/* A number that differs, most likely, where axes are divided differently or boxes differ. */
unsigned long long weft_layout_digest(const weft_layout *layout);

/* The most bytes that an element may have for those of the whole array, padded, to be countable; 0:
 * not even its elements are. Sizes have been checked. */
size_t weft_layout_largest_element(const weft_layout *layout);

/* Indices of a block of the axis that is divided in blocks of a given size; 0: none is. */
ptrdiff_t weft_layout_block(const weft_layout *layout);

/* The box of a rank. */
void weft_layout_box(const weft_layout *layout, int rank, weft_box *box);

/* Steps of the axes in the memory of a rank that holds `box`, in elements (howmany is the
 * innermost, of step 1). */
void weft_layout_strides(const weft_layout *layout, const weft_box *box, ptrdiff_t *stride);

/* Elements in memory, padding included, of a rank that holds `box`. */
ptrdiff_t weft_layout_elements(const weft_layout *layout, const weft_box *box);

/* The first and last rank coordinate along `axis` whose part meets `span`; false: none does. Not
 * for layouts of boxes. */
bool weft_layout_meets(const weft_layout *layout, int axis, weft_span span, int *first, int *last);

/* One of the parts into which a span is cut, as even as can be. */
weft_span weft_cut_span(weft_span span, int parts, int part);
/* The common part of two spans, with a count of 0 when there is none. */
weft_span weft_span_intersect(weft_span a, weft_span b);
bool weft_box_empty(int axes, const weft_box *box);
/* The common part of two boxes; false when there is none. */
bool weft_box_intersect(int axes, const weft_box *a, const weft_box *b, weft_box *common);

#endif
