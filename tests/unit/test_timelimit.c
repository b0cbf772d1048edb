/* SPDX-License-Identifier: BSD-3-Clause */
/* The limit that fftw_set_timelimit sets is read out of libfftw3, which does not tell it. */
#include "kernels/base/precision.h"
#include "planner/timelimit.h"
#include "tests/unit/harness.h"

START_TEST(there_is_none_unless_set)
{
    ck_assert(weft_timelimit() < 0);
    ck_assert(weft_timelimit() < 0);
}
END_TEST

static const double limits[] = {300, 0, 1e-9, 0.1, 123456789.0625, 1e300, FFTW_NO_TIMELIMIT};

/* Each test is a process of its own: here it is set before anybody looks for it. */
START_TEST(it_is_read_and_kept)
{
    FFTW(set_timelimit)(limits[_i]);
    ck_assert(weft_timelimit() == limits[_i]);
    ck_assert(weft_timelimit() == limits[_i]);
}
END_TEST

START_TEST(changes_are_seen)
{
    for (int i = 0; i < _i; i++) {
        FFTW(set_timelimit)(limits[i]);
        ck_assert(weft_timelimit() == limits[i]);
    }
    FFTW(cleanup)(); /* forgets it */
    ck_assert(weft_timelimit() < 0);
}
END_TEST

static Suite *suite(void)
{
    const int count = (int)(sizeof limits / sizeof *limits);
    Suite *suite = suite_create("time limit");
    TCase *tests = tcase_create(WEFT_PRECISION);
    tcase_add_test(tests, there_is_none_unless_set);
    tcase_add_loop_test(tests, it_is_read_and_kept, 0, count);
    tcase_add_loop_test(tests, changes_are_seen, 1, count + 1);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
