/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planning as a whole: all ranks make the same schedule in every attempt, by timing or by wisdom.
 * Planning ends in time, and if a rank cannot plan, no rank has a plan.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/clock.h"
#include "planner/handle.h"
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"
#include "planner/plan.h"
#include "planner/search/search.h"
#include "api/weft.h"
#include "planner/wisdom/wisdom.h"

enum { NUMBERS = 60000 };

static weft_real in[NUMBERS], out[NUMBERS];

/* Returns how this rank divides the array and its decision, without times; the caller frees it. */
static char *decision_of(FFTW(plan) plan)
{
    const weft_plan *it = weft_handle_plan(plan);
    char text[WEFT_DECISION_TEXT] = "nothing", *both = NULL;
    if (it->schedule) {
        const weft_decision decision = weft_search_decision(it->schedule, 0);
        weft_decision_write(&decision, text);
    }
    return asprintf(&both, "%s, %s", it->shape, text) < 0 ? NULL : both;
}

/* Whether all ranks have the text of rank 0. */
static bool same_everywhere(const char *text)
{
    char first[WEFT_DECISION_TEXT] = "";
    snprintf(first, sizeof first, "%s", text);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    return strcmp(first, text) == 0;
}

/* Sizes that divide evenly, so that all ranks have the same passes. */
static dropin_case problem(int which, unsigned flags)
{
    static const dropin_case kinds[] = {
        {.what = DROPIN_C2C, .rank = 2},
        {.what = DROPIN_C2C, .rank = 3, .flags = FFTW_MPI_TRANSPOSED_OUT, .in_place = true},
        {.what = DROPIN_R2C, .rank = 3},
        {.what = DROPIN_R2C, .rank = 3, .flags = FFTW_MPI_TRANSPOSED_OUT},
        {.what = DROPIN_C2R, .rank = 3, .flags = FFTW_MPI_TRANSPOSED_IN},
        {.what = DROPIN_R2R, .rank = 2, .kind = {FFTW_REDFT10, FFTW_DHT}, .in_place = true},
        {.what = DROPIN_TRANSPOSE, .rank = 2},
    };
    const int count = sizeof kinds / sizeof *kinds;
    dropin_case it = dropin_single(&kinds[which % count], flags);
    const int scale = 1 + which / count % 5;
    for (int axis = 0; axis < it.rank; axis++)
        it.n[axis] = axis < 2 ? (ptrdiff_t)ranks * scale : 4 + scale;
    it.howmany = 1 + which / (5 * count) % 3;
    return it;
}

static FFTW(plan) planned(const dropin_case *it)
{
    return dropin_plan(it, in, it->in_place ? in : out, MPI_COMM_WORLD);
}

/* The same on a machine that WEFT_MACHINE describes. */
static FFTW(plan) planned_on(const char *machine, const dropin_case *it)
{
    dropin_forget();
    setenv("WEFT_MACHINE", machine, 1);
    FFTW(plan) plan = planned(it);
    unsetenv("WEFT_MACHINE");
    all_true(plan, "no plan: %s", WEFT(last_error)());
    return plan;
}

TEST(all_ranks_make_the_same_schedule, .to = 4)
{
    static const unsigned rigors[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT, FFTW_EXHAUSTIVE};
    /* with PATIENT, FFTW takes seconds for each problem */
    static const int problems[] = {8, 8, 2, 1};
    for (int which = 0; which < problems[_i]; which++) {
        char name[DROPIN_TEXT];
        dropin_case it = problem(which % 7 + 7, rigors[_i]);
        if (which == 7) { /* large enough that different passes may be fastest on different ranks */
            it.n[0] = it.n[1] = 8 * (ptrdiff_t)ranks;
            it.n[it.rank++] = 32;
        }
        dropin_forget();
        FFTW(plan) plan = planned(&it);
        dropin_describe(&it, name);
        all_true(plan, "%s: no plan", name);
        char *mine = decision_of(plan);
        FFTW(destroy_plan)(plan);
        all_true(same_everywhere(mine), "%s: %s", name, mine);
        free(mine);
    }
}

/* A clock that runs ten times too fast, and advances at every reading. */
static double looked;

static double hasty_clock(void)
{
    looked += 0.001;
    return 10 * MPI_Wtime() + looked;
}

/* A plan takes the limit and the time to make it once: the rest is cut short. */
TEST(planning_stops_in_time_with_the_best_so_far, .to = 6)
{
    static const double limits[] = {0, 0.001, 0.1};
    dropin_case it = problem(8, FFTW_PATIENT);
    dropin_forget();
    (_i < 3 ? WEFT(set_timelimit) : FFTW(set_timelimit))(limits[_i % 3]);
    weft_clock_set(hasty_clock);
    FFTW(plan) plan = planned(&it);
    weft_clock_set(NULL);
    WEFT(set_timelimit)(-1);
    FFTW(set_timelimit)(FFTW_NO_TIMELIMIT);
    all_true(plan, "no plan: %s", WEFT(last_error)());
    const bool cut = weft_handle_plan(plan)->cut_short;
    char *mine = decision_of(plan), *known = WEFT(export_wisdom_to_string)();
    FFTW(destroy_plan)(plan);
    all_true(same_everywhere(mine), "%s", mine);
    all_true(cut && !strstr(known, "=>"), "%s, wisdom: %s", cut ? "cut short" : "complete", known);
    free(known);
    free(mine);
    it = problem(8, FFTW_ESTIMATE);
    dropin_check(&it, MPI_COMM_WORLD);
}

