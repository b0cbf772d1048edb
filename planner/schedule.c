/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making and running schedules. All that ranks decide together, whether an exchange or a backend
 * could be prepared, whether every rank has made its passes, goes through the agreement helper, in
 * the same order everywhere.
 */
#include <stdlib.h>
#include <stdio.h>
#include "agreement.h"
#include "error.h"
#include "exchange.h"
#include "flow.h"
#include "schedule.h"
#include "view.h"

enum { ALIGNMENT = 4096 };

typedef struct {
    weft_exchange *exchange; /* NULL: a pass */
    weft_prepared *prepared;
    WEFT(pass) * pass; /* NULL: an exchange, or this rank has nothing to do */
} step;

struct WEFT(schedule) {
    weft_steps plan;
    step step[WEFT_MAX_STEPS];
    size_t part[2];   /* where the two parts of the workspace that hold arrays begin */
    size_t scratch;   /* where the part that the steps use for themselves begins */
    size_t workspace; /* bytes in all */
};

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
    step *this = &schedule->step[i];
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
    const weft_prepared *prepared = schedule->step[step_of(schedule, which)].prepared;
    return (weft_way){weft_prepared_backend(prepared), weft_prepared_value(prepared)};
}

static bool set_way(WEFT(schedule) * schedule, int which, weft_way way)
{
    step *this = &schedule->step[step_of(schedule, which)];
    weft_prepared *prepared = weft_prepare(this->exchange, way.backend, way.value);
    if (!prepared)
        return false;
    if (this->prepared)
        weft_prepared_release(this->prepared);
    this->prepared = prepared;
    return true;
}

/* The view on one side of a pass: the blocks of the exchange there, or else what the layout says.
 */
static bool make_view(const WEFT(schedule) * schedule, const weft_chain *chain, int rank, int pass,
                      bool is_source, weft_view *view)
{
    const weft_stage *stage = &chain->stage[schedule->plan.stage[pass]];
    const weft_layout *mine = is_source ? &stage->before : &stage->after;
    const int next = is_source ? pass - 1 : pass + 1;
    const unsigned blocked = is_source ? WEFT_TO_BLOCKED : WEFT_FROM_BLOCKED;
    if (next < 0 || next >= schedule->plan.steps || !(schedule->plan.flags[next] & blocked)) {
        weft_box box;
        weft_layout_box(mine, rank, &box);
        return weft_view_plain(mine, &box, view);
    }
    const weft_exchange *exchange = schedule->step[next].exchange;
    const weft_blocks blocks = {.mine = mine,
                                .other = is_source ? &(stage - 1)->after : &(stage + 1)->before,
                                .travel = is_source ? mine : &(stage + 1)->before,
                                .group = weft_exchange_group(exchange),
                                .ranks = exchange->ranks,
                                .rank = rank,
                                .leave_own = !is_source && schedule->plan.buffers.leave_own[next]};
    return weft_view_blocks(&blocks, view);
}

static void pass_sizes(const weft_stage *stage, const weft_box *before, const weft_box *after,
                       weft_pass_spec *spec)
{
    const int axes = stage->before.axes;
    spec->axes = weft_view_axes(&stage->before);
    for (int axis = 0; axis < axes; axis++) {
        const ptrdiff_t source = before->span[axis].count, target = after->span[axis].count;
        spec->kind[axis] = stage->kind[axis];
        spec->size[axis] = stage->kind[axis] == WEFT_C2R ? target : source;
    }
    if (spec->axes > axes) {
        spec->size[axes] = stage->before.howmany;
        spec->kind[axes] = WEFT_KEEP;
    }
    spec->twiddle = stage->twiddle;
    for (int i = 0; i < 2; i++)
        spec->twiddle.start[i] = before->span[stage->twiddle.axis[i]].start;
}

/* Local. */
static bool make_pass(WEFT(schedule) * schedule, int i, const weft_chain *chain,
                      const weft_problem *problem)
{
    const weft_stage *stage = &chain->stage[schedule->plan.stage[i]];
    const weft_place *place = schedule->plan.buffers.place;
    const unsigned rigor = FFTW_ESTIMATE | FFTW_PATIENT | FFTW_EXHAUSTIVE | FFTW_WISDOM_ONLY;
    weft_box before, after;
    weft_layout_box(&stage->before, problem->rank, &before);
    weft_layout_box(&stage->after, problem->rank, &after);
    if (weft_box_empty(stage->before.axes, &before))
        return true;
    const bool from_user = place[i] == WEFT_IN;
    weft_pass_spec spec = {.real = stage->real_before && stage->real_after,
                           .in_place = problem->in_place && schedule->plan.steps == 1,
                           .may_destroy = !from_user || problem->may_destroy || problem->in_place,
                           .fftw_flags = problem->flags & (rigor | FFTW_UNALIGNED),
                           .threads = problem->threads};
    pass_sizes(stage, &before, &after, &spec);
    bool ok = make_view(schedule, chain, problem->rank, i, true, &spec.source) &&
              make_view(schedule, chain, problem->rank, i, false, &spec.target);
    if (ok)
        schedule->step[i].pass = WEFT(pass_create)(&spec);
    free((void *)spec.source.piece);
    free((void *)spec.target.piece);
    return schedule->step[i].pass != NULL;
}

static size_t step_workspace(const step *this)
{
    if (this->prepared)
        return weft_prepared_workspace(this->prepared);
    return this->pass ? WEFT(pass_workspace)(this->pass) : 0;
}

static void lay_out_workspace(WEFT(schedule) * schedule)
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

