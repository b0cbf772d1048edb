/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schedules run on the arrays of the plan, which planning may overwrite; they are set to 0 first,
 * so that numbers do not grow out of bounds in runs in place.
 */
#include <string.h>
#include "agreement.h"
#include "clock.h"
#include "error.h"
#include "memory.h"
#include "search-race.h"

/* Seconds that are enough to be timed well. */
static const double enough = 3e-4;
/* Shorter runs are timed a few times in a lap: a machine that is busy disturbs some of them. */
static const double short_run = 5e-3;
static const int most_runs[] = {0, 6, 10, 20};
static const double budget[] = {0, 0.15, 1, 5};
enum { SAMPLES = 3, MOST_TIMES = 50, MOST_ENTRANTS = WEFT_MOST_ENTRANTS };

typedef struct {
    const weft_task_at_hand *task;
    const WEFT(entrant) * entrant;
    int times[MOST_ENTRANTS];      /* runs of a lap; 0: did not run yet */
    bool long_runs[MOST_ENTRANTS]; /* that one of is enough to be timed */
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
    const weft_chain *chain = course->task->chain;
    const weft_stage *first = &chain->stage[0], *last = &chain->stage[chain->stages - 1];
    const size_t in = array_bytes(&first->before, first->real_before, problem->rank);
    const size_t out = array_bytes(&last->after, last->real_after, problem->rank);
    if (course->in && in > 0)
        memset(course->in, 0, in);
    if (course->out && out > 0)
        memset(course->out, 0, out);
}

static weft_lap timed(const schedule_course *course, int i)
{
    const weft_search *search = course->task->by;
    double time[SAMPLES + 1] = {0};
    const int samples = course->long_runs[i] ? 1 : SAMPLES;
    for (int sample = 0; sample < samples; sample++) {
        MPI_Barrier(search->comm);
        const double begin = weft_clock();
        for (int run = 0; run < course->times[i]; run++)
            WEFT(schedule_run)
        (course->entrant[i].schedule, course->in, course->out, course->workspace);
        time[sample] = (weft_clock() - begin) / course->times[i];
    }
    time[samples] = weft_clock() - search->begin;
    weft_agree_max_all(search->comm, time, samples + 1);
    double least = time[0];
    for (int sample = 1; sample < samples; sample++)
        least = time[sample] < least ? time[sample] : least;
    return (weft_lap){least, time[samples]};
}

static weft_lap lap(void *context, int i)
{
    schedule_course *course = context;
    if (course->times[i] == 0) {
        course->times[i] = 1;
        course->long_runs[i] = true; /* one will tell */
        const double once = timed(course, i).seconds;
        course->long_runs[i] = once > short_run;
        if (once * MOST_TIMES < enough)
            course->times[i] = MOST_TIMES;
        else if (once < enough)
            course->times[i] = (int)(enough / once) + 1;
    }
    return timed(course, i);
}

static void enter_trials(const schedule_course *course, int count, const weft_result *result)
{
    weft_trials *trials = course->task->by->trials;
    for (int i = 0; i < count; i++) {
        char text[WEFT_DECISION_TEXT];
        weft_decision decision =
            WEFT(search_decision)(course->entrant[i].schedule, course->entrant[i].chain, 0);
        decision.passes[0] = '\0';
        weft_decision_write(&decision, text);
        weft_trial_enter(weft_trials_add(trials, -1, "schedule with %s", text), result, i);
    }
}

void WEFT(search_race)(const weft_task_at_hand *task, const WEFT(entrant) * entrant, int count,
                       weft_result *result)
{
    const weft_problem *problem = task->problem;
    schedule_course course = {
        .task = task, .entrant = entrant, .in = problem->in, .out = problem->out};
    size_t needed = 0;
    if (problem->in_place)
        course.in = course.out = problem->out ? problem->out : problem->in;
    for (int i = 0; i < count; i++) {
        const size_t bytes = WEFT(schedule_workspace)(entrant[i].schedule);
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
        clear_arrays(&course);
        weft_race_run(&race, result);
        enter_trials(&course, count, result);
    } else {
        weft_error_clear();
    }
    weft_memory_free(course.workspace);
}
