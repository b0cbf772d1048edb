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
#include "ways.h"

static size_t number_bytes(bool real)
{
    return real ? sizeof(weft_real) : sizeof(weft_complex);
}

/* All of an exchange, and its parts when it is cut. */
static bool make_exchange(WEFT(schedule) * schedule, int i, const weft_chain *chain,
                          const weft_problem *problem)
{
    const weft_stage *from = &chain->stage[schedule->plan.stage[i]], *to = from + 1;
    const size_t element = number_bytes(from->real_after);
    const unsigned flags = schedule->plan.flags[i];
    weft_step *this = &schedule->step[i];
    if (schedule->plan.lent[i]) {
        const weft_layout *users = schedule->plan.put[i] ? &to->after : &from->before;
        weft_box box;
        weft_layout_box(users, problem->rank, &box);
        this->lent_bytes = (size_t)weft_layout_elements(users, &box) * element;
    }
    this->exchange = weft_exchange_create(&from->after, &to->before, element, flags, problem->comm);
    bool ok = this->exchange != NULL;
    if (ok && this->parts == 1)
        this->part[0].exchange = this->exchange;
    for (int part = 0; ok && this->parts > 1 && part < this->parts; part++) {
        this->part[part].exchange = weft_exchange_create_part(
            &from->after, &to->before, element, flags, &schedule->plan.cut[i], part, problem->comm);
        ok = this->part[part].exchange != NULL;
    }
    return ok;
}

static int step_of(const WEFT(schedule) * schedule, int which)
{
    int i = 0;
    while (!schedule->plan.is_exchange[i] || which-- > 0)
        i++;
    return i;
}

weft_prepared *WEFT(schedule_prepared)(const weft_step *exchange)
{
    const weft_part *part = &exchange->part[0];
    return part->inside ? weft_inside_prepared(part->inside) : part->prepared;
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
        return (weft_way){.backend = weft_backend_named("shared")};
    const weft_prepared *prepared = WEFT(schedule_prepared)(this);
    return (weft_way){weft_prepared_backend(prepared), weft_prepared_value(prepared), this->parts};
}

/* Within an array, with little memory. */
static bool prepare_inside(WEFT(schedule) * schedule, int i, const weft_chain *chain, weft_way way)
{
    const weft_stage *from = &chain->stage[schedule->plan.stage[i]], *to = from + 1;
    weft_part *it = &schedule->step[i].part[0];
    it->inside = weft_inside_prepare(&from->after, &to->before, number_bytes(from->real_after),
                                     way.backend, way.value, schedule->comm);
    return it->inside != NULL;
}

static bool prepare(WEFT(schedule) * schedule, int which, const weft_chain *chain, weft_way way)
{
    const int i = step_of(schedule, which);
    weft_step *this = &schedule->step[i];
    bool ok = true;
    if (schedule->plan.inside[i])
        return prepare_inside(schedule, i, chain, way);
    for (int part = 0; ok && part < this->parts; part++) {
        weft_part *it = &this->part[part];
        it->prepared = weft_prepare(it->exchange, way.backend, way.value);
        ok = it->prepared != NULL;
    }
    return ok;
}

/* What exchanges are made into. */
typedef struct {
    const bool *remote; /* through windows */
    const int *parts;
} wishes_for_exchanges;

/* The steps, without the passes. */
static bool make_steps(WEFT(schedule) * schedule, const weft_chain *chain,
                       const weft_problem *problem, const wishes_for_exchanges *wishes)
{
    weft_steps *plan = &schedule->plan;
    bool ok = weft_flow_steps(chain, problem, sizeof(weft_real), wishes->remote, plan) &&
              weft_pipeline_cut(chain, wishes->parts, plan) &&
              weft_pipeline_make(plan, schedule->little_memory, &schedule->pipeline);
    for (int i = 0; ok && i < plan->steps; i++) {
        weft_step *this = &schedule->step[i];
        this->part = calloc((size_t)plan->parts[i], sizeof *this->part);
        this->parts = this->part ? plan->parts[i] : 0;
        ok = this->part != NULL;
        if (!ok)
            weft_error("no memory for the %d parts of a step", plan->parts[i]);
    }
    ok = weft_agree(problem->comm, ok);
    for (int i = 0; ok && i < plan->steps; i++)
        if (plan->is_exchange[i])
            ok = make_exchange(schedule, i, chain, problem);
    return ok;
}

