/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recorded results of FFTW-MPI. The file is tests/conformance/recorded.tsv; its first lines explain
 * the rows. The tests compare Weft with them; record.c makes the file.
 */
#ifndef TESTS_RECORDED_H
#define TESTS_RECORDED_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { RECORDED_RANKS = 9, RECORDED_TEXT = 1024 };

typedef struct {
    char call[RECORDED_TEXT]; /* the function and the arguments, as text */
    bool order;               /* a row about the order of a scrambled line; else about sizes */
    bool line, transposed, many;
    int axes;
    ptrdiff_t n[4], howmany, block0, block1;
    int sign;
    unsigned flags;
    int ranks;
    /* Rows about sizes, for each rank: the allocation, then count and start of the input and, if
     * the function returns them, of the output. */
    int results;
    ptrdiff_t result[RECORDED_RANKS][5];
    /* Rows about orders; 0: FFTW-MPI makes no plan. */
    ptrdiff_t radix;
} recorded;

/* Opens the file. Returns NULL if that fails. */
FILE *recorded_open(void);
/* Reads the next row; returns false at the end. Copies comments to `comments`, or skips them if it
 * is NULL. */
bool recorded_read(FILE *file, recorded *row, FILE *comments);
/* Corrects a row where FFTW-MPI is wrong: with a block of all of n1 (FFTW's issue 174). */
void recorded_correct(recorded *row);
/* Calls the function of a row about sizes. Returns the allocation, and writes count and start of
 * the input and the output to `to`, as far as the function returns them. */
ptrdiff_t recorded_call(const recorded *row, MPI_Comm comm, ptrdiff_t to[4]);
/* Returns the index at a place of the whole array. */
ptrdiff_t recorded_index(const recorded *row, ptrdiff_t place);

#endif
