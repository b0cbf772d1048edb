/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans, and runs of them whose results are compared with the whole arrays. */
#ifndef FUZZ_LIVING_H
#define FUZZ_LIVING_H

#include "tests/fuzz/fuzz.h"

/* A plan, with the arrays it was made for; none where plan is NULL. */
typedef struct {
    problem it;
    FFTW(plan) plan;
    fuzz_comm comm; /* which the user may have freed */
    weft_real *in, *out;
    bool none;     /* this rank holds nothing, and says NULL */
    unsigned null; /* bits 0, 1: made for an input, an output of NULL */
    trial flight;  /* of a plan that was started */
    bool started;
    void *workspace; /* that it was given */
} living;

/* An array for a plan. Of memory that ranks share, on all of them or on some, where all ranks still
 * have the communicator for that. */
weft_real *living_array(const living *plan, int shift, unsigned *state);
void living_free_arrays(weft_real *in, weft_real *out, int shift);
/* Destroys the plan, which may be in flight. */
void living_drop(living *plan);
/* Says what is wrong with a plan. */
void living_wrong(const living *plan, const char *what);

/* A run on arrays made up; false: there is no plan, or it is in flight. */
bool trial_begin(trial *it, const living *plan, unsigned *state);
/* After so many runs, says what was wrong with them. */
void trial_end(trial *it, int runs);

#endif
