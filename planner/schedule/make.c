/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes schedules: creates the exchanges, windows and passes of all steps. Ranks decide together
 * whether an exchange or a backend could be prepared and whether every rank has made its passes.
 * These decisions use the functions of agreement.h, in the same order on all ranks.
 */
#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "backends/memory/window.h"
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "planner/schedule/schedule.h"

/* Regions of windows start on page boundaries, parts of the workspace one cache line after: AMD's
 * Zen processors copy slowly from a page boundary to another (`rep movsb`, as in Linux and MPI). A
 * message of 16 KB over TCP took 21 us in place of 17. */
enum { PAGE = 4096, LINE = 64 };

static bool make_exchange(weft_step *step, const weft_path *path, const weft_problem *problem)
{
    const weft_stage *from = &path->stage[step->stage], *to = from + 1;
    const size_t element = weft_number_bytes(from->real_after);
    if (problem->as_float)
        step->transfer.flags |= WEFT_AS_FLOAT;
    if (step->memory.shares) {
        const weft_problem_side *users =
            step->memory.own == WEFT_OUT ? &problem->to : &problem->from;
        step->memory.shared_bytes = weft_local_bytes(users, problem->rank);
    }
    step->transfer.exchange = weft_exchange_create(&from->after, &to->before, element,
                                                   step->transfer.flags, NULL, problem->comm);
    return step->transfer.exchange != NULL;
}

weft_step *weft_schedule_exchange(const weft_schedule *schedule, int which)
{
    weft_step *step = schedule->step;
    while (!weft_is_exchange(step) || which-- > 0)
        step++;
    return step;
}

int weft_schedule_exchanges(const weft_schedule *schedule)
{
    int count = 0;
    for (int i = 0; schedule && i < schedule->steps; i++)
        count += weft_is_exchange(&schedule->step[i]);
    return count;
}

static bool prepare(weft_step *step, weft_method method)
{
    weft_transfer_step *it = &step->transfer;
    if (step->kind == WEFT_MESSAGES)
        it->prepared = weft_prepare(it->exchange, method.backend, method.value);
    return step->kind == WEFT_MEMORY || it->prepared;
}

/* Whether two exchanges are among the same ranks and so share one window. Each rank looks at its
 * own communicators, so the answer is the same on all ranks of a group. */
static bool same_ranks(const weft_step *a, const weft_step *b)
{
    int result;
    MPI_Comm_compare(a->transfer.exchange->comm, b->transfer.exchange->comm, &result);
    return result == MPI_IDENT || result == MPI_CONGRUENT;
}

/* The first exchange of the stretch of an exchange through memory. */
static int first_of_stretch(const weft_schedule *schedule, int exchange)
{
    while (exchange > 2 && schedule->step[exchange - 2].kind == WEFT_MEMORY)
        exchange -= 2;
    return exchange;
}

/* The bytes that the exchanges of a stretch, up to step `end`, need in the window of one of them:
 *
 *     a rank's part    [ region of exchange 1 | region of exchange 5 | ... ]
 */
static size_t regions_before(const weft_schedule *schedule, int exchange, int end)
{
    const weft_step *step = schedule->step;
    size_t bytes = 0;
    for (int i = first_of_stretch(schedule, exchange); i < end && step[i].kind == WEFT_MEMORY;
         i += 2)
        if (step[i].memory.region_of == i && same_ranks(&step[i], &step[exchange]))
            bytes += weft_round_up(step[i].memory.region_bytes, PAGE);
    return bytes;
}

/* Opens the windows. Exchanges through memory among the same ranks use the same window, which is
 * large enough for all exchanges of a stretch. */
