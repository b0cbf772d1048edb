/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a chain to the flow of its data: the steps, what each reads and writes, how large the arrays
 * in between are, and with which flags its exchanges are made. Arithmetic alone, the same on all
 * ranks.
 */
#ifndef WEFT_FLOW_H
#define WEFT_FLOW_H

#include "planner/schedule/buffers.h"
#include "planner/path/path.h"
#include "backends/exchange/exchange.h"

typedef struct {
    int steps;
    int stage[WEFT_MAX_STEPS];      /* of a pass its stage, of an exchange the one before it */
    unsigned flags[WEFT_MAX_STEPS]; /* of an exchange */
    bool is_exchange[WEFT_MAX_STEPS];
    bool remote[WEFT_MAX_STEPS]; /* an exchange through a window, which is but a barrier: */
    bool put[WEFT_MAX_STEPS];    /* the pass before writes into the parts of the others; else the
                                    pass after reads them */
    /* Of an exchange through a window that brings all back where an earlier one took it from: that
     * one's step; 0: it is none. The pass in between writes where it reads, which no other rank
     * does, so that both need one region of the window. */
    int back_to[WEFT_MAX_STEPS];
    /* Of an exchange through a window after a first, or before a last pass that only copies: the
     * own piece does not take part, for the pass after reads it in the input, or the pass before
     * writes it to the output. */
    bool own_is_in[WEFT_MAX_STEPS], own_is_out[WEFT_MAX_STEPS];
    /* And what others read or write need not be copied either on a rank that shares the array:
     * the copy, which the pass is there for on the other ranks, lies as the array does. */
    bool lent[WEFT_MAX_STEPS];
    size_t window_bytes[WEFT_MAX_STEPS]; /* of it, what any rank puts there at the most */
    /* How steps are cut, see pipeline.h; every step has one part at least. */
    weft_cut cut[WEFT_MAX_STEPS]; /* of an exchange */
    int parts[WEFT_MAX_STEPS];
    bool with_before[WEFT_MAX_STEPS]; /* a pass is cut as the exchange before it is, */
    bool with_after[WEFT_MAX_STEPS];  /* and as the one after it */
    /* With little memory: an exchange within the output array, see inside.h; its passes write where
     * they read. */
    bool inside[WEFT_MAX_STEPS];
    bool in_place; /* the input and the output are one array */
    weft_buffers buffers;
    size_t work_bytes[2]; /* the parts of the workspace that hold arrays */
} weft_steps;

/* Whether the exchange after a stage can go through a window: one side must be a view. */
bool weft_flow_may_be_remote(const weft_path *path, int stage, int ranks);

/* The steps, when the exchanges after the stages that `remote` names go through a window. A stage
 * next to such an exchange is a pass even when it transforms nothing. False and an error when the
 * chain is too long. */
bool weft_flow_steps(const weft_path *path, const weft_problem *problem, size_t real_bytes,
                     const bool *remote, weft_steps *steps);

#endif
