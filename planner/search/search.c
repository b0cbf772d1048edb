/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges through memory that ranks share change the passes around them, messages do not. So few
 * whole schedules race, by where memory is shared; in each, the methods of messages are found
 * first, by timing every exchange by itself. In the order of preference, for a path of two:
 *
 *     exchange 0      exchange 1      takes part
 *     memory          memory          always; with ESTIMATE alone, if the model prefers memory
 *     messages        messages        from MEASURE on, which only asks for messages so fast that
 *                                     they take a tenth of the first schedule
 *     memory          messages        from PATIENT on
 *     messages        memory          from PATIENT on
 *     those of messages in 2 and 4    from PATIENT on, where a pass then runs while data moves
 *     parts
 *
 * then the same for the next path. With ESTIMATE the model chooses between two paths, where pencils
 * would take slabs from a few nodes to all. With little memory, messages alone. The time
 * limit ends the making of candidates as it ends the race.
 */
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/table.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/progress.h"
#include "planner/search/search.h"
#include "planner/search/whole.h"
#include "planner/wisdom/serial.h"

/* Messages that take more than this part of the time of a whole schedule that needs none will not
 * win: their passes take about as long as the others. */
static const double too_much = 0.1;
/* The model takes pencils between slabs for this part of the time of slabs. */
static const double clearly = 0.8;
/* Seconds of a schedule that is not run while planning, since its passes were timed. */
static const double long_run = 1e-3;

enum {
    EVERYWHERE = -1,
    NOWHERE = 0,
    FEW_AT_A_TIME = 32, /* parts of exchanges when memory is to be conserved */
    MOST = 16           /* candidates: of two paths, by where memory is shared, and in parts */
};

/* How the exchanges of one schedule are carried out... */
typedef struct {
    const weft_search *search;
    const weft_decision *known; /* NULL: nothing is; else all of it */
    int shared;                 /* bit i: exchange i through memory, if that can be */
    bool refused;               /* memory of the node was, and none is asked for */
    bool estimated;             /* nothing is timed to make it */
    double most;                /* seconds of messages, when more are no use; negative: any */
    /* ...and were in the end */
    int took_shared;    /* bit i: through memory, because `shared` says so */
    bool picked_shared; /* some exchange is, and not by hand */
    bool by_hand;
    double messages; /* seconds, so far */
    double model;    /* seconds of all exchanges, so far */
} choice;

/* The schedules under way, in the order of preference. */
typedef struct {
    weft_search *search;
    weft_candidate candidate[MOST];
    int count;
    double making; /* seconds that the first one took to make */
    bool refused;  /* memory to share was, and is not asked for again */
    bool out_of_time;
} candidates;

/* What rank 0 was told, for backends may find other values where they have nothing to do. */
static bool share_method(MPI_Comm comm, bool ok, weft_method *method)
{
    char mine[128];
    weft_told told;
    weft_method_write(*method, mine, sizeof mine);
    if (!weft_agree(comm, ok))
        return false;
    weft_agree_text(comm, mine, &told); /* a short one */
    if (strcmp(told.text, "auto") == 0)
        method->backend = NULL;
    else
        ok = weft_method_read(told.text, method); /* the same on all ranks */
    weft_told_free(&told);
    return ok;
}

/* Takes those through shared memory out, unless there is nothing else, or else all others. */
static int sift(weft_candidate *candidate, int count, bool shared)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if ((candidate[i].method.backend->memory != NULL) == shared)
            candidate[kept++] = candidate[i];
    return kept > 0 ? kept : shared ? -1 : count;
}

/* Memory of the node is not to be had: takes those out that cannot do without. */
static int without_shared(weft_candidate *candidate, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!candidate[i].method.backend->shared)
            candidate[kept++] = candidate[i];
    return kept > 0 ? kept : count;
}

