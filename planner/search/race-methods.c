/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timing exchanges by themselves, on arrays of their own.
 */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "planner/wisdom/decision.h"
#include "kernels/base/error.h"
#include "backends/exchange/exchange.h"
#include "planner/search/laps.h"
#include "kernels/base/memory.h"
#include "planner/search/methods.h"

static const double enough = 2e-4;
static const int most_runs[] = {0, 5, 8, 12};
static const double budget[] = {0, 0.05, 0.5, 3};

typedef struct {
    const weft_search *search;
    const weft_exchange *exchange;
    const weft_ranked_method *candidate;
    weft_prepared *prepared[WEFT_MAX_METHODS];
    weft_laps laps;
    void *in, *out, *work;
    size_t work_bytes;
} exchange_course;

static void run(void *context, int i)
{
    exchange_course *course = context;
    weft_prepared_run(course->prepared[i], course->in, course->out, course->work);
}

static bool prepare(exchange_course *course, int i)
{
    const weft_method method = course->candidate[i].method;
    course->prepared[i] = weft_prepare(course->exchange, method.backend, method.value);
    if (!course->prepared[i])
        return false;
    const size_t needed = weft_prepared_workspace(course->prepared[i]);
    if (needed > course->work_bytes) {
        weft_memory_free(course->work);
        course->work = weft_memory_get(needed);
        course->work_bytes = course->work ? needed : 0;
    }
    return weft_agree(course->search->comm, course->work_bytes >= needed);
}

static weft_lap lap(void *context, int i)
{
    exchange_course *course = context;
    if (!course->prepared[i] && !prepare(course, i)) {
        weft_error_clear();
        return (weft_lap){-1, weft_search_spent(course->search)};
    }
    return weft_laps_time(&course->laps, i);
}

static bool set_up(exchange_course *course)
{
    const weft_exchange *exchange = course->exchange;
    const size_t in = (size_t)exchange->in_elements * exchange->element;
    const size_t out = (size_t)exchange->out_elements * exchange->element;
    course->in = weft_memory_get(exchange->in_place && out > in ? out : in);
    course->out = exchange->in_place ? course->in : weft_memory_get(out);
    if (course->in)
        memset(course->in, 0, in);
    return weft_agree(course->search->comm, course->in && course->out);
}

static void tear_down(exchange_course *course, int count)
{
    for (int i = 0; i < count; i++)
        if (course->prepared[i])
            weft_prepared_release(course->prepared[i]);
    if (course->out != course->in)
        weft_memory_free(course->out);
    weft_memory_free(course->in);
    weft_memory_free(course->work);
}

static weft_trial *trial_of(const weft_search *search, int which,
                            const weft_ranked_method *candidate)
{
    char name[128];
    weft_method_write(candidate->method, name, sizeof name);
    return weft_trials_add(search->trials, candidate->model, "exchange %d by %s", which, name);
}

void weft_methods_leave(const weft_search *search, int which, const weft_ranked_method *candidate,
                        int count)
{
    for (int i = 0; i < count; i++)
        trial_of(search, which, &candidate[i]);
}

int weft_methods_race(const weft_search *search, const weft_exchange *exchange, int which,
                      const weft_ranked_method *candidate, int count, double *seconds)
{
    exchange_course course = {.search = search, .exchange = exchange, .candidate = candidate};
    weft_result result = {.best = -1};
    course.laps = (weft_laps){.search = search, .enough = enough, .run = run, .context = &course};
    *seconds = -1;
    if (set_up(&course)) {
        const weft_race race = {.run = lap,
                                .context = &course,
                                .candidates = count,
                                .most_runs = most_runs[search->rigor],
                                .until = search->settings->limit,
                                .budget = budget[search->rigor]};
        weft_race_run(&race, &result);
    } else {
        weft_error_clear(); /* no memory to time them: the model decides */
    }
    tear_down(&course, count);
    for (int i = 0; i < count; i++)
        weft_trial_enter(trial_of(search, which, &candidate[i]), &result, i);
    if (result.best < 0)
        return 0;
    *seconds = result.seconds[result.best];
    return result.best;
}
