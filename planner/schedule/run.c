/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs schedules: executes all actions in order, on the memory that `from` and `to` of each step
 * name. The file also assigns the scratch memory of each part, prints the steps of a plan, and
 * labels steps in the trace.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "kernels/base/error.h"
#include "kernels/base/events.h"
#include "planner/schedule/schedule.h"

enum { WORKSPACE, PINNED };

static size_t part_workspace(const weft_part *part, int which)
{
    if (which == PINNED)
        return part->prepared ? part->prepared->pinned : 0;
    if (part->within)
        return weft_in_place_workspace(part->within);
    if (part->prepared)
        return part->prepared->workspace;
    return part->pass ? part->pass->workspace : 0;
}

/* Returns the lowest offset, from `begin` on, at which the scratch memory of a part overlaps that
 * of none of the parts in progress. */
static size_t place_of(int which, weft_part *const *under_way, int count, size_t begin,
                       size_t bytes)
{
    for (int i = 0; i < count; i++) {
        const size_t theirs = under_way[i]->scratch[which],
                     end = theirs + weft_round_to_pages(part_workspace(under_way[i], which));
        if (begin < end && theirs < begin + bytes) {
            begin = end;
            i = -1; /* check all parts again at the new offset */
        }
    }
    return begin;
}

/* Assigns scratch memory to all parts, from offset `begin` on; *end is the end of the last one.
 * Returns false, with an error, when backends ask for more memory than can be addressed. */
static bool place_parts(weft_schedule *schedule, int which, weft_part **under_way, size_t begin,
                        size_t *end)
{
    size_t most = begin;
    int count = 0;
    for (int i = 0; i < schedule->actions; i++) {
        const weft_action *action = &schedule->action[i];
        weft_part *part = &schedule->step[action->step].part[action->part];
        if (action->kind == WEFT_FINISH) {
            int at = 0;
            while (under_way[at] != part)
                at++;
            under_way[at] = under_way[--count];
            continue;
        }
        const size_t bytes = weft_round_to_pages(part_workspace(part, which));
        part->scratch[which] = place_of(which, under_way, count, begin, bytes);
        if (bytes > PTRDIFF_MAX || part->scratch[which] > PTRDIFF_MAX - bytes)
            return weft_error(
                "the steps of the plan ask for more than %td bytes of workspace together",
                PTRDIFF_MAX);
        if (part->scratch[which] + bytes > most)
            most = part->scratch[which] + bytes;
        if (action->kind == WEFT_START)
            under_way[count++] = part;
    }
    *end = most;
    return true;
}

/* Lays out the workspace. Parts that are in progress at the same time have separate scratch memory;
 * other parts share theirs.
 *
 *     [ WEFT_WORK_A | WEFT_WORK_B | scratch memory of the parts ]
 */
bool weft_schedule_lay_out(weft_schedule *schedule)
{
    weft_part **under_way = calloc((size_t)schedule->actions + 1, sizeof *under_way);
    if (!under_way)
        return weft_error("no memory for a schedule");
    schedule->array_at[1] = weft_round_to_pages(schedule->work_bytes[0]);
    const size_t begin = schedule->array_at[1] + weft_round_to_pages(schedule->work_bytes[1]);
    schedule->pinned = 0;
    const bool ok =
        place_parts(schedule, WORKSPACE, under_way, begin, &schedule->workspace) &&
        (!schedule->device || place_parts(schedule, PINNED, under_way, 0, &schedule->pinned));
    free(under_way);
    return ok;
}

