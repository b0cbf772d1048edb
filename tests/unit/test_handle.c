/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles in the hands of libfftw3: what it executes, prints, counts and destroys is a plan of this
 * test's, which stands in for the planner's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "planner/handle.h"
#include "tests/unit/harness.h"

/* The plan, and what became of it. */
static weft_plan plan_given;
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

static weft_real in[4], out[4];

static FFTW(plan) handle_of(void *first, void *second, bool in_place, size_t copied)
{
    memset(&stand_in, 0, sizeof stand_in);
    FFTW(plan) made = weft_handle_create(&plan_given, first, second, in_place, copied);
    ck_assert_ptr_nonnull(made);
    return made;
}

static FFTW(plan) handle(void)
{
    return handle_of(in, out, false, 0);
}

START_TEST(execute_runs_the_plan_on_the_arrays_of_planning)
{
    FFTW(plan) plan = handle();
    FFTW(execute)(plan);
    FFTW(execute)(plan);
    ck_assert_int_eq(stand_in.runs, 2);
    ck_assert_ptr_eq(stand_in.in, in);
    ck_assert_ptr_eq(stand_in.out, out);
    FFTW(destroy_plan)(plan);
}
END_TEST

START_TEST(execute_r2r_runs_it_on_other_arrays)
{
    weft_real other_in[4], other_out[4];
    FFTW(plan) plan = handle();
    FFTW(execute_r2r)(plan, other_in, other_out);
    ck_assert_int_eq(stand_in.runs, 1);
    ck_assert_ptr_eq(stand_in.in, other_in);
    ck_assert_ptr_eq(stand_in.out, other_out);
    FFTW(destroy_plan)(plan);
}
END_TEST

START_TEST(in_place_the_only_array_is_both)
{
    FFTW(plan) plan = handle_of(in, NULL, true, 0);
    FFTW(execute)(plan);
    ck_assert(stand_in.in == in && stand_in.out == in);
    FFTW(destroy_plan)(plan);
    plan = handle_of(NULL, out, true, 0);
    FFTW(execute)(plan);
    ck_assert(stand_in.in == out && stand_in.out == out);
    FFTW(destroy_plan)(plan);
}
END_TEST

START_TEST(a_rank_out_of_place_among_others_in_place_copies_first)
{
    for (int i = 0; i < 4; i++) {
        in[i] = (weft_real)(i + 1);
        out[i] = 0;
    }
    FFTW(plan) plan = handle_of(in, out, true, 3 * sizeof in[0]);
    FFTW(execute)(plan);
    ck_assert(stand_in.in == out && stand_in.out == out);
    ck_assert(out[2] == 3 && out[3] == 0 && in[2] == 3);
    FFTW(destroy_plan)(plan);
}
END_TEST

START_TEST(destroy_destroys_the_plan_once)
{
    FFTW(plan) plan = handle();
    ck_assert_ptr_eq(weft_handle_plan(plan), &plan_given);
    FFTW(destroy_plan)(plan);
    ck_assert_int_eq(stand_in.destroyed, 1);
    ck_assert_int_eq(stand_in.runs, 0);
}
END_TEST

