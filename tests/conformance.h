/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the tables recorded from FFTW-MPI, in tests/conformance. */
#ifndef TESTS_CONFORMANCE_H
#define TESTS_CONFORMANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TABLE_LINE = 4096, TABLE_FIELDS = 12 };

/* NULL when it cannot be read. */
FILE *table_open(const char *name);
/* The fields of the next row that is no comment, in `line`; 0 at the end. */
int table_row(FILE *file, char line[TABLE_LINE], char *field[TABLE_FIELDS]);

/* A row of local_size.tsv. Sizes and results come in the order of the function's arguments. */
typedef struct {
    bool line, transposed, many; /* a 1-d function, a transposed one, one with blocks and howmany */
    int axes;
    ptrdiff_t n[4], howmany, block0, block1;
    int sign;
    bool scrambled_in, scrambled_out;
    int ranks, rank;
    int results;
    ptrdiff_t result[5];
} size_row;

void size_row_read(char *field[TABLE_FIELDS], int fields, size_row *row);

#endif
