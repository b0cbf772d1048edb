/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions of fftw3-mpi.h a case is about. */
#include "tests/mpi/dropin.h"

static FFTW(plan) plan_shaped(const dropin_case *it, weft_real *in, weft_real *out, MPI_Comm comm)
{
    const ptrdiff_t *n = it->n;
    const FFTW(r2r_kind) *kind = it->kind;
    FFTW(complex) *complex_in = (FFTW(complex) *)in, *complex_out = (FFTW(complex) *)out;
    bool flat = it->rank == 2;
    switch (it->what) {
    case DROPIN_C2C:
        if (it->rank == 1)
            return FFTW(mpi_plan_dft_1d)(n[0], complex_in, complex_out, comm, it->sign, it->flags);
        return flat ? FFTW(mpi_plan_dft_2d)(n[0], n[1], complex_in, complex_out, comm, it->sign,
                                            it->flags)
                    : FFTW(mpi_plan_dft_3d)(n[0], n[1], n[2], complex_in, complex_out, comm,
                                            it->sign, it->flags);
    case DROPIN_R2C:
        return flat ? FFTW(mpi_plan_dft_r2c_2d)(n[0], n[1], in, complex_out, comm, it->flags)
                    : FFTW(mpi_plan_dft_r2c_3d)(n[0], n[1], n[2], in, complex_out, comm, it->flags);
    case DROPIN_C2R:
        return flat ? FFTW(mpi_plan_dft_c2r_2d)(n[0], n[1], complex_in, out, comm, it->flags)
                    : FFTW(mpi_plan_dft_c2r_3d)(n[0], n[1], n[2], complex_in, out, comm, it->flags);
    case DROPIN_R2R:
        return flat ? FFTW(mpi_plan_r2r_2d)(n[0], n[1], in, out, comm, kind[0], kind[1], it->flags)
                    : FFTW(mpi_plan_r2r_3d)(n[0], n[1], n[2], in, out, comm, kind[0], kind[1],
                                            kind[2], it->flags);
    default:
        return FFTW(mpi_plan_transpose)(n[0], n[1], in, out, comm, it->flags);
    }
}

static FFTW(plan) plan_basic(const dropin_case *it, weft_real *in, weft_real *out, MPI_Comm comm)
{
    FFTW(complex) *complex_in = (FFTW(complex) *)in, *complex_out = (FFTW(complex) *)out;
    switch (it->what) {
    case DROPIN_C2C:
        return FFTW(mpi_plan_dft)(it->rank, it->n, complex_in, complex_out, comm, it->sign,
                                  it->flags);
    case DROPIN_R2C:
        return FFTW(mpi_plan_dft_r2c)(it->rank, it->n, in, complex_out, comm, it->flags);
    case DROPIN_C2R:
        return FFTW(mpi_plan_dft_c2r)(it->rank, it->n, complex_in, out, comm, it->flags);
    case DROPIN_R2R:
        return FFTW(mpi_plan_r2r)(it->rank, it->n, in, out, comm, it->kind, it->flags);
    default:
        return FFTW(mpi_plan_transpose)(it->n[0], it->n[1], in, out, comm, it->flags);
    }
}

static FFTW(plan) plan_many(const dropin_case *it, weft_real *in, weft_real *out, MPI_Comm comm)
{
    FFTW(complex) *complex_in = (FFTW(complex) *)in, *complex_out = (FFTW(complex) *)out;
    switch (it->what) {
    case DROPIN_C2C:
        return FFTW(mpi_plan_many_dft)(it->rank, it->n, it->howmany, it->in_block, it->out_block,
                                       complex_in, complex_out, comm, it->sign, it->flags);
    case DROPIN_R2C:
        return FFTW(mpi_plan_many_dft_r2c)(it->rank, it->n, it->howmany, it->in_block,
                                           it->out_block, in, complex_out, comm, it->flags);
    case DROPIN_C2R:
        return FFTW(mpi_plan_many_dft_c2r)(it->rank, it->n, it->howmany, it->in_block,
                                           it->out_block, complex_in, out, comm, it->flags);
    case DROPIN_R2R:
        return FFTW(mpi_plan_many_r2r)(it->rank, it->n, it->howmany, it->in_block, it->out_block,
                                       in, out, comm, it->kind, it->flags);
    default:
        return FFTW(mpi_plan_many_transpose)(it->n[0], it->n[1], it->howmany, it->in_block,
                                             it->out_block, in, out, comm, it->flags);
    }
}

FFTW(plan) dropin_plan(const dropin_case *it, weft_real *in, weft_real *out, MPI_Comm comm)
{
    if (it->entry == DROPIN_MANY)
        return plan_many(it, in, out, comm);
    return it->entry == DROPIN_SHAPED ? plan_shaped(it, in, out, comm)
                                      : plan_basic(it, in, out, comm);
}

static void execute_by_libfftw3(const dropin_case *it, FFTW(plan) plan, weft_real *in,
                                weft_real *out)
{
    FFTW(complex) *complex_in = (FFTW(complex) *)in, *complex_out = (FFTW(complex) *)out;
    switch (it->what) {
    case DROPIN_C2C:
        if (it->howmany > 1) /* some programs run complex plans as real ones */
            FFTW(execute_r2r)(plan, in, out);
        else
            FFTW(execute_dft)(plan, complex_in, complex_out);
        break;
    case DROPIN_R2C:
        FFTW(execute_dft_r2c)(plan, in, complex_out);
        break;
    case DROPIN_C2R:
        FFTW(execute_dft_c2r)(plan, complex_in, out);
        break;
    default:
        FFTW(execute_r2r)(plan, in, out);
    }
}

void dropin_execute(const dropin_case *it, FFTW(plan) plan, weft_real *in, weft_real *out)
{
    FFTW(complex) *complex_in = (FFTW(complex) *)in, *complex_out = (FFTW(complex) *)out;
    if (it->by_libfftw3) {
        execute_by_libfftw3(it, plan, in, out);
        return;
    }
    switch (it->what) {
    case DROPIN_C2C:
        FFTW(mpi_execute_dft)(plan, complex_in, complex_out);
        break;
    case DROPIN_R2C:
        FFTW(mpi_execute_dft_r2c)(plan, in, complex_out);
        break;
    case DROPIN_C2R:
        FFTW(mpi_execute_dft_c2r)(plan, complex_in, out);
        break;
    default:
        FFTW(mpi_execute_r2r)(plan, in, out);
    }
}
