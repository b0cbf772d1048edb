/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transforms between distributions, and redistribution: what is refused, and one redistribution
 * whose blocks differ in their strides alone. (test_random compares results.)
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/precision.h"
#include "api/weft.h"
#include "tests/mpi/harness.h"
#include "tests/mpi/twins.h"
#include "tests/mpi/variants.h"

enum { F = WEFT_DFT_FORWARD };

/* 6 x 6 x 6 points on the side of the grid; the sizes of the other side; modes of 0: by the
 * function without modes. */
static const struct {
    ptrdiff_t to[3], modes[3];
    int kind[3];
    bool in_place;
    const char *says;
} unfit[] = {
    {{6, 6, 6}, {0}, {F, F, WEFT_DFT_R2C}, false, "n / 2 + 1"},
    {{6, 6, 4}, {0}, {F, F, F}, false, "size of 6"},
    {{6, 6, 11}, {0}, {F, F, WEFT_DFT_C2R}, false, "must have the same direction"},
    {{6, 6, 4}, {0}, {F, F, WEFT_DFT_R2C}, true, "two arrays"},
    {{6, 6, 6}, {0}, {F, 1000, F}, false, "kind[1] is 1000"},
    {{13, 6, 6}, {13, 6, 6}, {F, F, F}, false, "modes[0] is 13; for 6 points it must be 1 to 12"},
    {{6, 1, 6}, {6, 0, 6}, {F, F, F}, false, "modes[1] is 0"},
    {{6, 4, 4}, {6, 4, 6}, {F, WEFT_NONE, WEFT_DFT_R2C}, false, "axis 1 has"},
    {{6, 6, 4},
     {6, 4, 6},
     {F, WEFT_NONE, WEFT_DFT_R2C},
     false,
     "only axes with Fourier transforms"},
    {{5, 6, 6}, {4, 6, 6}, {F, F, F}, false, "has a size of 5"},
    {{6, 6, 8}, {6, 6, 8}, {F, F, WEFT_DFT_R2C}, false, "modes / 2 + 1"},
    {{6, 6, 3}, {6, 6, 4}, {F, F, WEFT_DFT_R2C}, true, "two arrays"},
};
enum { UNFIT = sizeof unfit / sizeof *unfit };

static weft_distribution slabs(const ptrdiff_t *n, int axes)
{
    weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, 1, NULL);
    weft_distribution made = WEFT(distribution_grid)(grid, axes, n, NULL, 0);
    WEFT(grid_free)(grid);
    return made;
}

static weft_real memory[2][13 * 40 * 2];

START_TEST(sizes_modes_and_kinds_must_fit)
{
    const ptrdiff_t n[3] = {6, 6, 6};
    weft_distribution from = slabs(n, 3), to = slabs(unfit[_i].to, 3);
    weft_real *in = memory[0], *out = memory[!unfit[_i].in_place];
    FFTW(plan)
    plan = unfit[_i].modes[0]
               ? WEFT(plan_between_modes)(from, to, unfit[_i].modes, 1, in, out, unfit[_i].kind,
                                          FFTW_ESTIMATE)
               : WEFT(plan_between)(from, to, 1, in, out, unfit[_i].kind, FFTW_ESTIMATE);
    all_true(!plan && strstr(WEFT(last_error)(), unfit[_i].says), "not %s but %s", unfit[_i].says,
             WEFT(last_error)());
    plan = WEFT(plan_between_modes)(from, from, NULL, 1, in, out, unfit[_i].kind, FFTW_ESTIMATE);
    all_true(!plan && strstr(WEFT(last_error)(), "modes is NULL"), "%s", WEFT(last_error)());
    WEFT(distribution_free)(from);
    WEFT(distribution_free)(to);
}
END_TEST

/* On one rank, or all. */
START_TEST(boxes_must_fit_their_arrays)
{
    static const struct {
        ptrdiff_t size[2], offset[2];
        const char *says;
    } bad[] = {{{2, 4}, {0, 0}, "3 indices along axis 0 does not fit an enclosing array of 2"},
               {{3, 4},
                {0, 1},
                "4 indices along axis 1 does not fit an enclosing array of 4 indices at offset 1"},
               {{4, 4}, {-1, 0}, "at offset -1"},
               {{-5, 4}, {0, 0}, "array of -5"},
               {{PTRDIFF_MAX / 2, 8}, {0, 0}, "than can be counted"}};
    const ptrdiff_t n[2] = {3 * ranks, 4}, start[2] = {3 * rank, 0}, count[2] = {3, 4},
                    good[2] = {3, 5}, none[2] = {0, 0}, huge[2] = {PTRDIFF_MAX / 16, 4};
    weft_distribution bare = WEFT(distribution_boxes)(MPI_COMM_WORLD, 2, n, start, count), made;
    for (int i = 0; i < (int)(sizeof bad / sizeof bad[0]) * 2; i++) {
        const bool odd = i % 2 == 0 || rank == ranks - 1;
        made = WEFT(distribution_embedded)(bare, odd ? bad[i / 2].size : good,
                                           odd ? bad[i / 2].offset : none);
        all_true(!made && strstr(WEFT(last_error)(), bad[i / 2].says), "not %s but %s",
                 bad[i / 2].says, WEFT(last_error)());
    }
    made = WEFT(distribution_embedded)(bare, good, NULL);
    all_true(!made && strstr(WEFT(last_error)(), "offsets is NULL"), "%s", WEFT(last_error)());
    made = WEFT(distribution_embedded)(NULL, good, none);
    all_true(!made && strstr(WEFT(last_error)(), "is NULL"), "%s", WEFT(last_error)());
    made = WEFT(distribution_embedded)(bare, huge, none);
    all_true(made, "%s", WEFT(last_error)());
    const int kind[2] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD};
    FFTW(plan) plan = WEFT(plan_between)(made, bare, 1, NULL, NULL, kind, FFTW_ESTIMATE);
    all_true(!plan && WEFT(last_error)()[0], "a plan for an array beyond any memory");
    WEFT(distribution_free)(made);
    WEFT(distribution_free)(bare);
}
END_TEST

