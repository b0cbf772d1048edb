/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: in every run ranks read the numbers that others wrote. Plans of the same processes share
 * a window. It grows, frees its memory, and leaves nothing behind. If one rank cannot have it, no
 * rank has it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/segments.h"
#include "tests/mpi/windows.h"

/* A run in which one rank reads late. */
static bool read_late(weft_window *window, int run, size_t numbers, int late)
{
    bool ok = true;
    weft_window_begin(window);
    write_part(weft_window_part(window, rank), rank, run, numbers);
    weft_barrier_publish(&window->barrier);
    if (rank == late)
        usleep(500);
    for (int peer = 0; peer < ranks; peer++)
        ok &= holds(weft_window_part(window, peer), peer, run, numbers);
    weft_window_done(window);
    return ok;
}

TEST(numbers_are_read_before_they_are_overwritten, .to = 3)
{
    static const size_t numbers[] = {2, 64, 5000};
    bool ok = true;
    weft_window *window = opened(MPI_COMM_WORLD, numbers[_i] * sizeof(uint32_t));
    for (int run = 0; run < (ranks <= 2 ? 300 : 80); run++)
        ok &= run % 2 ? read_late(window, run, numbers[_i], run % ranks)
                      : run_once(window, MPI_COMM_WORLD, run, numbers[_i]);
    all_true(ok, "a part of %zu numbers has wrong numbers", numbers[_i]);
    weft_window_close(window);
}

/* The counter of a barrier wraps around; all ranks have the same count in every run. */
TEST(counts_may_overflow)
{
    bool ok = true;
    weft_window *window = opened(MPI_COMM_WORLD, 64 * sizeof(uint32_t));
    weft_barrier *barrier = &window->barrier;
    MPI_Barrier(MPI_COMM_WORLD);
    barrier->count = UINT32_MAX - 3;
    if (barrier->line)
        barrier->line[rank].published = barrier->line[rank].done = barrier->count;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int run = 0; run < 5; run++) /* with two steps each */
        ok &= run_once(window, MPI_COMM_WORLD, run, 64);
    all_true(ok && barrier->count == 6, "the count is %u", barrier->count);
    weft_window_close(window);
}

TEST(a_window_is_shared_by_all_plans_of_the_same_processes)
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

TEST(a_window_grows_while_plans_use_it)
{
    bool ok = true;
    const size_t small = 20000, numbers = small / sizeof(uint32_t);
    weft_window *first = opened(MPI_COMM_WORLD, small), *second[4];
    for (int step = 0; step < 4; step++) {
        /* One rank asks for much more bytes, the others for fewer than they have. */
        size_t more = rank == step % ranks ? small * (size_t)(40 << step) : 100;
        ok &= run_once(first, MPI_COMM_WORLD, step, numbers);
        second[step] = weft_window_open(MPI_COMM_WORLD, more);
        all_true(second[step] == first, "step %d: %s", step, weft_error_text());
        memset(weft_window_part(first, rank), 1, more);
        MPI_Barrier(MPI_COMM_WORLD);
        ok &= run_once(first, MPI_COMM_WORLD, step + 10, numbers);
    }
    all_true(ok, "after growing, parts have wrong numbers");
    for (int step = 0; step < 4; step++)
        weft_window_close(second[step]);
    all_true(run_once(first, MPI_COMM_WORLD, 7, numbers), "closing the larger ones broke it");
    weft_window_close(first);
}

/* Whether this machine really frees memory; emulated machines may not. */
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

/* Memory is freed at once if none may stay, otherwise by cleanup after the last plan; without
 * cleanup it stays for the next plan. */
TEST(memory_of_windows_is_freed, .to = 3)
{
    enum { BYTES = 4 << 20, AT_ONCE = 0, BY_CLEANUP = 1, STAYS = 2 };
    weft_window_keep_at_most(_i == AT_ONCE ? 0 : SIZE_MAX);
    weft_window *window = opened(MPI_COMM_WORLD, BYTES);
    const int before = segments_made;
    weft_window_cleanup();                                 /* the window is in use */
    const bool right = read_late(window, 1, BYTES / 4, 0); /* the other ranks close it before */
    weft_window_close(window);
    if (_i == BY_CLEANUP)
        weft_window_cleanup();
    all_true(right, "a rank freed its part while another one read it");
    /* Some ranks destroy and plan in another order. */
    window = opened(MPI_COMM_WORLD, BYTES);
    const uint32_t *part = weft_window_part(window, rank);
    if (_i == STAYS) {
        all_true(holds(part, rank, 1, BYTES / 4) || weft_memory_to_keep() / (size_t)ranks < BYTES,
                 "its memory was freed");
        all_true(segments_made == before, "%d windows were made", segments_made - before);
    } else {
        bool zero = true;
        for (int i = 0; i < BYTES / 4; i++)
            zero &= !part[i];
        all_true(zero || ranks == 1 || !gives_back(), "its memory stayed");
    }
    all_true(run_once(window, MPI_COMM_WORLD, 2, BYTES / 4), "the second run fails");
    weft_window_close(window);
    weft_window_cleanup();
    weft_window_cleanup();
    weft_window_keep_at_most(SIZE_MAX);
}

