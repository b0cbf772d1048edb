/* SPDX-License-Identifier: BSD-3-Clause */
/* Where arrays between steps lie: against every arrangement that there is, tried one by one. */
#include "planner/schedule/buffers.h"
#include <stdint.h>
#include <string.h>
#include "tests/layouts.h"
#include "tests/unit/harness.h"

enum { STEPS = 5 };

/* In place the input is the output. */
static weft_place same(const weft_flow *flow, weft_place place)
{
    return place == WEFT_IN && flow->in_place ? WEFT_OUT : place;
}

static bool window_needed(const weft_flow *flow, int array)
{
    return flow->remote[array - 1] || (array < flow->steps && flow->remote[array]);
}

static bool possible(const weft_flow *flow, const weft_place *place)
{
    for (int array = 1; array < flow->steps; array++) {
        const weft_place here = same(flow, place[array]);
        if ((here == WEFT_WINDOW) != window_needed(flow, array))
            return false;
        if (here == WEFT_IN && !(flow->may_destroy && flow->fits_in[array]))
            return false;
        if (here == WEFT_OUT && !flow->fits_out[array])
            return false;
    }
    for (int step = 0; step < flow->steps; step++)
        if (flow->steps > 1 && place[step] != WEFT_WINDOW &&
            same(flow, place[step]) == same(flow, place[step + 1]))
            return false;
    return true;
}

/* The pass before an exchange can write the own piece to where it is to be, unless it would
 * overwrite what it reads. */
static bool own_left(const weft_flow *flow, const weft_place *place, int step)
{
    return step > 0 && flow->fused[step] && !flow->remote[step] &&
           same(flow, place[step - 1]) != same(flow, place[step + 1]);
}

typedef struct {
    int moved;
    size_t workspace;
} cost;

static cost cost_of(const weft_flow *flow, const weft_place *place)
{
    cost sum = {0, 0};
    size_t part[2] = {0, 0};
    for (int step = 0; step < flow->steps; step++)
        sum.moved += flow->is_exchange[step] && !flow->remote[step] && !own_left(flow, place, step);
    for (int array = 1; array < flow->steps; array++)
        for (int p = 0; p < 2; p++)
            if (place[array] == (p ? WEFT_WORK_B : WEFT_WORK_A) && flow->bytes[array] > part[p])
                part[p] = flow->bytes[array];
    sum.workspace = part[0] + part[1];
    return sum;
}

static bool better(const weft_flow *flow, cost a, cost b)
{
    const size_t more = a.workspace > flow->room ? a.workspace - flow->room : 0,
                 less = b.workspace > flow->room ? b.workspace - flow->room : 0;
    if (more != less)
        return more < less;
    return a.moved != b.moved ? a.moved < b.moved : a.workspace < b.workspace;
}

static cost best_of_all(const weft_flow *flow)
{
    cost best = {1000, SIZE_MAX};
    int rows = 1;
    for (int array = 1; array < flow->steps; array++)
        rows *= WEFT_WINDOW + 1;
    for (int row = 0; row < rows; row++) {
        weft_place place[STEPS + 1] = {WEFT_IN};
        int rest = row;
        for (int array = 1; array < flow->steps; array++, rest /= WEFT_WINDOW + 1)
            place[array] = (weft_place)(rest % (WEFT_WINDOW + 1));
        place[flow->steps] = WEFT_OUT;
        if (possible(flow, place) && better(flow, cost_of(flow, place), best))
            best = cost_of(flow, place);
    }
    return best;
}

static weft_flow any_flow(uint64_t *state)
{
    weft_flow flow = {.steps = 1 + (int)random_below(state, STEPS),
                      .in_place = random_below(state, 2),
                      .may_destroy = random_below(state, 2),
                      .room = (size_t)(8 * random_below(state, 6))};
    for (int step = 0; step < flow.steps; step++) {
        flow.is_exchange[step] = random_below(state, 2);
        const bool between = step > 0 && step < flow.steps - 1;
        flow.fused[step] = flow.is_exchange[step] && between && random_below(state, 2);
        flow.remote[step] = flow.is_exchange[step] && between && !flow.is_exchange[step - 1] &&
                            !flow.remote[step - 1] && random_below(state, 3) == 0;
    }
    for (int array = 0; array <= flow.steps; array++) {
        flow.bytes[array] = (size_t)(8 * (1 + random_below(state, 4)));
        flow.fits_in[array] = array == 0 || random_below(state, 2);
        flow.fits_out[array] = array == flow.steps || random_below(state, 2);
    }
    return flow;
}

START_TEST(no_arrangement_is_better)
{
    uint64_t state = 1000 + (uint64_t)_i;
    for (int turn = 0; turn < 100; turn++) {
        const weft_flow flow = any_flow(&state);
        const weft_buffers buffers = weft_buffers_arrange(&flow);
        const cost best = best_of_all(&flow);
        ck_assert(buffers.place[0] == WEFT_IN && buffers.place[flow.steps] == WEFT_OUT);
        ck_assert_msg(possible(&flow, buffers.place), "seed %d, turn %d: not possible", _i, turn);
        const cost found = cost_of(&flow, buffers.place);
        ck_assert_msg(found.moved == best.moved && found.workspace == best.workspace,
                      "seed %d, turn %d: %d moved in %zu bytes, best %d in %zu", _i, turn,
                      found.moved, found.workspace, best.moved, best.workspace);
        for (int step = 1; step < flow.steps; step++)
            ck_assert_int_eq(buffers.leave_own[step], own_left(&flow, buffers.place, step));
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("buffers");
    TCase *cases = tcase_create("arrangements");
    tcase_add_loop_test(cases, no_arrangement_is_better, 0, 40);
    suite_add_tcase(all, cases);
    return all;
}

int main(void)
{
    return run_unit(suite());
}
