/* SPDX-License-Identifier: BSD-3-Clause */
/* Races by a clock that is told what to say: who wins, who is dropped when, and that the time limit
 * holds. */
#include <string.h>
#include "planner/search/race.h"
#include "tests/unit/harness.h"

enum { MOST_TURNS = 20 };

/* What each candidate takes, run by run; the last number stands for all later ones. */
typedef struct {
    int candidates;
    double turn[6][MOST_TURNS];
    int runs[6];
    double spent;
    double tie;
    bool disturbed; /* by other processes, all the time */
    bool crowded, quick, is_long;
    char order[200];
    bool out_of_time;
} fake;

static weft_candidate candidate[6];

static double time_run(void *context, int which, double *spent)
{
    fake *f = context;
    double seconds = 0;
    for (int i = 0; i <= f->runs[which] && f->turn[which][i] != 0; i++)
        seconds = f->turn[which][i];
    f->runs[which]++;
    f->spent += seconds > 0 ? seconds : 0;
    f->order[strlen(f->order)] = (char)('a' + which);
    candidate[which].clean = !f->disturbed;
    candidate[which].is_long = f->is_long;
    *spent = f->spent;
    return seconds;
}

/* Of candidates as earlier races have left them. */
static int race_again(fake *f, double until, double budget)
{
    weft_race it = {.time = time_run,
                    .context = f,
                    .candidate = candidate,
                    .candidates = f->candidates,
                    .most_runs = 5,
                    .until = until,
                    .budget = budget,
                    .crowded = f->crowded,
                    .quick = f->quick,
                    .tie = f->tie};
    const int best = weft_race_run(&it);
    f->out_of_time = it.out_of_time;
    return best;
}

static int race(fake *f, double until, double budget)
{
    memset(candidate, 0, sizeof candidate);
    return race_again(f, until, budget);
}

TEST(the_fastest_wins_wherever_it_stands)
{
    for (int fastest = 0; fastest < 4; fastest++) {
        fake f = {.candidates = 4, .turn = {{1.05}, {1.04}, {1.05}, {1.06}}};
        f.turn[fastest][0] = 0.9;
        const int best = race(&f, -1, 1000);
        ck_assert_int_eq(best, fastest);
        ck_assert_double_eq(candidate[fastest].seconds, 0.9);
    }
}

TEST(who_is_clearly_slower_runs_once)
{
    fake f = {.candidates = 3, .turn = {{1}, {1.6}, {1.01}}};
    race(&f, -1, 1000);
    ck_assert_int_eq(candidate[1].runs, 1);
    ck_assert_int_eq(candidate[0].outcome, WEFT_CHOSEN);
    ck_assert_int_eq(candidate[1].outcome, WEFT_DROPPED);
    ck_assert_int_eq(candidate[2].outcome, WEFT_SLOWER);
    ck_assert_int_eq(candidate[0].runs, 5);
    ck_assert_int_eq(candidate[2].runs, 5);
    ck_assert_str_eq(f.order, "abcacacacac");
}

/* Then the first, which is preferred, stays unless the other one is faster by much. */
TEST(what_never_ran_undisturbed_says_little)
{
    fake near = {.candidates = 2, .turn = {{1}, {0.9}}, .disturbed = true},
         far = {.candidates = 2, .turn = {{1}, {0.8}}, .disturbed = true},
         quiet = {.candidates = 2, .turn = {{1}, {0.9}}};
    ck_assert_int_eq(race(&near, -1, 1000), 0);
    ck_assert_int_eq(race(&far, -1, 1000), 1);
    ck_assert_int_eq(race(&quiet, -1, 1000), 1);
}

/* However much; but where ranks share cores, so that it is always so. */
TEST(who_must_win_by_a_part_cannot_if_disturbed)
{
    fake quiet = {.candidates = 2, .turn = {{8}, {1}}, .tie = 0.03}, far = quiet, crowd = quiet,
         alone = quiet;
    far.disturbed = crowd.disturbed = alone.disturbed = crowd.crowded = true;
    alone.turn[0][0] = -1;
    ck_assert_int_eq(race(&quiet, -1, 1000), 1);
    ck_assert_int_eq(race(&far, -1, 1000), 0);
    ck_assert_int_eq(candidate[0].outcome, WEFT_CHOSEN);
    ck_assert_int_eq(race(&crowd, -1, 1000), 1);
    ck_assert_int_eq(race(&alone, -1, 1000), 1);
}

TEST(a_slow_first_run_does_not_decide)
{
    fake f = {.candidates = 2, .turn = {{1}, {1.4, 0.8}}};
    const int best = race(&f, -1, 1000);
    ck_assert_int_eq(best, 1);
    ck_assert_double_eq(candidate[1].seconds, 0.8);
    ck_assert_int_eq(candidate[0].outcome, WEFT_DROPPED);
    ck_assert_int_eq(candidate[0].runs, 2);
}

