/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of a problem: from this process, from the file of WEFT_WISDOM or from FFTW's
 * wisdom. Rank 0 alone looks, and what it finds counts for all.
 */
#ifndef WEFT_KNOWN_H
#define WEFT_KNOWN_H

#include "kernels/base/precision.h"
#include "planner/settings.h"
#include "planner/wisdom/decision.h"

/* Collective: what rank 0 knows of the problem, from planning with its rigor or more; false:
 * nothing. A file that cannot be used is a warning on rank 0 and nothing else. */
bool weft_known(const weft_problem *problem, const weft_environment *environment,
                const weft_settings *settings, weft_decision *decision);
/* Collective: keeps rank 0's decision, in the wisdom of all ranks, FFTW's too, and in the file. */
void weft_learn(const weft_problem *problem, const weft_environment *environment,
                const weft_settings *settings, const weft_decision *decision);

#endif
