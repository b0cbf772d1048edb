/* SPDX-License-Identifier: BSD-3-Clause */
/* The ground that MPI tests stand on: as many ranks as asked for, and assertions that fail
 * together. */
#include "tests/mpi/harness.h"

START_TEST(ranks_see_one_another)
{
    int sum;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    all_true(sum == ranks * (ranks - 1) / 2, "sum of ranks is %d of %d ranks", sum, ranks);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("harness");
    TCase *tests = tcase_create("ground");
    tcase_add_test(tests, ranks_see_one_another);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
