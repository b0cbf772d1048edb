/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claims: which run may use the common memory. Where threads run plans at once, the windows of a
 * group share common memory, which one run at a time may use. A run that finds the common memory in
 * use takes the memory of its own window instead. Threads may begin runs in a different order on
 * every rank, so the first rank that begins a run decides for all ranks, by a word in shared
 * memory.
 *
 *     common memory    holder: the run that uses it; 0: none
 *     own memory       chosen: the last run of this window, and which memory it uses
 *                      left: number of ranks that have yet to leave the common memory
 *
 * A run is identified by a unique even number. Cost: one read of a cache line; two atomic exchanges
 * on the first rank; one atomic subtraction on each rank at the end.
 */
#ifndef WEFT_CLAIM_H
#define WEFT_CLAIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "backends/memory/barrier.h"

/* Lies in shared memory; must be all zeros at first. */
typedef struct {
    _Alignas(WEFT_BARRIER_LINE) _Atomic uint64_t holder;
    _Alignas(WEFT_BARRIER_LINE) _Atomic uint64_t
        chosen; /* the run's number, plus 1 if the run uses the common memory */
    atomic_int left;
} weft_claim;

/* Whether a run uses the common memory: the same answer on all of its `ranks` ranks. Does not wait
 * for other runs. */
bool weft_claim_take(weft_claim *own, weft_claim *common, uint64_t run, int ranks);
/* Ends the use of the common memory by this rank's run. */
void weft_claim_leave(weft_claim *own, weft_claim *common);
/* Whether no run uses the common memory. */
bool weft_claim_is_free(const weft_claim *common);
/* Whether no rank has decided yet about `run` while the run `earlier` still uses the common memory.
 */
bool weft_claim_must_wait(const weft_claim *own, const weft_claim *common, uint64_t run,
                          uint64_t earlier);

#endif