static bool open_windows(weft_schedule *schedule, MPI_Comm comm)
{
    weft_step *step = schedule->step;
    bool ok = true;
    for (int i = 0; ok && i < schedule->steps; i++) {
        const weft_exchange *exchange = step[i].transfer.exchange;
        weft_memory_step *it = &step[i].memory;
        if (step[i].kind != WEFT_MEMORY)
            continue;
        it->region = regions_before(schedule, i, it->region_of);
        it->window_bytes = regions_before(schedule, i, schedule->steps);
        it->window = weft_memory_open(it->backend->memory, exchange->comm, it->window_bytes,
                                      schedule->device);
        it->at = weft_new((size_t)exchange->ranks + 1, sizeof *it->at, "a schedule");
        ok = weft_agree(comm, it->window && it->at);
        it->begins = it->ends = true;
        for (int j = 1; j < i; j++) {
            weft_memory_step *other = &step[j].memory;
            if (step[j].kind != WEFT_MEMORY || other->window != it->window)
                continue;
            if (j >= first_of_stretch(schedule, i))
                it->begins = other->ends = false;
            if (it->window_bytes < other->window_bytes)
                it->window_bytes = other->window_bytes;
            other->window_bytes = 0;
        }
    }
    return ok;
}

/* Makes the steps of a schedule, without the passes; `schedule` is NULL on a rank that had no
 * memory for it. Collective. */
static bool make_steps(weft_schedule *schedule, const weft_path *path, const weft_problem *problem,
                       const weft_backend *const *chosen)
{
    bool set = true, ok = weft_agree(problem->comm,
                                     schedule && weft_steps_make(path, problem, sizeof(weft_real),
                                                                 chosen, schedule));
    for (int i = 0; ok && i < schedule->steps; i++) {
        weft_step *step = &schedule->step[i];
        ok = !weft_is_exchange(step) || make_exchange(step, path, problem);
        if (ok && weft_is_exchange(step) && schedule->device)
            set &= weft_exchange_set_device(step->transfer.exchange, schedule->device);
    }
    if (ok && schedule->device)
        ok = weft_agree(problem->comm, set);
    return ok && open_windows(schedule, problem->comm);
}

static void clear_step(const weft_schedule *schedule, weft_step *step)
{
    if (!weft_is_exchange(step)) {
        if (step->pass)
            schedule->on->destroy(step->pass);
        return;
    }
    weft_prepared_release(step->transfer.prepared);
    if (step->memory.window)
        step->memory.backend->memory->close(step->memory.window);
    weft_exchange_destroy(step->transfer.exchange);
    free(step->memory.at);
}

static void clear_steps(weft_schedule *schedule)
{
    for (int i = 0; i < schedule->steps; i++)
        clear_step(schedule, &schedule->step[i]);
    weft_steps_free(schedule);
}

/* Whether a backend can carry out an exchange. The answer is the same on all ranks. */
static bool suits(const weft_exchange *exchange, const weft_backend *backend)
{
    const char *unsuited = weft_exchange_why_unsuited(exchange, backend);
    return !unsuited ||
           weft_error("backend %s cannot carry out this exchange: %s", backend->name, unsuited);
}

/* Chooses all methods, then prepares the backends. Where memory is chosen for an exchange and the
 * adjacent passes can use it, the exchange goes through memory, with one backend for all such
 * exchanges. For every other exchange the backend does all the work, or sends while the pass before
 * still runs. If anything changes, the steps are made again. */
static bool choose_methods(weft_schedule *schedule, const weft_path *path,
                           const weft_problem *problem, weft_choose choose, void *context)
{
    const int exchanges = weft_schedule_exchanges(schedule);
    weft_method method[WEFT_MAX_STAGES];
    const weft_backend *chosen[WEFT_MAX_STAGES] = {NULL};
    bool anew = false;
    for (int which = 0; which < exchanges; which++) {
        const weft_exchange *exchange = weft_schedule_exchange(schedule, which)->transfer.exchange;
        if (!choose(context, exchange, which, &method[which]) ||
            !suits(exchange, method[which].backend))
            return false; /* on all ranks */
    }
    const weft_backend *memory = NULL;
    for (int which = 0; which < exchanges && !weft_little_memory(problem); which++) {
        if (!memory && method[which].backend->memory)
            memory = method[which].backend;
        if (memory && method[which].backend == memory &&
            weft_may_use_memory(path, which, problem->ranks))
            chosen[which] = memory;
        if (method[which].backend->begin)
            chosen[which] = method[which].backend;
        anew |= chosen[which] != NULL;
    }
    if (anew)
        clear_steps(schedule);
    bool ok = !anew || make_steps(schedule, path, problem, chosen);
    for (int which = 0; ok && which < exchanges; which++)
        ok = prepare(weft_schedule_exchange(schedule, which), method[which]);
    return ok;
}

