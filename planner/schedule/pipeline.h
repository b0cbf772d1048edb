/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pipelines: the order in which the steps of a schedule are run, when exchanges are cut into parts
 * so that one part moves while another is transformed. Arithmetic alone, the same on all ranks.
 */
#ifndef WEFT_PIPELINE_H
#define WEFT_PIPELINE_H

#include "planner/schedule/steps.h"

typedef enum { WEFT_RUN, WEFT_START, WEFT_FINISH } weft_deed;

typedef struct {
    weft_deed deed; /* passes run, exchanges start and finish */
    int step, part;
} weft_action;

typedef struct {
    int actions;
    weft_action *action; /* to be freed */
    int overlaps;        /* parts of passes that run while something moves */
} weft_pipeline;

/* Chooses along which axes exchanges are cut, the exchange after stage i into so many parts as
 * `parts` says (0 or 1: it is not cut), and cuts the passes around them where that is possible.
 * Exchanges through windows and in place stay whole. False and an error: no memory. */
bool weft_pipeline_cut(const weft_path *path, const int *parts, weft_steps *steps);

/* As much under way at a time as can be, or with `one_by_one` only what must be. False and an
 * error: no memory. */
bool weft_pipeline_make(const weft_steps *steps, bool one_by_one, weft_pipeline *pipeline);

#endif