void WEFT(schedule_drop_pass)(weft_step *step)
{
    for (int part = 0; part < step->parts; part++)
        if (step->part[part].pass) {
            WEFT(pass_destroy)(step->part[part].pass);
            step->part[part].pass = NULL;
        }
}

static void clear_step(weft_step *this)
{
    WEFT(schedule_drop_pass)(this);
    for (int part = 0; part < this->parts; part++) {
        if (this->part[part].prepared)
            weft_prepared_release(this->part[part].prepared);
        weft_inside_release(this->part[part].inside);
        if (this->part[part].exchange != this->exchange)
            weft_exchange_destroy(this->part[part].exchange);
    }
    if (this->window)
        weft_window_close(this->window);
    weft_exchange_destroy(this->exchange);
    free(this->from);
    free(this->part);
}

static void clear_steps(WEFT(schedule) * schedule)
{
    for (int i = 0; i < WEFT_MAX_STEPS; i++)
        clear_step(&schedule->step[i]);
    free(schedule->pipeline.action);
    schedule->pipeline = (weft_pipeline){0};
    memset(schedule->step, 0, sizeof schedule->step);
}

/* All backends are chosen before any is prepared. Those exchanges for which `shared` is chosen
 * everywhere go through windows where the passes around them can do with it, and others may be cut:
 * the steps are then made anew. */
static bool choose_ways(WEFT(schedule) * schedule, const weft_chain *chain,
                        const weft_problem *problem, weft_choose choose, void *context)
{
    const int exchanges = WEFT(schedule_exchanges)(schedule);
    weft_way way[WEFT_MAX_STEPS];
    bool remote[WEFT_MAX_STAGES] = {false}, any = false, ok = true;
    int parts[WEFT_MAX_STAGES] = {0};
    for (int which = 0; ok && which < exchanges; which++)
        ok = choose(context, WEFT(schedule_exchange)(schedule, which), which, &way[which]);
    if (!weft_agree(problem->comm, ok))
        return false;
    for (int which = 0; which < exchanges; which++) {
        remote[which] = !schedule->little_memory && weft_way_is_shared(way[which]) &&
                        weft_flow_may_be_remote(chain, which, problem->ranks);
        parts[which] = way[which].parts;
        any |= remote[which] || parts[which] > 1;
    }
    if (any) {
        clear_steps(schedule);
        ok = make_steps(schedule, chain, problem, &(wishes_for_exchanges){remote, parts}) &&
             WEFT(schedule_open_windows)(schedule);
    }
    for (int which = 0; ok && which < exchanges; which++)
        ok = remote[which] || prepare(schedule, which, chain, way[which]);
    return ok;
}

WEFT(schedule) * WEFT(schedule_make)(const weft_chain *chain, const weft_problem *problem,
                                     weft_choose choose, void *context,
                                     const weft_pass_wishes *wishes)
{
    WEFT(schedule) *schedule = calloc(1, sizeof *schedule);
    const bool nowhere[WEFT_MAX_STAGES] = {false};
    const int whole[WEFT_MAX_STAGES] = {0};
    if (!schedule)
        weft_error("no memory for a schedule");
    if (!weft_agree(problem->comm, schedule != NULL)) {
        free(schedule);
        return NULL;
    }
    schedule->comm = problem->comm;
    schedule->crowd = wishes->crowd;
    schedule->little_memory = (problem->flags & FFTW_CONSERVE_MEMORY) != 0;
    bool ok = make_steps(schedule, chain, problem, &(wishes_for_exchanges){nowhere, whole}) &&
              choose_ways(schedule, chain, problem, choose, context);
    if (ok) { /* the same on all ranks up to here */
        for (int i = 0; ok && i < schedule->plan.steps; i++)
            ok = schedule->plan.is_exchange[i] ||
                 WEFT(schedule_make_pass)(schedule, i, chain, problem, wishes);
        ok = weft_agree(problem->comm, ok && WEFT(schedule_lay_out)(schedule));
    }
    if (!ok) {
        WEFT(schedule_destroy)(schedule);
        return NULL;
    }
    return schedule;
}

int WEFT(schedule_overlaps)(const WEFT(schedule) * schedule)
{
    return schedule->pipeline.overlaps;
}

size_t WEFT(schedule_window)(const WEFT(schedule) * schedule)
{
    size_t bytes = 0;
    for (int i = 0; i < schedule->plan.steps; i++)
        bytes += weft_whole_pages(schedule->plan.window_bytes[i]);
    return bytes;
}

void WEFT(schedule_destroy)(WEFT(schedule) * schedule)
{
    if (schedule)
        clear_steps(schedule);
    free(schedule);
}
