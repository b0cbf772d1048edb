/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers between what is written and what is read, with each way of waiting. */
#include "backends/memory/barrier.h"
#include "kernels/base/error.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/windows.h"
#include "backends/memory/segment.h"

START_TEST(both_kinds_of_barrier_order_writes_and_reads)
{
    enum { NUMBERS = 64 };
    weft_segment segment;
    weft_barrier barrier;
    bool ok = true;
    all_true(weft_segment_make(&segment, MPI_COMM_WORLD, NUMBERS * sizeof(uint32_t)), "%s",
             weft_error_text());
    weft_barrier_open(&barrier, _i ? NULL : segment.line, rank, ranks);
    barrier.window = segment.window;
    MPI_Comm_dup(MPI_COMM_WORLD, &barrier.comm);
    for (int run = 0; run < (ranks <= 2 ? 200 : 50); run++) {
        weft_barrier_begin(&barrier);
        write_part((uint32_t *)(void *)segment.part[rank], rank, run, NUMBERS);
        weft_barrier_post(&barrier);
        weft_barrier_await_all(&barrier);
        for (int peer = 0; peer < ranks; peer++)
            ok &= holds((uint32_t *)(void *)segment.part[peer], peer, run, NUMBERS);
        weft_barrier_done(&barrier);
    }
    all_true(ok, "%s did not keep writes and reads apart", _i ? "MPI_Barrier" : "the lines");
    MPI_Comm_free(&barrier.comm);
    weft_segment_free(&segment);
}
END_TEST

/* Counts wrap around. */
START_TEST(counts_may_overflow)
{
    weft_segment segment;
    weft_barrier barrier;
    all_true(weft_segment_make(&segment, MPI_COMM_WORLD, 1), "%s", weft_error_text());
    weft_barrier_open(&barrier, segment.line, rank, ranks);
    barrier.posts = UINT32_MAX - 3;
    segment.line[rank].posted = segment.line[rank].done = barrier.posts;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int run = 0; run < 10; run++) {
        weft_barrier_begin(&barrier);
        weft_barrier_post(&barrier);
        weft_barrier_await_all(&barrier);
        weft_barrier_done(&barrier);
    }
    all_true(barrier.posts == 6, "the count is %u", barrier.posts);
    weft_segment_free(&segment);
}
END_TEST

void add_barriers(TCase *tests)
{
    tcase_add_loop_test(tests, both_kinds_of_barrier_order_writes_and_reads, 0, 2);
    tcase_add_test(tests, counts_may_overflow);
}
