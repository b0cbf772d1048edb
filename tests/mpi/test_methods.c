/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choosing among backends that move nothing but the hands of a clock that is ours as well: so what
 * must be chosen is known exactly. Ranks may be slow, or fail, by themselves.
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
#include "planner/search/methods.h"

enum { FAKES = 4 };

static double hands;

/* How the fake backends behave on this rank. */
static struct {
    double seconds, preparing;
    double noise; /* of every third run so much more */
    double lost;  /* to other processes, in each run */
    bool fails;
    int runs, alive;
} fake[FAKES];

static double fake_clock(void)
{
    return hands;
}

static void *prepare(int which, size_t *workspace)
{
    *workspace = 0;
    hands += fake[which].preparing;
    if (fake[which].fails) {
        weft_error("fake %d has no memory", which);
        return NULL;
    }
    fake[which].alive++;
    return &fake[which];
}

static void start(void *state, const void *in, void *out, void *workspace)
{
    const size_t which = (size_t)((char *)state - (char *)fake) / sizeof *fake;
    (void)in, (void)out, (void)workspace;
    hands += fake[which].seconds * (1 + (fake[which].runs % 3 == 0 ? fake[which].noise : 0));
    weft_clock_lose(fake[which].lost);
    fake[which].runs++;
}

static void finish(void *state, const void *in, void *out, void *workspace)
{
    (void)state, (void)in, (void)out, (void)workspace;
}

static void release(void *state)
{
    fake[(size_t)((char *)state - (char *)fake) / sizeof *fake].alive--;
}

#define FAKE(i)                                                                                    \
    static void *prepare_##i(const weft_exchange *exchange, int value, size_t *workspace)          \
    {                                                                                              \
        (void)exchange, (void)value;                                                               \
        return prepare(i, workspace);                                                              \
    }                                                                                              \
    static const weft_backend backend_##i = {.version = WEFT_BACKEND_VERSION,                      \
                                             .name = "fake" #i,                                    \
                                             .about = "moves the hands of a clock",                \
                                             .prepare = prepare_##i,                               \
                                             .start = start,                                       \
                                             .finish = finish,                                     \
                                             .release = release};
FAKE(0)
FAKE(1)
FAKE(2)
FAKE(3)

static const weft_backend *const backends[FAKES] = {&backend_0, &backend_1, &backend_2, &backend_3};

typedef struct {
    int best;
    double seconds;
    const weft_candidate *tried; /* until the next race */
} outcome;

static bool quick; /* as they are to be timed */

