/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for the fastest schedule. Exchanges through shared memory change the passes around
 * them; exchanges by messages do not. So only a few whole schedules race, which differ in the
 * exchanges that use shared memory. For each of them, the methods of messages are chosen first, by
 * timing every exchange alone. The candidates for a path of two exchanges, in the order of
 * preference:
 *
 *     exchange 0      exchange 1      when
 *     memory          memory          always; the only one with ESTIMATE, which uses memory where
 *                                     the model prefers it
 *     messages        messages        from MEASURE on; with MEASURE only if the messages take at
 *                                     most a tenth of the first schedule's time
 *     memory          messages        from PATIENT on
 *     messages        memory          from PATIENT on
 *
 * The schedules race on all ranks at once, on the plan's arrays and shared memory. The last races
 * compare the schedule that was found with the same schedule with other variants of its passes:
 * passes were timed alone, in this rank's memory only, which does not show whether written data
 * stays in a cache until another core reads it.
 *
 * The next path has the same candidates. ESTIMATE compares two paths by the model if slabs occupy
 * only a few nodes and pencils could use all. With little memory, only messages are tried. The time
 * limit ends both the making of candidates and the race.
 */
#include <stdio.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/table.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "planner/search/search.h"

/* With MEASURE, messages that take more than this fraction of a schedule with shared memory will
 * not win, since their passes take about as long. */
static const double too_much = 0.1;
/* ESTIMATE chooses pencils over slabs if the model's time is below this fraction of the time of
 * slabs. */
static const double clearly = 0.8;
/* Seconds from which on the first schedule is not run while planning: the times of its passes
 * suffice. */
static const double long_run = 1e-3;

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

enum {
    EVERYWHERE = -1,
    MOST = 4 * WEFT_MAX_PATHS /* each path with four uses of shared memory */
};

/* The schedules to race, in the order of preference. */
typedef struct {
    weft_search *search;
    weft_candidate candidate[MOST];
    int count;
    double making; /* seconds that it took to make the first schedule */
    bool refused;  /* shared memory was refused, so the search does not ask again */
} candidates;

/* A race on the arrays of the plan, which planning may overwrite. */
typedef struct {
    const weft_candidate *candidate;
    weft_run run; /* the arrays and workspace of the runs */
} timing;

/* Sets a side's array to 0. Where boxes are in enclosing arrays, elements around the boxes do not
 * change. */
static void clear(const weft_problem *problem, const weft_problem_side *side, void *array)
{
    if (side->layout.enclosing)
        weft_layout_fill(&side->layout, problem->rank, weft_number_bytes(side->real), NULL, array);
    else
        memset(array, 0, weft_local_bytes(side, problem->rank));
}

/* Sets `it` to the arrays of the problem, or to memory allocated here (in `own`, which the caller
 * frees) where they are NULL, or two where the plan has one, which may have other boxes. The arrays
 * are filled with 0, so that numbers do not grow out of bounds in runs in place. False: no memory.
 */
static bool arrays(const weft_problem *problem, weft_run *it, void *own[2])
{
    const weft_device *device = problem->device;
    const size_t in = weft_local_bytes(&problem->from, problem->rank),
                 out = weft_local_bytes(&problem->to, problem->rank);
    const bool one = problem->in_place, /* on some rank; this rank may still pass two arrays */
        two = one && in > 0 && out > 0 && problem->in != problem->out;
    /* without numbers on a side, its pointer may be any */
    it->in = two ? NULL : one && out > in ? problem->out : problem->in;
    it->out = one ? it->in : problem->out;
    if (!it->in && (in > 0 || one))
        it->in = own[0] = weft_memory_allocate_on(device, false, one && out > in ? out : in);
    if (one)
        it->out = it->in;
    else if (!it->out && out > 0)
        it->out = own[1] = weft_memory_allocate_on(device, false, out);
    if (it->in && !device) /* on a device the time does not depend on the numbers */
        clear(problem, &problem->from, it->in);
    if (it->out && !device)
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
    race->crowded = weft_timings_are_disturbed(
        &search->environment.machine, search->environment.machine.per_node == problem->ranks);
    size_t needed = 0, pinned = 0;
    int best = -1;
    const weft_device *device = problem->device;
    bool there = arrays(problem, &it.run, own);
    for (int i = 0; i < race->candidates; i++) {
        const weft_schedule *schedule = race->candidate[i].schedule;
        needed = schedule->workspace > needed ? schedule->workspace : needed;
        pinned = schedule->pinned > pinned ? schedule->pinned : pinned;
    }
    it.run.workspace = weft_memory_allocate_on(device, false, needed);
    if (pinned > 0)
        there &= (it.run.pinned = weft_memory_allocate_on(device, true, pinned)) != NULL;
    if (weft_agree(problem->comm, there && it.run.workspace))
        best = weft_race_run(race);
    else
        weft_error_clear();
    search->cut_short |= race->out_of_time;
    weft_memory_free_on(device, false, it.run.workspace);
    weft_memory_free_on(device, false, own[0]);
    weft_memory_free_on(device, false, own[1]);
    weft_memory_free_on(device, true, it.run.pinned);
    return best;
}

