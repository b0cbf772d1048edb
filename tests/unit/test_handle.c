/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles in the hands of libfftw3: what it executes, prints, counts and destroys is a plan of this
 * test's, which stands in for the planner's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "handle.h"
#include "unit/harness.h"

struct WEFT(plan) {
    int runs, destroyed;
    void *in, *out;
};

void WEFT(plan_run)(WEFT(plan) * plan, void *in, void *out)
{
    plan->runs++;
    plan->in = in;
    plan->out = out;
}

void WEFT(plan_print)(const WEFT(plan) * plan, void (*print)(void *, const char *), void *printer)
{
    (void)plan;
    print(printer, "(stand-in 100%d");
    print(printer, " (pass))");
}

weft_cost WEFT(plan_cost)(const WEFT(plan) * plan)
{
    (void)plan;
    return (weft_cost){.adds = 3, .muls = 5, .fmas = 7, .other = 11, .cost = 13};
}

void WEFT(plan_destroy)(WEFT(plan) * plan)
{
    plan->destroyed++;
}

static WEFT(plan) stand_in;
static weft_real in[4], out[4];

static FFTW(plan) handle_of(void *first, void *second, bool in_place, size_t copied)
{
    stand_in = (WEFT(plan)){0};
    FFTW(plan) made = WEFT(handle_create)(&stand_in, first, second, in_place, copied);
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
    ck_assert_ptr_eq(WEFT(handle_plan)(plan), &stand_in);
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
    ck_assert_ptr_null(WEFT(handle_plan)(serial));
    ck_assert_ptr_null(WEFT(handle_plan)(NULL));
    ck_assert(!WEFT(handle_run)(serial, array, array));
    FFTW(destroy_plan)(serial);
    FFTW(free)(array);
    FFTW(cleanup)();
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
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
