/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/living.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

trial living_arrays(living *plan, bool others, unsigned *state)
{
    MPI_Comm comm = MPI_COMM_NULL;
    for (int i = 0; i < FUZZ_COMMS; i++)
        if (fuzz_comms[i].number == plan->comm.number)
            comm = fuzz_comms[i].comm;
    const bool share = comm != MPI_COMM_NULL && fuzz_one_in(state, 2);
    plan->it.shared = share ? arrays_random(state, 32) : 0;
    return trial_arrays(&plan->it, others, share ? comm : MPI_COMM_SELF);
}

void living_drop(living *plan)
{
    FFTW(destroy_plan)(plan->first.plan);
    if (plan->started && plan->flight.others)
        trial_free_arrays(&plan->flight);
    trial_free_arrays(&plan->first);
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

bool trial_begin(trial *it, living *plan, unsigned *state)
{
    if (!plan->first.plan || plan->started)
        return false;
    *it = plan->first;
    if (plan->it.null || fuzz_one_in(state, 2)) {
        plan->it.other_place = fuzz_one_in(state, 4);
        *it = living_arrays(plan, true, state);
        it->plan = plan->first.plan;
    }
    it->halves = fuzz_one_in(state, 4) && !fuzz_whole;
    return true;
}

void trial_end(trial *it, int runs)
{
    fuzz_runs += runs;
    if (it->text[0])
        wrong(it->of, it->text);
    if (it->others)
        trial_free_arrays(it);
}
