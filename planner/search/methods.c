/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists, sorts and times the methods of one exchange. Rank 0 makes the list and broadcasts it as
 * text, since backends may offer other values on ranks that move no data. The model's time is the
 * time of the slowest rank. Timing uses arrays allocated here.
 */
#include <string.h>
#include "backends/exchange/agreement.h"
#include "backends/table.h"
#include "kernels/base/error.h"
#include "kernels/base/text.h"
#include "planner/search/search.h"

enum { LIST = 8192, VALUES = 16 /* most values that a backend is asked for */ };

static const double inapplicable = 1e30;

/* Indexed by rigor. Methods whose model time is more than this factor above the best are not
 * timed... */
static const double prospects[] = {1, 2.0, 1e9, 1e9};
/* ...and no more methods than `most_timed` are timed. Of each backend, only the values with the
 * shortest model times are listed, `most_values` of them. */
static const int most_timed[] = {1, 5, 24, WEFT_MAX_CANDIDATES}, most_values[] = {1, 1, 3, 16};
/* Seconds within which the model cannot distinguish small exchanges. */
static const double slack = 5e-6;
/* Seconds that the runs timed as one sample should take together. */
static const double enough = 2e-4;
static const int most_runs[] = {0, 5, 8, 12};
static const double budget[] = {0, 0.05, 0.5, 3};

static bool is_direct(const weft_candidate *candidate)
{
    const weft_backend *backend = candidate->method.backend;
    return backend && !backend->parameter && backend->cost && !backend->cost->by_node &&
           backend->cost->at_once == 1 && backend->cost->unpack_lag == 1;
}

static bool is_by_node(const weft_candidate *candidate)
{
    const weft_backend *backend = candidate->method.backend;
    return backend && backend->cost && backend->cost->by_node;
}

/* Adds the best method of a kind to the `kept` first ones, if it is not among them. Returns the new
 * number. */
static int with_best(weft_candidate *candidate, int count, int kept,
                     bool (*is_of_kind)(const weft_candidate *))
{
    int best = 0;
    while (best < count && !is_of_kind(&candidate[best]))
        best++;
    if (best < kept || best == count)
        return kept;
    const weft_candidate this = candidate[best];
    memmove(candidate + kept + 1, candidate + kept, (size_t)(best - kept) * sizeof this);
    candidate[kept] = this;
    return kept + 1;
}

int weft_methods_shortlist(weft_candidate *candidate, int count, int rigor)
{
    int kept = 0;
    for (int i = 1; i < count; i++) {
        const weft_candidate this = candidate[i];
        int at = i;
        for (; at > 0 && candidate[at - 1].model > this.model; at--)
            candidate[at] = candidate[at - 1];
        candidate[at] = this;
    }
    while (kept < count && kept < most_timed[rigor] &&
           candidate[kept].model <= candidate[0].model * prospects[rigor] + slack)
        kept++;
    if (rigor == 0)
        return kept;
    /* Two kinds are timed even if the model places them lower. Methods in stages send fewer
     * messages but more bytes, and the model does not know a network's rate between the two well
     * enough, so one method that sends all blocks directly and at once is timed. Where the ranks of
     * a node share a link, the model does not know how much their messages disturb each other: with
     * 2 ranks on each of 2 hosts at 1 Gbit/s, 128^3 took 81 ms by node and 98 by waitall. */
    kept = with_best(candidate, count, kept, is_direct);
    return with_best(candidate, count, kept, is_by_node);
}

static bool applies(const weft_exchange *exchange, weft_method method)
{
    return exchange->ranks == 1
               ? !weft_exchange_why_unsuited(exchange, method.backend)
               : !weft_exchange_why_refused(exchange, method.backend, method.value);
}

static void write_list(const weft_search *search, const weft_exchange *exchange, char list[LIST])
{
    weft_writer to = weft_write_to(list, LIST);
    const weft_backend *backend;
    const char *comma = "";
    for (int place = 0; (backend = weft_backend_at(place)); place++) {
        int value[VALUES] = {0}, values = 1;
        char name[128];
        /* overlap is timed in whole schedules: search.c */
        if (weft_settings_leave_out(search->settings, backend) || backend->begin ||
            (weft_little_memory(search->problem) && backend->shared))
            continue;
        if (backend->values)
            values = backend->values(exchange, value, VALUES);
        for (int i = 0; i < values && i < VALUES; i++) {
            const weft_method method = {.backend = backend, .value = value[i]};
            /* a group of all ranks is the same as the backend without groups */
            if (!applies(exchange, method) ||
                (backend->grouped && method.value >= exchange->ranks - 1))
                continue;
            weft_method_write(method, name, sizeof name);
            weft_write(&to, "%s%s", comma, name);
            comma = ",";
        }
    }
}

/* A backend that this rank does not have gets NULL: the ranks of a smaller communicator have loaded
 * it as a plug-in. */
static int read_list(char *list, weft_candidate *candidate)
{
    int count = 0;
    for (char *name; count < WEFT_MAX_CANDIDATES && (name = strsep(&list, ",")) && *name; count++)
        if (!weft_method_read(name, &candidate[count].method)) {
            candidate[count].method.backend = NULL;
            weft_error_clear();
        }
    return count;
}

/* Whether `most` or more values of the same backend precede candidate i: by a shorter model time,
 * or by the backend's order if the times are equal. */
static bool outdone(const weft_candidate *candidate, const double *model, int count, int i,
                    int most)
{
    int before = 0;
    for (int other = 0; other < count; other++)
        before += candidate[other].method.backend == candidate[i].method.backend &&
                  (model[other] < model[i] || (model[other] == model[i] && other < i));
    return before >= most;
}

