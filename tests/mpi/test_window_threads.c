/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows where threads may run plans at once: each communicator has one. Runs one after another
 * use the same memory, whatever ranks are late; runs at once do not, in whichever order ranks begin
 * them; and nobody waits for a run of another window that has not ended.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kernels/base/error.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/windows.h"

enum { WINDOWS = 3, NUMBERS = 3000 };

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)required;
    return PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, provided);
}

static MPI_Comm comm[WINDOWS];
static weft_window *window[WINDOWS];

static void open_all(size_t more)
{
    for (int i = 0; i < WINDOWS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        window[i] = weft_window_open(comm[i], NUMBERS * sizeof(uint32_t) + more * (size_t)i);
        all_true(window[i], "%s", weft_error_text());
    }
    all_true(window[0] != window[1] && window[1] != window[2], "two communicators have one window");
}

static void close_all(void)
{
    for (int i = 0; i < WINDOWS; i++) {
        weft_window_close(window[i]);
        MPI_Comm_free(&comm[i]);
    }
}

/* The part of rank 0 in a run, in which some rank is late. */
static void *place_of(weft_window *it, int late)
{
    weft_window_begin(it);
    void *place = weft_window_part(it, 0);
    weft_barrier_publish(weft_window_barrier(it));
    if (rank == late % ranks)
        usleep(2000);
    weft_window_done(it);
    return place;
}

START_TEST(runs_in_turn_use_one_memory)
{
    open_all(0);
    bool same = true;
    void *place = place_of(window[0], 0);
    for (int turn = 1; turn < 30; turn++)
        same &= place_of(window[turn % WINDOWS], turn) == place;
    all_true(same, "runs that do not overlap use other memory");
    close_all();
}
END_TEST

static void publish_all(void)
{
    for (int i = 0; i < WINDOWS; i++)
        weft_barrier_publish(weft_window_barrier(window[i]));
}

/* The first run of a window in some memory waits for the other ranks; after that every rank begins
 * runs in another order. */
START_TEST(runs_at_once_use_memory_of_their_own)
{
    bool right = true, apart = true;
    open_all(_i ? 100000 : 0);
    for (int turn = 0; turn < 40; turn++) {
        for (int i = 0; i < WINDOWS; i++)
            weft_window_begin(window[(i + turn + (turn < WINDOWS ? 0 : rank)) % WINDOWS]);
        for (int i = 0; i < WINDOWS; i++) {
            write_part(weft_window_part(window[i], rank), rank, turn + i, NUMBERS);
            for (int j = 0; j < i; j++)
                apart &= weft_window_part(window[i], 0) != weft_window_part(window[j], 0);
        }
        publish_all();
        for (int i = 0; i < WINDOWS; i++)
            for (int peer = 0; peer < ranks; peer++)
                right &= holds(weft_window_part(window[i], peer), peer, turn + i, NUMBERS);
        for (int i = 0; i < WINDOWS; i++)
            weft_window_done(window[(i + turn) % WINDOWS]);
    }
    all_true(right, "a part did not hold what was written");
    all_true(apart, "two runs at once use the same memory");
    for (int i = 0; i < WINDOWS; i++)
        right &= run_once(window[i], comm[i], i, NUMBERS);
    all_true(right, "runs in turn are wrong after runs at once");
    close_all();
}
END_TEST

static void *run_often(void *number)
{
    const int i = *(int *)number;
    bool right = true;
    for (int run = 0; run < (ranks <= 2 ? 400 : 60); run++)
        right &= run_once(window[i], comm[i], run * WINDOWS + i, NUMBERS);
    return right ? number : NULL;
}

START_TEST(threads_do_not_disturb_each_other)
{
    pthread_t thread[WINDOWS];
    int number[WINDOWS];
    bool right = true;
    open_all(5000);
    for (int i = 0; i < WINDOWS; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, run_often, &number[i]);
    }
    for (int i = 0; i < WINDOWS; i++) {
        void *result;
        pthread_join(thread[i], &result);
        right &= result != NULL;
    }
    all_true(right, "a thread's run read what another thread has written");
    close_all();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("window threads");
    TCase *tests = tcase_create("windows");
    tcase_add_checked_fixture(tests, weft_error_clear, NULL);
    tcase_add_test(tests, runs_in_turn_use_one_memory);
    tcase_add_loop_test(tests, runs_at_once_use_memory_of_their_own, 0, 2);
    tcase_add_test(tests, threads_do_not_disturb_each_other);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return windows_status(run_mpi(&argc, &argv, suite));
}
