/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a schedule, and saying what it does.
 */
#include <stdio.h>
#include "planner/search/model.h"
#include "planner/schedule/parts.h"

/* Where the ranks of an exchange through a window have its array: in their parts, or where they
 * share it. And the user's, where the own piece may be: one more, or that of this rank. */
static const void **parts(const weft_memory *memory, const weft_step *exchange, bool lent, bool put,
                          const void *users)
{
    const int ranks = exchange->exchange->ranks;
    for (int rank = 0; rank < ranks; rank++) {
        const void *shared =
            lent && memory->shared ? memory->shared(exchange->window, rank, put) : NULL;
        exchange->from[rank] =
            shared ? shared : (char *)memory->part(exchange->window, rank) + exchange->region;
    }
    exchange->from[lent ? exchange->exchange->rank : ranks] = users;
    return exchange->from;
}

static void *own_part(const weft_memory *memory, const weft_step *exchange)
{
    return (char *)memory->part(exchange->window, exchange->exchange->rank) + exchange->region;
}

/* Whether a pass only copies, for others, what this rank lends. */
static bool is_spared(const weft_schedule *schedule, int i)
{
    const weft_steps *plan = &schedule->plan;
    const weft_step *step = schedule->step;
    return (i == 0 && plan->steps > 1 && step[1].lends && !plan->put[1]) ||
           (i > 0 && i == plan->steps - 1 && step[i - 1].lends && plan->put[i - 1]);
}

static void run_pass(const weft_schedule *schedule, int i, const weft_part *part, void *const *base,
                     void *scratch)
{
    const weft_steps *plan = &schedule->plan;
    const weft_place *place = plan->buffers.place;
    const weft_memory *memory = schedule->through ? schedule->through->memory : NULL;
    const weft_step *before = i > 0 && plan->remote[i - 1] ? &schedule->step[i - 1] : NULL;
    const weft_step *after =
        i + 1 < plan->steps && plan->remote[i + 1] ? &schedule->step[i + 1] : NULL;
    const void *one[1] = {base[place[i]]}, *const *from = one;
    const bool own_is_out = i + 1 < plan->steps && plan->own_is_out[i + 1];
    void *two[2] = {base[place[i + 1]], own_is_out             ? base[WEFT_OUT]
                                        : i + 2 <= plan->steps ? base[place[i + 2]]
                                                               : NULL};
    void *const *to = two;
    if (after && after->begins)
        memory->begin(after->window);
    if (before && (plan->back_to[i - 1] || plan->put[i - 1]))
        one[0] = own_part(memory, before);
    else if (before)
        from = parts(memory, before, plan->lent[i - 1], false,
                     base[plan->own_is_in[i - 1] ? WEFT_IN : WEFT_OUT]);
    if (after && plan->back_to[i + 1])
        to = (void *const *)from;
    else if (after && plan->put[i + 1])
        to = (void *const *)parts(memory, after, plan->lent[i + 1], true, base[WEFT_OUT]);
    else if (after)
        two[0] = own_part(memory, after);
    if (part->pass && !is_spared(schedule, i))
        weft_pass_run(part->pass, from, to, scratch);
    if (before && before->ends)
        memory->done(before->window);
}

void weft_schedule_run(weft_schedule *schedule, void *in, void *out, void *workspace)
{
    char *const work = workspace;
    void *const base[] = {[WEFT_IN] = in,
                          [WEFT_OUT] = out,
                          [WEFT_WORK_A] = work + schedule->array[0],
                          [WEFT_WORK_B] = work + schedule->array[1],
                          [WEFT_WINDOW] = NULL};
    const weft_place *place = schedule->plan.buffers.place;
    const weft_memory *memory = schedule->through ? schedule->through->memory : NULL;
    for (int i = 0; i < schedule->plan.steps; i++)
        if (schedule->plan.lent[i] && memory->share) {
            weft_step *step = &schedule->step[i];
            const bool put = schedule->plan.put[i];
            step->lends = memory->share(step->window, put, put ? out : in, step->lent_bytes);
        }
    for (int a = 0; a < schedule->pipeline.actions; a++) {
        const weft_action *action = &schedule->pipeline.action[a];
        const int i = action->step;
        const weft_part *part = &schedule->step[i].part[action->part];
        void *const scratch = work + part->scratch;
        if (action->deed == WEFT_RUN)
            run_pass(schedule, i, part, base, scratch);
        else if (action->deed == WEFT_START && schedule->plan.remote[i])
            memory->publish(schedule->step[i].window);
        else if (action->deed == WEFT_START && part->inside)
            weft_in_place_run(part->inside, out, scratch);
        else if (action->deed == WEFT_START)
            weft_prepared_start(part->prepared, base[place[i]], base[place[i + 1]], scratch);
        else if (!schedule->plan.remote[i] && !part->inside)
            weft_prepared_finish(part->prepared, base[place[i]], base[place[i + 1]], scratch);
    }
}

