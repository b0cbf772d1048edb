/* SPDX-License-Identifier: BSD-3-Clause */
/* How the ways of one schedule are chosen. */
#ifndef WEFT_SEARCH_CHOOSE_H
#define WEFT_SEARCH_CHOOSE_H

#include "planner/wisdom/decision.h"
#include "planner/search/methods.h"

enum { WEFT_SHARED_EVERYWHERE = -1, WEFT_SHARED_NOWHERE = 0 };

typedef struct {
    const weft_search *search;
    const weft_decision *known; /* NULL, or nothing is to be found out */
    int shared;                 /* bit i: exchange i through shared memory, if that can be */
    int took_shared;            /* where it is, by the search's choice */
    bool by_hand;
    bool picked_shared; /* the model or the search did, somewhere */
    double alone;       /* seconds of messages, so far */
    double most;        /* beyond which it is no use to go on; negative: whatever they take */
} weft_choosing;

/* A weft_choose for schedules; `context` is a weft_choosing. */
bool weft_search_choose(void *context, const weft_exchange *exchange, int which,
                        weft_method *method);

#endif
