/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs in two halves: what is refused; and workspaces that the program gives. If
 * only the element at the origin is not 0, the transform has this number everywhere. Each plan uses
 * another number.
 */
#include <stdlib.h>
#include <string.h>
#include "api/fftw3-mpi.h"
#include "tests/mpi/arrays.h"
#include "tests/mpi/harness.h"
#include "api/weft.h"

enum { PLANS = 4, MOST = 6 * 8 * 10 * 2 };

static const ptrdiff_t n[3] = {6, 8, 10};
static weft_grid grid;

/* Slabs in place, a grid, rows, and r2c in slabs; in and out of place. */
static FFTW(plan) plan_of(int sort, FFTW(complex) * in, FFTW(complex) * out)
{
    return sort == 0 ? FFTW(mpi_plan_dft)(3, n, in, in, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE)
           : sort == 1 ? WEFT(plan_dft)(3, n, in, out, grid, FFTW_FORWARD, FFTW_ESTIMATE)
           : sort == 2
               ? WEFT(plan_dft)(3, n, in, out, grid, FFTW_FORWARD, FFTW_ESTIMATE | WEFT_ROWS)
               : FFTW(mpi_plan_dft_r2c)(3, n, (weft_real *)in, out, MPI_COMM_WORLD, FFTW_ESTIMATE);
}

/* A number at the origin, which rank 0 has; the points that come out. */
static ptrdiff_t set(FFTW(plan) plan, FFTW(complex) * in, weft_real value)
{
    weft_distribution out = WEFT(plan_layout)(plan, MPI_COMM_WORLD, 1);
    const ptrdiff_t points = WEFT(distribution_box)(out, rank, NULL, NULL);
    WEFT(distribution_free)(out);
    memset(in, 0, sizeof *in * MOST);
    if (rank == 0)
        in[0][0] = value;
    return points;
}

static bool all_are(const FFTW(complex) * out, ptrdiff_t points, weft_real value)
{
    for (ptrdiff_t i = 0; i < points; i++)
        if (!(out[i][0] > value - (weft_real)0.001 && out[i][0] < value + (weft_real)0.001 &&
              out[i][1] > (weft_real)-0.001 && out[i][1] < (weft_real)0.001))
            return false;
    return true;
}

static bool refuses(int done, const char *says)
{
    return !done && strstr(WEFT(last_error)(), says) != NULL;
}

START_TEST(what_cannot_be_is_said)
{
    FFTW(complex) *array = FFTW(alloc_complex)(MOST), number[4];
    FFTW(plan)
    plan = plan_of(0, array, array), two[2] = {plan, plan},
    serial = FFTW(plan_dft_1d)(4, number, number, FFTW_FORWARD, FFTW_ESTIMATE);
    void *in[2] = {array, array};
    bool ok = refuses(WEFT(execute_finish)(plan), "has not been started") &&
              refuses(WEFT(execute_test)(plan), "has not been started") &&
              refuses(WEFT(execute_start)(serial, number, number), "not one of Weft's") &&
              refuses(WEFT(execute_many)(2, two, in, in), "0 and 1 are the same") &&
              refuses(WEFT(execute_many)(-1, two, in, in), "the number of plans is -1") &&
              refuses(WEFT(execute_many)(2, two, NULL, in), "inputs") &&
              WEFT(execute_many)(0, NULL, NULL, NULL);
    all_true(ok, "\"%s\"", WEFT(last_error)());
    ok = WEFT(execute_start)(plan, array, array) &&
         refuses(WEFT(execute_start)(plan, array, array), "is not finished") &&
         refuses(WEFT(execute_many)(1, two, in, in), "is not finished") &&
         WEFT(execute_finish)(plan);
    all_true(ok, "\"%s\"", WEFT(last_error)());
    FFTW(destroy_plan)(plan);
    FFTW(destroy_plan)(serial);
    FFTW(free)(array);
}
END_TEST

