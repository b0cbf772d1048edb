/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans made for other machines, whose caches decide how passes are tiled and how they write, are
 * right. The machines: a server with little cache per core and one with much, a laptop, one without
 * a third level, a virtual machine without information, and a core with almost no cache.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/harness.h"
#include "tests/mpi/problems.h"

static const char *const machine[] = {"l2=1M l3=32M cores=8",
                                      "l2=2M l3=105M cores=2",
                                      "l2=256K,l3=8M,cores=4",
                                      "l2=8M l3=0 cores=12",
                                      "unknown",
                                      "l2=64K l3=1M cores=1"};
enum { MACHINES = sizeof machine / sizeof *machine };

/* Some rows and columns are longer than a tile, and long enough for streaming stores on the
 * smallest machine. */
static const dropin_case cases[] = {
    {.what = DROPIN_C2C, .rank = 2, .n = {160, 144}, .sign = FFTW_FORWARD},
    {.what = DROPIN_C2C, .rank = 3, .n = {20, 36, 24}, .sign = FFTW_BACKWARD, .in_place = true},
    {.what = DROPIN_R2C, .rank = 3, .n = {24, 18, 40}, .flags = FFTW_MPI_TRANSPOSED_OUT},
    {.what = DROPIN_C2R, .rank = 3, .n = {24, 18, 40}, .in_place = true},
    {.what = DROPIN_C2C, .rank = 1, .n = {4096}, .sign = FFTW_FORWARD},
    {.what = DROPIN_TRANSPOSE, .rank = 2, .n = {120, 200}},
};
enum { CASES = sizeof cases / sizeof *cases };

TEST(plans_for_other_machines_are_right, .to = MACHINES)
{
    setenv("WEFT_MACHINE", machine[_i], 1);
    for (int i = 0; i < CASES; i++) {
        const dropin_case it =
            dropin_single(&cases[i], (i + _i) % 2 ? FFTW_ESTIMATE : FFTW_MEASURE);
        dropin_check(&it, MPI_COMM_WORLD);
    }
    unsetenv("WEFT_MACHINE");
}

/* The planner times the fastest plan with other passes, for large and small plans. (With MEASURE
 * this depends on how long runs take, so on the load of the machine.) */
static const ptrdiff_t raced[] = {96, 64};

TEST(plans_are_timed_as_they_run, .to = NUMBER(raced))
{
    const dropin_case it = {.what = DROPIN_C2C,
                            .rank = 2,
                            .n = {raced[_i], raced[_i]},
                            .howmany = 1,
                            .sign = FFTW_FORWARD,
                            .flags = FFTW_PATIENT};
    char *report = NULL;
    size_t length;
    kept_plan my;
    setenv("WEFT_MACHINE", "l2=64K l3=1M cores=1", 1);
    problem_on_slabs(&my.of, &it, MPI_COMM_WORLD);
    kept_make(&my, false, MPI_COMM_WORLD);
    unsetenv("WEFT_MACHINE");
    FILE *file = open_memstream(&report, &length);
    const bool reported = my.run.plan && WEFT(plan_report)(my.run.plan, file);
    fclose(file);
    const bool said = reported && strstr(report, "tried passes "), right = kept_works(&my);
    all_true(said, "no race: %s", report);
    all_true(right, "%s", my.run.text);
    kept_drop(&my);
    free(report);
}

TEST(a_wrong_machine_gives_no_plan)
{
    if (rank == 0)
        setenv("WEFT_MACHINE", "fast", 1);
    FFTW(plan) plan = FFTW(mpi_plan_dft_2d)(8, 8, NULL, NULL, MPI_COMM_WORLD, 1, FFTW_ESTIMATE);
    all_true(plan == NULL, "a plan for WEFT_MACHINE=fast");
    unsetenv("WEFT_MACHINE");
    dropin_case it = dropin_single(&cases[1], FFTW_ESTIMATE);
    dropin_check(&it, MPI_COMM_WORLD);
}
