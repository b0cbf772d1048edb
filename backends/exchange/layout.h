/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts: which boxes of a global array each rank holds, mostly one, and how these lie in its
 * memory. Pure arithmetic: a rank's boxes are computed in O(axes) each, none but a program's own is
 * stored, and there is no MPI in here.
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
    WEFT_BLOCKS,   /* `block` indices for each coordinate until none are left, as FFTW divides */
    WEFT_BALANCED, /* size / extent each, and one more for the first size % extent */
    WEFT_EVENLY    /* from floor(size r / extent) on for coordinate r */
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

    /* More than 1: so many axes, those that lie slowest in memory, are divided as if they were one,
     * by the grid's only dimension, which is said to divide the first of them. Rank r holds a range
     * of the rows of all of them together, up to 2 joined - 1 boxes:
     *
     *     axes 0 and 1 of 3 x 4 rows joined, on 4 ranks     0 0 0 1     rank 1: row 3 of the first
     *                                                       1 1 2 2     line, rows 0 and 1 of the
     *                                                       2 3 3 3     second */
    int joined;

    /* Not NULL: the boxes of every rank, in any tiling; no grid then (grid_axes 0). Each of `boxes`
     * ranks has one; or rank r those from first[r] to first[r + 1]. The arrays must live as long as
     * the layout is used. */
    const weft_box *box;
    const int *first;
    int boxes;

    /* Not NULL: each box lies in an array of its own that is larger, a room, and what is around it
     * there belongs to others. `axes` sizes and `axes` offsets of the box a room, in the order of
     * ranks and of their boxes that are not empty; rank r's are those from first_room[r] to
     * first_room[r + 1]. They take the place of padding, and must live as long as boxes.
     *
     *     sizes 4 x 6, offsets 1 1     . . . . . .
     *                                  . 0 1 2 . .    points of a box of 2 x 3; holes
     *                                  . 3 4 5 . .
     *                                  . . . . . . */
    const ptrdiff_t *room;
    const int *first_room;
    int room_ranks;
} weft_layout;

/* A layout without division: axes in order, no padding. The caller then sets what differs. */
void weft_layout_init(weft_layout *layout, int axes, const ptrdiff_t *size, ptrdiff_t howmany);

/* One that lives until it is dropped, with boxes and rooms of its own. False and an error: no
 * memory. */
bool weft_layout_copy(const weft_layout *layout, weft_layout *copy);
void weft_layout_drop(weft_layout *copy);

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

/* A layout in rows: as few of the axes as give every one of `ranks` ranks a row, the first ones of
 * `order`, divided evenly. The sizes are there already, and what is there of a division goes. */
void weft_layout_set_rows(weft_layout *layout, const int *order, int ranks);

/* Boxes that are those of a grid, one a rank, become that grid's; others stay. */
void weft_layout_simplify(weft_layout *layout);

/* The part of a rank as it lies in memory: its box. Where it may have several, one box of as many
 * elements that stands for them: of joined axes the first has all the rows, the others one index
 * each; of lists axis 0 has all points. Only strides and elements are to be had of those. */
void weft_layout_box(const weft_layout *layout, int rank, weft_box *box);

/* Whether each rank has one box; and whether it has that by its coordinates on a grid. */
bool weft_layout_is_single(const weft_layout *layout);
bool weft_layout_is_regular(const weft_layout *layout);

/* Where the points of a rank are: its boxes, one after another in memory; next is false after the
 * last. Empty boxes are left out. */
typedef struct {
    const weft_layout *layout;
    weft_box whole;      /* what weft_layout_box says */
    ptrdiff_t next, end; /* boxes, or rows, that are left */
    ptrdiff_t offset; /* where in memory that box, or its room, begins which next has given last */
    ptrdiff_t after;  /* and the one after it */
    const ptrdiff_t *room, *next_room; /* that box's room, NULL: it has none; the next one */
} weft_boxes;

weft_boxes weft_boxes_of(const weft_layout *layout, int rank);
bool weft_boxes_next(weft_boxes *boxes, weft_box *box);

/* Steps of the axes in the memory of a rank that holds `box`, in elements (howmany is the
 * innermost, of step 1). */
void weft_layout_strides(const weft_layout *layout, const weft_box *box, ptrdiff_t *stride);

/* The same of a box in a room (NULL: it has none); where in the room the box begins. */
ptrdiff_t weft_layout_place(const weft_layout *layout, const weft_box *box, const ptrdiff_t *room,
                            ptrdiff_t *stride);
/* The room of a rank that has one box at most; NULL: it has none. */
const ptrdiff_t *weft_layout_room(const weft_layout *layout, int rank);
/* Elements in the memory of a rank, with padding and all that is in rooms. */
ptrdiff_t weft_layout_held(const weft_layout *layout, int rank);
/* The most bytes an element may have for rooms to be countable, if that is less. */
ptrdiff_t weft_layout_least_in_rooms(const weft_layout *layout, ptrdiff_t least);
/* Copies a rank's elements of so many bytes, from an array like `to`, or with NULL zeros; what lies
 * between them in rooms stays. */
void weft_layout_fill(const weft_layout *layout, int rank, size_t element, const void *from,
                      void *to);

/* Elements in memory, padding included, of a rank that holds `box` and has no room. */
ptrdiff_t weft_layout_elements(const weft_layout *layout, const weft_box *box);

/* The first and last rank coordinate along `axis` whose part meets `span`, of joined axes a range
 * of their rows; false: none does. Not for layouts of boxes. */
bool weft_layout_meets(const weft_layout *layout, int axis, weft_span span, int *first, int *last);

/* How many points another rank has in the one than in the other. */
double weft_layout_moved(const weft_layout *from, const weft_layout *to, int ranks);

/* One of the parts into which a span is cut, as even as can be. */
weft_span weft_cut_span(weft_span span, int parts, int part);
/* The common part of two spans, with a count of 0 when there is none. */
weft_span weft_span_intersect(weft_span a, weft_span b);
/* The smallest span that has two. */
weft_span weft_span_around(weft_span a, weft_span b);
bool weft_box_empty(int axes, const weft_box *box);
/* The common part of two boxes; false when there is none. */
bool weft_box_intersect(int axes, const weft_box *a, const weft_box *b, weft_box *common);

/* Groups of ranks (groups.c): ranks that talk with one another in an exchange from one layout to
 * another, however indirectly, form a group. */

/* leader[r] becomes the lowest rank of r's group; the number of groups. Idle ranks are groups of
 * their own. */
int weft_groups(const weft_layout *from, const weft_layout *to, int ranks, int *leader);
/* Whether all who talk when an array goes from one layout to the other also do in another exchange.
 * False and an error: no memory. */
bool weft_groups_within(const weft_layout *const layout[2], const weft_layout *const other[2],
                        int ranks, bool *within);

#endif
