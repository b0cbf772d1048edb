/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A layout says which boxes of a global array each rank owns (mostly one box) and how the boxes are
 * ordered in the rank's memory. The functions are pure arithmetic without MPI: they compute the
 * boxes of a rank in O(axes) each. Only boxes that the user's program lists are stored.
 */
#ifndef WEFT_LAYOUT_H
#define WEFT_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "backends/weft-backend.h"

/* A contiguous range of indices along one axis. */
typedef struct {
    ptrdiff_t start, count;
} weft_span;

/* A part of the global array: one span per axis. In an empty box at least one span has a count of
 * 0. */
typedef struct {
    weft_span span[WEFT_MAX_AXES];
} weft_box;

typedef enum {
    WEFT_BLOCKS,   /* `block` indices per coordinate until none are left, as FFTW divides */
    WEFT_BALANCED, /* size / extent indices each, one more for the first size % extent */
    WEFT_EVENLY    /* coordinate r begins at floor(size r / extent) */
} weft_rule;

typedef struct {
    ptrdiff_t size; /* global length */
    int grid_axis;  /* dimension of the process grid that divides this axis; -1: undivided */
    weft_rule rule;
    ptrdiff_t block; /* WEFT_BLOCKS: indices per coordinate; 0: ceil(size / extent) */
} weft_axis;

/* What a program lists for all ranks: their boxes, or the arrays around their boxes. Rank r has the
 * entries first[r] to first[r + 1] - 1. Distributions and plans share lists, and none changes one.
 */
typedef struct {
    atomic_int references;
    int ranks;
    bool several; /* a rank has no entry, or more than one */
    weft_box *box;
    ptrdiff_t *enclosing;
    int first[];
} weft_box_list;

/*
 * Ranks are numbered by their grid coordinates in row-major order; ranks beyond the grid own
 * nothing. Each grid dimension divides at most one axis, and each grid dimension of extent > 1
 * divides exactly one.
 */
typedef struct {
    int axes;
    weft_axis axis[WEFT_MAX_AXES];
    int grid_axes;
    int grid[WEFT_MAX_AXES];
    ptrdiff_t howmany;        /* contiguous elements at every point */
    int order[WEFT_MAX_AXES]; /* the axes in memory order, slowest first */
    ptrdiff_t padded; /* stored length of axis[axes - 1], which must be undivided; 0: unpadded */

    /*
     * More than 1: the `joined` slowest axes in memory are divided as if they were one axis. The
     * grid then has one dimension, and the first of these axes names that dimension in grid_axis.
     * Rank r owns a range of the rows of all joined axes together, which is up to 2 joined - 1
     * boxes:
     *
     *     axes 0 and 1 of 3 x 4 rows joined, on 4 ranks     0 0 0 1     rank 1: row 3 of the first
     *                                                       1 1 2 2     line, rows 0 and 1 of the
     *                                                       2 3 3 3     second
     */
    int joined;

    /* Not NULL: the boxes of all ranks, in any tiling; the layout then has no grid (grid_axes 0).
     * Lists must outlive the layout. */
    weft_box_list *boxes;

    /*
     * Not NULL: each box is stored inside a larger enclosing array. The elements around the box are
     * not part of the layout. `axes` sizes followed by `axes` offsets of the box describe an
     * enclosing array. Empty boxes have none. Enclosing arrays replace padding.
     *
     *     sizes 4 x 6, offsets 1 1     . . . . . .
     *                                  . 0 1 2 . .    0 to 5: the points of a box of 2 x 3
     *                                  . 3 4 5 . .    dots: elements around the box
     *                                  . . . . . .
     */
    weft_box_list *enclosing;
} weft_layout;

/* Sets an undivided layout with the axes in order and no padding. The caller then sets what
 * differs. */
void weft_layout_init(weft_layout *layout, int axes, const ptrdiff_t *size, ptrdiff_t howmany);

/* An empty list with one reference. Returns NULL with an error when memory runs out. */
weft_box_list *weft_box_list_new(int ranks);
/* weft_layout_keep adds a reference to the layout's lists; weft_layout_drop removes one, and frees
 * lists that have no other. */
void weft_layout_keep(const weft_layout *layout);
void weft_layout_drop(const weft_layout *layout);

/* Whether the listed boxes cover every point exactly once. If not, the error function has received
 * the reason. */
bool weft_boxes_tile(const weft_layout *layout);

/* A hash of everything in a layout. */
unsigned long long weft_layout_digest(const weft_layout *layout);

/* The largest element size in bytes for which the size of the whole padded array fits in ptrdiff_t;
 * 0 when even the number of elements does not fit. The caller has checked the sizes. */
size_t weft_layout_largest_element(const weft_layout *layout);

/* The given block size of the first axis that is divided by WEFT_BLOCKS; 0 when there is no such
 * axis, or the size is the default. */
ptrdiff_t weft_layout_block(const weft_layout *layout);