static bool join(candidates *all, int path, weft_search_options *to)
{
    weft_progress("making schedule %d", all->count + 1);
    weft_schedule *schedule = weft_search_make(path, to);
    if (schedule)
        all->candidate[all->count++] = weft_candidate_of(schedule, path);
    all->refused |= !schedule && to->picked_shared;
    return schedule != NULL;
}

/* Seconds since planning began, the maximum over all ranks. Collective. */
static double spent(const weft_search *search)
{
    return weft_agree_max(search->problem->comm, weft_clock() - search->begin);
}

/* Whether there is time for `more` seconds; if not, the search is cut short. Collective. */
static bool has_time(weft_search *search, double more)
{
    const double limit = search->settings->limit;
    const bool late = limit >= 0 && spent(search) + more > limit;
    search->cut_short |= late;
    return !late;
}

/* Adds schedules with messages in place of shared memory in all exchanges and, from PATIENT on, in
 * each of two exchanges. */
static void join_others(candidates *all, int path, int64_t took_shared)
{
    const weft_search *by = all->search;
    const int most = by->rigor >= 2 && took_shared == 3 /* two exchanges */ ? 2 : WEFT_SHARE_NONE;
    for (int shared = WEFT_SHARE_NONE;
         shared <= (all->refused ? WEFT_SHARE_NONE : most) && has_time(all->search, all->making);
         shared++) {
        weft_search_options to = {.search = by, .shared = shared, .refused = all->refused};
        if (by->rigor == 1 && all->candidate[0].seconds >= 0)
            to.most = too_much * all->candidate[0].seconds;
        join(all, path, &to);
    }
}

static void enter_tried(const candidates *all)
{
    for (int i = 0; i < all->count; i++) {
        char text[WEFT_DECISION_TEXT];
        const weft_candidate *this = &all->candidate[i];
        weft_decision decision = weft_search_decision(this->schedule, this->path);
        decision.passes[0] = '\0';
        weft_decision_write(&decision, text);
        weft_tried_add(all->search->tried, this, "schedule with %s", text);
    }
}

/* Returns the index of the fastest; -1: no memory to time the schedules in. */
static int race(candidates *all)
{
    const int rigor = all->search->rigor;
    const int best =
        run_race(all->search, &(weft_race){.candidate = all->candidate,
                                           .candidates = all->count,
                                           .most_runs = all->count == 1 ? 1 : most_runs[rigor],
                                           .budget = budget[rigor]});
    if (best != -1)
        enter_tried(all);
    return best;
}

/* Sets the time of the first candidate to the sum of its passes' times, if passes do all the work
 * of its exchanges and all passes were timed. False, with no effect: the time is unknown or below
 * `least`, or the rigor is above MEASURE, so the schedule has to be run. */
static bool known_by_passes(candidates *all, double least)
{
    const weft_search *by = all->search;
    weft_candidate *first = &all->candidate[0];
    const int exchanges = weft_schedule_exchanges(first->schedule);
    double seconds = weft_schedule_pass_seconds(first->schedule);
    double known[2] = {seconds, seconds < 0};
    for (int i = 0; i < exchanges; i++)
        if (weft_schedule_exchange(first->schedule, i)->kind != WEFT_MEMORY)
            return false;
    weft_agree_max_all(by->problem->comm, known, 2);
    if (by->rigor > 1 || known[1] > 0 || known[0] < least)
        return false;
    first->seconds = known[0];
    first->clean = true;
    first->outcome = WEFT_CHOSEN;
    weft_tried_add(by->tried, first, "the passes of schedule 0, one by one");
    return true;
}

/* Finds how long the first candidate takes. With MEASURE the times of its passes suffice for long
 * runs, and also for others if no run was clean and so the timing gives no information. When ranks
 * share cores, the passes were not timed cleanly either, so their times are not used then. */
