/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How FFTW-MPI divides arrays between ranks, and how much it tells programs to allocate. Programs
 * rely on these numbers to the last element, so they are FFTW-MPI's own, whatever Weft itself would
 * need. Pure arithmetic of (rank, ranks); the arguments have been checked.
 */
#ifndef WEFT_LOCAL_SIZE_H
#define WEFT_LOCAL_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include "backends/exchange/layout.h"

typedef struct {
    ptrdiff_t allocation; /* numbers: complex or real, as the transform's are */
    weft_span in, out;    /* of n0 and n1; one dimension: of the input and the output */
} weft_local_size;

/* ceil(n / ranks), or the block that was asked for, but no more than n. */
ptrdiff_t weft_block(ptrdiff_t n, ptrdiff_t block, int ranks);
/* What a rank holds of n indices in blocks: {0, 0} when nothing. */
weft_span weft_block_span(ptrdiff_t n, ptrdiff_t block, int rank);
/* Whether blocks of that size hold all n indices on so many ranks. */
bool weft_block_fits(ptrdiff_t n, ptrdiff_t block, int ranks);

/* Two or more dimensions. Blocks of 0 are default ones; `block1` counts only when transposed. */
weft_local_size weft_local_size_of(int axes, const ptrdiff_t *n, ptrdiff_t howmany,
                                   ptrdiff_t block0, ptrdiff_t block1, bool transposed, int rank,
                                   int ranks);

/* One dimension, divided as FFTW-MPI's algorithm wants it: n as a matrix of radix x n / radix. */
typedef struct {
    ptrdiff_t in_block, out_block;
    ptrdiff_t scrambled_in, scrambled_out; /* as in weft_problem */
    bool any; /* with so many howmany to divide, FFTW-MPI takes other blocks as well; else it
                 ignores them */
} weft_line;
/* Whether all of it is on rank 0: one rank, or a prime, which FFTW-MPI cannot divide. */
bool weft_line_whole(ptrdiff_t n, int ranks);
weft_line weft_line_of(ptrdiff_t n, ptrdiff_t howmany, int sign, bool scrambled_in,
                       bool scrambled_out, int ranks);
weft_local_size weft_local_size_line(ptrdiff_t n, ptrdiff_t howmany, int sign, bool scrambled_in,
                                     bool scrambled_out, int rank, int ranks);

#endif
