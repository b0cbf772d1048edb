/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators under watch, and exchanges that need them. */
#ifndef COMMUNICATORS_H
#define COMMUNICATORS_H

#include <check.h>
#include <mpi.h>
#include <stdbool.h>
#include "backends/exchange/exchange.h"
#include "tests/mpi/watch.h"

/* How many of them there are. */
#define communicators watch_alive(WATCH_COMMUNICATOR)

enum {
    CONTEXTS = 2100,  /* more than MPICH has */
    MOST_KEPT = 1 + 8 /* the duplicate, and the splits kept for later */
};

/* Slabs of one axis to slabs of the other on the first `used` ranks; with fewer than all there is
 * more than one group. */
weft_exchange *plan_exchange(MPI_Comm comm, int used);
/* Sends every peer a number, over what the exchange says: whether all is as it should be. */
bool exchange_works(const weft_exchange *e);

/* The tests of very many. */
void add_thousands(TCase *tests);

#endif
