/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of real numbers by complex transforms of half the length: folding alone, against the
 * definition, and when passes do so. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/error.h"
#include "kernels/pass/arithmetic.h"
#include "kernels/pass/pass.h"
#include "tests/unit/harness.h"

#ifdef WEFT_SINGLE
#define ROUNDING FLT_EPSILON
#else
#define ROUNDING DBL_EPSILON
#endif

/* Roundings: a few, or those of the definition where long doubles are no longer than double. */
enum { ENOUGH = 64 };

static const long double turn = 6.28318530717958647692528676655900577L;
static const ptrdiff_t lengths[] = {16, 18, 20, 22, 24, 26, 28,  30,
                                    32, 34, 36, 50, 64, 90, 128, 1022};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static void fill(ptrdiff_t count, weft_real *to)
{
    static unsigned long state = 1;
    for (ptrdiff_t i = 0; i < count; i++) {
        state = (state * 1103515245 + 12345) % 2147483648UL;
        to[i] = (weft_real)state / (weft_real)1073741824 - 1;
    }
}

/* Cosine and sine of k turns / n. */
static const long double *root_of(ptrdiff_t k, ptrdiff_t n)
{
    static long double root[2 * 1024];
    static ptrdiff_t made;
    for (ptrdiff_t i = 0; made != n && i < n; i++) {
        const long double angle = turn * (long double)i / (long double)n;
        root[2 * i] = cosl(angle);
        root[2 * i + 1] = sinl(angle);
    }
    made = n;
    return root + 2 * (k % n);
}

/* What is to come out of a row, of n / 2 + 1 complex numbers or of n real ones. */
static long double *of_row(ptrdiff_t n, bool backward, const weft_real *x)
{
    const ptrdiff_t outputs = backward ? n : n / 2 + 1;
    long double *y = calloc((size_t)(2 * outputs), sizeof *y);
    ck_assert_ptr_nonnull(y);
    for (ptrdiff_t k = 0; k < outputs; k++)
        for (ptrdiff_t j = 0; j < (backward ? n / 2 + 1 : n); j++) {
            const long double c = root_of(j * k, n)[0], s = root_of(j * k, n)[1];
            if (!backward) {
                y[2 * k] += x[j] * c;
                y[2 * k + 1] -= x[j] * s;
            } else if (j == 0 || 2 * j == n) { /* imaginary parts of these do not count */
                y[k] += x[2 * j] * c;
            } else {
                y[k] += 2 * (x[2 * j] * c - x[2 * j + 1] * s);
            }
        }
    return y;
}

/* The largest difference, in roundings of the whole row. */
static double off(ptrdiff_t n, bool backward, const weft_real *x, const weft_real *y)
{
    const ptrdiff_t numbers = backward ? n : 2 * (n / 2 + 1);
    long double *right = of_row(n, backward, x), size = 0, most = 0;
    for (ptrdiff_t i = 0; i < numbers; i++) {
        size += right[i] * right[i];
        most = fmaxl(most, fabsl(right[i] - y[i]));
    }
    free(right);
    return (double)(most / (ROUNDING * sqrtl(size / (long double)numbers)));
}

/* Of m complex numbers. */
static void transform(ptrdiff_t m, int sign, const weft_real *x, weft_real *y)
{
    for (ptrdiff_t k = 0; k < m; k++) {
        long double re = 0, im = 0;
        for (ptrdiff_t j = 0; j < m; j++) {
            const long double c = root_of(j * k, m)[0], s = sign * root_of(j * k, m)[1];
            re += x[2 * j] * c - x[2 * j + 1] * s;
            im += x[2 * j] * s + x[2 * j + 1] * c;
        }
        y[2 * k] = (weft_real)re;
        y[2 * k + 1] = (weft_real)im;
    }
}

START_TEST(folding_completes_a_transform_of_half_the_length)
{
    const ptrdiff_t n = lengths[_i / 4];
    const bool backward = _i % 2, in_place = _i / 2 % 2;
    weft_real *x = malloc((size_t)(n + 2) * sizeof *x), *y = malloc((size_t)(n + 2) * sizeof *y),
              *z = malloc((size_t)(n + 2) * sizeof *z), *table = weft_halves_table(n, backward);
    ck_assert(x && y && z && table);
    fill(n + 2, x);
    if (backward) {
        memcpy(z, x, (size_t)(n + 2) * sizeof *x);
        weft_halves_fold(n, true, table, z, in_place ? z : y);
        transform(n / 2, 1, in_place ? z : y, in_place ? y : z);
    } else {
        transform(n / 2, -1, x, z);
        weft_halves_fold(n, false, table, z, in_place ? z : y);
    }
    const weft_real *result = backward == in_place ? y : z;
    const double difference = off(n, backward, x, result);
    ck_assert_msg(difference < ENOUGH, "%td numbers: %g roundings", n, difference);
    free(x);
    free(y);
    free(z);
    free(table);
}
END_TEST

/* Rows of n real numbers, `apart` from one another, in memory of n / 2 + 1 pairs, and of as many
 * complex ones. */
static weft_pass *pass_of(ptrdiff_t rows, ptrdiff_t n, ptrdiff_t apart, bool backward,
                          bool in_place, unsigned flags)
{
    const ptrdiff_t half = n / 2 + 1;
    weft_view_block real = {.count = rows, .stride = {2 * half * apart, apart}},
                    complex = {.count = rows, .stride = {half, 1}};
    const weft_view views[] = {{.blocks = 1, .block = &real}, {.blocks = 1, .block = &complex}};
    const weft_pass_spec spec = {.axes = 2,
                                 .size = {rows, n},
                                 .kind = {WEFT_KEEP, backward ? WEFT_C2R : WEFT_R2C},
                                 .source = views[backward],
                                 .target = views[!backward],
                                 .in_place = in_place,
                                 .fftw_flags = flags,
                                 .threads = 1};
    weft_pass *pass = weft_pass_create(&spec);
    ck_assert_msg(pass, "%s", weft_error_text());
    if (flags & FFTW_ESTIMATE)
        ck_assert_msg(weft_halves_pay(n) == !!strchr(pass->variant, 'h'),
                      "%td rows of %td, in halves or not: %s", rows, n, pass->variant);
    return pass;
}

/* (test_pass compares the results of rows of all these lengths with the definition.) */
START_TEST(rows_go_in_halves_where_that_pays)
{
    for (int l = 0; l < LENGTHS; l++)
        for (int backward = 0; backward < 2; backward++)
            for (ptrdiff_t apart = 1; apart <= 3; apart += 2)
                weft_pass_destroy(pass_of(31, lengths[l], apart, backward, false, FFTW_ESTIMATE));
    ck_assert(weft_halves_pay(64) || !weft_halves_pay(128));
    ck_assert(!weft_halves_pay(8) && !weft_halves_pay(65) && !weft_halves_pay(96));
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("halves");
    TCase *tests = tcase_create("halves");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, folding_completes_a_transform_of_half_the_length, 0, 4 * LENGTHS);
    tcase_add_test(tests, rows_go_in_halves_where_that_pays);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