/* If threads may run plans at once, each communicator has a window. Consecutive runs use the same
 * memory, whichever ranks are late; simultaneous runs do not, in whichever order ranks start them.
 * (The fuzzer and scripts/threads run plans in threads.) */
TEST(windows_of_threads_share_memory_in_turn)
{
    enum { WINDOWS = 3, FEW = 1 << 12 }; /* whole pages */
    MPI_Comm comm[WINDOWS];
    weft_window *window[WINDOWS];
    bool same = true, apart = true, right = true;
    const void *place = NULL;
    weft_window_cleanup();       /* memory of exactly this size suffices for the next window */
    threads_at_once = rank == 0; /* one rank suffices */
    for (int i = 0; i < WINDOWS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
        window[i] = opened(comm[i], FEW * sizeof(uint32_t));
    }
    for (int turn = 0; turn < 30; turn++) {
        weft_window *it = window[turn % WINDOWS];
        weft_window_begin(it);
        place = place ? place : weft_window_part(it, 0);
        same &= weft_window_part(it, 0) == place;
        weft_barrier_publish(&it->barrier);
        if (rank == turn % ranks)
            usleep(2000);
        weft_window_done(it);
    }
    for (int turn = 0; turn < 20; turn++) {
        for (int i = 0; i < WINDOWS; i++)
            weft_window_begin(window[(i + turn + (turn < WINDOWS ? 0 : rank)) % WINDOWS]);
        for (int i = 0; i < WINDOWS; i++) {
            write_part(weft_window_part(window[i], rank), rank, turn + i, FEW);
            for (int j = 0; j < i; j++)
                apart &= weft_window_part(window[i], 0) != weft_window_part(window[j], 0);
        }
        for (int i = 0; i < WINDOWS; i++)
            weft_barrier_publish(&window[i]->barrier);
        for (int i = 0; i < WINDOWS; i++)
            for (int peer = 0; peer < ranks; peer++)
                right &= holds(weft_window_part(window[i], peer), peer, turn + i, FEW);
        for (int i = 0; i < WINDOWS; i++)
            weft_window_done(window[(i + turn) % WINDOWS]);
    }
    all_true(same, "runs that do not overlap use other memory");
    all_true(apart && right, "two runs at once use the same memory");
    for (int i = 0; i < WINDOWS; i++) {
        weft_window_close(window[i]);
        MPI_Comm_free(&comm[i]);
    }
    threads_at_once = false;
}

/* Some ranks destroy their plan before making the next, others after it. */
TEST(plans_are_closed_in_any_order)
{
    enum { BYTES = 2 << 20 };
    bool ok = true;
    weft_window *window = opened(MPI_COMM_WORLD, BYTES);
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
    all_true(ok, "parts have wrong numbers");
    weft_window_close(window);
}

/* A rank sends a large message before its run; the receiver waits for it after its own run. */
TEST(messages_arrive_while_a_rank_waits)
{
    enum { BYTES = 8 << 20 };
    char *message = malloc(BYTES);
    MPI_Request request = MPI_REQUEST_NULL;
    weft_window *window = opened(MPI_COMM_WORLD, 1000);
    all_true(message, "no memory");
    memset(message, rank, BYTES);
    if (rank == 1)
        MPI_Irecv(message, BYTES, MPI_CHAR, 0, 5, MPI_COMM_WORLD, &request);
    if (rank == 0 && ranks > 1)
        MPI_Send(message, BYTES, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
    bool ok = run_once(window, MPI_COMM_WORLD, 0, 100);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    all_true(ok && (rank != 1 || message[BYTES - 1] == 0), "the run or the message is wrong");
    weft_window_close(window);
    free(message);
}

/* Or the memory cannot be mapped, or has no pages, if all pages are touched at once. */
TEST(without_memory_on_one_rank_no_rank_gets_a_window, .to = 4)
{
    static const char *const says[] = {"cannot be mapped", "less than", "of memory left", "File"};
    bool ok = true;
    weft_window *small = opened(MPI_COMM_WORLD, 4000);
    size_t bytes = (size_t)(16 << 20) * (size_t)(_i + 1);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){_i < 3 ? RLIM_INFINITY : 1 << 20, RLIM_INFINITY});
    for (int loser = 0; loser<ranks; loser += ranks> 1 ? ranks - 1 : 1) {
        no_addresses = rank == loser && _i == 0;
        no_memory = rank == loser && _i == 1;
        memory_is_short = rank == loser && _i == 2;
        weft_window_touch_at_once(_i == 1);
        weft_window *large = weft_window_open(MPI_COMM_WORLD, bytes);
        no_addresses = no_memory = memory_is_short = false;
        all_true(!large, "rank %d had no memory, but there is a window", loser);
        all_true(strstr(weft_error_text(), says[_i]), "it says: %s", weft_error_text());
        /* The old window still works, and later there may be memory. */
        ok &= run_once(small, MPI_COMM_WORLD, loser, 1000);
    }
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
    all_true(ok, "the window has wrong numbers after it could not grow");
    weft_window *large = weft_window_open(MPI_COMM_WORLD, bytes);
    all_true(large && run_once(large, MPI_COMM_WORLD, 0, 5000), "%s", weft_error_text());
    weft_window_close(large);
    weft_window_close(small);
}

AROUND(.right = windows_right)
