/* SPDX-License-Identifier: BSD-3-Clause */
/* Races with a simulated clock: the winner, when candidates are dropped, and the time limit. */
#include <string.h>
#include "planner/search/race.h"
#include "tests/unit/harness.h"

enum { MOST = 4 };

/* Times of each candidate, run by run; the last number stands for all later runs. `disturbed`:
 * other processes disturb all runs. */
typedef struct {
    const char *what;
    double turn[MOST][2];
    double tie, budget; /* 0: none */
    bool disturbed, crowded, quick, is_long;
    int best, runs[MOST]; /* expected results; runs of 0 are not compared */
    weft_outcome outcome[MOST];
    const char *order; /* order of the runs, if it is compared */
} race_case;

static const race_case cases[] = {
    {"the fastest is first", {{0.9}, {1.04}, {1.05}, {1.06}}, .best = 0},
    {"the fastest is second", {{1.05}, {0.9}, {1.05}, {1.06}}, .best = 1},
    {"the fastest is third", {{1.05}, {1.04}, {0.9}, {1.06}}, .best = 2},
    {"the fastest is last", {{1.05}, {1.04}, {1.05}, {0.9}}, .best = 3},
    {"a clearly slower one runs once",
     {{1}, {1.6}, {1.01}},
     .runs = {5, 1, 5},
     .outcome = {WEFT_CHOSEN, WEFT_DROPPED, WEFT_SLOWER},
     .order = "abcacacacac"},
    /* The first is preferred, so it stays if runs are unreliable, unless the other is much faster.
     */
    {"little faster, undisturbed", {{1}, {0.9}}, .best = 1},
    {"little faster, disturbed", {{1}, {0.9}}, .disturbed = true, .best = 0},
    {"little faster, crowded", {{1}, {0.9}}, .disturbed = true, .crowded = true, .best = 1},
    {"much faster, disturbed", {{1}, {0.8}}, .disturbed = true, .best = 1},
    /* A candidate that must win by a fraction cannot win if disturbed, except if ranks share cores,
     * which always disturbs. */
    {"by a part", {{8}, {1}}, .tie = 0.03, .best = 1},
    {"by a part, disturbed", {{8}, {1}}, .tie = 0.03, .disturbed = true, .outcome = {WEFT_CHOSEN}},
    {"by a part, crowded", {{8}, {1}}, .tie = 0.03, .disturbed = true, .crowded = true, .best = 1},
    {"by a part, alone", {{-1}, {1}}, .tie = 0.03, .disturbed = true, .best = 1},
    {"a slow first run", {{1}, {1.4, 0.8}}, .best = 1, .runs = {2}, .outcome = {WEFT_DROPPED}},
    {"clear with more runs", {{1}, {1.15}}, .runs = {3, 3}},
    /* A candidate that must win by a fraction is dropped earlier; the first one, which need not,
     * stays as long as before. */
    {"by a part, slower", {{1}, {1.3}}, .tie = 0.03, .runs = {0, 1}},
    {"by a part, faster", {{1.3}, {1}}, .tie = 0.03, .best = 1, .runs = {2}},
    {"by a part, a little slower", {{1}, {1.015}}, .tie = 0.03, .runs = {0, 3}},
    {"by a part, equal", {{1}, {0.995}}, .tie = 0.03, .runs = {0, 4}},
    {"a tie goes to the first of the fast", {{1.2}, {1.009}, {1}}, .best = 1},
    {"a tie of all", {{1}, {1}, {1}}, .best = 0},
    {"some fail", {{-1}, {2}, {-1}}, .best = 1, .outcome = {WEFT_FAILED, WEFT_CHOSEN, WEFT_FAILED}},
    {"all fail", {{-1}, {-1}}, .best = -1},
    {"nobody runs", {{0}}, .best = -1},
    {"the budget ends a race that is not clear", {{1}, {1}}, .budget = 2.5, .runs = {2}},
    {"short runs in a quick race", {{1}, {1}}, .quick = true, .runs = {0, 5}},
    {"long runs", {{1}, {1}}, .is_long = true, .runs = {0, 5}},
    {"long runs in a quick race", {{1}, {1}}, .quick = true, .is_long = true, .runs = {0, 3}},
    {"clear after two long runs", {{1}, {1.3}}, .is_long = true, .runs = {0, 2}},
    {"clear after one long run", {{1}, {1.3}}, .quick = true, .is_long = true, .runs = {0, 1}},
};

