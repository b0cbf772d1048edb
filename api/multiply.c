/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The callback of a plan with an operator. Multiplication by an array is an operator, too; its data
 * says where the factor of an index is.
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

static void multiply(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis, void *data)
{
    const multiplication *it = data;
    const ptrdiff_t width = it->complex_factors ? 2 : 1, step = it->stride[axis] * width;
    const weft_real *factor = it->factors;
    weft_real *at = values;
    for (int a = 0; a < it->axes; a++)
        factor += (index[a] - it->start[a]) * it->stride[a] * width;
    for (ptrdiff_t i = 0; i < count; i++, factor += step, at += it->reals)
        if (it->complex_factors)
            for (ptrdiff_t k = 0; k < it->reals; k += 2) {
                const weft_real re = at[k], im = at[k + 1];
                at[k] = re * factor[0] - im * factor[1];
                at[k + 1] = re * factor[1] + im * factor[0];
            }
        else
            for (ptrdiff_t k = 0; k < it->reals; k++)
                at[k] *= factor[0];
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
    if (problem->real && request->complex_factors) {
        weft_error("%s: the factors are complex, but the spectrum of r2r kinds is real; pass real "
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
                           .reals = problem->howmany * (problem->real ? 1 : 2)};
    weft_layout_place(&layout, &box, NULL, it->stride);
    for (int axis = 0; axis < it->axes; axis++)
        it->start[axis] = box.span[axis].start;
    return it;
}

bool weft_operator_make(const weft_request *request, const weft_problem *problem,
                        weft_callback *callback)
{
    *callback = (weft_callback){request->apply, request->data, false};
    if (problem->fixed)
        *callback = (weft_callback){multiply, multiplication_of(request, problem), true};
    else if (!request->apply)
        return weft_error("%s: the operator is NULL", request->function);
    return !problem->fixed || callback->data;
}

void weft_operator_free(weft_callback *callback)
{
    if (callback->owned)
        free(callback->data);
}
