/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making and running schedules. All that ranks decide together, whether an exchange or a backend
 * could be prepared, whether every rank has made its passes, goes through the agreement helper, in
 * the same order everywhere.
 */
#include <stdlib.h>
#include <string.h>
#include "agreement.h"
#include "error.h"
#include "schedule-parts.h"
#include "table.h"

enum { ALIGNMENT = 4096 };

/* The backend that needs no exchange of its own between two passes. */
#define SHARED "shared"

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t number_bytes(bool real)
{
    return real ? sizeof(weft_real) : sizeof(weft_complex);
}

static bool make_exchange(WEFT(schedule) * schedule, int i, const weft_chain *chain,
                          const weft_problem *problem)
{
    const weft_stage *from = &chain->stage[schedule->plan.stage[i]], *to = from + 1;
    weft_step *this = &schedule->step[i];
    this->exchange = weft_exchange_create(&from->after, &to->before, number_bytes(from->real_after),
                                          schedule->plan.flags[i], problem->comm);
    return this->exchange != NULL;
}

static int step_of(const WEFT(schedule) * schedule, int which)
{
    int i = 0;
    while (!schedule->plan.is_exchange[i] || which-- > 0)
        i++;
    return i;
}

int WEFT(schedule_exchanges)(const WEFT(schedule) * schedule)
{
    int count = 0;
    for (int i = 0; i < schedule->plan.steps; i++)
        count += schedule->plan.is_exchange[i];
    return count;
}

const weft_exchange *WEFT(schedule_exchange)(const WEFT(schedule) * schedule, int which)
{
    return schedule->step[step_of(schedule, which)].exchange;
}

weft_way WEFT(schedule_way)(const WEFT(schedule) * schedule, int which)
{
    const weft_step *this = &schedule->step[step_of(schedule, which)];
    if (this->window)
        return (weft_way){weft_backend_named(SHARED), 0};
    return (weft_way){weft_prepared_backend(this->prepared), weft_prepared_value(this->prepared)};
}

static bool set_way(WEFT(schedule) * schedule, int which, weft_way way)
{
    weft_step *this = &schedule->step[step_of(schedule, which)];
    weft_prepared *prepared = weft_prepare(this->exchange, way.backend, way.value);
    if (!prepared)
        return false;
    if (this->prepared)
        weft_prepared_release(this->prepared);
    this->prepared = prepared;
    return true;
}

static size_t step_workspace(const weft_step *this)
{
    if (this->prepared)
        return weft_prepared_workspace(this->prepared);
    return this->pass ? WEFT(pass_workspace)(this->pass) : 0;
}

void WEFT(schedule_lay_out)(WEFT(schedule) * schedule)
{
    size_t scratch = 0;
    for (int i = 0; i < schedule->plan.steps; i++) {
        const size_t bytes = step_workspace(&schedule->step[i]);
        scratch = bytes > scratch ? bytes : scratch;
    }
    schedule->part[1] = aligned(schedule->plan.work_bytes[0]);
    schedule->scratch = schedule->part[1] + aligned(schedule->plan.work_bytes[1]);
    schedule->workspace = schedule->scratch + aligned(scratch);
}

/* Where in its window the region of an exchange begins. */
static size_t bytes_before(const weft_steps *plan, const weft_step *step, int exchange)
{
    size_t bytes = 0;
    if (plan->back_to[exchange])
        exchange = plan->back_to[exchange];
    for (int i = 0; i < exchange; i++)
        if (plan->remote[i] && step[i].window == step[exchange].window)
            bytes += aligned(plan->window_bytes[i]);
    return bytes;
}

static bool open_window(const WEFT(schedule) * schedule, weft_step *this, size_t bytes)
{
    weft_window *window = weft_window_open(this->exchange->comm, bytes);
    if (this->window && window) /* the same, grown: one reference is enough */
        weft_window_close(window);
    else if (window)
        this->window = window;
    return weft_agree(schedule->comm, window != NULL);
}

/* Exchanges through windows. Those of the same ranks have the same window: each gets a region of
 * its own there, and the window is opened again with room for all. */
