/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers between what is written and what is read, with each way of waiting. */
#include "backends/memory/barrier.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/windows.h"

enum { NUMBERS = 64 };

/* Of each rank, in memory that all share. */
typedef struct {
    weft_barrier_line line[64]; /* of all ranks, with rank 0 */
    uint32_t number[64][NUMBERS];
} shared;

static shared *share(MPI_Win *window)
{
    MPI_Aint size = rank ? 0 : sizeof(shared) + WEFT_BARRIER_LINE;
    int unit;
    char *base;
    MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, *window);
    MPI_Win_shared_query(*window, 0, &size, &unit, &base);
    base += WEFT_BARRIER_LINE - (uintptr_t)base % WEFT_BARRIER_LINE;
    return (shared *)(void *)base;
}

static void give_up(MPI_Win *window)
{
    MPI_Win_unlock_all(*window);
    MPI_Win_free(window);
}

START_TEST(both_kinds_of_barrier_order_writes_and_reads)
{
    weft_barrier barrier;
    MPI_Win window;
    shared *memory = share(&window);
    bool ok = true;
    weft_barrier_open(&barrier, _i ? NULL : memory->line, rank, ranks);
    barrier.window = window;
    MPI_Comm_dup(MPI_COMM_WORLD, &barrier.comm);
    for (int run = 0; run < (ranks <= 2 ? 200 : 50); run++) {
        weft_barrier_begin(&barrier);
        write_part(memory->number[rank], rank, run, NUMBERS);
        weft_barrier_publish(&barrier);
        for (int peer = 0; peer < ranks; peer++)
            ok &= holds(memory->number[peer], peer, run, NUMBERS);
        weft_barrier_done(&barrier);
    }
    all_true(ok, "%s did not keep writes and reads apart", _i ? "MPI_Barrier" : "the lines");
    MPI_Comm_free(&barrier.comm);
    give_up(&window);
}
END_TEST

/* Counts wrap around. */
START_TEST(counts_may_overflow)
{
    weft_barrier barrier;
    MPI_Win window;
    shared *memory = share(&window);
    weft_barrier_open(&barrier, memory->line, rank, ranks);
    barrier.count = UINT32_MAX - 3;
    memory->line[rank].published = memory->line[rank].done = barrier.count;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int run = 0; run < 10; run++) {
        weft_barrier_begin(&barrier);
        weft_barrier_publish(&barrier);
        weft_barrier_done(&barrier);
    }
    all_true(barrier.count == 6, "the count is %u", barrier.count);
    give_up(&window);
}
END_TEST

void add_barriers(TCase *tests)
{
    tcase_add_loop_test(tests, both_kinds_of_barrier_order_writes_and_reads, 0, 2);
    tcase_add_test(tests, counts_may_overflow);
}
