/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of plans of many kinds, as JSON that parses and as text with the same facts; and other
 * functions about plans: memory, layouts, good lengths. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/json.h"
#include "tests/mpi/dropin.h"
#include "tests/mpi/harness.h"
#include "api/weft.h"

enum { NUMBERS = 40000 };

static weft_real in[NUMBERS], out[NUMBERS];

static const struct {
    dropin_case it;
    const char *backend;
    int exchanges; /* with two or more ranks */
} cases[] = {
    {{.what = DROPIN_C2C, .rank = 3, .n = {16, 16, 6}, .flags = FFTW_MPI_TRANSPOSED_OUT}, NULL, 1},
    {{.what = DROPIN_C2C, .rank = 2, .n = {24, 16}}, "auto,waitsome", 2},
    {{.what = DROPIN_C2C, .rank = 1, .n = {1024}}, NULL, 3},
    {{.what = DROPIN_R2C, .rank = 3, .n = {8, 24, 10}, .in_place = true}, "alltoallw", 2},
    {{.what = DROPIN_C2R, .rank = 2, .n = {16, 30}}, "bruck:2", 2},
    {{.what = DROPIN_R2R, .rank = 2, .n = {16, 9}, .kind = {FFTW_REDFT10, FFTW_DHT}}, NULL, 2},
    {{.what = DROPIN_TRANSPOSE, .rank = 2, .n = {32, 16}}, "waitall/b:2", 1},
};

static char *written(FFTW(plan) plan, int (*report)(FFTW(plan), FILE *))
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    const int ok = report(plan, file);
    fclose(file);
    if (ok)
        return text;
    free(text);
    return NULL;
}

/* Writes what is wrong with the two reports, "" if nothing. Any number of exchanges is right if
 * `exchanges` is negative. */
static void judge(const char *json, const char *text, int exchanges, char *wrong, size_t capacity)
{
    size_t at;
    char name[64], path[64];
    wrong[0] = '\0';
    if (!json_valid(json, &at)) {
        snprintf(wrong, capacity, "not JSON at byte %zu: %.200s", at, json + at);
        return;
    }
    const int found = json_count(json_find(json, "exchanges"));
    if (found < 0 || (ranks > 1 && exchanges >= 0 && found != exchanges))
        snprintf(wrong, capacity, "%d exchanges: %s", found, text);
    for (int i = 0; i < found; i++) {
        snprintf(path, sizeof path, "exchanges.%d.backend", i);
        if (!json_string_of(json, path, name, sizeof name) || !strstr(text, name))
            snprintf(wrong, capacity, "exchange %d is not in the text: %s", i, text);
        snprintf(path, sizeof path, "exchanges.%d.bytes", i);
        const double bytes = json_number_of(json, path);
        char words[64];
        snprintf(words, sizeof words, " %.0f bytes ", bytes);
        if (bytes < 0 || (ranks > 1 && !strstr(text, words)))
            snprintf(wrong, capacity, "bytes%sare not in the text: %s", words, text);
        snprintf(path, sizeof path, "exchanges.%d.messages", i);
        const double messages = json_number_of(json, path);
        if (messages < 0 || (strcmp(name, "shared") == 0 && messages > 0))
            snprintf(wrong, capacity, "%g messages by %s", messages, name);
    }
    const int tried = json_count(json_find(json, "candidates")),
              lines = occurrences(text, "  tried ");
    if (tried != lines)
        snprintf(wrong, capacity, "%d candidates, but %d lines of them: %s", tried, lines, text);
    if (json_number_of(json, "planning_seconds") < 0 || !strstr(text, "planned in ") ||
        json_number_of(json, "workspace_bytes") < 0 || !strstr(text, "workspace ") ||
        json_number_of(json, "rank") != rank || json_number_of(json, "ranks") != ranks ||
        json_count(json_find(json, "steps")) < 1)
        snprintf(wrong, capacity, "facts are missing: %s", json);
}

