/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfers: the result of an exchange, computed the naive way, and buffers for the exchange. Every
 * element contains its global index. Bytes that the exchange must not change (padding, guards, the
 * input) contain a pattern. After a run all bytes of every buffer are compared.
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
    size_t in_bytes, out_bytes;      /* of the arrays without guards; equal in place */
    unsigned char *in, *out;         /* the arrays of the exchange; equal if in place */
    unsigned char *in_now, *out_now; /* the same arrays and those below, with guards */
    unsigned char *in_before, *out_before, *out_after;
    unsigned char *work; /* enough for every backend on up to 8 ranks */
    size_t work_bytes;
    char wrong[200];
} moving;

/* Local. Keeps pointers to the caller's layouts. */
void transfer_begin(moving *transfer, const weft_layout *from, const weft_layout *to,
                    size_t element, unsigned flags, MPI_Comm comm);
void transfer_end(moving *transfer);

/* A backend with a value. */
typedef struct {
    const weft_backend *backend;
    int value;
} method;

/* Collective over comm: writes every backend of the table that can do the exchange, with each of
 * its values to try. Returns their number. */
int transfer_ways(const weft_exchange *exchange, MPI_Comm comm, method *methods);

/* Collective over the exchange's ranks: prepares it with a backend and runs it so many times.
 * Returns NULL, or what is wrong on this rank. */
const char *transfer_try(moving *transfer, const weft_exchange *exchange, method used, int runs);

/* Loads a plug-in, which adds a backend to the table. */
void transfers_begin(void);

/*
 * Makes a layout from text, one word per axis in memory order: the letter of the axis ('a' is the
 * first), the dimension of the process grid that divides it, if any, then '=' for balanced parts or
 * '*' and a number for blocks. "b1 a0= c" is a pencil whose second axis varies slowest. The grid is
 * as near to square as the number of ranks allows.
 */
void transfer_layout(weft_layout *layout, const char *text, const ptrdiff_t *size,
                     ptrdiff_t howmany, int ranks);

#endif
