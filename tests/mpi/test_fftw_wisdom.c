/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wisdom through FFTW's functions: the next run uses the timed plans, the same on all ranks, until
 * the program calls FFTW's forget function. The test forgets all wisdom to simulate a new process.
 */
#include "api/fftw3-mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api/weft.h"
#include "planner/handle.h"
#include "planner/plan.h"
#include "tests/mpi/problems.h"
#include "tests/mpi/harness.h"

enum { NUMBERS = 2000, TEXT = 20000, CASES = 8 /* the first of dropin_samples */ };

static const dropin_case *const plain = &dropin_samples[0];
static weft_real in[NUMBERS], out[NUMBERS];

/* The printed schedule of the last plan. (scripts/wisdom compares what plans compute.) */
static char schedule[TEXT];

/* Makes a plan and expects this source on all ranks; -1: no plan. */
static void expect(const dropin_case *like, unsigned flags, int wanted, const char *otherwise)
{
    const dropin_case it = dropin_single(like, flags);
    FFTW(plan) plan = dropin_plan(&it, in, it.in_place ? in : out, MPI_COMM_WORLD);
    const int found = plan ? (int)weft_handle_plan(plan)->source : -1;
    char *text = plan ? FFTW(sprint_plan)(plan) : NULL;
    snprintf(schedule, sizeof schedule, "%s", text ? text : "");
    free(text);
    FFTW(destroy_plan)(plan);
    all_true(found == wanted, "%s: source %d, not %d", otherwise, found, wanted);
}

/* Forgets all wisdom and makes a timed plan. */
static void learn(const dropin_case *it)
{
    dropin_forget();
    expect(it, FFTW_MEASURE, WEFT_BY_TIMING, "wisdom was not forgotten");
}

/* Returns the wisdom that rank 0 writes to a file at the end. */
static char *end_of_program(void)
{
    FFTW(mpi_gather_wisdom)(MPI_COMM_WORLD);
    char *text = FFTW(export_wisdom_to_string)();
    dropin_forget();
    return text;
}

/* Starts with wisdom that rank 0, or another rank, read from the file. */
static void begin_program(char *text, int reader, bool broadcast)
{
    const bool read = rank != reader || FFTW(import_wisdom_from_string)(text);
    free(text);
    all_true(read, "FFTW does not read it");
    if (broadcast)
        FFTW(mpi_broadcast_wisdom)(MPI_COMM_WORLD);
}

TEST(the_next_run_makes_the_same_plan_from_wisdom,
     .to = sizeof(weft_real) == sizeof(double) ? CASES : 1)
{
    const dropin_case *it = &dropin_samples[_i];
    learn(it);
    char *was = strdup(schedule);
    begin_program(end_of_program(), 0, true);
    expect(it, FFTW_MEASURE | FFTW_WISDOM_ONLY, WEFT_BY_WISDOM, "it is not known");
    expect(it, FFTW_MEASURE, WEFT_BY_WISDOM, "it is planned anew");
    all_true(strcmp(was, schedule) == 0, "%s was %s", schedule, was);
    free(was);
    expect(it, FFTW_ESTIMATE, WEFT_BY_WISDOM, "not known with less rigor");
    expect(it, FFTW_PATIENT | FFTW_WISDOM_ONLY, -1, "known with more rigor");
}

/* Expects no plan, a sentence, and unchanged arrays. */
static void check_unknown(int which, unsigned flags)
{
    const dropin_case it = dropin_single(&dropin_samples[which], flags);
    weft_real *from = arrays_fresh(NUMBERS, 0), *to = it.in_place ? from : arrays_fresh(NUMBERS, 0);
    refused(dropin_plan(&it, from, to, MPI_COMM_WORLD), "no wisdom");
    all_true(arrays_untouched(from, NUMBERS) && arrays_untouched(to, NUMBERS),
             "problem %d: an array was written", which);
    if (to != from)
        arrays_free(to, 0);
    arrays_free(from, 0);
}

/* Expects a correct plan; with FFTW_WISDOM_ONLY planning must not change the arrays. */
static void check_known(int which, unsigned flags)
{
    const dropin_case it = dropin_single(&dropin_samples[which], flags);
    dropin_check(&it, MPI_COMM_WORLD);
}

/* Planning with a chosen backend must not change the arrays, with or without a plan. */
static void check_with_backend(int which)
{
    const dropin_case asked =
        dropin_single(&dropin_samples[which], FFTW_MEASURE | FFTW_WISDOM_ONLY);
    char text[PROBLEM_TEXT] = "";
    problem it;
    problem_on_slabs(&it, &asked, MPI_COMM_WORLD);
    it.backend = "pairwise";
    it.may_fail = true;
    problem_try(&it, MPI_COMM_WORLD, text);
    all_true(!text[0], "problem %d: %s", which, text);
}

