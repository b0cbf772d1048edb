/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a chain to the flow of its data: the steps, what each reads and writes, how large the arrays
 * in between are, and with which flags its exchanges are made. Arithmetic alone, the same on all
 * ranks.
 */
#ifndef WEFT_FLOW_H
#define WEFT_FLOW_H

#include "buffers.h"
#include "chain.h"

typedef struct {
    int steps;
    int stage[WEFT_MAX_STEPS];      /* of a pass its stage, of an exchange the one before it */
    unsigned flags[WEFT_MAX_STEPS]; /* of an exchange */
    bool is_exchange[WEFT_MAX_STEPS];
    weft_buffers buffers;
    size_t work_bytes[2]; /* the parts of the workspace that hold arrays */
} weft_steps;

/* False and an error when the chain is too long. */
bool weft_flow_steps(const weft_chain *chain, const weft_problem *problem, size_t real_bytes,
                     weft_steps *steps);

#endif
