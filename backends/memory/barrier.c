/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A barrier by counters in shared memory. Counters only grow, and may wrap around: the code
 * compares them by their difference. A rank announces its progress with one store, and waits by
 * reading one cache line of every rank. Processors read several lines at a time, so for the ranks
 * of one node this is faster than a tree.
 *
 * A rank that waits for long lets MPI progress, as MPI_Barrier would: another rank may be blocked,
 * outside of Weft, while it sends a large message to this rank.
 */
#include "backends/memory/barrier.h"

#include <sched.h>
#include <time.h>
#include "backends/exchange/communicator.h"
#include "kernels/base/cache.h"
#include "kernels/copy/copy.h"

enum {
    SPINS = 1000,         /* about 20 us */
    SPINS_CROWDED = 50,   /* with more ranks than cores */
    YIELDS_ALONE = 8,     /* yields before MPI may progress, which takes about as long as a yield */
    YIELDS = 2000,        /* yields before sleeping: a few ms */
    NAP_STEP = 1000,      /* ns: each sleep is this much longer than the one before */
    NAP_LONGEST = 500000, /* ns */
    LONG = 5000           /* turns of a wait that may need another thread: about 1 s */
};

void weft_barrier_open(weft_barrier *barrier, weft_barrier_line *line, int rank, int ranks)
{
    const bool has_lines = ATOMIC_INT_LOCK_FREE == 2 && !WEFT_RANKS_ARE_THREADS;
    *barrier = (weft_barrier){
        .line = has_lines ? line : NULL, .comm = MPI_COMM_NULL, .rank = rank, .ranks = ranks};
    barrier->spins = ranks > weft_cores() ? SPINS_CROWDED : SPINS;
    if (barrier->line) {
        atomic_store_explicit(&line[rank].published, 0, memory_order_relaxed);
        atomic_store_explicit(&line[rank].done, 0, memory_order_release);
    }
}

static bool reached(const atomic_uint *count, unsigned wanted)
{
    return (int)(atomic_load_explicit(count, memory_order_acquire) - wanted) >= 0;
}

static void spin(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#elif defined(__powerpc64__)
    __asm__ volatile("or 27,27,27" ::: "memory");
#endif
}

/* One turn of a longer wait: yields the core or sleeps, and lets MPI progress. */
static void rest(int turn)
{
    if (turn >= YIELDS_ALONE)
        weft_make_progress();
    if (turn < YIELDS) {
        sched_yield();
        return;
    }
    long nap = turn - YIELDS < NAP_LONGEST / NAP_STEP ? (turn - YIELDS) * NAP_STEP : NAP_LONGEST;
    nanosleep(&(struct timespec){.tv_nsec = nap}, NULL);
}

/* One turn of a waiting loop: spins in the first turns, then yields the core, then sleeps. Returns
 * the next turn. */
static int pause_turn(const weft_barrier *barrier, int turn)
{
    if (turn < barrier->spins)
        spin();
    else
        rest(turn - barrier->spins);
    return turn + (turn < barrier->spins + YIELDS + NAP_LONGEST);
}

static void wait_for(const weft_barrier *barrier, const atomic_uint *count, unsigned wanted)
{
    int turn = 0;
    while (!reached(count, wanted))
        turn = pause_turn(barrier, turn);
}

static void meet(const weft_barrier *barrier)
{
    atomic_thread_fence(memory_order_seq_cst);
    MPI_Barrier(barrier->comm);
    atomic_thread_fence(memory_order_seq_cst);
}

void weft_barrier_begin(weft_barrier *barrier)
{
    if (!barrier->line)
        meet(barrier);
    for (int rank = 0; barrier->line && rank < barrier->ranks; rank++)
        wait_for(barrier, &barrier->line[rank].done, barrier->count);
}

void weft_barrier_publish(weft_barrier *barrier)
{
    weft_stream_fence();
    barrier->count++;
    if (!barrier->line) {
        meet(barrier);
        return;
    }
    atomic_store_explicit(&barrier->line[barrier->rank].published, barrier->count,
                          memory_order_release);
    for (int rank = 0; rank < barrier->ranks; rank++)
        wait_for(barrier, &barrier->line[rank].published, barrier->count);
}

void weft_barrier_done(weft_barrier *barrier)
{
    if (barrier->line)
        atomic_store_explicit(&barrier->line[barrier->rank].done, barrier->count,
                              memory_order_release);
}

bool weft_barrier_drain(const weft_barrier *barrier)
{
    bool drained = barrier->line != NULL;
    int turn = 0;
    for (int rank = 0; drained && rank < barrier->ranks; rank++)
        drained = reached(&barrier->line[rank].published, barrier->count);
    for (int rank = 0; drained && rank < barrier->ranks; rank++) {
        while (!(drained = reached(&barrier->line[rank].done, barrier->count)) && turn < LONG)
            turn = pause_turn(barrier, turn);
    }
    return drained;
}

/* Which memory a run uses: a bit of `chosen`. */
enum { OWN, COMMON };

/* Number of this thread's runs that are in common memory now. */
static _Thread_local int runs_in_common;

/* Decides which memory a run uses. Returns false when another rank has decided before. */
static bool decide(weft_claim *own, uint64_t before, uint64_t run, unsigned which)
{
    return atomic_compare_exchange_strong(&own->chosen, &before, run + which);
}

/* Whether a run uses the common memory. Does not wait for other runs. */
static bool take(weft_claim *own, weft_claim *common, uint64_t run, int ranks)
{
    for (;;) {
        const uint64_t chosen = atomic_load(&own->chosen);
        uint64_t holder = 0;
        if (chosen - run <= COMMON)
            return chosen - run == COMMON;
        if (atomic_compare_exchange_strong(&common->holder, &holder, run)) {
            atomic_store(&own->left, ranks);
            if (!decide(own, chosen, run, COMMON))
                /* If another rank saw the memory in use and chose OWN, release the memory. */
                atomic_store(&common->holder, 0);
        } else if (holder == run) {
            sched_yield(); /* another rank is about to decide */
        } else {
            decide(own, chosen, run, OWN);
        }
    }
}

/* If no rank has decided yet, and the common memory is still claimed by a run that has already
 * ended on this rank, this rank waits for the end of that run on the other ranks: all of them have
 * published for the last time, and only have to read and leave. But a thread that has itself a run
 * in other common memory waits only for a limited time, because runs of several threads could
 * otherwise wait for one another. */
bool weft_claim_begin(weft_claim *own, weft_claim *common, uint64_t run,
                      const _Atomic uint64_t *ended, const weft_barrier *barrier)
{
    for (int turn = 0; runs_in_common == 0 || turn < LONG; turn = pause_turn(barrier, turn)) {
        const uint64_t earlier = atomic_load(ended);
        if (!earlier || atomic_load(&common->holder) != earlier ||
            atomic_load(&own->chosen) - run <= COMMON)
            break;
    }
    const bool in_common = take(own, common, run, barrier->ranks);
    runs_in_common += in_common;
    return in_common;
}

void weft_claim_end(weft_claim *own, weft_claim *common, uint64_t run, _Atomic uint64_t *ended)
{
    atomic_store(ended, run);
    if (atomic_fetch_sub(&own->left, 1) == 1)
        atomic_store(&common->holder, 0);
    runs_in_common--;
}
