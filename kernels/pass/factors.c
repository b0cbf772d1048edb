/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Twiddle factors: powers of the n-th root of unity, each the product of two table entries, a fine
 * and a coarse power, so that the tables have about sqrt(n) entries and no factor is off by more
 * than two roundings. Table entries come from sine and cosine of angles of at most an eighth of a
 * turn, in long double.
 */
#include "kernels/pass/factors.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "kernels/base/error.h"

struct weft_factors {
    ptrdiff_t n;
    int axis[2], more;
    ptrdiff_t start[2], weight;
    int bits; /* of the fine power */
    weft_complex *fine, *coarse;
};

/* exp(sign 2 pi i k / n) for 0 <= k < n. */
static void root(ptrdiff_t k, ptrdiff_t n, int sign, weft_complex value)
{
    const long double turn = 6.28318530717958647692528676655900577L;
    ptrdiff_t eighths = 8 * k / n;
    ptrdiff_t nearest = (eighths + 1) / 2; /* of the quarter turns */
    ptrdiff_t rest = 4 * k - n * nearest;
    int quarter = (int)(nearest % 4);
    long double angle = turn * (long double)rest / ((long double)n * 4);
    long double c = cosl(angle), s = sinl(angle);
    long double real[] = {c, -s, -c, s}, imaginary[] = {s, c, -s, -c};
    value[0] = (weft_real)real[quarter];
    value[1] = (weft_real)(sign < 0 ? -imaginary[quarter] : imaginary[quarter]);
}

weft_factors *weft_factors_make(const weft_twiddle *twiddle)
{
    if (twiddle->n < 0 || twiddle->n > PTRDIFF_MAX / 16) {
        weft_error("pass: twiddle factors of order %td", twiddle->n);
        return NULL;
    }
    int bits = 0;
    while (bits < 31 && ((ptrdiff_t)1 << 2 * bits) < twiddle->n)
        bits++;
    size_t fine = (size_t)1 << bits, coarse = (size_t)((twiddle->n - 1) >> bits) + 1;
    weft_factors *factors = calloc(1, sizeof *factors);
    if (factors) {
        *factors = (weft_factors){
            .n = twiddle->n,
            .axis = {twiddle->axis[0], twiddle->axis[1]},
            .more = twiddle->more,
            .start = {twiddle->start[0] % twiddle->n, twiddle->start[1] % twiddle->n},
            .weight = twiddle->weight % twiddle->n,
            .bits = bits,
            .fine = malloc(fine * sizeof *factors->fine),
            .coarse = malloc(coarse * sizeof *factors->coarse),
        };
    }
    if (!factors || !factors->fine || !factors->coarse) {
        weft_error("pass: no memory for %zu twiddle factors", fine + coarse);
        weft_factors_free(factors);
        return NULL;
    }
    for (size_t k = 0; k < fine; k++)
        root((ptrdiff_t)k % twiddle->n, twiddle->n, twiddle->sign, factors->fine[k]);
    for (size_t k = 0; k < coarse; k++)
        root((ptrdiff_t)k << bits, twiddle->n, twiddle->sign, factors->coarse[k]);
    return factors;
}

void weft_factors_free(weft_factors *factors)
{
    if (!factors)
        return;
    free(factors->fine);
    free(factors->coarse);
    free(factors);
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;
#else
typedef unsigned long long wide;
#endif

static ptrdiff_t product_modulo(ptrdiff_t a, ptrdiff_t b, ptrdiff_t n)
{
    return (ptrdiff_t)((wide)a * (wide)b % (wide)n);
}

/* One line: powers first, first + step, ... */
static void line(const weft_factors *factors, ptrdiff_t power, ptrdiff_t step, ptrdiff_t count,
                 ptrdiff_t stride, weft_complex *at)
{
    const ptrdiff_t mask = ((ptrdiff_t)1 << factors->bits) - 1;
    for (ptrdiff_t i = 0; i < count; i++) {
        const weft_real *f = factors->fine[power & mask],
                        *c = factors->coarse[power >> factors->bits];
        weft_real re = f[0] * c[0] - f[1] * c[1], im = f[0] * c[1] + f[1] * c[0];
        weft_real *x = at[i * stride];
        weft_real product = x[0] * re - x[1] * im;
        x[1] = x[0] * im + x[1] * re;
        x[0] = product;
        power += step;
        if (power >= factors->n)
            power -= factors->n;
    }
}

void weft_factors_apply(const weft_factors *factors, int axes, const ptrdiff_t *start,
                        const ptrdiff_t *count, const ptrdiff_t *stride, weft_complex *at)
{
    int outer = factors->axis[0], inner = factors->axis[1], more = factors->more;
    ptrdiff_t index[WEFT_MAX_AXES] = {0};
    ptrdiff_t n = factors->n;
    ptrdiff_t inner_first = (factors->start[1] + start[inner] % n) % n;
    for (;;) {
        ptrdiff_t outer_index = (factors->start[0] + (start[outer] + index[outer]) % n) % n;
        ptrdiff_t first = inner_first;
        if (factors->weight)
            first += product_modulo((start[more] + index[more]) % n, factors->weight, n);
        line(factors, product_modulo(outer_index, first % n, n), outer_index, count[inner],
             stride[inner], at);
        int a = axes - 1;
        for (; a >= 0; a--) {
            if (a == inner)
                continue;
            at += stride[a];
            if (++index[a] < count[a])
                break;
            at -= stride[a] * count[a];
            index[a] = 0;
        }
        if (a < 0)
            return;
    }
}
