/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans: a problem's chain, the schedule that wisdom knows or the search finds, and a reservation
 * of the workspace.
 */
#include <stdio.h>
#include <stdlib.h>
#include "agreement.h"
#include "clock.h"
#include "error.h"
#include "knowledge.h"
#include "mesh.h"
#include "plan-inside.h"
#include "report.h"
#include "search.h"
#include "where.h"
#include "workspace.h"

enum { MOST_CHAINS = 2 };

/* From wisdom, unless the user chooses. False: it is not there, or does not fit any more. */
static bool remember(WEFT(plan) * plan, const weft_task_at_hand *task, const weft_where *where)
{
    weft_decision decision;
    const weft_settings *settings = task->by->settings;
    if (settings->backend || settings->overlap ||
        !weft_known(task->problem, where, settings, &decision))
        return false;
    plan->schedule = WEFT(search_known)(task, &decision);
    plan->chain = decision.chain;
    plan->source = WEFT_BY_WISDOM;
    plan->seconds = decision.seconds;
    return plan->schedule != NULL;
}

static void find(WEFT(plan) * plan, const weft_task_at_hand *task, const weft_where *where)
{
    WEFT(found) found = WEFT(search_find)(task);
    const bool timed = task->by->rigor > 0;
    plan->schedule = found.schedule;
    plan->chain = found.chain;
    plan->source = found.by_hand ? WEFT_BY_HAND : timed ? WEFT_BY_TIMING : WEFT_BY_MODEL;
    plan->seconds = found.seconds;
    plan->cut_short = found.cut_short;
    if (!found.schedule || !timed)
        return;
    if (!WEFT(search_even_out)(task, &found)) {
        WEFT(schedule_destroy)(found.schedule);
        plan->schedule = NULL;
        return;
    }
    if (!found.by_hand && !found.cut_short) {
        const weft_decision decision =
            WEFT(search_decision)(found.schedule, found.chain, found.seconds);
        weft_learn(task->problem, where, task->by->settings, &decision);
    }
}

static bool reserve(WEFT(plan) * plan, MPI_Comm comm)
{
    const size_t bytes = WEFT(schedule_workspace)(plan->schedule);
    const bool reserved = weft_workspace_reserve(bytes);
    if (reserved)
        plan->workspace = bytes;
    return weft_agree(comm, reserved);
}

static bool known_or_found(WEFT(plan) * plan, const weft_task_at_hand *task,
                           const weft_where *where)
{
    if (remember(plan, task, where))
        return true;
    if ((task->problem->flags & FFTW_WISDOM_ONLY) && !task->by->settings->backend) {
        weft_error("there is no wisdom for %s", plan->name);
        return false;
    }
    find(plan, task, where);
    return plan->schedule != NULL;
}

static bool schedule(WEFT(plan) * plan, const weft_problem *problem, const weft_settings *settings,
                     double begin)
{
    weft_chain *chain = calloc(MOST_CHAINS, sizeof *chain);
    weft_where where;
    weft_mesh between;
    weft_search search = {.comm = problem->comm,
                          .settings = settings,
                          .rigor = plan->rigor,
                          .little_memory = (problem->flags & FFTW_CONSERVE_MEMORY) != 0,
                          .begin = begin,
                          .trials = &plan->trials};
    weft_task_at_hand task = {&search, chain, 0, 0, problem};
    bool ok = chain != NULL;
    if (!chain)
        weft_error("no memory for a plan");
    ok = weft_agree(problem->comm, ok) && weft_mesh_wish(problem->comm, &between);
    ok = ok && weft_where_find(problem->comm, WEFT_PRECISION, &where, &search.machine);
    if (ok) {
        const bool together = where.per_node == problem->ranks && !search.little_memory &&
                              weft_settings_share(settings);
        task.chains = weft_chain_candidates(problem, &between, together, chain, MOST_CHAINS);
        task.raced = weft_chain_raced(problem, task.chains, plan->rigor);
        ok = task.chains > 0; /* the same on all ranks */
    }
    if (ok) {
        where.between = between;
        ok = known_or_found(plan, &task, &where) && reserve(plan, problem->comm);
    }
    if (ok) {
        weft_problem_shape(problem, &chain[plan->chain].through, plan->shape, sizeof plan->shape);
        plan->planning_seconds = weft_search_spent(&search);
    }
    free(chain);
    return ok;
}

WEFT(plan) * WEFT(plan_make)(const weft_problem *problem)
{
    weft_settings settings = {0};
    const double begin = weft_clock();
    WEFT(plan) *plan = calloc(1, sizeof *plan);
    if (!plan)
        weft_error("no memory for a plan");
    bool ok = weft_agree(problem->comm, plan != NULL);
    ok = ok && weft_settings_read(problem->comm, &settings);
    if (ok) {
        plan->rank = problem->rank;
        plan->ranks = problem->ranks;
        plan->rigor = weft_rigor(problem->flags);
        weft_problem_name(problem, plan->name, sizeof plan->name);
        ok = problem->howmany == 0 || schedule(plan, problem, &settings, begin);
    }
    if (ok)
        WEFT(report_verbose)(plan, settings.verbose);
    weft_settings_free(&settings);
    if (!ok && plan) {
        WEFT(plan_destroy)(plan);
        plan = NULL;
    }
    return plan;
}

void WEFT(plan_run)(WEFT(plan) * plan, void *in, void *out)
{
    if (!plan->schedule)
        return;
    void *workspace = weft_workspace_borrow(plan->workspace);
    WEFT(schedule_run)(plan->schedule, in, out, workspace);
    weft_workspace_return(workspace);
}

void WEFT(plan_print)(const WEFT(plan) * plan, void (*print)(void *printer, const char *text),
                      void *printer)
{
    char head[128];
    snprintf(head, sizeof head, "(weft-%s", plan->shape[0] ? plan->shape : "nothing");
    print(printer, head);
    if (plan->schedule)
        WEFT(schedule_print)(plan->schedule, "\n  (", ")", print, printer);
    print(printer, ")");
}

weft_cost WEFT(plan_cost)(const WEFT(plan) * plan)
{
    weft_cost cost = {0};
    if (plan->schedule)
        cost.adds = WEFT(schedule_flops)(plan->schedule);
    cost.cost = plan->seconds > 0 ? plan->seconds : cost.adds;
    return cost;
}

void WEFT(plan_destroy)(WEFT(plan) * plan)
{
    if (plan->schedule)
        WEFT(schedule_destroy)(plan->schedule);
    weft_workspace_unreserve(plan->workspace);
    free(plan);
}