static void time_first(candidates *all)
{
    if (known_by_passes(all, long_run))
        return;
    race(all);
    if (!all->candidate[0].clean && !weft_machine_is_crowded(&all->search->environment.machine))
        known_by_passes(all, 0);
}

/* Makes the schedules of a path: one with shared memory for all exchanges that can use it, and, if
 * the rigor asks for them, others. */
static void try_path(candidates *all, int path)
{
    const weft_search *by = all->search;
    weft_search_options to = {
        .search = by,
        .shared = weft_little_memory(by->problem) || all->refused ? WEFT_SHARE_NONE : EVERYWHERE,
        .refused = all->refused};
    const double begin = spent(by);
    const bool first = all->count == 0;
    bool made = join(all, path, &to);
    if (!made && to.picked_shared) { /* shared memory was refused after all */
        const weft_candidate failed = {.model = -1, .seconds = -1, .outcome = WEFT_FAILED};
        weft_tried_add(by->tried, &failed, "schedule with shared memory: %s", weft_error_text());
        to = (weft_search_options){.search = by, .shared = WEFT_SHARE_NONE, .refused = true};
        made = join(all, path, &to);
    }
    all->search->by_hand |= to.by_hand;
    if (made && by->rigor == 0 && by->raced > 1 && !to.by_hand)
        all->candidate[all->count - 1].model =
            to.model + weft_agree_max(by->problem->comm,
                                      weft_model_transforms(&by->path[path], by->problem->rank));
    if (!made || by->rigor == 0)
        return;
    if (first)
        all->making = spent(by) - begin;
    if (!to.took_shared)
        return;
    if (first)
        time_first(all);
    join_others(all, path, to.took_shared);
}

/* The model's time of a candidate. The time for pencils is increased, because they have more
 * exchanges about which the model may be wrong. */
static double expected(const candidates *all, int i)
{
    const weft_candidate *this = &all->candidate[i];
    const bool pencils = all->search->path[this->path].through.axes > 0;
    return pencils ? this->model / clearly : this->model;
}

/* Returns the fastest by the model; the first if the model gave no time. */
static int promising(candidates *all)
{
    int best = 0;
    for (int i = 1; i < all->count; i++)
        if (all->candidate[i].model >= 0 && expected(all, i) < expected(all, best))
            best = i;
    if (all->count > 1) {
        all->candidate[best].outcome = WEFT_CHOSEN;
        enter_tried(all);
    }
    return best;
}

static weft_schedule *settle(candidates *all)
{
    weft_search *search = all->search;
    int best = 0;
    if (search->rigor == 0)
        best = promising(all);
    else if (has_time(search, 0) && (all->count > 1 || all->candidate[0].seconds < 0))
        best = race(all);
    if (best < 0)
        best = 0;
    for (int i = 0; i < all->count; i++)
        if (i != best)
            weft_schedule_destroy(all->candidate[i].schedule);
    const weft_candidate *chosen = &all->candidate[best];
    search->seconds = chosen->seconds > 0 ? chosen->seconds : 0;
    search->chosen = chosen->path;
    return chosen->schedule;
}

/* Makes candidate 1 by a decision, on the path of candidate 0. False: it could not be made. */
static bool add_changed(const weft_search *search, const weft_decision *decision,
                        weft_candidate candidate[2])
{
    candidate[1] = weft_candidate_of(weft_search_known(search, decision), candidate[0].path);
    weft_error_clear();
    return candidate[1].schedule != NULL;
}

/* Keeps the faster candidate. The first wins if the second is faster by less than `little`, since
 * with MEASURE the runs are few. */
static void keep_faster(weft_search *search, const char *what, const char *words,
                        weft_candidate candidate[2])
{
    const int rigor = search->rigor;
    weft_race two = {.candidate = candidate,
                     .candidates = 2,
                     .most_runs = rigor > 1 ? most_runs[rigor] : few_runs,
                     .budget = budget[rigor],
                     .quick = rigor == 1,
                     .tie = little};
    const bool changed = run_race(search, &two) == 1;
    weft_tried_add(search->tried, &candidate[1], "%s %.63s, in place of %.9f s", what, words,
                   candidate[0].seconds);
    weft_schedule_destroy(candidate[!changed].schedule);
    candidate[0] = candidate[changed];
    if (candidate[0].seconds > 0)
        search->seconds = candidate[0].seconds;
}

