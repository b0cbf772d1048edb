/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "backends/exchange/communicator.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/events.h"
#include "kernels/base/text.h"
#include "kernels/device/memory.h"
#include "backends/exchange/abort.h"
#include "kernels/pass/libfftw3.h"
#include "planner/path/process-grid.h"
#include "planner/plan.h"
#include "planner/search/search.h"
#include "planner/wisdom/fftw.h"
#include "planner/workspace.h"

/* Takes the schedule from wisdom, unless the user chooses backends. False: there is no
 * wisdom, or it does not fit any more. */
static bool remember(weft_plan *plan, weft_search *search)
{
    weft_decision decision;
    const weft_settings *settings = search->settings;
    if (settings->named > 0 ||
        !weft_find_decision(search->problem, &search->environment, settings, &decision))
        return false;
    plan->schedule = weft_search_known(search, &decision);
    search->chosen = decision.path;
    plan->source = WEFT_BY_WISDOM;
    plan->seconds = decision.seconds;
    return plan->schedule != NULL;
}

static void find(weft_plan *plan, weft_search *search)
{
    const bool timed = search->rigor > 0;
    plan->schedule = weft_search_find(search);
    plan->source = search->by_hand ? WEFT_BY_HAND : timed ? WEFT_BY_TIMING : WEFT_BY_MODEL;
    plan->seconds = search->seconds;
    plan->cut_short = search->cut_short;
    if (!plan->schedule || !timed)
        return;
    if (weft_search_even_out(search, &plan->schedule) && !search->by_hand && !search->cut_short &&
        !search->settings->narrows) {
        weft_decision decision = weft_search_decision(plan->schedule, search->chosen);
        decision.seconds = search->seconds;
        weft_store_decision(search->problem, &search->environment, search->settings, &decision);
    }
}

static bool reserve(weft_plan *plan, MPI_Comm comm)
{
    const size_t bytes = plan->schedule->workspace, pinned = plan->schedule->pinned;
    bool ok = weft_workspace_reserve(plan->problem.device, false, bytes);
    plan->workspace = ok ? bytes : 0;
    ok = ok && weft_workspace_reserve(plan->problem.device, true, pinned);
    plan->pinned = ok ? pinned : 0;
    return weft_agree(comm, ok);
}

static weft_run begin_run(const weft_plan *plan, void *in, void *out)
{
    weft_run run = {.in = in, .out = out, .workspace = plan->given};
    if (!plan->given)
        run.workspace = weft_workspace_borrow(plan->problem.device, false, plan->workspace);
    run.pinned = weft_workspace_borrow(plan->problem.device, true, plan->pinned);
    return run;
}

static void end_run(const weft_plan *plan, const weft_run *run)
{
    if (!plan->given)
        weft_workspace_return(plan->problem.device, false, run->workspace);
    weft_workspace_return(plan->problem.device, true, run->pinned);
    if (plan->problem.device && !weft_device_succeeded(plan->problem.device))
        weft_abort("a plan could not be run: %s", weft_error_text());
}

static bool take(weft_plan *plan, void *memory, size_t bytes)
{
    enum { LINE = 64 }; /* alignment in bytes that passes and backends expect */
    const size_t before = memory ? -(uintptr_t)memory % LINE : 0;
    if (memory && (bytes < before || bytes - before < plan->workspace))
        return weft_error("a workspace of %zu bytes is too small for a plan that needs %zu%s",
                          bytes, plan->workspace,
                          before ? " from the first multiple of 64 bytes on" : "");
    const int wanted = plan->problem.device ? plan->problem.device->number : WEFT_DEVICE_HOST;
    if (memory && (plan->problem.device || weft_device_may_be_in_use()) &&
        weft_device_where(memory) != wanted)
        return weft_error("the workspace is on another device than the plan's arrays, or only one "
                          "of them is in host memory; both must be in the same memory");
    if (!memory && plan->given &&
        !weft_workspace_reserve(plan->problem.device, false, plan->workspace))
        return false;
    if (memory && !plan->given)
        weft_workspace_unreserve(plan->problem.device, false, plan->workspace);
    plan->given = memory ? (char *)memory + before : NULL;
    return true;
}

bool weft_plan_use_workspace(weft_plan *plan, void *memory, size_t bytes)
{
    if (atomic_flag_test_and_set(&plan->running))
        return weft_error(
            "the plan is running in its workspace; change the workspace when the run has ended");
    const bool taken = take(plan, memory, bytes);
    atomic_flag_clear(&plan->running);
    return taken;
}

bool weft_plan_use_stream(weft_plan *plan, void *stream, bool own)
{
    if (!plan->problem.device)
        return weft_error("the plan's arrays are not on a device, so it has no stream");
    if (atomic_flag_test_and_set(&plan->running))
        return weft_error(
            "the plan is running in its stream; change the stream when the run has ended");
    const bool used = weft_device_set_stream(plan->problem.device, stream, own);
    atomic_flag_clear(&plan->running);
    return used;
}

