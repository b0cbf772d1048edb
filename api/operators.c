/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operators that Weft offers, and the callback of a plan with an operator. The multiplication
 * by an array is also an operator; its data gives the place of the factor of an index. The product
 * of fields, for convolutions, is one, too.
 */
#include <tgmath.h>
#include "kernels/base/error.h"
#include "kernels/base/memory.h"
#include "kernels/base/precision.h"
#include "api/request.h"

/* The type of wave numbers and factors: the type of the numbers, but at least double. */
#ifdef WEFT_LONG_DOUBLE
typedef long double precise;
#else
typedef double precise;
#endif

/* The wave number of frequency 1. */
static precise unit_of(const weft_wave *it, int axis)
{
    const precise pi = (precise)3.14159265358979323846264338327950288L;
    return it->length ? 2 * pi / it->length[axis] : 1;
}

/* The wave number of an index of an axis with n points. */
static precise wave_number(precise unit, ptrdiff_t n, ptrdiff_t index)
{
    return unit * (precise)(index > n / 2 ? index - n : index);
}

/* The sum of the squares of the wave numbers along all axes but one. */
static precise other_squares(const weft_wave *it, const ptrdiff_t *index, int except)
{
    precise sum = 0;
    for (int axis = 0; axis < it->rank; axis++) {
        const precise k =
            axis == except ? 0 : wave_number(unit_of(it, axis), it->n[axis], index[axis]);
        sum += k * k;
    }
    return sum;
}

/* Multiplies all numbers of point i. */
static void times(const weft_wave *it, void *values, ptrdiff_t i, precise factor)
{
    weft_real *at = (weft_real *)values + 2 * i * it->howmany;
    for (ptrdiff_t k = 0; k < 2 * it->howmany; k++)
        at[k] *= (weft_real)factor;
}

void WEFT(inverse_laplacian)(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis,
                             void *data)
{
    const weft_wave *it = data;
    const precise others = other_squares(it, index, axis), unit = unit_of(it, axis);
    const ptrdiff_t n = it->n[axis];
    for (ptrdiff_t i = 0; i < count; i++) {
        const precise k = wave_number(unit, n, index[axis] + i), square = others + k * k;
        times(it, values, i, square > 0 ? -it->scale / square : it->value);
    }
}

void WEFT(gaussian_filter)(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis,
                           void *data)
{
    const weft_wave *it = data;
    const precise others = other_squares(it, index, axis), width = it->value * it->value / 2,
                  unit = unit_of(it, axis);
    const ptrdiff_t n = it->n[axis];
    for (ptrdiff_t i = 0; i < count; i++) {
        const precise k = wave_number(unit, n, index[axis] + i);
        times(it, values, i, it->scale * exp(-width * (others + k * k)));
    }
}

/* The factor of a derivative. The highest frequency of an even number of points has no
 * derivative: it is 0. */
static precise slope(const weft_wave *it, int axis, ptrdiff_t index)
{
    return 2 * index == it->n[axis]
               ? 0
               : it->scale * wave_number(unit_of(it, axis), it->n[axis], index);
}

/* Writes i k times a number. */
static void times_i(weft_real *to, const weft_real from[2], precise k)
{
    const weft_real re = from[0], im = from[1];
    to[0] = -(weft_real)k * im;
    to[1] = (weft_real)k * re;
}

