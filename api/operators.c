/* SPDX-License-Identifier: BSD-3-Clause */
/* The operators that Weft offers. */
#include <math.h>
#include <stdbool.h>
#include "kernels/base/precision.h"
#include "api/weft.h"

static double wave_number(const weft_wave *it, int axis, ptrdiff_t index)
{
    const double pi = 3.14159265358979323846;
    const ptrdiff_t n = it->n[axis], frequency = index > n / 2 ? index - n : index;
    return it->length ? 2 * pi * (double)frequency / it->length[axis] : (double)frequency;
}

/* The sum of the squares of the wave numbers along all axes but one. */
static double other_squares(const weft_wave *it, const ptrdiff_t *index, int except)
{
    double sum = 0;
    for (int axis = 0; axis < it->rank; axis++) {
        const double k = axis == except ? 0 : wave_number(it, axis, index[axis]);
        sum += k * k;
    }
    return sum;
}

/* Multiplies all numbers of point i. */
static void times(const weft_wave *it, void *values, ptrdiff_t i, double factor)
{
    weft_real *at = (weft_real *)values + 2 * i * it->howmany;
    for (ptrdiff_t k = 0; k < 2 * it->howmany; k++)
        at[k] *= (weft_real)factor;
}

void WEFT(inverse_laplacian)(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis,
                             void *data)
{
    const weft_wave *it = data;
    const double others = other_squares(it, index, axis);
    for (ptrdiff_t i = 0; i < count; i++) {
        const double k = wave_number(it, axis, index[axis] + i), square = others + k * k;
        times(it, values, i, square > 0 ? -it->scale / square : it->value);
    }
}

void WEFT(gaussian_filter)(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis,
                           void *data)
{
    const weft_wave *it = data;
    const double others = other_squares(it, index, axis), width = it->value * it->value / 2;
    for (ptrdiff_t i = 0; i < count; i++) {
        const double k = wave_number(it, axis, index[axis] + i);
        times(it, values, i, it->scale * exp(-width * (others + k * k)));
    }
}

/* The wave number that a derivative multiplies by. The highest frequency of an even number of
 * points has no derivative: it is 0. */
static double slope(const weft_wave *it, int axis, ptrdiff_t index)
{
    return 2 * index == it->n[axis] ? 0 : it->scale * wave_number(it, axis, index);
}

/* Writes i k times a number. */
static void times_i(weft_real *to, const weft_real from[2], double k)
{
    const weft_real re = from[0], im = from[1];
    to[0] = -(weft_real)k * im;
    to[1] = (weft_real)k * re;
}

void WEFT(derivative)(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis, void *data)
{
    const weft_wave *it = data;
    for (ptrdiff_t i = 0; i < count; i++) {
        const double k = slope(it, it->axis, index[it->axis] + (axis == it->axis ? i : 0));
        weft_real *at = (weft_real *)values + 2 * i * it->howmany;
        for (ptrdiff_t f = 0; f < 2 * it->howmany; f += 2)
            times_i(at + f, at + f, k);
    }
}

void WEFT(gradient)(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis, void *data)
{
    const weft_wave *it = data;
    for (ptrdiff_t i = 0; i < count; i++) {
        weft_real *at = (weft_real *)values + 2 * i * it->rank;
        for (int a = it->rank - 1; a >= 0; a--) /* the first number is read until the end */
            times_i(at + 2 * a, at, slope(it, a, index[a] + (axis == a ? i : 0)));
    }
}

/* Whether no other thread of the pass runs an operator. Programs with static libraries may have no
 * OpenMP. */
static bool is_alone(void)
{
#if defined(_OPENMP) && defined(__ELF__)
    extern int omp_in_parallel(void) __attribute__((weak));
    return !omp_in_parallel || !omp_in_parallel();
#else
    return false;
#endif
}

/* Adds to a sum to which other threads add, too, unless this one is alone. */
static void add(double *sum, double more, bool alone)
{
    double before = *sum, after = before + more;
    if (alone) /* an atomic addition takes as long as all the rest */
        *sum = after;
    else
        while (!__atomic_compare_exchange(sum, &before, &after, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED))
            after = before + more;
}

void WEFT(power_spectrum)(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis,
                          void *data)
{
    const weft_shells *shells = data;
    const weft_wave *it = &shells->wave;
    const int last = it->rank - 1;
    const double others = other_squares(it, index, axis);
    const bool alone = is_alone();
    for (ptrdiff_t i = 0; i < count; i++) {
        const weft_real *at = (const weft_real *)values + 2 * i * it->howmany;
        const ptrdiff_t stored = index[last] + (axis == last ? i : 0);
        const bool twice = shells->halved && stored > 0 && 2 * stored != it->n[last];
        const double k = wave_number(it, axis, index[axis] + i), shell = sqrt(others + k * k) + 0.5;
        double square = 0;
        for (ptrdiff_t f = 0; f < 2 * it->howmany; f++)
            square += (double)at[f] * (double)at[f];
        if (shell < (double)shells->shells)
            add(&shells->power[(ptrdiff_t)shell], it->scale * it->scale * square * (twice ? 2 : 1),
                alone);
    }
}
