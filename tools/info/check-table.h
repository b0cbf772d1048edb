/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of weft-info --check. */
#ifndef CHECK_TABLE_H
#define CHECK_TABLE_H

#include "api/fftw3-mpi.h"
#include "api/weft.h"
#include "tools/info/check.h"

typedef enum { SLABS, GRID, BRICKS } way;
enum { IN_PLACE = 1, SHARED = 2 }; /* SHARED: arrays of weft_alloc_real */
enum { AXES = 3, RANKS_OF_GRID = 2, MOST_BOXES = 2 * AXES, MOST_CASES = 32, RUNS = 2 };

/* A case. `kinds` has a letter for each axis: f forward, b backward, r r2c, c c2r, a digit one of
 * FFTW's r2r kinds, - no transform. */
typedef struct {
    check_group group;
    way way;
    const char *kinds;
    ptrdiff_t n[AXES], howmany;
    unsigned flags;
    int arrays;
    ptrdiff_t modes[AXES];
} check_case;

#define IN   FFTW_MPI_TRANSPOSED_IN
#define OUT  FFTW_MPI_TRANSPOSED_OUT
#define BOTH (IN | OUT)

static const check_case cases[] = {
    {CHECK_C2C, SLABS, "fff", {13, 11, 10}, 1, 0, 0, {0}},
    {CHECK_C2C, SLABS, "bbb", {12, 10, 9}, 1, 0, IN_PLACE, {0}},
    {CHECK_C2C, SLABS, "fff", {13, 11, 10}, 1, OUT, IN_PLACE, {0}},
    {CHECK_C2C, SLABS, "bbb", {12, 10, 9}, 1, IN, 0, {0}},
    {CHECK_C2C, SLABS, "ff", {17, 12}, 2, BOTH, IN_PLACE, {0}},
    {CHECK_C2C, SLABS, "bb", {9, 16}, 3, OUT, 0, {0}},
    {CHECK_C2C, SLABS, "ff", {19, 1}, 1, 0, IN_PLACE, {0}},
    {CHECK_C2C, SLABS, "fff", {8, 16, 8}, 1, FFTW_MEASURE, 0, {0}},
    {CHECK_REAL, SLABS, "ffr", {12, 11, 10}, 1, 0, 0, {0}},
    {CHECK_REAL, SLABS, "ffr", {12, 11, 16}, 1, OUT, IN_PLACE, {0}},
    {CHECK_REAL, SLABS, "fr", {15, 13}, 2, OUT, 0, {0}},
    {CHECK_REAL, SLABS, "bbc", {12, 11, 10}, 1, 0, IN_PLACE, {0}},
    {CHECK_REAL, SLABS, "bbc", {12, 11, 16}, 1, IN, 0, {0}},
    {CHECK_REAL, SLABS, "bc", {15, 13}, 2, IN, IN_PLACE, {0}},
    {CHECK_R2R, SLABS, "543", {12, 10, 9}, 1, 0, 0, {0}},
    {CHECK_R2R, SLABS, "789", {9, 12, 7}, 1, OUT, IN_PLACE, {0}},
    {CHECK_R2R, SLABS, "026", {11, 8, 10}, 2, BOTH, 0, {0}},
    {CHECK_R2R, SLABS, "21", {14, 9}, 1, IN, IN_PLACE, {0}},
    {CHECK_TRANSPOSES, SLABS, "--", {13, 9}, 1, 0, 0, {0}},
    {CHECK_TRANSPOSES, SLABS, "--", {16, 15}, 3, 0, IN_PLACE, {0}},
    {CHECK_LINES, SLABS, "f", {1260}, 1, 0, 0, {0}},
    {CHECK_LINES, SLABS, "b", {1024}, 2, 0, IN_PLACE, {0}},
    {CHECK_LINES, SLABS, "f", {1260}, 1, FFTW_MPI_SCRAMBLED_OUT, 0, {0}},
    {CHECK_LINES, SLABS, "f", {1024}, 1, FFTW_MPI_SCRAMBLED_OUT, IN_PLACE, {0}},
    {CHECK_GRIDS, GRID, "fff", {13, 11, 10}, 1, 0, 0, {0}},
    {CHECK_GRIDS, GRID, "bbb", {12, 10, 9}, 2, 0, IN_PLACE | SHARED, {0}},
    {CHECK_GRIDS, GRID, "ffr", {12, 11, 10}, 1, 0, IN_PLACE, {0}},
    {CHECK_GRIDS, GRID, "bbc", {12, 11, 16}, 1, WEFT_UNPADDED, SHARED, {0}},
    {CHECK_GRIDS, GRID, "ffr", {13, 9, 15}, 1, WEFT_TRANSPOSED_OUT, 0, {0}},
    {CHECK_GRIDS, GRID, "543", {12, 10, 9}, 1, WEFT_SAME_LAYOUT, IN_PLACE, {0}},
    {CHECK_GRIDS, GRID, "5ff", {10, 11, 12}, 1, WEFT_REVERSED, 0, {0}},
    {CHECK_GRIDS, GRID, "fff", {8, 16, 8}, 1, FFTW_MEASURE, IN_PLACE, {0}},
    {CHECK_ROWS, GRID, "fff", {13, 11, 10}, 1, WEFT_ROWS, 0, {0}},
    {CHECK_ROWS, GRID, "bbb", {12, 10, 9}, 1, WEFT_ROWS, IN_PLACE, {0}},
    {CHECK_ROWS, GRID, "ffr", {12, 11, 10}, 1, WEFT_ROWS, IN_PLACE, {0}},
    {CHECK_ROWS, GRID, "bbc", {12, 11, 16}, 1, WEFT_ROWS, 0, {0}},
    {CHECK_BRICKS, BRICKS, "fff", {13, 11, 10}, 1, 0, 0, {0}},
    {CHECK_BRICKS, BRICKS, "bbb", {12, 10, 9}, 2, 0, IN_PLACE, {0}},
    {CHECK_BRICKS, BRICKS, "ffr", {12, 11, 10}, 1, 0, 0, {0}},
    {CHECK_BRICKS, BRICKS, "bbc", {12, 11, 16}, 1, 0, 0, {0}},
    {CHECK_REDISTRIBUTION, BRICKS, "---", {13, 11, 10}, 1, 0, 0, {0}},
    {CHECK_REDISTRIBUTION, BRICKS, "---", {12, 10, 9}, 2, 0, IN_PLACE, {0}},
    {CHECK_MODES, BRICKS, "fff", {12, 15, 9}, 1, 0, 0, {8, 10, 6}},
    {CHECK_MODES, BRICKS, "bbb", {12, 15, 9}, 1, 0, IN_PLACE, {8, 10, 6}},
    {CHECK_MODES, BRICKS, "ffr", {8, 9, 10}, 1, 0, 0, {12, 14, 15}},
    {CHECK_MODES, BRICKS, "bbc", {12, 15, 18}, 1, 0, 0, {8, 10, 12}},
    {CHECK_TILES, SLABS, "fff", {45, 35, 28}, 1, 0, 0, {0}},
    {CHECK_TILES, SLABS, "fff", {45, 35, 28}, 1, OUT, IN_PLACE, {0}},
    {CHECK_TILES, GRID, "fff", {45, 35, 28}, 1, 0, 0, {0}},
    {CHECK_TILES, BRICKS, "fff", {45, 35, 28}, 1, 0, 0, {0}},
    {CHECK_TILES, SLABS, "bbc", {40, 35, 45}, 1, 0, IN_PLACE, {0}},
    {CHECK_TILES, GRID, "ffr", {40, 35, 45}, 1, WEFT_ROWS, 0, {0}},
    {CHECK_TILES, SLABS, "--", {175, 99}, 3, 0, 0, {0}},
    {CHECK_TILES, BRICKS, "---", {45, 35, 28}, 2, 0, 0, {0}},
    {CHECK_TILES, GRID, "-f-", {45, 35, 28}, 1, 0, 0, {0}},
    {CHECK_TILES, GRID, "--f", {45, 35, 28}, 1, 0, IN_PLACE, {0}},
    {CHECK_BACKENDS, SLABS, "fff", {13, 11, 10}, 1, 0, IN_PLACE, {0}},
    {CHECK_BACKENDS, GRID, "ffr", {12, 11, 10}, 1, 0, 0, {0}}};
enum { CASES = sizeof cases / sizeof *cases };

#endif
