/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms of every kind with every backend of the table, chosen by WEFT_BACKEND. */
#include "api/fftw3-mpi.h"
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"
#include "api/weft.h"

enum { TRANSFORMS = 24 };

/* Whether these ranks can use a backend: `device` and `direct` need arrays on a device, `node`
 * several nodes with several ranks, `shared` one node, and `alltoall` blocks of about one size. */
static bool can_be_used(const char *name)
{
    weft_real array[144];
    FFTW(plan)
    plan = FFTW(mpi_plan_transpose)(12, 12, array, array, MPI_COMM_WORLD, FFTW_ESTIMATE);
    const char *why = plan                            ? ""
                      : name[0] == 'd'                ? "its arrays lie in memory of the host"
                      : strcmp(name, "node") == 0     ? "its ranks are on one node"
                      : strcmp(name, "shared") == 0   ? "its ranks are on several nodes"
                      : strcmp(name, "alltoall") == 0 ? "its blocks differ too much in size"
                                                      : "no reason";
    const bool said = strstr(WEFT(last_error)(), why) != NULL;
    FFTW(destroy_plan)(plan);
    all_true(plan || said, "%s: %s", name, WEFT(last_error)());
    return plan;
}

static int backends(void)
{
    int count = 0;
    while (WEFT(backend_name)(count))
        count++;
    return count;
}

TEST(transforms_are_right_with_every_backend, .count = backends)
{
    const char *name = WEFT(backend_name)(_i);
    setenv("WEFT_BACKEND", name, 1);
    /* `node` needs arrays of which all ranks have a part (test_nodes) */
    const bool some = strcmp(name, "node") == 0 || (ranks > 2 && strcmp(name, "alltoall") == 0);
    const bool usable = can_be_used(name) && !some;
    unsigned state = 1;
    for (int i = 0; usable && i < TRANSFORMS; i++) {
        dropin_case it;
        dropin_any(&it, &state, MPI_COMM_WORLD);
        if (strcmp(name, "alltoall") == 0) /* needs blocks of about one size */
            it = (dropin_case){.what = i % 2 ? DROPIN_C2C : DROPIN_TRANSPOSE,
                               .rank = 2,
                               .n = {8 + i, 8 + i},
                               .howmany = 1 + i % 3,
                               .entry = DROPIN_MANY,
                               .sign = FFTW_FORWARD,
                               .flags = FFTW_ESTIMATE,
                               .in_place = i % 4 > 1};
        dropin_check(&it, MPI_COMM_WORLD);
    }
    unsetenv("WEFT_BACKEND");
}

/* This shows that the test above tests different backends. */
TEST(plans_print_the_backend_they_use, .count = backends)
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
