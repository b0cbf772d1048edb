/* SPDX-License-Identifier: BSD-3-Clause */
/* Where all ranks of an exchange agree, also those that do not talk with one another. */
#ifndef WEFT_HOME_H
#define WEFT_HOME_H

#include "exchange.h"

/* The duplicate of the communicator that the exchange was created over; MPI_COMM_NULL when it was
 * only described. */
MPI_Comm weft_exchange_home(const weft_exchange *exchange);

/* Whether each of its groups is on one node. Local; the same on all ranks, also of other groups.
 * False when it was only described. */
bool weft_exchange_within_nodes(const weft_exchange *exchange);

#endif
