/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What plans on a device do beyond right numbers (test_dropin_device and its like see to these):
 * arrays that do not fit together, calls that fail at any point, streams, memory, reports.
 */
#include "api/fftw3-mpi.h"
#include "api/weft.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/arrays.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/twins.h"

enum { N0 = 8, N1 = 6, CAPACITY = 2 * N0 * N1 * 2 };

static const weft_device_library *library;
static const weft_standin_controls *controls;

static FFTW(complex) * complex_of(void *array)
{
    return array;
}

static FFTW(plan) plan_of(void *in, void *out, unsigned flags)
{
    return FFTW(mpi_plan_dft_2d)(N0, N1, complex_of(in), complex_of(out), MPI_COMM_WORLD,
                                 FFTW_FORWARD, flags);
}

/* How numbers get from rank to rank. */
static const char *const way[] = {"device", "waitall", "direct"};

/* Where this rank's rows begin, and how many they are. */
static ptrdiff_t begin_of(ptrdiff_t *rows)
{
    const ptrdiff_t block = (N0 + ranks - 1) / ranks;
    const ptrdiff_t first = block * rank < N0 ? block * rank : N0;
    *rows = N0 - first < block ? N0 - first : block;
    return first;
}

/* A plane wave along both axes, whose spectrum is one number, N0 N1, at (2, 1). */
static void set_wave(weft_real *array)
{
    const double turn = 6.283185307179586;
    ptrdiff_t rows;
    const ptrdiff_t first = begin_of(&rows);
    for (ptrdiff_t i = 0; i < rows * N1; i++) {
        const double angle = turn * (2.0 * (double)(first + i / N1) / N0 + (double)(i % N1) / N1);
        array[2 * i] = (weft_real)cos(angle);
        array[2 * i + 1] = (weft_real)sin(angle);
    }
    twin_push(array);
}

static bool is_spectrum(weft_real *array)
{
    ptrdiff_t rows;
    const ptrdiff_t first = begin_of(&rows);
    bool right = true;
    twin_pull(array);
    for (ptrdiff_t i = 0; i < rows * N1; i++) {
        const double wanted = first + i / N1 == 2 && i % N1 == 1 ? N0 * N1 : 0;
        right &= fabs((double)array[2 * i] - wanted) < 1e-9 * N0 * N1;
        right &= fabs((double)array[2 * i + 1]) < 1e-9 * N0 * N1;
    }
    return right;
}

static void refused(FFTW(plan) plan, const char *says)
{
    all_true(!plan && strstr(WEFT(last_error)(), says), "%s, not \"%s\": %s",
             plan ? "a plan" : "no plan", says, WEFT(last_error)());
}

START_TEST(arrays_must_lie_together)
{
    weft_real *one = arrays_fresh(CAPACITY, 0), *two = arrays_fresh(CAPACITY, 0);
    refused(plan_of(twin_of(one), two, FFTW_ESTIMATE), "the output is in host memory");
    refused(plan_of(one, twin_of(two), FFTW_ESTIMATE), "the input is in host memory");
    if (ranks > 1) /* as long as both ranks hold something */
        refused(
            plan_of(rank == 0 ? one : twin_of(one), rank == 0 ? two : twin_of(two), FFTW_ESTIMATE),
            "others arrays in host memory");
    arrays_free(one, 0);
    arrays_free(two, 0);
}
END_TEST

START_TEST(the_device_must_be_current)
{
    weft_real *one = arrays_fresh(CAPACITY, 0);
    library->use(1);
    void *there = library->allocate(sizeof(weft_real) * CAPACITY);
    library->use(0);
    refused(plan_of(there, there, FFTW_ESTIMATE), "device 0 is current");
    if (ranks > 1) /* on one rank alone */
        refused(plan_of(rank == 0 ? there : twin_of(one), rank == 0 ? there : twin_of(one),
                        FFTW_ESTIMATE),
                "device 0 is current");
    refused(plan_of(twin_of(one), there, FFTW_ESTIMATE), "the output is on device 1");
    library->use(1);
    FFTW(plan) plan = plan_of(there, there, FFTW_ESTIMATE);
    all_true(plan, "no plan on device 1: %s", WEFT(last_error)());
    library->use(0); /* runs find their device */
    FFTW(execute)(plan);
    FFTW(destroy_plan)(plan);
    all_true(library->current() == 0, "device %d is current", library->current());
    library->use(1);
    library->release(there);
    library->use(0);
    arrays_free(one, 0);
}
END_TEST

