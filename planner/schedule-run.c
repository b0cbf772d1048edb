/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a schedule, and saying what it does.
 */
#include <stdio.h>
#include "schedule-parts.h"

/* Where the ranks of an exchange through a window have its array. */
static const void **parts(const weft_step *exchange)
{
    for (int rank = 0; rank < exchange->exchange->ranks; rank++)
        exchange->from[rank] =
            (const char *)weft_window_part(exchange->window, rank) + exchange->region;
    return exchange->from;
}

static void *own_part(const weft_step *exchange)
{
    return (char *)weft_window_part(exchange->window, exchange->exchange->rank) + exchange->region;
}

static void run_pass(const WEFT(schedule) * schedule, int i, void *const *base, void *scratch)
{
    const weft_steps *plan = &schedule->plan;
    const weft_place *place = plan->buffers.place;
    const weft_step *before = i > 0 && plan->remote[i - 1] ? &schedule->step[i - 1] : NULL;
    const weft_step *after =
        i + 1 < plan->steps && plan->remote[i + 1] ? &schedule->step[i + 1] : NULL;
    const void *one[1] = {base[place[i]]}, *const *from = one;
    void *two[2] = {base[place[i + 1]], i + 2 <= plan->steps ? base[place[i + 2]] : NULL};
    void *const *to = two;
    if (after && after->begins)
        weft_window_begin(after->window);
    if (before && plan->back_to[i - 1])
        one[0] = own_part(before);
    else if (before)
        from = parts(before);
    if (after && plan->back_to[i + 1])
        to = (void *const *)from;
    else if (after)
        two[0] = own_part(after);
    if (schedule->step[i].pass)
        WEFT(pass_run)(schedule->step[i].pass, from, to, scratch);
    if (before && before->ends)
        weft_window_done(before->window);
}

void WEFT(schedule_run)(const WEFT(schedule) * schedule, void *in, void *out, void *workspace)
{
    char *const work = workspace;
    void *const base[] = {[WEFT_IN] = in,
                          [WEFT_OUT] = out,
                          [WEFT_WORK_A] = work + schedule->part[0],
                          [WEFT_WORK_B] = work + schedule->part[1],
                          [WEFT_WINDOW] = NULL};
    const weft_place *place = schedule->plan.buffers.place;
    void *const scratch = work + schedule->scratch;
    for (int i = 0; i < schedule->plan.steps; i++) {
        if (schedule->plan.remote[i])
            weft_window_publish(schedule->step[i].window);
        else if (schedule->plan.is_exchange[i])
            weft_prepared_run(schedule->step[i].prepared, base[place[i]], base[place[i + 1]],
                              scratch);
        else
            run_pass(schedule, i, base, scratch);
    }
}

double WEFT(schedule_flops)(const WEFT(schedule) * schedule)
{
    double sum = 0, read, written, flops;
    for (int i = 0; i < schedule->plan.steps; i++)
        if (schedule->step[i].pass) {
            WEFT(pass_cost)(schedule->step[i].pass, &read, &written, &flops);
            sum += flops;
        }
    return sum;
}

static void print_window(const weft_step *this, char *line, size_t room)
{
    snprintf(line, room, "exchange shared over %d ranks, in memory that they share: no messages",
             this->exchange->ranks);
}

static void print_exchange(const weft_step *this, char *line, size_t room)
{
    const weft_exchange *exchange = this->exchange;
    const weft_backend *backend = weft_prepared_backend(this->prepared);
    const int value = weft_prepared_value(this->prepared);
    ptrdiff_t sent = 0;
    int messages = 0;
    char parameter[32] = "";
    for (int peer = 0; peer < exchange->ranks; peer++)
        if (peer != exchange->rank && exchange->send[peer].elements > 0) {
            sent += exchange->send[peer].elements;
            messages++;
        }
    if (backend->parameter)
        snprintf(parameter, sizeof parameter, ":%d", value);
    snprintf(line, room, "exchange %s%s over %d ranks, %.0f bytes to %d peers, own piece %s",
             backend->name, parameter, exchange->ranks, (double)sent * (double)exchange->element,
             messages, exchange->send[exchange->rank].elements ? "copied" : "in place already");
}

static void print_step(const weft_step *this, char *line, size_t room)
{
    double read, written, flops;
    if (this->window) {
        print_window(this, line, room);
    } else if (this->prepared) {
        print_exchange(this, line, room);
    } else if (this->pass) {
        WEFT(pass_cost)(this->pass, &read, &written, &flops);
        snprintf(line, room, "pass %s, reads %.0f bytes, writes %.0f bytes",
                 WEFT(pass_text)(this->pass), read, written);
    } else {
        snprintf(line, room, "pass with nothing to do on this rank");
    }
}

void WEFT(schedule_print)(const WEFT(schedule) * schedule, const char *begin, const char *end,
                          void (*print)(void *printer, const char *text), void *printer)
{
    char line[512];
    for (int i = 0; i < schedule->plan.steps; i++) {
        print_step(&schedule->step[i], line, sizeof line);
        print(printer, begin);
        print(printer, line);
        print(printer, end);
    }
}
