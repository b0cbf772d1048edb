/* SPDX-License-Identifier: BSD-3-Clause */
/* What every unit test program does in main. */
#include <stdlib.h>
#include "tests/unit/harness.h"

int run_unit(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
