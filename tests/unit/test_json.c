/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of JSON in tools/json.c accepts JSON and nothing else. */
#include "tools/json.h"
#include "tests/unit/harness.h"

static const char *const good[] = {
    "0", " [ ] ", "{}", "-1.5e+3", "\"\\u00e9\\n\"", "{\"a\": [1, 2, {\"b\": null}], \"c\": true}",
};
static const char *const bad[] = {
    "",        "01",        "1.",      ".5",       "+1",         "nan", "inf",
    "[1,]",    "[1 2]",     "{\"a\"}", "{a: 1}",   "{\"a\":1,}", "'a'", "\"a",
    "\"\\x\"", "\"\\u12\"", "\"\n\"",  "[1] 2",    "tru",        "1e",  "{\"a\": 1, \"a\": 2}",
    "[",       "{\"a\": }", "-",       "\"\x7f\"",
};

TEST(json_is_accepted, .to = NUMBER(good))
{
    size_t at;
    ck_assert_msg(json_valid(good[_i], &at), "%s: wrong at %zu", good[_i], at);
}

TEST(other_texts_are_refused, .to = NUMBER(bad))
{
    ck_assert_msg(!json_valid(bad[_i], NULL), "%s", bad[_i]);
}

/* Names are compared on one level only; otherwise each level would double the time. */
TEST(a_deep_object_takes_no_longer)
{
    char text[1000] = "";
    for (int level = 0; level < 60; level++)
        strcat(text, "{\"a\": ");
    strcat(text, "0");
    for (int level = 0; level < 60; level++)
        strcat(text, ", \"b\": 0}");
    ck_assert(json_valid(text, NULL));
    ck_assert_double_eq(json_number_of(text, "a.a.b"), 0);
}

TEST(values_are_found)
{
    char string[10];
    const char *text = "{\"a\": [1, -2.5, {\"b\": \"x\\\"\\u0041\"}], \"ab\": {}, \"c\": true}";
    ck_assert_double_eq(json_number_of(text, "a.1"), -2.5);
    ck_assert(json_string_of(text, "a.2.b", string, sizeof string));
    ck_assert_str_eq(string, "x\"A");
    ck_assert_int_eq(json_count(json_find(text, "")), 3);
    ck_assert_int_eq(json_count(json_find(text, "a")), 3);
    ck_assert_int_eq(json_count(json_find(text, "ab")), 0);
    ck_assert_ptr_null(json_find(text, "b"));
    ck_assert_ptr_null(json_find(text, "a.3"));
}
