/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of a problem's plan; the results are compared with the whole arrays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/harness.h"
#include "tests/mpi/problems.h"
#include "tests/mpi/twins.h"

void trial_fill(const trial *it)
{
    const problem *of = it->of;
    if (it->out && it->out != it->in)
        arrays_spoil(it->out, of->numbers);
    if (it->in)
        arrays_fill(it->in, &of->side[0], of->all[0]);
    twin_push(it->in);
    twin_push(it->out);
}

static bool holes_kept(const problem *of, const weft_real *in, const weft_real *out)
{
    return arrays_kept_holes(out, &of->side[1], in == out ? &of->side[0] : NULL) &&
           (in == out || arrays_kept_holes(in, &of->side[0], NULL));
}

void trial_check(trial *it)
{
    const problem *of = it->of;
    const bool in_place = it->in == it->out;
    twin_pull(it->in);
    twin_pull(it->out);
    if (!it->in ||
        !arrays_right(it->out, &of->side[1], of->all[1], of->largest, it->text, PROBLEM_TEXT) ||
        (problem_preserves(of, in_place) &&
         !arrays_unchanged(it->in, &of->side[0], of->all[0], it->text, PROBLEM_TEXT)))
        return;
    if (!arrays_guarded(it->in, of->numbers) || !arrays_guarded(it->out, of->numbers))
        snprintf(it->text, PROBLEM_TEXT, "memory behind the %td numbers allocated was written",
                 of->numbers);
    if (problem_keeps_holes(of) && !holes_kept(of, it->in, it->out))
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
    trial_must(it, WEFT(execute_start)(it->plan, twin_of(it->in), twin_of(it->out)), "start");
}

void trial_finish(trial *it, unsigned questions)
{
    while (questions-- > 0)
        trial_must(it, WEFT(execute_test)(it->plan) || !WEFT(last_error)()[0], "test");
    trial_must(it, WEFT(execute_finish)(it->plan), "finish");
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
        problem_execute(it->of, it->plan, twin_of(it->in), twin_of(it->out));
    else
        FFTW(execute)(it->plan);
    trial_check(it);
    return NULL;
}

/* All ranks make shared memory together, even if some do not use it. */
trial trial_arrays(const problem *of, bool others, MPI_Comm comm)
{
    trial it = {.of = of, .others = others, .shift = others ? of->new_shift : of->shift};
    const bool turned = others && of->other_place && problem_fits_in_place(of);
    const bool in_place = of->in_place != turned,
               none = of->nulls && of->side[0].slots == 0 && of->side[1].slots == 0;
    weft_real *array[2] = {NULL, NULL};
    int me;
    MPI_Comm_rank(comm, &me);
    for (int i = 0; i < (in_place ? 1 : 2); i++) {
        const bool share = of->shared >> (2 * others + i) & 1;
        array[i] = share ? arrays_shared(of->numbers + it.shift, comm) + it.shift : NULL;
        if (none || (of->shared & 16 && me % 2)) {
            arrays_free(array[i], it.shift);
            array[i] = NULL;
        }
        if (!none && !array[i])
            array[i] = arrays_fresh(of->numbers, it.shift);
    }
    it.in = array[0];
    it.out = in_place ? array[0] : array[1];
    it.halves = of->halves;
    return it;
}

void trial_free_arrays(trial *it)
{
    if (it->out != it->in)
        arrays_free(it->out, it->shift);
    arrays_free(it->in, it->shift);
}

char *problem_setting(const char *name, const char *value)
{
    char *before = getenv(name) ? strdup(getenv(name)) : NULL;
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
    return before;
}

