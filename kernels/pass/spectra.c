/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two changes of spectra that FFTW does not make, or makes slowly.
 *
 * 1. Rows of real numbers by complex transforms of half the length. n = 2 m real numbers x are m
 * complex ones, z[j] = x[2 j] + i x[2 j + 1]. In their transform Z, symmetry separates the part of
 * the even x from the part of the odd x. With w = exp(-2 pi i / n), t[k] = -i w^k / 2 and
 * Z' = conj(Z[m - k]),
 *
 *     X[k]     =       (Z[k] + Z') / 2 + t[k] (Z[k] - Z')
 *     X[m - k] = conj( (Z[k] + Z') / 2 - t[k] (Z[k] - Z') )
 *
 * The backward direction goes from X to Z, without the halves and with t[k] = i w^-k. FFTW can find
 * this algorithm, too, but does not load whole vectors at both ends:
 *
 *     Z    0 | 1 2 | 3 4 ... m-4 m-3 | m-2 m-1       two numbers a vector; the vectors of the right
 *            `-->                         <---'       end are reversed; the middle goes one by one
 *
 * On an EPYC with AVX, rows of 64, 128 and 256 take 35, 73 and 169 ns here, 49, 95 and 196 ns by
 * FFTW_PATIENT's plan, 98, 205 and 288 ns by FFTW_ESTIMATE's. For lengths that are no powers of two
 * the complex transform of half the length already takes longer than FFTW's real one.
 *
 * 2. Spectra of another length than the grid. Let L be the shorter of the two lengths. Modes of a
 * frequency below L / 2 are in both spectra; the highest ones stay at the end:
 *
 *     8 modes    0  1  2  3 +-4 -3 -2 -1            0  1  2 ... n/2        r2c and c2r
 *                |  |  |             / /            |  |  |
 *     5 modes    0  1  2       -2 -1                0  1  2
 *
 * Where L is even, its highest mode stands for the frequencies L / 2 and -L / 2 together: cutting
 * adds the two modes, extending gives half to each. (Along a halved axis the mode is real, and
 * doubled or halved.) So real fields stay real, an extended spectrum has the same values at the
 * points of the shorter grid, and cutting undoes extending. All other modes of a longer spectrum
 * are zero.
 */
#include "kernels/pass/arithmetic.h"

#include <string.h>
#include "kernels/base/memory.h"

/* FFTW's real transforms of shorter rows are as fast. */
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

/* Number of pairs (k, m - k) of two different numbers from 1 to m - 1. */
static ptrdiff_t pairs_of(ptrdiff_t n)
{
    return (n / 2 - 1) / 2;
}

/* The table is laid out for vector products: all real parts, each twice; then all imaginary parts,
 * each twice, the first one negative. */
weft_real *weft_halves_table(ptrdiff_t n, bool backward)
{
    const ptrdiff_t pairs = pairs_of(n);
    weft_real *table = weft_new((size_t)(4 * pairs + 1), sizeof *table, "factors");
    for (ptrdiff_t p = 0; table && p < pairs; p++) {
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
    if (n % 4 == 0) { /* the number in the middle is paired with itself */
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

void weft_resize_make(weft_resize *resize, int axes, const ptrdiff_t *count,
                      const ptrdiff_t *stride, int axis)
{
    const ptrdiff_t number = sizeof(weft_complex);
    resize->width = 1;
    resize->loops = 0;
    resize->step = stride[axis] * number;
    for (int a = 0; a < axes; a++) {
        if (a == axis || count[a] == 1)
            continue;
        if (stride[a] == 1) {
            resize->width = count[a];
            continue;
        }
        resize->count[resize->loops] = count[a];
        resize->jump[resize->loops++] = stride[a] * number;
    }
}

static size_t width_of(const weft_resize *resize)
{
    return (size_t)resize->width * 2 * sizeof(weft_real);
}

static void shift_modes(const weft_resize *resize, char *line, ptrdiff_t from, ptrdiff_t to,
                        ptrdiff_t modes)
{
    const ptrdiff_t step = resize->step;
    const size_t width = width_of(resize);
    if (width == (size_t)step) {
        memmove(line + to * step, line + from * step, (size_t)modes * width);
        return;
    }
    for (ptrdiff_t i = 0; i < modes; i++) {
        const ptrdiff_t k = to > from ? modes - 1 - i : i;
        memcpy(line + (to + k) * step, line + (from + k) * step, width);
    }
}

/* Changes the highest of an even number of modes, before the other modes move: in a shorter
 * spectrum the highest mode is the sum of two modes; in a longer spectrum each of the two is half
 * of it. */
static void convert_highest(const weft_resize *resize, char *line, ptrdiff_t modes, bool longer)
{
    weft_real *highest = (weft_real *)(void *)(line + modes / 2 * resize->step);
    const weft_real *opposite =
        (const weft_real *)(void *)(line + (resize->from - modes / 2) * resize->step);
    for (ptrdiff_t i = 0; i < 2 * resize->width; i++)
        if (longer)
            highest[i] /= 2;
        else if (!resize->halved)
            highest[i] += opposite[i];
        else
            highest[i] *= 2;
    for (ptrdiff_t i = 0; resize->halved && i < resize->width; i++)
        highest[2 * i + 1] = 0;
}

static void resize_line(const weft_resize *resize, char *line)
{
    const ptrdiff_t from = resize->from, to = resize->to;
    const bool longer = to > from;
    const ptrdiff_t modes = longer ? from : to, up = longer ? modes / 2 : (modes - 1) / 2;
    if (modes % 2 == 0)
        convert_highest(resize, line, modes, longer);
    if (!resize->halved)
        shift_modes(resize, line, from - up, to - up, up);
    const ptrdiff_t end = resize->halved ? to / 2 + 1 : to - up; /* of the modes that are zero */
    for (ptrdiff_t k = modes / 2 + 1; longer && k < end; k++)
        memset(line + k * resize->step, 0, width_of(resize));
}

static void resize_all(const weft_resize *resize, int loop, char *at)
{
    if (loop == resize->loops) {
        resize_line(resize, at);
        return;
    }
    for (ptrdiff_t k = 0; k < resize->count[loop]; k++)
        resize_all(resize, loop + 1, at + k * resize->jump[loop]);
}

void weft_resize_run(const weft_resize *resize, void *buffer)
{
    if (resize->from != resize->to)
        resize_all(resize, 0, buffer);
}
