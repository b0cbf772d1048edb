/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan that was refused shared memory does not ask for it again, and is right without. */
#include <string.h>
#include "api/fftw3-mpi.h"
#include "api/weft.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/segments.h"

START_TEST(a_plan_that_was_refused_memory_does_not_ask_again)
{
    static const unsigned rigor[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT};
    enum { N = 30 };
    static fftw_complex array[N * N * N];
    fftw_forget_wisdom();
    weft_forget_wisdom();
    segments_asked = 0;
    segments_refused = true;
    MPI_Comm other; /* whose window nobody has opened */
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
    fftw_plan plan = fftw_mpi_plan_dft_3d(N, N, N, array, array, other, FFTW_FORWARD, rigor[_i]);
    segments_refused = false;
    all_true(plan, "there is no plan");
    all_true(segments_asked <= 1, "it asked %d times", segments_asked);
    memset(array, 0, sizeof array);
    if (rank == ranks - 1)
        array[0][0] = 1;
    fftw_execute(plan);
    ptrdiff_t mine, start;
    fftw_mpi_local_size_3d(N, N, N, other, &mine, &start);
    int wrong = 0;
    for (ptrdiff_t i = 0; i < mine * N * N; i++)
        wrong += array[i][0] != 1 || array[i][1] != 0;
    all_true(wrong == 0, "%d numbers are wrong", wrong);
    fftw_destroy_plan(plan);
    MPI_Comm_free(&other);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("shortage");
    TCase *tests = tcase_create("windows");
    tcase_add_loop_test(tests, a_plan_that_was_refused_memory_does_not_ask_again, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
