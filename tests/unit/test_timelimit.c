/* SPDX-License-Identifier: BSD-3-Clause */
/* The limit that fftw_set_timelimit sets is read out of libfftw3, which does not tell it; what is
 * left of the time for planning is FFTW's limit while it plans for a pass, and not afterwards. */
#include <dlfcn.h>
#include <string.h>
#include "kernels/base/clock.h"
#include "kernels/base/precision.h"
#include "kernels/pass/libfftw3.h"
#include "kernels/pass/pass.h"
#include "tests/unit/harness.h"

/* In libfftw3's place, to see what it is told that is new; there are many ways to say that there is
 * no limit. */
enum { MOST_REPORTS = 1000 };
static double reported[MOST_REPORTS], last = FFTW_NO_TIMELIMIT;
static int tellings;

#define TEXT_OF(name) TEXT(name)
#define TEXT(name)    #name

void FFTW(set_timelimit)(double seconds)
{
    void (*its)(double);
    void *address = dlsym(RTLD_NEXT, TEXT_OF(FFTW(set_timelimit)));
    memcpy(&its, &address, sizeof its);
    its(seconds);
    seconds = seconds < 0 ? FFTW_NO_TIMELIMIT : seconds;
    if (seconds != last)
        reported[tellings++ % MOST_REPORTS] = seconds;
    last = seconds;
}

static const double limits[] = {300, 0, 1e-9, 0.1, 123456789.0625, 1e300, FFTW_NO_TIMELIMIT};

/* Each test is a process of its own. Somebody looks for the limit before it is set, or nobody. */
TEST(it_is_read_and_changes_are_seen, .to = 2 * NUMBER(limits))
{
    ck_assert(_i % 2 || weft_timelimit() < 0);
    for (int i = _i / 2; i < NUMBER(limits); i++) {
        FFTW(set_timelimit)(limits[i]);
        ck_assert(weft_timelimit() == limits[i]);
        ck_assert(weft_timelimit() == limits[i]);
    }
    FFTW(cleanup)(); /* forgets it */
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
    double program, until, lowered; /* lowered negative: it stays as it is */
} times_left[] = {{-1, 1000.25, 0.25}, {300, 1000.25, 0.25}, {-1, 999, 0},
                  {300, 1000, 0},      {0.125, 1000.25, -1}, {300, 0, -1}};

TEST(fftw_gets_what_is_left, .to = NUMBER(times_left))
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

TEST(what_is_known_is_made_whatever_it_takes)
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