static bool open_windows(WEFT(schedule) * schedule)
{
    const weft_steps *plan = &schedule->plan;
    weft_step *step = schedule->step;
    bool ok = true;
    for (int i = 0; i < plan->steps; i++)
        if (plan->remote[i]) {
            step[i].from = calloc((size_t)step[i].exchange->ranks, sizeof *step[i].from);
            ok = ok && step[i].from;
        }
    if (!ok)
        weft_error("no memory for a schedule");
    ok = weft_agree(schedule->comm, ok);
    for (int i = 0; ok && i < plan->steps; i++)
        if (plan->remote[i])
            ok = open_window(schedule, &step[i], plan->window_bytes[i]);
    for (int i = 0; ok && i < plan->steps; i++) {
        if (!plan->remote[i])
            continue;
        step[i].region = bytes_before(plan, step, i);
        step[i].begins = step[i].ends = true;
        for (int j = 0; j < i; j++)
            if (plan->remote[j] && step[j].window == step[i].window) {
                step[i].begins = step[j].ends = false;
            }
        ok = open_window(schedule, &step[i], step[i].region + aligned(plan->window_bytes[i]));
    }
    return ok;
}

static bool make_exchanges(WEFT(schedule) * schedule, const weft_chain *chain,
                           const weft_problem *problem, const bool *remote)
{
    bool ok = weft_flow_steps(chain, problem, sizeof(weft_real), remote, &schedule->plan);
    ok = weft_agree(problem->comm, ok);
    for (int i = 0; ok && i < schedule->plan.steps; i++)
        if (schedule->plan.is_exchange[i])
            ok = make_exchange(schedule, i, chain, problem);
    return ok;
}

static void clear_steps(WEFT(schedule) * schedule)
{
    for (int i = 0; i < schedule->plan.steps; i++) {
        weft_step *this = &schedule->step[i];
        if (this->prepared)
            weft_prepared_release(this->prepared);
        if (this->window)
            weft_window_close(this->window);
        if (this->exchange)
            weft_exchange_destroy(this->exchange);
        if (this->pass)
            WEFT(pass_destroy)(this->pass);
        free(this->from);
    }
    memset(schedule->step, 0, sizeof schedule->step);
}

/* All backends are chosen before any is prepared. Those exchanges for which `shared` is chosen
 * everywhere go through windows where the passes around them can do with it: the steps are then
 * made anew. */
static bool choose_ways(WEFT(schedule) * schedule, const weft_chain *chain,
                        const weft_problem *problem, weft_choose choose, void *context)
{
    const int exchanges = WEFT(schedule_exchanges)(schedule);
    weft_way way[WEFT_MAX_STEPS];
    bool remote[WEFT_MAX_STAGES] = {false}, any = false, ok = true;
    for (int which = 0; ok && which < exchanges; which++)
        ok = choose(context, WEFT(schedule_exchange)(schedule, which), which, &way[which]);
    if (!weft_agree(problem->comm, ok))
        return false;
    for (int which = 0; which < exchanges; which++) {
        remote[which] =
            strcmp(way[which].backend->name, SHARED) == 0 && weft_flow_may_be_remote(chain, which);
        any |= remote[which];
    }
    if (any) {
        clear_steps(schedule);
        ok = make_exchanges(schedule, chain, problem, remote) && open_windows(schedule);
    }
    for (int which = 0; ok && which < exchanges; which++)
        ok = remote[which] || set_way(schedule, which, way[which]);
    return ok;
}

WEFT(schedule) * WEFT(schedule_make)(const weft_chain *chain, const weft_problem *problem,
                                     weft_choose choose, void *context,
                                     const weft_pass_wishes *wishes)
{
    WEFT(schedule) *schedule = calloc(1, sizeof *schedule);
    const bool nowhere[WEFT_MAX_STAGES] = {false};
    if (!schedule)
        weft_error("no memory for a schedule");
    if (!weft_agree(problem->comm, schedule != NULL)) {
        free(schedule);
        return NULL;
    }
    schedule->comm = problem->comm;
    bool ok = make_exchanges(schedule, chain, problem, nowhere) &&
              choose_ways(schedule, chain, problem, choose, context);
    if (ok) { /* the same on all ranks up to here */
        for (int i = 0; ok && i < schedule->plan.steps; i++)
            ok = schedule->plan.is_exchange[i] ||
                 WEFT(schedule_make_pass)(schedule, i, chain, problem, wishes);
        ok = weft_agree(problem->comm, ok);
    }
    if (!ok) {
        WEFT(schedule_destroy)(schedule);
        return NULL;
    }
    WEFT(schedule_lay_out)(schedule);
    return schedule;
}

bool WEFT(schedule_set_way)(WEFT(schedule) * schedule, int which, weft_way way)
{
    if (!set_way(schedule, which, way))
        return false;
    WEFT(schedule_lay_out)(schedule);
    return true;
}

size_t WEFT(schedule_workspace)(const WEFT(schedule) * schedule)
{
    return schedule->workspace;
}

void WEFT(schedule_destroy)(WEFT(schedule) * schedule)
{
    if (schedule)
        clear_steps(schedule);
    free(schedule);
}