bool trial_plan(trial *it, MPI_Comm comm)
{
    const problem *of = it->of;
    char *before = of->backend ? problem_setting("WEFT_BACKEND", of->backend) : NULL;
    int me, made, all_made;
    MPI_Comm_rank(comm, &me);
    const unsigned null = of->null & 4 && me > 0 ? 0 : of->null;
    /* a rank without output may pass any pointer, also where other ranks plan in place */
    void *out = it->in == it->out && of->side[1].slots == 0 ? (void *)64 : twin_of(it->out);
    it->plan = problem_plan(of, null & 1 ? NULL : twin_of(it->in), null & 2 ? NULL : out, comm);
    if (of->backend)
        free(problem_setting("WEFT_BACKEND", before));
    free(before);
    twin_pull(it->in);
    twin_pull(it->out);
    made = it->plan != NULL;
    MPI_Allreduce(&made, &all_made, 1, MPI_INT, MPI_MIN, comm);
    if (made && !all_made)
        snprintf(it->text, PROBLEM_TEXT, "a plan, but not on all ranks");
    else if (!made && !of->may_fail)
        snprintf(it->text, PROBLEM_TEXT, "no plan: %.400s", WEFT(last_error)());
    else if (it->in && (!made || problem_estimates(of)) &&
             !(arrays_untouched(it->in, of->numbers) && arrays_untouched(it->out, of->numbers)))
        snprintf(it->text, PROBLEM_TEXT, "planning wrote to an array");
    else if (it->in && problem_keeps_holes(of) && !holes_kept(of, it->in, it->out))
        snprintf(it->text, PROBLEM_TEXT, "planning wrote around a box");
    return all_made;
}

void problem_try(problem *it, MPI_Comm comm, char text[PROBLEM_TEXT])
{
    if (!problem_fits_device(it)) {
        problem_free(it);
        return;
    }
    trial first = trial_arrays(it, false, comm), second = {.in = NULL};
    const bool made = trial_plan(&first, comm);
    if (made && !it->null)
        trial_run(&first);
    if (made && (it->null || it->new_arrays)) {
        second = trial_arrays(it, true, comm);
        second.plan = first.plan;
        trial_run(&second);
    }
    if (!text[0])
        snprintf(text, PROBLEM_TEXT, "%s", first.text[0] ? first.text : second.text);
    trial_free_arrays(&second);
    FFTW(destroy_plan)(first.plan);
    trial_free_arrays(&first);
    problem_free(it);
}

void kept_arrays(kept_plan *my, bool shared, MPI_Comm comm)
{
    my->of.shared = shared ? 3 : 0;
    my->run = trial_arrays(&my->of, false, comm);
}

void kept_make(kept_plan *my, bool shared, MPI_Comm comm)
{
    kept_arrays(my, shared, comm);
    trial_plan(&my->run, comm);
}

bool kept_works(kept_plan *my)
{
    my->run.text[0] = '\0';
    if (my->run.plan)
        trial_run(&my->run);
    return my->run.plan && !my->run.text[0];
}

void kept_drop(kept_plan *my)
{
    FFTW(destroy_plan)(my->run.plan);
    trial_free_arrays(&my->run);
    problem_free(&my->of);
}

void refused(bool made, const char *says)
{
    all_true(!made && strstr(WEFT(last_error)(), says), "%s, \"%s\", not \"%s\"",
             made ? "made" : "not made", WEFT(last_error)(), says);
}

void dropin_check(const dropin_case *asked, MPI_Comm comm)
{
    char name[DROPIN_TEXT], text[PROBLEM_TEXT] = "";
    problem it;
    dropin_describe(asked, name);
    if (!harness_wanted(name))
        return;
    if (comm != MPI_COMM_NULL) {
        problem_on_slabs(&it, asked, comm);
        problem_try(&it, comm, text);
    }
    all_true(!text[0], "%s: %s", name, text);
}

void grids_check(const grids_case *asked, MPI_Comm comm)
{
    char name[GRIDS_TEXT], text[PROBLEM_TEXT] = "";
    problem it;
    grids_describe(asked, name);
    if (!harness_wanted(name))
        return;
    if (comm != MPI_COMM_NULL && problem_on_grid(&it, asked, comm, text))
        problem_try(&it, comm, text);
    all_true(!text[0], "%s: %s", name, text);
}
