/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of plans of many kinds: JSON that parses, and the same facts as text. */
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
    int exchanges; /* between two ranks and more */
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

/* What is wrong with the two of them, "" if nothing; exchanges negative: any number is right. */
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
    const int tried = json_count(json_find(json, "candidates"));
    int lines = 0;
    for (const char *line = text; (line = strstr(line, "  tried ")); line++)
        lines++;
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
    if (plan) {
        char *json = written(plan, WEFT(plan_report_json)),
             *text = written(plan, WEFT(plan_report));
        judge(json, text, exchanges, wrong, sizeof wrong);
        free(json);
        free(text);
    }
    all_true(!wrong[0], "%s: %s", name, wrong);
}

START_TEST(slabs_are_reported)
{
    static const unsigned rigors[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT};
    for (int i = 0; i < 3; i++) {
        char name[DROPIN_TEXT];
        dropin_case it = dropin_single(&cases[_i].it, rigors[i]);
        it.sign = FFTW_FORWARD;
        WEFT(set_backend)(cases[_i].backend);
        FFTW(plan) plan = dropin_plan(&it, in, it.in_place ? in : out, MPI_COMM_WORLD);
        WEFT(set_backend)(NULL);
        dropin_describe(&it, name);
        /* with patience pencils in between may turn out faster, which takes more of them */
        check(plan, it.rank > 2 && rigors[i] == FFTW_PATIENT ? -1 : cases[_i].exchanges, name);
        if (plan)
            FFTW(destroy_plan)(plan);
    }
}
END_TEST

/* What is wrong with the account of so many runs that took so long in all, "" if nothing. */
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

/* Messages at once, in parts that overlap, in place; shared memory. */
static const char *const accounted[] = {"waitall", "waitsome", "pairwise", "shared"};

START_TEST(where_time_goes_is_kept_account_of)
{
    enum { RUNS = 3 };
    const bool messages = strcmp(accounted[_i], "shared") != 0;
    dropin_case it = dropin_single(&cases[0].it, FFTW_ESTIMATE);
    char name[DROPIN_TEXT], wrong[2][1000] = {"no plan", "no plan"};
    it.sign = FFTW_FORWARD;
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
END_TEST

START_TEST(grids_are_reported)
{
    const ptrdiff_t n[3] = {8, 12, 10};
    weft_grid grid = WEFT(grid_create)(MPI_COMM_WORLD, 2, NULL);
    FFTW(plan)
    plan = WEFT(plan_dft_r2c)(3, n, in, (FFTW(complex) *)(void *)out, grid, FFTW_MEASURE);
    check(plan, -1, "r2c 8x12x10 on a grid");
    if (plan)
        FFTW(destroy_plan)(plan);
    WEFT(grid_free)(grid);
}
END_TEST

START_TEST(other_plans_are_not)
{
    FFTW(plan)
    plan = FFTW(plan_r2r_1d)(8, in, out, FFTW_DHT, FFTW_ESTIMATE);
    char *json = written(plan, WEFT(plan_report_json)), *text = written(plan, WEFT(plan_report));
    const bool none = !json && !text && strstr(WEFT(last_error)(), "not one of Weft's");
    free(json);
    free(text);
    FFTW(destroy_plan)(plan);
    all_true(none, "\"%s\"", WEFT(last_error)());
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("report");
    TCase *tests = tcase_create("report");
    tcase_set_timeout(tests, 0);
    tcase_add_loop_test(tests, slabs_are_reported, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_loop_test(tests, where_time_goes_is_kept_account_of, 0,
                        (int)(sizeof accounted / sizeof *accounted));
    tcase_add_test(tests, grids_are_reported);
    tcase_add_test(tests, other_plans_are_not);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(int argc, char **argv)
{
    return run_mpi(&argc, &argv, suite);
}
