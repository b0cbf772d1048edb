/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans and other calls free all memory, also when an allocation fails: the first, the second, and
 * so on, of every call, on one rank and on all. Each time either all ranks get a correct result, or
 * none does, with a sentence; nothing is left, and the next call works. By default a sample of the
 * allocations fails; with WEFT_TEST_FAULTS=all (make check-faults) all do, and the test prints
 * their number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backends/memory/window.h"
#include "kernels/pass/plans.h"
#include "planner/workspace.h"
#include "tests/mpi/census.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/problems.h"

enum { NUMBERS = 3000, WINDOW = 100000 };

/* A plan for a problem on slabs or on a grid (neither: between distributions); or a call with a
 * result, and a function that frees the result and returns whether it was right. */
typedef struct {
    const char *name;
    const char *setting, *value; /* environment variable */
    dropin_case slabs;
    grids_case grid;
    bool redistributes; /* between distributions: no axis is transformed */
    void *(*make)(void);
    bool (*end)(void *result);
    bool says_nothing; /* it cannot report a failure */
    bool local;        /* not collective */
    bool rounds;       /* messages carry floats */
} call;

static MPI_Comm comm; /* of all ranks */

static void *make_grid(void)
{
    return WEFT(grid_create)(comm, 2, NULL);
}

static bool end_grid(void *grid)
{
    WEFT(grid_free)(grid);
    return true;
}

/* Columns of a matrix, two boxes per rank. */
static void *make_boxes(void)
{
    const ptrdiff_t size[2] = {12, 2 * ranks}, start[4] = {0, 2 * rank, 5, 2 * rank},
                    count[4] = {5, 2, 7, 2};
    return WEFT(distribution_many_boxes)(comm, 2, size, 2, start, count);
}

static bool end_boxes(void *boxes)
{
    const bool right = WEFT(distribution_box)(boxes, rank, NULL, NULL) == 24;
    WEFT(distribution_free)(boxes);
    return right;
}

static void *make_array(void)
{
    return WEFT(alloc_complex)(NUMBERS + rank, comm);
}

static bool end_array(void *memory)
{
    memset(memory, 1, sizeof(FFTW(complex)) * (size_t)(NUMBERS + rank));
    WEFT(free)(memory);
    return true;
}

static void *make_window(void)
{
    return weft_window_open_private(comm, WINDOW);
}

static bool end_window(void *window)
{
    memset(weft_window_part(window, rank), 1, WINDOW);
    weft_window_close(window);
    return true;
}

static void *make_wisdom(void)
{
    char *text = WEFT(export_wisdom_to_string)();
    const bool taken = text && WEFT(import_wisdom_from_string)(text);
    if (taken)
        return text;
    free(text);
    return NULL;
}

static bool end_wisdom(void *text)
{
    const bool right = strncmp(text, "weft-wisdom", 11) == 0;
    free(text);
    return right;
}

static char file[64];

static void *make_file(void)
{
    return WEFT(export_wisdom_to_filename)(file) && WEFT(import_wisdom_from_filename)(file) ? file
                                                                                            : NULL;
}

static bool end_file(void *name)
{
    unlink(name);
    return true;
}

static void *pass_wisdom_on(void)
{
    FFTW(mpi_gather_wisdom)(comm);
    FFTW(mpi_broadcast_wisdom)(comm);
    return file;
}

/* A plan made before: running it allocates no memory. */
static kept_plan ready;

static void *execute(void)
{
    FFTW(execute)(ready.run.plan);
    problem_execute(&ready.of, ready.run.plan, ready.run.in, ready.run.out);
    return &ready;
}

static bool end_nothing(void *result)
{
    return result != &ready || kept_works(&ready);
}

static char pencils[16];

#define C2C .slabs = {.what = DROPIN_C2C, .rank = 3, .n = {12, 10, 6}}
#define R2C                                                                                        \
    .slabs = {.what = DROPIN_R2C, .rank = 3, .n = {12, 10, 6}, .flags = FFTW_MPI_TRANSPOSED_OUT}
