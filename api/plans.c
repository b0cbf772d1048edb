/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan functions: each states its request. The basic forms are the many forms with defaults. */
#include "entries.h"
#include "fftw3-mpi.h"
#include "names.h"
#include "planning.h"

FFTW(plan)
WEFT(mpi_plan_many_transpose)
(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, weft_real *in,
 weft_real *out, MPI_Comm comm, unsigned flags)
{
    weft_request request = {.function = NAME("plan_many_transpose"),
                            .asked = WEFT_ASK_TRANSPOSE,
                            .axes = 2,
                            .size = (ptrdiff_t[]){n0, n1},
                            .howmany = howmany,
                            .in_block = block0,
                            .out_block = block1,
                            .in = in,
                            .out = out,
                            .comm = comm,
                            .flags = flags};
    return WEFT(planned)(&request);
}

FFTW(plan)
WEFT(mpi_plan_transpose)
(ptrdiff_t n0, ptrdiff_t n1, weft_real *in, weft_real *out, MPI_Comm comm, unsigned flags)
{
    weft_request request = {.function = NAME("plan_transpose"),
                            .asked = WEFT_ASK_TRANSPOSE,
                            .axes = 2,
                            .size = (ptrdiff_t[]){n0, n1},
                            .howmany = 1,
                            .in = in,
                            .out = out,
                            .comm = comm,
                            .flags = flags};
    return WEFT(planned)(&request);
}

/* Complex transforms. */

static FFTW(plan)
    complex_plan(const char *function, int rnk, const ptrdiff_t *n, FFTW(complex) * in,
                 FFTW(complex) * out, MPI_Comm comm, int sign, unsigned flags)
{
    weft_request request = {.function = function,
                            .asked = WEFT_ASK_C2C,
                            .axes = rnk,
                            .size = n,
                            .howmany = 1,
                            .sign = sign,
                            .in = in,
                            .out = out,
                            .comm = comm,
                            .flags = flags};
    return WEFT(planned)(&request);
}

FFTW(plan)
WEFT(mpi_plan_many_dft)
(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block, ptrdiff_t tblock,
 FFTW(complex) * in, FFTW(complex) * out, MPI_Comm comm, int sign, unsigned flags)
{
    weft_request request = {.function = NAME("plan_many_dft"),
                            .asked = WEFT_ASK_C2C,
                            .axes = rnk,
                            .size = n,
                            .howmany = howmany,
                            .in_block = block,
                            .out_block = tblock,
                            .sign = sign,
                            .in = in,
                            .out = out,
                            .comm = comm,
                            .flags = flags};
    return WEFT(planned)(&request);
}

FFTW(plan)
WEFT(mpi_plan_dft)
(int rnk, const ptrdiff_t *n, FFTW(complex) * in, FFTW(complex) * out, MPI_Comm comm, int sign,
 unsigned flags)
{
    return complex_plan(NAME("plan_dft"), rnk, n, in, out, comm, sign, flags);
}

FFTW(plan)
WEFT(mpi_plan_dft_1d)
(ptrdiff_t n0, FFTW(complex) * in, FFTW(complex) * out, MPI_Comm comm, int sign, unsigned flags)
{
    return complex_plan(NAME("plan_dft_1d"), 1, &n0, in, out, comm, sign, flags);
}

FFTW(plan)
WEFT(mpi_plan_dft_2d)
(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) * in, FFTW(complex) * out, MPI_Comm comm, int sign,
 unsigned flags)
{
    return complex_plan(NAME("plan_dft_2d"), 2, (ptrdiff_t[]){n0, n1}, in, out, comm, sign, flags);
}

FFTW(plan)
WEFT(mpi_plan_dft_3d)
(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, FFTW(complex) * in, FFTW(complex) * out, MPI_Comm comm,
 int sign, unsigned flags)
{
    return complex_plan(NAME("plan_dft_3d"), 3, (ptrdiff_t[]){n0, n1, n2}, in, out, comm, sign,
                        flags);
}

/* Real transforms of real numbers. */

static FFTW(plan)
    r2r_plan(const char *function, int rnk, const ptrdiff_t *n, weft_real *in, weft_real *out,
             MPI_Comm comm, const FFTW(r2r_kind) * kind, unsigned flags)
{
    weft_request request = {.function = function,
                            .asked = WEFT_ASK_R2R,
                            .axes = rnk,
                            .size = n,
                            .howmany = 1,
                            .kinds = kind,
                            .in = in,
                            .out = out,
                            .comm = comm,
                            .flags = flags};
    return WEFT(planned)(&request);
}

FFTW(plan)
WEFT(mpi_plan_many_r2r)
(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock, weft_real *in,
 weft_real *out, MPI_Comm comm, const FFTW(r2r_kind) * kind, unsigned flags)
{
    weft_request request = {.function = NAME("plan_many_r2r"),
                            .asked = WEFT_ASK_R2R,
                            .axes = rnk,
                            .size = n,
                            .howmany = howmany,
                            .in_block = iblock,
                            .out_block = oblock,
                            .kinds = kind,
                            .in = in,
                            .out = out,
                            .comm = comm,
                            .flags = flags};
    return WEFT(planned)(&request);
}

