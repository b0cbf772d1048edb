/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocations that fail: the first, the second, and so on, of every call, on one rank and on all.
 * Each time all ranks get what they asked for and it is right, or none does, with a sentence;
 * nothing is left of it, and the next call works. A sample by default; WEFT_TEST_FAULTS=all (make
 * check-faults) has every one fail, and prints how many these were.
 */
#include "api/fftw3-mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "api/weft.h"
#include "backends/memory/window.h"
#include "kernels/pass/plans.h"
#include "planner/workspace.h"
#include "tests/mpi/census.h"
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"

enum { N0 = 12, N1 = 10, N2 = 6, NUMBERS = 4 * N0 * N1 * N2 };

static FFTW(complex) in[NUMBERS], out[NUMBERS];
static const ptrdiff_t n[3] = {N0, N1, N2};

/* A call, which gives a result or fails; whether the result is right; and its end. */
typedef struct {
    const char *name;
    void *(*make)(MPI_Comm comm);
    bool (*right)(void *result, MPI_Comm comm);
    void (*drop)(void *result);
    const char *setting, *value; /* of the environment */
    bool says_nothing;           /* it has no way to fail, so nobody need be told */
} call;

static void destroy(void *plan)
{
    FFTW(destroy_plan)(plan);
}

/* The transform of a single 1 at the origin is 1 everywhere. */
static bool all_ones(ptrdiff_t numbers)
{
    bool ok = true;
    for (ptrdiff_t i = 0; i < numbers; i++)
        ok &= out[i][0] > 0.999 && out[i][0] < 1.001 && out[i][1] > -0.001 && out[i][1] < 0.001;
    return ok;
}

static void one_at_origin(bool here)
{
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    in[0][0] = here;
}

static void *plan_3d(MPI_Comm comm, unsigned flags)
{
    return FFTW(mpi_plan_dft)(3, n, in, out, comm, FFTW_FORWARD, flags);
}

static void *c2c(MPI_Comm comm)
{
    return plan_3d(comm, FFTW_ESTIMATE);
}

static void *c2c_timed(MPI_Comm comm)
{
    return plan_3d(comm, FFTW_MEASURE);
}

/* Rank 0 has the origin, whatever the plan's layouts are. */
static bool ones(void *plan, MPI_Comm comm)
{
    weft_distribution result = WEFT(plan_layout)(plan, comm, 1);
    const ptrdiff_t numbers = WEFT(distribution_box)(result, rank, NULL, NULL);
    WEFT(distribution_free)(result);
    one_at_origin(rank == 0);
    FFTW(execute)(plan);
    return all_ones(numbers);
}

static void *r2c(MPI_Comm comm)
{
    return FFTW(mpi_plan_dft_r2c_3d)(N0, N1, N2, (weft_real *)in, out, comm,
                                     FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
}

static void *transpose(MPI_Comm comm)
{
    return FFTW(mpi_plan_transpose)(N0, N1, (weft_real *)in, (weft_real *)in, comm, FFTW_ESTIMATE);
}

static bool transposed(void *plan, MPI_Comm comm)
{
    ptrdiff_t n0, start, n1, start1;
    weft_real *number = (weft_real *)in;
    bool ok = true;
    FFTW(mpi_local_size_2d_transposed)(N0, N1, comm, &n0, &start, &n1, &start1);
    for (ptrdiff_t i = 0; i < n0 * N1; i++)
        number[i] = (weft_real)(start * N1 + i);
    FFTW(execute)(plan);
    for (ptrdiff_t j = 0; j < n1; j++)
        for (ptrdiff_t i = 0; i < N0; i++)
            ok &= number[j * N0 + i] == (weft_real)(i * N1 + start1 + j);
    return ok;
}

static weft_grid grid;

static void *on_grid(MPI_Comm comm)
{
    grid = WEFT(grid_create)(comm, 2, NULL);
    void *plan = grid ? WEFT(plan_dft)(3, n, in, out, grid, FFTW_FORWARD, FFTW_ESTIMATE) : NULL;
    if (!plan)
        WEFT(grid_free)(grid);
    return plan;
}

/* In rows, of which ranks hold several boxes: the first axes are short. */
static const ptrdiff_t short_n[3] = {1, 5, 4};

static void *in_rows(MPI_Comm comm)
{
    grid = WEFT(grid_create)(comm, 1, NULL);
    void *plan =
        grid ? WEFT(plan_dft)(3, short_n, in, out, grid, FFTW_FORWARD, FFTW_ESTIMATE | WEFT_ROWS)
             : NULL;
    if (!plan)
        WEFT(grid_free)(grid);
    return plan;
}

/* From columns of a matrix, two boxes a rank, to the same. */
static void *between(MPI_Comm comm)
{
    static const int kind[2] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD};
    const ptrdiff_t size[2] = {N0, 2 * ranks}, start[4] = {0, 2 * rank, 5, 2 * rank},
                    count[4] = {5, 2, N0 - 5, 2};
    weft_distribution boxes = WEFT(distribution_many_boxes)(comm, 2, size, 2, start, count);
    void *plan = boxes ? WEFT(plan_between)(boxes, boxes, 1, in, out, kind, FFTW_ESTIMATE) : NULL;
    WEFT(distribution_free)(boxes);
    return plan;
}

