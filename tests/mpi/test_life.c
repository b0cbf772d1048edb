/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of plans: communicators of all kinds, init and cleanup, thousands of plans, wisdom,
 * threads, and the functions of libfftw3 that programs call on plans.
 */
#include <fftw3-mpi.h>
#include <stdlib.h>
#include <string.h>
#include "mpi/dropin.h"
#include "mpi/harness.h"

static const dropin_case flat = {.what = DROPIN_C2C,
                                 .entry = DROPIN_SHAPED,
                                 .rank = 2,
                                 .n = {8, 12},
                                 .howmany = 1,
                                 .sign = FFTW_FORWARD,
                                 .flags = FFTW_ESTIMATE};

static int rank, ranks;

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

START_TEST(communicators_may_be_freed_once_there_is_a_plan)
{
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    planned it = make(copy, FFTW_ESTIMATE);
    MPI_Comm_free(&copy);
    bool first = works(&it), second = works(&it);
    drop(&it);
    all_true(first && second, "wrong numbers");
}
END_TEST

START_TEST(plans_of_several_communicators_take_turns)
{
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank < (ranks + 1) / 2, rank, &half);
    planned all = make(MPI_COMM_WORLD, FFTW_ESTIMATE), part = make(half, FFTW_ESTIMATE),
            own = make(MPI_COMM_SELF, FFTW_ESTIMATE);
    bool right = true;
    for (int turn = 0; turn < 3; turn++)
        right = works(&part) && works(&all) && works(&own) && right;
    drop(&all);
    right = works(&part) && right;
    drop(&part);
    drop(&own);
    MPI_Comm_free(&half);
    all_true(right, "wrong numbers");
}
END_TEST

/* MPICH has some 2,000 communicators to give. (Fewer plans where each takes longer.) */
START_TEST(plans_made_and_destroyed_leave_nothing)
{
    const int times = ranks <= 2 ? 2100 : 200;
    FFTW(complex) *array = FFTW(alloc_complex)(ROWS * COLUMNS);
    int made = 0;
    for (int i = 0; i < times; i++) {
        FFTW(plan)
        plan = FFTW(mpi_plan_dft_2d)(ROWS, COLUMNS, array, array, MPI_COMM_WORLD, FFTW_FORWARD,
                                     FFTW_ESTIMATE);
        if (!plan)
            break;
        FFTW(destroy_plan)(plan);
        made++;
    }
    FFTW(free)(array);
    all_true(made == times, "only %d plans", made);
}
END_TEST

START_TEST(communicators_made_and_freed_with_plans_leave_nothing)
{
    const int times = rank == 0 ? 2100 : 0; /* the others would do just the same */
    FFTW(complex) *array = FFTW(alloc_complex)(ROWS * COLUMNS);
    int made = 0;
    for (int i = 0; i < times; i++) {
        MPI_Comm copy;
        MPI_Comm_dup(MPI_COMM_SELF, &copy);
        FFTW(plan)
        plan = FFTW(mpi_plan_dft_2d)(ROWS, COLUMNS, array, array, copy, FFTW_FORWARD,
                                     FFTW_ESTIMATE | (i % 2 ? FFTW_MPI_TRANSPOSED_OUT : 0));
        MPI_Comm_free(&copy);
        if (!plan)
            break;
        FFTW(destroy_plan)(plan);
        made++;
    }
    FFTW(free)(array);
    all_true(made == times, "only %d plans", made);
}
END_TEST

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

/* Wisdom of serial FFTW, made of a serial plan on some ranks. */
static void learn(int n)
{
    FFTW(complex) *array = FFTW(alloc_complex)((size_t)n);
    FFTW(destroy_plan)(FFTW(plan_dft_1d)(n, array, array, FFTW_FORWARD, FFTW_MEASURE));
    FFTW(free)(array);
}

