/* SPDX-License-Identifier: BSD-3-Clause */
/* FFTW's estimated plans: all passes with the same problem share one. After fftw_cleanup has made
 * the plans invalid, Weft neither uses nor destroys them. */
#include <dlfcn.h>
#include <math.h>
#include "kernels/base/precision.h"
#include "kernels/pass/libfftw3.h"
#include "kernels/pass/pass.h"
#include "kernels/pass/plans.h"
#include "tests/unit/harness.h"

/* Replaces libfftw3's function to count its calls. */
static int made;

#define TEXT_OF(name) TEXT(name)
#define TEXT(name)    #name

FFTW(plan)
FFTW(plan_guru64_dft)
(int rank, const FFTW(iodim64) * dims, int many, const FFTW(iodim64) * loops, FFTW(complex) * in,
 FFTW(complex) * out, int sign, unsigned flags)
{
    __typeof__(FFTW(plan_guru64_dft)) *its;
    *(void **)&its = dlsym(RTLD_NEXT, TEXT_OF(FFTW(plan_guru64_dft)));
    made++;
    return its(rank, dims, many, loops, in, out, sign, flags);
}

static weft_pass *pass_of(ptrdiff_t size, weft_kind kind, unsigned flags)
{
    weft_view_block block = {.count = size, .stride = {1}};
    const weft_view view = {.blocks = 1, .block = &block};
    const weft_pass_spec spec = {.axes = 1,
                                 .size = {size},
                                 .kind = {kind},
                                 .source = view,
                                 .target = view,
                                 .in_place = true,
                                 .may_destroy = true,
                                 .fftw_flags = flags,
                                 .threads = 1};
    weft_pass *pass = weft_pass_create(&spec);
    ck_assert_ptr_nonnull(pass);
    return pass;
}

static weft_pass *estimated(ptrdiff_t size)
{
    return pass_of(size, WEFT_FORWARD, FFTW_ESTIMATE);
}

enum { POINTS = 12 };

/* The transform of a single 1 at place 1 is the powers of a root of unity. */
static void check_runs(weft_pass *pass)
{
    _Alignas(64) weft_real number[2 * POINTS] = {[2] = 1};
    void *array = number, *workspace = FFTW(malloc)(pass->workspace + 1);
    weft_pass_run(pass, (const void *const *)&array, &array, workspace);
    FFTW(free)(workspace);
    for (int k = 0; k < POINTS; k++) {
        const double angle = 2 * 3.14159265358979323846 * k / POINTS;
        ck_assert_double_eq_tol((double)number[2 * k], cos(angle), 1e-6);
        ck_assert_double_eq_tol((double)number[2 * k + 1], -sin(angle), 1e-6);
    }
}

TEST(equal_passes_share_one_plan)
{
    weft_pass *first = estimated(POINTS), *second = estimated(POINTS);
    ck_assert_int_eq(made, 1);
    weft_pass_destroy(first);
    check_runs(second);
    weft_pass_destroy(second);
    ck_assert_int_eq(weft_fftw_plans_idle(), 1);
    weft_pass *third = estimated(POINTS);
    ck_assert_int_eq(made, 1);
    ck_assert_int_eq(weft_fftw_plans_idle(), 0);
    check_runs(third);
    weft_pass_destroy(third);
}

TEST(different_passes_have_different_plans)
{
    weft_pass *pass[] = {estimated(POINTS), estimated(POINTS + 1),
                         pass_of(POINTS, WEFT_BACKWARD, FFTW_ESTIMATE),
                         pass_of(POINTS, WEFT_FORWARD, FFTW_ESTIMATE | FFTW_UNALIGNED)};
    ck_assert_int_eq(made, 4);
    check_runs(pass[0]);
    check_runs(pass[3]);
    for (int i = 0; i < 4; i++)
        weft_pass_destroy(pass[i]);
}

/* Both idle plans, and plans in use (which a correct program does not have then), which stay. */
TEST(plans_of_another_planner_are_not_touched, .to = 2)
{
    static weft_pass *used;
    weft_pass *idle = estimated(POINTS);
    used = _i ? estimated(POINTS + 1) : NULL;
    weft_pass_destroy(idle);
    FFTW(cleanup)();
    weft_pass *pass = estimated(POINTS), *other = estimated(POINTS + 1);
    ck_assert_int_eq(made, used ? 4 : 3);
    check_runs(pass);
    weft_pass_destroy(pass);
    weft_pass_destroy(other);
    ck_assert_int_eq(weft_fftw_plans_idle(), 0);
    if (used)
        weft_fftw_plans_cleanup();
}

TEST(cleanup_destroys_all_plans)
{
    weft_pass_destroy(estimated(POINTS));
    weft_fftw_plans_cleanup();
    ck_assert_int_eq(weft_fftw_plans_idle(), 0);
    FFTW(cleanup)();
    weft_pass_destroy(estimated(POINTS));
    weft_pass_destroy(estimated(POINTS));
    ck_assert_int_eq(made, 2);
}

TEST(a_time_limit_of_the_program_stays)
{
    weft_pass_destroy(estimated(POINTS));
    FFTW(set_timelimit)(300);
    weft_pass_destroy(estimated(POINTS));
    ck_assert_int_eq(made, 2);
    ck_assert(weft_timelimit() == 300);
}

TEST(few_idle_plans_stay)
{
    enum { SIZES = 300, MOST = 128, LONG = 5000 };
    weft_pass *pass[SIZES];
    for (int i = 0; i < SIZES; i++)
        pass[i] = estimated(POINTS + i);
    for (int i = 0; i < SIZES; i++)
        weft_pass_destroy(pass[i]);
    const int stay = weft_fftw_plans_idle();
    ck_assert(stay > MOST / 2 && stay <= MOST);
    made = 0;
    for (int i = 0; i < SIZES; i++)
        weft_pass_destroy(estimated(POINTS + i));
    ck_assert(made >= SIZES - stay && made < SIZES); /* some were still there */
    weft_fftw_plans_cleanup();
    weft_pass_destroy(estimated(LONG));
    ck_assert_int_eq(weft_fftw_plans_idle(), 0);
}

/* FFTW's wisdom then has a better plan. */
TEST(measuring_destroys_idle_plans)
{
    weft_pass_destroy(estimated(POINTS));
    weft_pass_destroy(pass_of(POINTS, WEFT_FORWARD, FFTW_MEASURE));
    ck_assert_int_eq(weft_fftw_plans_idle(), 0);
}
