/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans on a device, beside the right numbers (which dropin+device and other variants check):
 * arrays of different kinds, calls that fail at any point, memory, reports. test_streams.c has the
 * streams of programs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/on-device.h"

const weft_device_library *gpu;
const weft_standin_controls *standin;

const dropin_case on_device_case = {.what = DROPIN_C2C, .rank = 2, .n = {N0, N1}, .in_place = true};

FFTW(plan) on_device_plan(void *in, void *out, unsigned flags)
{
    const dropin_case it = dropin_single(&on_device_case, flags);
    return dropin_plan(&it, in, out, MPI_COMM_WORLD);
}

const char *const on_device_ways[] = {"device", "waitall", "direct", "device,waitall"};

static void make_of(const dropin_case *it, kept_plan *my, const char *backend)
{
    problem_on_slabs(&my->of, it, MPI_COMM_WORLD);
    my->of.backend = backend;
    kept_make(my, false, MPI_COMM_WORLD);
    all_true(my->run.plan, "no plan: %s", WEFT(last_error)());
}

void on_device_make(kept_plan *my, const char *backend, unsigned flags)
{
    const dropin_case it = dropin_single(&on_device_case, flags);
    make_of(&it, my, backend);
}

void on_device_check(kept_plan *my)
{
    const bool right = kept_works(my);
    all_true(right, "%s", my->run.text);
}

/* Runs a plan and returns its traffic. */
static struct standin_traffic traffic_of(FFTW(plan) plan)
{
    standin->traffic();
    FFTW(execute)(plan);
    return standin->traffic();
}

/* Checks that a plan of an array with this backend and first size is refused. */
static void refused_by(const char *backend, ptrdiff_t n, void *array, const char *says)
{
    dropin_case it = dropin_single(&on_device_case, FFTW_ESTIMATE);
    it.n[0] = n;
    setenv("WEFT_BACKEND", backend, 1);
    refused(dropin_plan(&it, array, array, MPI_COMM_WORLD), says);
    unsetenv("WEFT_BACKEND");
}

static void *allocate_on(int device)
{
    gpu->use(device);
    void *array = gpu->allocate(sizeof(weft_real) * CAPACITY);
    gpu->use(0);
    return array;
}

static void release_on(int device, void *array)
{
    gpu->use(device);
    gpu->release(array);
    gpu->use(0);
}

/* Arrays of refused plans: i, o are in host memory, I, O are their twins on device 0; 1 is on
 * device 1; 0 is freed memory of device 0, neither of the host nor of a device. */
static const struct {
    const char *on_rank_0, *elsewhere; /* input, output; NULL: as on rank 0 */
    const char *says;
} refusals[] = {
    {"Io", NULL, "only the output is in host memory"},
    {"iO", NULL, "only the input is in host memory"},
    {"io", "IO", "others arrays in host memory"}, /* as long as both ranks have numbers */
    {"11", NULL, "device 0 is current"},
    {"11", "II", "device 0 is current"},
    {"I1", NULL, "the output is on device 1"},
    {"00", NULL, "it may have been freed"},
    {"I0", NULL, "it may have been freed"},
    {"00", "II", "it may have been freed"},
};

TEST(arrays_that_do_not_fit_together_are_refused, .to = NUMBER(refusals))
{
    weft_real *one = arrays_fresh(CAPACITY, 0), *two = arrays_fresh(CAPACITY, 0);
    void *there = allocate_on(1), *gone = allocate_on(0), *array[2];
    gpu->release(gone);
    const char *other = refusals[_i].elsewhere,
               *mine = other && rank > 0 ? other : refusals[_i].on_rank_0;
    for (int i = 0; i < 2; i++)
        array[i] = mine[i] == 'i'   ? one
                   : mine[i] == 'o' ? two
                   : mine[i] == 'I' ? twin_of(one)
                   : mine[i] == 'O' ? twin_of(two)
                   : mine[i] == '1' ? there
                                    : gone;
    if (ranks > 1 || !other)
        refused(on_device_plan(array[0], array[1], FFTW_ESTIMATE), refusals[_i].says);
    release_on(1, there);
    arrays_free(one, 0);
    arrays_free(two, 0);
}

