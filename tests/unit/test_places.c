/* SPDX-License-Identifier: BSD-3-Clause */
/* Places of arrays between steps, compared with all possible arrangements. */
#include "planner/schedule/schedule.h"
#include <stdint.h>
#include <string.h>
#include "tests/layouts.h"
#include "tests/unit/harness.h"

enum { STEPS = 5 };

/* A schedule and the memory for its steps. */
typedef struct {
    weft_schedule schedule;
    weft_step step[STEPS];
    weft_array_between array[STEPS + 1];
} drawn;

/* In place the input is the output. */
static weft_place same(const weft_schedule *schedule, weft_place place)
{
    return place == WEFT_IN && schedule->in_place ? WEFT_OUT : place;
}

static bool is_memory(const weft_schedule *schedule, int step)
{
    return step < schedule->steps && schedule->step[step].kind == WEFT_MEMORY;
}

static bool possible(const weft_schedule *schedule, const weft_place *place)
{
    for (int array = 1; array < schedule->steps; array++) {
        const weft_place here = same(schedule, place[array]);
        if ((here == WEFT_PART) != (is_memory(schedule, array - 1) || is_memory(schedule, array)))
            return false;
        if ((here == WEFT_IN && !(schedule->may_destroy && schedule->array[array].fits_in)) ||
            (here == WEFT_OUT && !schedule->array[array].fits_out))
            return false;
    }
    for (int step = 0; step < schedule->steps; step++)
        if (schedule->steps > 1 && place[step] != WEFT_PART &&
            same(schedule, place[step]) == same(schedule, place[step + 1]))
            return false;
    return true;
}

/* Whether the pass before an exchange can write its own block to its final place. */
static bool own_left(const weft_schedule *schedule, const weft_place *place, int step)
{
    return step > 0 && schedule->step[step].kind == WEFT_MESSAGES &&
           (schedule->step[step].transfer.flags & WEFT_FROM_BLOCKED) &&
           same(schedule, place[step - 1]) != same(schedule, place[step + 1]);
}

typedef struct {
    int moved;
    size_t workspace;
} cost;

static cost cost_of(const weft_schedule *schedule, const weft_place *place)
{
    cost sum = {0, 0};
    size_t part[2] = {0, 0};
    for (int step = 0; step < schedule->steps; step++)
        sum.moved += schedule->step[step].kind == WEFT_MESSAGES && !own_left(schedule, place, step);
    for (int array = 1; array < schedule->steps; array++)
        for (int p = 0; p < 2; p++)
            if (place[array] == (p ? WEFT_WORK_B : WEFT_WORK_A) &&
                schedule->array[array].bytes > part[p])
                part[p] = schedule->array[array].bytes;
    sum.workspace = part[0] + part[1];
    return sum;
}

static bool better(const weft_schedule *schedule, cost a, cost b)
{
    const size_t capacity = schedule->workspace_limit;
    const size_t more = a.workspace > capacity ? a.workspace - capacity : 0,
                 less = b.workspace > capacity ? b.workspace - capacity : 0;
    if (more != less)
        return more < less;
    return a.moved != b.moved ? a.moved < b.moved : a.workspace < b.workspace;
}

static cost best_of_all(const weft_schedule *schedule)
{
    cost best = {1000, SIZE_MAX};
    int rows = 1;
    for (int array = 1; array < schedule->steps; array++)
        rows *= WEFT_PART + 1;
    for (int row = 0; row < rows; row++) {
        weft_place place[STEPS + 1] = {WEFT_IN};
        int rest = row;
        for (int array = 1; array < schedule->steps; array++, rest /= WEFT_PART + 1)
            place[array] = (weft_place)(rest % (WEFT_PART + 1));
        place[schedule->steps] = WEFT_OUT;
        if (possible(schedule, place) && better(schedule, cost_of(schedule, place), best))
            best = cost_of(schedule, place);
    }
    return best;
}

static void draw(uint64_t *state, drawn *it)
{
    *it = (drawn){.schedule = {.steps = 1 + (int)random_below(state, STEPS),
                               .in_place = random_below(state, 2),
                               .may_destroy = random_below(state, 2),
                               .workspace_limit = (size_t)(8 * random_below(state, 6))}};
    it->schedule.step = it->step;
    it->schedule.array = it->array;
    const int steps = it->schedule.steps;
    for (int i = 0; i < steps; i++) {
        weft_step *step = &it->step[i];
        step->kind = random_below(state, 2) ? WEFT_MESSAGES : WEFT_PASS;
        const bool exchange = step->kind != WEFT_PASS, between = i > 0 && i < steps - 1;
        if (exchange && between && random_below(state, 2))
            step->transfer.flags = random_below(state, 2) ? WEFT_FROM_BLOCKED : WEFT_TO_BLOCKED;
        if (exchange && between && it->step[i - 1].kind == WEFT_PASS && random_below(state, 3) == 0)
            step->kind = WEFT_MEMORY;
    }
    for (int i = 0; i <= steps; i++) {
        it->array[i].bytes = (size_t)(8 * (1 + random_below(state, 4)));
        it->array[i].fits_in = i == 0 || random_below(state, 2);
        it->array[i].fits_out = i == steps || random_below(state, 2);
    }
}

TEST(no_arrangement_is_better, .to = 40)
{
    uint64_t state = 1000 + (uint64_t)_i;
    for (int turn = 0; turn < 100; turn++) {
        drawn it;
        weft_place place[STEPS + 1];
        draw(&state, &it);
        const int steps = it.schedule.steps;
        weft_places_arrange(&it.schedule);
        for (int i = 0; i <= steps; i++)
            place[i] = it.array[i].place;
        const cost best = best_of_all(&it.schedule);
        ck_assert(place[0] == WEFT_IN && place[steps] == WEFT_OUT);
        ck_assert_msg(possible(&it.schedule, place), "seed %d, turn %d: not possible", _i, turn);
        const cost found = cost_of(&it.schedule, place);
        ck_assert_msg(found.moved == best.moved && found.workspace == best.workspace,
                      "seed %d, turn %d: %d moved in %zu bytes, best %d in %zu", _i, turn,
                      found.moved, found.workspace, best.moved, best.workspace);
        for (int i = 1; i < steps; i++)
            ck_assert_int_eq((it.step[i].transfer.flags & WEFT_LEAVE_OWN) != 0,
                             own_left(&it.schedule, place, i));
    }
}
