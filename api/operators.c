/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans with an operator between the forward and the inverse transform, and Weft's own operators.
 */
#include <math.h>
#include "kernels/base/error.h"
#include "api/planning.h"

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
