/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distributions made up: random tilings, lists of boxes, grids of all sorts and rows, in larger
 * arrays or not. Which points a rank holds, in the order in which they lie in its memory, is worked
 * out here, independently of the library.
 */
#ifndef DISTRIBUTIONS_H
#define DISTRIBUTIONS_H

#include "tests/mpi/arrays.h"
#include "api/weft.h"

enum { DISTRIBUTIONS_TEXT = 300 };

typedef struct {
    ptrdiff_t start[ARRAYS_RANK], count[ARRAYS_RANK];
} box;

/* Collective: a distribution of any sort, or with `mine` of one box for every rank, which is
 * written there; and where the real numbers of this rank lie, `tuple` at every point. The text says
 * what is wrong with it on this rank, "" if nothing; NULL: there is no distribution. */
weft_distribution distributions_side(unsigned *state, MPI_Comm comm, int axes, const ptrdiff_t *n,
                                     ptrdiff_t tuple, box *mine, arrays_map *map,
                                     char text[DISTRIBUTIONS_TEXT]);

#endif
