/* SPDX-License-Identifier: BSD-3-Clause */
/* What an exchange is made of; for the files of the exchange only. */
#ifndef WEFT_EXCHANGE_PARTS_H
#define WEFT_EXCHANGE_PARTS_H

#include "backends/exchange/communicator.h"
#include "backends/exchange/exchange.h"

typedef struct {
    weft_exchange face; /* what backends see */
    int groups;
    int *leader; /* of every rank of the caller's communicator: the lowest of its group */
    int *group;
    weft_piece *pieces; /* sent, then received */
    ptrdiff_t *numbers;
    weft_communicator *communicator; /* NULL: the exchange is only described */
    weft_split *split;               /* NULL: one group */
} weft_whole_exchange;

#endif
