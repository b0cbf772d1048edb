/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of libfftw3, which does not know MPI, with Weft's plans; and its threads. */
#include "api/fftw3-mpi.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/pass/libfftw3.h"
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"

/* Returns a plan; its arrays stay until the next call. */
static FFTW(plan) plan_of(const dropin_case *it)
{
    enum { NUMBERS = 4000 };
    static weft_real in[NUMBERS], out[NUMBERS];
    return dropin_plan(it, in, it->in_place ? in : out, MPI_COMM_WORLD);
}

TEST(plans_have_operations_and_a_cost, .to = 2 * DROPIN_SAMPLES)
{
    dropin_case it = dropin_single(&dropin_samples[_i % DROPIN_SAMPLES],
                                   _i < DROPIN_SAMPLES ? FFTW_ESTIMATE : FFTW_MEASURE);
    FFTW(plan) plan = plan_of(&it);
    double adds = -1, muls = -1, fmas = -1, all = 0;
    all_true(plan, "no plan");
    FFTW(flops)(plan, &adds, &muls, &fmas);
    const double cost = FFTW(cost)(plan), estimate = FFTW(estimate_cost)(plan);
    FFTW(destroy_plan)(plan);
    double sum = adds + muls + fmas;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const bool transforms = it.what != DROPIN_TRANSPOSE;
    all_true(adds >= 0 && muls >= 0 && fmas >= 0 && estimate >= sum, "%g %g %g, estimate %g", adds,
             muls, fmas, estimate);
    all_true(transforms ? all > 0 : all == 0, "%g operations in all", all);
    all_true(cost > 0 || (cost == 0 && _i < DROPIN_SAMPLES && sum == 0), "the cost is %g", cost);
}

/* Whether fftw_fprint_plan prints the text of fftw_sprint_plan. */
static bool printed_alike(FFTW(plan) plan, const char *text)
{
    char *printed;
    size_t length;
    FILE *file = open_memstream(&printed, &length);
    FFTW(fprint_plan)(plan, file);
    fclose(file);
    const bool alike = strcmp(printed, text) == 0;
    free(printed);
    return alike;
}

static void check_printed(const dropin_case *it, const char *division)
{
    char name[DROPIN_TEXT], head[64];
    FFTW(plan) plan = plan_of(it);
    all_true(plan, "no plan");
    char *text = FFTW(sprint_plan)(plan);
    const bool alike = printed_alike(plan, text);
    const int begun = occurrences(text, "("), ended = occurrences(text, ")");
    const int exchanges = occurrences(text, "\n  (exchange ");
    const int passes = occurrences(text, "\n  (pass ");
    dropin_describe(it, name);
    snprintf(head, sizeof head, "(weft-%s", division);
    all_true(strncmp(text, head, strlen(head)) == 0, "%s: not %s, but %s", name, division, text);
    all_true(begun == ended && begun == 1 + exchanges + passes, "%s: %s", name, text);
    all_true(ranks == 1 || exchanges > 0, "%s: no exchange in %s", name, text);
    all_true(rank > 0 || it->what == DROPIN_TRANSPOSE || strstr(text, "(pass fft "),
             "%s: no pass in %s", name, text);
    all_true(alike, "%s: fftw_fprint_plan does not print %s", name, text);
    free(text);
    FFTW(destroy_plan)(plan);
}

TEST(plans_print_their_schedule, .to = DROPIN_SAMPLES)
{
    char division[32];
    dropin_case it = dropin_single(&dropin_samples[_i], FFTW_ESTIMATE);
    if (it.rank > 2)
        it.n[0] = it.n[1] = ranks; /* enough for slabs on all ranks */
    snprintf(division, sizeof division, "slab-%d\n", ranks);
    check_printed(&it, division);
}

TEST(plans_print_the_pencils_they_go_through)
{
    char grid[32], division[64];
    dropin_case it = dropin_single(&dropin_samples[2], FFTW_ESTIMATE);
    if (ranks == 1)
        return; /* one rank has no pencils */
    snprintf(grid, sizeof grid, "%dx%d", ranks % 2 ? ranks : ranks / 2, ranks % 2 ? 1 : 2);
    snprintf(division, sizeof division, "slab-%d-through-%s\n", ranks, grid);
    setenv("WEFT_GRID", grid, 1);
    check_printed(&it, division);
    unsetenv("WEFT_GRID");
}

/* Unknown signs mean FFTW_BACKWARD; flags without a meaning are ignored. */
TEST(signs_and_flags_that_fftw_mpi_ignores_are_ignored, .to = 4)
{
    static const int signs[] = {5, 0, INT_MIN, FFTW_FORWARD};
    static const unsigned flags[] = {1U << 23, 1U << 26, 1U << 22 | 1U << 24 | 1U << 25, 0};
    for (int which = 0; which < DROPIN_SAMPLES; which++) {
        dropin_case it = dropin_single(&dropin_samples[which], FFTW_ESTIMATE | flags[_i]);
        it.sign = signs[_i];
        if (_i == 3 && rank == 0) /* on one rank only: out of place the flag is the default */
            it.flags |= dropin_preserves(&it) ? FFTW_PRESERVE_INPUT | 1U << 24 : 0;
        dropin_check(&it, MPI_COMM_WORLD);
    }
}

#if defined(HAVE_FFTW_THREADS) && !defined(WEFT_SINGLE) && !defined(WEFT_LONG_DOUBLE)
/* Orders in which a program may ask for threads: t for fftw_init_threads, i for fftw_mpi_init, n
 * for fftw_plan_with_nthreads, p for a plan before the rest. The first is the manual's. */
static const char *const orders[] = {"tin", "itn", "tni", "tn", "intn", "iptn", "ptin"};

extern int FFTW(planner_nthreads)(void) __attribute__((weak));

/* Each process asks alone, so many ranks try fewer orders. */
static int few_orders(void)
{
    return ranks > 2 ? 3 : NUMBER(orders);
}

TEST(threads_may_be_asked_for_before_init_and_after, .count = few_orders)
{
    const dropin_case plain = dropin_single(&dropin_samples[0], FFTW_ESTIMATE);
    for (const char *step = orders[_i]; *step; step++) {
        if (*step == 't')
            FFTW(init_threads)();
        if (*step == 'i')
            FFTW(mpi_init)();
        if (*step == 'n')
            FFTW(plan_with_nthreads)(2);
        if (*step == 'p')
            dropin_check(&plain, MPI_COMM_WORLD);
    }
    const int threads = weft_planner_threads();
    for (int which = 0; which < DROPIN_SAMPLES; which++) {
        dropin_case it =
            dropin_single(&dropin_samples[which], which % 4 ? FFTW_ESTIMATE : FFTW_MEASURE);
        it.howmany = 1 + which % 2;
        dropin_check(&it, MPI_COMM_WORLD);
    }
    FFTW(mpi_cleanup)();
    FFTW(cleanup_threads)();
    const int without = weft_planner_threads();
    dropin_check(&plain, MPI_COMM_WORLD);
    const int asked = FFTW(planner_nthreads) ? 2 : 1; /* FFTW has this function since 3.3.9 */
    all_true(threads == asked && without == 1, "%s: %d threads, and %d after cleaning up",
             orders[_i], threads, without);
}
#endif
