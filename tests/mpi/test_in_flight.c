/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several plans in flight at once, against serial FFTW. Their schedules go through shared memory,
 * then send messages, then go through shared memory again; two of the plans always use the same
 * memory. Each plan transforms its own multiple of the same input, so that no plan's output can
 * stand in for another's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/harness.h"
#include "tests/mpi/problems.h"

enum { PLANS = 3 };

/* Between slabs of one axis and slabs of another; `uneven`: later ranks hold more. */
typedef struct {
    const char *name;
    int kind[3], axis[2];
    bool uneven;
} transform;

static const transform transforms[] = {
    {"cosines", {FFTW_REDFT10, FFTW_REDFT10, WEFT_DFT_R2C}, {2, 2}, false},
    {"uneven cosines", {FFTW_REDFT10, FFTW_REDFT10, WEFT_DFT_R2C}, {2, 2}, true},
    {"natural order", {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD}, {0, 0}, true},
};
enum { TRANSFORMS = sizeof transforms / sizeof *transforms };

/* How runs overlap: letters start plans, the same letters as capitals finish them; '!' runs plan c
 * as a whole; NULL: weft_execute_many. */
static const char *const orders[] = {NULL,     "abcABC", "abcCBA", "abcBCA",
                                     "abAcCB", "ab!AB",  "ab!BA",  "a!bB!A"};
enum { ORDERS = sizeof orders / sizeof *orders };

typedef struct {
    problem it;
    trial run;
} flight;

static ptrdiff_t begin_of(const transform *of, ptrdiff_t size, int process)
{
    const int shares = of->uneven ? ranks * (ranks + 1) / 2 : ranks,
              before = of->uneven ? process * (process + 1) / 2 : process;
    return size * before / shares;
}

static weft_distribution slabs(const transform *of, int side, arrays_part *part)
{
    const bool real = of->kind[2] == WEFT_DFT_R2C && side == 0;
    *part = (arrays_part){.rank = 3, .order = {0, 1, 2}, .tuple = real ? 1 : 2};
    for (int axis = 0; axis < 3; axis++)
        part->length[axis] = part->count[axis] = 8;
    if (of->kind[2] == WEFT_DFT_R2C && side == 1)
        part->length[2] = part->count[2] = 5;
    const int axis = of->axis[side];
    part->start[axis] = begin_of(of, part->length[axis], rank);
    part->count[axis] = begin_of(of, part->length[axis], rank + 1) - part->start[axis];
    memcpy(part->stored, part->count, sizeof part->stored);
    return WEFT(distribution_boxes)(MPI_COMM_WORLD, 3, part->length, part->start, part->count);
}

/* `shared`: the arrays lie in memory that the ranks share. */
static void prepare(flight *my, const transform *of, bool shared, int multiple)
{
    problem *it = &my->it;
    *my = (flight){.it = {.sort = BETWEEN}};
    it->between.it = (grids_case){.rank = 3, .n = {8, 8, 8}, .howmany = 1, .flags = FFTW_ESTIMATE};
    memcpy(it->between.it.kind, of->kind, sizeof of->kind);
    problem_compute(it, (weft_real)multiple);
    for (int s = 0; s < 2; s++) {
        arrays_part part;
        it->made[s] = slabs(of, s, &part);
        it->side[s] = arrays_map_of(&part);
        it->numbers = it->side[s].slots > it->numbers ? it->side[s].slots : it->numbers;
    }
    weft_real *array[2];
    for (int s = 0; s < 2; s++)
        array[s] =
            shared ? arrays_shared(it->numbers, MPI_COMM_WORLD) : arrays_fresh(it->numbers, 0);
    my->run = (trial){.of = it, .in = array[0], .out = array[1], .others = true};
    my->run.plan = problem_plan(it, array[0], array[1], MPI_COMM_WORLD);
}

static void give_back(flight *my)
{
    if (my->run.plan)
        FFTW(destroy_plan)(my->run.plan);
    arrays_free(my->run.out, 0);
    arrays_free(my->run.in, 0);
    problem_free(&my->it);
}