static size_t step_workspace(const weft_step *step)
{
    if (!weft_is_exchange(step))
        return step->pass ? step->pass->workspace : 0;
    return step->transfer.prepared ? step->transfer.prepared->workspace : 0;
}

/* Lays out the workspace, and adds up the arithmetic. Steps run one after another, so they share
 * the scratch memory.
 *
 *     [ WEFT_WORK_A | WEFT_WORK_B | scratch memory of the steps ]
 */
static void lay_out(weft_schedule *schedule)
{
    size_t scratch = 0;
    schedule->work_at[0] = LINE;
    schedule->work_at[1] = schedule->work_at[0] + weft_round_up(schedule->work_bytes[0], PAGE);
    schedule->scratch_at = schedule->work_at[1] + weft_round_up(schedule->work_bytes[1], PAGE);
    for (int i = 0; i < schedule->steps; i++) {
        weft_step *step = &schedule->step[i];
        weft_transfer_step *it = &step->transfer;
        size_t bytes = step_workspace(step);
        if (step->kind == WEFT_MESSAGES) {
            if (weft_prepared_sends_early(it->prepared) && i > 0)
                it->scratch_at = weft_round_up(step_workspace(step - 1), PAGE);
            if (it->prepared->pinned > schedule->pinned)
                schedule->pinned = it->prepared->pinned;
            bytes += it->scratch_at;
        } else if (step->kind == WEFT_PASS && step->pass) {
            schedule->flops += step->pass->flops;
        }
        scratch = bytes > scratch ? bytes : scratch;
    }
    schedule->workspace = schedule->scratch_at + weft_round_up(scratch, PAGE);
}

weft_schedule *weft_schedule_make(const weft_path *path, const weft_problem *problem,
                                  weft_choose choose, void *context,
                                  const weft_pass_options *options)
{
    weft_schedule *schedule = weft_new(1, sizeof *schedule, "a schedule");
    const weft_backend *const none[WEFT_MAX_STAGES] = {NULL};
    if (schedule) {
        schedule->device = problem->device;
        schedule->on = problem->device ? &weft_pass_on_device : &weft_pass_on_host;
    }
    weft_window_touch_at_once(!(problem->flags & (FFTW_ESTIMATE | FFTW_WISDOM_ONLY)));
    bool ok = make_steps(schedule, path, problem, none) &&
              choose_methods(schedule, path, problem, choose, context);
    weft_window_touch_at_once(false);
    if (ok) { /* so far all ranks agree */
        for (int i = 0; ok && i < schedule->steps; i++)
            ok = weft_is_exchange(&schedule->step[i]) ||
                 weft_schedule_make_pass(schedule, i, path, problem, options);
        for (int i = 0; i < schedule->steps; i++)
            if (weft_is_exchange(&schedule->step[i])) /* runs do not need the blocks */
                weft_exchange_free_blocks(schedule->step[i].transfer.exchange);
        ok = weft_agree(problem->comm, ok);
    }
    if (!ok) {
        weft_schedule_destroy(schedule);
        return NULL;
    }
    lay_out(schedule);
    return schedule;
}

size_t weft_schedule_window(const weft_schedule *schedule)
{
    size_t bytes = 0;
    for (int i = 0; schedule && i < schedule->steps; i++) {
        const weft_step *step = &schedule->step[i];
        if (!weft_is_exchange(step))
            continue;
        bytes += step->memory.window_bytes;
        if (step->transfer.prepared)
            bytes += weft_prepared_shared(step->transfer.prepared);
    }
    return bytes;
}

void weft_schedule_destroy(weft_schedule *schedule)
{
    if (schedule)
        clear_steps(schedule);
    free(schedule);
}
