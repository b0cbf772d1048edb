/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of invented plans: JSON is valid with any names and times, and both reports have all
 * candidates. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/json.h"
#include "planner/plan.h"
#include "tests/unit/harness.h"

static char *written(const weft_plan *plan, void (*report)(const weft_plan *, FILE *))
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    report(plan, file);
    fclose(file);
    return text;
}

static const char *const names[] = {
    "c2c 8x8", "a \"name\" in quotes", "back\\slash", "line\nend\tand tab\x01", "caf\xc3\xa9", "",
};

TEST(names_are_escaped, .to = NUMBER(names))
{
    char back[100];
    size_t at;
    weft_plan plan = {.problem = {.ranks = 3, .rank = 1}};
    strcpy(plan.problem.text, names[_i]);
    weft_tried_add(&plan.tried, &(weft_candidate){.model = -1, .seconds = -1}, "%s", names[_i]);
    char *text = written(&plan, weft_report_json);
    ck_assert_msg(json_valid(text, &at), "wrong at %zu of %s", at, text);
    ck_assert(json_string_of(text, "problem", back, sizeof back));
    ck_assert_str_eq(back, names[_i]);
    ck_assert(json_string_of(text, "candidates.0.what", back, sizeof back));
    ck_assert_str_eq(back, names[_i]);
    ck_assert_double_eq(json_number_of(text, "rank"), 1);
    free(text);
    weft_tried_free(&plan.tried);
}

TEST(reports_have_all_candidates_and_their_times)
{
    char path[64], what[32], line[64], *json, *text;
    weft_plan plan = {.problem = {.ranks = 2, .flags = FFTW_EXHAUSTIVE},
                      .workspace = 4096,
                      .planning_seconds = 0.25};
    weft_candidate candidate[] = {{.seconds = -1, .outcome = WEFT_FAILED},
                                  {.seconds = 0.002, .runs = 3, .outcome = WEFT_DROPPED},
                                  {.seconds = 0.001, .runs = 7, .outcome = WEFT_CHOSEN},
                                  {.seconds = -1, .outcome = WEFT_UNTRIED}};
    for (int i = 0; i < WEFT_MAX_TRIED + 5; i++) {
        candidate[i % 4].model = i % 2 ? 0.5 : -1;
        weft_tried_add(&plan.tried, &candidate[i % 4], "method %d", i);
    }
    json = written(&plan, weft_report_json);
    text = written(&plan, weft_report);
    ck_assert(json_valid(json, NULL));
    ck_assert_int_eq(json_count(json_find(json, "candidates")), WEFT_MAX_TRIED);
    ck_assert_double_eq(json_number_of(json, "workspace_bytes"), 4096);
    ck_assert_double_eq(json_number_of(json, "planning_seconds"), 0.25);
    ck_assert(strstr(text, "workspace 4096 bytes") && strstr(text, "planned in 0.25 s"));
    for (int i = 0; i < WEFT_MAX_TRIED; i++) {
        static const char *const outcomes[] = {"failed", "dropped", "chosen", "untried"};
        snprintf(path, sizeof path, "candidates.%d.outcome", i);
        ck_assert(json_string_of(json, path, what, sizeof what));
        ck_assert_str_eq(what, outcomes[i % 4]);
        snprintf(path, sizeof path, "candidates.%d.seconds", i);
        ck_assert_double_eq(json_number_of(json, path), i % 4 == 1   ? 0.002
                                                        : i % 4 == 2 ? 0.001
                                                                     : -1);
        snprintf(line, sizeof line, "tried method %d: ", i);
        ck_assert_msg(strstr(text, line), "%s is not in %s", line, text);
    }
    ck_assert(strstr(text, "tried method 2: 0.001 s in 7 runs, chosen"));
    ck_assert(strstr(text, "tried method 1: 0.002 s in 3 runs, the model said 0.5 s, dropped"));
    free(json);
    free(text);
    weft_tried_free(&plan.tried);
}

static const char *const by[] = {"the model", "timing", "wisdom", "the user"};

TEST(reports_say_who_chose, .to = NUMBER(by))
{
    char said[32];
    const weft_plan plan = {
        .problem = {.ranks = 2}, .source = (weft_decision_source)_i, .cut_short = _i == 1};
    char *json = written(&plan, weft_report_json);
    ck_assert(json_string_of(json, "found_by", said, sizeof said));
    ck_assert_str_eq(said, by[_i]);
    ck_assert_int_eq(strncmp(json_find(json, "cut_short"), "true", 4) == 0, _i == 1);
    free(json);
}
