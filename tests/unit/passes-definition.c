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

/* Writes the weight of input j in output k of a transform of n numbers, also for the imaginary part
 * if the kind is complex, by FFTW's manual. (c2r is computed as the inverse of r2c.)
 */
static void definition(weft_kind kind, ptrdiff_t n, ptrdiff_t j, ptrdiff_t k, long double w[2])
{
    long double N = (long double)n, J = (long double)j, K = (long double)k, pi = TURN / 2;
    long double angle = TURN * (long double)(j * k % n) / N;
    w[1] = 0;
    switch (kind) {
    case WEFT_FORWARD:
    case WEFT_R2C:
        w[0] = cosl(angle), w[1] = -sinl(angle);
        return;
    case WEFT_BACKWARD:
    case WEFT_C2R:
        w[0] = cosl(angle), w[1] = sinl(angle);
        return;
    case WEFT_R2HC: /* real parts 0 to n / 2, then imaginary parts backwards */
        w[0] = k <= n / 2 ? cosl(angle) : -sinl(TURN * (long double)(j * (n - k) % n) / N);
        return;
    case WEFT_HC2R:
        if (j <= n / 2)
            w[0] = (j == 0 || 2 * j == n ? 1 : 2) * cosl(angle);
        else
            w[0] = -2 * sinl(TURN * (long double)((n - j) * k % n) / N);
        return;
    case WEFT_DHT:
        w[0] = cosl(angle) + sinl(angle);
        return;
    case WEFT_REDFT00:
        w[0] = j == 0 || j == n - 1 ? cosl(pi * J * K / (N - 1)) : 2 * cosl(pi * J * K / (N - 1));
        return;
    case WEFT_REDFT10:
        w[0] = 2 * cosl(pi * (J + 0.5L) * K / N);
        return;
    case WEFT_REDFT01:
        w[0] = j == 0 ? 1 : 2 * cosl(pi * J * (K + 0.5L) / N);
        return;
    case WEFT_REDFT11:
        w[0] = 2 * cosl(pi * (J + 0.5L) * (K + 0.5L) / N);
        return;
    case WEFT_RODFT00:
        w[0] = 2 * sinl(pi * (J + 1) * (K + 1) / (N + 1));
        return;
    case WEFT_RODFT10:
        w[0] = 2 * sinl(pi * (J + 0.5L) * (K + 1) / N);
        return;
    case WEFT_RODFT01:
        w[0] = j == n - 1 ? (k % 2 ? -1 : 1) : 2 * sinl(pi * (J + 1) * (K + 0.5L) / N);
        return;
    case WEFT_RODFT11:
        w[0] = 2 * sinl(pi * (J + 0.5L) * (K + 0.5L) / N);
        return;
    default:
        w[0] = j == k;
    }
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
    long double f[2] = {0, 0};
    memset(w, 0, 2 * sizeof *w);
    if (it->what == RESIZE) {
        const long double times = kept(it->halved, it->from, it->to, j, k);
        w[0][0] = times;
        w[1][1] = it->halved && times != 0 && times != 1 ? 0 : times;
        return;
    }
    definition(it->kind, it->from, j, k, f);
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
