/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Races of whole schedules, on the arrays of the plan and the memory that ranks share, all ranks at
 * once, as they will run. The last of them is between the schedule that was found and the same one
 * with passes done otherwise: a pass was timed by itself, on memory of this rank alone, where it
 * does not show whether what is written stays in a cache until another core reads it.
 */
#include <stdio.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "planner/search/search.h"

/* Seconds that can be timed well, runs of each candidate, and seconds of a race. */
static const double enough = 3e-4;
static const int most_runs[] = {0, 6, 10, 20};
static const double budget[] = {0, 0.15, 1, 5};

/* Runs of a schedule whose passes are done otherwise, each a turn, and by what part of the time it
 * must be faster. */
static const int few_runs = 4;
static const double little = 0.03;
/* A schedule that takes so many times as long as its passes do by themselves. */
static const double doubt = 1.5;
/* FFTW's own way, estimated, takes so many times as long as the best, or less, where it might win
 * if it were measured: of nine, measuring made two slower and the others 7 to 21 % faster. */
static const double near = 1.2, near_in_doubt = 2;

/* A race on the arrays of the plan, which planning may overwrite. */
typedef struct {
    const weft_candidate *candidate;
    weft_run run; /* but for what is counted in it */
} timing;

/* Of one side of the problem, on this rank. */
static size_t bytes_of(const weft_problem *problem, const weft_holding *side)
{
    return (size_t)weft_numbers_held(side, problem->rank) *
           (side->real ? sizeof(weft_real) : sizeof(weft_complex));
}

/* What lies around boxes in rooms is not touched. */
static void clear(const weft_problem *problem, const weft_holding *side, void *array)
{
    if (side->layout.room)
        weft_layout_fill(&side->layout, problem->rank,
                         side->real ? sizeof(weft_real) : sizeof(weft_complex), NULL, array);
    else
        memset(array, 0, bytes_of(problem, side));
}

/* The arrays of the problem, of 0 so that numbers do not grow out of bounds in runs in place; where
 * they are NULL memory of its own, to be freed. False: there is none. */
static bool arrays(const weft_problem *problem, weft_run *it, void *own[2])
{
    const weft_memory_kind kind = weft_memory_of(problem->device);
    const size_t in = bytes_of(problem, &problem->from), out = bytes_of(problem, &problem->to);
    const bool one = problem->in_place;
    it->in = one && problem->out ? problem->out : problem->in;
    it->out = one ? it->in : problem->out;
    if (!it->in && (in > 0 || one))
        it->in = own[0] = weft_memory_take(kind, one && out > in ? out : in);
    if (one)
        it->out = it->in;
    else if (!it->out && out > 0)
        it->out = own[1] = weft_memory_take(kind, out);
    if (it->in && !problem->device) /* there all numbers take as long */
        clear(problem, &problem->from, it->in);
    if (it->out && !problem->device)
        clear(problem, &problem->to, it->out);
    return (it->in || in == 0) && (it->out || out == 0);
}

static void run(void *context, int i)
{
    timing *it = context;
    weft_schedule_run(it->candidate[i].schedule, &it->run);
}

/* The fastest, on the arrays; -1: there is no memory. */
static int run_race(const weft_search *search, weft_race *race)
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
    const weft_memory_kind kind = weft_memory_of(problem->device);
    bool there = arrays(problem, &it.run, own);
    for (int i = 0; i < race->candidates; i++) {
        const size_t bytes = weft_schedule_workspace(race->candidate[i].schedule);
        const size_t of_host = weft_schedule_pinned(race->candidate[i].schedule);
        needed = bytes > needed ? bytes : needed;
        pinned = of_host > pinned ? of_host : pinned;
    }
    it.run.workspace = weft_memory_take(kind, needed);
    if (pinned > 0)
        there &=
            (it.run.pinned = weft_memory_take(weft_pinned_of(problem->device), pinned)) != NULL;
    if (weft_agree(problem->comm, there && it.run.workspace))
        best = weft_race_run(race);
    else
        weft_error_clear();
    weft_memory_give(kind, it.run.workspace);
    weft_memory_give(kind, own[0]);
    weft_memory_give(kind, own[1]);
    if (pinned > 0)
        weft_memory_give(weft_pinned_of(problem->device), it.run.pinned);
    return best;
}

int weft_whole_race(const weft_search *search, weft_candidate *candidate, int count,
                    bool *out_of_time)
{
    weft_race race = {.candidate = candidate,
                      .candidates = count,
                      .most_runs = count == 1 ? 1 : most_runs[search->rigor],
                      .budget = budget[search->rigor]};
    const int best = run_race(search, &race);
    *out_of_time = race.out_of_time;
    return best;
}

/* One like the first, but with passes as these words say, which rank 0 knows. False: they are "",
 * or it could not be made. */
