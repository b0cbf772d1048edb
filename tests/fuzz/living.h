/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of a sequence, and runs of them. The results are compared with the whole arrays. */
#ifndef FUZZ_LIVING_H
#define FUZZ_LIVING_H

#include "tests/fuzz/fuzz.h"

/* A plan with its arrays of planning; an unused entry if `plan` is NULL. */
typedef struct {
    problem it;
    FFTW(plan) plan;
    fuzz_comm comm; /* the program may have freed it */
    weft_real *in, *out;
    bool none;     /* this rank has no numbers and passes NULL */
    unsigned null; /* bits 0, 1: the input, the output of planning is NULL */
    trial flight;  /* the run of a plan that was started */
    bool started;
    void *workspace; /* that the program gave it */
} living;

/* Makes an array for a plan. If all ranks still have the communicator, it can be in memory that the
 * ranks share, on all ranks or some. */
weft_real *living_array(const living *plan, int shift, unsigned *state);
void living_free_arrays(weft_real *in, weft_real *out, int shift);
/* Destroys the plan, which may be in flight. */
void living_drop(living *plan);
/* Reports what is wrong with a plan. */
void living_wrong(const living *plan, const char *what);

/* Prepares a run on random arrays. Returns false if there is no plan, or it is in flight. */
bool trial_begin(trial *it, const living *plan, unsigned *state);
/* After so many runs, reports what was wrong with them. */
void trial_end(trial *it, int runs);

#endif
