/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a problem's arrays lie: in memory of the host, or on a device. */
#ifndef WEFT_PLACE_H
#define WEFT_PLACE_H

#include "planner/problem.h"

/* Whether an array of this rank lies elsewhere than in memory of the host. Local. */
bool weft_place_concerns(const weft_problem *problem);
/* Collective, where it is so on any rank: sets the problem's device. False on every rank, with an
 * error, when arrays lie here and there, or the device cannot do what is asked for. */
bool weft_place_agreed(const char *function, weft_problem *problem);

#endif