static weft_candidate candidate[MOST];
static const race_case *running;
static double spent_so_far;
static int runs[MOST];
static char order[200];

static double time_run(void *context, int which, double *spent)
{
    const race_case *it = running;
    const double later = it->turn[which][1];
    const double seconds = runs[which]++ > 0 && later != 0 ? later : it->turn[which][0];
    (void)context;
    spent_so_far += seconds > 0 ? seconds : 0;
    order[strlen(order)] = (char)('a' + which);
    candidate[which].clean = !it->disturbed;
    candidate[which].is_long = it->is_long;
    *spent = spent_so_far;
    return seconds;
}

/* Runs a race; candidates keep their times of earlier races. */
static int race(const race_case *it, double until, bool *out_of_time)
{
    weft_race the_race = {.time = time_run,
                          .candidate = candidate,
                          .most_runs = 5,
                          .until = until,
                          .budget = it->budget > 0 ? it->budget : 1000,
                          .crowded = it->crowded,
                          .quick = it->quick,
                          .tie = it->tie};
    running = it;
    spent_so_far = 0;
    memset(runs, 0, sizeof runs);
    memset(order, 0, sizeof order);
    while (the_race.candidates < MOST && it->turn[the_race.candidates][0] != 0)
        the_race.candidates++;
    const int best = weft_race_run(&the_race);
    *out_of_time = the_race.out_of_time;
    return best;
}

TEST(races_end_as_they_should, .to = NUMBER(cases))
{
    const race_case *it = &cases[_i];
    bool late;
    const int best = race(it, -1, &late);
    ck_assert_msg(best == it->best && !late, "%s: %d wins", it->what, best);
    for (int i = 0; i < MOST; i++) {
        ck_assert_msg(!it->runs[i] || candidate[i].runs == it->runs[i], "%s: %d runs %d times",
                      it->what, i, candidate[i].runs);
        ck_assert_msg(!it->outcome[i] || candidate[i].outcome == it->outcome[i], "%s: %d is %d",
                      it->what, i, (int)candidate[i].outcome);
    }
    ck_assert_msg(!it->order || strcmp(it->order, order) == 0, "%s: %s", it->what, order);
    if (best >= 0)
        ck_assert_double_eq(candidate[best].seconds,
                            it->turn[best][1] != 0 ? it->turn[best][1] : it->turn[best][0]);
}

/* Then the other candidate has the first turn. */
TEST(a_quick_race_keeps_the_time_of_one_that_has_run, .to = 2)
{
    static const double other[] = {9, 2, 0.5};
    for (int round = 0; round < NUMBER(other); round++) {
        const race_case it = {.turn = {{1}, {other[round]}}, .quick = _i};
        bool late;
        candidate[1] = (weft_candidate){0};
        ck_assert_int_eq(race(&it, -1, &late), other[round] < 1);
        ck_assert_str_eq(order, round > 0 && _i ? "b" : "ab");
        ck_assert_double_eq(candidate[0].seconds, 1);
    }
    ck_assert_int_eq(candidate[0].outcome, WEFT_DROPPED);
}

/* With turns of a second, no run except the first ends after the limit. */
TEST(the_time_limit_holds)
{
    const race_case equal = {.turn = {{1}, {1}}};
    for (double until = 1.5; until < 12; until += 0.5) {
        bool late;
        memset(candidate, 0, sizeof candidate);
        ck_assert_int_eq(race(&equal, until, &late), 0);
        ck_assert_msg(spent_so_far <= until, "spent %g of %g", spent_so_far, until);
        ck_assert_int_eq(late, until < 11);
    }
}
