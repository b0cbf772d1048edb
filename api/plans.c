/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan functions: each states its request. The basic forms are the many forms with defaults. */
#include "api/entries.h"
#include "api/fftw3-mpi.h"
#include "api/names.h"
#include "api/planning.h"

#define SIZE(...) ((const ptrdiff_t[]){__VA_ARGS__})

static weft_request many(const char *function, weft_asked asked, int axes, const ptrdiff_t *size,
                         ptrdiff_t howmany, ptrdiff_t in_block, ptrdiff_t out_block)
{
    return (weft_request){.function = function,
                          .asked = asked,
                          .axes = axes,
                          .size = size,
                          .howmany = howmany,
                          .in_block = in_block,
                          .out_block = out_block};
}

static weft_request one(const char *function, weft_asked asked, int axes, const ptrdiff_t *size)
{
    return many(function, asked, axes, size, 1, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK);
}

static FFTW(plan) plan(weft_request request, void *in, void *out, MPI_Comm comm, unsigned flags)
{
    request.in = in;
    request.out = out;
    request.comm = comm;
    request.flags = flags;
    return weft_planned(&request);
}

static FFTW(plan) complex_plan(weft_request request, FFTW(complex) * in, FFTW(complex) * out,
                               MPI_Comm comm, int sign, unsigned flags)
{
    request.sign = sign;
    return plan(request, in, out, comm, flags);
}

static FFTW(plan) real_plan(weft_request request, weft_real *in, weft_real *out, MPI_Comm comm,
                            const FFTW(r2r_kind) * kinds, unsigned flags)
{
    request.kinds = kinds;
    return plan(request, in, out, comm, flags);
}

FFTW(plan)
weft_mpi_plan_many_transpose(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t howmany, ptrdiff_t block0,
                             ptrdiff_t block1, weft_real *in, weft_real *out, MPI_Comm comm,
                             unsigned flags)
{
    return plan(many(NAME("plan_many_transpose"), WEFT_ASK_TRANSPOSE, 2, SIZE(n0, n1), howmany,
                     block0, block1),
                in, out, comm, flags);
}

FFTW(plan)
weft_mpi_plan_transpose(ptrdiff_t n0, ptrdiff_t n1, weft_real *in, weft_real *out, MPI_Comm comm,
                        unsigned flags)
{
    return plan(one(NAME("plan_transpose"), WEFT_ASK_TRANSPOSE, 2, SIZE(n0, n1)), in, out, comm,
                flags);
}

/* Complex transforms. */

FFTW(plan)
weft_mpi_plan_many_dft(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block,
                       ptrdiff_t tblock, FFTW(complex) * in, FFTW(complex) * out, MPI_Comm comm,
                       int sign, unsigned flags)
{
    return complex_plan(many(NAME("plan_many_dft"), WEFT_ASK_C2C, rnk, n, howmany, block, tblock),
                        in, out, comm, sign, flags);
}

FFTW(plan)
weft_mpi_plan_dft(int rnk, const ptrdiff_t *n, FFTW(complex) * in, FFTW(complex) * out,
                  MPI_Comm comm, int sign, unsigned flags)
{
    return complex_plan(one(NAME("plan_dft"), WEFT_ASK_C2C, rnk, n), in, out, comm, sign, flags);
}

FFTW(plan)
weft_mpi_plan_dft_1d(ptrdiff_t n0, FFTW(complex) * in, FFTW(complex) * out, MPI_Comm comm, int sign,
                     unsigned flags)
{
    return complex_plan(one(NAME("plan_dft_1d"), WEFT_ASK_C2C, 1, SIZE(n0)), in, out, comm, sign,
                        flags);
}

FFTW(plan)
weft_mpi_plan_dft_2d(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) * in, FFTW(complex) * out,
                     MPI_Comm comm, int sign, unsigned flags)
{
    return complex_plan(one(NAME("plan_dft_2d"), WEFT_ASK_C2C, 2, SIZE(n0, n1)), in, out, comm,
                        sign, flags);
}

FFTW(plan)
weft_mpi_plan_dft_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, FFTW(complex) * in,
                     FFTW(complex) * out, MPI_Comm comm, int sign, unsigned flags)
{
    return complex_plan(one(NAME("plan_dft_3d"), WEFT_ASK_C2C, 3, SIZE(n0, n1, n2)), in, out, comm,
                        sign, flags);
}

/* Real transforms of real numbers. */

