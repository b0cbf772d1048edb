/* SPDX-License-Identifier: BSD-3-Clause */
/* A redistribution whose blocks differ in their strides alone. (test_random compares results of all
 * sorts of redistributions; test_bad has what is refused.) */
#include <stdlib.h>
#include "kernels/base/precision.h"
#include "api/weft.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/twins.h"
#include "tests/mpi/variants.h"

/* Of 3 x 4 x 2 numbers rank 1 gets a column and rank 2 as long a row, so that blocks that are sent
 * differ in their steps alone; below them lie the second plane and, with rank 0, all the rest:
 *
 *     1 2 2 2
 *     1 0 0 0
 *     1 0 0 0
 */
START_TEST(a_column_and_a_row_are_not_alike)
{
    static const char *const backends[] = {"waitall", "waitsome", "pairwise", "alltoallv"};
    const ptrdiff_t n[3] = {3, 4, 2}, zero[3] = {0};
    const ptrdiff_t start[3][6] = {{1, 1, 0, 0, 0, 1}, {0}, {0, 1}},
                    count[3][6] = {{2, 3, 1, 3, 4, 1}, {3, 1, 1}, {1, 3, 1}};
    const int boxes = rank == 0 ? 2 : rank < 3, own = rank == 1 || rank == 2 ? 3 : 0;
    weft_real in[24], out[24];
    if (ranks < 3)
        return;
    weft_distribution from = WEFT(distribution_boxes)(MPI_COMM_WORLD, 3, n, zero, rank ? zero : n),
                      to = WEFT(distribution_many_boxes)(MPI_COMM_WORLD, 3, n, boxes,
                                                         start[rank % 3], count[rank % 3]);
    twins_add(in, sizeof in);
    twins_add(out, sizeof out);
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
        int right = 0;
        setenv("WEFT_BACKEND", twin_backend(backends[b]), 1);
        FFTW(plan)
        plan = WEFT(plan_redistribute)(from, to, 1, twin_of(in), twin_of(out), FFTW_ESTIMATE);
        unsetenv("WEFT_BACKEND");
        all_true(plan, "no plan with %s: %s", backends[b], WEFT(last_error)());
        for (int i = 0; i < 24; i++) {
            in[i] = (weft_real)i;
            out[i] = -1;
        }
        twin_push(in);
        twin_push(out);
        FFTW(execute)(plan);
        twin_pull(out);
        for (int i = 0; i < own; i++)
            right += out[i] == (weft_real)(rank == 1 ? 8 * i : 2 * i + 2);
        all_true(right == own, "%d of %d are right with %s", right, own, backends[b]);
        FFTW(destroy_plan)(plan);
    }
    twins_drop(in);
    twins_drop(out);
    WEFT(distribution_free)(from);
    WEFT(distribution_free)(to);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("distributions " WEFT_PRECISION);
    TCase *tests = tcase_create("distributions");
    tcase_add_test(tests, a_column_and_a_row_are_not_alike);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    variant_begin(&argc, &argv);
    return run_mpi(&argc, &argv, suite);
}