START_TEST(plans_print_through_the_printers_of_libfftw3)
{
    FFTW(plan) plan = handle();
    char *text = FFTW(sprint_plan)(plan);
    ck_assert_str_eq(text, "(stand-in 100%d (pass))");
    free(text);
    FILE *file = tmpfile();
    char line[64] = "";
    FFTW(fprint_plan)(plan, file);
    rewind(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    ck_assert_ptr_nonnull(strstr(line, "(stand-in 100%d (pass))"));
    fclose(file);
    FFTW(destroy_plan)(plan);
}
END_TEST

START_TEST(operations_and_cost_are_counted)
{
    double adds, muls, fmas;
    FFTW(plan) plan = handle();
    FFTW(flops)(plan, &adds, &muls, &fmas);
    ck_assert(adds == 3 && muls == 5 && fmas == 7);
    ck_assert(FFTW(cost)(plan) == 13);
    /* FFTW's model: additions, multiplications, and what else there is, fused ones twice. */
    ck_assert(FFTW(estimate_cost)(plan) >= 3 + 5 + 2 * 7);
    FFTW(destroy_plan)(plan);
}
END_TEST

START_TEST(plans_of_libfftw3_are_told_apart)
{
    weft_complex *array = FFTW(malloc)(8 * sizeof *array);
    FFTW(plan)
    serial = FFTW(plan_dft_1d)(8, (FFTW(complex) *)array, (FFTW(complex) *)array, FFTW_FORWARD,
                               FFTW_ESTIMATE);
    ck_assert_ptr_null(weft_handle_plan(serial));
    ck_assert_ptr_null(weft_handle_plan(NULL));
    ck_assert(!weft_handle_run(serial, array, array));
    FFTW(destroy_plan)(serial);
    FFTW(free)(array);
    FFTW(cleanup)();
}
END_TEST

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
typedef void apply_function(const void *plan, void *in, void *out);

static void function_at(const void *at, size_t offset, void *function)
{
    memcpy(function, (const char *)at + offset, sizeof(solve_function *));
}

/* The offsets of 64-bit machines, which are those that FFTW's layouts are known for. */
enum { PROBLEM = 8, COUNT = 16, SIGN_OF_3_3_10 = 16, SIGN_OF_3_3_11 = 24, SIZE = 32 };
enum { ADDS = 8, MULS = 16, FMAS = 24, OTHER = 32, COST = 40, APPLY = 56 };
enum { SOLVE_OF = 0, AWAKE_OF = 8, DESTROY_OF = 24 };

START_TEST(the_bytes_of_a_handle_serve_3_3_10_and_3_3_11)
{
    if (sizeof(void *) != 8)
        return;
    FFTW(plan) handle_at = handle();
    char handle_bytes[SIZE];
    memcpy(handle_bytes, handle_at, SIZE); /* it has that many */
    const void *plan = pointer_at(handle_bytes, 0), *table = pointer_at(plan, 0);
    ck_assert_ptr_null(pointer_at(handle_bytes, PROBLEM));
    ck_assert_uint_eq(size_at(handle_bytes, COUNT), 1);
    /* Signs only say which part of complex arrays comes first, in functions that MPI plans are not
     * for: any value will do, but it must not be the count's other half. */
    ck_assert_int_eq(int_at(handle_bytes, SIGN_OF_3_3_10), 1);
    ck_assert_int_eq(int_at(handle_bytes, SIGN_OF_3_3_11), 0);
    ck_assert(double_at(plan, ADDS) == 3 && double_at(plan, MULS) == 5);
    ck_assert(double_at(plan, FMAS) == 7 && double_at(plan, OTHER) == 11);
    ck_assert(double_at(plan, COST) == 13);
    for (size_t i = 0; i < 4; i++)
        ck_assert_ptr_nonnull(pointer_at(table, 8 * i));

    weft_real other_in[4], other_out[4];
    solve_function *solve;
    apply_function *apply;
    function_at(table, SOLVE_OF, &solve);
    solve(plan, NULL);
    ck_assert(stand_in.runs == 1 && stand_in.in == in && stand_in.out == out);
    function_at(plan, APPLY, &apply);
    apply(plan, other_in, other_out);
    ck_assert(stand_in.runs == 2 && stand_in.in == other_in && stand_in.out == other_out);
    FFTW(destroy_plan)(handle_at);
}
END_TEST

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
    FFTW(free)(pointer_at(handle_at, PROBLEM));
    FFTW(free)(handle_at);
}

START_TEST(handles_are_counted_as_3_3_11_does)
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
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("handle");
    TCase *tests = tcase_create(WEFT_PRECISION);
    tcase_add_test(tests, execute_runs_the_plan_on_the_arrays_of_planning);
    tcase_add_test(tests, execute_r2r_runs_it_on_other_arrays);
    tcase_add_test(tests, in_place_the_only_array_is_both);
    tcase_add_test(tests, a_rank_out_of_place_among_others_in_place_copies_first);
    tcase_add_test(tests, destroy_destroys_the_plan_once);
    tcase_add_test(tests, plans_print_through_the_printers_of_libfftw3);
    tcase_add_test(tests, operations_and_cost_are_counted);
    tcase_add_test(tests, plans_of_libfftw3_are_told_apart);
    tcase_add_test(tests, the_bytes_of_a_handle_serve_3_3_10_and_3_3_11);
    tcase_add_test(tests, handles_are_counted_as_3_3_11_does);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
