/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of caches, whatever machine this is, or is said to be. */
#include "kernels/base/cache.h"
#include "tests/unit/harness.h"

START_TEST(cache_sizes_are_sane)
{
    ck_assert_uint_ge(weft_cache_level2(), 64 << 10);
    ck_assert_uint_ge(weft_cache_last(), weft_cache_level2());
    ck_assert_uint_eq(weft_cache_last(), weft_cache_last());
    ck_assert_uint_ge(weft_cache_share(), weft_cache_level2());
    ck_assert_uint_le(weft_cache_share(), weft_cache_last());
}
END_TEST

START_TEST(what_the_user_says_counts)
{
    const size_t second = weft_cache_level2(), share = weft_cache_share();
    const int cores = weft_cores();
    ck_assert(weft_machine_tell("l2=2M,l3=105M cores=2"));
    ck_assert_uint_eq(weft_cache_level2(), 2 << 20);
    ck_assert_uint_eq(weft_cache_last(), 105 << 20);
    ck_assert_uint_eq(weft_cache_share(), 16 << 20); /* not half of what others use, too */
    ck_assert_int_eq(weft_cores(), 2);
    ck_assert(weft_machine_tell("l2=1M,l3=32M cores=8"));
    ck_assert_uint_eq(weft_cache_share(), 4 << 20);
    ck_assert(weft_machine_tell("l3=0 l2=8192K"));
    ck_assert_uint_eq(weft_cache_last(), 8 << 20);
    ck_assert_uint_eq(weft_cache_share(), 8 << 20);
    ck_assert_int_eq(weft_cores(), cores);
    ck_assert(weft_machine_tell("unknown"));
    ck_assert_uint_eq(weft_cache_level2(), 512 << 10);
    ck_assert(weft_machine_tell(NULL));
    ck_assert_uint_eq(weft_cache_level2(), second);
    ck_assert_uint_eq(weft_cache_share(), share);
}
END_TEST

START_TEST(what_makes_no_sense_changes_nothing)
{
    static const char longest[] =
        "cores=0000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "00000000000000000000000000000000000000000000000000000000000000000000000001";
    static const char *const wrong[] = {"fast",         "l2",
                                        "l2=",          "l2=1",
                                        "l2=-1M",       "l2=1MB",
                                        "l2=1T",        "l2=99999999999999999999G",
                                        "l3=1K",        "cores=0",
                                        "cores=100000", "l2=1M l4=2M",
                                        "l2 = 1M",      "unknown l2=1M",
                                        longest};
    ck_assert(weft_machine_tell("l2=1M"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(!weft_machine_tell(wrong[i]), "%s", wrong[i]);
        ck_assert_uint_eq(weft_cache_level2(), 1 << 20);
    }
    ck_assert(weft_machine_tell(""));
}
END_TEST

static Suite *suite(void)
{
    TCase *tests = tcase_create("sizes");
    tcase_add_test(tests, cache_sizes_are_sane);
    tcase_add_test(tests, what_the_user_says_counts);
    tcase_add_test(tests, what_makes_no_sense_changes_nothing);
    Suite *suite = suite_create("cache");
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
