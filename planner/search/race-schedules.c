/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schedules run on the arrays of the plan, which planning may overwrite; they are set to 0 first,
 * so that numbers do not grow out of bounds in runs in place.
 */
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "planner/search/laps.h"
#include "kernels/base/memory.h"
#include "planner/search/race-schedules.h"

static const double enough = 3e-4;
static const int most_runs[] = {0, 6, 10, 20};
static const double budget[] = {0, 0.15, 1, 5};

typedef struct {
    const weft_task_at_hand *task;
    const weft_entrant *entrant;
    weft_laps laps;
    void *in, *out, *workspace;
} schedule_course;

static size_t array_bytes(const weft_layout *layout, bool real, int rank)
{
    weft_box box;
    weft_layout_box(layout, rank, &box);
    return (size_t)weft_layout_elements(layout, &box) *
           (real ? sizeof(weft_real) : sizeof(weft_complex));
}

static void clear_arrays(const schedule_course *course)
{
    const weft_problem *problem = course->task->problem;
    const weft_path *path = course->task->path;
    const weft_stage *first = &path->stage[0], *last = &path->stage[path->stages - 1];
    const size_t in = array_bytes(&first->before, first->real_before, problem->rank);
    const size_t out = array_bytes(&last->after, last->real_after, problem->rank);
    if (course->in && in > 0)
        memset(course->in, 0, in);
    if (course->out && out > 0)
        memset(course->out, 0, out);
}

static void run(void *context, int i)
{
    const schedule_course *course = context;
    weft_schedule_run(course->entrant[i].schedule, course->in, course->out, course->workspace);
}

static weft_lap lap(void *context, int i)
{
    schedule_course *course = context;
    return weft_laps_time(&course->laps, i);
}

static void enter_trials(const schedule_course *course, int count, const weft_result *result)
{
    weft_trials *trials = course->task->by->trials;
    for (int i = 0; i < count; i++) {
        char text[WEFT_DECISION_TEXT];
        weft_decision decision =
            weft_search_decision(course->entrant[i].schedule, course->entrant[i].path, 0);
        decision.passes[0] = '\0';
        weft_decision_write(&decision, text);
        weft_trial_enter(weft_trials_add(trials, -1, "schedule with %s", text), result, i);
    }
}

void weft_search_race(const weft_task_at_hand *task, const weft_entrant *entrant, int count,
                      weft_result *result)
{
    const weft_problem *problem = task->problem;
    schedule_course course = {
        .task = task, .entrant = entrant, .in = problem->in, .out = problem->out};
    size_t needed = 0;
    if (problem->in_place)
        course.in = course.out = problem->out ? problem->out : problem->in;
    for (int i = 0; i < count; i++) {
        const size_t bytes = weft_schedule_workspace(entrant[i].schedule);
        needed = bytes > needed ? bytes : needed;
    }
    *result = (weft_result){.best = -1};
    course.workspace = weft_memory_get(needed);
    if (weft_agree(task->by->comm, course.workspace != NULL)) {
        const weft_race race = {.run = lap,
                                .context = &course,
                                .candidates = count,
                                .most_runs = count == 1 ? 1 : most_runs[task->by->rigor],
                                .until = task->by->settings->limit,
                                .budget = budget[task->by->rigor]};
        course.laps =
            (weft_laps){.search = task->by, .enough = enough, .run = run, .context = &course};
        clear_arrays(&course);
        weft_race_run(&race, result);
        enter_trials(&course, count, result);
    } else {
        weft_error_clear();
    }
    weft_memory_free(course.workspace);
}
