/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program asks of plans, and before it makes them: memory, layouts, good lengths. */
#include <stdlib.h>
#include <string.h>
#include "api/fftw3-mpi.h"
#include "tests/mpi/arrays.h"
#include "tests/mpi/harness.h"
#include "api/weft.h"

static bool fast(ptrdiff_t n)
{
    int elevens = 0;
    for (int prime = 2; prime <= 13; prime++)
        while (n % prime == 0) {
            n /= prime;
            elevens += prime > 10;
        }
    return n == 1 && elevens <= 1;
}

START_TEST(good_sizes_are_the_next_ones)
{
    bool right = true;
    for (int parts = 1; parts <= 30; parts++)
        for (ptrdiff_t n = 1; n <= 500; n++) {
            ptrdiff_t size = n;
            while (!fast(size) || (fast(parts) && size % parts != 0))
                size++;
            right = right && WEFT(good_size)(n, parts) == size;
        }
    all_true(right, "another length is the next one");
    all_true(WEFT(good_size)(PTRDIFF_MAX / 3, 1) >= PTRDIFF_MAX / 3, "a long one");
    all_true(WEFT(good_size)(PTRDIFF_MAX, 1) == 0 &&
                 strstr(WEFT(last_error)(), "there is no length of at least"),
             "\"%s\"", WEFT(last_error)());
    all_true(WEFT(good_size)(0, 1) == 0 && strstr(WEFT(last_error)(), "at least 1"), "\"%s\"",
             WEFT(last_error)());
}
END_TEST