/* The grid can be counted in bytes, a spectrum of twice as many modes along both axes cannot, or
 * of long doubles not even be addressed. */
START_TEST(too_many_to_be_counted)
{
    static const int kind[2] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD};
    const ptrdiff_t large = (ptrdiff_t)1 << (sizeof(ptrdiff_t) > 4 ? 27 : 11),
                    n[2] = {2 * large, large}, modes[2] = {4 * large, 2 * large};
    weft_distribution side[2] = {slabs(n, 2), slabs(modes, 2)};
    FFTW(plan)
    plan = WEFT(plan_between_modes)(side[0], side[1], modes, 2, NULL, NULL, kind, FFTW_ESTIMATE);
    const char *said = WEFT(last_error)();
    all_true(side[1] && !plan &&
                 (strstr(said, "more bytes than can be counted") ||
                  (sizeof(weft_real) > sizeof(double) && strstr(said, "than can be addressed"))),
             "planned, or \"%s\"", said);
    WEFT(distribution_free)(side[0]);
    WEFT(distribution_free)(side[1]);
}
END_TEST

/* 6 and 7 modes of a halved axis are 4 numbers. */
START_TEST(modes_are_the_same_on_all_ranks)
{
    static const int kind[2] = {WEFT_DFT_FORWARD, WEFT_DFT_R2C};
    const ptrdiff_t n[2] = {8, 9}, to[2] = {8, 4}, modes[2] = {8, rank == ranks - 1 ? 7 : 6};
    weft_distribution side[2] = {slabs(n, 2), slabs(to, 2)};
    FFTW(plan)
    plan = WEFT(plan_between_modes)(side[0], side[1], modes, 1, memory[0], memory[1], kind,
                                    FFTW_ESTIMATE);
    all_true(ranks == 1 ? plan != NULL
                        : !plan && strstr(WEFT(last_error)(), "the number of modes differs"),
             "%s", WEFT(last_error)());
    if (plan)
        FFTW(destroy_plan)(plan);
    WEFT(distribution_free)(side[0]);
    WEFT(distribution_free)(side[1]);
}
END_TEST

/* Of 3 x 4 x 2 numbers rank 1 gets a column and rank 2 as long a row, so that blocks that are sent
 * differ in their steps alone; below them lie the second plane and, with rank 0, all the rest:
 *
 *     1 2 2 2
 *     1 0 0 0
 *     1 0 0 0
 */
START_TEST(a_column_and_a_row_are_not_alike)
{
    static const char *const backends[] = {"waitall", "waitsome", "pairwise", "alltoallv"};
    const ptrdiff_t n[3] = {3, 4, 2}, zero[3] = {0};
    const ptrdiff_t start[3][6] = {{1, 1, 0, 0, 0, 1}, {0}, {0, 1}},
                    count[3][6] = {{2, 3, 1, 3, 4, 1}, {3, 1, 1}, {1, 3, 1}};
    const int boxes = rank == 0 ? 2 : rank < 3, own = rank == 1 || rank == 2 ? 3 : 0;
    weft_real in[24], out[24];
    if (ranks < 3)
        return;
    weft_distribution from = WEFT(distribution_boxes)(MPI_COMM_WORLD, 3, n, zero, rank ? zero : n),
                      to = WEFT(distribution_many_boxes)(MPI_COMM_WORLD, 3, n, boxes,
                                                         start[rank % 3], count[rank % 3]);
    twins_add(in, sizeof in);
    twins_add(out, sizeof out);
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
        int right = 0;
        setenv("WEFT_BACKEND", twin_backend(backends[b]), 1);
        FFTW(plan)
        plan = WEFT(plan_redistribute)(from, to, 1, twin_of(in), twin_of(out), FFTW_ESTIMATE);
        unsetenv("WEFT_BACKEND");
        all_true(plan, "no plan with %s: %s", backends[b], WEFT(last_error)());
        for (int i = 0; i < 24; i++) {
            in[i] = (weft_real)i;
            out[i] = -1;
        }
        twin_push(in);
        twin_push(out);
        FFTW(execute)(plan);
        twin_pull(out);
        for (int i = 0; i < own; i++)
            right += out[i] == (weft_real)(rank == 1 ? 8 * i : 2 * i + 2);
        all_true(right == own, "%d of %d are right with %s", right, own, backends[b]);
        FFTW(destroy_plan)(plan);
    }
    twins_drop(in);
    twins_drop(out);
    WEFT(distribution_free)(from);
    WEFT(distribution_free)(to);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("distributions " WEFT_PRECISION);
    TCase *tests = tcase_create("distributions");
    tcase_add_loop_test(tests, sizes_modes_and_kinds_must_fit, 0, UNFIT);
    tcase_add_test(tests, boxes_must_fit_their_arrays);
    tcase_add_test(tests, too_many_to_be_counted);
    tcase_add_test(tests, modes_are_the_same_on_all_ranks);
    tcase_add_test(tests, a_column_and_a_row_are_not_alike);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    variant_begin(&argc, &argv);
    return run_mpi(&argc, &argv, suite);
}