/* Each rank has another device. Ranks open each other's memory, or send messages through the hosts
 * if devices have no access to each other. All ranks of another plan are on device 0; its runs
 * switch to this device, and it keeps its memory when there is none for a larger plan. */
TEST(ranks_on_several_devices, .to = 3)
{
    const bool refuse = _i == 1;
    kept_plan my, other;
    on_device_make(&other, "device", FFTW_ESTIMATE);
    if (ranks > 1)
        refused_by("device", 1 << 26, twin_of(other.run.in), "has no memory that ranks can share");
    gpu->use(rank % 2);
    standin->refuse_peers(refuse);
    standin->mpi_knows(!refuse);
    if (refuse && ranks > 1) {
        weft_real *one = arrays_fresh(CAPACITY, 0);
        refused_by("device", N0, twin_of(one), "has no access to memory of");
        arrays_free(one, 0);
    }
    on_device_make(&my, refuse ? NULL : "device", _i == 2 ? FFTW_MEASURE : FFTW_ESTIMATE);
    const struct standin_traffic run = traffic_of(my.run.plan);
    all_true(ranks == 1 || (run.up == 0) == !refuse, "messages go by way of the host: %d", !refuse);
    on_device_check(&my);
    FFTW(execute)(other.run.plan);
    all_true(gpu->current() == rank % 2, "device %d is current", gpu->current());
    kept_drop(&my);
    standin->refuse_peers(false);
    standin->mpi_knows(true);
    gpu->use(0);
    on_device_check(&other);
    kept_drop(&other);
}

/* Large messages leave in chunks while later chunks are still on the device. */
TEST(messages_leave_in_chunks, .to = 8)
{
    enum { LARGE = 1024, CHUNKS = 4 }; /* 2 ranks exchange blocks of 4 MiB */
    static const char *const backend[] = {"waitall", "pairwise", "waitsome", "alltoall"};
    kept_plan my;
    /* one exchange */
    dropin_case it = dropin_single(&on_device_case, FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
    if (ranks != 2)
        return;
    it.n[0] = it.n[1] = LARGE;
    it.in_place = _i % 2;
    make_of(&it, &my, backend[_i / 2]);
    twins_mpi_messages();
    const struct standin_traffic run = traffic_of(my.run.plan);
    const twins_messages sent = twins_mpi_messages();
    all_true(_i > 1 || sent.count == CHUNKS, "%d messages", sent.count);
    all_true(_i > 1 || sent.waiting >= 2 * (CHUNKS - 1), "at the first message %d tasks wait",
             sent.waiting);
    all_true(run.copies == 2 * CHUNKS, "%d copies", (int)run.copies);
    trial_fill(&my.run);
    trial_start(&my.run);
    trial_finish(&my.run, _i % 2 ? 3 : 0);
    all_true(!my.run.text[0], "%s", my.run.text);
    kept_drop(&my);
}

/* On one rank the FFT library itself writes and reads transposed order. */
TEST(transposed_order_needs_no_copy, .to = 8)
{
    static const struct {
        dropin_what what;
        int sign;
        unsigned flags;
    } cases[] = {{DROPIN_C2C, FFTW_FORWARD, FFTW_MPI_TRANSPOSED_OUT},
                 {DROPIN_C2C, FFTW_BACKWARD, FFTW_MPI_TRANSPOSED_IN},
                 {DROPIN_R2C, FFTW_FORWARD, FFTW_MPI_TRANSPOSED_OUT},
                 {DROPIN_C2R, FFTW_BACKWARD, FFTW_MPI_TRANSPOSED_IN}};
    const dropin_case it = {.what = cases[_i / 2].what,
                            .rank = 3,
                            .n = {6, 5, 8},
                            .howmany = 1,
                            .sign = cases[_i / 2].sign,
                            .flags = cases[_i / 2].flags | FFTW_ESTIMATE,
                            .in_place = _i % 2};
    kept_plan my;
    if (ranks > 1)
        return;
    make_of(&it, &my, NULL);
    const struct standin_traffic run = traffic_of(my.run.plan);
    all_true(run.copies + run.strided_copies == 0, "there are copies");
    on_device_check(&my);
    kept_drop(&my);
}

TEST(problems_that_a_device_cannot_do_are_refused)
{
    weft_real *one = arrays_fresh(CAPACITY, 0);
    refused(FFTW(mpi_plan_r2r_2d)(N0, N1, twin_of(one), twin_of(one), MPI_COMM_WORLD, FFTW_DHT,
                                  FFTW_DHT, FFTW_ESTIMATE),
            "devices cannot do r2r");
    const ptrdiff_t sizes[2] = {N0, N1};
    const int kinds[2] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD};
    refused(WEFT(plan_operator)(2, sizes, NULL, 1, twin_of(one), twin_of(one), NULL, kinds,
                                WEFT(derivative), NULL, MPI_COMM_WORLD, FFTW_ESTIMATE),
            "devices cannot call an operator");
    if (ranks > 1)
        refused_by("shared", N0, twin_of(one), "its arrays are on a device");
    arrays_free(one, 0);
}

