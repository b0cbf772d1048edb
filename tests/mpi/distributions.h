/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random distributions: tilings, lists of boxes, all sorts of grids, and rows, with or without
 * enclosing arrays. This file computes which points a rank has, in memory order, independently of
 * the library.
 */
#ifndef DISTRIBUTIONS_H
#define DISTRIBUTIONS_H

#include "tests/mpi/arrays.h"
#include "api/weft.h"

enum { DISTRIBUTIONS_TEXT = 300 };

typedef struct {
    ptrdiff_t start[ARRAYS_RANK], count[ARRAYS_RANK];
} box;

/* Collective: makes a distribution of any sort. With `mine` it has one box per rank, and this
 * rank's box is written to `mine`. `map` gets the place of this rank's real numbers, `tuple` at
 * every point. `text` says what is wrong on this rank, "" if nothing. Returns NULL if the library
 * makes no distribution. */
weft_distribution distributions_side(unsigned *state, MPI_Comm comm, int axes, const ptrdiff_t *n,
                                     ptrdiff_t tuple, box *mine, arrays_map *map,
                                     char text[DISTRIBUTIONS_TEXT]);

#endif
