/* SPDX-License-Identifier: BSD-3-Clause */
/* The grids there are, and which functions of weft.h a case is about. */
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
