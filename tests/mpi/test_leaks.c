/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans made, run and destroyed many times: neither memory nor what MPI has to give becomes less.
 * What is kept for the next plan is there after the first ones, so they do not count.
 */
#include "api/fftw3-mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include "tests/mpi/census.h"
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"
#include "api/weft.h"

enum { FIRST = 20, NUMBERS = 4096 };

static weft_real in[NUMBERS], out[NUMBERS];

static const dropin_case cases[] = {
    {.what = DROPIN_C2C, .rank = 2, .n = {8, 12}, .sign = FFTW_FORWARD},
    {.what = DROPIN_C2C, .rank = 3, .n = {8, 8, 6}, .sign = FFTW_BACKWARD, .in_place = true},
    {.what = DROPIN_C2C, .rank = 1, .n = {64}, .sign = FFTW_FORWARD},
    {.what = DROPIN_R2C, .rank = 3, .n = {9, 8, 7}, .flags = FFTW_MPI_TRANSPOSED_OUT},
    {.what = DROPIN_C2R, .rank = 2, .n = {16, 10}, .in_place = true},
    {.what = DROPIN_R2R, .rank = 2, .n = {12, 9}, .kind = {FFTW_REDFT10, FFTW_DHT}},
    {.what = DROPIN_TRANSPOSE, .rank = 2, .n = {12, 18}, .in_place = true},
};

enum { CASES = sizeof cases / sizeof cases[0] };

static bool once(const dropin_case *it)
{
    FFTW(plan) plan = dropin_plan(it, in, it->in_place ? in : out, MPI_COMM_WORLD);
    if (!plan)
        return false;
    FFTW(execute)(plan);
    FFTW(destroy_plan)(plan);
    return true;
}

/* What came beside what was there before. The whole heap, with what FFTW took, is looked at where
 * MPI has nothing to send, since it keeps memory for later. */
static census more_than(const census *before)
{
    census more = census_now();
    more.handles -= before->handles;
    more.allocations -= before->allocations;
    more.bytes = ranks == 1 ? more.bytes - before->bytes : 0;
    return more;
}

/* Less than the least that malloc can have given to each plan. */
static bool little(const census *more, int plans)
{
    return more->bytes < plans * (ptrdiff_t)(3 * sizeof(void *));
}

static void judge(bool made, const census *more, int plans, const char *name, const char *how)
{
    all_true(made, "%s, %s: no plan", name, how);
    all_true(more->handles == 0 && more->allocations == 0 && little(more, plans),
             "%s, %s: of %d plans %d handles of MPI are left, %d allocations, %td bytes", name, how,
             plans, more->handles, more->allocations, more->bytes);
}

/* MPI's own threads take memory at any time: what plans leave, they leave in every round. */
static void check(const dropin_case *given, unsigned flags, const char *how)
{
    const dropin_case it = dropin_single(given, flags);
    char name[DROPIN_TEXT];
    census more = {0};
    bool made = true;
    const int plans = flags != FFTW_ESTIMATE ? 10 : ranks > 4 ? 20 : 100;
    for (int i = 0; i < FIRST; i++)
        made = once(&it) && made;
    for (int round = 0; round < 3 && (round == 0 || !little(&more, plans)); round++) {
        const census before = census_now();
        for (int i = 0; i < plans; i++)
            made = once(&it) && made;
        more = more_than(&before);
    }
    dropin_describe(&it, name);
    judge(made, &more, plans, name, how);
}

START_TEST(plans_of_all_kinds_leave_nothing)
{
    check(&cases[_i % CASES], _i < CASES ? FFTW_ESTIMATE : FFTW_MEASURE, "any backend");
}
END_TEST

START_TEST(plans_with_any_backend_leave_nothing)
{
    const char *name = backend_for_all(_i);
    setenv("WEFT_BACKEND", name, 1);
    check(&cases[0], FFTW_ESTIMATE, name);
    check(&cases[4], FFTW_ESTIMATE, name);
    unsetenv("WEFT_BACKEND");
}
END_TEST

START_TEST(plans_through_pencils_leave_nothing)
{
    char grid[32];
    snprintf(grid, sizeof grid, "%dx%d", ranks % 2 ? ranks : ranks / 2, ranks % 2 ? 1 : 2);
    setenv("WEFT_GRID", grid, 1);
    check(&cases[1], FFTW_ESTIMATE, "pencils");
    unsetenv("WEFT_GRID");
}
END_TEST

/* Two plans over a communicator, which the user frees before them or after them. */
static bool of_own_communicator(const dropin_case *it, int i)
{
    MPI_Comm comm;
    FFTW(plan) plan[2];
    MPI_Comm_split(MPI_COMM_WORLD, i % 3 ? 0 : rank % 2, rank, &comm);
    for (int p = 0; p < 2; p++)
        plan[p] = dropin_plan(it, in, out, comm);
    const bool made = plan[0] && plan[1];
    if (i % 2)
        MPI_Comm_free(&comm);
    if (made)
        FFTW(execute)(plan[1]);
    for (int p = 0; p < 2; p++)
        FFTW(destroy_plan)(plan[(p + i) % 2]);
    if (i % 2 == 0)
        MPI_Comm_free(&comm);
    return made;
}

/* MPICH has some 2,000 communicators to give. (Each process has its own: few ranks show it.) */
START_TEST(communicators_of_the_user_leave_nothing)
{
    const int plans = ranks <= 2 ? 2100 : 90;
    census before = {0};
    bool made = true;
    dropin_case it = cases[0];
    it.howmany = 1;
    it.flags = FFTW_ESTIMATE;
    for (int i = 0; i < FIRST + plans; i++) {
        if (i == FIRST)
            before = census_now();
        made = of_own_communicator(&it, i) && made;
    }
    const census more = more_than(&before);
    judge(made, &more, plans, "c2c 8x12", "with a communicator each");
}
END_TEST

/* Beside what all plans share; MPI's part of it counts, too. */
START_TEST(small_plans_hold_little)
{
    enum { SOME = 40 };
    FFTW(plan) plan[2 * SOME];
    census before = {0};
    dropin_case it = dropin_single(&cases[_i], FFTW_ESTIMATE);
    for (int i = 0; i < 2 * SOME; i++) {
        if (i == SOME)
            before = census_now();
        plan[i] = dropin_plan(&it, in, it.in_place ? in : out, MPI_COMM_WORLD);
    }
    const ptrdiff_t each = (census_now().bytes - before.bytes) / SOME;
    for (int i = 0; i < 2 * SOME; i++)
        FFTW(destroy_plan)(plan[i]);
    all_true(each < (ranks == 1 ? 30000 : 60000), "case %d: %td bytes a plan", _i, each);
}
END_TEST

static Suite *suite(void)
{
    const int backends = backends_for_all();
    Suite *suite = suite_create("leaks");
    TCase *tests = tcase_create("none");
    tcase_set_timeout(tests, 0);
    /* Each process counts what it leaves: many of them show little more, and take long. */
    tcase_add_loop_test(tests, plans_of_all_kinds_leave_nothing, 0, ranks > 4 ? CASES : 2 * CASES);
    if (ranks <= 4)
        tcase_add_loop_test(tests, plans_with_any_backend_leave_nothing, 0, backends);
    tcase_add_test(tests, plans_through_pencils_leave_nothing);
    tcase_add_test(tests, communicators_of_the_user_leave_nothing);
    if (ranks <= 2)
        tcase_add_loop_test(tests, small_plans_hold_little, 0, CASES);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