/* A method of messages, the fastest by itself. */
static bool choose_messages(choice *to, const weft_exchange *exchange, int which,
                            weft_candidate *candidate, int count, weft_method *method)
{
    double seconds = -1;
    int best = 0;
    count = weft_methods_shortlist(candidate, count, to->search->rigor);
    if (to->most >= 0 && candidate[0].model > to->most) { /* timing them would take longer still */
        weft_methods_tried(to->search, which, candidate, count);
        seconds = candidate[0].model;
    } else if (to->search->rigor > 0 && !to->search->little_memory && !to->estimated &&
               (count > 1 || to->most >= 0)) {
        const bool quick = to->most >= 0; /* they are to win by other things */
        best = weft_methods_race(to->search, exchange, which, candidate, count, quick, &seconds);
    }
    *method = candidate[best].method;
    to->model += candidate[best].model;
    to->messages += seconds > 0 ? seconds : 0;
    if (to->most < 0 || to->messages <= to->most)
        return true;
    weft_error("messages take too long"); /* told to nobody: the search goes on without them */
    return false;
}

static bool choose_backend(choice *to, const weft_exchange *exchange, int which,
                           weft_method *method)
{
    weft_candidate candidate[WEFT_MAX_CANDIDATES];
    const bool ok = weft_settings_choose(to->search->settings, exchange, which, method);
    if (to->search->settings->backend && !share_method(to->search->problem->comm, ok, method))
        return false;
    if (method->backend) {
        to->by_hand = true;
        return true;
    }
    int count = weft_methods_list(to->search, exchange, candidate);
    if (count == 0)
        return false;
    const bool timed = to->search->rigor > 0;
    if (to->refused)
        count = without_shared(candidate, count);
    if (timed && (to->shared >> which & 1) && sift(candidate, count, true) > 0) {
        to->took_shared |= 1 << which;
        to->picked_shared = true;
        *method = candidate[0].method;
        return true;
    }
    if (timed || to->shared == NOWHERE)
        count = sift(candidate, count, false);
    if (!choose_messages(to, exchange, which, candidate, count, method))
        return false;
    to->picked_shared |= method->backend->memory || method->backend->shared;
    return true;
}

/* A weft_choose for schedules. */
static bool choose(void *context, const weft_exchange *exchange, int which, weft_method *method)
{
    choice *to = context;
    const int overlap = to->search->settings->overlap;
    if (to->known) {
        const bool there = which < to->known->exchanges;
        if (there)
            *method = to->known->method[which];
        else
            weft_error("what is known is of another schedule");
        return there;
    }
    if (!choose_backend(to, exchange, which, method))
        return false;
    if (method->parts == 0)
        method->parts = overlap > 0 ? overlap : to->search->little_memory ? FEW_AT_A_TIME : 0;
    to->by_hand |= overlap > 0;
    return true;
}

static weft_schedule *make(int way, choice *to)
{
    const weft_search *by = to->search;
    const weft_machine *machine = &by->environment.machine;
    const double limit = by->settings->limit;
    const weft_pass_wishes wishes = {
        .variants = to->known && to->known->passes[0] ? to->known->passes : NULL,
        /* timing takes memory, so passes are told that there is no time for it */
        .until = by->little_memory ? by->begin
                 : limit < 0       ? 0
                                   : by->begin + limit,
        .ranks_per_core = (machine->per_node + machine->cores - 1) / machine->cores,
        .plain = way >= by->paths,
        .estimated = to->estimated,
    };
    return weft_schedule_make(&by->path[way % by->paths], by->problem, choose, to, &wishes);
}

static bool join(candidates *all, int path, choice *to)
{
    weft_progress("making schedule %d", all->count + 1);
    weft_schedule *schedule = make(path, to);
    if (schedule)
        all->candidate[all->count++] =
            (weft_candidate){.schedule = schedule, .path = path, .model = -1, .seconds = -1};
    all->refused |= !schedule && to->picked_shared;
    return schedule != NULL;
}

/* One that the backends of another schedule carry out in parts, if that lets anything overlap;
 * those that cannot wait for messages give way to one that can. */