static bool known_or_found(weft_plan *plan, weft_search *search)
{
    if (remember(plan, search))
        return true;
    if ((search->problem->flags & FFTW_WISDOM_ONLY) && search->settings->named == 0)
        return weft_error("there is no wisdom for %s", plan->problem.text);
    find(plan, search);
    return plan->schedule != NULL;
}

/* Rank 0 prints a sentence if WEFT_GRID cannot be used for this problem. Problems on a grid do not
 * use WEFT_GRID. */
static void say_unfit(const weft_problem *problem, const weft_process_grid *requested)
{
    if (problem->rank == 0 && problem->ranks > 1 && requested->axes > 0 &&
        problem->grid.axes == 0 && !problem->rows && !problem->between &&
        problem->task == WEFT_TRANSFORM &&
        !weft_process_grid_fits(requested, problem->axes, problem->ranks))
        weft_print_once("WEFT_GRID is %s, which does not divide an array of %d axes among %d "
                        "ranks; Weft plans without it",
                        weft_setting("WEFT_GRID"), problem->axes, problem->ranks);
}

static bool schedule(weft_plan *plan, const weft_problem *problem, const weft_settings *settings,
                     weft_path *path, double begin)
{
    /* With FFTW_WISDOM_ONLY nothing is timed, because timing would overwrite the program's
     * arrays. */
    const bool timed = !(problem->flags & FFTW_WISDOM_ONLY);
    weft_search search = {.problem = problem,
                          .settings = settings,
                          .path = path,
                          .rigor = timed ? weft_rigor(problem->flags) : 0,
                          .begin = begin,
                          .tried = &plan->tried};
    if (!weft_environment_find(problem, WEFT_PRECISION, FFTW(version), settings->machine,
                               &search.environment))
        return false;
    say_unfit(problem, &search.environment.between);
    const bool together = search.environment.machine.per_node == problem->ranks &&
                          !weft_little_memory(problem) && settings->share;
    search.paths = weft_path_candidates(problem, &search.environment.between, together, path);
    search.raced = weft_path_raced(problem, search.paths, search.rigor,
                                   search.environment.machine.network.latency > 0);
    if (!known_or_found(plan, &search) || !reserve(plan, problem->comm))
        return false;
    weft_problem_shape(problem, &path[search.chosen].through, plan->shape, sizeof plan->shape);
    plan->planning_seconds = weft_clock() - begin;
    return true;
}

/* Allocates an empty plan, which owns the problem's device and shares its lists of boxes, since the
 * program may free its distributions. NULL: no memory. */
static weft_plan *empty_plan(const weft_problem *problem)
{
    weft_plan *plan = calloc(1, sizeof *plan);
    if (!plan) {
        weft_device_close(problem->device);
        return NULL;
    }
    plan->comm = MPI_COMM_NULL;
    plan->problem = *problem;
    weft_layout_keep(&plan->problem.from.layout);
    weft_layout_keep(&plan->problem.to.layout);
    plan->problem.callback = NULL;
    atomic_flag_clear(&plan->running);
    return plan;
}

/* Gives the plan its own communicator if threads of some rank may run several plans at once,
 * because backends keep state in a communicator while they run. Collective. */
static bool own_comm(weft_plan *plan, const weft_settings *settings, weft_problem *problem)
{
    if (!settings->threads_at_once)
        return true;
    if (!weft_comm_of_group(problem->comm, NULL, &plan->comm))
        return false;
    problem->comm = plan->comm;
    return true;
}

static int trace_label(const weft_plan *plan, const char *category, const char *name)
{
    weft_event_label label = {.category = category, .bytes = -1};
    snprintf(label.name, sizeof label.name, "%s", name);
    snprintf(label.plan, sizeof label.plan, "%.255s", plan->problem.text);
    snprintf(label.about, sizeof label.about, "%s", plan->shape);
    return weft_event_label_of(&label);
}

static void trace_plan(weft_plan *plan, int64_t begin)
{
    weft_event_record(trace_label(plan, "planning", "planning"), begin);
    plan->label = trace_label(plan, "plan", "run");
    if (plan->schedule && plan->label)
        weft_schedule_trace(plan->schedule, plan->problem.text);
}

/* Decides whether messages carry the numbers of the problem as floats. Where nothing is transformed
 * they never do, because programs move other data with such plans. False: WEFT_WIRE asks for
 * floats, but this problem cannot have them. */
static bool use_wire(const weft_settings *settings, weft_problem *problem)
{
    problem->as_float = settings->as_float && weft_kinds_transform(problem->axes, problem->kind);
    if (!problem->as_float || (sizeof(weft_real) == sizeof(double) && !problem->device))
        return true;
    weft_error("WEFT_WIRE=float is for double precision and arrays in host memory");
    return weft_error_blame_environment();
}

