/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans: a problem's chain, its schedule, and a reservation of the workspace.
 */
#include <stdio.h>
#include <stdlib.h>
#include "agreement.h"
#include "error.h"
#include "mesh.h"
#include "plan.h"
#include "schedule.h"
#include "workspace.h"

struct WEFT(plan) {
    WEFT(schedule) * schedule; /* NULL: there is nothing to do */
    size_t workspace;
    int ranks;
};

static void to_stderr(void *printer, const char *text)
{
    (void)printer;
    fputs(text, stderr);
}

static void report(const WEFT(plan) * plan, const weft_problem *problem, int verbose)
{
    if (verbose < 1 || problem->rank != 0)
        return;
    fprintf(stderr, "weft: plan for %d ranks, %s, workspace %zu bytes\n", problem->ranks,
            WEFT_PRECISION, plan->workspace);
    if (verbose >= 2 && plan->schedule)
        WEFT(schedule_print)(plan->schedule, "weft:   ", "\n", to_stderr, NULL);
}

static bool choose(void *context, const weft_exchange *exchange, int which, weft_way *way)
{
    return weft_settings_choose(context, exchange, which, way);
}

static bool schedule(WEFT(plan) * plan, const weft_problem *problem, int *verbose)
{
    weft_settings settings;
    weft_chain chain;
    weft_mesh mesh;
    if (!weft_mesh_wish(problem->comm, &mesh) || !weft_settings_read(problem->comm, &settings))
        return false;
    *verbose = settings.verbose;
    if (weft_chain_candidates(problem, &mesh, &chain, 1) > 0) /* the same on all ranks */
        plan->schedule = WEFT(schedule_make)(&chain, problem, choose, &settings);
    weft_settings_free(&settings);
    if (!plan->schedule)
        return false;
    const size_t bytes = WEFT(schedule_workspace)(plan->schedule);
    const bool reserved = weft_workspace_reserve(bytes);
    if (reserved)
        plan->workspace = bytes;
    return weft_agree(problem->comm, reserved);
}

WEFT(plan) * WEFT(plan_make)(const weft_problem *problem)
{
    int verbose = 0;
    WEFT(plan) *plan = calloc(1, sizeof *plan);
    if (!plan)
        weft_error("no memory for a plan");
    bool ok = weft_agree(problem->comm, plan != NULL);
    if (ok) {
        plan->ranks = problem->ranks;
        ok = problem->howmany == 0 || schedule(plan, problem, &verbose);
    }
    if (!ok) {
        if (plan)
            WEFT(plan_destroy)(plan);
        return NULL;
    }
    report(plan, problem, verbose);
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
    char head[64];
    snprintf(head, sizeof head, "(weft-slab-%d", plan->ranks);
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
    return cost;
}

void WEFT(plan_destroy)(WEFT(plan) * plan)
{
    if (plan->schedule)
        WEFT(schedule_destroy)(plan->schedule);
    weft_workspace_unreserve(plan->workspace);
    free(plan);
}
