/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moves: what an exchange must do, worked out the naive way, and buffers to do it in. Every element
 * carries its global index; what the exchange must leave alone (padding, guards, the input) carries
 * a pattern; and all of every buffer is compared afterwards.
 */
#ifndef TRANSFERS_H
#define TRANSFERS_H

#include <check.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "backends/exchange/exchange.h"

enum { MOST_AXES = 8, MOST_WAYS = 64 };

typedef struct moving {
    const weft_layout *from, *to;
    size_t element;
    unsigned flags;
    int rank, ranks;
    size_t in_bytes, out_bytes;      /* of the arrays, guards not counted */
    unsigned char *in, *out;         /* what is exchanged; the same in place */
    unsigned char *in_now, *out_now; /* these, and all that follows, with their guards */
    unsigned char *in_before, *out_before, *out_after;
    unsigned char *work; /* enough for every backend on up to 8 ranks */
    size_t work_bytes;
    char wrong[200];
} moving;

/* Local. The caller's layouts are kept. */
void transfer_begin(moving *transfer, const weft_layout *from, const weft_layout *to,
                    size_t element, unsigned flags, MPI_Comm comm);
void transfer_end(moving *transfer);

/* Before a run: the arrays as they must be, the workspace of so many bytes filled with what makes
 * no sense. */
void transfer_reset(moving *transfer, size_t workspace);
/* After a run: NULL, or what is wrong. */
const char *transfer_wrong(moving *transfer, size_t workspace);

/* A backend with a value. */
typedef struct {
    const weft_backend *backend;
    int value;
} method;

/* Collective over comm: every backend of the table with each of its values worth trying, as far as
 * they can carry out the exchange; how many. */
int transfer_ways(const weft_exchange *exchange, MPI_Comm comm, method *methods);

/* Collective over the exchange's ranks: prepares it with a backend, runs it so many times, and
 * says what is wrong on this rank, or NULL. */
const char *transfer_try(moving *transfer, const weft_exchange *exchange, method used, int runs);

/* Loads a plug-in, whose backend the table then has. */
void transfers_begin(void);

/*
 * A layout from text, one word an axis in the order of memory: its letter ('a' is the first axis),
 * the dimension of the process grid that divides it if one does, then '=' for balanced parts or '*'
 * and a number for blocks. "b1 a0= c" is a pencil whose second axis varies slowest. The grid is as
 * near to square as the number of ranks allows.
 */
void transfer_layout(weft_layout *layout, const char *text, const ptrdiff_t *size,
                     ptrdiff_t howmany, int ranks);

#endif
