/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FFTW-MPI's distributions, found out from its manual and from tables of what it returns
 * (tests/conformance).
 *
 * The manual explains the spans. The allocation is the most that any step of FFTW-MPI's algorithms
 * might hold, whether or not the algorithm chosen takes that step. With two or more dimensions
 * these are: the input, the transposed array, and, as each of n0 and n1 may be brought together for
 * its transform by dividing all the other numbers evenly, that share, too. With one dimension: both
 * orders of the matrix, and whole blocks of it where the order is natural.
 */
#include <fftw3.h>
#include "api/local-size.h"

static ptrdiff_t larger(ptrdiff_t a, ptrdiff_t b)
{
    return a > b ? a : b;
}

/* a / b, rounded up, for a >= 0 */
static ptrdiff_t over(ptrdiff_t a, ptrdiff_t b)
{
    return a / b + (a % b != 0);
}

ptrdiff_t weft_block(ptrdiff_t n, ptrdiff_t block, int ranks)
{
    if (block == 0)
        return over(n, ranks);
    return block < n ? block : n;
}

weft_span weft_block_span(ptrdiff_t n, ptrdiff_t block, int rank)
{
    if (block == 0 || rank >= over(n, block))
        return (weft_span){0, 0};
    ptrdiff_t start = block * rank;
    return (weft_span){start, n - start < block ? n - start : block};
}

bool weft_block_fits(ptrdiff_t n, ptrdiff_t block, int ranks)
{
    return over(n, block) <= ranks;
}

/* This rank's share of n things, evenly divided. */
static ptrdiff_t share(ptrdiff_t n, int rank, int ranks)
{
    return weft_block_span(n, over(n, ranks), rank).count;
}

/* Numbers are allocated in tuples of howmany. */
static ptrdiff_t tuples(ptrdiff_t numbers, ptrdiff_t howmany)
{
    return over(numbers, howmany) * howmany;
}

weft_local_size weft_local_size_of(int axes, const ptrdiff_t *n, ptrdiff_t howmany,
                                   ptrdiff_t block0, ptrdiff_t block1, bool transposed, int rank,
                                   int ranks)
{
    if (!transposed)
        block1 = 0;
    ptrdiff_t in_block = weft_block(n[0], block0, ranks);
    ptrdiff_t out_block = weft_block(n[1], block1, ranks);
    bool whole0 = in_block == n[0], whole1 = out_block == n[1];
    weft_local_size size = {0, weft_block_span(n[0], in_block, rank),
                            weft_block_span(n[1], out_block, rank)};
    ptrdiff_t rest = 1;
    for (int axis = 2; axis < axes; axis++)
        rest *= n[axis];
    ptrdiff_t all = n[0] * n[1] * rest;
    if (howmany == 0)
        return size;

    /* Everything on rank 0: no step of the algorithm moves anything. */
    if (ranks == 1 || (whole0 && (!transposed || whole1))) {
        size.allocation = rank == 0 ? all * howmany : howmany;
        return size;
    }
    /* FFTW-MPI allocates for the default here. With a block of all of n1 that is too little for
     * rank 0, which holds the whole output, and FFTW-MPI says so of every rank (its issue 174). */
    ptrdiff_t middle = size.out.count;
    if (whole1)
        middle = larger(block1 > 0 ? middle : 0, share(n[1], rank, ranks));
    ptrdiff_t most = larger(size.in.count * n[1] * rest, middle * n[0] * rest) * howmany;
    if (!whole0 && !(transposed && whole1 && block1 == 0)) {
        for (int axis = 0; axis < 2; axis++)
            most = larger(most,
                          tuples(n[axis] * share(all / n[axis] * howmany, rank, ranks), howmany));
    }
    size.allocation = larger(most, howmany);
    return size;
}

/* The largest integer whose square is at most n. */
static ptrdiff_t root(ptrdiff_t n)
{
    ptrdiff_t low = 0, high = n < 3037000499 ? n : 3037000499;
    while (low < high) {
        ptrdiff_t middle = high - (high - low) / 2;
        if (middle <= n / middle)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The number of rows of the matrix: one a rank where that divides well, else the largest divisor of
 * n that leaves at least root(n) columns. 1 for primes, which are not divided. */
static ptrdiff_t radix_of(ptrdiff_t n, int ranks)
{
    if (n % ranks == 0 && n / ranks >= ranks)
        return ranks;
    ptrdiff_t rows = n < 4 ? 1 : n / root(n);
    while (n % rows != 0)
        rows--;
    return rows;
}

bool weft_line_whole(ptrdiff_t n, int ranks)
{
    return ranks == 1 || radix_of(n, ranks) == 1;
}

/* The matrix: `rows` for the forward transform; the backward one takes the way back. */
typedef struct {
    ptrdiff_t rows, columns;
    bool whole;  /* on rank 0 */
    bool vector; /* whole transforms of part of the howmany each */
} matrix;

static matrix matrix_of(ptrdiff_t n, ptrdiff_t howmany, int sign, bool natural, int ranks)
{
    ptrdiff_t rows = radix_of(n, ranks);
    matrix m = {rows, n / rows, weft_line_whole(n, ranks),
                ranks > 1 && natural && howmany >= ranks};
    if (sign == FFTW_BACKWARD)
        m = (matrix){m.columns, m.rows, m.whole, m.vector};
    return m;
}

weft_line weft_line_of(ptrdiff_t n, ptrdiff_t howmany, int sign, bool scrambled_in,
                       bool scrambled_out, int ranks)
{
    matrix m = matrix_of(n, howmany, sign, !scrambled_in && !scrambled_out, ranks);
    if (m.whole)
        return (weft_line){n, n, 0, 0, false};
    if (m.vector)
        return (weft_line){over(n, ranks), over(n, ranks), 0, 0, true};
    ptrdiff_t by_row = m.columns * over(m.rows, ranks), by_column = m.rows * over(m.columns, ranks);
    return (weft_line){scrambled_in ? by_column : by_row, scrambled_out ? by_row : by_column,
                       scrambled_in ? m.columns : 0, scrambled_out ? m.rows : 0, false};
}

weft_local_size weft_local_size_line(ptrdiff_t n, ptrdiff_t howmany, int sign, bool scrambled_in,
                                     bool scrambled_out, int rank, int ranks)
{
    weft_line line = weft_line_of(n, howmany, sign, scrambled_in, scrambled_out, ranks);
    weft_local_size size = {0, weft_block_span(n, line.in_block, rank),
                            weft_block_span(n, line.out_block, rank)};
    if (howmany == 0)
        return size;
    matrix m = matrix_of(n, howmany, sign, !scrambled_in && !scrambled_out, ranks);
    ptrdiff_t most = larger(1, larger(size.in.count, size.out.count));
    if (m.vector) {
        most = larger(most, over(n * share(howmany, rank, ranks), howmany));
    } else if (!m.whole) {
        ptrdiff_t by_row = m.columns * over(m.rows, ranks),
                  by_column = m.rows * over(m.columns, ranks);
        most = larger(most, scrambled_out ? weft_block_span(n, by_row, rank).count : by_row);
        most = larger(most, scrambled_in ? weft_block_span(n, by_column, rank).count : by_column);
    }
    size.allocation = most * howmany;
    return size;
}
