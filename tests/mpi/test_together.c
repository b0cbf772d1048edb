/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans that share memory: those of overlapping communicators run in turn, a thousand are made and
 * destroyed, and where one rank cannot have the memory all of them go without.
 */
#include "api/fftw3-mpi.h"
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/harness.h"
#include "tests/mpi/problems.h"
#include "tests/mpi/segments.h"
#include "api/weft.h"

enum { ROWS = 6, COLUMNS = 10, TURNS = 8 };

/* A plan that stays while others run. */
typedef struct {
    problem it;
    trial run;
} lasting;

static void make(lasting *my, MPI_Comm comm, bool transposed, bool in_place, int multiple)
{
    const dropin_case it = {.what = DROPIN_C2C,
                            .entry = DROPIN_SHAPED,
                            .rank = 2,
                            .n = {ROWS, COLUMNS},
                            .howmany = 1,
                            .sign = FFTW_FORWARD,
                            .flags = FFTW_ESTIMATE | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0),
                            .in_place = in_place};
    problem_on_slabs(&my->it, &it, comm);
    problem_times(&my->it, (weft_real)multiple);
    my->run = (trial){.of = &my->it, .in = arrays_fresh(my->it.numbers, 0)};
    my->run.out = in_place ? my->run.in : arrays_fresh(my->it.numbers, 0);
    my->run.plan = problem_plan(&my->it, my->run.in, my->run.out, comm);
}

static bool works(lasting *my)
{
    my->run.text[0] = '\0';
    return my->run.plan && (trial_run(&my->run), !my->run.text[0]);
}

static void drop(lasting *my)
{
    if (my->run.plan)
        FFTW(destroy_plan)(my->run.plan);
    if (my->run.out != my->run.in)
        arrays_free(my->run.out, 0);
    arrays_free(my->run.in, 0);
    problem_free(&my->it);
}

static void share(void)
{
    setenv("WEFT_BACKEND", "shared", 1);
}

static void share_no_more(void)
{
    unsetenv("WEFT_BACKEND");
}

START_TEST(overlapping_communicators_take_turns)
{
    enum { COMMS = 5 };
    MPI_Comm comm[COMMS];
    lasting it[2 * COMMS];
    bool right = true;
    const int color[COMMS] = {0, rank % 2, rank / 2, rank != 0, (rank + 1) / 2};
    for (int g = 0; g < COMMS; g++) {
        MPI_Comm_split(MPI_COMM_WORLD, color[g], g == 3 ? -rank : rank, &comm[g]);
        make(&it[2 * g], comm[g], false, g % 2, 2 * g + 1);
        make(&it[2 * g + 1], comm[g], true, g % 2 == 0, 2 * g + 2);
    }
    for (int turn = 0; turn < (ranks <= 2 ? 4 * TURNS : TURNS); turn++)
        for (int i = 0; i < 2 * COMMS; i++)
            right = works(&it[i]) && right;
    all_true(right, "plans that run in turn disturb each other");
    /* those that are left go on when others are gone */
    for (int i = 0; i < COMMS; i++) {
        drop(&it[2 * i]);
        for (int j = 0; j < COMMS; j++)
            right = works(&it[2 * j + 1]) && right;
    }
    all_true(right, "plans are wrong once others have been destroyed");
    for (int g = 0; g < COMMS; g++) {
        drop(&it[2 * g + 1]);
        MPI_Comm_free(&comm[g]);
    }
}
END_TEST

START_TEST(a_thousand_plans_are_made_and_destroyed)
{
    const int times = ranks <= 2 ? 1000 : 100;
    int right = 0;
    for (int i = 0; i < times; i++) {
        lasting it;
        make(&it, MPI_COMM_WORLD, i % 2, i % 3 == 0, 1 + i % 7);
        right += works(&it);
        drop(&it);
    }
    all_true(right == times, "%d of %d plans were right", right, times);
}
END_TEST

/* Larger than what other tests may have left for reuse. */
static const dropin_case large = {.what = DROPIN_C2C,
                                  .entry = DROPIN_SHAPED,
                                  .rank = 3,
                                  .n = {48, 40, 32},
                                  .howmany = 1,
                                  .sign = FFTW_FORWARD,
                                  .flags = FFTW_ESTIMATE};

START_TEST(without_memory_on_one_rank_all_send_messages)
{
    dropin_case it = large;
    it.n[0] += 16 * _i;
    it.flags = _i == 1 ? FFTW_MEASURE : FFTW_ESTIMATE;
    share_no_more();
    FFTW(complex) *array = FFTW(alloc_complex)(80 * 40 * 32);
    for (int loser = 0; loser<ranks; loser += ranks> 1 ? ranks - 1 : 1) {
        memory_is_short = rank == loser;
        it.n[0] += 8;
        FFTW(plan)
        plan = dropin_plan(&it, (weft_real *)array, (weft_real *)array, MPI_COMM_WORLD);
        char *text = plan ? FFTW(sprint_plan)(plan) : NULL;
        const bool without = text && (ranks == 1 || !strstr(text, "shared"));
        all_true(without, "rank %d had no memory, the plan is %s", loser, text ? text : "none");
        free(text);
        FFTW(destroy_plan)(plan);
        dropin_check(&it, MPI_COMM_WORLD);
        share();
        plan = dropin_plan(&it, (weft_real *)array, (weft_real *)array, MPI_COMM_WORLD);
        all_true(!plan == (ranks > 1), "shared, by the user's wish, on %d ranks", ranks);
        all_true(plan || strstr(WEFT(last_error)(), "of memory left"), "it says: %s",
                 WEFT(last_error)());
        if (plan)
            FFTW(destroy_plan)(plan);
        share_no_more();
        memory_is_short = false;
        /* and later there may be room */
        dropin_check(&it, MPI_COMM_WORLD);
    }
    FFTW(free)(array);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("together");
    TCase *tests = tcase_create("plans that share memory");
    tcase_add_checked_fixture(tests, share, share_no_more);
    tcase_add_loop_test(tests, without_memory_on_one_rank_all_send_messages, 0, 2);
    tcase_add_test(tests, overlapping_communicators_take_turns);
    tcase_add_test(tests, a_thousand_plans_are_made_and_destroyed);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