static const weft_backend *overlapping(const weft_settings *settings)
{
    int place = 0;
    for (const weft_backend *backend; (backend = weft_backend_at(place)); place++)
        if (backend->overlaps && !backend->parameter && !backend->on_device &&
            !weft_settings_leave_out(settings, backend))
            break;
    return weft_backend_at(place);
}

static void join_in_parts(candidates *all, const weft_candidate *like, int parts)
{
    weft_decision decision = weft_search_decision(like->schedule, like->path, 0);
    choice to = {.search = all->search, .known = &decision, .most = -1};
    int cut = 0;
    for (int i = 0; i < decision.exchanges; i++) {
        weft_method *method = &decision.method[i];
        if (method->backend->memory)
            continue;
        if (!method->backend->overlaps)
            *method = (weft_method){.backend = overlapping(all->search->settings)};
        if (!method->backend)
            return;
        method->parts = parts;
        cut++;
    }
    if (cut == 0 || !join(all, like->path, &to))
        return;
    weft_schedule *made = all->candidate[all->count - 1].schedule;
    if (weft_schedule_overlaps(made) == 0) {
        weft_schedule_destroy(made);
        all->count--;
    }
}

/* Whether there is room and time for one candidate more. */
static bool may_join(candidates *all)
{
    if (all->count == MOST)
        return false;
    const bool late = weft_search_is_late(all->search, all->making);
    all->search->cut_short |= late;
    return !late;
}

/* With patience, exchanges of messages in parts. */
static void join_overlapped(candidates *all, int first)
{
    static const int parts[] = {2, 4};
    const weft_search *by = all->search;
    const int until = all->count;
    if (by->rigor < 2 || by->little_memory || by->settings->overlap > 0 || by->by_hand)
        return;
    for (int i = 2 * first; i < 2 * until && may_join(all); i++)
        join_in_parts(all, &all->candidate[i / 2], parts[i % 2]);
}

