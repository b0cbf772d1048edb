/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of a sequence, and runs of them. The results are compared with the whole arrays. */
#ifndef FUZZ_LIVING_H
#define FUZZ_LIVING_H

#include "tests/fuzz/fuzz.h"

/* A plan and its arrays; an unused entry if there is no plan. */
typedef struct {
    problem it;
    fuzz_comm comm; /* the program may have freed it */
    trial first;    /* the plan, on the arrays of planning */
    trial flight;   /* the run of a plan that was started */
    bool started;
    void *workspace; /* that the program gave it */
} living;

/* Makes arrays for the plan, of planning or with `others` for a run. If all ranks still have the
 * communicator, they can be in memory that the ranks share, on all ranks or some. */
trial living_arrays(living *plan, bool others, unsigned *state);
/* Destroys the plan, which may be in flight. */
void living_drop(living *plan);
/* Reports what is wrong with a plan. */
void living_wrong(const living *plan, const char *what);

/* Prepares a run on random arrays. Returns false if there is no plan, or it is in flight. */
bool trial_begin(trial *it, living *plan, unsigned *state);
/* After so many runs, reports what was wrong with them. */
void trial_end(trial *it, int runs);

#endif
