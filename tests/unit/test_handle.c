/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles in libfftw3, which executes, counts and destroys a plan of this test instead of the
 * planner's.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "planner/handle.h"
#include "tests/unit/harness.h"

/* The plan, and the calls that it got. */
static weft_schedule schedule = {.flops = 3};
static weft_plan plan_given = {.schedule = &schedule, .seconds = 13};
static struct {
    int runs, destroyed;
    void *in, *out;
} stand_in;

void weft_plan_run(weft_plan *plan, void *in, void *out)
{
    stand_in.runs += plan == &plan_given;
    stand_in.in = in;
    stand_in.out = out;
}

void weft_plan_start(weft_plan *plan, void *in, void *out, bool stops)
{
    (void)stops;
    weft_plan_run(plan, in, out);
}

bool weft_plan_is_too_late(const weft_plan *plan)
{
    (void)plan;
    return false;
}

bool weft_plan_test(const weft_plan *plan)
{
    return plan != NULL;
}

void weft_plan_finish(weft_plan *plan)
{
    (void)plan;
}

void weft_plan_destroy(weft_plan *plan)
{
    stand_in.destroyed += plan == &plan_given;
}

static _Alignas(64) weft_real in[8], out[8];

/* Makes a handle of a problem of one axis on one rank, real or with complex numbers on one side or
 * both. */
static FFTW(plan) handle_of(weft_kind kind)
{
    const ptrdiff_t numbers = kind == WEFT_KEEP ? 4 : 2;
    weft_problem problem = {.axes = 1, .kind = {kind}, .ranks = 1, .in = in, .out = out};
    weft_set_numbers(&problem);
    weft_layout_init(&problem.from.layout, 1, &numbers, 1);
    weft_layout_init(&problem.to.layout, 1, &numbers, 1);
    memset(&stand_in, 0, sizeof stand_in);
    plan_given.problem = problem;
    FFTW(plan) made = weft_handle_create(&plan_given);
    ck_assert_ptr_nonnull(made);
    return made;
}

TEST(execute_dft_r2c_of_another_plan_ends_the_program, .signal = SIGABRT, .to = 2)
{
    _Alignas(64) FFTW(complex) other[2];
    FFTW(execute_dft_r2c)(handle_of(_i ? WEFT_KEEP : WEFT_BACKWARD), in, other);
}

/* The layout of a handle in libfftw3 3.3.10 and 3.3.11, on 64-bit machines, whose layouts are
 * known. In 3.3.10 the first half of the count is the sign. The sign only says which part of
 * complex numbers comes first; Weft understands both orders, so any value is right. */
typedef struct {
    void (*solve)(const void *plan, const void *problem);
    void (*awake)(void *plan, int wakefulness);
    void (*print)(void);
    void (*destroy)(void *plan);
} their_table;
typedef struct {
    const their_table *table;
    double adds, muls, fmas, other, cost;
    double more;
    void (*apply)(const void *plan, void *in, void *out, void *none, void *nothing);
} their_plan;
typedef struct {
    void (*function[4])(void);
    void (*destroy)(void *problem);
} their_problem_table;
typedef struct {
    their_plan *plan;
    const their_problem_table **problem;
    size_t count;
    int sign_of_3_3_11, rest;
} their_handle;

#define ON_64_BITS .from = sizeof(void *) != 8

TEST(the_bytes_of_a_handle_serve_3_3_10_and_3_3_11, ON_64_BITS)
{
    FFTW(plan) handle_at = handle_of(WEFT_KEEP);
    their_handle bytes;
    memcpy(&bytes, handle_at, sizeof bytes); /* the copy has this size */
    const their_plan *plan = bytes.plan;
    for (int i = 1; i < 4; i++)
        ck_assert((*bytes.problem)->function[i]);
    ck_assert((*bytes.problem)->destroy && plan->table->solve && plan->table->awake);
    ck_assert(plan->table->print && plan->table->destroy);
    ck_assert_uint_eq(bytes.count, 1);
    ck_assert_int_eq(bytes.sign_of_3_3_11, 0);
    ck_assert(plan->adds == 3 && plan->muls == 0 && plan->fmas == 0);
    ck_assert(plan->other == 0 && plan->cost == 13);

    _Alignas(64) weft_real other_in[4], other_out[4];
    plan->table->solve(plan, NULL);
    ck_assert(stand_in.runs == 1 && stand_in.in == in && stand_in.out == out);
    plan->apply(plan, other_in, other_out, NULL, NULL);
    ck_assert(stand_in.runs == 2 && stand_in.in == other_in && stand_in.out == other_out);
    FFTW(destroy_plan)(handle_at);
}

/* Destroys like 3.3.11: only the last reference ends the plan. */
static void destroy_as_3_3_11(void *handle_at)
{
    their_handle bytes;
    memcpy(&bytes, handle_at, sizeof bytes);
    bytes.count--;
    memcpy(handle_at, &bytes, sizeof bytes);
    if (bytes.count > 0)
        return;
    bytes.plan->table->awake(bytes.plan, 0);
    bytes.plan->table->destroy(bytes.plan);
    FFTW(free)(bytes.plan);
    (*bytes.problem)->destroy(bytes.problem);
    FFTW(free)(handle_at);
}

TEST(handles_are_counted_as_3_3_11_does, ON_64_BITS)
{
    FFTW(plan) plan = handle_of(WEFT_KEEP);
    their_handle copied;
    memcpy(&copied, plan, sizeof copied);
    copied.count = 2; /* like a copy */
    memcpy(plan, &copied, sizeof copied);
    destroy_as_3_3_11(plan);
    ck_assert_int_eq(stand_in.destroyed, 0);
    FFTW(execute)(plan);
    ck_assert_int_eq(stand_in.runs, 1);
    destroy_as_3_3_11(plan);
    ck_assert_int_eq(stand_in.destroyed, 1);
}