static void drop_grid(void *plan)
{
    FFTW(destroy_plan)(plan);
    WEFT(grid_free)(grid);
}

/* Rows of a matrix, to columns. */
static void *redistribute(MPI_Comm comm)
{
    const bool first = rank == 0;
    const ptrdiff_t zero[2] = {0}, all[2] = {N0, N1}, nothing[2] = {0};
    const ptrdiff_t from[2] = {first ? 0 : N0, 0}, rows[2] = {first ? N0 : 0, N1};
    const bool last = rank == ranks - 1;
    return WEFT(plan_redistribute_boxes)(2, n, 1, from, rows, zero, last ? all : nothing,
                                         (weft_real *)in, (weft_real *)out, comm, FFTW_ESTIMATE);
}

static bool moved(void *plan, MPI_Comm comm)
{
    weft_real *from = (weft_real *)in, *to = (weft_real *)out;
    bool ok = true;
    (void)comm;
    for (int i = 0; i < N0 * N1; i++) {
        from[i] = (weft_real)i;
        to[i] = -1;
    }
    FFTW(execute)(plan);
    for (int i = 0; rank == ranks - 1 && i < N0 * N1; i++)
        ok &= to[i] == (weft_real)i;
    return ok;
}

static void *array(MPI_Comm comm)
{
    return WEFT(alloc_complex)(NUMBERS + rank, comm);
}

static bool whole_array(void *memory, MPI_Comm comm)
{
    (void)comm;
    memset(memory, 1, sizeof(FFTW(complex)) * (size_t)(NUMBERS + rank));
    return true;
}

static void free_array(void *memory)
{
    WEFT(free)(memory);
}

static void *window(MPI_Comm comm)
{
    return weft_window_open_private(comm, 100000);
}

static bool own_part(void *result, MPI_Comm comm)
{
    int mine;
    MPI_Comm_rank(comm, &mine);
    memset(weft_window_part(result, mine), 1, 100000);
    return true;
}

static void close_window(void *result)
{
    weft_window_close(result);
}

static void *exported(MPI_Comm comm)
{
    (void)comm;
    char *text = WEFT(export_wisdom_to_string)();
    const bool taken = text && WEFT(import_wisdom_from_string)(text);
    if (taken)
        return text;
    free(text);
    return NULL;
}

static bool is_wisdom(void *text, MPI_Comm comm)
{
    (void)comm;
    return strncmp(text, "weft-wisdom", 11) == 0;
}

static char file[64];

static void *written(MPI_Comm comm)
{
    (void)comm;
    return WEFT(export_wisdom_to_filename)(file) && WEFT(import_wisdom_from_filename)(file) ? file
                                                                                            : NULL;
}

static void remove_file(void *name)
{
    unlink(name);
}

static void *shared_out(MPI_Comm comm)
{
    FFTW(mpi_gather_wisdom)(comm);
    FFTW(mpi_broadcast_wisdom)(comm);
    return file;
}

static bool always(void *result, MPI_Comm comm)
{
    (void)result, (void)comm;
    return true;
}

static void keep(void *result)
{
    (void)result;
}

/* A plan that is there already: running it takes no memory that can be missing. */
static FFTW(plan) ready;

static void *executed(MPI_Comm comm)
{
    (void)comm;
    FFTW(execute)(ready);
    FFTW(mpi_execute_dft)(ready, in, out);
    return ready;
}

static char pencils[16];