/* All backends are chosen before any is prepared, and the choice is agreed on once. */
static bool choose_ways(WEFT(schedule) * schedule, const weft_problem *problem, weft_choose choose,
                        void *context)
{
    const int exchanges = WEFT(schedule_exchanges)(schedule);
    weft_way way[WEFT_MAX_STEPS];
    bool ok = true;
    for (int which = 0; ok && which < exchanges; which++)
        ok = choose(context, WEFT(schedule_exchange)(schedule, which), which, &way[which]);
    ok = weft_agree(problem->comm, ok);
    for (int which = 0; ok && which < exchanges; which++)
        ok = set_way(schedule, which, way[which]);
    return ok;
}

WEFT(schedule) * WEFT(schedule_make)(const weft_chain *chain, const weft_problem *problem,
                                     weft_choose choose, void *context)
{
    WEFT(schedule) *schedule = calloc(1, sizeof *schedule);
    if (!schedule)
        weft_error("no memory for a schedule");
    bool ok = schedule && weft_flow_steps(chain, problem, sizeof(weft_real), &schedule->plan);
    ok = weft_agree(problem->comm, ok);
    for (int i = 0; ok && i < schedule->plan.steps; i++)
        if (schedule->plan.is_exchange[i])
            ok = make_exchange(schedule, i, chain, problem);
    ok = ok && choose_ways(schedule, problem, choose, context);
    if (ok) { /* the same on all ranks up to here */
        for (int i = 0; ok && i < schedule->plan.steps; i++)
            ok = schedule->plan.is_exchange[i] || make_pass(schedule, i, chain, problem);
        ok = weft_agree(problem->comm, ok);
    }
    if (!ok) {
        WEFT(schedule_destroy)(schedule);
        return NULL;
    }
    lay_out_workspace(schedule);
    return schedule;
}

bool WEFT(schedule_set_way)(WEFT(schedule) * schedule, int which, weft_way way)
{
    if (!set_way(schedule, which, way))
        return false;
    lay_out_workspace(schedule);
    return true;
}

size_t WEFT(schedule_workspace)(const WEFT(schedule) * schedule)
{
    return schedule->workspace;
}

void WEFT(schedule_run)(const WEFT(schedule) * schedule, void *in, void *out, void *workspace)
{
    char *const work = workspace;
    void *const base[] = {[WEFT_IN] = in,
                          [WEFT_OUT] = out,
                          [WEFT_WORK_A] = work + schedule->part[0],
                          [WEFT_WORK_B] = work + schedule->part[1]};
    const weft_place *place = schedule->plan.buffers.place;
    void *const scratch = work + schedule->scratch;
    for (int i = 0; i < schedule->plan.steps; i++) {
        const step *this = &schedule->step[i];
        if (this->prepared) {
            weft_prepared_run(this->prepared, base[place[i]], base[place[i + 1]], scratch);
        } else if (this->pass) {
            const bool own = i + 2 <= schedule->plan.steps;
            const void *const from[2] = {base[place[i]], NULL};
            void *const to[2] = {base[place[i + 1]], own ? base[place[i + 2]] : NULL};
            WEFT(pass_run)(this->pass, from, to, scratch);
        }
    }
}

double WEFT(schedule_flops)(const WEFT(schedule) * schedule)
{
    double sum = 0, read, written, flops;
    for (int i = 0; i < schedule->plan.steps; i++)
        if (schedule->step[i].pass) {
            WEFT(pass_cost)(schedule->step[i].pass, &read, &written, &flops);
            sum += flops;
        }
    return sum;
}

static void print_exchange(const step *this, char *line, size_t room)
{
    const weft_exchange *exchange = this->exchange;
    const weft_backend *backend = weft_prepared_backend(this->prepared);
    const int value = weft_prepared_value(this->prepared);
    ptrdiff_t sent = 0;
    int messages = 0;
    char parameter[32] = "";
    for (int peer = 0; peer < exchange->ranks; peer++)
        if (peer != exchange->rank && exchange->send[peer].elements > 0) {
            sent += exchange->send[peer].elements;
            messages++;
        }
    if (backend->parameter)
        snprintf(parameter, sizeof parameter, ":%d", value);
    snprintf(line, room, "exchange %s%s over %d ranks, %.0f bytes to %d peers, own piece %s",
             backend->name, parameter, exchange->ranks, (double)sent * (double)exchange->element,
             messages, exchange->send[exchange->rank].elements ? "copied" : "in place already");
}

static void print_step(const step *this, char *line, size_t room)
{
    double read, written, flops;
    if (this->prepared) {
        print_exchange(this, line, room);
    } else if (this->pass) {
        WEFT(pass_cost)(this->pass, &read, &written, &flops);
        snprintf(line, room, "pass %s, reads %.0f bytes, writes %.0f bytes",
                 WEFT(pass_text)(this->pass), read, written);
    } else {
        snprintf(line, room, "pass with nothing to do on this rank");
    }
}

void WEFT(schedule_print)(const WEFT(schedule) * schedule, const char *begin, const char *end,
                          void (*print)(void *printer, const char *text), void *printer)
{
    char line[512];
    for (int i = 0; i < schedule->plan.steps; i++) {
        print_step(&schedule->step[i], line, sizeof line);
        print(printer, begin);
        print(printer, line);
        print(printer, end);
    }
}

void WEFT(schedule_destroy)(WEFT(schedule) * schedule)
{
    for (int i = 0; schedule && i < schedule->plan.steps; i++) {
        step *this = &schedule->step[i];
        if (this->prepared)
            weft_prepared_release(this->prepared);
        if (this->exchange)
            weft_exchange_destroy(this->exchange);
        if (this->pass)
            WEFT(pass_destroy)(this->pass);
    }
    free(schedule);
}
