/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks compute the whole reference, and each compares its part. */
#include <stdio.h>
#include <stdlib.h>
#include "tests/mpi/dropin-parts.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/twins.h"

/* The manual: only transforms from complex numbers to real ones may destroy their input unasked. */
bool dropin_preserves(const dropin_case *it)
{
    bool to_real = it->what == DROPIN_C2R;
    for (int axis = 0; it->what == DROPIN_R2R && axis < it->rank; axis++)
        to_real |= it->kind[axis] == FFTW_HC2R;
    if (it->in_place)
        return false;
    return it->flags & FFTW_PRESERVE_INPUT || !(to_real || it->flags & FFTW_DESTROY_INPUT);
}

/* A run: what it was given, on which arrays, and what is wrong; "" if nothing. */
typedef struct {
    const dropin_case *it;
    FFTW(plan) plan;
    const dropin_reference *all;
    arrays_map side[2];
    ptrdiff_t numbers; /* of each array, as allocated */
    bool none;         /* there are no arrays on this rank */
    char *text;
} dropin_trial;

/* What is wrong after a run; the first thing found. */
static void examine(const dropin_trial *run, const weft_real *in, const weft_real *out)
{
    const dropin_reference *all = run->all;
    char *text = run->text;
    if (!arrays_right(out, &run->side[1], all->out, all->largest, text, DROPIN_TEXT))
        return;
    if (dropin_preserves(run->it) &&
        !arrays_unchanged(in, &run->side[0], all->in, text, DROPIN_TEXT))
        return;
    if ((in && !arrays_guarded(in, run->numbers)) || (out && !arrays_guarded(out, run->numbers)))
        snprintf(text, DROPIN_TEXT, "memory behind the %td numbers allocated was written",
                 run->numbers);
}

/* To their twins, and from there. */
static void push(const weft_real *in, const weft_real *out)
{
    twin_push(in);
    twin_push(out);
}

static void pull(weft_real *in, weft_real *out)
{
    twin_pull(in);
    twin_pull(out);
}

/* On the arrays of planning, or on others. */
static void execute(const dropin_trial *run, weft_real *in, weft_real *out, bool others)
{
    if (out && out != in)
        arrays_spoil(out, run->numbers);
    if (in)
        arrays_fill(in, &run->side[0], run->all->in);
    push(in, out);
    if (others)
        dropin_execute(run->it, run->plan, twin_of(in), twin_of(out));
    else
        FFTW(execute)(run->plan);
    pull(in, out);
    if (run->text[0] == '\0')
        examine(run, in, out);
}

static void execute_on_others(dropin_trial run)
{
    const int shift = run.it->new_shift;
    dropin_case it = *run.it;
    it.in_place ^= it.other_place;
    run.it = &it;
    weft_real *in = run.none ? NULL : arrays_fresh(run.numbers, shift);
    weft_real *out = run.none || it.in_place ? in : arrays_fresh(run.numbers, shift);
    execute(&run, in, out, true);
    if (out != in)
        arrays_free(out, shift);
    arrays_free(in, shift);
}

/* Flags that say that planning leaves the arrays alone. */
static bool leaves_alone(unsigned flags)
{
    return flags & (FFTW_ESTIMATE | FFTW_WISDOM_ONLY);
}

void dropin_run(const dropin_case *it, MPI_Comm comm, char text[DROPIN_TEXT])
{
    dropin_trial run = {.it = it,
                        .all = dropin_reference_of(it),
                        .side = {dropin_map(it, false, comm), dropin_map(it, true, comm)},
                        .text = text};
    run.numbers = dropin_allocation(it, comm, run.side[0].slots, run.side[1].slots);
    run.none = it->nulls && run.side[0].slots == 0 && run.side[1].slots == 0;
    weft_real *in = run.none ? NULL : arrays_fresh(run.numbers, it->shift);
    weft_real *out = run.none || it->in_place ? in : arrays_fresh(run.numbers, it->shift);
    text[0] = '\0';

    int me;
    MPI_Comm_rank(comm, &me);
    const unsigned null = it->null & 4 && me > 0 ? 0 : it->null;
    run.plan = dropin_plan(it, null & 1 ? NULL : twin_of(in), null & 2 ? NULL : twin_of(out), comm);
    pull(in, out);
    int made = run.plan != NULL, all_made;
    MPI_Allreduce(&made, &all_made, 1, MPI_INT, MPI_MIN, comm);
    if (leaves_alone(it->flags) && in &&
        !(arrays_untouched(in, run.numbers) && arrays_untouched(out, run.numbers)))
        snprintf(text, DROPIN_TEXT, "planning wrote to an array");
    else if (!all_made)
        snprintf(text, DROPIN_TEXT, made ? "a plan, but not on all ranks" : "no plan");
    if (all_made) {
        if (!it->null)
            execute(&run, in, out, false);
        if (it->null || it->new_arrays)
            execute_on_others(run);
        FFTW(destroy_plan)(run.plan);
    }
    if (out != in)
        arrays_free(out, it->shift);
    arrays_free(in, it->shift);
    free(run.side[0].global);
    free(run.side[1].global);
}

void dropin_check(const dropin_case *it, MPI_Comm comm)
{
    char name[DROPIN_TEXT], text[DROPIN_TEXT] = "";
    if (comm != MPI_COMM_NULL)
        dropin_run(it, comm, text);
    dropin_describe(it, name);
    all_true(text[0] == '\0', "%s: %s", name, text);
}

dropin_case dropin_single(const dropin_case *it, unsigned flags)
{
    dropin_case single = *it;
    single.howmany = 1;
    single.entry = DROPIN_MANY;
    single.flags |= flags;
    return single;
}

void dropin_describe(const dropin_case *it, char text[DROPIN_TEXT])
{
    static const char *const what[] = {"c2c", "r2c", "c2r", "r2r", "transpose"};
    int at = snprintf(text, DROPIN_TEXT, "%s", what[it->what]);
    for (int axis = 0; axis < it->rank; axis++)
        at += snprintf(text + at, DROPIN_TEXT - (size_t)at, "%c%td", axis ? 'x' : ' ', it->n[axis]);
    at += snprintf(text + at, DROPIN_TEXT - (size_t)at, " howmany %td blocks %td %td sign %d kinds",
                   it->howmany, it->in_block, it->out_block, it->sign);
    for (int axis = 0; axis < it->rank; axis++)
        at += snprintf(text + at, DROPIN_TEXT - (size_t)at, " %d", (int)it->kind[axis]);
    snprintf(text + at, DROPIN_TEXT - (size_t)at, " flags%s%s%s%s 0x%x%s%s%s null %u shifts %d %d",
             it->flags & FFTW_MPI_TRANSPOSED_IN ? " TRANSPOSED_IN" : "",
             it->flags & FFTW_MPI_TRANSPOSED_OUT ? " TRANSPOSED_OUT" : "",
             it->flags & FFTW_MPI_SCRAMBLED_IN ? " SCRAMBLED_IN" : "",
             it->flags & FFTW_MPI_SCRAMBLED_OUT ? " SCRAMBLED_OUT" : "", it->flags & 0x7ffffff,
             it->in_place ? " in place" : "", it->new_arrays ? " new arrays" : "",
             it->other_place ? " otherwise" : "", it->null, it->shift, it->new_shift);
}
