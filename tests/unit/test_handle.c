/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles in the hands of libfftw3: what it executes, prints, counts and destroys is a plan of this
 * test's, which stands in for the planner's.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "planner/handle.h"
#include "tests/unit/harness.h"

/* The plan, and what became of it. */
static weft_plan plan_given;
static struct {
    int runs, destroyed;
    bool adds; /* to the first number */
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

void weft_plan_start(weft_plan *plan, void *in, void *out)
{
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

weft_operations weft_plan_operations(const weft_plan *plan)
{
    (void)plan;
    return (weft_operations){.adds = 3, .muls = 5, .fmas = 7, .other = 11, .cost = 13};
}

void weft_plan_destroy(weft_plan *plan)
{
    stand_in.destroyed += plan == &plan_given;
}

static _Alignas(64) weft_real in[8], out[8];

/* Of one axis on one rank, which holds so many real numbers before and after. */
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
    FFTW(plan) made = weft_handle_create(&plan_given, problem);
    ck_assert_ptr_nonnull(made);
    return made;
}

static FFTW(plan) handle(void)
{
    const weft_problem problem = problem_of(4, 4);
    return handle_of(&problem);
}

/* Of complex numbers, or of such on one side. */
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

/* The output may have no room for the input. */
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

/* Where FFTW minds: not in long double. */
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

/* What libfftw3 finds at an offset. */
static size_t size_at(const void *at, size_t offset)
{
    size_t value;
    memcpy(&value, (const char *)at + offset, sizeof value);
    return value;
}

static int int_at(const void *at, size_t offset)
{
    int value;
    memcpy(&value, (const char *)at + offset, sizeof value);
    return value;
}

static double double_at(const void *at, size_t offset)
{
    double value;
    memcpy(&value, (const char *)at + offset, sizeof value);
    return value;
}

static void *pointer_at(const void *at, size_t offset)
{
    void *value;
    memcpy(&value, (const char *)at + offset, sizeof value);
    return value;
}

/* The functions of a plan and its table. */
typedef void solve_function(const void *plan, const void *problem);
typedef void awake_function(void *plan, int wakefulness);
typedef void destroy_function(void *plan);
typedef void apply_function(const void *plan, void *in, void *out, void *none, void *nothing);

static void function_at(const void *at, size_t offset, void *function)
{
    memcpy(function, (const char *)at + offset, sizeof(solve_function *));
}

/* The offsets of 64-bit machines, which are those that FFTW's layouts are known for. */
enum { PROBLEM = 8, COUNT = 16, SIGN_OF_3_3_11 = 24, SIZE = 32 };
enum { ADDS = 8, MULS = 16, FMAS = 24, OTHER = 32, COST = 40, APPLY = 56 };
enum { SOLVE_OF = 0, AWAKE_OF = 8, DESTROY_OF = 24, DESTROY_PROBLEM_OF = 32 };

TEST(the_bytes_of_a_handle_serve_3_3_10_and_3_3_11)
{
    if (sizeof(void *) != 8)
        return;
    FFTW(plan) handle_at = handle();
    char handle_bytes[SIZE];
    memcpy(handle_bytes, handle_at, SIZE); /* it has that many */
    const void *plan = pointer_at(handle_bytes, 0), *table = pointer_at(plan, 0);
    ck_assert_ptr_nonnull(pointer_at(handle_bytes, PROBLEM));
    for (size_t i = 1; i <= 4; i++)
        ck_assert_ptr_nonnull(pointer_at(pointer_at(pointer_at(handle_bytes, PROBLEM), 0), 8 * i));
    ck_assert_uint_eq(size_at(handle_bytes, COUNT), 1);
    /* In 3.3.10 the first half of the count is the sign. Signs only say which part of complex
     * numbers comes first, and both orders are understood: any value will do. */
    ck_assert_int_eq(int_at(handle_bytes, SIGN_OF_3_3_11), 0);
    ck_assert(double_at(plan, ADDS) == 3 && double_at(plan, MULS) == 5);
    ck_assert(double_at(plan, FMAS) == 7 && double_at(plan, OTHER) == 11);
    ck_assert(double_at(plan, COST) == 13);
    for (size_t i = 0; i < 4; i++)
        ck_assert_ptr_nonnull(pointer_at(table, 8 * i));

    _Alignas(64) weft_real other_in[4], other_out[4];
    solve_function *solve;
    apply_function *apply;
    function_at(table, SOLVE_OF, &solve);
    solve(plan, NULL);
    ck_assert(stand_in.runs == 1 && stand_in.in == in && stand_in.out == out);
    function_at(plan, APPLY, &apply);
    apply(plan, other_in, other_out, NULL, NULL);
    ck_assert(stand_in.runs == 2 && stand_in.in == other_in && stand_in.out == other_out);
    FFTW(destroy_plan)(handle_at);
}

/* As 3.3.11 destroys: only the last reference to go ends the plan. */
static void destroy_as_3_3_11(void *handle_at)
{
    size_t count = size_at(handle_at, COUNT) - 1;
    memcpy((char *)handle_at + COUNT, &count, sizeof count);
    if (count > 0)
        return;
    void *plan = pointer_at(handle_at, 0);
    const void *table = pointer_at(plan, 0);
    awake_function *awake;
    destroy_function *destroy;
    function_at(table, AWAKE_OF, &awake);
    function_at(table, DESTROY_OF, &destroy);
    awake(plan, 0);
    destroy(plan);
    FFTW(free)(plan);
    void *problem = pointer_at(handle_at, PROBLEM);
    function_at(pointer_at(problem, 0), DESTROY_PROBLEM_OF, &destroy);
    destroy(problem);
    FFTW(free)(handle_at);
}

TEST(handles_are_counted_as_3_3_11_does)
{
    if (sizeof(void *) != 8)
        return;
    FFTW(plan) plan = handle();
    size_t two = 2; /* a copy was made */
    memcpy((char *)plan + COUNT, &two, sizeof two);
    destroy_as_3_3_11(plan);
    ck_assert_int_eq(stand_in.destroyed, 0);
    FFTW(execute)(plan);
    ck_assert_int_eq(stand_in.runs, 1);
    destroy_as_3_3_11(plan);
    ck_assert_int_eq(stand_in.destroyed, 1);
}
