/* SPDX-License-Identifier: BSD-3-Clause */
/* Wisdom as text: it comes back as it went, merges, and survives being cut anywhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "tests/unit/harness.h"
#include "tests/unit/lessons.h"
#include "planner/wisdom/wisdom.h"

static void setup(void)
{
    weft_wisdom_forget();
    weft_error_clear();
}

START_TEST(what_is_learnt_is_found_and_the_later_counts)
{
    expect("a", NULL);
    ck_assert(weft_wisdom_learn("a", "one"));
    ck_assert(weft_wisdom_learn("a b", "two"));
    ck_assert(weft_wisdom_learn("a", "three"));
    expect("a", "three");
    expect("a b", "two");
    expect("a ", NULL);
    ck_assert(weft_wisdom_begins("a bc", 3) && !weft_wisdom_begins("b", 1));
    weft_wisdom_drop("a");
    weft_wisdom_drop("a "); /* there is none */
    expect("a", NULL);
    expect("a b", "two");
    weft_wisdom_forget();
    expect("a b", NULL);
}
END_TEST

/* Every third one is dropped, every second learnt again. */
START_TEST(thousands_are_found_by_their_keys)
{
    enum { THOUSANDS = 200000 }; /* one by one, minutes */
    char key[32], decision[32];
    for (int round = 1; round <= 2; round++)
        for (int i = 0; i < THOUSANDS; i += round) {
            snprintf(key, sizeof key, "key %d", i);
            snprintf(decision, sizeof decision, "%d of %d", i, round);
            ck_assert(weft_wisdom_learn(key, decision));
        }
    for (int i = 0; i < THOUSANDS; i += 3) {
        snprintf(key, sizeof key, "key %d", i);
        weft_wisdom_drop(key);
    }
    char *text = weft_wisdom_text();
    weft_wisdom_forget();
    ck_assert_int_eq(weft_wisdom_add(text).used, THOUSANDS - (THOUSANDS + 2) / 3);
    free(text);
    for (int i = 0; i < THOUSANDS; i++) {
        snprintf(key, sizeof key, "key %d", i);
        snprintf(decision, sizeof decision, "%d of %d", i, i % 2 ? 1 : 2);
        expect(key, i % 3 ? decision : NULL);
    }
}
END_TEST

static const char *const bad_words[][2] = {
    {"", "x"},   {"a => b", "x"}, {"a\n", "x"}, {"a", "x\n"},
    {"#a", "x"}, {"a\x80", "x"},  {"a", "\t"},
};

START_TEST(words_that_would_not_come_back_are_refused)
{
    ck_assert(!weft_wisdom_learn(bad_words[_i][0], bad_words[_i][1]));
    ck_assert_msg(strstr(weft_error_text(), "do not fit a line of wisdom"), "%s",
                  weft_error_text());
}
END_TEST

START_TEST(a_line_of_the_longest_kind_comes_back_and_a_longer_one_is_refused)
{
    char decision[WEFT_WISDOM_LINE];
    size_t most = 0;
    for (size_t length = WEFT_WISDOM_LINE - 40; length < sizeof decision; length++) {
        memset(decision, 'd', length);
        decision[length] = '\0';
        if (weft_wisdom_learn("key", decision))
            most = length;
    }
    ck_assert_uint_gt(most, WEFT_WISDOM_LINE - 40);
    memset(decision, 'd', most);
    decision[most] = '\0';
    char *text = weft_wisdom_text();
    weft_wisdom_forget();
    ck_assert_int_eq(weft_wisdom_add(text).used, 1);
    expect("key", decision);
    free(text);
}
END_TEST

START_TEST(text_makes_the_round_trip)
{
    learn_many();
    char *text = weft_wisdom_text();
    ck_assert_ptr_nonnull(text);
    weft_wisdom_forget();
    const weft_wisdom_tally tally = weft_wisdom_add(text);
    ck_assert_int_eq(tally.used, MANY);
    ck_assert_int_eq(tally.damaged + tally.other, 0);
    ck_assert_int_eq(count_many(), MANY);
    char *again = weft_wisdom_text();
    ck_assert_str_eq(text, again);
    free(again);
    free(text);
}
END_TEST

START_TEST(texts_merge_by_writing_one_after_another)
{
    ck_assert(weft_wisdom_learn("a", "old"));
    ck_assert(weft_wisdom_learn("b", "b"));
    char *first = weft_wisdom_text();
    weft_wisdom_forget();
    ck_assert(weft_wisdom_learn("a", "new"));
    ck_assert(weft_wisdom_learn("c", "c"));
    char *second = weft_wisdom_text(), both[2000];
    weft_wisdom_forget();
    snprintf(both, sizeof both, "%s%s", first, second);
    ck_assert_int_eq(weft_wisdom_add(both).used, 4);
    expect("a", "new");
    expect("b", "b");
    expect("c", "c");
    free(first);
    free(second);
}
END_TEST

START_TEST(a_text_cut_anywhere_keeps_its_whole_lines)
{
    learn_many();
    char *text = weft_wisdom_text();
    const size_t length = strlen(text);
    for (size_t cut = 0; cut <= length; cut++) {
        char *part = strndup(text, cut);
        int lines = 0;
        for (size_t i = 0; i < cut; i++)
            lines += text[i] == '\n';
        weft_wisdom_forget();
        const weft_wisdom_tally tally = weft_wisdom_add(part);
        const bool end_missing = cut < length && text[cut] == '\n' && lines > 0;
        const int expected = (lines > 0 ? lines - 1 : 0) + end_missing;
        ck_assert_msg(tally.used == expected, "cut at %zu: %d used, not %d", cut, tally.used,
                      expected);
        ck_assert_int_eq(count_many(), expected);
        free(part);
    }
    free(text);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("wisdom");
    TCase *tests = tcase_create("wisdom");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, what_is_learnt_is_found_and_the_later_counts);
    tcase_add_test(tests, thousands_are_found_by_their_keys);
    tcase_add_loop_test(tests, words_that_would_not_come_back_are_refused, 0,
                        (int)(sizeof bad_words / sizeof *bad_words));
    tcase_add_test(tests, a_line_of_the_longest_kind_comes_back_and_a_longer_one_is_refused);
    tcase_add_test(tests, text_makes_the_round_trip);
    tcase_add_test(tests, texts_merge_by_writing_one_after_another);
    tcase_add_test(tests, a_text_cut_anywhere_keeps_its_whole_lines);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
