/* SPDX-License-Identifier: BSD-3-Clause */
/* Every backend of the table under transforms of every kind, chosen through WEFT_BACKEND. */
#include "api/fftw3-mpi.h"
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"
#include "api/weft.h"

/* In the order in which they are asked for: a few of each kind, both orders, in place and not. */
static const dropin_case cases[] = {
    {.what = DROPIN_C2C, .rank = 3, .n = {6, 8, 5}, .sign = FFTW_FORWARD},
    {.what = DROPIN_C2C,
     .rank = 2,
     .n = {9, 7},
     .sign = FFTW_BACKWARD,
     .flags = FFTW_MPI_TRANSPOSED_OUT,
     .in_place = true},
    {.what = DROPIN_C2C, .rank = 1, .n = {64}, .sign = FFTW_FORWARD},
    {.what = DROPIN_R2C, .rank = 3, .n = {5, 6, 7}, .flags = FFTW_MPI_TRANSPOSED_OUT},
    {.what = DROPIN_R2C, .rank = 2, .n = {16, 10}, .in_place = true},
    {.what = DROPIN_C2R,
     .rank = 3,
     .n = {5, 6, 7},
     .flags = FFTW_MPI_TRANSPOSED_IN,
     .in_place = true},
    {.what = DROPIN_C2R, .rank = 2, .n = {16, 10}},
    {.what = DROPIN_R2R,
     .rank = 2,
     .n = {12, 9},
     .kind = {FFTW_REDFT10, FFTW_RODFT01},
     .flags = FFTW_MPI_TRANSPOSED_IN},
    {.what = DROPIN_R2R,
     .rank = 3,
     .n = {3, 11, 4},
     .kind = {FFTW_DHT, FFTW_R2HC, FFTW_REDFT11},
     .in_place = true},
    {.what = DROPIN_TRANSPOSE, .rank = 2, .n = {12, 18}},
    {.what = DROPIN_TRANSPOSE,
     .rank = 2,
     .n = {7, 5},
     .flags = FFTW_MPI_TRANSPOSED_IN,
     .in_place = true},
    {.what = DROPIN_TRANSPOSE,
     .rank = 2,
     .n = {16, 16},
     .flags = FFTW_MPI_TRANSPOSED_OUT,
     .in_place = true},
};

/* Whether a backend can be used here at all: `device` and `direct` for arrays there, `node` where
 * MPI pretends nodes (test_nodes), and `alltoall` for pieces of about one size. */
static bool can_be_used(const char *name)
{
    weft_real array[144];
    FFTW(plan)
    plan = FFTW(mpi_plan_transpose)(12, 12, array, array, MPI_COMM_WORLD, FFTW_ESTIMATE);
    const char *why = plan                            ? ""
                      : name[0] == 'd'                ? "its arrays lie in memory of the host"
                      : strcmp(name, "node") == 0     ? "its ranks are on one node"
                      : strcmp(name, "alltoall") == 0 ? "its blocks differ too much in size"
                                                      : "no reason";
    const bool said = strstr(WEFT(last_error)(), why) != NULL;
    FFTW(destroy_plan)(plan);
    all_true(plan || said, "%s: %s", name, WEFT(last_error)());
    return plan;
}

START_TEST(transforms_come_out_right_whatever_the_backend)
{
    const char *name = WEFT(backend_name)(_i);
    setenv("WEFT_BACKEND", name, 1);
    const bool usable = can_be_used(name) && (ranks < 3 || strcmp(name, "alltoall") != 0);
    for (size_t i = 0; usable && i < sizeof cases / sizeof cases[0]; i++)
        for (int howmany = 1; howmany <= 3; howmany += 2) {
            dropin_case it = cases[i];
            it.howmany = howmany;
            it.entry = DROPIN_MANY;
            it.flags |= FFTW_ESTIMATE;
            it.new_arrays = i % 2;
            dropin_check(&it, MPI_COMM_WORLD);
        }
    unsetenv("WEFT_BACKEND");
}
END_TEST

/* Else the test above would test one backend over and over. */
START_TEST(plans_print_the_backend_they_use)
{
    const char *name = WEFT(backend_name)(_i);
    setenv("WEFT_BACKEND", name, 1);
    if (!can_be_used(name))
        return;
    weft_real *array = FFTW(alloc_real)(144);
    FFTW(plan) plan = FFTW(mpi_plan_transpose)(12, 12, array, array, MPI_COMM_WORLD, FFTW_ESTIMATE);
    char *text = plan ? FFTW(sprint_plan)(plan) : NULL;
    bool named = ranks == 1 || (text && strstr(text, name));
    all_true(named, "%s: the plan is %s", name, text ? text : "none");
    free(text);
    FFTW(destroy_plan)(plan);
    FFTW(free)(array);
    unsetenv("WEFT_BACKEND");
}
END_TEST

static Suite *suite(void)
{
    int count = 0;
    while (WEFT(backend_name)(count))
        count++;
    Suite *suite = suite_create("backends");
    TCase *tests = tcase_create("each");
    tcase_add_loop_test(tests, transforms_come_out_right_whatever_the_backend, 0, count);
    tcase_add_loop_test(tests, plans_print_the_backend_they_use, 0, count);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
