/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choosing how each exchange of a schedule is carried out: as the user wants it, as is known, by
 * the model, or by timing messages by themselves.
 */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "planner/search/choose.h"

/* Parts of exchanges, one moved after the other, when memory is to be conserved. */
enum { FEW_AT_A_TIME = 32 };

/* What rank 0 was told, for backends may find other values where they have nothing to do. */
static bool share_method(MPI_Comm comm, bool ok, weft_method *method)
{
    char mine[128];
    weft_method_write(*method, mine, sizeof mine);
    if (!weft_agree(comm, ok))
        return false;
    char *text = weft_agree_text(comm, mine);
    if (text && strcmp(text, "auto") == 0)
        method->backend = NULL;
    else if (text)
        weft_method_read(text, method);
    const bool same = text != NULL;
    free(text);
    return same;
}

/* Takes those through memory out, unless there is nothing else, or else all others. */
static int sift(weft_ranked_method *candidate, int count, bool shared)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!candidate[i].method.backend->memory == !shared)
            candidate[kept++] = candidate[i];
    return kept > 0 ? kept : shared ? -1 : count;
}

/* A way of messages, the fastest by itself. */
static bool choose_messages(weft_choosing *to, const weft_exchange *exchange, int which,
                            weft_ranked_method *candidate, int count, weft_method *method)
{
    double seconds = -1;
    int best = 0;
    count = weft_methods_shortlist(candidate, count, to->search->rigor);
    if (to->most >= 0 && candidate[0].model > to->most) { /* timing them would take longer still */
        weft_methods_leave(to->search, which, candidate, count);
        seconds = candidate[0].model;
    } else if (to->search->rigor > 0 && !to->search->little_memory &&
               (count > 1 || to->most >= 0)) {
        best = weft_methods_race(to->search, exchange, which, candidate, count, &seconds);
    }
    *method = candidate[best].method;
    to->alone += seconds > 0 ? seconds : 0;
    if (to->most < 0 || to->alone <= to->most)
        return true;
    weft_error("messages take too long"); /* told to nobody: the search goes on without them */
    return false;
}

static bool choose_backend(weft_choosing *to, const weft_exchange *exchange, int which,
                           weft_method *method)
{
    weft_ranked_method candidate[WEFT_MAX_METHODS];
    const bool ok = weft_settings_choose(to->search->settings, exchange, which, method);
    if (!share_method(to->search->comm, ok, method))
        return false;
    if (method->backend) {
        to->by_hand = true;
        return true;
    }
    int count = weft_methods_list(to->search, exchange, candidate);
    if (count == 0)
        return false;
    if (to->search->rigor > 0) {
        const int through = to->shared >> which & 1 ? sift(candidate, count, true) : 0;
        if (through > 0) {
            weft_methods_shortlist(candidate, through, to->search->rigor);
            to->took_shared |= 1 << which;
            to->picked_shared = true;
            *method = candidate[0].method;
            return true;
        }
        count = sift(candidate, count, false);
    } else if (to->shared == WEFT_SHARED_NOWHERE) {
        count = sift(candidate, count, false);
    }
    if (!choose_messages(to, exchange, which, candidate, count, method))
        return false;
    to->picked_shared |= method->backend->memory != NULL;
    return true;
}

bool weft_search_choose(void *context, const weft_exchange *exchange, int which,
                        weft_method *method)
{
    weft_choosing *to = context;
    const int overlap = to->search->settings->overlap;
    if (to->known) {
        const bool there = which < to->known->exchanges;
        if (there)
            *method = to->known->method[which];
        else
            weft_error("what is known is of another schedule");
        return there;
    }
    if (!choose_backend(to, exchange, which, method))
        return false;
    if (method->parts == 0)
        method->parts = overlap > 0 ? overlap : to->search->little_memory ? FEW_AT_A_TIME : 0;
    to->by_hand |= overlap > 0;
    return true;
}
