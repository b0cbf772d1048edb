/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of problems, across ranks: rank 0 looks into its wisdom and tells the others.
 * Collective; a file that cannot be used is a warning on rank 0 and nothing else.
 */
#ifndef WEFT_KNOWLEDGE_H
#define WEFT_KNOWLEDGE_H

#include "planner/wisdom/decision.h"

/* What is known for the problem, from planning with its rigor or more; false: nothing. */
bool weft_known(const weft_problem *problem, const weft_environment *environment,
                const weft_settings *settings, weft_decision *decision);
/* Keeps a decision, in the wisdom of all ranks and in the file. */
void weft_learn(const weft_problem *problem, const weft_environment *environment,
                const weft_settings *settings, const weft_decision *decision);

#endif
