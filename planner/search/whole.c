/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Races of whole schedules, run on all ranks at once, on the plan's arrays and shared memory. The
 * last races compare the schedule that was found with the same schedule with other variants of its
 * passes. Passes were timed alone, in this rank's memory only, which does not show whether written
 * data stays in a cache until another core reads it.
 */
#include <stdio.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "planner/search/search.h"

/* Seconds that can be timed well, most runs of each candidate, and seconds of a race; the last two
 * indexed by rigor. */
static const double enough = 3e-4;
static const int most_runs[] = {0, 6, 10, 20};
static const double budget[] = {0, 0.15, 1, 5};

/* With MEASURE, turns of a schedule with other variants of passes, and the fraction of the time by
 * which it must be faster. */
static const int few_runs = 4;
static const double little = 0.03;
/* With MEASURE, other variants of passes are not tried where all passes take less than this
 * fraction of the time, as over a slow network: even passes that were a sixth faster would then not
 * save `little`. */
static const double slight = 0.2;
/* A race on the arrays of the plan, which planning may overwrite. */
typedef struct {
    const weft_candidate *candidate;
    weft_run run; /* the arrays and workspace of the runs */
} timing;

/* Sets a side's array to 0. Where boxes lie in enclosing arrays, elements around the boxes do not
 * change. */
static void clear(const weft_problem *problem, const weft_problem_side *side, void *array)
{
    if (side->layout.enclosing)
        weft_layout_fill(&side->layout, problem->rank,
                         side->real ? sizeof(weft_real) : sizeof(weft_complex), NULL, array);
    else
        memset(array, 0, weft_local_bytes(side, problem->rank));
}

/* Sets `it` to the arrays of the problem, or to memory allocated here where they are NULL (in
 * `own`, which the caller frees). The arrays are filled with 0, so that numbers do not grow out of
 * bounds in runs in place. False: no memory. */
static bool arrays(const weft_problem *problem, weft_run *it, void *own[2])
{
    const weft_memory_kind kind = weft_memory_kind_of(problem->device);
    const size_t in = weft_local_bytes(&problem->from, problem->rank),
                 out = weft_local_bytes(&problem->to, problem->rank);
    const bool one = problem->in_place;
    it->in = one && problem->out ? problem->out : problem->in;
    it->out = one ? it->in : problem->out;
    if (!it->in && (in > 0 || one))
        it->in = own[0] = weft_memory_kind_allocate(kind, one && out > in ? out : in);
    if (one)
        it->out = it->in;
    else if (!it->out && out > 0)
        it->out = own[1] = weft_memory_kind_allocate(kind, out);
    if (it->in && !problem->device) /* on a device the time does not depend on the numbers */
        clear(problem, &problem->from, it->in);
    if (it->out && !problem->device)
        clear(problem, &problem->to, it->out);
    return (it->in || in == 0) && (it->out || out == 0);
}

static void run(void *context, int i)
{
    timing *it = context;
    it->run.next = 0;
    weft_schedule_run(it->candidate[i].schedule, &it->run, false);
}

/* Runs the race on the plan's arrays and returns the index of the fastest; -1: no memory. */
static int run_race(weft_search *search, weft_race *race)
{
    const weft_problem *problem = search->problem;
    timing it = {.candidate = race->candidate};
    void *own[2] = {NULL};
    race->comm = problem->comm;
    race->run = run;
    race->context = &it;
    race->enough = enough;
    race->begin = search->begin;
    race->until = search->settings->limit;
    size_t needed = 0, pinned = 0;
    int best = -1;
    const weft_memory_kind kind = weft_memory_kind_of(problem->device);
    bool there = arrays(problem, &it.run, own);
    for (int i = 0; i < race->candidates; i++) {
        const weft_schedule *schedule = race->candidate[i].schedule;
        needed = schedule->workspace > needed ? schedule->workspace : needed;
        pinned = schedule->pinned > pinned ? schedule->pinned : pinned;
    }
    it.run.workspace = weft_memory_kind_allocate(kind, needed);
    if (pinned > 0)
        there &= (it.run.pinned = weft_memory_kind_allocate(
                      weft_memory_kind_pinned(problem->device), pinned)) != NULL;
    if (weft_agree(problem->comm, there && it.run.workspace))
        best = weft_race_run(race);
    else
        weft_error_clear();
    search->cut_short |= race->out_of_time;
    weft_memory_kind_free(kind, it.run.workspace);
    weft_memory_kind_free(kind, own[0]);
    weft_memory_kind_free(kind, own[1]);
    if (pinned > 0)
        weft_memory_kind_free(weft_memory_kind_pinned(problem->device), it.run.pinned);
    return best;
}

