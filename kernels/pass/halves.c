/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * n = 2 m real numbers x are m complex ones, z[j] = x[2 j] + i x[2 j + 1]. Of their transform Z the
 * even x have contributed one part and the odd x another, which are told apart by their symmetry:
 * with w = exp(-2 pi i / n), t[k] = -i w^k / 2, and Z' = conj(Z[m - k]),
 *
 *     X[k]     =       (Z[k] + Z') / 2 + t[k] (Z[k] - Z')
 *     X[m - k] = conj( (Z[k] + Z') / 2 - t[k] (Z[k] - Z') )
 *
 * and backward the same without the halves and with t[k] = i w^-k, from X to Z. FFTW does this,
 * too, when it is given time to find out, but not in whole vectors at both ends: on an EPYC with
 * AVX rows of 64, 128 and 256 take 35, 73 and 169 ns here, 49, 95 and 196 by the best plan that
 * FFTW_PATIENT finds, 98, 205 and 288 by FFTW_ESTIMATE's. Of other lengths complex transforms of
 * half of it take longer than all of FFTW's own: rows of 90, 100, 120, 180, 250 take 81, 70, 60,
 * 195, 332 ns before they are folded, and 47, 46, 51, 87, 174 by FFTW with MEASURE, 50, 52, 63, 83,
 * 176 with ESTIMATE.
 *
 *     Z    0 | 1 2 | 3 4 ... m-4 m-3 | m-2 m-1       two numbers a vector, the vectors of one end
 *            `-->                         <---'       turned round; the middle one by one
 */
#include "kernels/pass/halves.h"

#include <stdlib.h>
#include "kernels/base/error.h"
#include "kernels/pass/avx2.h"
#include "kernels/pass/factors.h"

/* Below, FFTW's own pieces for real numbers are as fast. */
enum { SHORT = 16 };

#if defined(__has_builtin) && !defined(WEFT_LONG_DOUBLE)
#if __has_builtin(__builtin_shufflevector)
#define VECTORS 1
#endif
#endif

#ifdef VECTORS
enum { WIDTH = 32 / (2 * sizeof(weft_real)) }; /* numbers of a vector */
typedef weft_real vector __attribute__((vector_size(32), aligned(sizeof(weft_real)), may_alias));
#ifdef WEFT_SINGLE
#define TURNED(v)  __builtin_shufflevector(v, v, 6, 7, 4, 5, 2, 3, 0, 1)
#define SWAPPED(v) __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6)
#define CONJUGATE                                                                                  \
    {                                                                                              \
        1, -1, 1, -1, 1, -1, 1, -1                                                                 \
    }
#else
#define TURNED(v)  __builtin_shufflevector(v, v, 2, 3, 0, 1)
#define SWAPPED(v) __builtin_shufflevector(v, v, 1, 0, 3, 2)
#define CONJUGATE                                                                                  \
    {                                                                                              \
        1, -1, 1, -1                                                                               \
    }
#endif
#ifdef WEFT_AVX2
#define TARGET      WEFT_AVX2
#define HAS_VECTORS WEFT_HAS_AVX2
#else
#define TARGET
#define HAS_VECTORS true
#endif
#else
#define TARGET
#define HAS_VECTORS false
#endif

bool weft_halves_pay(ptrdiff_t n)
{
    return n >= SHORT && (n & (n - 1)) == 0 && HAS_VECTORS;
}

/* Of the numbers 1 to m - 1, those that are one of a pair. */
static ptrdiff_t pairs_of(ptrdiff_t n)
{
    return (n / 2 - 1) / 2;
}

/* As vectors are multiplied: the real parts, each twice; then the imaginary ones, the first of
 * each negative. */
weft_real *weft_halves_table(ptrdiff_t n, bool backward)
{
    const ptrdiff_t pairs = pairs_of(n);
    weft_real *table = malloc((size_t)(4 * pairs + 1) * sizeof *table);
    if (!table) {
        weft_error("pass: no memory for %td factors", pairs);
        return NULL;
    }
    for (ptrdiff_t p = 0; p < pairs; p++) {
        weft_complex w;
        weft_root(p + 1, n, backward ? 1 : -1, w);
        const weft_real re = backward ? -w[1] : w[1] / 2, im = backward ? w[0] : -w[0] / 2;
        table[2 * p] = table[2 * p + 1] = re;
        table[2 * (pairs + p)] = -im;
        table[2 * (pairs + p) + 1] = im;
    }
    return table;
}

TARGET static void fold(ptrdiff_t n, weft_real scale, const weft_real *table, const weft_real *from,
                        weft_real *to)
{
    const ptrdiff_t m = n / 2;
    const weft_real *re = table, *im = table + 2 * pairs_of(n);
    ptrdiff_t k = 1;
#ifdef VECTORS
    const vector conjugate = CONJUGATE;
    for (; 2 * (k + WIDTH) <= m + 1; k += WIDTH) {
        const ptrdiff_t end = m - k - WIDTH + 1;
        const vector a = *(const vector *)(from + 2 * k), last = *(const vector *)(from + 2 * end),
                     b = TURNED(last) * conjugate, sum = (a + b) * scale, rest = a - b,
                     turned = *(const vector *)(re + 2 * (k - 1)) * rest +
                              *(const vector *)(im + 2 * (k - 1)) * SWAPPED(rest),
                     high = (sum - turned) * conjugate;
        *(vector *)(to + 2 * k) = sum + turned;
        *(vector *)(to + 2 * end) = TURNED(high);
    }
#endif
    for (; 2 * k < m; k++) {
        const weft_real *a = from + 2 * k, *b = from + 2 * (m - k);
        const weft_real sum[2] = {(a[0] + b[0]) * scale, (a[1] - b[1]) * scale},
                        rest[2] = {a[0] - b[0], a[1] + b[1]}, c = re[2 * k - 1], s = im[2 * k - 1],
                        turned[2] = {c * rest[0] - s * rest[1], c * rest[1] + s * rest[0]};
        to[2 * k] = sum[0] + turned[0];
        to[2 * k + 1] = sum[1] + turned[1];
        to[2 * (m - k)] = sum[0] - turned[0];
        to[2 * (m - k) + 1] = turned[1] - sum[1];
    }
}

void weft_halves_fold(ptrdiff_t n, bool backward, const weft_real *table, const void *from,
                      void *to)
{
    const weft_real *x = from, first = x[0], last = backward ? x[n] : x[1];
    const weft_real scale = backward ? 1 : (weft_real)0.5;
    weft_real *y = to;
    if (n % 4 == 0) { /* the one in the middle is its own pair */
        y[n / 2] = 2 * scale * x[n / 2];
        y[n / 2 + 1] = -2 * scale * x[n / 2 + 1];
    }
    fold(n, scale, table, x, y);
    y[0] = first + last;
    y[1] = backward ? first - last : 0;
    if (!backward) {
        y[n] = first - last;
        y[n + 1] = 0;
    }
}
