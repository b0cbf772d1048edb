/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes one schedule along a given path: chooses how each exchange is carried out. The user's
 * choice comes first, then shared memory where the caller asks for it, then messages. For messages,
 * ESTIMATE takes the method with the shortest model time; MEASURE takes the one that is fastest
 * when the exchange runs alone (methods.c).
 */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "planner/search/search.h"
#include "planner/wisdom/fftw.h"

/* Drops candidates whose backends share memory on the node (`on_node`), or go through memory that
 * passes use, unless all do. Returns how many are left. */
static int leave_out(weft_candidate *candidate, int count, bool on_node)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const weft_backend *backend = candidate[i].method.backend;
        if (on_node ? !backend->shared : !backend->memory)
            candidate[kept++] = candidate[i];
    }
    return kept > 0 ? kept : count;
}

/* Chooses the method of messages that is fastest when this exchange runs alone. False with an
 * error when the messages of the schedule take longer than `most`. */
static bool choose_messages(weft_search_options *to, const weft_exchange *exchange, int which,
                            weft_candidate *candidate, int count, weft_method *method)
{
    int best = 0;
    count = weft_methods_shortlist(candidate, count, to->search->rigor);
    if (to->most > 0 && candidate[0].model > to->most) { /* no use in timing it */
        weft_methods_tried(to->search, which, candidate, count);
        candidate[0].seconds = candidate[0].model;
    } else if (to->search->rigor > 0 && !weft_little_memory(to->search->problem) &&
               (count > 1 || to->most > 0)) {
        const bool quick = to->most > 0; /* a small difference does not matter here */
        best = weft_methods_race(to->search, exchange, which, candidate, count, quick);
    }
    *method = candidate[best].method;
    to->model += candidate[best].model;
    to->messages += candidate[best].seconds > 0 ? candidate[best].seconds : 0;
    return to->most == 0 || to->messages <= to->most ||
           weft_error("messages take too long"); /* the search discards this text */
}

static bool choose_backend(weft_search_options *to, const weft_exchange *exchange, int which,
                           weft_method *method)
{
    weft_candidate candidate[WEFT_MAX_CANDIDATES];
    const weft_problem *problem = to->search->problem;
    const bool ok = weft_settings_choose(to->search->settings, exchange, which, method);
    if (to->search->settings->named > 0 && !weft_agree(problem->comm, ok))
        return false;
    if (method->backend) { /* on all ranks */
        /* a backend may find another value on a rank that sends and receives nothing */
        method->value = (int)weft_agree_max(problem->comm, problem->rank == 0 ? method->value : -1);
        to->by_hand = true;
        return true;
    }
    int count = weft_methods_list(to->search, exchange, candidate);
    if (count == 0)
        return false;
    const bool timed = to->search->rigor > 0, shares = timed && (to->shared >> which & 1);
    if (to->refused)
        count = leave_out(candidate, count, true);
    for (int i = 0; i < count && shares; i++)
        if (candidate[i].method.backend->memory) {
            to->took_shared |= (int64_t)1 << which;
            to->picked_shared = true;
            *method = candidate[i].method;
            return true;
        }
    if (timed || to->shared == WEFT_SHARE_NONE)
        count = leave_out(candidate, count, false);
    if (!choose_messages(to, exchange, which, candidate, count, method))
        return false;
    to->picked_shared |= method->backend->memory || method->backend->shared;
    return true;
}

static bool choose(void *context, const weft_exchange *exchange, int which, weft_method *method)
{
    weft_search_options *to = context;
    if (!to->known)
        return choose_backend(to, exchange, which, method);
    *method = to->known->method[which];
    return true;
}

weft_schedule *weft_search_make(int path, weft_search_options *to)
{
    const weft_search *by = to->search;
    const weft_machine *machine = &by->environment.machine;
    const double limit = by->settings->limit;
    const weft_pass_options options = {
        .variants = to->known && to->known->passes[0] ? to->known->passes : NULL,
        /* timing takes memory, so with little memory the passes may not time anything */
        .until = weft_little_memory(by->problem) ? by->begin
                 : limit < 0                     ? 0
                                                 : by->begin + limit,
        .ranks_per_core = (machine->per_node + machine->cores - 1) / machine->cores,
    };
    return weft_schedule_make(&by->path[path], by->problem, choose, to, &options);
}

weft_schedule *weft_search_known(const weft_search *search, const weft_decision *decision)
{
    weft_search_options to = {.search = search, .known = decision};
    if (decision->path >= 0 && decision->path < search->paths &&
        decision->exchanges == search->path[decision->path].stages - 1)
        return weft_search_make(decision->path, &to);
    weft_error("the decision describes another schedule");
    return NULL;
}

/* Broadcasts the wisdom of rank 0's FFTW, so that other ranks need not plan the same transforms
 * again. */
static void share_fftw_wisdom(const weft_problem *problem)
{
    char *mine = problem->rank == 0 ? weft_serial_export() : NULL;
    weft_common_text common;
    weft_broadcast_text(problem->comm, mine, &common);
    if (common.text && problem->rank > 0)
        weft_serial_import(common.text, false);
    weft_common_text_free(&common);
    free(mine);
}

weft_decision weft_search_decision(const weft_schedule *schedule, int path)
{
    weft_decision decision = {.path = path, .exchanges = weft_schedule_exchanges(schedule)};
    for (int i = 0; i < decision.exchanges; i++)
        decision.method[i] = weft_step_method(weft_schedule_exchange(schedule, i));
    weft_schedule_variants(schedule, -1, decision.passes, sizeof decision.passes);
    return decision;
}

/* Whether this rank and rank 0 have different variants of a pass. Ranks without data have no
 * passes ("-"). */
static bool differ(const char *mine, const char *theirs)
{
    for (size_t length, other; *mine;
         mine += length + (mine[length] == ';'), theirs += other + (theirs[other] == ';')) {
        length = strcspn(mine, ";");
        other = strcspn(theirs, ";");
        if (*mine != '-' && *theirs != '-' && other > 0 &&
            (length != other || memcmp(mine, theirs, length) != 0))
            return true;
    }
    return false;
}

bool weft_search_even_out(const weft_search *search, weft_schedule **schedule)
{
    MPI_Comm comm = search->problem->comm;
    weft_decision decision = weft_search_decision(*schedule, search->chosen);
    weft_common_text passes;
    weft_broadcast_text(comm, decision.passes, &passes);
    if (!passes.text || weft_agree_max(comm, differ(decision.passes, passes.text)) > 0) {
        weft_schedule_destroy(*schedule); /* first, so that the next one uses its windows */
        *schedule = NULL;
        if (passes.text) {
            share_fftw_wisdom(search->problem);
            strcpy(decision.passes, passes.text);
            *schedule = weft_search_known(search, &decision);
        }
    }
    weft_common_text_free(&passes);
    return *schedule != NULL;
}
