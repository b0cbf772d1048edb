/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choice among values of a fake backend, which only advances the test's clock, so that the right
 * choice is known exactly. Single ranks may be slow or fail. (One rank has no exchange to time.)
 */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "backends/exchange/exchange.h"
#include "backends/table.h"
#include "tests/layouts.h"
#include "tests/mpi/harness.h"
#include "planner/search/search.h"

enum { FAKES = 4 };

static double hands;

/* How the fake backend behaves on this rank with each of its values. */
typedef struct {
    double seconds;
    double noise; /* extra time of every third run, as a fraction */
    double lost;  /* time lost to other processes in each run */
    bool fails;
    int runs, alive;
} behaviour;

static behaviour fake[FAKES];

static double fake_clock(void)
{
    return hands;
}

static void *prepare(const weft_exchange *exchange, int value, size_t *workspace)
{
    (void)exchange;
    *workspace = 0;
    if (fake[value].fails) {
        weft_error("fake %d has no memory", value);
        return NULL;
    }
    fake[value].alive++;
    return &fake[value];
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    behaviour *it = state;
    (void)in, (void)out, (void)workspace;
    hands += it->seconds * (1 + (it->runs % 3 == 0 ? it->noise : 0));
    weft_clock_lose(it->lost);
    it->runs++;
}

static void release(void *state)
{
    ((behaviour *)state)->alive--;
}

static const weft_backend backend = {.version = WEFT_BACKEND_VERSION,
                                     .name = "fake",
                                     .about = "moves the hands of a clock",
                                     .prepare = prepare,
                                     .start = start,
                                     .finish = weft_nothing_to_finish,
                                     .release = release};

/* Makes an exchange of a square with so many rows on each rank. */
static weft_exchange *exchange_of(ptrdiff_t rows)
{
    weft_layout from, to;
    slab_layouts(2, (ptrdiff_t[]){rows * ranks, rows * ranks}, 1, ranks, &from, &to);
    return weft_exchange_create(&from, &to, 8, 0, NULL, MPI_COMM_WORLD);
}

typedef struct {
    int best;
    double seconds;
    const weft_candidate *tried; /* valid until the next race */
} outcome;

/* Times the first `count` values. The clocks of the ranks differ. */
static outcome race(int count, int rigor, bool quick)
{
    static weft_tried tried;
    outcome result = {.best = -2};
    weft_settings settings = {.limit = -1};
    weft_candidate candidate[FAKES];
    weft_exchange *exchange = exchange_of(2);
    for (int i = 0; i < count; i++)
        candidate[i] = (weft_candidate){.method = {.backend = &backend, .value = i}, .model = 1};
    hands = 1000.0 * rank; /* clocks of different machines differ */
    weft_clock_set(fake_clock);
    const weft_problem problem = {.comm = MPI_COMM_WORLD};
    const weft_search search = {.problem = &problem,
                                .settings = &settings,
                                .rigor = rigor,
                                .begin = hands,
                                .tried = &tried};
    weft_tried_free(&tried);
    result.best = weft_methods_race(&search, exchange, 0, candidate, count, quick);
    result.seconds = candidate[result.best].seconds;
    weft_clock_set(NULL);
    weft_exchange_destroy(exchange);
    result.tried = tried.candidate;
    return result;
}

static void behave(int which, double seconds)
{
    memset(&fake[which], 0, sizeof fake[which]);
    fake[which].seconds = seconds;
}

static void none_left(void)
{
    for (int i = 0; i < FAKES; i++)
        all_true(fake[i].alive == 0, "%d of fake %d are left", fake[i].alive, i);
}

static bool close_to(double a, double b)
{
    return a > 0.999 * b && a < 1.001 * b;
}

/* Races with known results. */
typedef struct {
    const char *name;
    int rigor;
    double seconds[FAKES], on_last_rank; /* time of fake 0 there; 0: as on other ranks */
    double noise, lost[FAKES];
    int best;
    int runs[FAKES];     /* 0: any number; negative: more than its absolute value */
    const char *outcome; /* first letter of each outcome (chosen, slower, dropped); '?': any */
    bool quick;
} known_race;

static const known_race races[] = {
    {"fourth", 2, {12e-3, 12e-3, 12e-3, 10e-3}, .best = 3},
    {"the slowest rank counts", 1, {1e-3, 20e-3}, .on_last_rank = 30e-3, .best = 1},
    {"clearly slower", 1, {10e-3, 50e-3, 0.0101, 0.5}, .runs = {0, 1, -2, 1}, .outcome = "cds?"},
    /* one run per turn, because a run of 70 ms is always disturbed */
    {"long and disturbed",
     1,
     {70e-3, 71e-3},
     .lost = {9e-3, 9e-3},
     .runs = {2, 2},
     .outcome = "cs"},
    {"clearly slower, quick", 1, {10e-3, 50e-3}, .runs = {0, 1}, .outcome = "cd", .quick = true},
    /* a disturbed run counts if the disturbance is smaller than the difference */
    {"disturbed a little", 1, {1e-3, 20e-3}, 0, 0.01, {0, 1e-3}, 0, {0, 1}, .quick = true},
    {"disturbed", 1, {1e-3, 20e-3}, 0, 0.01, {0, 9e-3}, 0, {0, 1}, .quick = true},
    {"disturbed much", 1, {1e-3, 5e-3}, 0, 0.01, {0, 2.2e-3}, 0, {0, -1}, .quick = true},
    {"disturbed, and near", 1, {1e-3, 1.2e-3}, 0, 0.01, {0, 1e-4}, 0, {0, -1}, .quick = true},
    /* as fast as the best, and earlier in the list */
    {"short", 1, {20e-6, 10.5e-6, 10.05e-6, 10e-6}, 0, 0.02, .best = 2, .runs = {0, -30, -30, -30}},
};

