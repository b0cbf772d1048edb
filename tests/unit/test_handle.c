/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles in libfftw3, which executes, prints, counts and destroys a plan of this test instead of
 * the planner's.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "planner/handle.h"
#include "tests/unit/harness.h"

/* The plan, and the calls that it got. */
static weft_plan plan_given;
static struct {
    int runs, destroyed;
    bool adds; /* adds 1 to the first number */
    void *in, *out;
} stand_in;

void weft_plan_run(weft_plan *plan, void *in, void *out)
{
    stand_in.runs += plan == &plan_given;
    stand_in.in = in;
    stand_in.out = out;
    if (stand_in.adds)
        *(weft_real *)out = *(weft_real *)in + 1;
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

void weft_plan_print(const weft_plan *plan, void (*print)(void *, const char *), void *printer)
{
    (void)plan;
    print(printer, "(stand-in 100%d");
    print(printer, " (pass))");
}

double weft_plan_operations(const weft_plan *plan, double *cost)
{
    (void)plan;
    *cost = 13;
    return 3;
}

void weft_plan_destroy(weft_plan *plan)
{
    stand_in.destroyed += plan == &plan_given;
}

static _Alignas(64) weft_real in[8], out[8];

/* Returns a problem of one axis on one rank with these numbers of real numbers before and after. */
static weft_problem problem_of(ptrdiff_t before, ptrdiff_t after)
{
    weft_problem problem = {.axes = 1, .kind = {WEFT_KEEP}, .real = true, .ranks = 1};
    problem.from.real = problem.to.real = true;
    problem.in = in;
    problem.out = out;
    weft_layout_init(&problem.from.layout, 1, &before, 1);
    weft_layout_init(&problem.to.layout, 1, &after, 1);
    return problem;
}

static FFTW(plan) handle_of(const weft_problem *problem)
{
    memset(&stand_in, 0, sizeof stand_in);
    plan_given.problem = *problem;
    FFTW(plan) made = weft_handle_create(&plan_given);
    ck_assert_ptr_nonnull(made);
    return made;
}

static FFTW(plan) handle(void)
{
    const weft_problem problem = problem_of(4, 4);
    return handle_of(&problem);
}

/* Makes a handle of a transform with complex numbers on both sides, or on one. */
static FFTW(plan) fourier_handle(weft_kind kind)
{
    weft_problem problem = problem_of(2, 2);
    problem.kind[0] = kind;
    problem.real = false;
    problem.from.real = kind == WEFT_R2C;
    problem.to.real = kind == WEFT_C2R;
    return handle_of(&problem);
}

TEST(a_rank_that_holds_one_side_works_in_the_output_or_in_a_copy)
{
    weft_problem problem = problem_of(4, 0);
    problem.in_place = true;
    problem.out = NULL;
    FFTW(plan) plan = handle_of(&problem);
    FFTW(execute)(plan);
    ck_assert(stand_in.in != in && stand_in.out == stand_in.in);
    FFTW(destroy_plan)(plan);
    problem = problem_of(0, 4);
    problem.in_place = true;
    plan = handle_of(&problem);
    FFTW(execute)(plan);
    ck_assert(stand_in.in == out && stand_in.out == out);
    FFTW(destroy_plan)(plan);
}

static void fill(weft_real *array, weft_real first)
{
    for (int i = 0; i < 8; i++)
        array[i] = first + (weft_real)i;
}

/* The output may be too small for the input. */
TEST(a_plan_in_place_works_elsewhere_where_the_output_is_smaller)
{
    weft_problem problem = problem_of(4, 3);
    problem.in_place = true;
    FFTW(plan) plan = handle_of(&problem);
    fill(in, 1);
    fill(out, 11);
    FFTW(execute)(plan);
    ck_assert(stand_in.in == stand_in.out && stand_in.in != in && stand_in.in != out);
    ck_assert(out[2] == 3 && out[3] == 14 && in[3] == 4);
    FFTW(destroy_plan)(plan);
}

/* (In long double FFTW does not need aligned arrays.) */
TEST(a_plan_for_aligned_arrays_runs_on_copies_of_others)
{
    const bool minds = FFTW(alignment_of)(&in[1]) != 0;
    FFTW(plan) plan = handle();
    for (int both = 0; both < 2; both++) {
        weft_real *to = both ? in : out;
        stand_in.adds = true;
        fill(out, 11);
        fill(in, 1);
        FFTW(execute_r2r)(plan, in + 1, to + 1);
        ck_assert(FFTW(alignment_of)(stand_in.in) == 0 && FFTW(alignment_of)(stand_in.out) == 0);
        ck_assert(minds == (stand_in.out != to + 1));
        ck_assert(to[0] == (both ? 1 : 11) && to[1] == 3 && to[2] == (both ? 3 : 13));
        ck_assert(both || in[1] == 2);
    }
    FFTW(execute_r2r)(plan, in, out + 1);
    ck_assert(out[1] == in[0] + 1 && stand_in.in == in);
    FFTW(destroy_plan)(plan);
}

TEST(execute_dft_r2c_of_another_plan_ends_the_program, .signal = SIGABRT, .to = 2)
{
    _Alignas(64) FFTW(complex) other[2];
    FFTW(execute_dft_r2c)(_i ? handle() : fourier_handle(WEFT_BACKWARD), in, other);
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

TEST(the_bytes_of_a_handle_serve_3_3_10_and_3_3_11)
{
    if (sizeof(void *) != 8)
        return;
    FFTW(plan) handle_at = handle();
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

TEST(handles_are_counted_as_3_3_11_does)
{
    if (sizeof(void *) != 8)
        return;
    FFTW(plan) plan = handle();
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
