/* SPDX-License-Identifier: BSD-3-Clause */
/* Random problems from a fixed seed: kinds, sizes, blocks, flags, howmany; half of them in place.
 */
#include "api/fftw3-mpi.h"
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"

/* Of more ranks than that, which mostly wait for a core, fewer. */
enum { PROBLEMS = 500, GROUP = 25, MANY = 4, OF_MANY = 200 };

START_TEST(random_problems)
{
    unsigned state = 20240229u + (unsigned)_i;
    for (int i = 0; i < GROUP; i++) {
        dropin_case it;
        dropin_any(&it, &state, MPI_COMM_WORLD);
        dropin_check(&it, MPI_COMM_WORLD);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("random " WEFT_PRECISION);
    TCase *tests = tcase_create("against serial FFTW");
    tcase_add_loop_test(tests, random_problems, 0, (ranks > MANY ? OF_MANY : PROBLEMS) / GROUP);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
