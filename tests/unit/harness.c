/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of tests of one process; mpi/harness.c has `main`. */
#include <stdlib.h>
#include "tests/unit/harness.h"

static Suite *suite;

/* The case of a test, in the suite of the program. */
TCase *unit_case(const char *file, unit_options *options)
{
    TCase *its = tcase_create(options->name);
    if (!suite)
        suite = suite_create(file);
    if (options->to == 0)
        options->to = 1;
    if (!getenv("CK_DEFAULT_TIMEOUT"))
        tcase_set_timeout(its, 100);
    tcase_add_checked_fixture(its, options->setup, options->teardown);
    suite_add_tcase(suite, its);
    return its;
}

int unit_run(void)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
