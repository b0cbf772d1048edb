/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: what is written into one is what is read from it, run after run; plans of the same
 * processes share one; it grows, gives its memory back, and leaves nothing behind; and when one
 * rank cannot have it, none does.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/segments.h"
#include "tests/mpi/windows.h"

START_TEST(what_is_written_is_read)
{
    static const size_t numbers[] = {2, 16, 5000};
    bool ok = true;
    weft_window *window = weft_window_open(MPI_COMM_WORLD, numbers[_i] * sizeof(uint32_t));
    all_true(window, "%s", weft_error_text());
    for (int run = 0; run < (ranks <= 2 ? 300 : 80); run++)
        ok &= run_once(window, MPI_COMM_WORLD, run, numbers[_i]);
    all_true(ok, "a part of %zu numbers did not hold what was written", numbers[_i]);
    weft_window_close(window);
}
END_TEST

/* The count of a barrier wraps around; all ranks have the same count in every run. */
START_TEST(counts_may_overflow)
{
    bool ok = true;
    weft_window *window = weft_window_open(MPI_COMM_WORLD, 64 * sizeof(uint32_t));
    all_true(window, "%s", weft_error_text());
    weft_barrier *barrier = weft_window_barrier(window);
    MPI_Barrier(MPI_COMM_WORLD);
    barrier->count = UINT32_MAX - 3;
    if (barrier->line)
        barrier->line[rank].published = barrier->line[rank].done = barrier->count;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int run = 0; run < 5; run++) /* of two steps each */
        ok &= run_once(window, MPI_COMM_WORLD, run, 64);
    all_true(ok && barrier->count == 6, "the count is %u", barrier->count);
    weft_window_close(window);
}
END_TEST

START_TEST(a_window_is_shared_by_all_plans_of_the_same_processes)
{
    MPI_Comm copy, reversed;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    weft_window *first = weft_window_open(MPI_COMM_WORLD, 1000);
    int before = segments_made;
    weft_window *second = weft_window_open(copy, 500);
    all_true(first && first == second && segments_made == before, "a copy has another window");
    weft_window *other = weft_window_open(reversed, 1000);
    all_true(other && (ranks == 1 || other != first), "another order has the same window");
    MPI_Comm_free(&copy);
    all_true(run_once(second, MPI_COMM_WORLD, 3, 100), "it fails once its communicator is gone");
    all_true(run_once(other, reversed, 4, 100), "in reversed order it fails");
    MPI_Comm_free(&reversed);
    weft_window_close(other);
    weft_window_close(first);
    weft_window_close(second);
}
END_TEST

START_TEST(it_grows_under_plans_that_use_it)
{
    bool ok = true;
    size_t small = 20000, numbers = small / sizeof(uint32_t);
    weft_window *first = weft_window_open(MPI_COMM_WORLD, small), *second[4];
    all_true(first, "%s", weft_error_text());
    for (int step = 0; step < 4; step++) {
        /* One rank asks for much more, the others for less than they have. */
        size_t more = rank == step % ranks ? small * (size_t)(40 << step) : 100;
        ok &= run_once(first, MPI_COMM_WORLD, step, numbers);
        second[step] = weft_window_open(MPI_COMM_WORLD, more);
        all_true(second[step] == first, "step %d: %s", step, weft_error_text());
        memset(weft_window_part(first, rank), 1, more);
        MPI_Barrier(MPI_COMM_WORLD);
        ok &= run_once(first, MPI_COMM_WORLD, step + 10, numbers);
    }
    all_true(ok, "after growing, parts did not hold what was written");
    for (int step = 0; step < 4; step++)
        weft_window_close(second[step]);
    all_true(run_once(first, MPI_COMM_WORLD, 7, numbers), "closing the larger ones broke it");
    weft_window_close(first);
}
END_TEST

/* Whether this machine gives memory back when it says so; emulated ones need not. */
static bool gives_back(void)
{
    unsigned char *memory =
        mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    memory[0] = 1;
    const bool gone = madvise(memory, 1 << 20, MADV_REMOVE) || !memory[0];
    munmap(memory, 1 << 20);
    return gone;
}

/* At once where none may stay, else when asked for. */
START_TEST(its_memory_is_given_back)
{
    enum { BYTES = 4 << 20 };
    weft_window_keep_at_most(_i ? SIZE_MAX : 0);
    weft_window *window = weft_window_open(MPI_COMM_WORLD, BYTES);
    all_true(window, "%s", weft_error_text());
    all_true(run_once(window, MPI_COMM_WORLD, 1, BYTES / 4), "the first run fails");
    weft_window_close(window);
    if (_i)
        weft_window_cleanup();
    /* Destroyed and planned again in another order on some ranks. */
    window = weft_window_open(MPI_COMM_WORLD, BYTES);
    all_true(window, "%s", weft_error_text());
    const unsigned char *part = weft_window_part(window, rank);
    bool zero = true;
    for (int i = 0; i < BYTES; i++)
        zero &= !part[i];
    all_true(zero || ranks == 1 || !gives_back(), "its memory stayed");
    all_true(run_once(window, MPI_COMM_WORLD, 2, BYTES / 4), "the second run fails");
    weft_window_close(window);
    weft_window_cleanup();
    weft_window_cleanup();
    weft_window_keep_at_most(SIZE_MAX);
}
END_TEST

