/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tiles. A sweep works on one tile after another. Every axis is cut into spans; a tile is one span
 * of each axis. Transformed axes are not cut. The same code serves all precisions.
 *
 *      source: three blocks along y          buffer           target: one block
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
 * Along a transformed axis (y) a tile reaches through all blocks of a view. Along a kept axis (x)
 * spans end where blocks of either side end, so that a tile is in one block of each side.
 */
#ifndef WEFT_PASS_TILES_H
#define WEFT_PASS_TILES_H

#include "kernels/pass/views.h"

typedef struct {
    ptrdiff_t start, count;
    int from_block, to_block; /* 0 where the view is not divided along this axis */
    ptrdiff_t shape; /* spans of one shape have equal counts, and equal strides on both sides */
} weft_tile_span;

/* A part of an axis that is in one block of each side, cut into equal spans, the last of which may
 * be shorter. It also stands for `more` parts of the same length that follow, in equal blocks. */
typedef struct {
    weft_tile_span whole; /* the first part, with the shape of all its spans except the last */
    ptrdiff_t part;       /* indices of a span */
    ptrdiff_t first;      /* number of its first span */
    ptrdiff_t spans;      /* number of spans in one part */
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
    int order[WEFT_MAX_AXES]; /* order in which tiles are visited, the slowest axis first */
    ptrdiff_t tiles;
    ptrdiff_t shapes; /* of tiles: the product of the numbers of shapes of all axes */
} weft_tiling;

/* One tile. */
typedef struct {
    weft_tile_span span[WEFT_MAX_AXES];
    ptrdiff_t shape;
} weft_tile;

/* Cuts the kept axes into tiles of about `most` elements of the larger side, and into enough tiles
 * for the threads. Returns false, with an error, if there is no memory. */
bool weft_tiling_make(weft_tiling *tiling, const weft_side *source, const weft_side *target,
                      const bool *transformed, double most, int threads);
void weft_tiling_free(weft_tiling *tiling);
void weft_tiling_tile(const weft_tiling *tiling, ptrdiff_t place, weft_tile *tile);
/* The block of the source or the target in which a tile is; the first block if the tile reaches
 * through all. */
weft_block_at weft_tile_block(const weft_tile *tile, const weft_side *side, bool is_target);
/* Finds a tile of a shape and returns the number of tiles of this shape. */
ptrdiff_t weft_tiling_of_shape(const weft_tiling *tiling, ptrdiff_t shape, weft_tile *tile);

#endif