TEST(what_is_clear_with_more_runs_ends_the_race)
{
    fake f = {.candidates = 2, .turn = {{1}, {1.15}}};
    race(&f, -1, 1000);
    ck_assert_int_eq(candidate[1].runs, 3);
    ck_assert_int_eq(candidate[0].runs, 3);
}

/* And the first one, which need not win, stays as long as without. */
TEST(who_must_win_by_a_part_is_out_sooner)
{
    fake slower = {.candidates = 2, .turn = {{1}, {1.3}}, .tie = 0.03}, faster = slower;
    faster.turn[0][0] = 1.3;
    faster.turn[1][0] = 1;
    ck_assert_int_eq(race(&slower, -1, 1000), 0);
    ck_assert_int_eq(candidate[1].runs, 1);
    ck_assert_int_eq(race(&faster, -1, 1000), 1);
    ck_assert_int_eq(candidate[0].runs, 2);
    /* who is as fast cannot have run so by chance three times */
    fake little = {.candidates = 2, .turn = {{1}, {1.015}}, .tie = 0.03}, equal = little;
    equal.turn[1][0] = 0.995;
    ck_assert_int_eq(race(&little, -1, 1000), 0);
    ck_assert_int_eq(candidate[1].runs, 3);
    ck_assert_int_eq(race(&equal, -1, 1000), 0);
    ck_assert_int_eq(candidate[1].runs, 4);
}

TEST(ties_go_to_the_first)
{
    fake f = {.candidates = 3, .turn = {{1.2}, {1.009}, {1}}};
    ck_assert_int_eq(race(&f, -1, 1000), 1);
    fake g = {.candidates = 3, .turn = {{1}, {1}, {1}}};
    ck_assert_int_eq(race(&g, -1, 1000), 0);
}

TEST(who_cannot_run_is_out_and_the_others_go_on)
{
    fake f = {.candidates = 3, .turn = {{-1}, {2}, {-1}}};
    const int best = race(&f, -1, 1000);
    ck_assert_int_eq(best, 1);
    ck_assert_int_eq(candidate[0].outcome, WEFT_FAILED);
    ck_assert_int_eq(candidate[2].outcome, WEFT_FAILED);
    ck_assert(candidate[0].seconds < 0 && candidate[2].runs == 0);
    fake none = {.candidates = 2, .turn = {{-1}, {-1}}};
    ck_assert_int_eq(race(&none, -1, 1000), -1);
    fake empty = {.candidates = 0};
    ck_assert_int_eq(race(&empty, -1, 1000), -1);
}

TEST(the_budget_ends_what_is_not_clear)
{
    fake f = {.candidates = 2, .turn = {{1}, {1}}};
    race(&f, -1, 2.5);
    ck_assert_int_eq(candidate[0].runs, 2);
    ck_assert(!f.out_of_time);
}

TEST(long_runs_are_half_as_many_in_a_quick_race)
{
    for (int quick = 0; quick < 2; quick++)
        for (int is_long = 0; is_long < 2; is_long++) {
            fake f = {.candidates = 2, .turn = {{1}, {1}}, .quick = quick, .is_long = is_long};
            race(&f, -1, 1000);
            ck_assert_int_eq(candidate[1].runs, quick && is_long ? 3 : 5);
            fake slower = f;
            slower.turn[1][0] = 1.3; /* clear after two */
            slower.runs[0] = slower.runs[1] = 0;
            race(&slower, -1, 1000);
            ck_assert_int_eq(candidate[1].runs, quick && is_long ? 1 : 2);
        }
}

/* The other one's first turn then comes first. */
TEST(a_quick_race_keeps_the_time_of_who_has_run)
{
    for (int quick = 0; quick < 2; quick++) {
        fake f = {.candidates = 2, .turn = {{1}, {9}}, .quick = quick};
        fake slower = {.candidates = 2, .turn = {{1}, {2}}, .quick = quick};
        fake faster = {.candidates = 2, .turn = {{1}, {0.5}}, .quick = quick};
        race(&f, -1, 1000);
        candidate[1] = (weft_candidate){0};
        ck_assert_int_eq(race_again(&slower, -1, 1000), 0);
        ck_assert_str_eq(slower.order, quick ? "b" : "ab");
        ck_assert_double_eq(candidate[0].seconds, 1);
        candidate[1] = (weft_candidate){0};
        ck_assert_int_eq(race_again(&faster, -1, 1000), 1);
        ck_assert_str_eq(faster.order, quick ? "b" : "ab");
        ck_assert_int_eq(candidate[0].outcome, WEFT_DROPPED);
    }
}

/* With turns of a second and any limit, no run ends after it, if the first does not. */
TEST(the_time_limit_holds)
{
    for (double until = 1.5; until < 12; until += 0.5) {
        fake f = {.candidates = 2, .turn = {{1}, {1}}};
        const int best = race(&f, until, 1000);
        ck_assert_msg(f.spent <= until, "spent %g of %g", f.spent, until);
        ck_assert_int_eq(best, 0);
        ck_assert_int_eq(f.out_of_time, until < 11);
    }
}
