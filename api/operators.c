/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans with an operator in the middle, and the operators that Weft has. Multiplication by an array
 * is an operator, too; its data says where the factor of an index is.
 */
#include <math.h>
#include <stdlib.h>
#include "kernels/base/error.h"
#include "api/grid.h"
#include "api/planning.h"

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
    weft_layout_strides(&layout, &box, it->stride);
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
        weft_error("%s: the operator is NULL", request->function);
    return problem->fixed ? callback->data : callback->apply;
}

void weft_operator_free(weft_callback *callback)
{
    if (callback->owned)
        free(callback->data);
}

static FFTW(plan) planned(weft_grid grid, weft_request request)
{
    static const weft_process_grid slabs = {1, {0}, 0};
    weft_error_clear();
    request.asked = WEFT_ASK_OPERATOR;
    request.sign = FFTW_FORWARD;
    request.process_grid = grid ? &grid->process_grid : &slabs;
    if (grid)
        request.comm = grid->comm;
    else
        request.flags |= WEFT_FFTW_BLOCKS;
    if (grid && grid->rows)
        request.flags |= WEFT_ROWS;
    return weft_make_plan(&request);
}

FFTW(plan)
WEFT(plan_operator)
(int rnk, const ptrdiff_t *n, const ptrdiff_t *modes, ptrdiff_t howmany, void *in, void *out,
 weft_grid grid, const int *kind, weft_operator apply, void *data, MPI_Comm comm, unsigned flags)
{
    return planned(grid, (weft_request){.function = OWN_NAME("plan_operator"),
                                        .axes = rnk,
                                        .size = n,
                                        .modes = modes,
                                        .howmany = howmany,
                                        .in = in,
                                        .out = out,
                                        .each = kind,
                                        .apply = apply,
                                        .data = data,
                                        .comm = comm,
                                        .flags = flags});
}

FFTW(plan)
WEFT(plan_multiply)
(int rnk, const ptrdiff_t *n, const ptrdiff_t *modes, ptrdiff_t howmany, void *in, void *out,
 weft_grid grid, const int *kind, const void *factors, int complex_factors, MPI_Comm comm,
 unsigned flags)
{
    return planned(grid, (weft_request){.function = OWN_NAME("plan_multiply"),
                                        .axes = rnk,
                                        .size = n,
                                        .modes = modes,
                                        .howmany = howmany,
                                        .in = in,
                                        .out = out,
                                        .each = kind,
                                        .multiplies = true,
                                        .factors = factors,
                                        .complex_factors = complex_factors != 0,
                                        .comm = comm,
                                        .flags = flags});
}

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

/* The highest frequency of an even number of points has no derivative: it is 0. */
void WEFT(derivative)(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis, void *data)
{
    const weft_wave *it = data;
    for (ptrdiff_t i = 0; i < count; i++) {
        const ptrdiff_t place = index[it->axis] + (axis == it->axis ? i : 0);
        const double k = 2 * place == it->n[it->axis] ? 0 : wave_number(it, it->axis, place);
        weft_real *at = (weft_real *)values + 2 * i * it->howmany;
        for (ptrdiff_t f = 0; f < 2 * it->howmany; f += 2) {
            const weft_real re = at[f];
            at[f] = -(weft_real)(it->scale * k) * at[f + 1];
            at[f + 1] = (weft_real)(it->scale * k) * re;
        }
    }
}