/* Messages in place of memory in all exchanges; with patience, in each of two, too. */
static void join_others(candidates *all, int path, int took_shared)
{
    const weft_search *by = all->search;
    const int most = by->rigor >= 2 && took_shared == 3 /* two exchanges */ ? 2 : NOWHERE;
    for (int shared = NOWHERE; shared <= (all->refused ? NOWHERE : most) && may_join(all);
         shared++) {
        choice to = {.search = by, .shared = shared, .refused = all->refused, .most = -1};
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

/* The fastest; -1: there is no memory to time them in. */
static int race(candidates *all)
{
    const int best = weft_whole_race(all->search, all->candidate, all->count, &all->out_of_time);
    if (best != -1)
        enter_tried(all);
    return best;
}

/* Whether the passes say how long the first candidate takes, which shares memory; if not, or if
 * that is less than `least`, it is to be run. */
static bool known_by_passes(candidates *all, double least)
{
    const weft_search *by = all->search;
    weft_candidate *first = &all->candidate[0];
    const int exchanges = weft_schedule_exchanges(first->schedule);
    double seconds = weft_schedule_pass_seconds(first->schedule);
    double known[2] = {seconds, seconds < 0};
    for (int i = 0; i < exchanges; i++)
        if (!weft_schedule_method(first->schedule, i).backend->memory)
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

/* How long the first candidate takes. With MEASURE passes that were timed will do: those of long
 * runs, and of any where no run was undisturbed, which says nothing of it; but passes were not
 * undisturbed, either, where ranks share cores. */
static void time_first(candidates *all)
{
    if (known_by_passes(all, long_run))
        return;
    race(all);
    if (!all->candidate[0].clean && !weft_search_is_crowded(all->search))
        known_by_passes(all, 0);
}

/* With memory shared wherever that can be, and in other ways if there is any. */
static bool try_path(candidates *all, int path)
{
    const weft_search *by = all->search;
    choice to = {.search = by,
                 .shared = by->little_memory || all->refused ? NOWHERE : EVERYWHERE,
                 .refused = all->refused,
                 .most = -1};
    const double begin = weft_search_spent(by);
    const bool first = all->count == 0;
    bool made = join(all, path, &to);
    if (!made && to.picked_shared) { /* memory cannot be shared after all */
        const weft_candidate failed = {.model = -1, .seconds = -1, .outcome = WEFT_FAILED};
        weft_tried_add(by->tried, &failed, "schedule with shared memory: %s", weft_error_text());
        to = (choice){.search = by, .shared = NOWHERE, .refused = true, .most = -1};
        made = join(all, path, &to);
    }
    all->search->by_hand |= to.by_hand;
    if (made && by->rigor == 0 && by->raced > 1 && !to.by_hand)
        all->candidate[all->count - 1].model =
            to.model + weft_agree_max(by->problem->comm,
                                      weft_model_transforms(&by->path[path], by->problem->rank));
    if (!made || by->rigor == 0)
        return made;
    if (first)
        all->making = weft_search_spent(by) - begin;
    if (!to.took_shared)
        return true;
    if (first)
        time_first(all);
    join_others(all, path, to.took_shared);
    return true;
}

/* What the model says; of pencils more, which have more exchanges for it to be wrong about. */
static double expected(const candidates *all, int i)
{
    const weft_candidate *this = &all->candidate[i];
    const bool pencils = all->search->path[this->path].through.axes > 0;
    return pencils ? this->model / clearly : this->model;
}

/* The fastest by the model; the first where it says nothing. */
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

/* The fastest candidate; the others go. */
static weft_schedule *settle(candidates *all)
{
    weft_search *search = all->search;
    int best = 0;
    if (search->rigor > 0 && !weft_search_is_late(search, 0)) {
        if (all->count > 1 || all->candidate[0].seconds < 0)
            best = race(all);
        search->cut_short |= all->out_of_time;
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
        const int first = all.count;
        if (first > 0 && !may_join(&all))
            break;
        if (try_path(&all, path))
            join_overlapped(&all, first);
    }
    if (all.count == 0)
        return NULL;
    weft_error_clear();
    weft_schedule *schedule = settle(&all);
    return search->rigor > 0 && !search->little_memory && !weft_search_is_late(search, all.making)
               ? weft_whole_refine(search, schedule)
               : schedule;
}

weft_schedule *weft_search_known(const weft_search *search, const weft_decision *decision)
{
    choice to = {.search = search, .known = decision, .most = -1};
    if (decision->path < 0 || decision->path >= 2 * search->paths)
        return NULL;
    weft_schedule *schedule = make(decision->path, &to);
    if (schedule && weft_schedule_exchanges(schedule) != decision->exchanges) {
        weft_error("what is known is of another schedule");
        weft_schedule_destroy(schedule);
        return NULL;
    }
    return schedule;
}

weft_schedule *weft_search_plain(weft_search *search, bool estimated, double most, int *way)
{
    choice to = {.search = search, .shared = NOWHERE, .estimated = estimated, .most = most};
    *way = search->chosen % search->paths + search->paths;
    return make(*way, &to);
}

/* What rank 0's FFTW knows, to all, so that they need not find it out again. */
static void share_fftw_wisdom(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    char *mine = rank == 0 ? weft_serial_export() : NULL;
    weft_told told;
    weft_agree_text(comm, mine, &told);
    if (told.text && rank > 0)
        weft_serial_import(told.text);
    weft_told_free(&told);
    free(mine);
}

bool weft_search_even_out(const weft_search *search, weft_schedule *schedule)
{
    const weft_path *path = &search->path[search->chosen % search->paths];
    MPI_Comm comm = search->problem->comm;
    char mine[WEFT_PASSES_TEXT];
    weft_schedule_variants(schedule, mine, sizeof mine);
    weft_told variants;
    weft_agree_text(comm, mine, &variants);
    if (!variants.text)
        return false; /* on all ranks */
    bool ok = true;
    if (weft_agree_max(comm, weft_schedule_differs(schedule, variants.text)) > 0) {
        share_fftw_wisdom(comm);
        ok = weft_schedule_set_variants(schedule, path, search->problem, variants.text);
    }
    weft_told_free(&variants);
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
