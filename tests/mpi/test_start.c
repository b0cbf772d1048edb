/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs in two halves, several of them under way, on the arrays of planning and on others. The
 * transform of a number at the origin is that number everywhere, so each plan has one of its own.
 */
#include <stdlib.h>
#include <string.h>
#include "api/fftw3-mpi.h"
#include "tests/mpi/arrays.h"
#include "tests/mpi/harness.h"
#include "api/weft.h"

enum { PLANS = 4, MOST = 6 * 8 * 10 * 2, SHIFT = 1 };

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

/* What differs from the arrays of planning: nothing, in place or not, alignment. */
typedef enum { SAME, OTHER_PLACE, ODD, WAYS } way;

static void check(const char *backend, way how, bool many)
{
    weft_real *memory[PLANS][3];
    FFTW(plan) plan[PLANS];
    void *in[PLANS], *out[PLANS];
    ptrdiff_t points[PLANS];
    bool right = true, arrived = false;
    setenv("WEFT_BACKEND", backend, 1);
    for (int i = 0; i < PLANS; i++) {
        for (int j = 0; j < 3; j++)
            memory[i][j] = FFTW(alloc_real)(2 * MOST + 2);
        plan[i] = plan_of(i, (FFTW(complex) *)memory[i][0], (FFTW(complex) *)memory[i][1]);
        all_true(plan[i], "%s", WEFT(last_error)());
        const int shift = how == ODD ? SHIFT : 0;
        const bool in_place = (i == 0) != (how == OTHER_PLACE);
        in[i] = memory[i][0] + shift;
        out[i] = in_place ? in[i] : memory[i][1] + shift;
        points[i] = set(plan[i], in[i], (weft_real)(i + 1));
    }
    unsetenv("WEFT_BACKEND");
    if (many) {
        right = WEFT(execute_many)(PLANS, plan, in, out);
    } else {
        for (int i = 0; i < PLANS; i++)
            right = right && WEFT(execute_start)(plan[i], in[i], out[i]);
        for (int turn = 0; turn < 100000 && !arrived; turn++)
            arrived = WEFT(execute_test)(plan[1]);
        for (int i = PLANS - 1; i >= 0; i--)
            right = right && WEFT(execute_finish)(plan[i]);
    }
    for (int i = 0; i < PLANS; i++)
        right = right && all_are(out[i], points[i], (weft_real)(i + 1));
    for (int i = 0; i < PLANS; i++) { /* and once more as a whole */
        set(plan[i], in[i], (weft_real)(i + 5));
        FFTW(mpi_execute_dft)(plan[i], in[i], out[i]);
        right = right && all_are(out[i], points[i], (weft_real)(i + 5));
        FFTW(destroy_plan)(plan[i]);
        for (int j = 0; j < 3; j++)
            FFTW(free)(memory[i][j]);
    }
    all_true(right, "%s, way %d, %s: %s", backend, (int)how, many ? "many" : "halves",
             WEFT(last_error)());
}

START_TEST(halves_make_a_whole)
{
    for (way how = SAME; how < WAYS; how++)
        for (int many = 0; many < 2; many++)
            check(backend_for_all(_i), how, many);
}
END_TEST

/* In parts, of which each waits. */
START_TEST(runs_in_parts)
{
    check("waitsome*3", SAME, false);
    check("waitall*2", SAME, true);
}
END_TEST

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
              refuses(WEFT(execute_many)(2, two, in, in), "0 and 1 are one") &&
              refuses(WEFT(execute_many)(-1, two, in, in), "-1 plans") &&
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

static Suite *suite(void)
{
    Suite *suite = suite_create("start");
    TCase *tests = tcase_create("halves");
    int backends = 0;
    while (backend_for_all(backends))
        backends++;
    grid = WEFT(grid_create)(MPI_COMM_WORLD, 2, NULL);
    tcase_add_loop_test(tests, halves_make_a_whole, 0, backends);
    tcase_add_test(tests, runs_in_parts);
    tcase_add_test(tests, what_cannot_be_is_said);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    const int status = run_mpi(&argc, &argv, suite);
    WEFT(grid_free)(grid);
    return status;
}
