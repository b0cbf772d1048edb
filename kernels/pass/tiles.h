/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tiles: the parts of the kept axes that a pass takes one at a time. Every axis is cut into
 * segments; a tile is one segment of each. Transformed axes are never cut; where a view is divided
 * along a kept axis, segments end where pieces end, so that a tile sees one piece only. The same
 * for all precisions.
 */
#ifndef WEFT_PASS_TILES_H
#define WEFT_PASS_TILES_H

#include "kernels/pass/side.h"

typedef struct {
    ptrdiff_t start, count;
    int from_piece, to_piece; /* 0 where the view is not divided along this axis */
    ptrdiff_t sort; /* segments of one sort have the same count and the same steps on both sides */
} weft_segment;

typedef struct {
    ptrdiff_t segments, sorts;
    weft_segment *segment;
} weft_cuts;

typedef struct {
    int axes;
    weft_cuts axis[WEFT_MAX_AXES];
    int order[WEFT_MAX_AXES]; /* how the tiles are walked, slowest first */
    ptrdiff_t tiles;
    ptrdiff_t sorts; /* of tiles: the product of the axes' */
} weft_tiling;

/* What one tile is. */
typedef struct {
    const weft_segment *segment[WEFT_MAX_AXES];
    ptrdiff_t sort;
} weft_tile;

/* Cuts the kept axes into segments of at most `extent` indices. False, with an error: no memory. */
bool weft_tiling_make(weft_tiling *tiling, const weft_side *source, const weft_side *target,
                      const bool *transformed, const ptrdiff_t *extent);
void weft_tiling_free(weft_tiling *tiling);
void weft_tiling_tile(const weft_tiling *tiling, ptrdiff_t place, weft_tile *tile);

/* Chooses extents: tiles of at most `most` elements (of the larger side), but rows that are
 * moved are at least `line` bytes long where the arrays let them, preferably `page`. */
typedef struct {
    double most;
    size_t line, page;
} weft_tile_wish;

void weft_tile_extents(const weft_side *source, const weft_side *target, const bool *transformed,
                       const weft_tile_wish *wish, ptrdiff_t *extent);

/* Halves extents until there are tiles enough for so many threads. */
void weft_tile_share(const weft_side *source, const weft_side *target, const bool *transformed,
                     int threads, ptrdiff_t *extent);

#endif