START_TEST(what_a_device_does_not_do)
{
    weft_real *one = arrays_fresh(CAPACITY, 0);
    refused(FFTW(mpi_plan_r2r_2d)(N0, N1, twin_of(one), twin_of(one), MPI_COMM_WORLD, FFTW_DHT,
                                  FFTW_DHT, FFTW_ESTIMATE),
            "devices cannot do r2r");
    const ptrdiff_t sizes[2] = {N0, N1};
    const int kinds[2] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD};
    refused(WEFT(plan_operator)(2, sizes, NULL, 1, twin_of(one), twin_of(one), NULL, kinds,
                                WEFT(derivative), NULL, MPI_COMM_WORLD, FFTW_ESTIMATE),
            "devices cannot call an operator");
    setenv("WEFT_BACKEND", "shared", 1);
    if (ranks > 1)
        refused(plan_of(twin_of(one), twin_of(one), FFTW_ESTIMATE), "its arrays lie on a device");
    unsetenv("WEFT_BACKEND");
    arrays_free(one, 0);
}
END_TEST

START_TEST(ranks_without_arrays_take_part)
{
    weft_real *one = arrays_fresh(CAPACITY, 0);
    const bool none = rank == 0 && ranks > 1;
    FFTW(plan) plan = plan_of(none ? NULL : twin_of(one), none ? NULL : twin_of(one), FFTW_MEASURE);
    all_true(plan, "no plan: %s", WEFT(last_error)());
    set_wave(one);
    FFTW(mpi_execute_dft)(plan, twin_of(one), twin_of(one));
    all_true(is_spectrum(one), "wrong numbers");
    FFTW(destroy_plan)(plan);
    arrays_free(one, 0);
}
END_TEST

/* Every call that can fail does once, on one rank, while a plan is made: it is made without what
 * failed, or there is none on any rank, with a sentence, and nothing is left. */