FFTW(plan)
WEFT(mpi_plan_r2r)
(int rnk, const ptrdiff_t *n, weft_real *in, weft_real *out, MPI_Comm comm,
 const FFTW(r2r_kind) * kind, unsigned flags)
{
    return r2r_plan(NAME("plan_r2r"), rnk, n, in, out, comm, kind, flags);
}

FFTW(plan)
WEFT(mpi_plan_r2r_2d)
(ptrdiff_t n0, ptrdiff_t n1, weft_real *in, weft_real *out, MPI_Comm comm, FFTW(r2r_kind) kind0,
 FFTW(r2r_kind) kind1, unsigned flags)
{
    return r2r_plan(NAME("plan_r2r_2d"), 2, (ptrdiff_t[]){n0, n1}, in, out, comm,
                    (FFTW(r2r_kind)[]){kind0, kind1}, flags);
}

FFTW(plan)
WEFT(mpi_plan_r2r_3d)
(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, weft_real *in, weft_real *out, MPI_Comm comm,
 FFTW(r2r_kind) kind0, FFTW(r2r_kind) kind1, FFTW(r2r_kind) kind2, unsigned flags)
{
    return r2r_plan(NAME("plan_r2r_3d"), 3, (ptrdiff_t[]){n0, n1, n2}, in, out, comm,
                    (FFTW(r2r_kind)[]){kind0, kind1, kind2}, flags);
}

/* Real to complex, and back. */

static FFTW(plan) half_plan(const char *function, weft_asked asked, int rnk, const ptrdiff_t *n,
                            void *in, void *out, MPI_Comm comm, unsigned flags)
{
    weft_request request = {.function = function,
                            .asked = asked,
                            .axes = rnk,
                            .size = n,
                            .howmany = 1,
                            .in = in,
                            .out = out,
                            .comm = comm,
                            .flags = flags};
    return WEFT(planned)(&request);
}

static FFTW(plan)
    many_half_plan(const char *function, weft_asked asked, int rnk, const ptrdiff_t *n,
                   ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock, void *in, void *out,
                   MPI_Comm comm, unsigned flags)
{
    weft_request request = {.function = function,
                            .asked = asked,
                            .axes = rnk,
                            .size = n,
                            .howmany = howmany,
                            .in_block = iblock,
                            .out_block = oblock,
                            .in = in,
                            .out = out,
                            .comm = comm,
                            .flags = flags};
    return WEFT(planned)(&request);
}

FFTW(plan)
WEFT(mpi_plan_many_dft_r2c)
(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock, weft_real *in,
 FFTW(complex) * out, MPI_Comm comm, unsigned flags)
{
    return many_half_plan(NAME("plan_many_dft_r2c"), WEFT_ASK_R2C, rnk, n, howmany, iblock, oblock,
                          in, out, comm, flags);
}

FFTW(plan)
WEFT(mpi_plan_dft_r2c)
(int rnk, const ptrdiff_t *n, weft_real *in, FFTW(complex) * out, MPI_Comm comm, unsigned flags)
{
    return half_plan(NAME("plan_dft_r2c"), WEFT_ASK_R2C, rnk, n, in, out, comm, flags);
}

FFTW(plan)
WEFT(mpi_plan_dft_r2c_2d)
(ptrdiff_t n0, ptrdiff_t n1, weft_real *in, FFTW(complex) * out, MPI_Comm comm, unsigned flags)
{
    return half_plan(NAME("plan_dft_r2c_2d"), WEFT_ASK_R2C, 2, (ptrdiff_t[]){n0, n1}, in, out, comm,
                     flags);
}

FFTW(plan)
WEFT(mpi_plan_dft_r2c_3d)
(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, weft_real *in, FFTW(complex) * out, MPI_Comm comm,
 unsigned flags)
{
    return half_plan(NAME("plan_dft_r2c_3d"), WEFT_ASK_R2C, 3, (ptrdiff_t[]){n0, n1, n2}, in, out,
                     comm, flags);
}

FFTW(plan)
WEFT(mpi_plan_many_dft_c2r)
(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock,
 FFTW(complex) * in, weft_real *out, MPI_Comm comm, unsigned flags)
{
    return many_half_plan(NAME("plan_many_dft_c2r"), WEFT_ASK_C2R, rnk, n, howmany, iblock, oblock,
                          in, out, comm, flags);
}

FFTW(plan)
WEFT(mpi_plan_dft_c2r)
(int rnk, const ptrdiff_t *n, FFTW(complex) * in, weft_real *out, MPI_Comm comm, unsigned flags)
{
    return half_plan(NAME("plan_dft_c2r"), WEFT_ASK_C2R, rnk, n, in, out, comm, flags);
}

FFTW(plan)
WEFT(mpi_plan_dft_c2r_2d)
(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) * in, weft_real *out, MPI_Comm comm, unsigned flags)
{
    return half_plan(NAME("plan_dft_c2r_2d"), WEFT_ASK_C2R, 2, (ptrdiff_t[]){n0, n1}, in, out, comm,
                     flags);
}

FFTW(plan)
WEFT(mpi_plan_dft_c2r_3d)
(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, FFTW(complex) * in, weft_real *out, MPI_Comm comm,
 unsigned flags)
{
    return half_plan(NAME("plan_dft_c2r_3d"), WEFT_ASK_C2R, 3, (ptrdiff_t[]){n0, n1, n2}, in, out,
                     comm, flags);
}