/* The report says the same. */
START_TEST(memory_is_what_the_report_says)
{
    char *text = NULL;
    size_t length;
    ptrdiff_t borrowed = -1, shared = -1, reported[2] = {-2, -2};
    FFTW(plan)
    plan =
        FFTW(mpi_plan_dft_3d)(12, 8, 10, NULL, NULL, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
    const ptrdiff_t both = WEFT(plan_memory)(plan, &borrowed, &shared);
    FILE *file = open_memstream(&text, &length);
    WEFT(plan_report_json)(plan, file);
    fclose(file);
    const char *work = strstr(text, "\"workspace_bytes\": "),
               *window = strstr(text, "\"shared_bytes\": ");
    if (work && window) {
        reported[0] = atol(strchr(work, ':') + 1);
        reported[1] = atol(strchr(window, ':') + 1);
    }
    free(text);
    all_true(borrowed == reported[0] && shared == reported[1] && both == borrowed + shared,
             "%td and %td, not %td and %td", borrowed, shared, reported[0], reported[1]);
    FFTW(destroy_plan)(plan);
    FFTW(complex) number[4];
    plan = FFTW(plan_dft_1d)(4, number, number, FFTW_FORWARD, FFTW_ESTIMATE);
    all_true(WEFT(plan_memory)(plan, NULL, NULL) < 0 &&
                 !WEFT(plan_layout)(plan, MPI_COMM_WORLD, 0) &&
                 strstr(WEFT(last_error)(), "not one of Weft's"),
             "\"%s\"", WEFT(last_error)());
    FFTW(destroy_plan)(plan);
}
END_TEST

/* Transposed slabs: n1 divided, and slowest in memory; so what was made for them can be moved. */
START_TEST(layouts_are_those_of_the_sides)
{
    const ptrdiff_t n[3] = {6, 5, 4};
    ptrdiff_t n0, start0, n1, start1, start[3], count[3];
    int order[3];
    FFTW(plan)
    plan = FFTW(mpi_plan_dft_r2c_3d)(n[0], n[1], n[2], NULL, NULL, MPI_COMM_WORLD,
                                     FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
    FFTW(mpi_local_size_3d_transposed)
    (n[0], n[1], n[2] / 2 + 1, MPI_COMM_WORLD, &n0, &start0, &n1, &start1);
    weft_distribution in = WEFT(plan_layout)(plan, MPI_COMM_WORLD, 0),
                      out = WEFT(plan_layout)(plan, MPI_COMM_WORLD, 1);
    FFTW(destroy_plan)(plan);
    int boxes = WEFT(distribution_list)(in, rank, order, start, count);
    bool right = boxes == (n0 > 0) && order[0] == 0 && order[1] == 1 && order[2] == 2 &&
                 (!boxes || (start[0] == start0 && count[0] == n0 && count[2] == n[2]));
    boxes = WEFT(distribution_list)(out, rank, order, start, count);
    right = right && boxes == (n1 > 0) && order[0] == 1 && order[1] == 0 && order[2] == 2 &&
            (!boxes || (start[1] == start1 && count[1] == n1 && count[2] == n[2] / 2 + 1));
    all_true(right, "other boxes, or another order");
    plan = WEFT(plan_redistribute)(out, out, 2, NULL, NULL, FFTW_ESTIMATE);
    all_true(plan, "%s", WEFT(last_error)());
    FFTW(destroy_plan)(plan);
    all_true(!WEFT(plan_redistribute)(in, out, 2, NULL, NULL, FFTW_ESTIMATE), "a plan");
    WEFT(distribution_free)(in);
    WEFT(distribution_free)(out);
}
END_TEST

/* Boxes outlive the distributions that the plan was made of. */
START_TEST(layouts_of_boxes_are_kept)
{
    const ptrdiff_t n[2] = {8, 2 * ranks}, start[4] = {0, 2 * rank, 3, 2 * rank},
                    count[4] = {3, 2, 5, 2};
    const int kind[2] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD};
    ptrdiff_t start_reports[4] = {0}, count_reports[4] = {0};
    weft_distribution boxes = WEFT(distribution_many_boxes)(MPI_COMM_WORLD, 2, n, 2, start, count);
    FFTW(plan)
    plan = WEFT(plan_between)(boxes, boxes, 1, NULL, NULL, kind, FFTW_ESTIMATE);
    WEFT(distribution_free)(boxes);
    all_true(plan, "%s", WEFT(last_error)());
    weft_distribution reports = WEFT(plan_layout)(plan, MPI_COMM_WORLD, 1);
    FFTW(destroy_plan)(plan);
    const int listed = WEFT(distribution_list)(reports, rank, NULL, start_reports, count_reports);
    all_true(listed == 2 && memcmp(start, start_reports, sizeof start) == 0 &&
                 memcmp(count, count_reports, sizeof count) == 0,
             "%d boxes, or others", listed);
    WEFT(distribution_free)(reports);
}
END_TEST

/* What a plan does between slabs: passes and exchanges, each a line. */
static int steps(weft_distribution both)
{
    const int kind[3] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD};
    FFTW(plan)
    plan = WEFT(plan_between)(both, both, 1, NULL, NULL, kind, FFTW_ESTIMATE);
    char *text = plan ? FFTW(sprint_plan)(plan) : NULL;
    int lines = 0;
    for (const char *at = text; at && (at = strchr(at, '\n')); at++)
        lines++;
    free(text);
    FFTW(destroy_plan)(plan);
    return lines;
}

/* The first and the last step read and write arrays with halos as they do others. */
START_TEST(halos_take_no_further_step)
{
    const ptrdiff_t n[3] = {12, 10, 8};
    ptrdiff_t count[3], size[3], offset[3] = {1, 2, 1};
    weft_grid line = WEFT(grid_create)(MPI_COMM_WORLD, 1, NULL);
    weft_distribution slabs = WEFT(distribution_grid)(line, 3, n, NULL, 0);
    WEFT(distribution_box)(slabs, rank, NULL, count);
    for (int axis = 0; axis < 3; axis++)
        size[axis] = count[axis] + 3;
    weft_distribution haloed = WEFT(distribution_embedded)(slabs, size, offset);
    const int bare = steps(slabs), with = steps(haloed);
    all_true(bare > 0 && with == bare, "%d steps, without halos %d", with, bare);
    WEFT(distribution_free)(haloed);
    WEFT(distribution_free)(slabs);
    WEFT(grid_free)(line);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("plan facts");
    TCase *tests = tcase_create("facts");
    tcase_add_test(tests, good_sizes_are_the_next_ones);
    tcase_add_test(tests, memory_is_what_the_report_says);
    tcase_add_test(tests, layouts_are_those_of_the_sides);
    tcase_add_test(tests, layouts_of_boxes_are_kept);
    tcase_add_test(tests, halos_take_no_further_step);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
