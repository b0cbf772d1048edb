/* SPDX-License-Identifier: BSD-3-Clause */
#include "backends/memory/claim.h"

#include <sched.h>

enum { OWN, COMMON };

/* Decides which memory a run uses. Returns false when another rank has decided before. */
static bool decide(weft_claim *own, uint64_t before, uint64_t run, unsigned which)
{
    return atomic_compare_exchange_strong(&own->chosen, &before, run + which);
}

bool weft_claim_take(weft_claim *own, weft_claim *common, uint64_t run, int ranks)
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

void weft_claim_leave(weft_claim *own, weft_claim *common)
{
    if (atomic_fetch_sub(&own->left, 1) == 1)
        atomic_store(&common->holder, 0);
}

bool weft_claim_is_free(const weft_claim *common)
{
    return atomic_load(&common->holder) == 0;
}

bool weft_claim_must_wait(const weft_claim *own, const weft_claim *common, uint64_t run,
                          uint64_t earlier)
{
    return earlier && atomic_load(&common->holder) == earlier &&
           atomic_load(&own->chosen) - run > COMMON;
}
