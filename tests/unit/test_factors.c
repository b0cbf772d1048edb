/* SPDX-License-Identifier: BSD-3-Clause */
/* Twiddle factors of boxes whose lines are short, long, or apart, against the definition. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "kernels/base/error.h"
#include "kernels/pass/arithmetic.h"
#include "tests/unit/harness.h"

#ifdef WEFT_SINGLE
#define ROUNDING FLT_EPSILON
#else
#define ROUNDING DBL_EPSILON
#endif

/* The number at (i, j) of a box of count[0] x count[1] that begins at (start[0], start[1]). */
typedef struct {
    ptrdiff_t n;
    int sign;
    ptrdiff_t start[2], count[2], stride[2];
} box;

static const box boxes[] = {
    {1 << 20, -1, {0, 0}, {3, 300}, {300, 1}},      {1 << 20, 1, {0, 0}, {300, 3}, {1, 300}},
    {1 << 20, -1, {1, 77}, {9, 129}, {140, 1}},     {1 << 20, -1, {1023, 500}, {2, 640}, {640, 1}},
    {1000003, -1, {5, 999990}, {4, 150}, {150, 1}}, {97, 1, {90, 0}, {12, 200}, {200, 1}},
    {1 << 20, -1, {0, 0}, {17, 33}, {33, 1}},       {1 << 20, 1, {700, 3}, {33, 20}, {1, 33}},
    {60, -1, {58, 59}, {10, 40}, {80, 2}},          {600, -1, {0, 0}, {4, 140}, {420, 3}},
};
enum { BOXES = sizeof boxes / sizeof *boxes };

TEST(every_number_is_multiplied_by_its_factor, .to = BOXES)
{
    const box *it = &boxes[_i];
    const long double turn = 6.28318530717958647692528676655900577L;
    const weft_twiddle twiddle = {.n = it->n, .sign = it->sign, .axis = {0, 1}};
    weft_factors *factors = weft_factors_make(&twiddle);
    ck_assert_msg(factors, "%s", weft_error_text());
    const size_t reach =
        (size_t)((it->count[0] - 1) * it->stride[0] + (it->count[1] - 1) * it->stride[1] + 1);
    weft_complex *array = malloc(reach * sizeof *array);
    ck_assert_ptr_nonnull(array);
    for (size_t k = 0; k < reach; k++) {
        array[k][0] = (weft_real)(k % 7) - 3;
        array[k][1] = (weft_real)(k % 5) - 2;
    }
    weft_factors_apply(factors, 2, it->start, it->count, it->stride, array);
    long double most = 0;
    for (ptrdiff_t i = 0; i < it->count[0]; i++)
        for (ptrdiff_t j = 0; j < it->count[1]; j++) {
            const ptrdiff_t k = i * it->stride[0] + j * it->stride[1];
            const ptrdiff_t power = (it->start[0] + i) * (it->start[1] + j) % it->n;
            const long double angle = turn * (long double)power / (long double)it->n;
            const long double c = cosl(angle), s = it->sign * sinl(angle), x = k % 7 - 3,
                              y = k % 5 - 2;
            most = fmaxl(most, fabsl(array[k][0] - (x * c - y * s)));
            most = fmaxl(most, fabsl(array[k][1] - (x * s + y * c)));
        }
    ck_assert_msg(most < 16 * ROUNDING, "%Lg roundings", most / ROUNDING);
    free(array);
    weft_factors_free(factors);
}