#define TRANSPOSE .slabs = {.what = DROPIN_TRANSPOSE, .rank = 2, .n = {12, 10}, .in_place = true}
#define FORWARD   .kind = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD}
static const call calls[] = {
    {"c2c", C2C},
    {"c2c, timed",
     .slabs = {.what = DROPIN_C2C, .rank = 3, .n = {12, 10, 6}, .flags = FFTW_MEASURE}},
    {"c2c, a line", .slabs = {.what = DROPIN_C2C, .rank = 1, .n = {64}}},
    {"r2c", R2C},
    {"c2r", .slabs = {.what = DROPIN_C2R, .rank = 2, .n = {16, 10}, .in_place = true}},
    {"r2r", .slabs = {.what = DROPIN_R2R, .rank = 2, .n = {12, 9}, .kind = {FFTW_REDFT10}}},
    {"transpose", TRANSPOSE},
    {"grid", .grid = {.rank = 3, .n = {12, 10, 6}, .howmany = 1, FORWARD, .dimensions = 2}},
    {"rows", /* the first axes are short, so ranks have several boxes */
     .grid =
         {.rank = 3, .n = {1, 5, 4}, .howmany = 1, FORWARD, .dimensions = 1, .flags = WEFT_ROWS}},
    {"boxes", .redistributes = true},
    {"between", .redistributes = false},
    {"pencils", "WEFT_GRID", pencils, C2C},
    {"shared", "WEFT_BACKEND", "shared", C2C},
    {"waitall", "WEFT_BACKEND", "waitall", C2C},
    {"waitsome", "WEFT_BACKEND", "waitsome", R2C},
    {"floats", "WEFT_WIRE", "float", C2C, .rounds = true},
    {"pairwise", "WEFT_BACKEND", "pairwise", TRANSPOSE},
    {"bruck", "WEFT_BACKEND", "bruck:2", C2C},
    {"alltoallv", "WEFT_BACKEND", "alltoallv", C2C},
    {"ialltoallw", "WEFT_BACKEND", "ialltoallw", C2C},
    {"a grid", .make = make_grid, .end = end_grid},
    {"a distribution", .make = make_boxes, .end = end_boxes},
    {"array", .make = make_array, .end = end_array},
    {"window", .make = make_window, .end = end_window},
    {"wisdom", .make = make_wisdom, .end = end_wisdom, .local = true},
    {"wisdom file", .make = make_file, .end = end_file, .local = true},
    {"wisdom of all", .make = pass_wisdom_on, .end = end_nothing, .says_nothing = true},
    {"execution", .make = execute, .end = end_nothing, .says_nothing = true},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* Makes the problem of a plan, and arrays. A problem between distributions is the first random one
 * of its kind. */
static void prepare(const call *it, kept_plan *my)
{
    char text[PROBLEM_TEXT] = "";
    unsigned state = 1;
    dropin_case slabs = dropin_single(&it->slabs, 0);
    grids_case grid = it->grid;
    slabs.flags |= slabs.flags & FFTW_MEASURE ? 0 : FFTW_ESTIMATE;
    grid.flags |= FFTW_ESTIMATE;
    my->of = (problem){.sort = ON_SLABS};
    if (it->slabs.rank > 0)
        problem_on_slabs(&my->of, &slabs, comm);
    else if (it->grid.rank > 0)
        problem_on_grid(&my->of, &grid, comm, text);
    while (!it->slabs.rank && !it->grid.rank &&
           (my->of.sort != BETWEEN || my->of.between.by_boxes != it->redistributes ||
            my->of.between.only_copies != it->redistributes)) {
        problem_free(&my->of);
        problem_any(&my->of, &state, comm, text);
    }
    my->of.largest *= it->rounds ? 4000000 : 1;
    problem_set_rigor(&my->of, slabs.flags & FFTW_ESTIMATE);
    all_true(!text[0], "%s: %s", it->name, text);
    kept_arrays(my, false, comm);
}

/* Ranks where allocations fail. */
static const char *const victims[] = {"the first rank", "the last rank", "all ranks"};

static bool hits(int whom)
{
    return whom == 2 || rank == (whom ? ranks - 1 : 0);
}

/* Counts allocations after emptying the caches. */
static census taken(void)
{
    weft_window_cleanup();
    weft_workspace_cleanup();
    weft_fftw_plans_cleanup();
    WEFT(forget_wisdom)();
    return census_now();
}

/* Makes the call while one allocation fails, or with number 0 none. Returns whether any rank had an
 * allocation of that number. */
static bool attempt(const call *it, int whom, long number)
{
    char said[200], name[100];
    kept_plan my;
    bool right = true;
    const census before = taken();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (!it->make)
        prepare(it, &my);
    census_fail(hits(whom) ? number : 0);
    void *result =
        it->make ? it->make() : (void *)problem_plan(&my.of, my.run.in, my.run.out, comm);
    int made[3] = {result != NULL, result == NULL, census_failed()};
    census_fail(0);
    snprintf(said, sizeof said, "%s", WEFT(last_error)());
    if (!it->make)
        my.run.plan = result;
    if (result)
        right = it->make ? it->end(result) : kept_works(&my);
    if (!it->make)
        kept_drop(&my);
    MPI_Allreduce(MPI_IN_PLACE, made, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    comm = MPI_COMM_WORLD;
    const census now = taken();
    const int handles = now.handles - before.handles;
    const int allocations = now.allocations - before.allocations;
    /* a closed window stays in the cache; an array has another window if the ranks, without memory
     * to find out that they share a node, count as ranks of several nodes */
    const bool stays = (it->make == make_window || it->make == make_array) && made[0];
    snprintf(name, sizeof name, "%s, allocation %ld of %s fails", it->name, number, victims[whom]);
    all_true(right, "%s: a wrong result", name);
    all_true(it->local || made[0] + made[1] == 1, "%s: not on all ranks alike", name);
    all_true(result || said[0], "%s: without a sentence", name);
    all_true(!made[2] || stays || (handles == 0 && allocations == 0),
             "%s: %d handles and %d allocations are left (%s)", name, handles, allocations, said);
    all_true(number > 0 || result, "%s: %s", it->name, said);
    return made[2];
}

TEST(failed_allocations_fail_on_all_ranks, .to = CALLS)
{
    const call *it = &calls[_i];
    const char *wanted = getenv("WEFT_TEST_FAULTS");
    const bool all = wanted && (strcmp(wanted, "all") == 0 || strcmp(wanted, it->name) == 0);
    long tries = 0;
    if (!all && (wanted || (it->setting && (_i + ranks) % 3)))
        return;
    if (it->setting)
        setenv(it->setting, it->value, 1);
    for (int i = 0; i < 2; i++)
        attempt(it, 2, 0);
    for (int whom = ranks == 1 ? 2 : all ? 0 : 1; whom < 3; whom++)
        for (long number = all ? 1 : ranks; attempt(it, whom, number);
             number += all ? 1 : 2 * number)
            tries++;
    attempt(it, 2, 0);
    if (it->setting)
        unsetenv(it->setting);
    if (all && rank == 0)
        printf("%s on %d ranks: %ld allocations failed\n", it->name, ranks, tries);
}

/* Makes, runs and destroys plans, several at a time, after first plans that fill the caches. The
 * test checks the whole heap, with FFTW's memory, only if MPI sends nothing, because MPI keeps
 * memory. */
TEST(plans_free_all_memory_and_use_little, .to = CALLS)
{
    enum { FIRST = 20, PLANS = 40 };
    const call *it = &calls[_i];
    FFTW(plan) plan[PLANS];
    kept_plan my;
    census before = {0}, more = {0};
    ptrdiff_t each = 0;
    bool right = true;
    if (it->make || ranks > 3) /* each process counts its memory, so few ranks suffice */
        return;
    if (it->setting)
        setenv(it->setting, it->value, 1);
    prepare(it, &my);
    for (int turn = 0; turn < 4; turn++) { /* MPI's threads may allocate memory at any time */
        before = census_now();
        for (int i = 0; i < (turn ? PLANS : FIRST); i++) {
            my.run.plan = problem_plan(&my.of, my.run.in, my.run.out, MPI_COMM_WORLD);
            right = kept_works(&my) && right;
            plan[i] = my.run.plan;
            my.run.plan = NULL;
        }
        each = (census_now().bytes - before.bytes) / PLANS;
        for (int i = 0; i < (turn ? PLANS : FIRST); i++)
            FFTW(destroy_plan)(plan[i]);
        more = census_now();
        more.handles -= before.handles;
        more.allocations -= before.allocations;
        more.bytes = ranks == 1 ? more.bytes - before.bytes : 0;
        if (turn && more.bytes < PLANS * (ptrdiff_t)(3 * sizeof(void *)))
            break;
    }
    kept_drop(&my);
    if (it->setting)
        unsetenv(it->setting);
    all_true(right, "%s: no plan, or a wrong one", it->name);
    all_true(more.handles == 0 && more.allocations == 0 &&
                 more.bytes < PLANS * (ptrdiff_t)(3 * sizeof(void *)),
             "%s: of %d plans %d handles of MPI are left, %d allocations, %td bytes", it->name,
             PLANS, more.handles, more.allocations, more.bytes);
    all_true(ranks > 2 || it->setting || !it->slabs.rank || each < (ranks == 1 ? 40000 : 64000),
             "%s: %td bytes a plan", it->name, each);
}

static void make_ready(void)
{
    comm = MPI_COMM_WORLD;
    snprintf(pencils, sizeof pencils, "%dx1", ranks);
    snprintf(file, sizeof file, "faults-%d-%d.tmp", ranks, rank);
    prepare(&calls[0], &ready);
    ready.run.plan = problem_plan(&ready.of, ready.run.in, ready.run.out, MPI_COMM_WORLD);
}

static void drop_ready(void)
{
    kept_drop(&ready);
}

AROUND(.begin = make_ready, .end = drop_ready)