/* The real time plus a varying amount at every reading. So no two runs take the same time; two
 * equal runs would count even if they were disturbed. */
static double uneven_clock(void)
{
    static int times;
    looked += 1e-5 * (4 * times++ % 11);
    return MPI_Wtime() + looked;
}

/* Whether planning has tried a candidate whose description contains this text. */
static bool tried(const weft_plan *plan, const char *text)
{
    for (int i = 0; i < plan->tried.count; i++)
        if (strstr(plan->tried.candidate[i].what, text))
            return true;
    return false;
}

/* The winner is timed with other passes, whether it is large or small. */
TEST(the_winner_runs_with_other_passes, .to = 2)
{
    const ptrdiff_t n = _i ? 64 : 96;
    const dropin_case square = {.what = DROPIN_C2C, .rank = 2, .n = {n, n}},
                      it = dropin_single(&square, FFTW_PATIENT);
    FFTW(plan) plan = planned_on("l2=64K l3=1M cores=1", &it);
    const bool raced = tried(weft_handle_plan(plan), ", in place of ");
    FFTW(destroy_plan)(plan);
    all_true(raced, "no pass was changed");
}

/* Passes are timed only if the schedule is short and each rank has a core; otherwise disturbed runs
 * count. */
TEST(passes_are_timed_if_all_runs_are_disturbed)
{
    const ptrdiff_t n = 8 * (ptrdiff_t)ranks;
    const dropin_case cube = {.what = DROPIN_C2C, .rank = 3, .n = {n, n, 32}},
                      it = dropin_single(&cube, FFTW_MEASURE);
    for (int disturbed = 0; disturbed < 2 && ranks > 1; disturbed++)
        for (int crowded = 0; crowded < 2; crowded++) {
            weft_clock_set(uneven_clock);
            weft_clock_lose(disturbed);
            FFTW(plan)
            plan = planned_on(crowded ? "l2=64K l3=1M cores=1" : "l2=64K l3=1M cores=8", &it);
            weft_clock_set(NULL);
            const bool by_passes = tried(weft_handle_plan(plan), "passes of schedule");
            FFTW(destroy_plan)(plan);
            all_true(by_passes == (disturbed && !crowded), "disturbed %d, crowded %d: %s",
                     disturbed, crowded, by_passes ? "by passes" : "by runs");
        }
    dropin_forget();
}

TEST(plans_for_arrays_of_null_are_timed_as_well, .to = 5)
{
    dropin_case it = problem(_i, FFTW_PATIENT);
    dropin_forget();
    FFTW(plan) plan = dropin_plan(&it, NULL, NULL, MPI_COMM_WORLD);
    all_true(plan, "problem %d: %s", _i, WEFT(last_error)());
    const weft_plan *made = weft_handle_plan(plan);
    all_true(made->source == WEFT_BY_TIMING && made->seconds > 0, "problem %d: not timed", _i);
    FFTW(destroy_plan)(plan);
    dropin_forget();
}

/* Each rank gets wisdom of another problem, from serial FFTW and from Weft. */
TEST(wisdom_of_fftw_and_weft_is_gathered_and_broadcast)
{
    char line[64], key[64];
    dropin_forget();
    FFTW(complex) *array = (FFTW(complex) *)(void *)in;
    FFTW(destroy_plan)(FFTW(plan_dft_1d)(32 + 2 * rank, array, array, FFTW_FORWARD, FFTW_MEASURE));
    snprintf(key, sizeof key, "of rank %d", rank);
    weft_wisdom_learn(key, "exchanges=waitall", false);
    FFTW(mpi_broadcast_wisdom)(MPI_COMM_WORLD); /* each rank keeps its own */
    weft_wisdom_learn("of all", rank == 0 ? "exchanges=waitall" : "exchanges=wait", false);
    FFTW(mpi_gather_wisdom)(MPI_COMM_WORLD); /* rank 0, too */
    FFTW(mpi_broadcast_wisdom)(MPI_COMM_WORLD);
    char *text = WEFT(export_wisdom_to_string)();
    bool all = strstr(text, "of all => exchanges=waitall ~ ");
    for (int of = 0; of < ranks; of++) {
        snprintf(line, sizeof line, "of rank %d => exchanges=waitall ~ ", of);
        FFTW(plan)
        known = FFTW(plan_dft_1d)(32 + 2 * of, array, array, FFTW_FORWARD,
                                  FFTW_MEASURE | FFTW_WISDOM_ONLY);
        all = all && strstr(text, line) && known;
        FFTW(destroy_plan)(known);
    }
    all_true(all, "not all of it: %s", text);
    free(text);
    dropin_forget();
}