static bool run(flight *of, const char *order)
{
    FFTW(plan) plan[PLANS];
    void *in[PLANS], *out[PLANS];
    bool ok = true;
    for (int i = 0; i < PLANS; i++) {
        of[i].run.text[0] = '\0';
        trial_fill(&of[i].run);
        plan[i] = of[i].run.plan;
        in[i] = of[i].run.in;
        out[i] = of[i].run.out;
    }
    if (!order)
        return WEFT(execute_many)(PLANS, plan, in, out);
    for (; *order; order++) {
        const int lower = *order - 'a', upper = *order - 'A';
        if (*order == '!')
            FFTW(execute)(plan[2]);
        else if (lower >= 0)
            ok = WEFT(execute_start)(plan[lower], in[lower], out[lower]) && ok;
        else
            ok = WEFT(execute_finish)(plan[upper]) && ok;
    }
    return ok;
}

/* What is wrong with the first plan whose result is wrong; "": all are right. */
static const char *wrong(flight *of)
{
    const char *text = "";
    for (int i = PLANS - 1; i >= 0; i--) {
        trial_check(&of[i].run);
        text = of[i].run.text[0] ? of[i].run.text : text;
    }
    return text;
}

/* Where a backend is used: for every exchange, or for one between others through shared memory. */
static const char *const uses[] = {"%s", "shared,%s,shared,shared", "shared,shared,%s,shared"};
enum { USES = sizeof uses / sizeof *uses };

/* Bits of `shared`: which of the plans have arrays in memory that ranks share. */
static void check(int first, const char *backend, unsigned shared)
{
    flight of[PLANS];
    setenv("WEFT_BACKEND", backend, 1);
    for (int i = 0; i < PLANS; i++) {
        const transform *its = &transforms[i < 2 ? first : (first + 1) % TRANSFORMS];
        prepare(&of[i], its, shared >> i & 1, i + 1);
        all_true(of[i].run.plan, "%s, %s: %s", its->name, backend, WEFT(last_error)());
    }
    unsetenv("WEFT_BACKEND");
    for (int i = 0; i < ORDERS; i++) {
        const bool ran = run(of, orders[i]);
        const char *text = ran ? wrong(of) : WEFT(last_error)();
        all_true(ran && !*text, "%s, %s, arrays shared %u, order %s: %s", transforms[first].name,
                 backend, shared, orders[i] ? orders[i] : "many", text);
    }
    for (int i = 0; i < PLANS; i++)
        give_back(&of[i]);
}

START_TEST(plans_in_flight_do_not_disturb_each_other)
{
    const unsigned every = (1 << PLANS) - 1;
    for (int first = ranks > 3 ? _i % TRANSFORMS : 0;
         first<TRANSFORMS; first += ranks> 3 ? TRANSFORMS : 1)
        for (int use = 0; use < USES; use++) {
            char backends[100];
            snprintf(backends, sizeof backends, uses[use], backend_for_all(_i));
            check(first, backends, use ? every : (unsigned)_i & every);
        }
}
END_TEST

/* To destroy a plan in flight finishes its run. */
START_TEST(a_plan_in_flight_may_be_destroyed)
{
    for (int use = 0; use < USES; use++) {
        flight of[PLANS];
        char backends[100];
        snprintf(backends, sizeof backends, uses[use], backend_for_all(_i));
        setenv("WEFT_BACKEND", backends, 1);
        for (int i = 0; i < PLANS; i++)
            prepare(&of[i], &transforms[i], i % 2, i + 1);
        unsetenv("WEFT_BACKEND");
        bool ran = run(of, "abc");
        for (int i = PLANS - 1; i >= 0; i--) {
            FFTW(destroy_plan)(of[i].run.plan);
            of[i].run.plan = NULL;
        }
        const char *text = ran ? wrong(of) : WEFT(last_error)();
        all_true(ran && !*text, "%s: %s", backends, text);
        for (int i = 0; i < PLANS; i++)
            give_back(&of[i]);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("in flight");
    TCase *tests = tcase_create("plans");
    tcase_add_loop_test(tests, plans_in_flight_do_not_disturb_each_other, 0, backends_for_all());
    tcase_add_loop_test(tests, a_plan_in_flight_may_be_destroyed, 0, backends_for_all());
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
