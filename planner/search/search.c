/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search. Exchanges through shared memory change the passes around them, messages do not; so
 * there are a few whole schedules, by where memory is shared, and in each the messages' backends
 * are found by timing every exchange by itself. The schedules then race.
 */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "planner/search/search.h"
#include "planner/search/choose.h"
#include "planner/search/race-schedules.h"
#include "backends/table.h"

/* Messages that take more than this part of the time of a whole schedule that needs none will not
 * win: their passes take about as long as the others. */
static const double too_much = 0.1;
/* Seconds of a schedule that is not run while planning, since its passes were timed. */
static const double long_run = 1e-3;

static weft_schedule *make(const weft_task_at_hand *task, int path, weft_choosing *to)
{
    const weft_search *by = task->by;
    const double limit = by->settings->limit;
    const weft_pass_wishes wishes = {
        .variants = to->known && to->known->passes[0] ? to->known->passes : NULL,
        /* timing takes memory, so passes are told that there is no time for it */
        .until = by->little_memory ? by->begin
                 : limit < 0       ? 0
                                   : by->begin + limit,
        .ranks_per_core = (by->machine.per_node + by->machine.cores - 1) / by->machine.cores,
    };
    return weft_schedule_make(&task->path[path], task->problem, weft_search_choose, to, &wishes);
}

static bool time_is_up(const weft_search *search, double more)
{
    const double limit = search->settings->limit;
    return limit >= 0 && weft_search_spent(search) + more > limit;
}

/* Where else memory might be shared, after everywhere. */
static int alternatives(const weft_search *search, int took_shared, int *shared)
{
    int count = 0;
    shared[count++] = WEFT_SHARED_NOWHERE;
    if (search->rigor >= 2 && took_shared == 3 /* two exchanges */) {
        shared[count++] = 1;
        shared[count++] = 2;
    }
    return count;
}

/* The schedules under way, in the order of preference. */
typedef struct {
    const weft_task_at_hand *task;
    weft_entrant entrant[WEFT_MOST_ENTRANTS];
    int count;
    double making;     /* seconds that the first one took to make */
    weft_result alone; /* of the first one by itself; best -1: not timed */
    weft_found found;
} contest;

static bool join(contest *field, int path, weft_choosing *to)
{
    weft_schedule *schedule = make(field->task, path, to);
    if (schedule)
        field->entrant[field->count++] = (weft_entrant){schedule, path, to->took_shared};
    return schedule != NULL;
}

/* One that the backends of another schedule carry out in parts, if that lets anything overlap;
 * those that cannot wait for messages give way to one that can. */
static const weft_backend *overlapping(void)
{
    int place = 0;
    for (const weft_backend *backend; (backend = weft_backend_at(place)); place++)
        if (backend->overlaps && !backend->parameter)
            break;
    return weft_backend_at(place);
}

static void join_in_parts(contest *field, int path, const weft_schedule *like, int parts)
{
    weft_decision decision = weft_search_decision(like, path, 0);
    weft_choosing to = {.search = field->task->by, .known = &decision, .most = -1};
    int cut = 0;
    for (int i = 0; i < decision.exchanges; i++) {
        weft_method *method = &decision.method[i];
        if (method->backend->memory)
            continue;
        if (!method->backend->overlaps)
            *method = (weft_method){.backend = overlapping()};
        method->parts = parts;
        cut++;
    }
    if (cut == 0 || !join(field, path, &to))
        return;
    weft_schedule *made = field->entrant[field->count - 1].schedule;
    if (weft_schedule_overlaps(made) == 0) {
        weft_schedule_destroy(made);
        field->count--;
    }
}

/* With patience, exchanges of messages in parts. */
static void join_overlapped(contest *field, int path, int first)
{
    static const int parts[] = {2, 4};
    const weft_search *by = field->task->by;
    const int until = field->count;
    if (by->rigor < 2 || by->little_memory || by->settings->overlap > 0 || field->found.by_hand)
        return;
    for (int like = first; like < until; like++)
        for (int i = 0; i < 2 && field->count < WEFT_MOST_ENTRANTS; i++) {
            if (time_is_up(by, field->making)) {
                field->found.cut_short = true;
                return;
            }
            join_in_parts(field, path, field->entrant[like].schedule, parts[i]);
        }
}

/* The other schedules of a chain that are worth it. */
static void join_others(contest *field, int path, int took_shared)
{
    int shared[4];
    const weft_search *by = field->task->by;
    const int most = alternatives(by, took_shared, shared);
    for (int i = 0; i < most && field->count < WEFT_MOST_ENTRANTS; i++) {
        weft_choosing to = {.search = by, .shared = shared[i], .most = -1};
        if (by->rigor == 1 && field->alone.best == 0)
            to.most = too_much * field->alone.seconds[0];
        if (time_is_up(by, field->making)) {
            field->found.cut_short = true;
            return;
        }
        join(field, path, &to);
    }
}

/* Of several schedules the fastest; the others go. */
static void settle(contest *field)
{
    weft_result result = field->alone;
    if (field->count > 1 || result.best < 0)
        weft_search_race(field->task, field->entrant, field->count, &result);
    const int best = result.best < 0 ? 0 : result.best;
    field->found.cut_short |= result.out_of_time;
    field->found.schedule = field->entrant[best].schedule;
    field->found.path = field->entrant[best].path;
    field->found.seconds = result.best < 0 ? 0 : result.seconds[best];
    for (int i = 0; i < field->count; i++)
        if (i != best)
            weft_schedule_destroy(field->entrant[i].schedule);
}

