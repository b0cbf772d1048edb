/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributions made up: random tilings, and grids of all sorts, with what every rank has then. */
#ifndef DISTRIBUTIONS_H
#define DISTRIBUTIONS_H

#include "tests/mpi/arrays.h"
#include "api/weft.h"

enum { DISTRIBUTIONS_MOST_RANKS = 64 };

typedef struct {
    ptrdiff_t start[ARRAYS_RANK], count[ARRAYS_RANK];
} box;

/* Collective: one made up, and what this rank should have in it. */
weft_distribution distributions_any(unsigned *state, MPI_Comm comm, int axes, const ptrdiff_t *n,
                                    box *mine);

#endif
