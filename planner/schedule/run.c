/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs schedules, prints their steps and labels the steps in the trace. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/communicator.h"
#include "kernels/base/error.h"
#include "kernels/base/events.h"
#include "planner/schedule/schedule.h"

/* The region of an exchange in the part of a rank. */
static void *region_in(const weft_step *exchange, int rank)
{
    const weft_memory_step *it = &exchange->memory;
    return (char *)it->backend->memory->part(it->window, rank) + it->region;
}

/* The addresses of the parts of all ranks, or of the users' arrays that ranks share, followed by
 * this rank's user array, which may contain the own block. */
static const void **all_parts(const weft_step *exchange, const void *own)
{
    const weft_memory *memory = exchange->memory.backend->memory;
    const int ranks = exchange->transfer.exchange->ranks;
    for (int rank = 0; rank < ranks; rank++) {
        const void *array =
            exchange->memory.shares
                ? memory->shared(exchange->memory.window, rank, exchange->memory.own == WEFT_OUT)
                : NULL;
        exchange->memory.at[rank] = array ? array : region_in(exchange, rank);
    }
    if (own)
        exchange->memory.at[ranks] = own;
    return exchange->memory.at;
}

/* The arrays that a pass reads or writes: one array or the parts of all ranks, followed by the
 * array with the own block. */
static const void *const *arrays_of(const weft_schedule *schedule, const weft_array_location *end,
                                    void *const *base, const void *two[2])
{
    weft_step *exchange = &schedule->step[end->exchange];
    if (end->place == WEFT_ALL_PARTS) {
        const void **at = all_parts(exchange, base[end->own]);
        if (exchange->memory.shares) /* this rank's own block is in its own array */
            at[exchange->transfer.exchange->rank] = base[exchange->memory.own];
        return at;
    }
    two[0] = end->place == WEFT_PART ? region_in(exchange, exchange->transfer.exchange->rank)
                                     : base[end->place];
    two[1] = base[end->own];
    return two;
}

/* Whether a pass can be skipped because it only copies an array that the other ranks access
 * directly in this run. */
static bool can_be_skipped(const weft_schedule *schedule, int i)
{
    const weft_step *step = &schedule->step[i];
    return (i == 0 && schedule->steps > 1 && step[1].memory.shared &&
            step[1].memory.own == WEFT_IN) ||
           (i > 0 && i == schedule->steps - 1 && step[-1].memory.shared &&
            step[-1].memory.own == WEFT_OUT);
}

static int64_t now(const weft_schedule *schedule)
{
    return schedule->traced || schedule->accounted ? weft_event_clock() : 0;
}

/* Records an event in the trace and adds its time to *spent. On a device the function first waits
 * for the work to finish, so that the event has the true end time. */
static void note(const weft_schedule *schedule, int label, int64_t begin, double *spent)
{
    if (schedule->device && (schedule->traced || schedule->accounted))
        weft_device_wait(schedule->device);
    if (schedule->traced)
        weft_event_record(label, begin);
    if (schedule->accounted && spent)
        *spent += 1e-9 * (double)(weft_event_clock() - begin);
}

/* Announces to the other ranks, when a stretch begins, where this rank's arrays are that replace
 * its parts of the window. Only aligned arrays are shared, because passes assume aligned parts. */
static void share_arrays(const weft_schedule *schedule, int first, void *const *base)
{
    for (int i = first; i < schedule->steps && schedule->step[i].kind == WEFT_MEMORY; i += 2) {
        weft_step *step = &schedule->step[i];
        if (step->memory.shares)
            step->memory.shared = step->memory.backend->memory->share(
                step->memory.window, step->memory.own == WEFT_OUT,
                weft_pass_array_aligned(base[step->memory.own]) ? base[step->memory.own] : NULL,
                step->memory.shared_bytes);
    }
}

/* Whether the messages of the exchange after a pass leave while the pass still runs. They arrive in
 * an array that the pass does not read: a pass that reads its own block in the input also writes no
 * own block there (own_stays_in). Each rank decides alone: the messages are the same. */
static bool overlaps(const weft_schedule *schedule, int i)
{
    const weft_step *pass = &schedule->step[i], *next = pass + 1;
    if (i + 1 == schedule->steps || next->kind != WEFT_MESSAGES)
        return false;
    const weft_exchange *exchange = next->transfer.exchange;
    const weft_prepared *prepared = next->transfer.prepared;
    return pass->pass && pass->pass->in_order && weft_prepared_sends_early(prepared) &&
           weft_has_flag(next, WEFT_FROM_BLOCKED) && !exchange->in_place &&
           weft_place_in(schedule, pass->from.place) != weft_place_in(schedule, next->to.place);
}

typedef struct {
    const weft_backend *backend;
    void *state;
    const void *in;
} sending;

static void send_complete(void *context, ptrdiff_t done, ptrdiff_t of)
{
    const sending *it = context;
    it->backend->send(it->state, it->in, done, of);
}

