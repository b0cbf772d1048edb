/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tiles: the parts of the kept axes that a pass takes one at a time. Every axis is cut into spans;
 * a tile is one span of each. Transformed axes stay whole. The same for all precisions.
 *
 *      source: three pieces along y          buffer           target: one piece
 *
 *        y ->   0    |  1  |   2                                y ->
 *      x +-----------+-----+------+                           x +---------------------+
 *      | |           |     |      |                           | |                     |
 *      v |###########|#####|######| gather   +------+ scatter v |#####################|
 *        |###########|#####|######| -------> | tile | ------> |#####################|
 *        |           |     |      |          +------+           |                     |
 *        +-----------+-----+------+        transformed          +---------------------+
 *                                           along y
 *
 * Along a transformed axis (y) a tile reaches through all pieces of a view; along a kept axis (x)
 * spans end where pieces of either side end, so that a tile sees one piece of each.
 */
#ifndef WEFT_PASS_TILES_H
#define WEFT_PASS_TILES_H

#include "kernels/pass/views.h"

typedef struct {
    ptrdiff_t start, count;
    int from_piece, to_piece; /* 0 where the view is not divided along this axis */
    ptrdiff_t shape; /* spans of one shape have the same count and the same steps on both sides */
} weft_tile_span;

/* What lies in one piece of each side, cut into equal spans, the last of which may be shorter; and
 * so many more of the same length that follow it, in pieces that are alike. */
typedef struct {
    weft_tile_span whole; /* all of the first, with the shape of its spans but the last */
    ptrdiff_t part;       /* indices of a span */
    ptrdiff_t first;      /* the number of its first span */
    ptrdiff_t spans;      /* of one of them */
    ptrdiff_t more;
    ptrdiff_t last_shape;
} weft_stretch;

typedef struct {
    ptrdiff_t spans, shapes;
    int stretches;
    weft_stretch *stretch;
} weft_cuts;

typedef struct {
    int axes;
    weft_cuts axis[WEFT_MAX_AXES];
    int order[WEFT_MAX_AXES]; /* how the tiles are walked, slowest first */
    ptrdiff_t tiles;
    ptrdiff_t shapes; /* of tiles: the product of the axes' */
} weft_tiling;

/* What one tile is. */
typedef struct {
    weft_tile_span span[WEFT_MAX_AXES];
    ptrdiff_t shape;
} weft_tile;

/* Cuts the kept axes into tiles of about `most` elements (of the larger side), and enough of them
 * for so many threads. False, with an error: no memory. */
bool weft_tiling_make(weft_tiling *tiling, const weft_side *source, const weft_side *target,
                      const bool *transformed, double most, int threads);
void weft_tiling_free(weft_tiling *tiling);
void weft_tiling_tile(const weft_tiling *tiling, ptrdiff_t place, weft_tile *tile);
/* The piece of the source or the target that a tile sees; the first where it sees all of them. */
weft_piece_at weft_tile_piece(const weft_tile *tile, const weft_side *side, bool is_target);
/* Some tile of a shape; how many there are. */
ptrdiff_t weft_tiling_of_shape(const weft_tiling *tiling, ptrdiff_t shape, weft_tile *tile);

#endif
