/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of plans: communicators of all kinds, init and cleanup. */
#include "api/fftw3-mpi.h"
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"

static const dropin_case flat = {.what = DROPIN_C2C,
                                 .entry = DROPIN_SHAPED,
                                 .rank = 2,
                                 .n = {8, 12},
                                 .howmany = 1,
                                 .sign = FFTW_FORWARD,
                                 .flags = FFTW_ESTIMATE};

START_TEST(any_communicator)
{
    MPI_Comm odd_even, reversed, few, copy;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &odd_even);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &few);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm comms[] = {odd_even, reversed, few, copy, MPI_COMM_SELF, MPI_COMM_WORLD};
    for (int i = 0; i < 6; i++)
        for (int in_place = 0; in_place < 2; in_place++) {
            dropin_case it = flat;
            it.in_place = in_place;
            it.flags |= in_place ? FFTW_MPI_TRANSPOSED_OUT : 0;
            dropin_check(&it, comms[i]);
        }
    MPI_Comm_free(&odd_even);
    MPI_Comm_free(&reversed);
    if (few != MPI_COMM_NULL)
        MPI_Comm_free(&few);
    MPI_Comm_free(&copy);
}
END_TEST

/* A row of delta functions: the transform of each is known without another library. */
enum { ROWS = 6, COLUMNS = 10 };

static void delta(FFTW(complex) * array, ptrdiff_t start, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count * COLUMNS; i++) {
        array[i][0] = start * COLUMNS + i == 0;
        array[i][1] = 0;
    }
}

static bool all_ones(FFTW(complex) * array, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count * COLUMNS; i++) {
        weft_real error = array[i][0] - 1;
        if (!(error * error + array[i][1] * array[i][1] < (weft_real)1e-10))
            return false;
    }
    return true;
}

typedef struct {
    MPI_Comm comm;
    ptrdiff_t count, start;
    FFTW(complex) * array;
    FFTW(plan) plan;
} planned;

static planned make(MPI_Comm comm, unsigned flags)
{
    planned it = {.comm = comm};
    ptrdiff_t size = FFTW(mpi_local_size_2d)(ROWS, COLUMNS, comm, &it.count, &it.start);
    it.array = FFTW(alloc_complex)((size_t)size);
    it.plan = FFTW(mpi_plan_dft_2d)(ROWS, COLUMNS, it.array, it.array, comm, FFTW_FORWARD, flags);
    return it;
}

static bool works(planned *it)
{
    if (!it->plan)
        return false;
    delta(it->array, it->start, it->count);
    FFTW(execute)(it->plan);
    return all_ones(it->array, it->count);
}

static void drop(planned *it)
{
    if (it->plan)
        FFTW(destroy_plan)(it->plan);
    FFTW(free)(it->array);
}

START_TEST(init_twice_cleanup_and_init_again)
{
    FFTW(mpi_init)();
    FFTW(mpi_init)();
    planned it = make(MPI_COMM_WORLD, FFTW_ESTIMATE);
    bool before = works(&it);
    drop(&it);
    FFTW(mpi_cleanup)();
    FFTW(mpi_init)();
    it = make(MPI_COMM_WORLD, FFTW_MEASURE);
    bool after = works(&it);
    drop(&it);
    FFTW(mpi_cleanup)();
    all_true(before && after, "wrong numbers %s cleanup", before ? "after" : "before");
    FFTW(mpi_init)();
}
END_TEST

/* In place on some ranks, not on others. */
START_TEST(ranks_may_differ_in_whether_they_are_in_place)
{
    planned it = make(MPI_COMM_WORLD, FFTW_ESTIMATE);
    FFTW(complex) *other = FFTW(alloc_complex)(ROWS * COLUMNS);
    FFTW(complex) *out = rank == 0 ? it.array : other;
    FFTW(plan)
    plan = FFTW(mpi_plan_dft_2d)(ROWS, COLUMNS, it.array, out, MPI_COMM_WORLD, FFTW_FORWARD,
                                 FFTW_ESTIMATE);
    for (ptrdiff_t i = 0; i < ROWS * COLUMNS; i++)
        other[i][0] = other[i][1] = 1234;
    delta(it.array, it.start, it.count);
    if (plan)
        FFTW(execute)(plan);
    bool right = plan && all_ones(out, it.count);
    if (plan)
        FFTW(destroy_plan)(plan);
    FFTW(free)(other);
    drop(&it);
    all_true(right, "wrong numbers");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("life");
    TCase *tests = tcase_create("of plans");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, any_communicator);
    tcase_add_test(tests, init_twice_cleanup_and_init_again);
    tcase_add_test(tests, ranks_may_differ_in_whether_they_are_in_place);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