/* Runs a pass and starts the exchange after it. */
static void run_and_send(weft_schedule *schedule, weft_run *run, const void *const *from,
                         const void *const *to, void *const *base, char *scratch)
{
    const weft_step *step = &schedule->step[run->next], *next = step + 1;
    const weft_prepared *prepared = next->transfer.prepared;
    sending it = {prepared->backend, prepared->state, base[next->from.place]};
    run->started = true;
    prepared->backend->begin(prepared->state, base[next->to.place],
                             scratch + next->transfer.scratch_at);
    schedule->on->run_in_order(step->pass, from, (void *const *)to, scratch, send_complete, &it);
    run->begun = now(schedule);
}

static void run_pass(weft_schedule *schedule, weft_run *run, void *const *base, char *scratch)
{
    const int i = run->next;
    const weft_step *step = &schedule->step[i];
    const weft_step *before = i > 0 && step[-1].kind == WEFT_MEMORY ? step - 1 : NULL;
    const weft_step *after =
        i + 1 < schedule->steps && step[1].kind == WEFT_MEMORY ? step + 1 : NULL;
    const void *in[2], *out[2];
    if (after && after->memory.begins) {
        const int64_t begin = now(schedule);
        if (!before)
            share_arrays(schedule, i + 1, base);
        after->memory.backend->memory->begin(after->memory.window);
        note(schedule, after->wait_label, begin, &schedule->account.waits);
    }
    const int64_t begin = now(schedule);
    const void *const *from = arrays_of(schedule, &step->from, base, in);
    const void *const *to = arrays_of(schedule, &step->to, base, out);
    if (overlaps(schedule, i))
        run_and_send(schedule, run, from, to, base, scratch);
    else if (step->pass && !can_be_skipped(schedule, i))
        schedule->on->run(step->pass, from, (void *const *)to, scratch);
    note(schedule, step->label, begin, &schedule->account.passes);
    if (before && before->memory.ends)
        before->memory.backend->memory->done(before->memory.window);
}

static void start_exchange(weft_schedule *schedule, weft_run *run, void *const *base, char *scratch)
{
    const weft_step *step = &schedule->step[run->next];
    weft_prepared *prepared = step->transfer.prepared;
    scratch += step->transfer.scratch_at;
    run->begun = now(schedule);
    run->started = true;
    if (step->kind == WEFT_MESSAGES) {
        prepared->pinned_memory = run->pinned;
        prepared->backend->start(prepared->state, base[step->from.place], base[step->to.place],
                                 scratch);
    } else {
        step->memory.backend->memory->publish(step->memory.window);
        note(schedule, step->wait_label, run->begun, &schedule->account.waits);
        note(schedule, step->label, run->begun, NULL);
    }
}

/* In the trace, the wait for messages is an event within the event of the exchange. */
static void finish_exchange(weft_schedule *schedule, weft_run *run, void *const *base,
                            char *scratch)
{
    const weft_step *step = &schedule->step[run->next];
    const int64_t begin = now(schedule);
    run->started = false;
    if (step->kind != WEFT_MESSAGES)
        return;
    const weft_prepared *prepared = step->transfer.prepared;
    prepared->backend->finish(prepared->state, base[step->from.place], base[step->to.place],
                              scratch + step->transfer.scratch_at);
    if (!weft_has_flag(step, WEFT_WITHIN)) /* its messages have arrived when it has started */
        note(schedule, step->wait_label, begin, NULL);
    note(schedule, step->label, run->begun, &schedule->account.exchanges);
}

/* Whether the run has started an exchange whose messages it has to wait for. The answer is the same
 * on all ranks, so all ranks interrupt a run at the same step. */
static bool waits(const weft_schedule *schedule, const weft_run *run)
{
    const weft_step *step = &schedule->step[run->next];
    if (!run->started || step->kind != WEFT_MESSAGES || weft_has_flag(step, WEFT_WITHIN))
        return false;
    const weft_exchange_base *exchange = weft_base(step->transfer.exchange);
    return exchange->groups < exchange->communicator->ranks; /* else each rank is alone */
}

void weft_schedule_run(weft_schedule *schedule, weft_run *run, bool stops)
{
    char *const work = run->workspace;
    char *const scratch = work + schedule->scratch_at;
    void *const base[] = {[WEFT_IN] = run->in,
                          [WEFT_OUT] = run->out,
                          [WEFT_WORK_A] = work + schedule->work_at[0],
                          [WEFT_WORK_B] = work + schedule->work_at[1],
                          [WEFT_NOWHERE] = NULL};
    for (; run->next < schedule->steps; run->next++) {
        if (!weft_is_exchange(&schedule->step[run->next])) {
            run_pass(schedule, run, base, scratch);
            continue;
        }
        if (!run->started)
            start_exchange(schedule, run, base, scratch);
        if (stops && waits(schedule, run))
            return;
        finish_exchange(schedule, run, base, scratch);
    }
    if (stops)
        return;
    schedule->account.runs += schedule->accounted;
    if (schedule->device && !schedule->device->users)
        weft_device_wait(schedule->device);
}