TEST(ranks_without_arrays_take_part)
{
    kept_plan my;
    const bool none = rank == 0 && ranks > 1;
    on_device_make(&my, NULL, FFTW_ESTIMATE);
    FFTW(destroy_plan)(my.run.plan);
    void *array = none ? NULL : twin_of(my.run.in);
    my.run.plan = on_device_plan(array, array, FFTW_MEASURE);
    my.run.others = true; /* runs on its arrays */
    on_device_check(&my);
    kept_drop(&my);
}

/* Every call of the device library fails once, on one rank, during planning: either there
 * is a plan without the failed part, or no rank has a plan, with a sentence, and nothing is left.
 */
TEST(calls_that_fail_while_planning, .to = 16)
{
    static const char *const backend[] = {"device", "waitall", "direct", NULL};
    const unsigned rigor = _i < 8 ? FFTW_ESTIMATE : FFTW_MEASURE;
    kept_plan my;
    int done = 0;
    on_device_make(&my, NULL, FFTW_ESTIMATE);
    if (backend[_i / 2 % 4])
        setenv("WEFT_BACKEND", backend[_i / 2 % 4], 1);
    for (long n = 1; n < 2000 && !done; n += 1 + n / (_i < 8 ? 40 : 10)) {
        const bool mine = n % ranks == rank;
        const long before = standin->calls();
        FFTW(destroy_plan)(my.run.plan);
        standin->fail_at(mine ? n : 0, _i % 2);
        my.run.plan = on_device_plan(twin_of(my.run.in), twin_of(my.run.in), rigor);
        standin->fail_at(0, false);
        int reached = mine && standin->calls() - before >= n, any;
        MPI_Allreduce(&reached, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        done = !any;
        all_true(my.run.plan || WEFT(last_error)()[0], "call %ld: no plan, and no sentence", n);
        if (my.run.plan)
            on_device_check(&my);
    }
    unsetenv("WEFT_BACKEND");
    /* the number of calls depends on the clock if plans are timed */
    all_true(done || _i >= 8, "there are too many calls");
    kept_drop(&my);
    on_device_make(&my, NULL, FFTW_ESTIMATE);
    kept_drop(&my);
}

/* Destroyed plans leave nothing except the windows of the first plan. */
TEST(destroyed_plans_leave_nothing_on_the_device, .to = 2)
{
    int left[2] = {0};
    for (int turn = 0; turn < 6; turn++) {
        kept_plan my;
        on_device_make(&my, NULL, _i ? FFTW_MEASURE : FFTW_ESTIMATE);
        on_device_check(&my);
        kept_drop(&my);
        left[turn > 2] = standin->left();
    }
    all_true(left[0] == left[1], "%d things at first, then %d", left[0], left[1]);
}

TEST(arrays_of_a_device)
{
    weft_real *real = WEFT(alloc_device_real)(100, MPI_COMM_WORLD);
    weft_complex *complex = WEFT(alloc_device_complex)(rank == 0 ? 100 : 0, MPI_COMM_WORLD);
    all_true(real && complex, "%s", WEFT(last_error)());
    all_true(gpu->where(real) == 0 && gpu->where(complex) == 0, "not on device 0");
    WEFT(free)(real);
    WEFT(free)(complex);
    refused(WEFT(alloc_device_real)(rank == 0 ? -1 : 1, MPI_COMM_WORLD), "is -1");
    refused(WEFT(alloc_device_real)(PTRDIFF_MAX, MPI_COMM_WORLD), "");
    standin->fail_at(rank == 0, false);
    real = WEFT(alloc_device_real)(1, MPI_COMM_WORLD);
    standin->fail_at(0, false);
    refused(real, "memory on the device");
}

static weft_grid tuned(unsigned flags)
{
    const ptrdiff_t n[3] = {8, 6, 10};
    return WEFT(grid_tune)(MPI_COMM_WORLD, 2, 3, n, 1, WEFT_DFT_FORWARD, FFTW_ESTIMATE | flags);
}

/* Tuning times plans on the device; if it fails on one rank, no rank has a grid. */
TEST(grids_are_tuned_on_a_device)
{
    standin->traffic();
    weft_grid grid = tuned(WEFT_ON_DEVICE);
    all_true(grid, "no grid: %s", WEFT(last_error)());
    all_true(standin->traffic().transforms > 0, "nothing ran on a device");
    WEFT(grid_free)(grid);
    standin->fail_at(rank == 0, true);
    grid = tuned(WEFT_ON_DEVICE);
    standin->fail_at(0, false);
    refused(grid, "memory on the device");
    if (ranks > 1)
        refused(tuned(rank == 0 ? 0 : WEFT_ON_DEVICE), "what is asked for");
}

/* The workspace of a plan is also memory of its device. */
TEST(programs_may_give_a_workspace_on_the_device)
{
    kept_plan my;
    ptrdiff_t bytes;
    on_device_make(&my, NULL, FFTW_ESTIMATE);
    FFTW(plan) plan = my.run.plan;
    WEFT(plan_memory)(plan, &bytes, NULL);
    void *here = malloc((size_t)bytes + 64), *there = gpu->allocate((size_t)bytes + 64);
    refused(WEFT(plan_set_workspace)(plan, here, bytes + 64), "must be in the same memory");
    all_true(WEFT(plan_set_workspace)(plan, there, bytes + 64), "%s", WEFT(last_error)());
    on_device_check(&my);
    kept_drop(&my);
    gpu->release(there);
    free(here);
}

/* Printed plans and reports name the device. */
TEST(plans_say_that_they_are_on_a_device, .to = 3)
{
    const bool staged = _i == 1;
    kept_plan my;
    on_device_make(&my, on_device_ways[_i], FFTW_ESTIMATE);
    FFTW(plan) plan = my.run.plan;
    const struct standin_traffic run = traffic_of(plan);
    char *said = FFTW(sprint_plan)(plan);
    all_true(strstr(said, "on device 0") || strstr(said, "nothing to do"), "%s", said);
    all_true(ranks == 1 || !strstr(said, "staged on the host") == !staged, "%s", said);
    all_true(ranks == 1 || _i > 0 || strstr(said, "of their devices"), "%s", said);
    all_true(run.transforms > 0 || rank >= N0 / 2, "no transforms on a device");
    all_true(staged || run.up + run.down == 0, "%s goes by way of the host", on_device_ways[_i]);
    free(said);
    size_t length;
    FILE *report = open_memstream(&said, &length);
    WEFT(plan_report_json)(plan, report);
    fclose(report);
    all_true(strstr(said, "\"device\": 0,") && strstr(said, "\"device_name\": \"stand-in\""), "%s",
             said);
    all_true(ranks == 1 || strstr(said, staged ? "\"staged\": true" : "\"staged\": false"), "%s",
             said);
    free(said);
    kept_drop(&my);
}

/* Weft uses an MPI for device memory if the MPI says so and a test message arrives. */
TEST(messages_straight_from_the_device)
{
    kept_plan my;
    if (ranks == 1)
        return;
    weft_real *one = arrays_fresh(CAPACITY, 0);
    standin->mpi_knows(rank != ranks - 1);
    refused_by("direct", N0, twin_of(one), "does not report that it supports");
    standin->mpi_knows(true);
    twins_mpi_lies(true);
    refused_by("direct", N0, twin_of(one), "arrived damaged");
    on_device_make(&my, NULL, FFTW_MEASURE);
    twins_mpi_lies(false);
    on_device_check(&my);
    kept_drop(&my);
    refused_by("direct", N0, one, "are in memory of the host");
    arrays_free(one, 0);
}

static void start(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    twins_begin(STANDIN);
    twins_mpi_begin();
    gpu = twins_library();
    standin = twins_controls();
}

AROUND(.start = start)
