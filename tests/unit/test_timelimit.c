/* SPDX-License-Identifier: BSD-3-Clause */
/* Weft reads the limit of fftw_set_timelimit from the memory of libfftw3, which has no function for
 * it. While FFTW plans for a pass, its limit is the remaining time for planning; afterwards the
 * program's limit is back. */
#include <dlfcn.h>
#include <string.h>
#include "kernels/base/clock.h"
#include "kernels/base/precision.h"
#include "kernels/pass/libfftw3.h"
#include "kernels/pass/pass.h"
#include "tests/unit/harness.h"

/* Replaces libfftw3's function to record changes of the limit. All negative numbers mean no limit.
 */
enum { MOST_REPORTS = 1000 };
static double reported[MOST_REPORTS], last = FFTW_NO_TIMELIMIT;
static int tellings;

#define TEXT_OF(name) TEXT(name)
#define TEXT(name)    #name

void FFTW(set_timelimit)(double seconds)
{
    void (*its)(double);
    *(void **)&its = dlsym(RTLD_NEXT, TEXT_OF(FFTW(set_timelimit)));
    its(seconds);
    seconds = seconds < 0 ? FFTW_NO_TIMELIMIT : seconds;
    if (seconds != last)
        reported[tellings++ % MOST_REPORTS] = seconds;
    last = seconds;
}

static const double limits[] = {300, 0, 1e-9, 0.1, 123456789.0625, 1e300, FFTW_NO_TIMELIMIT};

/* Each test runs in a new process. Half of the tests read the limit before they set it. */
TEST(the_limit_and_its_changes_are_read, .to = 2 * NUMBER(limits))
{
    ck_assert(_i % 2 || weft_timelimit() < 0);
    for (int i = _i / 2; i < NUMBER(limits); i++) {
        FFTW(set_timelimit)(limits[i]);
        ck_assert(weft_timelimit() == limits[i]);
        ck_assert(weft_timelimit() == limits[i]);
    }
    FFTW(cleanup)(); /* resets the limit */
    ck_assert(weft_timelimit() < 0);
}

static double stopped(void)
{
    return 1000;
}

static weft_pass *pass_until(double until, const char *variant)
{
    enum { ROWS = 256, COLUMNS = 192 };
    weft_view_block block = {.count = ROWS, .stride = {COLUMNS, 1}};
    const weft_view view = {.blocks = 1, .block = &block};
    const weft_pass_spec spec = {.axes = 2,
                                 .size = {ROWS, COLUMNS},
                                 .kind = {WEFT_FORWARD, WEFT_KEEP},
                                 .source = view,
                                 .target = view,
                                 .in_place = true,
                                 .may_destroy = true,
                                 .fftw_flags = FFTW_MEASURE,
                                 .threads = 1,
                                 .variant = variant,
                                 .until = until};
    return weft_pass_create(&spec);
}

static const struct {
    double program, until, lowered; /* lowered is negative: the limit does not change */
} times_left[] = {{-1, 1000.25, 0.25}, {300, 1000.25, 0.25}, {-1, 999, 0},
                  {300, 1000, 0},      {0.125, 1000.25, -1}, {300, 0, -1}};

TEST(fftw_gets_the_remaining_time, .to = NUMBER(times_left))
{
    const double lowered = times_left[_i].lowered, program = times_left[_i].program;
    FFTW(set_timelimit)(program);
    ck_assert(weft_timelimit() == program);
    tellings = 0;
    weft_clock_set(stopped);
    weft_pass *pass = pass_until(times_left[_i].until, NULL);
    weft_clock_set(NULL);
    ck_assert_ptr_nonnull(pass);
    ck_assert_msg(lowered < 0 ? tellings == 0 : tellings > 0 && tellings < MOST_REPORTS,
                  "told %d times", tellings);
    for (int i = 0; i < tellings; i++)
        ck_assert_msg(reported[i] == (i % 2 ? program : lowered), "%d: %g s", i, reported[i]);
    ck_assert_int_eq(tellings % 2, 0);
    ck_assert(program < 0 ? weft_timelimit() < 0 : weft_timelimit() == program);
    weft_pass_destroy(pass);
}

TEST(known_passes_are_made_without_a_limit)
{
    weft_pass *pass = pass_until(0, NULL);
    ck_assert(weft_timelimit() < 0);
    char variant[200];
    snprintf(variant, sizeof variant, "%s", pass->variant);
    weft_pass_destroy(pass);
    tellings = 0;
    pass = pass_until(1e-9, variant);
    ck_assert_int_eq(tellings, 0);
    weft_pass_destroy(pass);
}
