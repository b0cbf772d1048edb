/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The callback of a plan with an operator. Multiplication by an array is an operator, too; its data
 * says where the factor of an index is. So is the product of fields, for convolutions.
 */
#include <stdlib.h>
#include "kernels/base/error.h"
#include "kernels/base/precision.h"
#include "api/request.h"

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
    multiplication *it = malloc(sizeof *it);
    if (!it) {
        weft_error("%s: no memory for an operator", request->function);
        return NULL;
    }
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
    double points = 1;
    for (int axis = 0; axis < problem->axes; axis++) {
        const weft_kind kind = problem->kind[axis];
        points *= kind == WEFT_KEEP ? 1 : (double)problem->size[axis];
        if (kind != WEFT_KEEP && !weft_kind_is_backward(kind)) {
            weft_error("%s: kind[%d] must be WEFT_DFT_BACKWARD, WEFT_DFT_C2R or WEFT_NONE for a "
                       "convolution",
                       request->function, axis);
            return NULL;
        }
    }
    product *it = malloc(sizeof *it);
    if (it)
        *it = (product){problem->howmany, problem->spectrum.real, (weft_real)(1 / points)};
    else
        weft_error("%s: no memory for an operator", request->function);
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

void weft_operator_free(weft_callback *callback)
{
    if (callback->owned)
        free(callback->data);
}