int weft_whole_race(weft_search *search, weft_candidate *candidate, int count)
{
    return run_race(search, &(weft_race){.candidate = candidate,
                                         .candidates = count,
                                         .most_runs = count == 1 ? 1 : most_runs[search->rigor],
                                         .budget = budget[search->rigor]});
}

/* Makes candidate 1: the schedule of candidate 0 with the variants of passes that rank 0's `words`
 * name. False: the words are "", or the schedule could not be made. */
static bool add_changed(const weft_search *search, const char *words, weft_candidate candidate[2])
{
    weft_common_text common;
    weft_broadcast_text(search->problem->comm, words, &common);
    if (!common.text || !common.text[0]) {
        weft_common_text_free(&common);
        return false;
    }
    weft_decision decision = weft_search_decision(candidate[0].schedule, candidate[0].path, 0);
    snprintf(decision.passes, sizeof decision.passes, "%s", common.text);
    weft_common_text_free(&common);
    candidate[1] = weft_candidate_of(weft_search_known(search, &decision), candidate[0].path);
    weft_error_clear();
    return candidate[1].schedule != NULL;
}

/* Keeps the faster candidate. The first wins if the second is faster by less than `little`, since
 * with MEASURE the runs are few. */
static void keep_faster(weft_search *search, const char *words, weft_candidate candidate[2])
{
    const int rigor = search->rigor;
    weft_race two = {.candidate = candidate,
                     .candidates = 2,
                     .most_runs = rigor > 1 ? most_runs[rigor] : few_runs,
                     .budget = budget[rigor],
                     .quick = rigor == 1,
                     .crowded = weft_search_is_crowded(search),
                     .tie = little};
    const bool changed = run_race(search, &two) == 1;
    weft_tried_add(search->tried, &candidate[1], "passes %.63s, in place of %.9f s", words,
                   candidate[0].seconds);
    weft_schedule_destroy(candidate[!changed].schedule);
    candidate[0] = candidate[changed];
    if (candidate[0].seconds > 0)
        search->seconds = candidate[0].seconds;
}

static void change_passes(weft_search *search, weft_candidate candidate[2])
{
    const weft_schedule *first = candidate[0].schedule;
    const int passes = first->steps - weft_schedule_exchanges(first);
    char words[WEFT_PASSES_TEXT];
    for (int pass = 0; pass < passes && !weft_search_is_late(search, 0); pass++) {
        if (!weft_schedule_variants(candidate[0].schedule, pass, words, sizeof words))
            words[0] = '\0';
        if (!add_changed(search, words, candidate))
            continue;
        weft_schedule_variants(candidate[1].schedule, -1, words, sizeof words);
        keep_faster(search, words, candidate);
    }
}

weft_schedule *weft_whole_refine(weft_search *search, weft_schedule *schedule)
{
    weft_candidate candidate[2] = {
        {.schedule = schedule, .path = search->chosen, .model = -1, .seconds = search->seconds}};
    const double passes =
        weft_agree_max(search->problem->comm, weft_schedule_pass_seconds(schedule));
    if (search->rigor > 1 || passes <= 0 || passes > slight * search->seconds)
        change_passes(search, candidate);
    return candidate[0].schedule;
}
