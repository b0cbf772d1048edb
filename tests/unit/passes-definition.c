/* SPDX-License-Identifier: BSD-3-Clause */
/* The definition of every transform, summed in long double. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/passes.h"

ptrdiff_t elements(int axes, const ptrdiff_t *count)
{
    ptrdiff_t n = 1;
    for (int a = 0; a < axes; a++)
        n *= count[a];
    return n;
}

whole whole_make(int axes, const ptrdiff_t *count)
{
    whole w = {.axes = axes};
    memcpy(w.count, count, (size_t)axes * sizeof *count);
    w.value = calloc((size_t)elements(axes, count), sizeof *w.value);
    ck_assert_ptr_nonnull(w.value);
    return w;
}

/* Returns the weight of input j in output k of a transform of n numbers, or its real part, by
 * FFTW's manual. (c2r is computed as the inverse of r2c.) */
static long double weight(weft_kind kind, ptrdiff_t n, ptrdiff_t j, ptrdiff_t k)
{
    const long double N = (long double)n, J = (long double)j, K = (long double)k, pi = TURN / 2,
                      angle = TURN * (long double)(j * k % n) / N;
    switch (kind) {
    case WEFT_FORWARD:
    case WEFT_R2C:
    case WEFT_BACKWARD:
    case WEFT_C2R:
        return cosl(angle);
    case WEFT_R2HC: /* real parts 0 to n / 2, then imaginary parts backwards */
        return k <= n / 2 ? cosl(angle) : -sinl(TURN * (long double)(j * (n - k) % n) / N);
    case WEFT_HC2R:
        if (j <= n / 2)
            return (j == 0 || 2 * j == n ? 1 : 2) * cosl(angle);
        return -2 * sinl(TURN * (long double)((n - j) * k % n) / N);
    case WEFT_DHT:
        return cosl(angle) + sinl(angle);
    case WEFT_REDFT00:
        return (j == 0 || j == n - 1 ? 1 : 2) * cosl(pi * J * K / (N - 1));
    case WEFT_REDFT10:
        return 2 * cosl(pi * (J + 0.5L) * K / N);
    case WEFT_REDFT01:
        return j == 0 ? 1 : 2 * cosl(pi * J * (K + 0.5L) / N);
    case WEFT_REDFT11:
        return 2 * cosl(pi * (J + 0.5L) * (K + 0.5L) / N);
    case WEFT_RODFT00:
        return 2 * sinl(pi * (J + 1) * (K + 1) / (N + 1));
    case WEFT_RODFT10:
        return 2 * sinl(pi * (J + 0.5L) * (K + 1) / N);
    case WEFT_RODFT01:
        return j == n - 1 ? (k % 2 ? -1 : 1) : 2 * sinl(pi * (J + 1) * (K + 0.5L) / N);
    case WEFT_RODFT11:
        return 2 * sinl(pi * (J + 0.5L) * (K + 0.5L) / N);
    default:
        return j == k;
    }
}

/* Returns the imaginary part of the weight; 0 in real transforms. */
static long double imaginary(weft_kind kind, ptrdiff_t n, ptrdiff_t j, ptrdiff_t k)
{
    const long double part = sinl(TURN * (long double)(j * k % n) / (long double)n);
    const bool forward = kind == WEFT_FORWARD || kind == WEFT_R2C;
    return forward ? -part : kind == WEFT_BACKWARD || kind == WEFT_C2R ? part : 0;
}

/* Returns the weight of mode j of `from` in mode k of `to`.
 */
static long double kept(bool halved, ptrdiff_t from, ptrdiff_t to, ptrdiff_t j, ptrdiff_t k)
{
    const ptrdiff_t shorter = from < to ? from : to;
    const ptrdiff_t in = halved || 2 * j <= from ? j : j - from,
                    out = halved || 2 * k <= to ? k : k - to; /* frequencies; n / 2 is both */
    const bool highest = from != to && (2 * k == to || 2 * j == from) && shorter % 2 == 0 &&
                         2 * labs(in) == shorter && 2 * labs(out) == shorter;
    if (highest)
        return from < to ? 0.5L : halved ? 2 : 1;
    return in == out && 2 * labs(in) < shorter;
}

/* A rule for every line along an axis: a transform, c2r of any numbers, or another number of modes.
 */
typedef struct {
    enum { TRANSFORM, C2R_OF_ANY, RESIZE } what;
    weft_kind kind;
    bool halved;
    ptrdiff_t from, to;
} rule;

/* Writes the weights of both parts of number j of a line in both parts of number k of the result.
 */
static void weights(const rule *it, ptrdiff_t j, ptrdiff_t k, long double w[2][2])
{
    memset(w, 0, 2 * sizeof *w);
    if (it->what == RESIZE) {
        const long double times = kept(it->halved, it->from, it->to, j, k);
        w[0][0] = times;
        w[1][1] = it->halved && times != 0 && times != 1 ? 0 : times;
        return;
    }
    const long double f[] = {weight(it->kind, it->from, j, k), imaginary(it->kind, it->from, j, k)};
    if (it->what == C2R_OF_ANY) {
        const bool once = j == 0 || 2 * j == it->from;
        w[0][0] = once ? f[0] : 2 * f[0];
        w[0][1] = once ? 0 : -2 * f[1];
        return;
    }
    w[0][0] = w[1][1] = f[0];
    w[1][0] = f[1];
    w[0][1] = -f[1];
}

/* Applies a rule to every line along an axis; the results have `count` numbers. */
static void each_line(whole *w, int axis, ptrdiff_t count, rule it)
{
    ptrdiff_t n = w->count[axis], step = 1, outer = 1;
    whole result = *w;
    for (int a = 0; a < axis; a++)
        outer *= w->count[a];
    for (int a = axis + 1; a < w->axes; a++)
        step *= w->count[a];
    result.count[axis] = count;
    result = whole_make(w->axes, result.count);
    for (ptrdiff_t j = 0; j < n; j++)
        for (ptrdiff_t k = 0; k < count; k++) {
            long double f[2][2];
            weights(&it, j, k, f);
            for (ptrdiff_t i = 0; i < outer * step; i++) {
                const long double *x = w->value[(i / step * n + j) * step + i % step];
                long double *y = result.value[(i / step * count + k) * step + i % step];
                y[0] += x[0] * f[0][0] + x[1] * f[0][1];
                y[1] += x[0] * f[1][0] + x[1] * f[1][1];
            }
        }
    free(w->value);
    *w = result;
}

void transform(whole *w, int axis, weft_kind kind, ptrdiff_t count)
{
    each_line(w, axis, count, (rule){TRANSFORM, .kind = kind, .from = w->count[axis]});
}

void resize(whole *w, int axis, bool halved, ptrdiff_t from, ptrdiff_t to)
{
    if (from != to)
        each_line(w, axis, halved ? to / 2 + 1 : to,
                  (rule){RESIZE, .halved = halved, .from = from, .to = to});
}

void transform_c2r(whole *w, int axis, ptrdiff_t n)
{
    each_line(w, axis, n, (rule){C2R_OF_ANY, .kind = WEFT_C2R, .from = n});
}

bool index_next(int axes, const ptrdiff_t *count, ptrdiff_t *index)
{
    for (int a = axes - 1; a >= 0; a--) {
        if (++index[a] < count[a])
            return true;
        index[a] = 0;
    }
    return false;
}