/* Times the first `count` with this rank's clock ahead of the others'. */
static outcome race(int count, int rigor, double limit)
{
    static weft_tried tried;
    outcome result = {.best = -2};
    weft_settings settings = {.limit = limit};
    weft_layout from, to;
    weft_candidate candidate[FAKES];
    slab_layouts(2, (ptrdiff_t[]){2 * ranks, 2 * ranks}, 1, ranks, &from, &to);
    weft_exchange *exchange = weft_exchange_create(&from, &to, 8, 0, NULL, 0, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        candidate[i] = (weft_candidate){.method = {.backend = backends[i]}, .model = 1};
    hands = 1000.0 * rank; /* clocks of different machines differ */
    weft_clock_set(fake_clock);
    const weft_problem problem = {.comm = MPI_COMM_WORLD};
    const weft_search search = {.problem = &problem,
                                .settings = &settings,
                                .rigor = rigor,
                                .begin = hands,
                                .tried = &tried};
    weft_tried_free(&tried);
    result.best = weft_methods_race(&search, exchange, 0, candidate, count, quick, &result.seconds);
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

START_TEST(the_fastest_is_chosen_wherever_it_stands)
{
    for (int rigor = 1; rigor <= 3; rigor++)
        for (int fastest = 0; fastest < FAKES; fastest++) {
            for (int i = 0; i < FAKES; i++)
                behave(i, i == fastest ? 0.010 : 0.012);
            const outcome result = race(FAKES, rigor, -1);
            all_true(result.best == fastest, "rigor %d: %d, not %d", rigor, result.best, fastest);
            all_true(close_to(result.seconds, 0.010), "%g s", result.seconds);
            none_left();
        }
}
END_TEST

START_TEST(who_is_clearly_slower_runs_once_if_it_is_to_be_quick)
{
    behave(0, 0.010);
    behave(1, 0.050);
    quick = true;
    const outcome result = race(2, 1, -1);
    quick = false;
    all_true(result.best == 0, "%d", result.best);
    all_true(fake[1].runs == 1, "%d runs", fake[1].runs);
    all_true(result.tried[1].outcome == WEFT_DROPPED, "not dropped");
    none_left();
}
END_TEST

/* Fake 0 is fast on all ranks but the last, where it takes longer than fake 1 everywhere. */
START_TEST(the_slowest_rank_is_what_counts)
{
    behave(0, rank == ranks - 1 ? 0.03 : 0.001);
    behave(1, 0.02);
    const outcome result = race(2, 1, -1);
    all_true(result.best == 1, "%d", result.best);
    all_true(close_to(result.seconds, 0.02), "%g s", result.seconds);
}
END_TEST

START_TEST(who_is_clearly_slower_runs_once_after_having_been_tried)
{
    behave(0, 0.010);
    behave(1, 0.050);
    behave(2, 0.0101);
    behave(3, 0.500);
    const outcome result = race(FAKES, 1, -1);
    all_true(result.best == 0, "%d", result.best);
    all_true(fake[1].runs == 2 && fake[3].runs == 2, "%d and %d runs", fake[1].runs, fake[3].runs);
    all_true(fake[2].runs > 2, "%d runs", fake[2].runs);
    all_true(result.tried[1].outcome == WEFT_DROPPED && result.tried[2].outcome == WEFT_SLOWER &&
                 result.tried[0].outcome == WEFT_CHOSEN,
             "%s, %s, %s", weft_outcome_name(result.tried[0].outcome),
             weft_outcome_name(result.tried[1].outcome),
             weft_outcome_name(result.tried[2].outcome));
}
END_TEST

/* And so where it was disturbed, if that cannot have made the difference. */
START_TEST(a_disturbed_run_is_taken_again_unless_it_says_enough)
{
    static const struct {
        double seconds, lost;
        bool enough;
    } second[] = {{0.020, 0.001, true},
                  {0.020, 0.009, true},
                  {0.020, 0.0095, false},
                  {0.0012, 0.0001, false}};
    for (int i = 0; i < 4; i++) {
        behave(0, 0.001);
        behave(1, second[i].seconds);
        fake[1].noise = 0.01;
        fake[1].lost = second[i].lost;
        quick = true;
        const outcome result = race(2, 1, -1);
        quick = false;
        all_true(result.best == 0, "case %d: %d", i, result.best);
        all_true((fake[1].runs == 1) == second[i].enough, "case %d: %d runs", i, fake[1].runs);
    }
}
END_TEST

/* Short runs are timed many at a time, and again and again, unless they are all alike: then a few,
 * and who is slower by little is out as well. */
START_TEST(runs_that_are_alike_are_few)
{
    enum { WARM_AND_THREE = 4 };
    static const double second[] = {10e-6, 10.05e-6, 10.5e-6, 20e-6};
    for (int i = 0; i < FAKES; i++)
        behave(i, second[FAKES - 1 - i]);
    outcome result = race(FAKES, 1, -1);
    all_true(result.best == 2, "%d", result.best); /* as good as the best, and before it */
    for (int i = 0; i < FAKES; i++)
        all_true(fake[i].runs == WARM_AND_THREE, "fake %d: %d runs", i, fake[i].runs);
    for (int i = 0; i < FAKES; i++) {
        behave(i, second[FAKES - 1 - i]);
        fake[i].noise = 0.02;
    }
    result = race(FAKES, 1, -1);
    all_true(result.best == 2, "with noise: %d", result.best);
    for (int i = 1; i < FAKES; i++)
        all_true(fake[i].runs > 30, "with noise, fake %d: %d runs", i, fake[i].runs);
}
END_TEST

/* The same times but for less than clocks can tell, and other ones on every rank. */
START_TEST(ties_are_broken_alike_on_all_ranks)
{
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < FAKES; i++)
            behave(i, 0.01 * (1 + 0.004 * ((rank * 7 + i * 5 + round) % 3) / 3));
        const outcome result = race(FAKES, 1, -1);
        int of_all[2] = {result.best, -result.best};
        MPI_Allreduce(MPI_IN_PLACE, of_all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        all_true(of_all[0] == -of_all[1], "round %d: %d here, up to %d elsewhere", round,
                 result.best, of_all[0]);
        all_true(result.best == 0, "round %d: %d, not the first", round, result.best);
    }
}
END_TEST

/* Not even a rank that is slow gets beyond it by more than one run; the best so far is chosen. */
START_TEST(the_time_limit_holds)
{
    for (double limit = 0.1; limit < 2; limit += 0.1) {
        for (int i = 0; i < FAKES; i++)
            behave(i, rank == 0 ? 0.1 - 0.001 * i : 0.01);
        const outcome result = race(FAKES, 3, limit);
        double spent = hands - 1000.0 * rank;
        MPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        all_true(spent <= limit + 0.2001, "limit %g s, %g spent", limit, spent);
        all_true(result.best >= 0 && result.best < FAKES, "%d", result.best);
        int ran = fake[result.best].runs;
        MPI_Bcast(&ran, 1, MPI_INT, 0, MPI_COMM_WORLD);
        all_true(ran > 0 || limit < 0.3, "limit %g s: %d, which never ran", limit, result.best);
        none_left();
    }
}
END_TEST

START_TEST(who_fails_on_one_rank_is_out_on_all)
{
    for (int lame = 0; lame < ranks; lame++) {
        behave(0, 0.001);
        behave(1, 0.02);
        behave(2, 0.01);
        fake[0].fails = rank == lame;
        weft_error_clear();
        const outcome result = race(3, 1, -1);
        all_true(result.best == (ranks > 1 ? 2 : result.best), "rank %d lame: %d", lame,
                 result.best);
        all_true(ranks == 1 || result.tried[0].outcome == WEFT_FAILED, "%s",
                 weft_outcome_name(result.tried[0].outcome));
        all_true(weft_error_text()[0] == '\0', "an error is left: %s", weft_error_text());
        none_left();
    }
}
END_TEST

START_TEST(when_all_fail_the_model_decides)
{
    for (int i = 0; i < FAKES; i++) {
        behave(i, 0.01);
        fake[i].fails = rank == ranks - 1;
    }
    const outcome result = race(FAKES, 2, -1);
    all_true(result.best == 0 && (ranks == 1 || result.seconds < 0), "%d, %g s", result.best,
             result.seconds);
    none_left();
}
END_TEST

/* Of large blocks Bruck's one stage, which is not the value that it names first. */
START_TEST(of_a_backend_the_value_is_listed_that_the_model_likes_most)
{
    const weft_settings settings = {.limit = -1};
    const weft_problem problem = {.comm = MPI_COMM_WORLD};
    const weft_search search = {.problem = &problem,
                                .settings = &settings,
                                .rigor = _i,
                                .environment.machine = {.per_node = ranks, .cores = ranks}};
    weft_layout from, to;
    weft_candidate candidate[WEFT_MAX_CANDIDATES];
    slab_layouts(2, (ptrdiff_t[]){64 * ranks, 64 * ranks}, 1, ranks, &from, &to);
    weft_exchange *exchange = weft_exchange_create(&from, &to, 8, 0, NULL, 0, MPI_COMM_WORLD);
    double *block = weft_model_blocks(exchange);
    weft_load load = weft_model_load(exchange);
    load.block = block;
    const int count = weft_methods_list(&search, exchange, candidate);
    int listed = 0;
    double least = 1;
    for (int i = 0; i < count; i++)
        if (!strcmp(candidate[i].method.backend->name, "bruck")) {
            listed++;
            least = candidate[i].model < least ? candidate[i].model : least;
        }
    all_true(listed >= 1 && (_i > 1 || listed == 1), "%d radices with rigor %d", listed, _i);
    for (int radix = 2; radix <= ranks; radix *= 2) {
        const double time =
            weft_model_time(&search.environment.machine, &load, weft_backend_named("bruck"), radix);
        all_true(least <= time, "bruck:%d, which takes %g s, is not listed, but %g s", radix, time,
                 least);
    }
    free(block);
    weft_exchange_destroy(exchange);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("methods");
    TCase *tests = tcase_create("methods");
    tcase_set_timeout(tests, 0);
    if (ranks > 1) { /* a rank alone Weft serves itself, and no clock of ours goes */
        tcase_add_test(tests, the_fastest_is_chosen_wherever_it_stands);
        tcase_add_test(tests, the_slowest_rank_is_what_counts);
        tcase_add_test(tests, who_is_clearly_slower_runs_once_if_it_is_to_be_quick);
        tcase_add_test(tests, a_disturbed_run_is_taken_again_unless_it_says_enough);
        tcase_add_test(tests, who_is_clearly_slower_runs_once_after_having_been_tried);
        tcase_add_test(tests, runs_that_are_alike_are_few);
        tcase_add_test(tests, ties_are_broken_alike_on_all_ranks);
        tcase_add_test(tests, the_time_limit_holds);
        tcase_add_loop_test(tests, of_a_backend_the_value_is_listed_that_the_model_likes_most, 0,
                            4);
    }
    tcase_add_test(tests, who_fails_on_one_rank_is_out_on_all);
    tcase_add_test(tests, when_all_fail_the_model_decides);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
