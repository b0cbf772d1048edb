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
 * The next path has the same candidates. ESTIMATE compares two paths by the model if slabs occupy
 * only a few nodes and pencils could use all. With little memory, only messages are tried. The time
 * limit ends both the making of candidates and the race.
 */
#include "backends/exchange/agreement.h"
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

static bool join(candidates *all, int path, weft_search_options *to)
{
    weft_progress("making schedule %d", all->count + 1);
    weft_schedule *schedule = weft_search_make(path, to);
    if (schedule)
        all->candidate[all->count++] = weft_candidate_of(schedule, path);
    all->refused |= !schedule && to->picked_shared;
    return schedule != NULL;
}

static bool may_join(candidates *all)
{
    if (all->count == MOST)
        return false;
    const bool late = weft_search_is_late(all->search, all->making);
    all->search->cut_short |= late;
    return !late;
}

/* Adds schedules with messages in place of shared memory in all exchanges and, from PATIENT on, in
 * each of two exchanges. */
static void join_others(candidates *all, int path, int took_shared)
{
    const weft_search *by = all->search;
    const int most = by->rigor >= 2 && took_shared == 3 /* two exchanges */ ? 2 : WEFT_SHARE_NONE;
    for (int shared = WEFT_SHARE_NONE;
         shared <= (all->refused ? WEFT_SHARE_NONE : most) && may_join(all); shared++) {
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
        weft_decision decision = weft_search_decision(this->schedule, this->path, 0);
        decision.passes[0] = '\0';
        weft_decision_write(&decision, text);
        weft_tried_add(all->search->tried, this, "schedule with %s", text);
    }
}

/* Returns the index of the fastest; -1: no memory to time the schedules in. */
static int race(candidates *all)
{
    const int best = weft_whole_race(all->search, all->candidate, all->count);
    if (best != -1)
        enter_tried(all);
    return best;
}

/* Sets the time of the first candidate to the sum of its passes' times, if all its exchanges use
 * shared memory and all passes were timed. False, with no effect: the time is unknown or below
 * `least`, or the rigor is above MEASURE, so the schedule has to be run. */
static bool known_by_passes(candidates *all, double least)
{
    const weft_search *by = all->search;
    weft_candidate *first = &all->candidate[0];
    const int exchanges = weft_schedule_exchanges(first->schedule);
    double seconds = weft_schedule_pass_seconds(first->schedule);
    double known[2] = {seconds, seconds < 0};
    for (int i = 0; i < exchanges; i++)
        if (!weft_step_method(weft_schedule_exchange(first->schedule, i)).backend->memory)
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
    if (!all->candidate[0].clean && !weft_search_is_crowded(all->search))
        known_by_passes(all, 0);
}

/* Makes the schedules of a path: one with shared memory wherever that is possible, and, if the
 * rigor asks for them, others. */
static void try_path(candidates *all, int path)
{
    const weft_search *by = all->search;
    weft_search_options to = {.search = by,
                              .shared =
                                  by->little_memory || all->refused ? WEFT_SHARE_NONE : EVERYWHERE,
                              .refused = all->refused};
    const double begin = weft_search_spent(by);
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
        all->making = weft_search_spent(by) - begin;
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
    if (search->rigor > 0 && !weft_search_is_late(search, 0)) {
        if (all->count > 1 || all->candidate[0].seconds < 0)
            best = race(all);
        search->seconds = best < 0 ? 0 : all->candidate[best].seconds;
        best = best < 0 ? 0 : best;
    } else {
        search->cut_short = search->rigor > 0;
        best = search->rigor > 0 ? 0 : promising(all);
    }
    for (int i = 0; i < all->count; i++)
        if (i != best)
            weft_schedule_destroy(all->candidate[i].schedule);
    search->chosen = all->candidate[best].path;
    return all->candidate[best].schedule;
}

weft_schedule *weft_search_find(weft_search *search)
{
    candidates all = {.search = search};
    for (int path = 0; path < search->raced; path++) {
        if (all.count > 0 && !may_join(&all))
            break;
        try_path(&all, path);
    }
    if (all.count == 0)
        return NULL;
    weft_error_clear();
    weft_schedule *schedule = settle(&all);
    return search->rigor > 0 && !search->little_memory && !weft_search_is_late(search, all.making)
               ? weft_whole_refine(search, schedule)
               : schedule;
}
