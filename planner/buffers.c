/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tries every arrangement: there are at most seven arrays in between and four places. No step
 * writes what it reads, except a single step in place, which the pass or backend then knows how to
 * do.
 */
#include "buffers.h"

/* In place the input and the output are one array. */
static weft_place array_of(const weft_flow *flow, weft_place place)
{
    return place == WEFT_IN && flow->in_place ? WEFT_OUT : place;
}

/* Whether an array lies in the window: before or after an exchange through it. */
static bool in_window(const weft_flow *flow, int array)
{
    return (array < flow->steps && flow->remote[array]) || flow->remote[array - 1];
}

static bool allowed(const weft_flow *flow, const weft_place *place, int array)
{
    const weft_place here = array_of(flow, place[array]);
    if ((here == WEFT_WINDOW) != in_window(flow, array))
        return false;
    if (here == WEFT_WINDOW)
        return true;
    if (here == array_of(flow, place[array - 1]))
        return false;

    if (array == flow->steps - 1 && here == WEFT_OUT)
        return false;
    if (here == WEFT_OUT)
        return flow->fits_out[array];
    if (here == WEFT_IN)
        return flow->may_destroy && flow->fits_in[array];
    return true;
}

typedef struct {
    double workspace;
    int own_moved;
} cost;

static cost cost_of(const weft_flow *flow, weft_buffers *buffers)
{
    size_t part[2] = {0, 0};
    int own_moved = 0;
    const weft_place *place = buffers->place;
    for (int i = 1; i < flow->steps; i++)
        if (place[i] == WEFT_WORK_A || place[i] == WEFT_WORK_B) {
            size_t *bytes = &part[place[i] == WEFT_WORK_B];
            *bytes = flow->bytes[i] > *bytes ? flow->bytes[i] : *bytes;
        }
    for (int i = 0; i < flow->steps; i++) {
        /* the pass before reads array i - 1 while it writes the own piece to array i + 1 */
        buffers->leave_own[i] = flow->fused[i] && !flow->remote[i] &&
                                array_of(flow, place[i - 1]) != array_of(flow, place[i + 1]);
        own_moved += flow->is_exchange[i] && !flow->remote[i] && !buffers->leave_own[i];
    }
    return (cost){(double)part[0] + (double)part[1], own_moved};
}

static bool better(const weft_flow *flow, cost a, cost b)
{
    if (flow->conserve_memory)
        return a.workspace < b.workspace ||
               (a.workspace <= b.workspace && a.own_moved < b.own_moved);
    return a.own_moved < b.own_moved || (a.own_moved == b.own_moved && a.workspace < b.workspace);
}

static void try_all(const weft_flow *flow, weft_buffers *now, int array, weft_buffers *best,
                    cost *best_cost, bool *found)
{
    if (array >= flow->steps) {
        const cost this_cost = cost_of(flow, now);
        if (!*found || better(flow, this_cost, *best_cost)) {
            *best = *now;
            *best_cost = this_cost;
            *found = true;
        }
        return;
    }
    for (int place = WEFT_IN; place <= WEFT_WINDOW; place++) {
        now->place[array] = (weft_place)place;
        if (allowed(flow, now->place, array))
            try_all(flow, now, array + 1, best, best_cost, found);
    }
}

weft_buffers weft_buffers_arrange(const weft_flow *flow)
{
    weft_buffers now = {.place = {WEFT_IN}}, best = now;
    cost best_cost = {0, 0};
    bool found = false;
    now.place[flow->steps] = WEFT_OUT;
    try_all(flow, &now, 1, &best, &best_cost, &found);
    return best;
}