int weft_methods_list(const weft_search *search, const weft_exchange *exchange,
                      weft_candidate candidate[WEFT_MAX_CANDIDATES])
{
    char mine[LIST];
    double model[WEFT_MAX_CANDIDATES];
    weft_common_text list;
    write_list(search, exchange, mine);
    weft_broadcast_text(search->problem->comm, mine, &list);
    if (!list.text)
        return 0;
    const int count = read_list(list.text, candidate);
    weft_common_text_free(&list);
    const weft_load load = weft_model_load(exchange);
    for (int i = 0; i < count; i++)
        model[i] = candidate[i].method.backend && applies(exchange, candidate[i].method)
                       ? weft_model_time(&search->environment.machine, &load,
                                         candidate[i].method.backend, candidate[i].method.value)
                       : inapplicable;
    weft_agree_max_all(search->problem->comm, model, count);
    bool left_out[WEFT_MAX_CANDIDATES];
    for (int i = 0; i < count; i++)
        left_out[i] = model[i] >= inapplicable ||
                      outdone(candidate, model, count, i, most_values[search->rigor]);
    int usable = 0;
    for (int i = 0; i < count; i++)
        if (!left_out[i])
            candidate[usable++] =
                (weft_candidate){.method = candidate[i].method, .model = model[i], .seconds = -1};
    if (usable == 0) {
        weft_error(search->settings->narrows
                       ? "WEFT_BACKEND excludes all backends that can carry out this exchange"
                       : "no backend can carry out this exchange");
        weft_error_blame_environment();
    }
    return usable;
}

/* The state of timing one exchange. */
typedef struct {
    const weft_exchange *exchange;
    MPI_Comm comm;
    const weft_candidate *candidate;
    weft_prepared *prepared[WEFT_MAX_CANDIDATES];
    weft_device *device; /* the device of the exchange; NULL: the host */
    void *in, *out, *work, *pinned;
    size_t work_bytes, pinned_bytes;
} methods_timed;

static void run(void *context, int i)
{
    methods_timed *it = context;
    it->prepared[i]->pinned_memory = it->pinned;
    weft_prepared_run(it->prepared[i], it->in, it->out, it->work);
    if (it->device)
        weft_device_wait(it->device);
}

static bool enlarge(const weft_device *device, bool pinned, size_t needed, void **memory,
                    size_t *bytes)
{
    if (needed <= *bytes)
        return true;
    void *larger = weft_memory_allocate_on(device, pinned, needed);
    if (!larger)
        return false; /* candidates prepared before still run in the old memory */
    weft_memory_free_on(device, pinned, *memory);
    *memory = larger;
    *bytes = needed;
    return true;
}

static bool prepare(void *context, int i)
{
    methods_timed *it = context;
    const weft_method method = it->candidate[i].method;
    it->prepared[i] = weft_prepare(it->exchange, method.backend, method.value);
    if (!it->prepared[i])
        return false;
    const bool work =
        enlarge(it->device, false, it->prepared[i]->workspace, &it->work, &it->work_bytes);
    const bool pinned =
        enlarge(it->device, true, it->prepared[i]->pinned, &it->pinned, &it->pinned_bytes);
    return weft_agree(it->comm, work && pinned);
}

static bool set_up(methods_timed *it)
{
    const weft_exchange *exchange = it->exchange;
    const size_t in = (size_t)exchange->in_elements * exchange->element;
    const size_t out = (size_t)exchange->out_elements * exchange->element;
    it->in = weft_memory_allocate_on(it->device, false, exchange->in_place && out > in ? out : in);
    it->out = exchange->in_place ? it->in : weft_memory_allocate_on(it->device, false, out);
    if (it->in && !it->device)
        memset(it->in, 0, in);
    return weft_agree(it->comm, it->in && it->out);
}

static void tear_down(methods_timed *it, int count)
{
    for (int i = 0; i < count; i++)
        weft_prepared_release(it->prepared[i]);
    if (it->out != it->in)
        weft_memory_free_on(it->device, false, it->out);
    weft_memory_free_on(it->device, false, it->in);
    weft_memory_free_on(it->device, false, it->work);
    weft_memory_free_on(it->device, true, it->pinned);
}

void weft_methods_tried(const weft_search *search, int which, const weft_candidate *candidate,
                        int count)
{
    char name[128];
    for (int i = 0; i < count; i++) {
        weft_method_write(candidate[i].method, name, sizeof name);
        weft_tried_add(search->tried, &candidate[i], "exchange %d by %s", which + 1, name);
    }
}

int weft_methods_race(const weft_search *search, const weft_exchange *exchange, int which,
                      weft_candidate *candidate, int count, bool quick)
{
    methods_timed it = {.exchange = exchange,
                        .comm = search->problem->comm,
                        .candidate = candidate,
                        .device = search->problem->device};
    weft_race race = {.comm = it.comm,
                      .candidate = candidate,
                      .candidates = count,
                      .prepare = prepare,
                      .run = run,
                      .context = &it,
                      .enough = enough,
                      .most_runs = most_runs[search->rigor],
                      .begin = search->begin,
                      .until = search->settings->limit,
                      .budget = budget[search->rigor],
                      .crowded = weft_timings_are_disturbed(&search->environment.machine,
                                                            weft_base(exchange)->within_nodes),
                      .quick = quick};
    int best = -1;
    if (set_up(&it))
        best = weft_race_run(&race);
    else
        weft_error_clear(); /* without memory for timing, the model decides */
    tear_down(&it, count);
    weft_methods_tried(search, which, candidate, count);
    return best < 0 ? 0 : best;
}
