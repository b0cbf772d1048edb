/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chains: the plan of campaign for a problem, in terms of layouts alone. A chain is a row of
 * stages; in each the array lies in some layout, and the axes that are whole there are transformed.
 * Between two stages lies an exchange. Slabs, the distributed 1-d transform and process grids
 * differ only in their chains: the schedule (schedule.h) is made from any chain by the same code.
 */
#ifndef WEFT_CHAIN_H
#define WEFT_CHAIN_H

#include "layout.h"
#include "problem.h"

enum { WEFT_MAX_STAGES = 2 * WEFT_MAX_AXES };

/* `before` and `after` give a rank the same box, but for the sizes of an axis that r2c or c2r
 * transforms, and for the order in memory, which the stage's pass may change. */
typedef struct {
    weft_layout before, after;
    bool real_before, real_after; /* numbers are real, else complex */
    weft_kind kind[WEFT_MAX_AXES];
    weft_twiddle twiddle; /* n 0: none; its starts are those of the rank's box */
} weft_stage;

typedef struct {
    int stages;
    weft_stage stage[WEFT_MAX_STAGES];
} weft_chain;

/* The chain for a problem over slabs; false and an error when there is none. Pure arithmetic, the
 * same on all ranks. */
bool weft_chain_slab(const weft_problem *problem, weft_chain *chain);

/* Whether anything is transformed in a stage: only then a pass is needed. */
bool weft_stage_transforms(const weft_stage *stage);

#endif
