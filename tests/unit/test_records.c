/* SPDX-License-Identifier: BSD-3-Clause */
/* Records among other lines are read as they were written, and ignored if anything in them changed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "planner/wisdom/fftw.h"
#include "tests/unit/harness.h"

static const uint64_t KEY = UINT64_C(0x0123456789abcdef);

enum { CAPACITY = 3 * WEFT_RECORD_LINES };
static char text[CAPACITY];

static weft_record record(uint64_t key, int rigor, int generation, const char *decision)
{
    weft_record it = {
        .key = key, .rigor = (unsigned char)rigor, .generation = (unsigned char)generation};
    snprintf(it.decision, sizeof it.decision, "%s", decision);
    return it;
}

static void add(weft_record it)
{
    const size_t used = strlen(text);
    ck_assert_uint_le(used + WEFT_RECORD_LINES, sizeof text);
    weft_record_write(&it, text + used);
}

static void start(void)
{
    strcpy(text, "(fftw-3.3.10 fftw_wisdom #x458a31c8 #x92381c4c #x4f974889 #xcd46f97e\n"
                 "  (TIMEOUT 0 #x3ef7 #x3ef6 #x1 #x00000001 #x00000001 #x00000001 #x00000001)\n"
                 "  (TIMEOUT 0 #x3ef7 #x3ef7 #x2 #x00000001 #x00000001 #x00000001 #x00000001)\n"
                 "  (fftw_codelet_n1_64 0 #x31bff #x31bff #x0 #x1 #xe634e056 #xbf1ce0ea #x5f)\n");
}

/* Returns the decision for a key, "" if there is none. */
static const char *found(uint64_t key, int rigor)
{
    static weft_record it;
    return weft_record_find(text, key, rigor, &it) ? it.decision : "";
}

TEST(decisions_of_any_length_are_read_again)
{
    char decision[WEFT_DECISION_TEXT] = "";
    for (int length = 0; length < WEFT_DECISION_TEXT; length += length < 40 ? 1 : 167) {
        for (int i = 0; i < length; i++)
            decision[i] = (char)('!' + (i * 7 + length) % 90);
        decision[length] = '\0';
        start();
        add(record(KEY, 1, 0, decision));
        weft_record it;
        ck_assert_msg(weft_record_find(text, KEY, 0, &it), "%d letters are lost", length);
        ck_assert_str_eq(it.decision, decision);
        ck_assert_uint_eq(it.key, KEY);
        ck_assert_int_eq(it.rigor, 1);
    }
}

TEST(lines_may_come_in_any_order)
{
    static char lines[WEFT_RECORD_LINES];
    const weft_record it = record(KEY, 1, 0, "exchanges=shared,shared passes=6.gs-----:262144");
    weft_record_write(&it, lines);
    start();
    for (char *last; (last = strrchr(lines, '(')); *last = '\0') {
        strcat(text, last);
        last[strcspn(last, "\n")] = '\0';
    }
    ck_assert_str_eq(found(KEY, 1), it.decision);
}

/* Changes every letter of a record's lines in turn, or ends the text there. */
TEST(a_changed_or_cut_record_does_not_count, .to = 2)
{
    start();
    const size_t before = strlen(text);
    add(record(KEY, 1, 0, "exchanges=shared,shared"));
    const size_t end = strlen(text) - 1;
    for (size_t i = before; i < end; i++) {
        const char was = text[i];
        if (was == '\n' || (was == ' ' && strchr("\n ", text[i - 1])))
            continue; /* between lines */
        text[i] = _i ? '\0' : was == '1' ? '2' : '1';
        ck_assert_msg(!*found(KEY, 0), "a record with a change in letter %zu is found", i - before);
        text[i] = was;
    }
    ck_assert(*found(KEY, 0));
}

/* Changes a digit of one of two equal records, the first or the second. */
TEST(a_damaged_record_does_not_hide_the_same_one_whole, .to = 2)
{
    const weft_record it = record(KEY, 1, 0, "exchanges=shared,shared");
    start();
    const size_t first = strlen(text);
    add(it);
    const size_t second = strlen(text), length = second - first;
    add(it);
    const size_t begin = _i ? second : first;
    for (size_t i = begin; i < begin + length; i++) {
        const char was = text[i];
        if (!strchr("0123456789abcdef", was))
            continue;
        text[i] = was == '1' ? '2' : '1';
        ck_assert_msg(strcmp(found(KEY, 0), it.decision) == 0,
                      "a change in letter %zu hides the other record", i - begin);
        text[i] = was;
    }
}

TEST(the_most_rigor_counts_then_the_last)
{
    start();
    add(record(KEY, 1, 3, "exchanges=one"));
    add(record(KEY + 1, 3, 9, "exchanges=other"));
    add(record(KEY, 1, 4, "exchanges=two"));
    ck_assert_str_eq(found(KEY, 0), "exchanges=two");
    ck_assert_str_eq(found(KEY, 1), "exchanges=two");
    ck_assert_str_eq(found(KEY, 2), "");
    add(record(KEY, 2, 0, "exchanges=three"));
    ck_assert_str_eq(found(KEY, 1), "exchanges=three");
    ck_assert_str_eq(found(KEY + 1, 3), "exchanges=other");
    ck_assert_str_eq(found(KEY + (UINT64_C(1) << 40), 0), "");
}

TEST(of_two_equal_records_the_same_one_counts, .to = 2)
{
    start();
    add(record(KEY, 1, 0, _i ? "exchanges=a" : "exchanges=b"));
    add(record(KEY, 1, 0, _i ? "exchanges=b" : "exchanges=a"));
    ck_assert_str_eq(found(KEY, 1), "exchanges=a");
}

TEST(removing_records_leaves_the_rest)
{
    start();
    ck_assert(weft_records_remove(text)); /* the record of another version */
    ck_assert(!weft_records_remove(text));
    ck_assert(strstr(text, "#x3ef6") && strstr(text, "fftw_codelet_n1_64 0"));
    const size_t rest = strlen(text);
    add(record(KEY, 1, 0, "exchanges=shared"));
    strcat(text, ")\n");
    ck_assert(weft_records_remove(text));
    ck_assert_str_eq(found(KEY, 0), "");
    ck_assert_uint_eq(strspn(text + rest, " \n"), strlen(text + rest) - 2);
    text[strlen(text) - 2] = '\0';
    strcat(text, "  (TIMEOUT 0 #x3ef7 #x3ef7 #x1 #x0");
    ck_assert(weft_records_remove(text)); /* the cut record */
}

TEST(the_digest_of_a_key_is_the_same_for_all_rigors)
{
    const uint64_t of = weft_record_key("c2c 8x8 weft=0.1.0 rigor=measure");
    ck_assert_uint_eq(of, weft_record_key("c2c 8x8 weft=0.1.0 rigor=patient"));
    ck_assert_uint_ne(of, weft_record_key("c2c 8x8 weft=0.1.1 rigor=measure"));
}
