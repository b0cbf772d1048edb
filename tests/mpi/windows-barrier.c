/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers between what is written and what is read, with each way of waiting. */
#include "backends/exchange/abort.h"
#include "backends/exchange/segment.h"
#include "backends/memory/barrier.h"
#include "kernels/base/error.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/windows.h"

enum { NUMBERS = 64 };

/* Of each rank, in memory that all share. */
typedef struct {
    weft_barrier_line line[64]; /* of all ranks, with rank 0 */
    uint32_t number[64][NUMBERS];
} shared;

static shared *share(weft_segment *segment)
{
    if (!weft_segment_open(MPI_COMM_WORLD, sizeof(shared), segment))
        weft_abort("%s", weft_error_text());
    return (shared *)(void *)segment->base;
}

START_TEST(both_kinds_of_barrier_order_writes_and_reads)
{
    weft_barrier barrier;
    weft_segment segment;
    shared *memory = share(&segment);
    bool ok = true;
    weft_barrier_open(&barrier, _i ? NULL : memory->line, rank, ranks);
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
    weft_segment_close(&segment);
}
END_TEST

/* Counts wrap around. */
START_TEST(counts_may_overflow)
{
    weft_barrier barrier;
    weft_segment segment;
    shared *memory = share(&segment);
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
    weft_segment_close(&segment);
}
END_TEST

void add_barriers(TCase *tests)
{
    tcase_add_loop_test(tests, both_kinds_of_barrier_order_writes_and_reads, 0, 2);
    tcase_add_test(tests, counts_may_overflow);
}
