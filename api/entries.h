/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What stands behind the exported functions: one hidden function each, of the same arguments.
 * Inside the library only these are called, so that a program may hold FFTW's MPI library as well.
 * Generated from api/functions.
 */
/* clang-format off */
#ifndef WEFT_ENTRIES_H
#define WEFT_ENTRIES_H

#include <mpi.h>
#include "kernels/base/precision.h"

void weft_mpi_init(void);
void weft_mpi_cleanup(void);
ptrdiff_t weft_mpi_local_size_many_transposed(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t block0, ptrdiff_t block1, MPI_Comm comm, ptrdiff_t *local_n0,
    ptrdiff_t *local_0_start, ptrdiff_t *local_n1, ptrdiff_t *local_1_start);
ptrdiff_t weft_mpi_local_size_many(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t block0, MPI_Comm comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start);
ptrdiff_t weft_mpi_local_size_transposed(int rnk, const ptrdiff_t *n, MPI_Comm comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1, ptrdiff_t *local_1_start);
ptrdiff_t weft_mpi_local_size(int rnk, const ptrdiff_t *n, MPI_Comm comm, ptrdiff_t *local_n0,
    ptrdiff_t *local_0_start);
ptrdiff_t weft_mpi_local_size_many_1d(ptrdiff_t n0, ptrdiff_t howmany, MPI_Comm comm, int sign,
    unsigned flags, ptrdiff_t *local_ni, ptrdiff_t *local_i_start, ptrdiff_t *local_no,
    ptrdiff_t *local_o_start);
ptrdiff_t weft_mpi_local_size_1d(ptrdiff_t n0, MPI_Comm comm, int sign, unsigned flags,
    ptrdiff_t *local_ni, ptrdiff_t *local_i_start, ptrdiff_t *local_no, ptrdiff_t *local_o_start);
ptrdiff_t weft_mpi_local_size_2d(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm, ptrdiff_t *local_n0,
    ptrdiff_t *local_0_start);
ptrdiff_t weft_mpi_local_size_2d_transposed(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1, ptrdiff_t *local_1_start);
ptrdiff_t weft_mpi_local_size_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start);
ptrdiff_t weft_mpi_local_size_3d_transposed(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    MPI_Comm comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1,
    ptrdiff_t *local_1_start);
FFTW(plan) weft_mpi_plan_many_transpose(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t howmany,
    ptrdiff_t block0, ptrdiff_t block1, weft_real *in, weft_real *out, MPI_Comm comm,
    unsigned flags);
FFTW(plan) weft_mpi_plan_transpose(ptrdiff_t n0, ptrdiff_t n1, weft_real *in, weft_real *out,
    MPI_Comm comm, unsigned flags);
FFTW(plan) weft_mpi_plan_many_dft(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block,
    ptrdiff_t tblock, FFTW(complex) *in, FFTW(complex) *out, MPI_Comm comm, int sign,
    unsigned flags);
FFTW(plan) weft_mpi_plan_dft(int rnk, const ptrdiff_t *n, FFTW(complex) *in, FFTW(complex) *out,
    MPI_Comm comm, int sign, unsigned flags);
FFTW(plan) weft_mpi_plan_dft_1d(ptrdiff_t n0, FFTW(complex) *in, FFTW(complex) *out, MPI_Comm comm,
    int sign, unsigned flags);
FFTW(plan) weft_mpi_plan_dft_2d(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) *in, FFTW(complex) *out,
    MPI_Comm comm, int sign, unsigned flags);
FFTW(plan) weft_mpi_plan_dft_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, FFTW(complex) *in,
    FFTW(complex) *out, MPI_Comm comm, int sign, unsigned flags);
FFTW(plan) weft_mpi_plan_many_r2r(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock,
    ptrdiff_t oblock, weft_real *in, weft_real *out, MPI_Comm comm, const FFTW(r2r_kind) *kind,
    unsigned flags);
FFTW(plan) weft_mpi_plan_r2r(int rnk, const ptrdiff_t *n, weft_real *in, weft_real *out,
    MPI_Comm comm, const FFTW(r2r_kind) *kind, unsigned flags);
FFTW(plan) weft_mpi_plan_r2r_2d(ptrdiff_t n0, ptrdiff_t n1, weft_real *in, weft_real *out,
    MPI_Comm comm, FFTW(r2r_kind) kind0, FFTW(r2r_kind) kind1, unsigned flags);
FFTW(plan) weft_mpi_plan_r2r_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, weft_real *in,
    weft_real *out, MPI_Comm comm, FFTW(r2r_kind) kind0, FFTW(r2r_kind) kind1,
    FFTW(r2r_kind) kind2, unsigned flags);
FFTW(plan) weft_mpi_plan_many_dft_r2c(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, weft_real *in, FFTW(complex) *out, MPI_Comm comm,
    unsigned flags);
FFTW(plan) weft_mpi_plan_dft_r2c(int rnk, const ptrdiff_t *n, weft_real *in, FFTW(complex) *out,
    MPI_Comm comm, unsigned flags);
FFTW(plan) weft_mpi_plan_dft_r2c_2d(ptrdiff_t n0, ptrdiff_t n1, weft_real *in, FFTW(complex) *out,
    MPI_Comm comm, unsigned flags);
FFTW(plan) weft_mpi_plan_dft_r2c_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, weft_real *in,
    FFTW(complex) *out, MPI_Comm comm, unsigned flags);
FFTW(plan) weft_mpi_plan_many_dft_c2r(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, FFTW(complex) *in, weft_real *out, MPI_Comm comm,
    unsigned flags);
FFTW(plan) weft_mpi_plan_dft_c2r(int rnk, const ptrdiff_t *n, FFTW(complex) *in, weft_real *out,
    MPI_Comm comm, unsigned flags);
FFTW(plan) weft_mpi_plan_dft_c2r_2d(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) *in, weft_real *out,
    MPI_Comm comm, unsigned flags);
FFTW(plan) weft_mpi_plan_dft_c2r_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, FFTW(complex) *in,
    weft_real *out, MPI_Comm comm, unsigned flags);
void weft_mpi_gather_wisdom(MPI_Comm comm_);
void weft_mpi_broadcast_wisdom(MPI_Comm comm_);
void weft_mpi_execute_dft(FFTW(plan) p, FFTW(complex) *in, FFTW(complex) *out);
void weft_mpi_execute_dft_r2c(FFTW(plan) p, weft_real *in, FFTW(complex) *out);
void weft_mpi_execute_dft_c2r(FFTW(plan) p, FFTW(complex) *in, weft_real *out);
void weft_mpi_execute_r2r(FFTW(plan) p, weft_real *in, weft_real *out);

#endif
