/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans on a device whose work goes to streams of the program. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/on-device.h"

static void give_stream(const kept_plan *my, weft_queue *queue)
{
    all_true(WEFT(plan_set_stream)(my->run.plan, gpu->queue_stream(queue)), "no stream: %s",
             WEFT(last_error)());
}

/* A run in a stream of the program is done after earlier work of the stream, and before later work.
 */
TEST(streams, .to = 4)
{
    enum { PLANS = 2 };
    kept_plan my[PLANS];
    weft_queue *queue[PLANS];
    for (int i = 0; i < PLANS; i++) {
        on_device_make(&my[i], on_device_ways[_i], FFTW_ESTIMATE);
        queue[i] = gpu->queue_create();
        give_stream(&my[i], queue[i]);
    }
    for (int turn = 0; turn < 8; turn++) {
        for (int i = 0; i < PLANS; i++)
            trial_fill(&my[i].run);
        for (int i = 0; i < PLANS; i++) {
            void *array = twin_of(my[i].run.in);
            if (turn % 2)
                FFTW(execute)(my[i].run.plan);
            else
                all_true(WEFT(execute_start)(my[i].run.plan, array, array) &&
                             WEFT(execute_finish)(my[i].run.plan),
                         "%s", WEFT(last_error)());
        }
        for (int i = 0; i < PLANS; i++) {
            gpu->queue_wait(queue[i]);
            trial_check(&my[i].run);
            all_true(!my[i].run.text[0], "turn %d, plan %d: %s", turn, i, my[i].run.text);
        }
    }
    all_true(WEFT(plan_set_stream)(my[0].run.plan, WEFT_OWN_STREAM), "%s", WEFT(last_error)());
    on_device_check(&my[0]);
    for (int i = 0; i < PLANS; i++) {
        kept_drop(&my[i]);
        gpu->queue_destroy(queue[i]);
    }
}

/* Runs alternate between a forward transform to transposed order and one back. A run may write
 * numbers that the run before still reads on another rank, and no rank waits between runs. */
TEST(runs_in_streams_follow_one_another, .to = 3)
{
    enum { RUNS = 4 };
    kept_plan there, back;
    dropin_case it = dropin_single(&on_device_case, FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_IN);
    weft_queue *queue = gpu->queue_create();
    on_device_make(&there, on_device_ways[_i], FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
    it.sign = FFTW_BACKWARD;
    setenv("WEFT_BACKEND", on_device_ways[_i], 1);
    void *array = twin_of(there.run.in);
    FFTW(plan) inverse = dropin_plan(&it, array, array, MPI_COMM_WORLD);
    unsetenv("WEFT_BACKEND");
    on_device_make(&back, NULL, FFTW_ESTIMATE); /* for its arrays: natural order on both sides */
    give_stream(&there, queue);
    all_true(WEFT(plan_set_stream)(inverse, gpu->queue_stream(queue)), "no stream");
    for (int turn = 0; turn < 20; turn++) {
        trial_fill(&there.run);
        for (int run = 0; run < RUNS; run++)
            FFTW(execute)(run % 2 ? inverse : there.run.plan);
        gpu->queue_wait(queue);
        twin_pull(there.run.in);
        weft_real *expected = back.run.in; /* the input, times (N0 N1)^2 */
        bool right = true;
        arrays_fill(expected, &back.of.side[0], back.of.all[0]);
        for (ptrdiff_t i = 0; i < back.of.side[0].slots; i++)
            right &= fabs((double)(there.run.in[i] - N0 * N1 * N0 * N1 * expected[i])) < 1e-9;
        all_true(right, "turn %d: wrong numbers", turn);
    }
    FFTW(destroy_plan)(inverse);
    kept_drop(&there);
    kept_drop(&back);
    gpu->queue_destroy(queue);
}

/* A plan of one rank adds all of its work to the stream at once. */
TEST(runs_in_a_stream_do_not_wait)
{
    int waiting = 0;
    kept_plan my;
    if (ranks > 1)
        return;
    weft_queue *queue = gpu->queue_create();
    on_device_make(&my, NULL, FFTW_ESTIMATE);
    give_stream(&my, queue);
    for (int turn = 0; turn < 30; turn++) {
        trial_fill(&my.run);
        FFTW(execute)(my.run.plan);
        waiting += standin->waiting() > 0;
        gpu->queue_wait(queue);
        trial_check(&my.run);
        all_true(!my.run.text[0], "%s", my.run.text);
    }
    all_true(waiting > 0, "every run has waited for its end");
    kept_drop(&my);
    gpu->queue_destroy(queue);
}

TEST(invalid_streams_are_refused)
{
    weft_real *one = arrays_fresh(CAPACITY, 0);
    FFTW(plan) plan = on_device_plan(one, one, FFTW_ESTIMATE);
    refused(WEFT(plan_set_stream)(plan, NULL), "not on a device");
    FFTW(destroy_plan)(plan);
    refused(WEFT(plan_set_stream)(NULL, NULL), "Weft's");
    arrays_free(one, 0);
}