static bool knows(int n)
{
    FFTW(complex) *array = FFTW(alloc_complex)((size_t)n);
    FFTW(plan)
    plan = FFTW(plan_dft_1d)(n, array, array, FFTW_FORWARD, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    bool known = plan != NULL;
    FFTW(destroy_plan)(plan);
    FFTW(free)(array);
    return known;
}

START_TEST(cleanup_forgets_the_wisdom_of_serial_fftw)
{
    learn(16);
    bool before = knows(16);
    FFTW(mpi_cleanup)();
    bool after = knows(16);
    FFTW(mpi_init)();
    all_true(before && !after, "wisdom %s", before ? "is still there" : "was never there");
}
END_TEST

START_TEST(broadcast_gives_all_ranks_the_wisdom_of_rank_0)
{
    FFTW(forget_wisdom)();
    learn(rank == 0 ? 16 : 24);
    FFTW(mpi_broadcast_wisdom)(MPI_COMM_WORLD);
    bool right = knows(16) && (rank == 0 || !knows(24));
    FFTW(forget_wisdom)();
    all_true(right, "rank %d does not know what it should, or knows what it should not", rank);
}
END_TEST

START_TEST(gather_brings_all_wisdom_to_rank_0)
{
    bool right = true;
    FFTW(forget_wisdom)();
    learn(16 + 2 * rank);
    FFTW(mpi_gather_wisdom)(MPI_COMM_WORLD);
    for (int from = 0; from < ranks && rank == 0; from++)
        right = knows(16 + 2 * from) && right;
    right = knows(16 + 2 * rank) && right;
    FFTW(forget_wisdom)();
    all_true(right, "wisdom is missing on rank %d", rank);
}
END_TEST

START_TEST(wisdom_only_makes_no_plan_and_touches_nothing)
{
    FFTW(forget_wisdom)();
    FFTW(complex) *array = FFTW(alloc_complex)(31 * 37);
    delta(array, 0, 1);
    FFTW(plan)
    plan = FFTW(mpi_plan_dft_2d)(31, 37, array, array, MPI_COMM_WORLD, FFTW_FORWARD,
                                 FFTW_WISDOM_ONLY | FFTW_PATIENT);
    bool untouched = array[0][0] == 1 && array[1][0] == 0;
    FFTW(free)(array);
    all_true(plan == NULL && untouched, plan ? "a plan" : "an array was written");
}
END_TEST

START_TEST(every_rigor_makes_a_plan)
{
    static const unsigned rigors[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT, FFTW_EXHAUSTIVE};
    dropin_case it = flat;
    it.flags = rigors[_i % 4] | (_i / 4 ? FFTW_MPI_TRANSPOSED_IN : 0);
    it.in_place = _i / 4;
    dropin_check(&it, MPI_COMM_WORLD);
}
END_TEST

START_TEST(there_and_back_gives_n_times_the_input)
{
    planned it = make(MPI_COMM_WORLD, FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
    FFTW(plan)
    back = FFTW(mpi_plan_dft_2d)(ROWS, COLUMNS, it.array, it.array, MPI_COMM_WORLD, FFTW_BACKWARD,
                                 FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_IN);
    for (ptrdiff_t i = 0; i < it.count * COLUMNS; i++) {
        it.array[i][0] = (weft_real)((it.start * COLUMNS + i) % 7);
        it.array[i][1] = (weft_real)((it.start * COLUMNS + i) % 5);
    }
    FFTW(execute)(it.plan);
    FFTW(execute)(back);
    weft_real worst = 0;
    for (ptrdiff_t i = 0; i < it.count * COLUMNS; i++)
        for (int part = 0; part < 2; part++) {
            ptrdiff_t place = it.start * COLUMNS + i;
            weft_real error =
                it.array[i][part] / (ROWS * COLUMNS) - (weft_real)(place % (part ? 5 : 7));
            worst = error * error > worst ? error * error : worst;
        }
    FFTW(destroy_plan)(back);
    drop(&it);
    all_true(worst < (weft_real)1e-9, "off by the root of %Lg", (long double)worst);
}
END_TEST

START_TEST(libfftw3_counts_prints_and_runs_plans)
{
    weft_real *array = FFTW(alloc_real)(12 * 12);
    FFTW(plan) plan = FFTW(mpi_plan_transpose)(12, 12, array, array, MPI_COMM_WORLD, FFTW_ESTIMATE);
    ptrdiff_t size, count, start;
    size = FFTW(mpi_local_size_2d)(12, 12, MPI_COMM_WORLD, &count, &start);
    double adds = -1, muls = -1, fmas = -1;
    FFTW(flops)(plan, &adds, &muls, &fmas);
    char *text = FFTW(sprint_plan)(plan);
    bool said = text && text[0] == '(' && text[strlen(text) - 1] == ')';
    free(text);
    bool cost = FFTW(cost)(plan) >= 0 && FFTW(estimate_cost)(plan) >= 0;
    /* Of other arrays, through the function of libfftw3 that does not know of MPI. */
    weft_real *other = FFTW(alloc_real)((size_t)size);
    for (ptrdiff_t i = 0; i < count * 12; i++)
        other[i] = (weft_real)(start * 12 + i);
    FFTW(execute_r2r)(plan, other, other);
    bool right = true;
    for (ptrdiff_t i = 0; i < count * 12; i++)
        right = right && other[i] == (weft_real)(i % 12 * 12 + start + i / 12);
    FFTW(destroy_plan)(plan);
    FFTW(free)(other);
    FFTW(free)(array);
    all_true(adds >= 0 && muls >= 0 && fmas >= 0 && said && cost, "not counted, or not printed");
    all_true(right, "wrong numbers");
}
END_TEST

START_TEST(threads_are_taken_when_asked_for)
{
    FFTW(plan_with_nthreads)(2);
    dropin_case it = flat;
    dropin_check(&it, MPI_COMM_WORLD);
    FFTW(plan_with_nthreads)(1);
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
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    Suite *suite = suite_create("life");
    TCase *tests = tcase_create("of plans");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, any_communicator);
    tcase_add_test(tests, communicators_may_be_freed_once_there_is_a_plan);
    tcase_add_test(tests, plans_of_several_communicators_take_turns);
    tcase_add_test(tests, plans_made_and_destroyed_leave_nothing);
    tcase_add_test(tests, communicators_made_and_freed_with_plans_leave_nothing);
    tcase_add_test(tests, init_twice_cleanup_and_init_again);
    tcase_add_test(tests, cleanup_forgets_the_wisdom_of_serial_fftw);
    tcase_add_test(tests, broadcast_gives_all_ranks_the_wisdom_of_rank_0);
    tcase_add_test(tests, gather_brings_all_wisdom_to_rank_0);
    tcase_add_test(tests, wisdom_only_makes_no_plan_and_touches_nothing);
    tcase_add_loop_test(tests, every_rigor_makes_a_plan, 0, 8);
    tcase_add_test(tests, there_and_back_gives_n_times_the_input);
    tcase_add_test(tests, libfftw3_counts_prints_and_runs_plans);
    tcase_add_test(tests, threads_are_taken_when_asked_for);
    tcase_add_test(tests, ranks_may_differ_in_whether_they_are_in_place);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