double weft_schedule_pass_seconds(const weft_schedule *schedule)
{
    double sum = 0;
    for (int i = 0; i < schedule->plan.steps; i++)
        for (int part = 0; part < schedule->step[i].parts; part++) {
            const weft_pass *pass = schedule->step[i].part[part].pass;
            const double seconds = pass ? weft_pass_seconds(pass) : 0;
            if (seconds < 0)
                return -1;
            sum += seconds;
        }
    return sum;
}

double weft_schedule_flops(const weft_schedule *schedule)
{
    double sum = 0, read, written, flops;
    for (int i = 0; i < schedule->plan.steps; i++)
        for (int part = 0; part < schedule->step[i].parts; part++)
            if (schedule->step[i].part[part].pass) {
                weft_pass_cost(schedule->step[i].part[part].pass, &read, &written, &flops);
                sum += flops;
            }
    return sum;
}

static void print_window(const weft_step *this, const char *backend, bool put, bool lent,
                         char *line, size_t room)
{
    const weft_load load = weft_model_load(this->exchange);
    snprintf(line, room,
             "exchange %s over %d ranks, in memory that they share%s: no messages, %.0f bytes "
             "%s %d peers",
             backend, this->exchange->ranks, lent ? " or lend" : "", load.bytes,
             put ? "written to" : "read by", load.peers);
}

static void print_exchange(const weft_step *this, char *line, size_t room)
{
    const weft_exchange *exchange = this->exchange;
    const weft_prepared *prepared = weft_schedule_prepared(this);
    const weft_backend *backend = weft_prepared_backend(prepared);
    const int value = weft_prepared_value(prepared);
    const weft_load load = weft_model_load(exchange);
    char parameter[32] = "", parts[64] = "";
    if (backend->parameter)
        snprintf(parameter, sizeof parameter, ":%d", value);
    if (this->part[0].inside)
        snprintf(parts, sizeof parts, " within the array");
    else if (this->parts > 1)
        snprintf(parts, sizeof parts, " in %d parts", this->parts);
    snprintf(line, room, "exchange %s%s over %d ranks%s, %.0f bytes to %d peers, own piece %s",
             backend->name, parameter, exchange->ranks, parts, load.bytes, load.peers,
             exchange->send[exchange->rank].elements ? "copied" : "in place already");
}

static void print_pass(const weft_step *this, char *line, size_t room)
{
    double read[2] = {0}, written[2] = {0}, flops;
    char parts[64] = "";
    for (int part = 0; part < this->parts; part++)
        if (this->part[part].pass) {
            weft_pass_cost(this->part[part].pass, &read[1], &written[1], &flops);
            read[0] += read[1];
            written[0] += written[1];
        }
    if (this->parts > 1)
        snprintf(parts, sizeof parts, " in %d parts", this->parts);
    snprintf(line, room, "pass%s %s, reads %.0f bytes, writes %.0f bytes", parts,
             weft_pass_text(this->part[0].pass), read[0], written[0]);
}

static void print_step(const weft_schedule *schedule, int i, char *line, size_t room)
{
    const weft_step *this = &schedule->step[i];
    if (this->window)
        print_window(this, schedule->through->name, schedule->plan.put[i], schedule->plan.lent[i],
                     line, room);
    else if (this->exchange)
        print_exchange(this, line, room);
    else if (this->part[0].pass)
        print_pass(this, line, room);
    else
        snprintf(line, room, "pass with nothing to do on this rank");
}

void weft_schedule_print(const weft_schedule *schedule, const char *begin, const char *end,
                         void (*print)(void *printer, const char *text), void *printer)
{
    char line[512];
    for (int i = 0; i < schedule->plan.steps; i++) {
        print_step(schedule, i, line, sizeof line);
        print(printer, begin);
        print(printer, line);
        print(printer, end);
    }
}