static bool add_changed(const weft_search *search, const char *words, weft_candidate candidate[2])
{
    weft_told told;
    weft_agree_text(search->problem->comm, words, &told);
    if (!told.text || !told.text[0]) {
        weft_told_free(&told);
        return false;
    }
    weft_decision decision = weft_search_decision(candidate[0].schedule, candidate[0].path, 0);
    snprintf(decision.passes, sizeof decision.passes, "%s", told.text);
    weft_told_free(&told);
    candidate[1] = (weft_candidate){.schedule = weft_search_known(search, &decision),
                                    .path = candidate[0].path,
                                    .model = -1,
                                    .seconds = -1};
    weft_error_clear();
    return candidate[1].schedule != NULL;
}

/* Which is faster; the first if the other one is so by little, for with MEASURE the runs are few.
 */
static int race_two(weft_search *search, weft_candidate candidate[2])
{
    weft_race race = {.candidate = candidate,
                      .candidates = 2,
                      .most_runs = search->rigor > 1 ? most_runs[search->rigor] : few_runs,
                      .budget = budget[search->rigor],
                      .quick = search->rigor == 1,
                      .crowded = weft_search_is_crowded(search),
                      .tie = little};
    const int faster = run_race(search, &race);
    search->cut_short |= race.out_of_time;
    return faster;
}

/* The faster one takes the first place, the other one goes. */
static void keep_faster(weft_search *search, const char *what, weft_candidate candidate[2])
{
    const bool changed = race_two(search, candidate) == 1;
    weft_tried_add(search->tried, &candidate[1], "%.70s, in place of %.9f s", what,
                   candidate[0].seconds);
    weft_schedule_destroy(candidate[!changed].schedule);
    candidate[0] = candidate[changed];
    search->chosen = candidate[0].path;
    if (candidate[0].seconds > 0)
        search->seconds = candidate[0].seconds;
}

static void change_passes(weft_search *search, weft_candidate candidate[2])
{
    const int passes = weft_schedule_passes(candidate[0].schedule);
    char words[WEFT_PASSES_TEXT], what[80];
    for (int pass = 0; pass < passes && !weft_search_is_late(search, 0); pass++) {
        if (!weft_schedule_other_variants(candidate[0].schedule, pass, words, sizeof words))
            words[0] = '\0';
        if (!add_changed(search, words, candidate))
            continue;
        weft_schedule_variants(candidate[1].schedule, words, sizeof words);
        snprintf(what, sizeof what, "passes %.70s", words);
        keep_faster(search, what, candidate);
    }
}

/* FFTW's own way takes the second place. False: there is none that could win. */
static bool add_plain(weft_search *search, bool estimated, weft_candidate candidate[2])
{
    int way;
    const bool hurry = search->rigor == 1 && candidate[0].seconds > 0;
    weft_schedule *schedule =
        weft_search_plain(search, estimated, hurry ? candidate[0].seconds : -1, &way);
    candidate[1] = (weft_candidate){.schedule = schedule, .path = way, .model = -1, .seconds = -1};
    if (!schedule)
        weft_tried_add(search->tried, &candidate[1], "FFTW's own way: %.90s", weft_error_text());
    weft_error_clear();
    return schedule != NULL;
}

/* Whether FFTW's own way takes at most so many times as long, estimated. */
static bool plain_is_near(weft_search *search, double times, weft_candidate candidate[2])
{
    if (!add_plain(search, true, candidate))
        return false;
    race_two(search, candidate);
    weft_tried_add(search->tried, &candidate[1], "FFTW's own way, estimated, in place of %.9f s",
                   candidate[0].seconds);
    weft_schedule_destroy(candidate[1].schedule);
    return (candidate[0].clean || weft_search_is_crowded(search)) && candidate[1].seconds > 0 &&
           candidate[1].seconds < times * candidate[0].seconds;
}

/* FFTW's own way is timed, too, so that no plan is slower than that. To measure it takes longer
 * than all the rest of planning, so with MEASURE it is to be near first; less so where a schedule
 * takes much longer than its passes by themselves: what planning knows of such a machine is too
 * little. */
static void try_plain(weft_search *search, double passes, weft_candidate candidate[2])
{
    const double known = weft_agree_max(search->problem->comm, passes);
    const bool doubtful = known > 0 && candidate[0].seconds > doubt * known;
    if (search->by_hand || search->chosen >= search->paths || weft_search_is_late(search, 0) ||
        (search->rigor == 1 &&
         !plain_is_near(search, doubtful ? near_in_doubt : near, candidate)) ||
        weft_search_is_late(search, 0) || !add_plain(search, false, candidate))
        return;
    keep_faster(search, "FFTW's own way", candidate);
}

weft_schedule *weft_whole_refine(weft_search *search, weft_schedule *schedule)
{
    weft_candidate candidate[2] = {
        {.schedule = schedule, .path = search->chosen, .model = -1, .seconds = search->seconds}};
    const double passes = weft_schedule_pass_seconds(schedule);
    change_passes(search, candidate);
    if (search->problem->task == WEFT_TRANSFORM &&
        weft_schedule_exchanges(candidate[0].schedule) > 0)
        try_plain(search, passes, candidate);
    return candidate[0].schedule;
}