#define PLAN(name, make, right) name, make, right, destroy
static const call calls[] = {
    {PLAN("c2c", c2c, ones), NULL, NULL, false},
    {PLAN("c2c, timed", c2c_timed, ones), NULL, NULL, false},
    {PLAN("r2c", r2c, ones), NULL, NULL, false},
    {PLAN("transpose", transpose, transposed), NULL, NULL, false},
    {"grid", on_grid, ones, drop_grid, NULL, NULL, false},
    {PLAN("boxes", redistribute, moved), NULL, NULL, false},
    {"rows", in_rows, ones, drop_grid, NULL, NULL, false},
    {PLAN("between", between, ones), NULL, NULL, false},
    {PLAN("pencils", c2c, ones), "WEFT_GRID", pencils, false},
    {PLAN("shared", c2c, ones), "WEFT_BACKEND", "shared", false},
    {PLAN("waitall", c2c, ones), "WEFT_BACKEND", "waitall*3", false},
    {PLAN("waitsome", r2c, ones), "WEFT_BACKEND", "waitsome", false},
    {PLAN("pairwise", transpose, transposed), "WEFT_BACKEND", "pairwise", false},
    {PLAN("bruck", c2c, ones), "WEFT_BACKEND", "bruck:2", false},
    {PLAN("alltoallv", c2c, ones), "WEFT_BACKEND", "alltoallv", false},
    {PLAN("ialltoallw", c2c, ones), "WEFT_BACKEND", "ialltoallw*2", false},
    {"array", array, whole_array, free_array, NULL, NULL, false},
    {"window", window, own_part, close_window, NULL, NULL, false},
    {"wisdom", exported, is_wisdom, free, NULL, NULL, false},
    {"wisdom file", written, always, remove_file, NULL, NULL, false},
    {"wisdom of all", shared_out, always, keep, NULL, NULL, true},
    {"execution", executed, ones, keep, NULL, NULL, true},
};

/* On whom allocations fail. */
static const char *const victims[] = {"the first rank", "the last rank", "all ranks"};

static bool hits(int whom)
{
    return whom == 2 || rank == (whom ? ranks - 1 : 0);
}

/* Without what is kept for later. */
static census taken(void)
{
    weft_window_cleanup();
    weft_workspace_cleanup();
    weft_fftw_plans_cleanup();
    WEFT(forget_wisdom)();
    return census_now();
}

/* One allocation fails, or with number 0 none. Whether there was one of that number, on any rank.
 */
static bool attempt(const call *it, int whom, long number)
{
    MPI_Comm comm;
    char said[200];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const census before = taken();
    census_fail(hits(whom) ? number : 0);
    void *result = it->make(comm);
    int made[3] = {result != NULL, result == NULL, census_failed()};
    census_fail(0);
    snprintf(said, sizeof said, "%s", WEFT(last_error)());
    const bool right = !result || it->right(result, comm);
    if (result)
        it->drop(result);
    MPI_Allreduce(MPI_IN_PLACE, made, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    const census now = taken();
    const int handles = now.handles - before.handles + 1; /* of the duplicate */
    const int allocations = now.allocations - before.allocations;
    const bool local = it->make == exported || it->make == written;
    const bool stays =
        it->make == window && made[0]; /* there is one, for its caller to open again */
    all_true(right, "%s, allocation %ld of %s fails: a wrong result", it->name, number,
             victims[whom]);
    all_true(local || made[0] + made[1] == 1,
             "%s, allocation %ld of %s fails: not on all ranks alike", it->name, number,
             victims[whom]);
    all_true(result || said[0], "%s, allocation %ld of %s fails: without a sentence", it->name,
             number, victims[whom]);
    all_true(!made[2] || stays || (handles == 0 && allocations == 0),
             "%s, allocation %ld of %s fails: %d handles and %d allocations are left (%s)",
             it->name, number, victims[whom], handles, allocations, said);
    all_true(number > 0 || result, "%s: %s", it->name, said);
    return made[2];
}

START_TEST(what_finds_no_memory_fails_on_all_ranks)
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
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("faults");
    TCase *tests = tcase_create("allocations");
    tcase_set_timeout(tests, 0);
    snprintf(pencils, sizeof pencils, "%dx1", ranks);
    snprintf(file, sizeof file, "faults-%d-%d.tmp", ranks, rank);
    ready = plan_3d(MPI_COMM_WORLD, FFTW_ESTIMATE);
    tcase_add_loop_test(tests, what_finds_no_memory_fails_on_all_ranks, 0,
                        sizeof calls / sizeof *calls);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    const int status = run_mpi(&argc, &argv, suite);
    FFTW(destroy_plan)(ready);
    return status;
}