weft_plan *weft_plan_make(const weft_problem *given)
{
    weft_settings settings = {0};
    weft_problem own = *given;
    const weft_problem *problem = &own;
    const double begin = weft_clock();
    weft_plan *plan = empty_plan(given);
    weft_path *path = malloc(WEFT_PATHS_CAPACITY * sizeof *path);
    bool ok = (plan && path) || weft_error("no memory for a plan");
    if (plan && given->callback) {
        plan->callback.data = given->callback->data;
        own.callback = &plan->callback;
    }
    ok = weft_settings_read(problem->comm, ok, weft_timelimit(), &settings) &&
         use_wire(&settings, &own) && own_comm(plan, &settings, &own);
    if (ok) {
        const bool traced = weft_trace_join(problem->comm, settings.trace);
        const int64_t since = traced ? weft_event_clock() : 0;
        weft_progress_begin(problem->rank == 0 && settings.verbose > 0 ? plan->problem.text : NULL,
                            begin);
        ok = problem->howmany == 0 || schedule(plan, problem, &settings, path, begin);
        weft_progress_begin(NULL, 0);
        if (plan->problem.device)
            ok = weft_agree(problem->comm, weft_device_succeeded(plan->problem.device) && ok);
        if (ok && traced)
            trace_plan(plan, since);
        if (ok && given->callback)
            plan->callback = *given->callback;
        if (ok) {
            weft_report_verbose(plan, settings.verbose);
            weft_report_sum(plan);
        }
    }
    free(path);
    weft_settings_free(&settings);
    if (!ok && plan) {
        weft_plan_destroy(plan);
        plan = NULL;
    }
    return plan;
}

bool weft_plan_is_too_late(const weft_plan *plan)
{
    const bool over = plan->schedule && plan->problem.ranks > 1 && weft_mpi_is_over();
    if (over) {
        weft_error("a plan of %d ranks cannot run after MPI_Finalize; nothing was done",
                   plan->problem.ranks);
        if (plan->problem.rank == 0)
            weft_print_once("%s", weft_error_text());
    }
    return over;
}

void weft_plan_start(weft_plan *plan, void *in, void *out, bool stops)
{
    if (atomic_flag_test_and_set(&plan->running))
        weft_abort("a plan runs in two threads at once, or between weft_execute_start and "
                   "weft_execute_finish; make a plan for each");
    plan->started = stops;
    if (!plan->schedule)
        return;
    const int64_t since = plan->label ? weft_event_clock() : 0;
    plan->begun = plan->summary ? weft_clock() : 0;
    const int before = weft_device_enter(plan->problem.device);
    plan->run = begin_run(plan, in, out);
    weft_schedule_run(plan->schedule, &plan->run, stops);
    if (!stops)
        end_run(plan, &plan->run);
    weft_device_leave(plan->problem.device, before);
    weft_event_record(plan->label, since);
}

static void end(weft_plan *plan)
{
    if (plan->schedule && plan->summary)
        weft_summary_ran(plan->summary, weft_clock() - plan->begun);
    plan->started = false;
    atomic_flag_clear(&plan->running);
}

bool weft_plan_test(const weft_plan *plan)
{
    return !plan->schedule || weft_schedule_test(plan->schedule, &plan->run);
}

/* After MPI_Finalize, only returns the borrowed workspace. */
void weft_plan_finish(weft_plan *plan)
{
    const int64_t since = plan->label ? weft_event_clock() : 0;
    if (plan->schedule) {
        const int before = weft_device_enter(plan->problem.device);
        if (!weft_mpi_is_over())
            weft_schedule_run(plan->schedule, &plan->run, false);
        end_run(plan, &plan->run);
        weft_device_leave(plan->problem.device, before);
        weft_event_record(plan->label, since);
    }
    end(plan);
}

void weft_plan_run(weft_plan *plan, void *in, void *out)
{
    if (!plan->schedule)
        return;
    weft_plan_start(plan, in, out, false);
    end(plan);
}

void weft_plan_destroy(weft_plan *plan)
{
    const int before = weft_device_enter(plan->problem.device);
    if (plan->problem.device) /* its work may still use the plan's memory */
        (void)weft_device_wait(plan->problem.device);
    weft_schedule_destroy(plan->schedule);
    weft_layout_drop(&plan->problem.from.layout);
    weft_layout_drop(&plan->problem.to.layout);
    weft_tried_free(&plan->tried);
    if (plan->callback.owned)
        free(plan->callback.data);
    if (!plan->given)
        weft_workspace_unreserve(plan->problem.device, false, plan->workspace);
    weft_workspace_unreserve(plan->problem.device, true, plan->pinned);
    weft_device_leave(plan->problem.device, before);
    weft_device_close(plan->problem.device);
    if (plan->comm != MPI_COMM_NULL && !weft_mpi_is_over())
        MPI_Comm_free(&plan->comm);
    free(plan);
}
