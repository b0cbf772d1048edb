/* SPDX-License-Identifier: BSD-3-Clause */
/* The grids there are, and which functions of weft.h a case is about. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/mpi/grids.h"

bool grids_next(int dimensions, int *dims, int ranks)
{
    int product;
    bool begun = dims[0] > 0;
    for (int g = 0; !begun && g < dimensions; g++)
        dims[g] = 1;
    if (!begun)
        dims[dimensions - 1]--;
    do { /* count in base `ranks`: slow and plain */
        int g = dimensions - 1;
        while (g >= 0 && dims[g] == ranks)
            dims[g--] = 1;
        if (g < 0)
            return false;
        dims[g]++;
        product = 1;
        for (g = 0; g < dimensions; g++)
            product *= dims[g];
    } while (product != ranks);
    return true;
}

FFTW(plan) grids_plan(const grids_case *it, weft_grid grid, void *in, void *out)
{
    const int sort = grids_sort(it);
    const ptrdiff_t *n = it->n;
    FFTW(r2r_kind) r2r[GRIDS_RANK];
    bool pure = true;
    for (int a = 0; a < it->rank - 1; a++) {
        const int plain = sort == WEFT_DFT_R2C   ? WEFT_DFT_FORWARD
                          : sort == WEFT_DFT_C2R ? WEFT_DFT_BACKWARD
                                                 : sort;
        pure = pure && it->kind[a] == plain;
    }
    for (int a = 0; a < it->rank; a++)
        r2r[a] = (FFTW(r2r_kind))it->kind[a];
    if (sort == WEFT_R2R && it->rank == 2 && it->howmany == 1)
        return WEFT(plan_r2r_2d)(n[0], n[1], in, out, grid, r2r[0], r2r[1], it->flags);
    if (sort == WEFT_R2R && it->rank == 3 && it->howmany == 1)
        return WEFT(plan_r2r_3d)(n[0], n[1], n[2], in, out, grid, r2r[0], r2r[1], r2r[2],
                                 it->flags);
    if (sort == WEFT_R2R && it->howmany == 1)
        return WEFT(plan_r2r)(it->rank, n, in, out, grid, r2r, it->flags);
    if (sort == WEFT_R2R)
        return WEFT(plan_many_r2r)(it->rank, n, it->howmany, in, out, grid, r2r, it->flags);
    if (!pure || (sort <= WEFT_DFT_BACKWARD && it->kind[it->rank - 1] != sort))
        return WEFT(plan_many_kinds)(it->rank, n, it->howmany, in, out, grid, it->kind, it->flags);
    if (sort == WEFT_DFT_R2C)
        return it->howmany != 1
                   ? WEFT(plan_many_dft_r2c)(it->rank, n, it->howmany, in, out, grid, it->flags)
               : it->rank == 2 ? WEFT(plan_dft_r2c_2d)(n[0], n[1], in, out, grid, it->flags)
               : it->rank == 3 ? WEFT(plan_dft_r2c_3d)(n[0], n[1], n[2], in, out, grid, it->flags)
                               : WEFT(plan_dft_r2c)(it->rank, n, in, out, grid, it->flags);
    if (sort == WEFT_DFT_C2R)
        return it->howmany != 1
                   ? WEFT(plan_many_dft_c2r)(it->rank, n, it->howmany, in, out, grid, it->flags)
               : it->rank == 2 ? WEFT(plan_dft_c2r_2d)(n[0], n[1], in, out, grid, it->flags)
               : it->rank == 3 ? WEFT(plan_dft_c2r_3d)(n[0], n[1], n[2], in, out, grid, it->flags)
                               : WEFT(plan_dft_c2r)(it->rank, n, in, out, grid, it->flags);
    const int sign = sort == WEFT_DFT_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD;
    return it->howmany != 1
               ? WEFT(plan_many_dft)(it->rank, n, it->howmany, in, out, grid, sign, it->flags)
           : it->rank == 2 ? WEFT(plan_dft_2d)(n[0], n[1], in, out, grid, sign, it->flags)
           : it->rank == 3 ? WEFT(plan_dft_3d)(n[0], n[1], n[2], in, out, grid, sign, it->flags)
                           : WEFT(plan_dft)(it->rank, n, in, out, grid, sign, it->flags);
}