static void *own_part(const weft_step *exchange)
{
    return (char *)exchange->memory.backend->memory->part(exchange->memory.window,
                                                          exchange->transfer.exchange->rank) +
           exchange->memory.region;
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
        exchange->memory.at[rank] =
            array ? array
                  : (char *)memory->part(exchange->memory.window, rank) + exchange->memory.region;
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
    two[0] = end->place == WEFT_PART ? own_part(exchange) : base[end->place];
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

static void run_pass(weft_schedule *schedule, int i, const weft_part *part, void *const *base,
                     void *scratch)
{
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
    if (part->pass && !can_be_skipped(schedule, i))
        schedule->on->run(part->pass, from, (void *const *)to, scratch);
    note(schedule, step->label, begin, &schedule->account.passes);
    if (before && before->memory.ends)
        before->memory.backend->memory->done(before->memory.window);
}

static void start(const weft_step *step, const weft_part *part, void *const *base, void *scratch)
{
    if (step->kind == WEFT_MEMORY)
        step->memory.backend->memory->publish(step->memory.window);
    else if (step->kind == WEFT_WITHIN)
        weft_in_place_run(part->within, base[WEFT_OUT], scratch);
    else
        weft_prepared_start(part->prepared, base[step->from.place], base[step->to.place], scratch);
}

static bool finishes_at_once(const weft_schedule *schedule, int start)
{
    const weft_action *action = &schedule->action[start];
    return start + 1 < schedule->actions && action[1].kind == WEFT_FINISH &&
           action[1].step == action->step && action[1].part == action->part;
}

/* Starts or finishes a part of an exchange. In the trace an exchange by messages that finishes at
 * once is one event, which includes waiting. Otherwise the start is one event and the wait another.
 * *begun is the start time of the exchange in progress. */
static void run_exchange(weft_schedule *schedule, int a, void *const *base, void *scratch,
                         int64_t *begun)
{
    const weft_action *action = &schedule->action[a];
    const weft_step *step = &schedule->step[action->step];
    const weft_part *part = &step->part[action->part];
    const int64_t begin = now(schedule);
    const bool messages = step->kind == WEFT_MESSAGES;
    weft_account *account = &schedule->account;
    if (action->kind == WEFT_START) {
        *begun = begin;
        start(step, part, base, scratch);
        if (step->kind == WEFT_MEMORY)
            note(schedule, step->wait_label, begin, &account->waits);
        if (!messages || !finishes_at_once(schedule, a))
            note(schedule, step->label, begin,
                 step->kind == WEFT_MEMORY ? NULL : &account->exchanges);
    } else if (messages) {
        weft_prepared_finish(part->prepared, base[step->from.place], base[step->to.place], scratch);
        const bool at_once = a > 0 && finishes_at_once(schedule, a - 1);
        note(schedule, step->wait_label, begin, at_once ? NULL : &account->exchanges);
        if (at_once)
            note(schedule, step->label, *begun, &account->exchanges);
    }
}

/* Whether an action waits for messages. The answer is the same on all ranks, so all ranks interrupt
 * a run at the same action. */
static bool waits(const weft_schedule *schedule, int action)
{
    if (action == schedule->actions)
        return false;
    const weft_step *step = &schedule->step[schedule->action[action].step];
    return schedule->action[action].kind == WEFT_FINISH && step->kind == WEFT_MESSAGES &&
           !step->transfer.stays;
}

void weft_schedule_run(weft_schedule *schedule, weft_run *run, bool stops)
{
    char *const work = run->workspace;
    void *const base[] = {[WEFT_IN] = run->in,
                          [WEFT_OUT] = run->out,
                          [WEFT_WORK_A] = work + schedule->array_at[0],
                          [WEFT_WORK_B] = work + schedule->array_at[1],
                          [WEFT_NOWHERE] = NULL};
    for (; run->next < schedule->actions && !(stops && waits(schedule, run->next)); run->next++) {
        const weft_action *action = &schedule->action[run->next];
        const weft_step *step = &schedule->step[action->step];
        const weft_part *part = &step->part[action->part];
        void *const scratch = work + part->scratch[WORKSPACE];
        if (schedule->device && part->prepared)
            weft_prepared_pin(part->prepared, (char *)run->pinned + part->scratch[PINNED]);
        if (action->kind == WEFT_RUN)
            run_pass(schedule, action->step, part, base, scratch);
        else
            run_exchange(schedule, run->next, base, scratch, &run->begun);
    }
    if (stops)
        return;
    schedule->account.runs += schedule->accounted;
    if (schedule->device && !schedule->device->users)
        weft_device_wait(schedule->device);
}

weft_account weft_schedule_account(weft_schedule *schedule)
{
    schedule->accounted = true;
    return schedule->account;
}

bool weft_schedule_test(const weft_schedule *schedule, const weft_run *run)
{
    if (!waits(schedule, run->next))
        return true;
    const weft_action *action = &schedule->action[run->next];
    return weft_prepared_test(schedule->step[action->step].part[action->part].prepared);
}

double weft_schedule_pass_seconds(const weft_schedule *schedule)
{
    double sum = 0;
    for (int i = 0; i < schedule->steps; i++)
        for (int part = 0; part < schedule->step[i].parts; part++) {
            const weft_pass *pass = schedule->step[i].part[part].pass;
            const double seconds = pass ? pass->seconds : 0;
            if (seconds < 0)
                return -1;
            sum += seconds;
        }
    return sum;
}

/* The bytes that the parts of a pass read and write, and their arithmetic. */
typedef struct {
    double read, written, flops;
} pass_cost;

static pass_cost cost_of(const weft_step *step)
{
    pass_cost sum = {0};
    for (int part = 0; part < step->parts; part++) {
        const weft_pass *pass = step->part[part].pass;
        if (pass) {
            sum.read += pass->read;
            sum.written += pass->written;
            sum.flops += pass->flops;
        }
    }
    return sum;
}

double weft_schedule_flops(const weft_schedule *schedule)
{
    double sum = 0;
    for (int i = 0; i < schedule->steps; i++)
        sum += cost_of(&schedule->step[i]).flops;
    return sum;
}

static const weft_prepared *prepared_of(const weft_step *exchange)
{
    const weft_part *part = &exchange->part[0];
    return part->within ? weft_in_place_prepared(part->within) : part->prepared;
}

weft_method weft_step_method(const weft_step *exchange)
{
    if (exchange->kind == WEFT_MEMORY)
        return (weft_method){.backend = exchange->memory.backend};
    const weft_prepared *prepared = prepared_of(exchange);
    return (weft_method){prepared->asked, prepared->value, exchange->parts};
}

static void name_parts(const weft_step *step, char *text, size_t capacity)
{
    if (step->kind == WEFT_WITHIN)
        snprintf(text, capacity, " within the array");
    else if (step->parts > 1)
        snprintf(text, capacity, " in %d parts", step->parts);
    else
        *text = '\0';
}

static void print_memory(const weft_step *step, bool undoes, char *line, size_t capacity)
{
    const weft_load load = step->transfer.load;
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
    const weft_load load = step->transfer.load;
    char parameter[32] = "", parts[64];
    if (method.backend->parameter)
        snprintf(parameter, sizeof parameter, ":%d", method.value);
    name_parts(step, parts, sizeof parts);
    snprintf(line, capacity,
             "exchange %s%s over %d ranks%s%s%s, %.0f bytes to %d peers, own block %s",
             method.backend->name, parameter, exchange->ranks, parts,
             weft_exchange_staged(exchange, method.backend) ? ", staged on the host" : "",
             weft_exchange_as_float(exchange, method.backend) ? ", sent as floats" : "", load.bytes,
             load.peers, load.own_bytes > 0 ? "copied" : "in place already");
}

static void print_pass(const weft_step *step, char *line, size_t capacity)
{
    const pass_cost cost = cost_of(step);
    char parts[64];
    name_parts(step, parts, sizeof parts);
    snprintf(line, capacity, "pass%s %s, reads %.0f bytes, writes %.0f bytes", parts,
             step->part[0].pass->text, cost.read, cost.written);
}

static void print_step(const weft_schedule *schedule, int i, char *line, size_t capacity)
{
    const weft_step *step = &schedule->step[i];
    if (step->kind == WEFT_MEMORY)
        print_memory(step, step->memory.region_of != i, line, capacity);
    else if (weft_is_exchange(step))
        print_messages(step, line, capacity);
    else if (step->part[0].pass)
        print_pass(step, line, capacity);
    else
        snprintf(line, capacity, "pass with nothing to do on this rank");
}

void weft_schedule_print(const weft_schedule *schedule, const char *begin, const char *end,
                         void (*print)(void *printer, const char *text), void *printer)
{
    char line[512];
    for (int i = 0; i < schedule->steps; i++) {
        print_step(schedule, i, line, sizeof line);
        print(printer, begin);
        print(printer, line);
        print(printer, end);
    }
}

static void trace_exchange(weft_step *step, int i, weft_event_label *label)
{
    const weft_load load = step->transfer.load;
    const weft_method method = weft_step_method(step);
    label->category = "exchange";
    label->bytes = load.bytes / step->parts;
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
    char line[512];
    for (int i = 0; i < schedule->steps; i++) {
        weft_step *step = &schedule->step[i];
        weft_event_label label = {.category = "pass"};
        print_step(schedule, i, line, sizeof line);
        snprintf(label.about, sizeof label.about, "%s", line);
        snprintf(label.plan, sizeof label.plan, "%s", plan);
        if (weft_is_exchange(step)) {
            trace_exchange(step, i, &label);
            continue;
        }
        const pass_cost cost = cost_of(step);
        label.bytes = (cost.read + cost.written) / step->parts;
        snprintf(label.name, sizeof label.name, "pass %d", i);
        step->label = weft_event_label_of(&label);
    }
    schedule->traced = true;
}