/* Tries another variant of each pass, the one that rank 0 names, if it names one. */
static void change_passes(weft_search *search, weft_candidate candidate[2])
{
    const weft_schedule *first = candidate[0].schedule;
    const int passes = first->steps - weft_schedule_exchanges(first);
    char words[WEFT_PASSES_TEXT];
    for (int pass = 0; pass < passes && has_time(search, 0); pass++) {
        weft_common_text common;
        weft_decision decision = weft_search_decision(candidate[0].schedule, candidate[0].path);
        if (!weft_schedule_variants(candidate[0].schedule, pass, words, sizeof words))
            words[0] = '\0';
        weft_broadcast_text(search->problem->comm, words, &common);
        snprintf(decision.passes, sizeof decision.passes, "%s", common.text ? common.text : "");
        weft_common_text_free(&common);
        if (!decision.passes[0] || !add_changed(search, &decision, candidate))
            continue;
        weft_schedule_variants(candidate[1].schedule, -1, words, sizeof words);
        keep_faster(search, "passes", words, candidate);
    }
}

/* Rank 0's first backend that sends while the pass before still runs and that the user does not
 * exclude; NULL: there is none, or it is a plug-in that a rank does not have. Collective. */
static const weft_backend *overlapping_backend(const weft_search *search)
{
    MPI_Comm comm = search->problem->comm;
    const weft_backend *backend;
    weft_common_text name;
    int place = 0;
    while ((backend = weft_backend_at(place)) &&
           (!backend->begin || weft_settings_leave_out(search->settings, backend)))
        place++;
    weft_broadcast_text(comm, backend ? backend->name : NULL, &name);
    backend = name.text ? weft_backend_named(name.text) : NULL;
    const bool known = name.text && weft_agree(comm, backend);
    weft_common_text_free(&name);
    return known ? backend : NULL;
}

/* Gives all exchanges between nodes this backend where it can carry them out. Collective; returns
 * whether the decision changed. */
static bool change_messages(const weft_search *search, const weft_schedule *schedule,
                            const weft_backend *backend, weft_decision *decision)
{
    bool changes = false;
    for (int i = 0; i < decision->exchanges; i++) {
        const weft_step *step = weft_schedule_exchange(schedule, i);
        const weft_exchange *exchange = step->transfer.exchange;
        if (step->kind != WEFT_MESSAGES || weft_base(exchange)->within_nodes ||
            !weft_has_flag(step, WEFT_FROM_BLOCKED) || exchange->in_place ||
            !weft_agree(search->problem->comm, !weft_exchange_why_refused(exchange, backend, 0)))
            continue;
        decision->method[i] = (weft_method){.backend = backend};
        if (backend->values)
            backend->values(exchange, &decision->method[i].value, 1);
        changes = true;
    }
    return changes;
}

/* Tries to hide passes behind messages between nodes. */
static void hide_passes(weft_search *search, weft_candidate candidate[2])
{
    const weft_problem *problem = search->problem;
    const weft_backend *backend = overlapping_backend(search);
    weft_decision decision = weft_search_decision(candidate[0].schedule, candidate[0].path);
    if (backend && !search->by_hand && !problem->device &&
        change_messages(search, candidate[0].schedule, backend, &decision) &&
        add_changed(search, &decision, candidate))
        keep_faster(search, "messages by", backend->name, candidate);
    weft_error_clear(); /* a backend that cannot be used is no failure of the plan */
}

/* Returns the schedule, or a faster one with other variants of passes; destroys the slower one. */
static weft_schedule *refine(weft_search *search, weft_schedule *schedule)
{
    weft_candidate candidate[2] = {
        {.schedule = schedule, .path = search->chosen, .model = -1, .seconds = search->seconds}};
    const double passes =
        weft_agree_max(search->problem->comm, weft_schedule_pass_seconds(schedule));
    hide_passes(search, candidate);
    if (search->rigor > 1 || passes <= 0 || passes > slight * search->seconds)
        change_passes(search, candidate);
    return candidate[0].schedule;
}

weft_schedule *weft_search_find(weft_search *search)
{
    candidates all = {.search = search};
    for (int path = 0; path < search->raced; path++) {
        if (all.count > 0 && !has_time(search, all.making))
            break;
        try_path(&all, path);
    }
    if (all.count == 0)
        return NULL;
    weft_error_clear();
    weft_schedule *schedule = settle(&all);
    return search->rigor > 0 && !weft_little_memory(search->problem) && has_time(search, all.making)
               ? refine(search, schedule)
               : schedule;
}
