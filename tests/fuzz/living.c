/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/living.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

weft_real *living_array(const living *plan, int shift, unsigned *state)
{
    const bool share = fuzz_one_in(state, 4) && shift == 0, all = fuzz_one_in(state, 2);
    int me;
    for (int i = 0; share && i < FUZZ_COMMS; i++) {
        if (fuzz_comms[i].number != plan->comm.number || fuzz_comms[i].comm == MPI_COMM_NULL)
            continue;
        weft_real *shared = arrays_shared(plan->it.numbers, fuzz_comms[i].comm);
        MPI_Comm_rank(fuzz_comms[i].comm, &me);
        if (all || me % 2 == 0)
            return shared;
        arrays_free(shared, 0);
    }
    return arrays_fresh(plan->it.numbers, shift);
}

void living_free_arrays(weft_real *in, weft_real *out, int shift)
{
    if (out != in)
        arrays_free(out, shift);
    arrays_free(in, shift);
}

void living_drop(living *plan)
{
    if (plan->plan)
        FFTW(destroy_plan)(plan->plan);
    if (plan->started && plan->flight.others)
        living_free_arrays(plan->flight.in, plan->flight.out, plan->flight.shift);
    living_free_arrays(plan->in, plan->out, plan->it.shift);
    free(plan->workspace);
    problem_free(&plan->it);
    memset(plan, 0, sizeof *plan);
}

static void wrong(const problem *of, const char *what)
{
    char name[PROBLEM_TEXT];
    problem_describe(of, name);
    fuzz_fail("%s: %s", name, what);
}

void living_wrong(const living *plan, const char *what)
{
    wrong(&plan->it, what);
}

bool trial_begin(trial *it, const living *plan, unsigned *state)
{
    const problem *of = &plan->it;
    if (!plan->plan || plan->started)
        return false;
    *it =
        (trial){.of = of, .plan = plan->plan, .in = plan->in, .out = plan->out, .shift = of->shift};
    it->halves = fuzz_one_in(state, 4) && !fuzz_whole;
    it->others = plan->null || fuzz_one_in(state, 2);
    if (!it->others)
        return true;
    const bool turn = fuzz_one_in(state, 4) && problem_fits_in_place(of);
    const bool in_place = of->in_place != turn;
    it->shift = of->new_shift;
    it->in = living_array(plan, it->shift, state);
    it->out = in_place ? it->in : living_array(plan, it->shift, state);
    if (plan->none) {
        living_free_arrays(it->in, it->out, it->shift);
        it->in = it->out = NULL;
    }
    return true;
}

void trial_end(trial *it, int runs)
{
    fuzz_runs += runs;
    if (it->text[0])
        wrong(it->of, it->text);
    if (it->others)
        living_free_arrays(it->in, it->out, it->shift);
}