TEST(the_fastest_is_chosen, .to = NUMBER(races))
{
    const known_race *it = &races[_i];
    const char *name = it->name, *wanted = it->outcome;
    int count = 0;
    for (int i = 0; i < FAKES; i++) {
        const bool odd = i == 0 && rank == ranks - 1 && it->on_last_rank > 0;
        behave(i, odd ? it->on_last_rank : it->seconds[i]);
        fake[i].noise = it->lost[1] > 0 && i == 0 ? 0 : it->noise;
        fake[i].lost = it->lost[i];
    }
    while (count < FAKES && it->seconds[count] > 0)
        count++;
    const outcome result = race(count, it->rigor, it->quick);
    const double best = it->seconds[it->best];
    all_true(result.best == it->best, "%s: %d", name, result.best);
    all_true(it->noise > 0 || best < 1e-3 || close_to(result.seconds, best), "%s: %g s", name,
             result.seconds);
    for (int i = 0; i < count; i++) {
        const int runs = it->runs[i];
        all_true(runs < 0 ? fake[i].runs > -runs : runs == 0 || fake[i].runs == runs,
                 "%s: %d runs of fake %d", name, fake[i].runs, i);
        const char *is = weft_outcome_name(result.tried[i].outcome);
        all_true(!wanted || wanted[i] == '?' || wanted[i] == is[0], "%s: fake %d is %s", name, i,
                 is);
    }
    none_left();
}

/* Times that differ by less than a clock can measure, differently on every rank. */
TEST(ties_are_broken_alike_on_all_ranks)
{
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < FAKES; i++)
            behave(i, 0.01 * (1 + 0.004 * ((rank * 7 + i * 5 + round) % 3) / 3));
        const outcome result = race(FAKES, 1, false);
        int of_all[2] = {result.best, -result.best};
        MPI_Allreduce(MPI_IN_PLACE, of_all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        all_true(of_all[0] == -of_all[1], "round %d: %d here, up to %d elsewhere", round,
                 result.best, of_all[0]);
        all_true(result.best == 0, "round %d: %d, not the first", round, result.best);
    }
}

TEST(a_method_that_fails_on_one_rank_is_dropped_on_all)
{
    for (int lame = 0; lame < ranks; lame++) {
        behave(0, 0.001);
        behave(1, 0.02);
        behave(2, 0.01);
        fake[0].fails = rank == lame;
        weft_error_clear();
        const outcome result = race(3, 1, false);
        all_true(result.best == 2, "rank %d fails: %d", lame, result.best);
        all_true(result.tried[0].outcome == WEFT_FAILED, "%s",
                 weft_outcome_name(result.tried[0].outcome));
        all_true(weft_error_text()[0] == '\0', "an error is left: %s", weft_error_text());
        none_left();
    }
}

TEST(when_all_fail_the_model_decides)
{
    for (int i = 0; i < FAKES; i++) {
        behave(i, 0.01);
        fake[i].fails = rank == ranks - 1;
    }
    const outcome result = race(FAKES, 2, false);
    all_true(result.best == 0 && result.seconds < 0, "%d, %g s", result.best, result.seconds);
    none_left();
}

/* For large blocks the model prefers Bruck's with one stage, which is not its first value. */
TEST(the_list_has_the_value_that_the_model_prefers, .to = 4)
{
    const weft_settings settings = {.limit = -1};
    const weft_problem problem = {.comm = MPI_COMM_WORLD};
    const weft_search search = {.problem = &problem,
                                .settings = &settings,
                                .rigor = _i,
                                .environment.machine = {.per_node = ranks, .cores = ranks}};
    weft_candidate candidate[WEFT_MAX_CANDIDATES];
    weft_exchange *exchange = exchange_of(64);
    const weft_load load = weft_model_load(exchange);
    const int count = weft_methods_list(&search, exchange, candidate);
    int listed = 0, all_in_a_group = 0; /* number of the second, which has no groups */
    double least = 1;
    for (int i = 0; i < count; i++) {
        const weft_method *by = &candidate[i].method;
        all_in_a_group += by->backend->grouped && by->value >= ranks - 1;
        if (!strcmp(by->backend->name, "bruck")) {
            listed++;
            least = candidate[i].model < least ? candidate[i].model : least;
        }
    }
    all_true(!all_in_a_group, "%d backends with groups of all ranks", all_in_a_group);
    all_true(listed >= 1 && (_i > 1 || listed == 1), "%d radices with rigor %d", listed, _i);
    for (int radix = 2; radix <= ranks; radix *= 2) {
        const double time =
            weft_model_time(&search.environment.machine, &load, weft_backend_named("bruck"), radix);
        all_true(least <= time, "bruck:%d, which takes %g s, is not listed, but %g s", radix, time,
                 least);
    }
    weft_exchange_destroy(exchange);
}