bool weft_schedule_test(const weft_schedule *schedule, const weft_run *run)
{
    return run->next == schedule->steps || !waits(schedule, run) ||
           weft_prepared_test(schedule->step[run->next].transfer.prepared);
}

double weft_schedule_pass_seconds(const weft_schedule *schedule)
{
    double sum = 0;
    for (int i = 0; i < schedule->steps; i++) {
        const weft_step *step = &schedule->step[i];
        const weft_pass *pass = weft_is_exchange(step) ? NULL : step->pass;
        const double seconds = pass ? pass->seconds : 0;
        if (seconds < 0)
            return -1;
        sum += seconds;
    }
    return sum;
}

weft_method weft_step_method(const weft_step *exchange)
{
    if (exchange->kind == WEFT_MEMORY)
        return (weft_method){.backend = exchange->memory.backend};
    const weft_prepared *prepared = exchange->transfer.prepared;
    return (weft_method){prepared->asked, prepared->value};
}

static void print_memory(const weft_step *step, bool undoes, char *line, size_t capacity)
{
    const weft_load load = weft_model_load(step->transfer.exchange);
    const bool puts = !undoes && step[-1].to.place == WEFT_ALL_PARTS;
    snprintf(line, capacity,
             "exchange %s over %d ranks, in memory%s that they share: no messages, %.0f bytes "
             "%s %d peers",
             step->memory.backend->name, step->transfer.exchange->ranks,
             step->memory.shares                          ? " and arrays"
             : weft_base(step->transfer.exchange)->device ? " of their devices"
                                                          : "",
             load.bytes, puts ? "written to" : "read by", load.peers);
}

static void print_messages(const weft_step *step, char *line, size_t capacity)
{
    const weft_exchange *exchange = step->transfer.exchange;
    const weft_method method = weft_step_method(step);
    const weft_load load = weft_model_load(exchange);
    char name[128];
    weft_method_write(method, name, sizeof name);
    snprintf(line, capacity,
             "exchange %s over %d ranks%s%s%s, %.0f bytes to %d peers, own block %s", name,
             exchange->ranks, weft_has_flag(step, WEFT_WITHIN) ? " within the array" : "",
             weft_exchange_staged(exchange, method.backend) ? ", staged on the host" : "",
             weft_exchange_as_float(exchange, method.backend) ? ", sent as floats" : "", load.bytes,
             load.peers, load.own_bytes > 0 ? "copied" : "in place already");
}

void weft_schedule_print_step(const weft_schedule *schedule, int i, char line[WEFT_STEP_TEXT])
{
    const weft_step *step = &schedule->step[i];
    const size_t capacity = WEFT_STEP_TEXT;
    if (step->kind == WEFT_MEMORY)
        print_memory(step, step->memory.region_of != i, line, capacity);
    else if (weft_is_exchange(step))
        print_messages(step, line, capacity);
    else if (step->pass)
        snprintf(line, capacity, "pass %s, reads %.0f bytes, writes %.0f bytes", step->pass->text,
                 step->pass->read, step->pass->written);
    else
        snprintf(line, capacity, "pass with nothing to do on this rank");
}

static void trace_exchange(weft_step *step, int i, weft_event_label *label)
{
    const weft_load load = weft_model_load(step->transfer.exchange);
    const weft_method method = weft_step_method(step);
    label->category = "exchange";
    label->bytes = load.bytes;
    label->messages = step->kind == WEFT_MEMORY ? 0 : load.peers;
    snprintf(label->backend, sizeof label->backend, "%s", method.backend->name);
    snprintf(label->name, sizeof label->name, "exchange %d: %s", i, label->backend);
    step->label = weft_event_label_of(label);
    label->category = "wait";
    label->bytes = -1;
    snprintf(label->name, sizeof label->name, "wait %d: %s", i, label->backend);
    step->wait_label = weft_event_label_of(label);
}

void weft_schedule_trace(weft_schedule *schedule, const char *plan)
{
    char line[WEFT_STEP_TEXT];
    for (int i = 0; i < schedule->steps; i++) {
        weft_step *step = &schedule->step[i];
        weft_event_label label = {.category = "pass"};
        weft_schedule_print_step(schedule, i, line);
        snprintf(label.about, sizeof label.about, "%s", line);
        snprintf(label.plan, sizeof label.plan, "%s", plan);
        if (weft_is_exchange(step)) {
            trace_exchange(step, i, &label);
            continue;
        }
        label.bytes = step->pass ? step->pass->read + step->pass->written : 0;
        snprintf(label.name, sizeof label.name, "pass %d", i);
        step->label = weft_event_label_of(&label);
    }
    schedule->traced = true;
}
