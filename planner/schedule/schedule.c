/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making and running schedules. All that ranks decide together, whether an exchange or a backend
 * could be prepared, whether every rank has made its passes, goes through the agreement helper, in
 * the same order everywhere.
 */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "planner/schedule/parts.h"
#include "backends/table.h"
#include "planner/search/methods.h"

static size_t number_bytes(bool real)
{
    return real ? sizeof(weft_real) : sizeof(weft_complex);
}

/* All of an exchange, and its parts when it is cut. */
static bool make_exchange(weft_schedule *schedule, int i, const weft_path *path,
                          const weft_problem *problem)
{
    const weft_stage *from = &path->stage[schedule->plan.stage[i]], *to = from + 1;
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

static int step_of(const weft_schedule *schedule, int which)
{
    int i = 0;
    while (!schedule->plan.is_exchange[i] || which-- > 0)
        i++;
    return i;
}

weft_prepared *weft_schedule_prepared(const weft_step *exchange)
{
    const weft_part *part = &exchange->part[0];
    return part->inside ? weft_in_place_prepared(part->inside) : part->prepared;
}

int weft_schedule_exchanges(const weft_schedule *schedule)
{
    int count = 0;
    for (int i = 0; i < schedule->plan.steps; i++)
        count += schedule->plan.is_exchange[i];
    return count;
}

const weft_exchange *weft_schedule_exchange(const weft_schedule *schedule, int which)
{
    return schedule->step[step_of(schedule, which)].exchange;
}

weft_method weft_schedule_method(const weft_schedule *schedule, int which)
{
    const weft_step *this = &schedule->step[step_of(schedule, which)];
    if (this->window)
        return (weft_method){.backend = schedule->through};
    const weft_prepared *prepared = weft_schedule_prepared(this);
    return (weft_method){weft_prepared_backend(prepared), weft_prepared_value(prepared),
                         this->parts};
}

/* Within an array, with little memory. */
static bool prepare_inside(weft_schedule *schedule, int i, const weft_path *path,
                           weft_method method)
{
    const weft_stage *from = &path->stage[schedule->plan.stage[i]], *to = from + 1;
    weft_part *it = &schedule->step[i].part[0];
    it->inside = weft_in_place_prepare(&from->after, &to->before, number_bytes(from->real_after),
                                       method.backend, method.value, schedule->comm);
    return it->inside != NULL;
}

static bool prepare(weft_schedule *schedule, int which, const weft_path *path, weft_method method)
{
    const int i = step_of(schedule, which);
    weft_step *this = &schedule->step[i];
    bool ok = true;
    if (schedule->plan.inside[i])
        return prepare_inside(schedule, i, path, method);
    for (int part = 0; ok && part < this->parts; part++) {
        weft_part *it = &this->part[part];
        it->prepared = weft_prepare(it->exchange, method.backend, method.value);
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
static bool make_steps(weft_schedule *schedule, const weft_path *path, const weft_problem *problem,
                       const wishes_for_exchanges *wishes)
{
    weft_steps *plan = &schedule->plan;
    bool ok = weft_flow_steps(path, problem, sizeof(weft_real), wishes->remote, plan) &&
              weft_pipeline_cut(path, wishes->parts, plan) &&
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
            ok = make_exchange(schedule, i, path, problem);
    return ok;
}

void weft_schedule_drop_pass(weft_step *step)
{
    for (int part = 0; part < step->parts; part++)
        if (step->part[part].pass) {
            weft_pass_destroy(step->part[part].pass);
            step->part[part].pass = NULL;
        }
}

static void clear_step(weft_step *this, const weft_backend *through)
{
    weft_schedule_drop_pass(this);
    for (int part = 0; part < this->parts; part++) {
        if (this->part[part].prepared)
            weft_prepared_release(this->part[part].prepared);
        weft_in_place_release(this->part[part].inside);
        if (this->part[part].exchange != this->exchange)
            weft_exchange_destroy(this->part[part].exchange);
    }
    if (this->window)
        through->memory->close(this->window);
    weft_exchange_destroy(this->exchange);
    free(this->from);
    free(this->part);
}

static void clear_steps(weft_schedule *schedule)
{
    for (int i = 0; i < WEFT_MAX_STEPS; i++)
        clear_step(&schedule->step[i], schedule->through);
    free(schedule->pipeline.action);
    schedule->pipeline = (weft_pipeline){0};
    memset(schedule->step, 0, sizeof schedule->step);
}

/* All backends are chosen before any is prepared. Exchanges for which a backend of memory is chosen
 * everywhere, the first such, go through windows where the passes around them can do with it, and
 * others may be cut: the steps are then made anew. */
static bool choose_methods(weft_schedule *schedule, const weft_path *path,
                           const weft_problem *problem, weft_choose choose, void *context)
{
    const int exchanges = weft_schedule_exchanges(schedule);
    weft_method method[WEFT_MAX_STEPS];
    bool remote[WEFT_MAX_STAGES] = {false}, any = false, ok = true;
    int parts[WEFT_MAX_STAGES] = {0};
    for (int which = 0; ok && which < exchanges; which++)
        ok = choose(context, weft_schedule_exchange(schedule, which), which, &method[which]);
    if (!weft_agree(problem->comm, ok))
        return false;
    for (int which = exchanges; which-- > 0;)
        if (method[which].backend->memory)
            schedule->through = method[which].backend;
    for (int which = 0; which < exchanges; which++) {
        remote[which] = !schedule->little_memory && method[which].backend == schedule->through &&
                        weft_flow_may_be_remote(path, which, problem->ranks);
        parts[which] = method[which].parts;
        any |= remote[which] || parts[which] > 1;
    }
    if (any) {
        clear_steps(schedule);
        ok = make_steps(schedule, path, problem, &(wishes_for_exchanges){remote, parts}) &&
             weft_schedule_open_windows(schedule);
    }
    for (int which = 0; ok && which < exchanges; which++)
        ok = remote[which] || prepare(schedule, which, path, method[which]);
    return ok;
}

weft_schedule *weft_schedule_make(const weft_path *path, const weft_problem *problem,
                                  weft_choose choose, void *context, const weft_pass_wishes *wishes)
{
    weft_schedule *schedule = calloc(1, sizeof *schedule);
    const bool nowhere[WEFT_MAX_STAGES] = {false};
    const int whole[WEFT_MAX_STAGES] = {0};
    if (!schedule)
        weft_error("no memory for a schedule");
    if (!weft_agree(problem->comm, schedule != NULL)) {
        free(schedule);
        return NULL;
    }
    schedule->comm = problem->comm;
    schedule->ranks_per_core = wishes->ranks_per_core;
    schedule->little_memory = (problem->flags & FFTW_CONSERVE_MEMORY) != 0;
    bool ok = make_steps(schedule, path, problem, &(wishes_for_exchanges){nowhere, whole}) &&
              choose_methods(schedule, path, problem, choose, context);
    if (ok) { /* the same on all ranks up to here */
        for (int i = 0; ok && i < schedule->plan.steps; i++)
            ok = schedule->plan.is_exchange[i] ||
                 weft_schedule_make_pass(schedule, i, path, problem, wishes);
        ok = weft_agree(problem->comm, ok && weft_schedule_lay_out(schedule));
    }
    if (!ok) {
        weft_schedule_destroy(schedule);
        return NULL;
    }
    return schedule;
}

int weft_schedule_overlaps(const weft_schedule *schedule)
{
    return schedule->pipeline.overlaps;
}

size_t weft_schedule_window(const weft_schedule *schedule)
{
    size_t bytes = 0;
    for (int i = 0; i < schedule->plan.steps; i++)
        bytes += weft_whole_pages(schedule->plan.window_bytes[i]);
    return bytes;
}

void weft_schedule_destroy(weft_schedule *schedule)
{
    if (schedule)
        clear_steps(schedule);
    free(schedule);
}