FFTW(plan)
weft_mpi_plan_many_r2r(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock,
                       ptrdiff_t oblock, weft_real *in, weft_real *out, MPI_Comm comm,
                       const FFTW(r2r_kind) * kind, unsigned flags)
{
    return real_plan(many(NAME("plan_many_r2r"), WEFT_ASK_R2R, rnk, n, howmany, iblock, oblock), in,
                     out, comm, kind, flags);
}

FFTW(plan)
weft_mpi_plan_r2r(int rnk, const ptrdiff_t *n, weft_real *in, weft_real *out, MPI_Comm comm,
                  const FFTW(r2r_kind) * kind, unsigned flags)
{
    return real_plan(one(NAME("plan_r2r"), WEFT_ASK_R2R, rnk, n), in, out, comm, kind, flags);
}

FFTW(plan)
weft_mpi_plan_r2r_2d(ptrdiff_t n0, ptrdiff_t n1, weft_real *in, weft_real *out, MPI_Comm comm,
                     FFTW(r2r_kind) kind0, FFTW(r2r_kind) kind1, unsigned flags)
{
    return real_plan(one(NAME("plan_r2r_2d"), WEFT_ASK_R2R, 2, SIZE(n0, n1)), in, out, comm,
                     (const FFTW(r2r_kind)[]){kind0, kind1}, flags);
}

FFTW(plan)
weft_mpi_plan_r2r_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, weft_real *in, weft_real *out,
                     MPI_Comm comm, FFTW(r2r_kind) kind0, FFTW(r2r_kind) kind1,
                     FFTW(r2r_kind) kind2, unsigned flags)
{
    return real_plan(one(NAME("plan_r2r_3d"), WEFT_ASK_R2R, 3, SIZE(n0, n1, n2)), in, out, comm,
                     (const FFTW(r2r_kind)[]){kind0, kind1, kind2}, flags);
}

/* Real to complex, and back. */

FFTW(plan)
weft_mpi_plan_many_dft_r2c(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock,
                           ptrdiff_t oblock, weft_real *in, FFTW(complex) * out, MPI_Comm comm,
                           unsigned flags)
{
    return plan(many(NAME("plan_many_dft_r2c"), WEFT_ASK_R2C, rnk, n, howmany, iblock, oblock), in,
                out, comm, flags);
}

FFTW(plan)
weft_mpi_plan_dft_r2c(int rnk, const ptrdiff_t *n, weft_real *in, FFTW(complex) * out,
                      MPI_Comm comm, unsigned flags)
{
    return plan(one(NAME("plan_dft_r2c"), WEFT_ASK_R2C, rnk, n), in, out, comm, flags);
}

FFTW(plan)
weft_mpi_plan_dft_r2c_2d(ptrdiff_t n0, ptrdiff_t n1, weft_real *in, FFTW(complex) * out,
                         MPI_Comm comm, unsigned flags)
{
    return plan(one(NAME("plan_dft_r2c_2d"), WEFT_ASK_R2C, 2, SIZE(n0, n1)), in, out, comm, flags);
}

FFTW(plan)
weft_mpi_plan_dft_r2c_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, weft_real *in,
                         FFTW(complex) * out, MPI_Comm comm, unsigned flags)
{
    return plan(one(NAME("plan_dft_r2c_3d"), WEFT_ASK_R2C, 3, SIZE(n0, n1, n2)), in, out, comm,
                flags);
}

FFTW(plan)
weft_mpi_plan_many_dft_c2r(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock,
                           ptrdiff_t oblock, FFTW(complex) * in, weft_real *out, MPI_Comm comm,
                           unsigned flags)
{
    return plan(many(NAME("plan_many_dft_c2r"), WEFT_ASK_C2R, rnk, n, howmany, iblock, oblock), in,
                out, comm, flags);
}

FFTW(plan)
weft_mpi_plan_dft_c2r(int rnk, const ptrdiff_t *n, FFTW(complex) * in, weft_real *out,
                      MPI_Comm comm, unsigned flags)
{
    return plan(one(NAME("plan_dft_c2r"), WEFT_ASK_C2R, rnk, n), in, out, comm, flags);
}

FFTW(plan)
weft_mpi_plan_dft_c2r_2d(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) * in, weft_real *out,
                         MPI_Comm comm, unsigned flags)
{
    return plan(one(NAME("plan_dft_c2r_2d"), WEFT_ASK_C2R, 2, SIZE(n0, n1)), in, out, comm, flags);
}

FFTW(plan)
weft_mpi_plan_dft_c2r_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, FFTW(complex) * in,
                         weft_real *out, MPI_Comm comm, unsigned flags)
{
    return plan(one(NAME("plan_dft_c2r_3d"), WEFT_ASK_C2R, 3, SIZE(n0, n1, n2)), in, out, comm,
                flags);
}
