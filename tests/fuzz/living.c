/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/living.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of memory that ranks share, where all ranks still have the communicator for that; on all of
 * them, or on some. */
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

/* The problem goes first where its communicator may. */
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

void living_wrong(const living *plan, const char *what)
{
    char name[PROBLEM_TEXT];
    problem_describe(&plan->it, name);
    fuzz_fail("%s: %s", name, what);
}

bool trial_begin(trial *it, const living *plan, unsigned *state)
{
    const problem *of = &plan->it;
    if (!plan->plan || plan->started)
        return false;
    *it = (trial){.plan = plan, .in = plan->in, .out = plan->out, .shift = of->shift};
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

void trial_fill(const trial *it)
{
    const problem *of = &it->plan->it;
    if (it->out && it->out != it->in)
        arrays_spoil(it->out, of->numbers);
    if (it->in)
        arrays_fill(it->in, &of->side[0], of->all[0]);
}

void trial_check(trial *it)
{
    const problem *of = &it->plan->it;
    const bool in_place = it->in == it->out;
    if (!it->in ||
        !arrays_right(it->out, &of->side[1], of->all[1], of->largest, it->text, PROBLEM_TEXT))
        return;
    if (problem_preserves(of, in_place) &&
        !arrays_unchanged(it->in, &of->side[0], of->all[0], it->text, PROBLEM_TEXT))
        return;
    if (!arrays_guarded(it->in, of->numbers) || !arrays_guarded(it->out, of->numbers))
        snprintf(it->text, PROBLEM_TEXT, "memory behind the %td numbers allocated was written",
                 of->numbers);
    if (problem_keeps_holes(of) &&
        (!arrays_kept_holes(it->out, &of->side[1], in_place ? &of->side[0] : NULL) ||
         (!in_place && !arrays_kept_holes(it->in, &of->side[0], NULL))))
        snprintf(it->text, PROBLEM_TEXT, "memory around a box was written");
}

void trial_must(trial *it, int done, const char *function)
{
    if (!done)
        snprintf(it->text, PROBLEM_TEXT, "%s: %.400s", function, WEFT(last_error)());
}

void trial_start(trial *it)
{
    trial_fill(it);
    trial_must(it, WEFT(execute_start)(it->plan->plan, it->in, it->out), "start");
}

void trial_finish(trial *it, unsigned questions)
{
    while (questions-- > 0)
        trial_must(it, WEFT(execute_test)(it->plan->plan) || !WEFT(last_error)()[0], "test");
    trial_must(it, WEFT(execute_finish)(it->plan->plan), "finish");
    if (!it->text[0])
        trial_check(it);
}

void *trial_run(void *of)
{
    trial *it = of;
    if (it->halves) {
        trial_start(it);
        trial_finish(it, 1);
        return NULL;
    }
    trial_fill(it);
    if (it->others)
        problem_execute(&it->plan->it, it->plan->plan, it->in, it->out);
    else
        FFTW(execute)(it->plan->plan);
    trial_check(it);
    return NULL;
}

void trial_end(trial *it, int runs)
{
    fuzz_runs += runs;
    if (it->text[0])
        living_wrong(it->plan, it->text);
    if (it->others)
        living_free_arrays(it->in, it->out, it->shift);
}