START_TEST(its_memory_stays_for_the_next_plan)
{
    enum { BYTES = 4 << 20, SIGN = 77 };
    weft_window *window = weft_window_open(MPI_COMM_WORLD, BYTES);
    all_true(window, "%s", weft_error_text());
    weft_window_cleanup(); /* it is in use */
    ((unsigned char *)weft_window_part(window, rank))[BYTES - 1] = SIGN;
    weft_window_close(window);
    window = weft_window_open(MPI_COMM_WORLD, BYTES);
    const bool kept = ((unsigned char *)weft_window_part(window, rank))[BYTES - 1] == SIGN;
    all_true(kept || weft_memory_to_keep() / (size_t)ranks < BYTES, "it was given back");
    weft_window_close(window);
    weft_window_cleanup();
}
END_TEST

/* Some ranks destroy their plan before, others after making the next. */
START_TEST(plans_are_closed_in_any_order)
{
    enum { BYTES = 2 << 20 };
    bool ok = true;
    weft_window *window = weft_window_open(MPI_COMM_WORLD, BYTES);
    all_true(window, "%s", weft_error_text());
    for (int run = 0; run < 20; run++) {
        ok &= run_once(window, MPI_COMM_WORLD, run, BYTES / 8);
        bool before = (rank + run) % 2;
        if (before)
            weft_window_close(window);
        weft_window *next = weft_window_open(MPI_COMM_WORLD, BYTES);
        all_true(next == window, "%s", weft_error_text());
        if (!before)
            weft_window_close(window);
    }
    all_true(ok, "parts did not hold what was written");
    weft_window_close(window);
}
END_TEST

/* A rank may send a large message before its run, which the receiver waits for only after its own.
 */
START_TEST(waiting_lets_messages_pass)
{
    enum { BYTES = 8 << 20 };
    char *message = malloc(BYTES);
    MPI_Request request = MPI_REQUEST_NULL;
    weft_window *window = weft_window_open(MPI_COMM_WORLD, 1000);
    all_true(window && message, "%s", weft_error_text());
    memset(message, rank, BYTES);
    if (rank == 1)
        MPI_Irecv(message, BYTES, MPI_CHAR, 0, 5, MPI_COMM_WORLD, &request);
    if (rank == 0 && ranks > 1)
        MPI_Send(message, BYTES, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
    bool ok = run_once(window, MPI_COMM_WORLD, 0, 100);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    all_true(ok && (rank != 1 || message[BYTES - 1] == 0), "the run or the message went wrong");
    weft_window_close(window);
    free(message);
}
END_TEST

/* Or what is there of it cannot be had, where it is touched at once. */
START_TEST(when_one_rank_has_no_memory_none_gets_a_window)
{
    static const char *const says[] = {"cannot be mapped", "less than", "of memory left"};
    bool ok = true;
    weft_window *small = weft_window_open(MPI_COMM_WORLD, 4000);
    all_true(small, "%s", weft_error_text());
    size_t bytes = (size_t)(16 << 20) << _i;
    for (int loser = 0; loser<ranks; loser += ranks> 1 ? ranks - 1 : 1) {
        no_addresses = rank == loser && _i == 0;
        no_memory = rank == loser && _i == 1;
        memory_is_short = rank == loser && _i == 2;
        weft_window_touch_at_once(_i == 1);
        weft_window *large = weft_window_open(MPI_COMM_WORLD, bytes);
        weft_window_touch_at_once(false);
        no_addresses = no_memory = memory_is_short = false;
        all_true(!large, "rank %d had no memory, but there is a window", loser);
        all_true(strstr(weft_error_text(), says[_i]), "it says: %s", weft_error_text());
        /* What there was goes on, and later there may be room. */
        ok &= run_once(small, MPI_COMM_WORLD, loser, 1000);
    }
    all_true(ok, "the window did not survive that it could not grow");
    weft_window *large = weft_window_open(MPI_COMM_WORLD, bytes);
    all_true(large && run_once(large, MPI_COMM_WORLD, 0, 5000), "%s", weft_error_text());
    weft_window_close(large);
    weft_window_close(small);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("window");
    TCase *tests = tcase_create("windows");
    tcase_add_checked_fixture(tests, weft_error_clear, NULL);
    tcase_add_loop_test(tests, what_is_written_is_read, 0, 3);
    tcase_add_test(tests, counts_may_overflow);
    tcase_add_test(tests, a_window_is_shared_by_all_plans_of_the_same_processes);
    tcase_add_test(tests, it_grows_under_plans_that_use_it);
    tcase_add_loop_test(tests, its_memory_is_given_back, 0, 2);
    tcase_add_test(tests, its_memory_stays_for_the_next_plan);
    tcase_add_test(tests, plans_are_closed_in_any_order);
    tcase_add_test(tests, waiting_lets_messages_pass);
    tcase_add_loop_test(tests, when_one_rank_has_no_memory_none_gets_a_window, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return windows_status(run_mpi(&argc, &argv, suite));
}