void grids_execute(const grids_case *it, FFTW(plan) plan, void *in, void *out)
{
    extern void FFTW(mpi_execute_dft)(FFTW(plan), FFTW(complex) *, FFTW(complex) *);
    extern void FFTW(mpi_execute_r2r)(FFTW(plan), weft_real *, weft_real *);
    if (grids_sort(it) == WEFT_R2R)
        FFTW(mpi_execute_r2r)(plan, in, out);
    else
        FFTW(mpi_execute_dft)(plan, in, out);
}

whole_problem grids_whole(const grids_case *it)
{
    whole_problem whole = {.axes = it->rank, .howmany = it->howmany, .operates = it->operates > 0};
    memcpy(whole.n, it->n, sizeof whole.n);
    memcpy(whole.modes, it->modes, sizeof whole.modes);
    memcpy(whole.kind, it->kind, sizeof whole.kind);
    return whole;
}

/* Multiplies numbers, which are real or complex. */
static void times(weft_real *number, ptrdiff_t numbers, bool real, const weft_real factor[2])
{
    for (ptrdiff_t k = 0; k < numbers; k++) {
        weft_real *at = number + (real ? 1 : 2) * k, re = at[0], im = real ? 0 : at[1];
        at[0] = re * factor[0] - im * factor[1];
        if (!real)
            at[1] = re * factor[1] + im * factor[0];
    }
}

/* The operator of the tests. Indices out of bounds spoil the result. */
static void operate(void *values, ptrdiff_t count, const ptrdiff_t *index, int axis, void *data)
{
    const whole_problem *it = data;
    bool real = true;
    for (int a = 0; a < it->axes; a++)
        real = real && it->kind[a] <= WEFT_NONE;
    for (ptrdiff_t i = 0; i < count; i++) {
        ptrdiff_t point[WHOLE_AXES];
        weft_real factor[2];
        for (int a = 0; a < it->axes; a++)
            point[a] = index[a] + (a == axis ? i : 0);
        whole_factor(it, point, factor);
        times((weft_real *)values + (real ? 1 : 2) * i * it->howmany, it->howmany, real, factor);
    }
}

/* The factors of this rank, in the order of the output of the forward transform. */
static weft_real *factors_of(const grids_case *it, const whole_problem *whole, bool complex,
                             MPI_Comm comm)
{
    grids_case forward = *it;
    int me;
    MPI_Comm_rank(comm, &me);
    forward.operates = 0;
    arrays_part part = grids_part(&forward, true, me);
    part.tuple = 1;
    arrays_map map = arrays_map_of(&part);
    weft_real *factors = malloc(sizeof *factors * (size_t)(2 * map.slots + 1));
    for (ptrdiff_t i = 0; i < map.slots; i++) {
        ptrdiff_t index[WHOLE_AXES], rest = map.global[i];
        weft_real factor[2];
        for (int a = it->rank - 1; a >= 0; a--) {
            index[a] = rest % part.length[a];
            rest /= part.length[a];
        }
        whole_factor(whole, index, factor);
        memcpy(factors + (complex ? 2 : 1) * i, factor, sizeof *factor * (complex ? 2 : 1));
    }
    free(map.global);
    return factors;
}

FFTW(plan)
grids_operator_plan(const grids_case *it, weft_grid grid, void *in, void *out,
                    const whole_problem *whole, weft_real **factors, MPI_Comm comm)
{
    const bool slabs = it->dimensions == 1 && it->flags & WEFT_FFTW_BLOCKS && !it->column_major;
    const ptrdiff_t *modes = it->modes[0] > 0 ? it->modes : NULL;
    weft_real factor[2];
    whole_factor(whole, (const ptrdiff_t[WHOLE_AXES]){0}, factor);
    if (it->operates == 1)
        return WEFT(plan_operator)(it->rank, it->n, modes, it->howmany, in, out,
                                   slabs ? NULL : grid, it->kind, operate, (void *)(uintptr_t)whole,
                                   comm, it->flags);
    *factors = factors_of(it, whole, factor[1] != 0, comm);
    return WEFT(plan_multiply)(it->rank, it->n, modes, it->howmany, in, out, slabs ? NULL : grid,
                               it->kind, *factors, factor[1] != 0, comm, it->flags);
}
