/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What FFTW-MPI returns, as recorded in tests/conformance/recorded.tsv, whose head explains its
 * rows. The tests compare Weft with them; record.c makes them anew.
 */
#ifndef TESTS_RECORDED_H
#define TESTS_RECORDED_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { RECORDED_RANKS = 9, RECORDED_TEXT = 1024 };

typedef struct {
    char call[RECORDED_TEXT]; /* the function and the arguments, as they are written */
    bool order;               /* a row on the order of a scrambled line; else on sizes */
    bool line, transposed, many;
    int axes;
    ptrdiff_t n[4], howmany, block0, block1;
    int sign;
    bool scrambled_in, scrambled_out;
    int ranks;
    /* Rows on sizes, for each rank: the allocation, then count and start of the input and, where
     * the function says it, of the output. */
    int results;
    ptrdiff_t result[RECORDED_RANKS][5];
    /* Rows on orders: 0 where FFTW-MPI makes no plan. */
    ptrdiff_t radix;
} recorded;

/* NULL when it cannot be read. */
FILE *recorded_open(void);
/* The next row; false at the end. Comments are skipped, or go to `comments` if that is not NULL. */
bool recorded_read(FILE *file, recorded *row, FILE *comments);
/* Puts what is right in a row where FFTW-MPI is wrong: with a block of all of n1 its issue 174. */
void recorded_correct(recorded *row);
/* Calls the function of a row on sizes, and returns what it does: the allocation, and count and
 * start of the input and the output in `to`, as far as it says them. */
ptrdiff_t recorded_call(const recorded *row, MPI_Comm comm, ptrdiff_t to[4]);
/* The index that belongs at a place of the whole array. */
ptrdiff_t recorded_index(const recorded *row, ptrdiff_t place);

#endif
