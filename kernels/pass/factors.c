/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Twiddle factors: powers of the n-th root of unity. Each power is the product of two table
 * entries, a fine and a coarse power, so the tables have about sqrt(n) entries. Most factors are
 * the product of two such powers, w^((k + r) j) = w^(k j) w^(r j): only one in eight is looked up,
 * and no factor is off by more than a few roundings. Table entries are sines and cosines of angles
 * of at most an eighth of a turn, in long double.
 */
#include "kernels/pass/arithmetic.h"

#include <math.h>
#include <stdint.h>
#include "kernels/base/memory.h"

/* COLUMNS: factors of a row that are computed at a time. ROWS: rows that share the factors that
 * were looked up. LONG: longer rows than this are multiplied one by one. */
enum { COLUMNS = 32, ROWS = 8, LONG = 4 * COLUMNS };

#if defined(__GNUC__) && !defined(__clang__)
#define VECTORIZED __attribute__((optimize("tree-vectorize", "vect-cost-model=dynamic")))
#else
#define VECTORIZED
#endif

struct weft_factors {
    weft_twiddle twiddle; /* with starts and weight modulo n */
    int bits;             /* the fine power is the low bits of a power */
    weft_complex *coarse; /* behind the fine powers */
    weft_complex fine[];
};

void weft_root(ptrdiff_t k, ptrdiff_t n, int sign, weft_complex value)
{
    const long double turn = 6.28318530717958647692528676655900577L;
    ptrdiff_t eighths = 8 * k / n;
    ptrdiff_t nearest = (eighths + 1) / 2; /* quarter turn */
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
    int bits = 0;
    while (bits < 31 && ((ptrdiff_t)1 << 2 * bits) < twiddle->n)
        bits++;
    size_t fine = (size_t)1 << bits, coarse = (size_t)((twiddle->n - 1) >> bits) + 1;
    weft_factors *factors =
        weft_new(1, sizeof *factors + (fine + coarse) * sizeof(weft_complex), "twiddle factors");
    if (!factors)
        return NULL;
    factors->twiddle = *twiddle;
    factors->twiddle.start[0] %= twiddle->n;
    factors->twiddle.start[1] %= twiddle->n;
    factors->twiddle.weight %= twiddle->n;
    factors->bits = bits;
    factors->coarse = factors->fine + fine;
    for (size_t k = 0; k < fine; k++)
        weft_root((ptrdiff_t)k % twiddle->n, twiddle->n, twiddle->sign, factors->fine[k]);
    for (size_t k = 0; k < coarse; k++)
        weft_root((ptrdiff_t)k << bits, twiddle->n, twiddle->sign, factors->coarse[k]);
    return factors;
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

static inline void factor(const weft_factors *factors, ptrdiff_t power, weft_real *re,
                          weft_real *im)
{
    const weft_real *f = factors->fine[power & (((ptrdiff_t)1 << factors->bits) - 1)],
                    *c = factors->coarse[power >> factors->bits];
    *re = f[0] * c[0] - f[1] * c[1];
    *im = f[0] * c[1] + f[1] * c[0];
}

typedef struct {
    weft_real re[COLUMNS], im[COLUMNS];
} factor_line;

/* Looks up the powers power, power + step, ... modulo n. */
static void look_up(const weft_factors *factors, ptrdiff_t power, ptrdiff_t step, ptrdiff_t count,
                    factor_line *to)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        factor(factors, power, &to->re[i], &to->im[i]);
        power += step;
        power -= power >= factors->twiddle.n ? factors->twiddle.n : 0;
    }
}

/* Multiplies each number by the product of the factors of two lines. */
static inline __attribute__((always_inline)) void multiply_each(const factor_line *restrict a,
                                                                const factor_line *restrict b,
                                                                ptrdiff_t count, ptrdiff_t stride,
                                                                weft_complex *restrict at)
{
    weft_real *restrict x = (weft_real *)at;
    for (ptrdiff_t i = 0; i < count; i++, x += 2 * stride) {
        const weft_real re = a->re[i] * b->re[i] - a->im[i] * b->im[i],
                        im = a->re[i] * b->im[i] + a->im[i] * b->re[i];
        const weft_real product = x[0] * re - x[1] * im;
        x[1] = x[0] * im + x[1] * re;
        x[0] = product;
    }
}

/* The same for contiguous numbers, by vectors. */
VECTORIZED static void multiply(const factor_line *restrict a, const factor_line *restrict b,
                                ptrdiff_t count, weft_complex *restrict at)
{
    multiply_each(a, b, count, 1, at);
}

#ifdef WEFT_AVX2
VECTORIZED WEFT_AVX2 static void multiply_avx2(const factor_line *restrict a,
                                               const factor_line *restrict b, ptrdiff_t count,
                                               weft_complex *restrict at)
{
    multiply_each(a, b, count, 1, at);
}
#else
#define multiply_avx2 multiply
#define WEFT_HAS_AVX2 false
#endif

