/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An account of an exchange between simulated ranks: what every rank has before and after, and
 * which elements travel from each to each. Taken point by point from layouts.h, without the code
 * under test.
 */
#ifndef TEST_ACCOUNT_H
#define TEST_ACCOUNT_H

#include "backends/exchange/exchange.h"
#include "tests/layouts.h"

enum { MOST_RANKS = 13, MOST_ELEMENTS = 4000, CAPACITY = 4 * MOST_ELEMENTS };
enum { PADDING = -1, UNTOUCHED = -2 };

/* What every rank should have: arrays of global indices, and the elements that go from each to
 * each. */
typedef struct {
    int ranks;
    ptrdiff_t *in[MOST_RANKS], *out[MOST_RANKS], *expected[MOST_RANKS];
    ptrdiff_t *sent[MOST_RANKS][MOST_RANKS]; /* in the order in which they travel */
    ptrdiff_t count[MOST_RANKS][MOST_RANKS];
} account;

/* A case: the exchange and how it is described in messages. */
typedef struct {
    weft_layout from, to;
    unsigned flags;
    int ranks;
    char text[1100];
} exchange_case;

/* Fills in the text. */
void name_case(exchange_case *c);

void take_account(const exchange_case *c, account *a);
void close_account(account *a);

/* Where the element of a block lies that travels as number n. */
ptrdiff_t walk(const weft_block *block, ptrdiff_t n);
/* The block of an exchange that is for a rank, or from it; NULL: none. */
const weft_block *block_for(const weft_exchange *e, int rank);
const weft_block *block_from(const weft_exchange *e, int rank);

/* Moves a block from rank r to rank s: within both arrays, to where nothing has been written. The
 * blocks must be contiguous where they say so. */
void carry(const exchange_case *c, account *a, weft_exchange **e, int r, int s,
           const weft_block *send, const weft_block *receive);

/* Ranks that can reach one another, each over others if need be. */
void reach(const account *a, bool (*reached)[MOST_RANKS]);

#endif
