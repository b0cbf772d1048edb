/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where threads run plans at once, the windows of a group have memory in common, which one run at a
 * time uses. A run that finds another one there takes the memory of its own window instead. Threads
 * begin runs in another order on every rank; so the rank that begins a run first decides for all of
 * them, by a word in shared memory.
 *
 *     common memory    holder: the run that uses it; 0: none
 *     own memory       chosen: the last run of this window, and where it is
 *                      left: ranks that have yet to leave the common memory
 *
 * Runs are even numbers, no two the same. Cost: a look at one cache line; for the first rank two
 * atomic exchanges, for each rank at the end one subtraction.
 */
#ifndef WEFT_CLAIM_H
#define WEFT_CLAIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "backends/memory/barrier.h"

/* In shared memory; all zeros at first. */
typedef struct {
    _Alignas(WEFT_BARRIER_LINE) _Atomic uint64_t holder;
    _Alignas(WEFT_BARRIER_LINE) _Atomic uint64_t chosen; /* run, and 1: in the common memory */
    atomic_int left;
} weft_claim;

/* Whether a run, on so many ranks, uses the common memory: the same answer on all of them. Does not
 * wait for other runs. */
bool weft_claim_take(weft_claim *own, weft_claim *common, uint64_t run, int ranks);
/* This rank's run has used the common memory, and does no more. */
void weft_claim_leave(weft_claim *own, weft_claim *common);
/* Whether no run uses the common memory. */
bool weft_claim_is_free(const weft_claim *common);
/* Whether `run` is undecided, and an earlier run is still in the common memory. */
bool weft_claim_must_wait(const weft_claim *own, const weft_claim *common, uint64_t run,
                          uint64_t earlier);

#endif