static void check(FFTW(plan) plan, int exchanges, const char *name)
{
    char wrong[1000] = "no plan";
    ptrdiff_t borrowed = -1, shared = -1;
    if (plan) {
        const ptrdiff_t both = WEFT(plan_memory)(plan, &borrowed, &shared);
        char *json = written(plan, WEFT(plan_report_json)),
             *text = written(plan, WEFT(plan_report));
        judge(json, text, exchanges, wrong, sizeof wrong);
        if (json_number_of(json, "workspace_bytes") != (double)borrowed ||
            json_number_of(json, "shared_bytes") != (double)shared || both != borrowed + shared)
            snprintf(wrong, sizeof wrong, "%td and %td bytes: %.600s", borrowed, shared, json);
        free(json);
        free(text);
    }
    all_true(!wrong[0], "%s: %s", name, wrong);
}

TEST(slabs_are_reported, .to = NUMBER(cases))
{
    static const unsigned rigors[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT};
    for (int i = 0; i < 3; i++) {
        char name[DROPIN_TEXT];
        dropin_case it = dropin_single(&cases[_i].it, rigors[i]);
        WEFT(set_backend)(cases[_i].backend);
        FFTW(plan) plan = dropin_plan(&it, in, it.in_place ? in : out, MPI_COMM_WORLD);
        WEFT(set_backend)(NULL);
        dropin_describe(&it, name);
        /* with PATIENT, pencils may be faster, which need more exchanges */
        check(plan, it.rank > 2 && rigors[i] == FFTW_PATIENT ? -1 : cases[_i].exchanges, name);
        FFTW(destroy_plan)(plan);
    }
}

/* Writes what is wrong with the times of so many runs that took `took` seconds in total, "" if
 * nothing. */
static void judge_account(const char *json, int runs, double took, bool messages, char *wrong,
                          size_t capacity)
{
    const double passes = json_number_of(json, "pass_seconds"),
                 exchanges = json_number_of(json, "exchange_seconds"),
                 waits = json_number_of(json, "wait_seconds");
    wrong[0] = '\0';
    if (json_number_of(json, "counted_runs") != runs || passes < 0 || exchanges < 0 || waits < 0 ||
        passes + exchanges + waits > took * 1.0001 + 1e-6 || (runs > 0) != (passes > 0) ||
        (ranks > 1 && runs > 0 && (messages ? exchanges == 0 || waits > 0 : exchanges > 0)))
        snprintf(wrong, capacity, "%d runs in %g s: %.600s", runs, took, json);
}

/* Backends: all messages at once, in the order of arrival, in place; shared memory. */
static const char *const accounted[] = {"waitall", "waitsome", "pairwise", "shared"};

TEST(reports_say_where_time_goes, .to = NUMBER(accounted))
{
    enum { RUNS = 3 };
    const bool messages = strcmp(accounted[_i], "shared") != 0;
    dropin_case it = dropin_single(&cases[0].it, FFTW_ESTIMATE);
    char name[DROPIN_TEXT], wrong[2][1000] = {"no plan", "no plan"};
    it.in_place = strcmp(accounted[_i], "pairwise") == 0;
    WEFT(set_backend)(accounted[_i]);
    FFTW(plan) plan = dropin_plan(&it, in, it.in_place ? in : out, MPI_COMM_WORLD);
    WEFT(set_backend)(NULL);
    dropin_describe(&it, name);
    if (plan) {
        FFTW(execute)(plan); /* this one is not counted */
        char *before = written(plan, WEFT(plan_report_json));
        const double begin = MPI_Wtime();
        for (int run = 0; run < RUNS; run++)
            FFTW(execute)(plan);
        const double took = MPI_Wtime() - begin;
        char *after = written(plan, WEFT(plan_report_json));
        judge_account(before, 0, 0, messages, wrong[0], sizeof wrong[0]);
        judge_account(after, RUNS, took, messages, wrong[1], sizeof wrong[1]);
        free(before);
        free(after);
        FFTW(destroy_plan)(plan);
    }
    all_true(!wrong[0][0] && !wrong[1][0], "%s by %s: %s %s", name, accounted[_i], wrong[0],
             wrong[1]);
}

TEST(grids_are_reported)
{
    const ptrdiff_t n[3] = {8, 12, 10};
    weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, 2, NULL);
    FFTW(plan)
    plan = WEFT(plan_dft_r2c)(3, n, in, (FFTW(complex) *)(void *)out, grid, FFTW_MEASURE);
    check(plan, -1, "r2c 8x12x10 on a grid");
    FFTW(destroy_plan)(plan);
    WEFT(grid_free)(grid);
}