/* Divides the layout in rows: joins the first axes of `order`, as few as give each of `ranks` ranks
 * a row, and divides them evenly. The sizes must be set; the earlier division is overwritten. */
void weft_layout_set_rows(weft_layout *layout, const int *order, int ranks);

/* Replaces a list of one box per rank by a grid when the boxes form one; leaves other layouts
 * unchanged. */
void weft_layout_simplify(weft_layout *layout);

/* The box of a rank. For a rank with several boxes this is one substitute box with the same number
 * of elements: with joined axes, the first joined axis counts all rows and the others have one
 * index each; with a list, axis 0 counts all points. A substitute box is good only for computing
 * strides and numbers of elements. */
void weft_layout_box(const weft_layout *layout, int rank, weft_box *box);

/* weft_layout_is_single: whether each rank has one box. weft_layout_is_regular: whether each rank
 * has one box that follows from its coordinates on a grid. */
bool weft_layout_is_single(const weft_layout *layout);
bool weft_layout_is_regular(const weft_layout *layout);

/* Iterates over the non-empty boxes of a rank, in memory order. weft_boxes_next returns false after
 * the last box. */
typedef struct {
    const weft_layout *layout;
    weft_box whole;      /* the result of weft_layout_box */
    ptrdiff_t next, end; /* remaining boxes, or rows if axes are joined */
    ptrdiff_t offset; /* element of memory at which the box last returned, or its enclosing array,
                         begins */
    ptrdiff_t after;  /* the same for the box after it */
    const ptrdiff_t *enclosing,
        *next_enclosing; /* enclosing array of the last box (NULL: none), and of the next */
} weft_boxes;

weft_boxes weft_boxes_of(const weft_layout *layout, int rank);
bool weft_boxes_next(weft_boxes *boxes, weft_box *box);

/* The strides of the axes, in elements, in the memory of a rank that owns `box`, which is stored in
 * an enclosing array (NULL: none). The `howmany` elements of a point are contiguous and have no
 * entry. Returns the element of the enclosing array at which the box begins. */
ptrdiff_t weft_layout_place(const weft_layout *layout, const weft_box *box,
                            const ptrdiff_t *enclosing, ptrdiff_t *stride);
/* The enclosing array of a rank with at most one box; NULL: none. */
const ptrdiff_t *weft_layout_enclosing(const weft_layout *layout, int rank);
/* Whether each rank has the same boxes, or none, in both layouts. */
bool weft_layout_same_boxes(const weft_layout *a, const weft_layout *b, int ranks);
/* Elements in the memory of a rank, including padding and whole enclosing arrays. */
ptrdiff_t weft_layout_local_elements(const weft_layout *layout, int rank);
/* Copies a rank's elements, of `element` bytes each, from `from`, which has the same layout as
 * `to`; with `from` NULL, writes zeros. Elements of enclosing arrays outside the boxes keep their
 * values. */
void weft_layout_fill(const weft_layout *layout, int rank, size_t element, const void *from,
                      void *to);

/* Elements in memory, padding included, of a rank that owns `box` and has no enclosing array. */
ptrdiff_t weft_layout_elements(const weft_layout *layout, const weft_box *box);

/* Sets the first and last grid coordinate along `axis` whose part intersects `span`; returns false
 * when none does. With joined axes, `span` is a range of their rows. Not for layouts with a list of
 * boxes. */
bool weft_layout_meets(const weft_layout *layout, int axis, weft_span span, int *first, int *last);

/* The strides of a contiguous array of `count` elements. */
void weft_contiguous(int axes, const ptrdiff_t *count, ptrdiff_t *stride);
/* Part `part` of a span that is cut into `parts` parts as evenly as possible. */
weft_span weft_cut_span(weft_span span, int parts, int part);
/* The intersection of two spans; its count is 0 when they do not meet. */
weft_span weft_span_intersect(weft_span a, weft_span b);
/* The smallest span that contains both. */
weft_span weft_span_around(weft_span a, weft_span b);
bool weft_box_empty(int axes, const weft_box *box);
ptrdiff_t weft_box_points(int axes, const weft_box *box);
/* Sets the intersection of two boxes; returns false when it is empty. */
bool weft_box_intersect(int axes, const weft_box *a, const weft_box *b, weft_box *common);

/* Groups of ranks (groups.c): two ranks are in one group when they exchange data, directly or
 * through other ranks of the group, in an exchange from one layout to another. */

/* Sets leader[r] to the lowest rank of r's group; returns the number of groups. An idle rank is a
 * group by itself. */
int weft_groups(const weft_layout *from, const weft_layout *to, int ranks, int *leader);
/* Sets *within to whether each group of the exchange between layout[0] and layout[1] is contained
 * in a group of the exchange between other[0] and other[1]. Returns false with an error when memory
 * runs out. */
bool weft_groups_within(const weft_layout *const layout[2], const weft_layout *const other[2],
                        int ranks, bool *within);
/* The number of points that change their owner between the two layouts. */
double weft_layout_moved(const weft_layout *from, const weft_layout *to, int ranks);

#endif