/* A box of two axes: the number at (i, j) gets the power (first[0] + i) (first[1] + j). */
typedef struct {
    ptrdiff_t first[2], count[2], stride[2];
} rectangle;

static ptrdiff_t sum_modulo(ptrdiff_t a, ptrdiff_t b, ptrdiff_t n)
{
    return a >= n - b ? a - (n - b) : a + b;
}

static void multiply_line(const factor_line *a, const factor_line *b, ptrdiff_t count,
                          ptrdiff_t stride, weft_complex *at)
{
    if (stride != 1)
        multiply_each(a, b, count, stride, at);
    else if (WEFT_HAS_AVX2)
        multiply_avx2(a, b, count, at);
    else
        multiply(a, b, count, at);
}

/* Multiplies one long row. w^(i (j + c)) = w^(i j) w^(i c), where the first factor is the same for
 * COLUMNS numbers. */
static void apply_row(const weft_factors *factors, const rectangle *it, ptrdiff_t i,
                      weft_complex *at)
{
    const ptrdiff_t n = factors->twiddle.n, row = (it->first[0] + i) % n,
                    along = product_modulo(row, COLUMNS % n, n);
    ptrdiff_t power = product_modulo(row, it->first[1] % n, n);
    factor_line near, far;
    if (row == 0)
        return; /* all factors are 1 */
    look_up(factors, 0, row, COLUMNS, &near);
    for (ptrdiff_t j = 0; j < it->count[1]; j += COLUMNS) {
        const ptrdiff_t left = it->count[1] - j, columns = left < COLUMNS ? left : COLUMNS;
        factor(factors, power, &far.re[0], &far.im[0]);
        for (ptrdiff_t c = 1; c < columns; c++) {
            far.re[c] = far.re[0];
            far.im[c] = far.im[0];
        }
        multiply_line(&far, &near, columns, it->stride[1], at + j * it->stride[1]);
        power = sum_modulo(power, along, n);
    }
}

/* Multiplies some columns of all rows: w^((i + r) j) = w^(i j) w^(r j), where the second factor
 * repeats every ROWS rows. */
static void apply_columns(const weft_factors *factors, const rectangle *it, ptrdiff_t begin,
                          ptrdiff_t columns, weft_complex *at)
{
    const ptrdiff_t n = factors->twiddle.n, column = (it->first[1] + begin) % n, rows = ROWS % n,
                    down = product_modulo(rows, column, n);
    ptrdiff_t row = it->first[0] % n, power = product_modulo(row, column, n);
    factor_line near[ROWS], far;
    for (ptrdiff_t i = 0; i < ROWS && i < it->count[0]; i++)
        look_up(factors, product_modulo(i, column, n), i % n, columns, &near[i]);
    for (ptrdiff_t i = 0; i < it->count[0]; i++, at += it->stride[0]) {
        if (i % ROWS == 0) {
            look_up(factors, power, row, columns, &far);
            power = sum_modulo(power, down, n);
            row = sum_modulo(row, rows, n);
        }
        multiply_line(&far, &near[i % ROWS], columns, it->stride[1], at);
    }
}

static void apply(const weft_factors *factors, const rectangle *it, weft_complex *at)
{
    const ptrdiff_t columns = it->count[1];
    for (ptrdiff_t i = 0; columns >= LONG && i < it->count[0]; i++)
        apply_row(factors, it, i, at + i * it->stride[0]);
    for (ptrdiff_t j = 0; columns < LONG && j < columns; j += COLUMNS)
        apply_columns(factors, it, j, columns - j < COLUMNS ? columns - j : COLUMNS,
                      at + j * it->stride[1]);
}

/* The power is symmetric in its two axes, so rows go along the axis with the smaller stride. */
void weft_factors_apply(const weft_factors *factors, int axes, const ptrdiff_t *start,
                        const ptrdiff_t *count, const ptrdiff_t *stride, weft_complex *at)
{
    const int *axis = factors->twiddle.axis, more = factors->twiddle.more;
    const bool swapped = stride[axis[0]] < stride[axis[1]];
    ptrdiff_t index[WEFT_MAX_AXES] = {0};
    const ptrdiff_t n = factors->twiddle.n;
    for (;;) {
        ptrdiff_t first[2];
        for (int k = 0; k < 2; k++)
            first[k] = (factors->twiddle.start[k] + start[axis[k]] % n) % n;
        if (factors->twiddle.weight)
            first[1] += product_modulo((start[more] + index[more]) % n, factors->twiddle.weight, n);
        const rectangle it = {
            .first = {first[swapped], first[!swapped] % n},
            .count = {count[axis[swapped]], count[axis[!swapped]]},
            .stride = {stride[axis[swapped]], stride[axis[!swapped]]},
        };
        apply(factors, &it, at);
        int a = axes - 1;
        for (; a >= 0; a--) {
            if (a == axis[0] || a == axis[1])
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