START_TEST(calls_that_fail_while_planning)
{
    static const char *const backend[] = {"device", "waitall", "direct", NULL};
    weft_real *one = arrays_fresh(CAPACITY, 0);
    int done = 0;
    if (backend[_i / 2 % 4])
        setenv("WEFT_BACKEND", backend[_i / 2 % 4], 1);
    for (long n = 1; n < 2000 && !done; n += 1 + n / (_i < 8 ? 40 : 10)) {
        const bool mine = n % ranks == rank;
        const long before = controls->calls();
        controls->fail_at(mine ? n : 0, _i % 2);
        FFTW(plan)
        plan = plan_of(twin_of(one), twin_of(one), _i < 8 ? FFTW_ESTIMATE : FFTW_MEASURE);
        controls->fail_at(0, false);
        int reached = mine && controls->calls() - before >= n, any;
        MPI_Allreduce(&reached, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        done = !any;
        all_true(plan || WEFT(last_error)()[0], "call %ld: no plan, and nobody says why", n);
        if (plan) {
            set_wave(one);
            FFTW(execute)(plan);
            all_true(is_spectrum(one), "call %ld: wrong numbers", n);
            FFTW(destroy_plan)(plan);
        }
    }
    unsetenv("WEFT_BACKEND");
    /* how many calls there are goes by the clock where plans are timed */
    all_true(done || _i >= 8, "there are too many calls");
    FFTW(plan) plan = plan_of(twin_of(one), twin_of(one), FFTW_ESTIMATE);
    all_true(plan, "no plan afterwards: %s", WEFT(last_error)());
    FFTW(destroy_plan)(plan);
    arrays_free(one, 0);
}
END_TEST

/* Plans made and destroyed leave nothing but the windows of the first. */
START_TEST(nothing_is_left)
{
    weft_real *one = arrays_fresh(CAPACITY, 0);
    int left[2] = {0};
    for (int turn = 0; turn < 6; turn++) {
        FFTW(plan) plan = plan_of(twin_of(one), twin_of(one), _i ? FFTW_MEASURE : FFTW_ESTIMATE);
        all_true(plan, "no plan: %s", WEFT(last_error)());
        FFTW(execute)(plan);
        FFTW(destroy_plan)(plan);
        left[turn > 2] = controls->left();
    }
    all_true(left[0] == left[1], "%d things at first, then %d", left[0], left[1]);
    arrays_free(one, 0);
}
END_TEST

/* Runs in a stream of the program's go on behind what is in it already, and before what comes. */
START_TEST(streams)
{
    static const char *const backend[] = {"device", "waitall", "direct", "device,waitall"};
    enum { PLANS = 2 };
    weft_real *array[PLANS];
    FFTW(plan) plan[PLANS];
    weft_queue *queue[PLANS];
    setenv("WEFT_BACKEND", backend[_i], 1);
    for (int i = 0; i < PLANS; i++) {
        array[i] = arrays_fresh(CAPACITY, 0);
        plan[i] = plan_of(twin_of(array[i]), twin_of(array[i]), FFTW_ESTIMATE);
        queue[i] = library->queue_create();
        all_true(plan[i], "no plan: %s", WEFT(last_error)());
        all_true(WEFT(plan_set_stream)(plan[i], library->queue_stream(queue[i])), "no stream: %s",
                 WEFT(last_error)());
    }
    unsetenv("WEFT_BACKEND");
    for (int turn = 0; turn < 8; turn++) {
        for (int i = 0; i < PLANS; i++)
            set_wave(array[i]);
        for (int i = 0; i < PLANS; i++) {
            if (turn % 2) {
                FFTW(execute)(plan[i]);
                continue;
            }
            all_true(WEFT(execute_start)(plan[i], twin_of(array[i]), twin_of(array[i])), "%s",
                     WEFT(last_error)());
            all_true(WEFT(execute_finish)(plan[i]), "%s", WEFT(last_error)());
        }
        for (int i = 0; i < PLANS; i++)
            library->queue_wait(queue[i]);
        for (int i = 0; i < PLANS; i++)
            all_true(is_spectrum(array[i]), "turn %d, plan %d: wrong numbers", turn, i);
    }
    all_true(WEFT(plan_set_stream)(plan[0], WEFT_OWN_STREAM), "%s", WEFT(last_error)());
    set_wave(array[0]);
    FFTW(execute)(plan[0]);
    all_true(is_spectrum(array[0]), "wrong numbers in its own stream");
    for (int i = 0; i < PLANS; i++) {
        FFTW(destroy_plan)(plan[i]);
        library->queue_destroy(queue[i]);
        arrays_free(array[i], 0);
    }
}
END_TEST

/* Whether it is as set_wave has it, times a number. */
static bool is_wave(weft_real *array, double times)
{
    weft_real *wave = arrays_fresh(CAPACITY, 0);
    ptrdiff_t rows;
    bool right = true;
    begin_of(&rows);
    set_wave(wave);
    twin_pull(array);
    for (ptrdiff_t i = 0; i < 2 * rows * N1; i++)
        right &= fabs((double)array[i] - times * (double)wave[i]) < 1e-9 * times;
    arrays_free(wave, 0);
    return right;
}

/* Four transforms forward give the numbers themselves, times (N0 N1)^2: to transposed order and
 * back, twice. What a run writes the run before it may still read, on another rank, and nobody
 * waits in between. */
START_TEST(runs_in_streams_follow_one_another)
{
    const unsigned order[2] = {FFTW_MPI_TRANSPOSED_OUT, FFTW_MPI_TRANSPOSED_IN};
    weft_real *array = arrays_fresh(CAPACITY, 0);
    weft_queue *queue[2];
    FFTW(plan) plan[2];
    setenv("WEFT_BACKEND", way[_i], 1);
    for (int i = 0; i < 2; i++) {
        plan[i] = plan_of(twin_of(array), twin_of(array), FFTW_ESTIMATE | order[i]);
        all_true(plan[i], "no plan: %s", WEFT(last_error)());
        queue[i] = i == 0 ? library->queue_create() : queue[0];
        WEFT(plan_set_stream)(plan[i], library->queue_stream(queue[i]));
    }
    unsetenv("WEFT_BACKEND");
    for (int turn = 0; turn < 20; turn++) {
        set_wave(array);
        for (int run = 0; run < 4; run++)
            FFTW(execute)(plan[run % 2]);
        library->queue_wait(queue[0]);
        all_true(is_wave(array, (double)(N0 * N1) * (N0 * N1)), "turn %d: wrong numbers", turn);
    }
    for (int i = 0; i < 2; i++)
        FFTW(destroy_plan)(plan[i]);
    library->queue_destroy(queue[0]);
    arrays_free(array, 0);
}
END_TEST

/* A plan of one rank gives everything to the stream at once. */
START_TEST(runs_in_a_stream_do_not_wait)
{
    if (ranks > 1)
        return;
    weft_real *one = arrays_fresh(CAPACITY, 0);
    weft_queue *queue = library->queue_create();
    FFTW(plan) plan = plan_of(twin_of(one), twin_of(one), FFTW_ESTIMATE);
    WEFT(plan_set_stream)(plan, library->queue_stream(queue));
    int waiting = 0;
    for (int turn = 0; turn < 30; turn++) {
        set_wave(one);
        FFTW(execute)(plan);
        waiting += controls->waiting() > 0;
        library->queue_wait(queue);
        all_true(is_spectrum(one), "wrong numbers");
    }
    all_true(waiting > 0, "every run has waited for its end");
    FFTW(destroy_plan)(plan);
    library->queue_destroy(queue);
    arrays_free(one, 0);
}
END_TEST

START_TEST(streams_that_cannot_be)
{
    weft_real *one = arrays_fresh(CAPACITY, 0);
    FFTW(plan) plan = plan_of(one, one, FFTW_ESTIMATE);
    all_true(!WEFT(plan_set_stream)(plan, NULL) && strstr(WEFT(last_error)(), "not on a device"),
             "%s", WEFT(last_error)());
    FFTW(destroy_plan)(plan);
    all_true(!WEFT(plan_set_stream)(NULL, NULL) && strstr(WEFT(last_error)(), "Weft's"), "%s",
             WEFT(last_error)());
    arrays_free(one, 0);
}
END_TEST

START_TEST(arrays_of_a_device)
{
    weft_real *real = WEFT(alloc_device_real)(100, MPI_COMM_WORLD);
    weft_complex *complex = WEFT(alloc_device_complex)(rank == 0 ? 100 : 0, MPI_COMM_WORLD);
    all_true(real && complex, "%s", WEFT(last_error)());
    all_true(library->where(real) == 0 && library->where(complex) == 0, "not on device 0");
    WEFT(free)(real);
    WEFT(free)(complex);
    all_true(!WEFT(alloc_device_real)(rank == 0 ? -1 : 1, MPI_COMM_WORLD),
             "the number of elements is -1");
    all_true(!WEFT(alloc_device_real)(PTRDIFF_MAX, MPI_COMM_WORLD), "of too many numbers");
    controls->fail_at(rank == 0, false);
    real = WEFT(alloc_device_real)(1, MPI_COMM_WORLD);
    controls->fail_at(0, false);
    all_true(!real && strstr(WEFT(last_error)(), "memory on the device"), "%s", WEFT(last_error)());
}
END_TEST

/* The grid is found by plans on the device; where there is none, on no rank. */
START_TEST(grids_tuned_on_a_device)
{
    const ptrdiff_t n[3] = {8, 6, 10};
    const struct standin_traffic before = controls->traffic();
    weft_grid grid = WEFT(grid_tune)(MPI_COMM_WORLD, 2, 3, n, 1, WEFT_DFT_FORWARD,
                                     FFTW_ESTIMATE | WEFT_ON_DEVICE);
    all_true(grid, "no grid: %s", WEFT(last_error)());
    all_true(controls->traffic().transforms > before.transforms, "nothing ran on a device");
    WEFT(grid_free)(grid);
    controls->fail_at(rank == 0, true);
    grid = WEFT(grid_tune)(MPI_COMM_WORLD, 2, 3, n, 1, WEFT_DFT_FORWARD,
                           FFTW_ESTIMATE | WEFT_ON_DEVICE);
    controls->fail_at(0, false);
    all_true(!grid && strstr(WEFT(last_error)(), "memory on the device"), "%s", WEFT(last_error)());
    const unsigned flags = rank == 0 ? FFTW_ESTIMATE : FFTW_ESTIMATE | WEFT_ON_DEVICE;
    if (ranks > 1)
        all_true(!WEFT(grid_tune)(MPI_COMM_WORLD, 2, 3, n, 1, WEFT_DFT_FORWARD, flags) &&
                     strstr(WEFT(last_error)(), "what is asked for"),
                 "%s", WEFT(last_error)());
}
END_TEST

/* The workspace of a plan is memory of its device, too. */
START_TEST(workspaces_lent)
{
    weft_real *one = arrays_fresh(CAPACITY, 0);
    FFTW(plan) plan = plan_of(twin_of(one), twin_of(one), FFTW_ESTIMATE);
    ptrdiff_t bytes;
    WEFT(plan_memory)(plan, &bytes, NULL);
    void *here = malloc((size_t)bytes + 64), *there = library->allocate((size_t)bytes + 64);
    all_true(!WEFT(plan_set_workspace)(plan, here, bytes + 64) &&
                 strstr(WEFT(last_error)(), "must be in the same memory"),
             "%s", WEFT(last_error)());
    all_true(WEFT(plan_set_workspace)(plan, there, bytes + 64), "%s", WEFT(last_error)());
    set_wave(one);
    FFTW(execute)(plan);
    all_true(is_spectrum(one), "wrong numbers");
    FFTW(destroy_plan)(plan);
    library->release(there);
    free(here);
    arrays_free(one, 0);
}
END_TEST

/* What a plan says of itself. */
START_TEST(plans_say_that_they_are_on_a_device)
{
    const bool staged = _i == 1;
    weft_real *one = arrays_fresh(CAPACITY, 0);
    setenv("WEFT_BACKEND", way[_i], 1);
    FFTW(plan) plan = plan_of(twin_of(one), twin_of(one), FFTW_ESTIMATE);
    const struct standin_traffic before = controls->traffic();
    FFTW(execute)(plan);
    const struct standin_traffic after = controls->traffic();
    char *said = FFTW(sprint_plan)(plan);
    all_true(strstr(said, "on device 0") || strstr(said, "nothing to do"), "%s", said);
    all_true(ranks == 1 || !strstr(said, "staged on the host") == !staged, "%s", said);
    all_true(ranks == 1 || _i > 0 || strstr(said, "of their devices"), "%s", said);
    all_true(after.transforms > before.transforms || rank >= N0 / 2, "no transforms on a device");
    all_true(staged || (after.up == before.up && after.down == before.down),
             "%s goes by way of the host", way[_i]);
    free(said);
    size_t length;
    FILE *report = open_memstream(&said, &length);
    WEFT(plan_report_json)(plan, report);
    fclose(report);
    all_true(strstr(said, "\"device\": 0,") && strstr(said, "\"device_name\": \"stand-in\""), "%s",
             said);
    all_true(ranks == 1 || strstr(said, staged ? "\"staged\": true" : "\"staged\": false"), "%s",
             said);
    free(said);
    FFTW(destroy_plan)(plan);
    unsetenv("WEFT_BACKEND");
    arrays_free(one, 0);
}
END_TEST

/* An MPI is believed when it says that it knows memory of a device, and a message shows it. */
START_TEST(messages_straight_from_the_device)
{
    weft_real *one = arrays_fresh(CAPACITY, 0);
    if (ranks == 1)
        return;
    setenv("WEFT_BACKEND", "direct", 1);
    controls->mpi_knows(rank != ranks - 1);
    refused(plan_of(twin_of(one), twin_of(one), FFTW_ESTIMATE), "does not say that it knows");
    controls->mpi_knows(true);
    twins_mpi_lies(true);
    refused(plan_of(twin_of(one), twin_of(one), FFTW_ESTIMATE), "arrived damaged");
    unsetenv("WEFT_BACKEND");
    FFTW(plan) plan = plan_of(twin_of(one), twin_of(one), FFTW_MEASURE);
    twins_mpi_lies(false);
    set_wave(one);
    FFTW(execute)(plan);
    all_true(is_spectrum(one), "wrong numbers");
    FFTW(destroy_plan)(plan);
    setenv("WEFT_BACKEND", "direct", 1);
    refused(plan_of(one, one, FFTW_ESTIMATE), "lie in memory of the host");
    unsetenv("WEFT_BACKEND");
    arrays_free(one, 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("on a device");
    TCase *tests = tcase_create("plans");
    library = twins_library();
    controls = twins_controls();
    tcase_add_test(tests, arrays_must_lie_together);
    tcase_add_test(tests, the_device_must_be_current);
    tcase_add_test(tests, what_a_device_does_not_do);
    tcase_add_test(tests, ranks_without_arrays_take_part);
    tcase_add_loop_test(tests, nothing_is_left, 0, 2);
    tcase_add_loop_test(tests, streams, 0, 4);
    tcase_add_loop_test(tests, runs_in_streams_follow_one_another, 0, 3);
    tcase_add_test(tests, runs_in_a_stream_do_not_wait);
    tcase_add_test(tests, streams_that_cannot_be);
    tcase_add_test(tests, arrays_of_a_device);
    tcase_add_test(tests, grids_tuned_on_a_device);
    tcase_add_test(tests, workspaces_lent);
    tcase_add_loop_test(tests, plans_say_that_they_are_on_a_device, 0, 3);
    tcase_add_test(tests, messages_straight_from_the_device);
    tcase_add_loop_test(tests, calls_that_fail_while_planning, 0, 16);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    twins_begin(STANDIN);
    twins_mpi_begin();
    return run_mpi(&argc, &argv, suite);
}