TEST(plans_of_libfftw3_have_no_report)
{
    FFTW(plan)
    plan = FFTW(plan_r2r_1d)(8, in, out, FFTW_DHT, FFTW_ESTIMATE);
    char *json = written(plan, WEFT(plan_report_json)), *text = written(plan, WEFT(plan_report));
    const bool none = !json && !text && WEFT(plan_memory)(plan, NULL, NULL) < 0 &&
                      !WEFT(plan_layout)(plan, MPI_COMM_WORLD, 0) &&
                      strstr(WEFT(last_error)(), "not one of Weft's");
    free(json);
    free(text);
    FFTW(destroy_plan)(plan);
    all_true(none, "\"%s\"", WEFT(last_error)());
}

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

TEST(good_sizes_are_the_next_ones)
{
    bool right = true;
    for (int parts = 1; parts <= 30; parts++)
        for (ptrdiff_t n = 1; n <= 500; n++) {
            ptrdiff_t size = n;
            while (!fast(size) || (fast(parts) && size % parts != 0))
                size++;
            right = right && WEFT(good_size)(n, parts) == size;
        }
    all_true(right, "the next length is another one");
    all_true(WEFT(good_size)(PTRDIFF_MAX / 3, 1) >= PTRDIFF_MAX / 3, "a long one");
    refused(WEFT(good_size)(PTRDIFF_MAX, 1), "there is no length of at least");
    refused(WEFT(good_size)(0, 1), "at least 1");
}

/* Transposed slabs: n1 is divided, and slowest in memory; a redistribution from this layout works.
 */
TEST(plans_have_the_layouts_of_their_sides)
{
    const ptrdiff_t n[3] = {6, 5, 4};
    ptrdiff_t n0, start0, n1, start1, start[3], count[3];
    int order[3];
    FFTW(plan)
    plan = FFTW(mpi_plan_dft_r2c_3d)(n[0], n[1], n[2], NULL, NULL, MPI_COMM_WORLD,
                                     FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
    FFTW(mpi_local_size_3d_transposed)
    (n[0], n[1], n[2] / 2 + 1, MPI_COMM_WORLD, &n0, &start0, &n1, &start1);
    weft_distribution before = WEFT(plan_layout)(plan, MPI_COMM_WORLD, 0),
                      after = WEFT(plan_layout)(plan, MPI_COMM_WORLD, 1);
    FFTW(destroy_plan)(plan);
    int boxes = WEFT(distribution_list)(before, rank, order, start, count);
    bool right = boxes == (n0 > 0) && order[0] == 0 && order[1] == 1 && order[2] == 2 &&
                 (!boxes || (start[0] == start0 && count[0] == n0 && count[2] == n[2]));
    boxes = WEFT(distribution_list)(after, rank, order, start, count);
    right = right && boxes == (n1 > 0) && order[0] == 1 && order[1] == 0 && order[2] == 2 &&
            (!boxes || (start[1] == start1 && count[1] == n1 && count[2] == n[2] / 2 + 1));
    all_true(right, "other boxes, or another order");
    plan = WEFT(plan_redistribute)(after, after, 2, NULL, NULL, FFTW_ESTIMATE);
    all_true(plan, "%s", WEFT(last_error)());
    FFTW(destroy_plan)(plan);
    all_true(!WEFT(plan_redistribute)(before, after, 2, NULL, NULL, FFTW_ESTIMATE), "a plan");
    WEFT(distribution_free)(before);
    WEFT(distribution_free)(after);
}

/* The program may free the distributions of a plan before it reads the plan's layouts. */
TEST(layouts_of_boxes_are_kept)
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

/* Counts the steps of a plan: one line for each pass and exchange. */
static int steps(weft_distribution both)
{
    const int kind[3] = {WEFT_DFT_FORWARD, WEFT_DFT_FORWARD, WEFT_DFT_FORWARD};
    FFTW(plan)
    plan = WEFT(plan_between)(both, both, 1, NULL, NULL, kind, FFTW_ESTIMATE);
    char *text = plan ? FFTW(sprint_plan)(plan) : NULL;
    const int lines = text ? occurrences(text, "\n") : 0;
    free(text);
    FFTW(destroy_plan)(plan);
    return lines;
}

/* The first and the last step read and write arrays with halos directly. */
TEST(halos_take_no_further_step)
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
