/* SPDX-License-Identifier: BSD-3-Clause */
/* The ground that tests stand on: each precision's names, and MPI left alone. */
#include <mpi.h>
#include "kernels/base/precision.h"
#include "tests/unit/harness.h"

START_TEST(unit_tests_run_without_mpi)
{
    int initialized = 1;
    MPI_Initialized(&initialized);
    ck_assert_int_eq(initialized, 0);
}
END_TEST

START_TEST(precision_names_the_type)
{
    ck_assert_uint_eq(sizeof(weft_complex), sizeof(FFTW(complex)));
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("harness");
    TCase *tests = tcase_create("ground");
    tcase_add_test(tests, unit_tests_run_without_mpi);
    tcase_add_test(tests, precision_names_the_type);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
