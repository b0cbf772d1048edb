/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of caches, whatever machine this is. */
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

static Suite *suite(void)
{
    TCase *tests = tcase_create("sizes");
    tcase_add_test(tests, cache_sizes_are_sane);
    Suite *suite = suite_create("cache");
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