/* Where memory cannot be shared after all, messages do. */
static bool join_without_memory(contest *field, int path, weft_choosing *to)
{
    weft_trial *trial =
        weft_trials_add(field->task->by->trials, -1, "schedule with shared memory: %s", weft_error_text());
    if (trial)
        trial->outcome = WEFT_FAILED;
    *to = (weft_choosing){.search = field->task->by, .shared = WEFT_SHARED_NOWHERE, .most = -1};
    return join(field, path, to);
}

/* Whether the passes say how long the first schedule takes, which shares memory: long ones were
 * timed well enough, and with MEASURE that will do. */
static bool known_by_passes(contest *field)
{
    const weft_search *by = field->task->by;
    const weft_schedule *schedule = field->entrant[0].schedule;
    const int exchanges = weft_schedule_exchanges(schedule);
    double seconds = weft_schedule_pass_seconds(schedule);
    double known[2] = {seconds, seconds < 0};
    for (int i = 0; i < exchanges; i++)
        if (!weft_schedule_method(schedule, i).backend->memory)
            return false;
    weft_agree_max_all(by->comm, known, 2);
    if (by->rigor > 1 || known[1] > 0 || known[0] < long_run)
        return false;
    field->alone = (weft_result){.seconds = {known[0]}, .best = 0};
    weft_trial *trial = weft_trials_add(by->trials, -1, "the passes of schedule 0, one by one");
    weft_trial_enter(trial, &field->alone, 0);
    return true;
}

/* With memory shared wherever that can be, and in other ways if there is any. */
static bool try_path(contest *field, int path)
{
    const weft_search *by = field->task->by;
    weft_choosing to = {.search = by,
                        .shared = by->little_memory ? WEFT_SHARED_NOWHERE : WEFT_SHARED_EVERYWHERE,
                        .most = -1};
    const double begin = weft_search_spent(by);
    const bool first = field->count == 0;
    bool made = join(field, path, &to);
    if (!made && to.picked_shared)
        made = join_without_memory(field, path, &to);
    field->found.by_hand |= to.by_hand;
    if (!made || by->rigor == 0)
        return made;
    if (first)
        field->making = weft_search_spent(by) - begin;
    if (!to.took_shared)
        return true;
    if (first && !known_by_passes(field))
        weft_search_race(field->task, field->entrant, 1, &field->alone);
    join_others(field, path, to.took_shared);
    return true;
}

weft_found weft_search_find(const weft_task_at_hand *task)
{
    contest field = {.task = task, .alone = {.best = -1}};
    bool any = false;
    for (int path = 0; path < task->raced; path++) {
        if (any && time_is_up(task->by, field.making)) {
            field.found.cut_short = true;
            break;
        }
        const int first = field.count;
        if (!try_path(&field, path))
            continue;
        any = true;
        join_overlapped(&field, path, first);
    }
    if (!any)
        return field.found;
    weft_error_clear();
    if (task->by->rigor > 0 && !time_is_up(task->by, 0)) {
        settle(&field);
        return field.found;
    }
    field.found.cut_short = task->by->rigor > 0;
    field.found.schedule = field.entrant[0].schedule;
    field.found.path = field.entrant[0].path;
    for (int i = 1; i < field.count; i++)
        weft_schedule_destroy(field.entrant[i].schedule);
    return field.found;
}

weft_schedule *weft_search_known(const weft_task_at_hand *task, const weft_decision *decision)
{
    weft_choosing to = {.search = task->by, .known = decision, .most = -1};
    if (decision->path < 0 || decision->path >= task->paths)
        return NULL;
    weft_schedule *schedule = make(task, decision->path, &to);
    if (schedule && weft_schedule_exchanges(schedule) != decision->exchanges) {
        weft_error("what is known is of another schedule");
        weft_schedule_destroy(schedule);
        return NULL;
    }
    return schedule;
}

/* What rank 0's FFTW knows, to all, so that they need not find it out again. */
static void share_fftw_wisdom(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    char *mine = rank == 0 ? FFTW(export_wisdom_to_string)() : NULL;
    char *text = weft_agree_text(comm, mine);
    if (text && rank > 0)
        FFTW(import_wisdom_from_string)(text);
    free(text);
    free(mine);
}

bool weft_search_even_out(const weft_task_at_hand *task, weft_found *found)
{
    const weft_path *path = &task->path[found->path];
    MPI_Comm comm = task->by->comm;
    char mine[WEFT_PASSES_TEXT];
    weft_schedule_variants(found->schedule, mine, sizeof mine);
    char *variants = weft_agree_text(comm, mine);
    if (!variants)
        return false; /* on all ranks */
    bool ok = true;
    if (weft_agree_max(comm, weft_schedule_differs(found->schedule, variants)) > 0) {
        share_fftw_wisdom(comm);
        ok = weft_schedule_set_variants(found->schedule, path, task->problem, variants);
    }
    free(variants);
    return ok;
}

weft_decision weft_search_decision(const weft_schedule *schedule, int path, double seconds)
{
    weft_decision decision = {.path = path, .seconds = seconds};
    decision.exchanges = weft_schedule_exchanges(schedule);
    for (int i = 0; i < decision.exchanges; i++)
        decision.method[i] = weft_schedule_method(schedule, i);
    weft_schedule_variants(schedule, decision.passes, sizeof decision.passes);
    return decision;
}