/* Rank 0 decides about Weft's wisdom. Every rank must have wisdom for the serial transforms, as
 * programs that forget wisdom expect. */
TEST(wisdom_only_makes_plans_of_what_is_known,
     .to = sizeof(weft_real) == sizeof(double) ? CASES : 1)
{
    static const unsigned rigors[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT, FFTW_EXHAUSTIVE};
    dropin_forget();
    for (int i = 0; i < 4; i++)
        check_unknown(_i, rigors[i] | FFTW_WISDOM_ONLY);
    check_with_backend(_i);
    check_known(_i, FFTW_MEASURE);
    check_known(_i, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    check_known(_i, FFTW_ESTIMATE | FFTW_WISDOM_ONLY);
    check_unknown(_i, FFTW_PATIENT | FFTW_WISDOM_ONLY);
    check_unknown((_i + 1) % CASES, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    if (rank > 0)
        WEFT(forget_wisdom)();
    check_known(_i, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    if (rank == 0)
        FFTW(forget_wisdom)();
    check_unknown(_i, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    check_known(_i, FFTW_MEASURE);
    check_known(_i, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    if (rank == 0)
        WEFT(forget_wisdom)();
    check_unknown(_i, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    if (_i != 3 && _i != 4)
        return;
    check_known(_i, FFTW_EXHAUSTIVE);
    check_known(_i, FFTW_EXHAUSTIVE | FFTW_WISDOM_ONLY);
}

TEST(rank_0_decides_for_all)
{
    for (int reader = 0; reader<ranks; reader += ranks> 1 ? ranks - 1 : 1) {
        learn(plain);
        begin_program(end_of_program(), reader, false);
        expect(plain, FFTW_MEASURE, reader ? WEFT_BY_TIMING : WEFT_BY_WISDOM, "another rank's");
    }
}

static void forget_by_cleanup(void)
{
    FFTW(mpi_cleanup)();
    FFTW(mpi_init)();
}

TEST(forgotten_wisdom_is_not_used, .to = 3)
{
    static void (*const way[])(void) = {FFTW(forget_wisdom), forget_by_cleanup,
                                        WEFT(forget_wisdom)};
    learn(plain);
    expect(plain, FFTW_ESTIMATE, WEFT_BY_WISDOM, "wisdom of the timed plan is missing");
    way[_i]();
    expect(plain, FFTW_MEASURE, WEFT_BY_TIMING, "forgotten wisdom is used");
    begin_program(end_of_program(), 0, true);
    expect(plain, FFTW_ESTIMATE, WEFT_BY_WISDOM, "imported wisdom is not used");
    way[_i]();
    expect(plain, FFTW_ESTIMATE, WEFT_BY_MODEL, "forgotten imported wisdom is used");
}

TEST(wisdom_imported_for_weft_stays)
{
    learn(plain);
    char *text = WEFT(export_wisdom_to_string)();
    dropin_forget();
    WEFT(import_wisdom_from_string)(text);
    free(text);
    FFTW(forget_wisdom)();
    expect(plain, FFTW_ESTIMATE, WEFT_BY_WISDOM,
           "fftw_forget_wisdom removed wisdom imported for Weft");
    dropin_forget();
}

TEST(weft_forgets_only_its_own_wisdom)
{
    learn(plain);
    char *before = FFTW(export_wisdom_to_string)();
    WEFT(forget_wisdom)();
    char *after = FFTW(export_wisdom_to_string)();
    const bool carried = strstr(before, "(TIMEOUT 0"), left = strstr(after, "(TIMEOUT 0");
    const bool codelets = strstr(after, "_codelet_") && strstr(before, "_codelet_");
    free(before);
    free(after);
    all_true(carried && !left, "%s", left ? "records are left" : "there were none");
    all_true(codelets, "FFTW's own wisdom is missing");
}

TEST(wisdom_calls_need_a_communicator)
{
    FFTW(mpi_gather_wisdom)(MPI_COMM_NULL);
    all_true(strstr(WEFT(last_error)(), "gather_wisdom") != NULL, "\"%s\"", WEFT(last_error)());
    FFTW(mpi_broadcast_wisdom)(MPI_COMM_NULL);
    all_true(strstr(WEFT(last_error)(), "broadcast_wisdom") != NULL, "\"%s\"", WEFT(last_error)());
}
