/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known: wisdom of serial FFTW between ranks, and plans that are made from wisdom only.
 */
#include "api/fftw3-mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"
#include "api/weft.h"

/* Wisdom of serial FFTW, made of a serial plan on some ranks. */
static void learn(int n)
{
    FFTW(complex) *array = FFTW(alloc_complex)((size_t)n);
    FFTW(destroy_plan)(FFTW(plan_dft_1d)(n, array, array, FFTW_FORWARD, FFTW_MEASURE));
    FFTW(free)(array);
}

static bool knows(int n)
{
    FFTW(complex) *array = FFTW(alloc_complex)((size_t)n);
    FFTW(plan)
    plan = FFTW(plan_dft_1d)(n, array, array, FFTW_FORWARD, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    bool known = plan != NULL;
    FFTW(destroy_plan)(plan);
    FFTW(free)(array);
    return known;
}

START_TEST(cleanup_forgets_the_wisdom_of_serial_fftw)
{
    learn(16);
    bool before = knows(16);
    FFTW(mpi_cleanup)();
    bool after = knows(16);
    FFTW(mpi_init)();
    all_true(before && !after, "wisdom %s", before ? "is still there" : "was never there");
}
END_TEST

/* One of each kind, in place and not, in all orders. */
static const dropin_case problems[] = {
    {.what = DROPIN_C2C, .rank = 2, .n = {10, 12}, .sign = FFTW_FORWARD},
    {.what = DROPIN_C2C,
     .rank = 3,
     .n = {9, 8, 5},
     .sign = FFTW_BACKWARD,
     .flags = FFTW_MPI_TRANSPOSED_OUT,
     .in_place = true},
    {.what = DROPIN_C2C, .rank = 1, .n = {64}, .sign = FFTW_FORWARD, .in_place = true},
    {.what = DROPIN_R2C, .rank = 3, .n = {5, 6, 7}, .flags = FFTW_MPI_TRANSPOSED_OUT},
    {.what = DROPIN_R2C, .rank = 2, .n = {16, 10}, .in_place = true},
    {.what = DROPIN_C2R, .rank = 2, .n = {16, 10}, .flags = FFTW_MPI_TRANSPOSED_IN},
    {.what = DROPIN_R2R, .rank = 2, .n = {12, 9}, .kind = {FFTW_REDFT10, FFTW_HC2R}},
    {.what = DROPIN_TRANSPOSE, .rank = 2, .n = {12, 18}, .in_place = true},
};

enum { PROBLEMS = sizeof problems / sizeof problems[0] };

static void forget(void)
{
    FFTW(forget_wisdom)();
    WEFT(forget_wisdom)();
}

/* No plan, a sentence, and the arrays as they were. */
static void check_unknown(int which, unsigned flags)
{
    const dropin_case it = dropin_single(&problems[which], flags);
    char name[DROPIN_TEXT], said[DROPIN_TEXT];
    enum { NUMBERS = 2000 };
    weft_real *in = arrays_fresh(NUMBERS, 0), *out = it.in_place ? in : arrays_fresh(NUMBERS, 0);
    FFTW(plan) plan = dropin_plan(&it, in, out, MPI_COMM_WORLD);
    snprintf(said, sizeof said, "%s", WEFT(last_error)());
    const bool touched = !arrays_untouched(in, NUMBERS) || !arrays_untouched(out, NUMBERS);
    const bool planned = plan != NULL;
    FFTW(destroy_plan)(plan);
    if (out != in)
        arrays_free(out, 0);
    arrays_free(in, 0);
    dropin_describe(&it, name);
    all_true(!planned, "%s: a plan", name);
    all_true(!touched, "%s: an array was written", name);
    all_true(strstr(said, "no wisdom") != NULL, "%s: \"%s\"", name, said);
}

/* Planned as the flags say, right, and with them planning leaves the arrays alone. */
static void check_known(int which, unsigned flags)
{
    const dropin_case it = dropin_single(&problems[which], flags);
    dropin_check(&it, MPI_COMM_WORLD);
}

START_TEST(wisdom_only_makes_no_plan_of_what_is_unknown)
{
    static const unsigned rigors[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT, FFTW_EXHAUSTIVE};
    forget();
    for (int i = 0; i < 4; i++)
        check_unknown(_i, rigors[i] | FFTW_WISDOM_ONLY);
}
END_TEST

START_TEST(wisdom_only_makes_plans_of_what_was_measured)
{
    forget();
    check_known(_i, FFTW_MEASURE);
    check_known(_i, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    check_known(_i, FFTW_ESTIMATE | FFTW_WISDOM_ONLY);
    check_unknown(_i, FFTW_PATIENT | FFTW_WISDOM_ONLY);
    check_unknown((_i + 1) % PROBLEMS, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    forget();
    check_unknown(_i, FFTW_MEASURE | FFTW_WISDOM_ONLY);
}
END_TEST

/* Whether there is a plan or not is not the question. */
START_TEST(wisdom_only_leaves_arrays_alone_with_a_backend_that_was_chosen)
{
    char text[DROPIN_TEXT];
    const dropin_case it = dropin_single(&problems[_i], FFTW_MEASURE | FFTW_WISDOM_ONLY);
    forget();
    setenv("WEFT_BACKEND", "pairwise", 1);
    dropin_run(&it, MPI_COMM_WORLD, text);
    unsetenv("WEFT_BACKEND");
    all_true(!text[0] || strncmp(text, "no plan", 7) == 0, "problem %d: %s", _i, text);
}
END_TEST

/* Rank 0 decides: what the others know does not matter. */
START_TEST(wisdom_only_needs_the_wisdom_of_rank_0)
{
    forget();
    check_known(_i, FFTW_PATIENT);
    if (rank > 0)
        WEFT(forget_wisdom)();
    check_known(_i, FFTW_PATIENT | FFTW_WISDOM_ONLY);
    check_known(_i, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    if (rank == 0)
        WEFT(forget_wisdom)();
    check_unknown(_i, FFTW_MEASURE | FFTW_WISDOM_ONLY);
}
END_TEST

/* Serial transforms have to be known as well, on every rank, as programs expect that forget the
 * wisdom. Without WISDOM_ONLY they are planned anew. */
START_TEST(wisdom_only_needs_the_wisdom_of_serial_fftw)
{
    if (problems[_i].what == DROPIN_TRANSPOSE)
        return;
    forget();
    check_known(_i, FFTW_MEASURE);
    if (rank == 0)
        FFTW(forget_wisdom)();
    check_unknown(_i, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    check_known(_i, FFTW_MEASURE);
    check_known(_i, FFTW_MEASURE | FFTW_WISDOM_ONLY);
}
END_TEST

START_TEST(broadcast_brings_plans_to_where_nothing_was_measured)
{
    char *text;
    forget();
    check_known(0, FFTW_MEASURE);
    text = WEFT(export_wisdom_to_string)();
    WEFT(forget_wisdom)();
    /* Known on the last rank alone. */
    if (rank == ranks - 1)
        WEFT(import_wisdom_from_string)(text);
    free(text);
    if (ranks > 1)
        check_unknown(0, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    FFTW(mpi_gather_wisdom)(MPI_COMM_WORLD);
    check_known(0, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    FFTW(mpi_broadcast_wisdom)(MPI_COMM_WORLD);
    text = WEFT(export_wisdom_to_string)();
    const bool reported = text && strlen(text) > 0;
    free(text);
    all_true(reported, "rank %d knows nothing", rank);
}
END_TEST

START_TEST(exhaustive_plans_are_right_and_known)
{
    forget();
    check_known(_i, FFTW_EXHAUSTIVE);
    check_known(_i, FFTW_EXHAUSTIVE | FFTW_WISDOM_ONLY);
}
END_TEST

static Suite *suite(void)
{
    const int problems_tried = ranks > 4 ? 3 : PROBLEMS; /* planning takes long with many ranks */
    Suite *suite = suite_create("known");
    TCase *tests = tcase_create("wisdom");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, cleanup_forgets_the_wisdom_of_serial_fftw);
    tcase_add_loop_test(tests, wisdom_only_makes_no_plan_of_what_is_unknown, 0, problems_tried);
    tcase_add_loop_test(tests, wisdom_only_makes_plans_of_what_was_measured, 0, problems_tried);
    tcase_add_loop_test(tests, wisdom_only_leaves_arrays_alone_with_a_backend_that_was_chosen, 0,
                        problems_tried);
    tcase_add_loop_test(tests, wisdom_only_needs_the_wisdom_of_rank_0, 0, problems_tried);
    tcase_add_loop_test(tests, wisdom_only_needs_the_wisdom_of_serial_fftw, 0, problems_tried);
    tcase_add_test(tests, broadcast_brings_plans_to_where_nothing_was_measured);
    tcase_add_loop_test(tests, exhaustive_plans_are_right_and_known, 4, ranks > 4 ? 5 : 6);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
