/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The windows of a schedule: memory that ranks share, through which exchanges are but barriers.
 */
#include <stdlib.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "planner/schedule/parts.h"

/* Whether two exchanges are among the same ranks, which have one window. Every rank is asked about
 * exchanges of its own, so that the answer is the same in all of a group. */
static bool same_ranks(const weft_step *a, const weft_step *b)
{
    int result;
    MPI_Comm_compare(a->exchange->comm, b->exchange->comm, &result);
    return result == MPI_IDENT || result == MPI_CONGRUENT;
}

/* Where in its window the region of an exchange begins; of `all`, how large the window is. */
static size_t window_bytes(const weft_steps *plan, const weft_step *step, int exchange, bool all)
{
    size_t bytes = 0;
    const int end = all                       ? plan->steps
                    : plan->back_to[exchange] ? plan->back_to[exchange]
                                              : exchange;
    for (int i = 0; i < end; i++)
        if (plan->remote[i] && !plan->back_to[i] && same_ranks(&step[i], &step[exchange]))
            bytes += weft_whole_pages(plan->window_bytes[i]);
    return bytes;
}

/* Exchanges through windows. Those of the same ranks have the same window, opened with room for all
 * of them: each gets a region of its own there. */
bool weft_schedule_open_windows(weft_schedule *schedule)
{
    const weft_steps *plan = &schedule->plan;
    weft_step *step = schedule->step;
    bool ok = true;
    for (int i = 0; i < plan->steps; i++)
        if (plan->remote[i]) {
            step[i].from = calloc((size_t)step[i].exchange->ranks + 1, sizeof *step[i].from);
            ok = ok && step[i].from;
        }
    if (!ok)
        weft_error("no memory for a schedule");
    ok = weft_agree(schedule->comm, ok);
    for (int i = 0; ok && i < plan->steps; i++) {
        if (!plan->remote[i])
            continue;
        step[i].region = window_bytes(plan, step, i, false);
        step[i].window = schedule->through->memory->open(step[i].exchange->comm,
                                                         window_bytes(plan, step, i, true));
        ok = weft_agree(schedule->comm, step[i].window != NULL);
        step[i].begins = step[i].ends = true;
        for (int j = 0; j < i; j++)
            if (plan->remote[j] && step[j].window == step[i].window) {
                step[i].begins = step[j].ends = false;
            }
    }
    return ok;
}