/* All ranks but the first hold nothing of 1 x 6 numbers. */
START_TEST(a_rank_without_numbers_may_pass_null)
{
    const ptrdiff_t one[2] = {1, 6};
    FFTW(complex) *in = rank ? NULL : FFTW(alloc_complex)(6);
    FFTW(complex) *out = rank ? NULL : FFTW(alloc_complex)(6);
    FFTW(plan)
    plan = FFTW(mpi_plan_dft)(2, one, in, out, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    for (int i = 0; in && i < 6; i++)
        in[i][0] = i == 0, in[i][1] = 0;
    const bool right = WEFT(execute_start)(plan, in, out) && WEFT(execute_finish)(plan) &&
                       (rank > 0 || all_are(out, 6, 1));
    all_true(right, "%s", WEFT(last_error)());
    FFTW(destroy_plan)(plan);
    FFTW(free)(in);
    FFTW(free)(out);
}
END_TEST

enum { STALE = 0x5a, LINE = 64 };

/* From one byte on to another. */
static bool stale(const char *memory, ptrdiff_t from, ptrdiff_t until)
{
    for (; from < until; from++)
        if (memory[from] != STALE)
            return false;
    return true;
}

static bool right_once(FFTW(plan) plan, FFTW(complex) * in, FFTW(complex) * out, bool halves,
                       weft_real value)
{
    const ptrdiff_t points = set(plan, in, value);
    bool done = true;
    if (halves)
        done = WEFT(execute_start)(plan, in, out) &&
               refuses(WEFT(plan_set_workspace)(plan, NULL, 0), "is running") &&
               WEFT(execute_finish)(plan);
    else
        FFTW(mpi_execute_dft)(plan, in, out);
    return done && all_are(out, points, value);
}

/* A plan is given just as many bytes as it takes, from `shift` on, and writes nothing else. */
static bool in_its_place(FFTW(plan) plan, FFTW(complex) * in, FFTW(complex) * out, ptrdiff_t shift,
                         ptrdiff_t bytes)
{
    const ptrdiff_t begin = LINE + shift, first = shift ? 2 * LINE : LINE, end = first + bytes,
                    all = (end / LINE + 2) * LINE;
    char *memory = aligned_alloc(LINE, (size_t)all);
    int used[2] = {bytes > 0};
    memset(memory, STALE, (size_t)all);
    bool right =
        end == begin ||
        refuses(WEFT(plan_set_workspace)(plan, memory + begin, end - begin - 1), "a workspace of");
    right = right_once(plan, in, out, false, 2) && stale(memory, 0, all) && right;
    right = WEFT(plan_set_workspace)(plan, memory + begin, end - begin) && right;
    right = right_once(plan, in, out, false, 3) && right;
    right = right_once(plan, in, out, true, 4) && right;
    used[1] = !stale(memory, first, end);
    MPI_Allreduce(MPI_IN_PLACE, used, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    right = right && used[0] == used[1] && stale(memory, 0, first) && stale(memory, end, all);
    right = WEFT(plan_set_workspace)(plan, NULL, 0) && right;
    memset(memory, STALE, (size_t)all);
    right = right_once(plan, in, out, false, 5) && stale(memory, 0, all) && right;
    free(memory);
    return right;
}

static void check_workspace(const char *backend, int sort)
{
    static char late[1 << 20];
    FFTW(complex) *in = FFTW(alloc_complex)(MOST), *out = sort ? FFTW(alloc_complex)(MOST) : in;
    ptrdiff_t bytes = -1;
    setenv("WEFT_BACKEND", backend, 1);
    FFTW(plan) plan = plan_of(sort, in, out);
    unsetenv("WEFT_BACKEND");
    WEFT(plan_memory)(plan, &bytes, NULL);
    bool right = in_its_place(plan, in, out, 0, bytes);
    right = in_its_place(plan, in, out, 8, bytes) && right;
    WEFT(plan_set_workspace)(plan, late, sizeof late); /* and is destroyed with it, if it fits */
    FFTW(destroy_plan)(plan);
    all_true(right, "%s, sort %d, %td bytes: %s", backend, sort, bytes, WEFT(last_error)());
    if (out != in)
        FFTW(free)(out);
    FFTW(free)(in);
}

START_TEST(a_workspace_may_be_given)
{
    FFTW(complex) number[4];
    for (int sort = 0; sort < PLANS; sort++)
        check_workspace(backend_for_all(_i), sort);
    FFTW(plan) serial = FFTW(plan_dft_1d)(4, number, number, FFTW_FORWARD, FFTW_ESTIMATE);
    all_true(refuses(WEFT(plan_set_workspace)(serial, number, sizeof number), "not one of Weft's"),
             "\"%s\"", WEFT(last_error)());
    FFTW(destroy_plan)(serial);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("start");
    TCase *tests = tcase_create("halves");
    const int backends = backends_for_all();
    grid = WEFT(grid_create)(MPI_COMM_WORLD, 2, NULL);
    tcase_add_test(tests, what_cannot_be_is_said);
    tcase_add_test(tests, a_rank_without_numbers_may_pass_null);
    tcase_add_loop_test(tests, a_workspace_may_be_given, 0, backends);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    const int status = run_mpi(&argc, &argv, suite);
    WEFT(grid_free)(grid);
    return status;
}