void WEFT(derivative)(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis, void *data)
{
    const weft_wave *it = data;
    for (ptrdiff_t i = 0; i < count; i++) {
        const precise k = slope(it, it->axis, index[it->axis] + (axis == it->axis ? i : 0));
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
        for (int a = it->rank - 1; a >= 0; a--) /* 0 is last: it overwrites the input */
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

/* Adds to a sum. Unless `alone`, other threads may add to it at the same time. */
static void add(double *sum, double more, bool alone)
{
    double before = *sum, after = before + more;
    if (alone) /* atomic additions would double the time of the operator */
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
    const precise others = other_squares(it, index, axis), unit = unit_of(it, axis);
    const bool alone = is_alone();
    for (ptrdiff_t i = 0; i < count; i++) {
        const weft_real *at = (const weft_real *)values + 2 * i * it->howmany;
        const ptrdiff_t stored = index[last] + (axis == last ? i : 0);
        const bool twice = shells->halved && stored > 0 && 2 * stored != it->n[last];
        const precise k = wave_number(unit, it->n[axis], index[axis] + i),
                      shell = sqrt(others + k * k) + 0.5;
        double square = 0;
        for (ptrdiff_t f = 0; f < 2 * it->howmany; f++)
            square += (double)at[f] * (double)at[f];
        if (shell < (precise)shells->shells)
            add(&shells->power[(ptrdiff_t)shell], it->scale * it->scale * square * (twice ? 2 : 1),
                alone);
    }
}

/* The data of a multiplication. */
typedef struct {
    const weft_real *factors;
    bool complex_factors;
    int axes;
    ptrdiff_t start[WEFT_MAX_RANK], stride[WEFT_MAX_RANK]; /* of this rank's factors */
    ptrdiff_t reals;                                       /* real numbers of a point */
} multiplication;

static void times_real(weft_real *at, ptrdiff_t reals, const weft_real *factor)
{
    for (ptrdiff_t k = 0; k < reals; k++)
        at[k] *= factor[0];
}

static void times_complex(weft_real *at, ptrdiff_t reals, const weft_real *factor)
{
    for (ptrdiff_t k = 0; k < reals; k += 2) {
        const weft_real re = at[k], im = at[k + 1];
        at[k] = re * factor[0] - im * factor[1];
        at[k + 1] = re * factor[1] + im * factor[0];
    }
}

static void multiply(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis, void *data)
{
    const multiplication *it = data;
    const ptrdiff_t width = it->complex_factors ? 2 : 1, step = it->stride[axis] * width;
    const weft_real *factor = it->factors;
    weft_real *at = values, *end = at + count * it->reals;
    for (int a = 0; a < it->axes; a++)
        factor += (index[a] - it->start[a]) * it->stride[a] * width;
    if (it->complex_factors)
        for (; at < end; at += it->reals, factor += step)
            times_complex(at, it->reals, factor);
    else
        for (; at < end; at += it->reals, factor += step)
            times_real(at, it->reals, factor);
}

/* Checks the factors and makes the data of the multiplication. */
static multiplication *multiplication_of(const weft_request *request, const weft_problem *problem)
{
    weft_layout layout = problem->spectrum.layout;
    weft_box box;
    layout.howmany = 1;
    weft_layout_box(&layout, problem->rank, &box);
    if (!request->factors && weft_layout_elements(&layout, &box) > 0) {
        weft_error("%s: the array of factors is NULL", request->function);
        return NULL;
    }
    const bool real = problem->spectrum.real;
    if (real && request->complex_factors) {
        weft_error("%s: the factors are complex, but r2r and c2r give real numbers; pass real "
                   "factors",
                   request->function);
        return NULL;
    }
    multiplication *it = weft_new(1, sizeof *it, "an operator");
    if (!it)
        return NULL;
    *it = (multiplication){.factors = request->factors,
                           .complex_factors = request->complex_factors,
                           .axes = problem->axes,
                           .reals = problem->howmany * (real ? 1 : 2)};
    weft_layout_place(&layout, &box, NULL, it->stride);
    for (int axis = 0; axis < it->axes; axis++)
        it->start[axis] = box.span[axis].start;
    return it;
}

/* The data of a convolution. */
typedef struct {
    ptrdiff_t fields;
    bool real;
    weft_real scale;
} product;

static void multiply_fields(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis,
                            void *data)
{
    const product *it = data;
    const ptrdiff_t width = it->real ? 1 : 2, reals = width * it->fields;
    weft_real *at = values;
    (void)index;
    (void)axis;
    for (ptrdiff_t i = 0; i < count; i++, at += reals) {
        for (ptrdiff_t f = width; f < reals; f += width)
            if (it->real)
                times_real(at, 1, at + f);
            else
                times_complex(at, 2, at + f);
        times_real(at, width, &it->scale);
    }
}

/* Checks the kinds and makes the data of the convolution. The number of points normalizes it. */
static product *product_of(const weft_request *request, const weft_problem *problem)
{
    precise points = 1;
    for (int axis = 0; axis < problem->axes; axis++) {
        const weft_kind kind = problem->kind[axis];
        points *= kind == WEFT_KEEP ? 1 : (precise)problem->size[axis];
        if (kind != WEFT_KEEP && !weft_kind_is_backward(kind)) {
            weft_error("%s: kind[%d] must be WEFT_DFT_BACKWARD, WEFT_DFT_C2R or WEFT_NONE for a "
                       "convolution",
                       request->function, axis);
            return NULL;
        }
    }
    product *it = weft_new(1, sizeof *it, "an operator");
    if (it)
        *it = (product){problem->howmany, problem->spectrum.real, (weft_real)(1 / points)};
    return it;
}

bool weft_operator_make(const weft_request *request, const weft_problem *problem,
                        weft_callback *callback)
{
    *callback = (weft_callback){request->apply, request->data, false};
    if (problem->fixed)
        *callback = (weft_callback){multiply, multiplication_of(request, problem), true};
    else if (request->convolves)
        *callback = (weft_callback){multiply_fields, product_of(request, problem), true};
    else if (!request->apply)
        return weft_error("%s: the operator is NULL", request->function);
    return !callback->owned || callback->data;
}
