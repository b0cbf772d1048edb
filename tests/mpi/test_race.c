/* SPDX-License-Identifier: BSD-3-Clause */
/* Races as they are run, on all ranks (by a clock that is told what to say: unit/test_race.c). */
#include "kernels/base/clock.h"
#include "planner/search/race.h"
#include "tests/mpi/harness.h"

enum { RACES = 30 };

/* The second one takes ten times as long. */
static void run_one(void *context, int which)
{
    int *runs = context;
    const double begin = weft_clock();
    while (weft_clock() - begin < (which == 0 ? 1e-4 : 1e-3))
        ;
    runs[which]++;
}

/* How often the slow one runs, at least: runs that were disturbed are taken again. */
static int runs_of_the_slow_one(bool quick)
{
    int least = 1000;
    for (int k = 0; k < RACES; k++) {
        weft_candidate candidate[2] = {{.path = 0}, {.path = 1}};
        int runs[2] = {0};
        weft_race race = {.comm = MPI_COMM_WORLD,
                          .candidate = candidate,
                          .candidates = 2,
                          .run = run_one,
                          .context = runs,
                          .enough = 1e-5,
                          .most_runs = 4,
                          .begin = weft_clock(),
                          .until = -1,
                          .budget = 1,
                          .quick = quick};
        const int best = weft_race_run(&race);
        all_true(best == 0, "%d won", best);
        all_true(candidate[1].outcome == WEFT_DROPPED, "the slow one %s",
                 weft_outcome_name(candidate[1].outcome));
        least = runs[1] < least ? runs[1] : least;
    }
    return least;
}

START_TEST(in_a_quick_race_a_first_run_tells_who_is_clearly_slower)
{
    const int quick = runs_of_the_slow_one(true), thorough = runs_of_the_slow_one(false);
    all_true(quick == 1, "%d runs in a quick race", quick);
    all_true(thorough > 1, "%d runs in a thorough one", thorough);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("race");
    TCase *tests = tcase_create("race");
    tcase_add_test(tests, in_a_quick_race_a_first_run_tells_who_is_clearly_slower);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
