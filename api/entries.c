/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exported functions, under FFTW's names, and their twins for Fortran, which take a Fortran
 * communicator: _f03 as FFTW's do; _f08, also of weft.h's functions, its address, since it may be
 * an integer or a type(MPI_Comm) of mpi_f08. Generated from api/functions and api/weft.h.
 */
/* clang-format off */
#include "api/entries.h"
#include "api/fftw3-mpi.h"
#include "api/mpi-state.h"
#include "api/weft.h"

WEFT_API void FFTW(mpi_init)(void)
{
    weft_mpi_init();
}

WEFT_API void FFTW(mpi_cleanup)(void)
{
    weft_mpi_cleanup();
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_many_transposed)(int rnk, const ptrdiff_t *n,
    ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, MPI_Comm comm, ptrdiff_t *local_n0,
    ptrdiff_t *local_0_start, ptrdiff_t *local_n1, ptrdiff_t *local_1_start)
{
    return weft_mpi_local_size_many_transposed(rnk, n, howmany, block0, block1, comm, local_n0,
        local_0_start, local_n1, local_1_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_many_transposed_f03)(int rnk, const ptrdiff_t *n,
    ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, MPI_Fint comm, ptrdiff_t *local_n0,
    ptrdiff_t *local_0_start, ptrdiff_t *local_n1, ptrdiff_t *local_1_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_many_transposed_f03)(int rnk, const ptrdiff_t *n,
    ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, MPI_Fint comm, ptrdiff_t *local_n0,
    ptrdiff_t *local_0_start, ptrdiff_t *local_n1, ptrdiff_t *local_1_start)
{
    return weft_mpi_local_size_many_transposed(rnk, n, howmany, block0, block1, weft_comm_of(comm),
        local_n0, local_0_start, local_n1, local_1_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_many_transposed_f08)(int rnk, const ptrdiff_t *n,
    ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, const MPI_Fint *comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1, ptrdiff_t *local_1_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_many_transposed_f08)(int rnk, const ptrdiff_t *n,
    ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, const MPI_Fint *comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1, ptrdiff_t *local_1_start)
{
    return weft_mpi_local_size_many_transposed(rnk, n, howmany, block0, block1,
        weft_comm_of(*comm), local_n0, local_0_start, local_n1, local_1_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_many)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t block0, MPI_Comm comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start)
{
    return weft_mpi_local_size_many(rnk, n, howmany, block0, comm, local_n0, local_0_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_many_f03)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t block0, MPI_Fint comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_many_f03)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t block0, MPI_Fint comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start)
{
    return weft_mpi_local_size_many(rnk, n, howmany, block0, weft_comm_of(comm), local_n0,
        local_0_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_many_f08)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t block0, const MPI_Fint *comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_many_f08)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t block0, const MPI_Fint *comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start)
{
    return weft_mpi_local_size_many(rnk, n, howmany, block0, weft_comm_of(*comm), local_n0,
        local_0_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_transposed)(int rnk, const ptrdiff_t *n, MPI_Comm comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1, ptrdiff_t *local_1_start)
{
    return weft_mpi_local_size_transposed(rnk, n, comm, local_n0, local_0_start, local_n1,
        local_1_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_transposed_f03)(int rnk, const ptrdiff_t *n, MPI_Fint comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1, ptrdiff_t *local_1_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_transposed_f03)(int rnk, const ptrdiff_t *n, MPI_Fint comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1, ptrdiff_t *local_1_start)
{
    return weft_mpi_local_size_transposed(rnk, n, weft_comm_of(comm), local_n0, local_0_start,
        local_n1, local_1_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_transposed_f08)(int rnk, const ptrdiff_t *n,
    const MPI_Fint *comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1,
    ptrdiff_t *local_1_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_transposed_f08)(int rnk, const ptrdiff_t *n,
    const MPI_Fint *comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1,
    ptrdiff_t *local_1_start)
{
    return weft_mpi_local_size_transposed(rnk, n, weft_comm_of(*comm), local_n0, local_0_start,
        local_n1, local_1_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size)(int rnk, const ptrdiff_t *n, MPI_Comm comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start)
{
    return weft_mpi_local_size(rnk, n, comm, local_n0, local_0_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_f03)(int rnk, const ptrdiff_t *n, MPI_Fint comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_f03)(int rnk, const ptrdiff_t *n, MPI_Fint comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start)
{
    return weft_mpi_local_size(rnk, n, weft_comm_of(comm), local_n0, local_0_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_f08)(int rnk, const ptrdiff_t *n, const MPI_Fint *comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_f08)(int rnk, const ptrdiff_t *n, const MPI_Fint *comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start)
{
    return weft_mpi_local_size(rnk, n, weft_comm_of(*comm), local_n0, local_0_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_many_1d)(ptrdiff_t n0, ptrdiff_t howmany, MPI_Comm comm,
    int sign, unsigned flags, ptrdiff_t *local_ni, ptrdiff_t *local_i_start, ptrdiff_t *local_no,
    ptrdiff_t *local_o_start)
{
    return weft_mpi_local_size_many_1d(n0, howmany, comm, sign, flags, local_ni, local_i_start,
        local_no, local_o_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_many_1d_f03)(ptrdiff_t n0, ptrdiff_t howmany, MPI_Fint comm,
    int sign, unsigned flags, ptrdiff_t *local_ni, ptrdiff_t *local_i_start, ptrdiff_t *local_no,
    ptrdiff_t *local_o_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_many_1d_f03)(ptrdiff_t n0, ptrdiff_t howmany, MPI_Fint comm,
    int sign, unsigned flags, ptrdiff_t *local_ni, ptrdiff_t *local_i_start, ptrdiff_t *local_no,
    ptrdiff_t *local_o_start)
{
    return weft_mpi_local_size_many_1d(n0, howmany, weft_comm_of(comm), sign, flags, local_ni,
        local_i_start, local_no, local_o_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_many_1d_f08)(ptrdiff_t n0, ptrdiff_t howmany,
    const MPI_Fint *comm, int sign, unsigned flags, ptrdiff_t *local_ni, ptrdiff_t *local_i_start,
    ptrdiff_t *local_no, ptrdiff_t *local_o_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_many_1d_f08)(ptrdiff_t n0, ptrdiff_t howmany,
    const MPI_Fint *comm, int sign, unsigned flags, ptrdiff_t *local_ni, ptrdiff_t *local_i_start,
    ptrdiff_t *local_no, ptrdiff_t *local_o_start)
{
    return weft_mpi_local_size_many_1d(n0, howmany, weft_comm_of(*comm), sign, flags, local_ni,
        local_i_start, local_no, local_o_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_1d)(ptrdiff_t n0, MPI_Comm comm, int sign, unsigned flags,
    ptrdiff_t *local_ni, ptrdiff_t *local_i_start, ptrdiff_t *local_no, ptrdiff_t *local_o_start)
{
    return weft_mpi_local_size_1d(n0, comm, sign, flags, local_ni, local_i_start, local_no,
        local_o_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_1d_f03)(ptrdiff_t n0, MPI_Fint comm, int sign,
    unsigned flags, ptrdiff_t *local_ni, ptrdiff_t *local_i_start, ptrdiff_t *local_no,
    ptrdiff_t *local_o_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_1d_f03)(ptrdiff_t n0, MPI_Fint comm, int sign,
    unsigned flags, ptrdiff_t *local_ni, ptrdiff_t *local_i_start, ptrdiff_t *local_no,
    ptrdiff_t *local_o_start)
{
    return weft_mpi_local_size_1d(n0, weft_comm_of(comm), sign, flags, local_ni, local_i_start,
        local_no, local_o_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_1d_f08)(ptrdiff_t n0, const MPI_Fint *comm, int sign,
    unsigned flags, ptrdiff_t *local_ni, ptrdiff_t *local_i_start, ptrdiff_t *local_no,
    ptrdiff_t *local_o_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_1d_f08)(ptrdiff_t n0, const MPI_Fint *comm, int sign,
    unsigned flags, ptrdiff_t *local_ni, ptrdiff_t *local_i_start, ptrdiff_t *local_no,
    ptrdiff_t *local_o_start)
{
    return weft_mpi_local_size_1d(n0, weft_comm_of(*comm), sign, flags, local_ni, local_i_start,
        local_no, local_o_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_2d)(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start)
{
    return weft_mpi_local_size_2d(n0, n1, comm, local_n0, local_0_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_2d_f03)(ptrdiff_t n0, ptrdiff_t n1, MPI_Fint comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_2d_f03)(ptrdiff_t n0, ptrdiff_t n1, MPI_Fint comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start)
{
    return weft_mpi_local_size_2d(n0, n1, weft_comm_of(comm), local_n0, local_0_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_2d_f08)(ptrdiff_t n0, ptrdiff_t n1, const MPI_Fint *comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_2d_f08)(ptrdiff_t n0, ptrdiff_t n1, const MPI_Fint *comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start)
{
    return weft_mpi_local_size_2d(n0, n1, weft_comm_of(*comm), local_n0, local_0_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_2d_transposed)(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1, ptrdiff_t *local_1_start)
{
    return weft_mpi_local_size_2d_transposed(n0, n1, comm, local_n0, local_0_start, local_n1,
        local_1_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_2d_transposed_f03)(ptrdiff_t n0, ptrdiff_t n1,
    MPI_Fint comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1,
    ptrdiff_t *local_1_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_2d_transposed_f03)(ptrdiff_t n0, ptrdiff_t n1,
    MPI_Fint comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1,
    ptrdiff_t *local_1_start)
{
    return weft_mpi_local_size_2d_transposed(n0, n1, weft_comm_of(comm), local_n0, local_0_start,
        local_n1, local_1_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_2d_transposed_f08)(ptrdiff_t n0, ptrdiff_t n1,
    const MPI_Fint *comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1,
    ptrdiff_t *local_1_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_2d_transposed_f08)(ptrdiff_t n0, ptrdiff_t n1,
    const MPI_Fint *comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1,
    ptrdiff_t *local_1_start)
{
    return weft_mpi_local_size_2d_transposed(n0, n1, weft_comm_of(*comm), local_n0, local_0_start,
        local_n1, local_1_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,
    ptrdiff_t *local_n0, ptrdiff_t *local_0_start)
{
    return weft_mpi_local_size_3d(n0, n1, n2, comm, local_n0, local_0_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_3d_f03)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    MPI_Fint comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_3d_f03)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    MPI_Fint comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start)
{
    return weft_mpi_local_size_3d(n0, n1, n2, weft_comm_of(comm), local_n0, local_0_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_3d_f08)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    const MPI_Fint *comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_3d_f08)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    const MPI_Fint *comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start)
{
    return weft_mpi_local_size_3d(n0, n1, n2, weft_comm_of(*comm), local_n0, local_0_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_3d_transposed)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    MPI_Comm comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1,
    ptrdiff_t *local_1_start)
{
    return weft_mpi_local_size_3d_transposed(n0, n1, n2, comm, local_n0, local_0_start, local_n1,
        local_1_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_3d_transposed_f03)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    MPI_Fint comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1,
    ptrdiff_t *local_1_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_3d_transposed_f03)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    MPI_Fint comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1,
    ptrdiff_t *local_1_start)
{
    return weft_mpi_local_size_3d_transposed(n0, n1, n2, weft_comm_of(comm), local_n0,
        local_0_start, local_n1, local_1_start);
}

WEFT_API ptrdiff_t FFTW(mpi_local_size_3d_transposed_f08)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    const MPI_Fint *comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1,
    ptrdiff_t *local_1_start);
WEFT_API ptrdiff_t FFTW(mpi_local_size_3d_transposed_f08)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    const MPI_Fint *comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start, ptrdiff_t *local_n1,
    ptrdiff_t *local_1_start)
{
    return weft_mpi_local_size_3d_transposed(n0, n1, n2, weft_comm_of(*comm), local_n0,
        local_0_start, local_n1, local_1_start);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_many_transpose)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t howmany,
    ptrdiff_t block0, ptrdiff_t block1, weft_real *in, weft_real *out, MPI_Comm comm,
    unsigned flags)
{
    return weft_mpi_plan_many_transpose(n0, n1, howmany, block0, block1, in, out, comm, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_many_transpose_f03)(ptrdiff_t n0, ptrdiff_t n1,
    ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, weft_real *in, weft_real *out,
    MPI_Fint comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_many_transpose_f03)(ptrdiff_t n0, ptrdiff_t n1,
    ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, weft_real *in, weft_real *out,
    MPI_Fint comm, unsigned flags)
{
    return weft_mpi_plan_many_transpose(n0, n1, howmany, block0, block1, in, out,
        weft_comm_of(comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_many_transpose_f08)(ptrdiff_t n0, ptrdiff_t n1,
    ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, weft_real *in, weft_real *out,
    const MPI_Fint *comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_many_transpose_f08)(ptrdiff_t n0, ptrdiff_t n1,
    ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1, weft_real *in, weft_real *out,
    const MPI_Fint *comm, unsigned flags)
{
    return weft_mpi_plan_many_transpose(n0, n1, howmany, block0, block1, in, out,
        weft_comm_of(*comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_transpose)(ptrdiff_t n0, ptrdiff_t n1, weft_real *in,
    weft_real *out, MPI_Comm comm, unsigned flags)
{
    return weft_mpi_plan_transpose(n0, n1, in, out, comm, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_transpose_f03)(ptrdiff_t n0, ptrdiff_t n1, weft_real *in,
    weft_real *out, MPI_Fint comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_transpose_f03)(ptrdiff_t n0, ptrdiff_t n1, weft_real *in,
    weft_real *out, MPI_Fint comm, unsigned flags)
{
    return weft_mpi_plan_transpose(n0, n1, in, out, weft_comm_of(comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_transpose_f08)(ptrdiff_t n0, ptrdiff_t n1, weft_real *in,
    weft_real *out, const MPI_Fint *comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_transpose_f08)(ptrdiff_t n0, ptrdiff_t n1, weft_real *in,
    weft_real *out, const MPI_Fint *comm, unsigned flags)
{
    return weft_mpi_plan_transpose(n0, n1, in, out, weft_comm_of(*comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_many_dft)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t block, ptrdiff_t tblock, FFTW(complex) *in, FFTW(complex) *out, MPI_Comm comm,
    int sign, unsigned flags)
{
    return weft_mpi_plan_many_dft(rnk, n, howmany, block, tblock, in, out, comm, sign, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_many_dft_f03)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t block, ptrdiff_t tblock, FFTW(complex) *in, FFTW(complex) *out, MPI_Fint comm,
    int sign, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_many_dft_f03)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t block, ptrdiff_t tblock, FFTW(complex) *in, FFTW(complex) *out, MPI_Fint comm,
    int sign, unsigned flags)
{
    return weft_mpi_plan_many_dft(rnk, n, howmany, block, tblock, in, out, weft_comm_of(comm),
        sign, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_many_dft_f08)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t block, ptrdiff_t tblock, FFTW(complex) *in, FFTW(complex) *out, const MPI_Fint *comm,
    int sign, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_many_dft_f08)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t block, ptrdiff_t tblock, FFTW(complex) *in, FFTW(complex) *out, const MPI_Fint *comm,
    int sign, unsigned flags)
{
    return weft_mpi_plan_many_dft(rnk, n, howmany, block, tblock, in, out, weft_comm_of(*comm),
        sign, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft)(int rnk, const ptrdiff_t *n, FFTW(complex) *in,
    FFTW(complex) *out, MPI_Comm comm, int sign, unsigned flags)
{
    return weft_mpi_plan_dft(rnk, n, in, out, comm, sign, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_f03)(int rnk, const ptrdiff_t *n, FFTW(complex) *in,
    FFTW(complex) *out, MPI_Fint comm, int sign, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_f03)(int rnk, const ptrdiff_t *n, FFTW(complex) *in,
    FFTW(complex) *out, MPI_Fint comm, int sign, unsigned flags)
{
    return weft_mpi_plan_dft(rnk, n, in, out, weft_comm_of(comm), sign, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_f08)(int rnk, const ptrdiff_t *n, FFTW(complex) *in,
    FFTW(complex) *out, const MPI_Fint *comm, int sign, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_f08)(int rnk, const ptrdiff_t *n, FFTW(complex) *in,
    FFTW(complex) *out, const MPI_Fint *comm, int sign, unsigned flags)
{
    return weft_mpi_plan_dft(rnk, n, in, out, weft_comm_of(*comm), sign, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_1d)(ptrdiff_t n0, FFTW(complex) *in, FFTW(complex) *out,
    MPI_Comm comm, int sign, unsigned flags)
{
    return weft_mpi_plan_dft_1d(n0, in, out, comm, sign, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_1d_f03)(ptrdiff_t n0, FFTW(complex) *in, FFTW(complex) *out,
    MPI_Fint comm, int sign, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_1d_f03)(ptrdiff_t n0, FFTW(complex) *in, FFTW(complex) *out,
    MPI_Fint comm, int sign, unsigned flags)
{
    return weft_mpi_plan_dft_1d(n0, in, out, weft_comm_of(comm), sign, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_1d_f08)(ptrdiff_t n0, FFTW(complex) *in, FFTW(complex) *out,
    const MPI_Fint *comm, int sign, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_1d_f08)(ptrdiff_t n0, FFTW(complex) *in, FFTW(complex) *out,
    const MPI_Fint *comm, int sign, unsigned flags)
{
    return weft_mpi_plan_dft_1d(n0, in, out, weft_comm_of(*comm), sign, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_2d)(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) *in,
    FFTW(complex) *out, MPI_Comm comm, int sign, unsigned flags)
{
    return weft_mpi_plan_dft_2d(n0, n1, in, out, comm, sign, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_2d_f03)(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) *in,
    FFTW(complex) *out, MPI_Fint comm, int sign, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_2d_f03)(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) *in,
    FFTW(complex) *out, MPI_Fint comm, int sign, unsigned flags)
{
    return weft_mpi_plan_dft_2d(n0, n1, in, out, weft_comm_of(comm), sign, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_2d_f08)(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) *in,
    FFTW(complex) *out, const MPI_Fint *comm, int sign, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_2d_f08)(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) *in,
    FFTW(complex) *out, const MPI_Fint *comm, int sign, unsigned flags)
{
    return weft_mpi_plan_dft_2d(n0, n1, in, out, weft_comm_of(*comm), sign, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    FFTW(complex) *in, FFTW(complex) *out, MPI_Comm comm, int sign, unsigned flags)
{
    return weft_mpi_plan_dft_3d(n0, n1, n2, in, out, comm, sign, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_3d_f03)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    FFTW(complex) *in, FFTW(complex) *out, MPI_Fint comm, int sign, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_3d_f03)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    FFTW(complex) *in, FFTW(complex) *out, MPI_Fint comm, int sign, unsigned flags)
{
    return weft_mpi_plan_dft_3d(n0, n1, n2, in, out, weft_comm_of(comm), sign, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_3d_f08)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    FFTW(complex) *in, FFTW(complex) *out, const MPI_Fint *comm, int sign, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_3d_f08)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    FFTW(complex) *in, FFTW(complex) *out, const MPI_Fint *comm, int sign, unsigned flags)
{
    return weft_mpi_plan_dft_3d(n0, n1, n2, in, out, weft_comm_of(*comm), sign, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_many_r2r)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, weft_real *in, weft_real *out, MPI_Comm comm,
    const FFTW(r2r_kind) *kind, unsigned flags)
{
    return weft_mpi_plan_many_r2r(rnk, n, howmany, iblock, oblock, in, out, comm, kind, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_many_r2r_f03)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, weft_real *in, weft_real *out, MPI_Fint comm,
    const FFTW(r2r_kind) *kind, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_many_r2r_f03)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, weft_real *in, weft_real *out, MPI_Fint comm,
    const FFTW(r2r_kind) *kind, unsigned flags)
{
    return weft_mpi_plan_many_r2r(rnk, n, howmany, iblock, oblock, in, out, weft_comm_of(comm),
        kind, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_many_r2r_f08)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, weft_real *in, weft_real *out, const MPI_Fint *comm,
    const FFTW(r2r_kind) *kind, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_many_r2r_f08)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, weft_real *in, weft_real *out, const MPI_Fint *comm,
    const FFTW(r2r_kind) *kind, unsigned flags)
{
    return weft_mpi_plan_many_r2r(rnk, n, howmany, iblock, oblock, in, out, weft_comm_of(*comm),
        kind, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_r2r)(int rnk, const ptrdiff_t *n, weft_real *in, weft_real *out,
    MPI_Comm comm, const FFTW(r2r_kind) *kind, unsigned flags)
{
    return weft_mpi_plan_r2r(rnk, n, in, out, comm, kind, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_r2r_f03)(int rnk, const ptrdiff_t *n, weft_real *in,
    weft_real *out, MPI_Fint comm, const FFTW(r2r_kind) *kind, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_r2r_f03)(int rnk, const ptrdiff_t *n, weft_real *in,
    weft_real *out, MPI_Fint comm, const FFTW(r2r_kind) *kind, unsigned flags)
{
    return weft_mpi_plan_r2r(rnk, n, in, out, weft_comm_of(comm), kind, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_r2r_f08)(int rnk, const ptrdiff_t *n, weft_real *in,
    weft_real *out, const MPI_Fint *comm, const FFTW(r2r_kind) *kind, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_r2r_f08)(int rnk, const ptrdiff_t *n, weft_real *in,
    weft_real *out, const MPI_Fint *comm, const FFTW(r2r_kind) *kind, unsigned flags)
{
    return weft_mpi_plan_r2r(rnk, n, in, out, weft_comm_of(*comm), kind, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_r2r_2d)(ptrdiff_t n0, ptrdiff_t n1, weft_real *in,
    weft_real *out, MPI_Comm comm, FFTW(r2r_kind) kind0, FFTW(r2r_kind) kind1, unsigned flags)
{
    return weft_mpi_plan_r2r_2d(n0, n1, in, out, comm, kind0, kind1, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_r2r_2d_f03)(ptrdiff_t n0, ptrdiff_t n1, weft_real *in,
    weft_real *out, MPI_Fint comm, FFTW(r2r_kind) kind0, FFTW(r2r_kind) kind1, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_r2r_2d_f03)(ptrdiff_t n0, ptrdiff_t n1, weft_real *in,
    weft_real *out, MPI_Fint comm, FFTW(r2r_kind) kind0, FFTW(r2r_kind) kind1, unsigned flags)
{
    return weft_mpi_plan_r2r_2d(n0, n1, in, out, weft_comm_of(comm), kind0, kind1, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_r2r_2d_f08)(ptrdiff_t n0, ptrdiff_t n1, weft_real *in,
    weft_real *out, const MPI_Fint *comm, FFTW(r2r_kind) kind0, FFTW(r2r_kind) kind1,
    unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_r2r_2d_f08)(ptrdiff_t n0, ptrdiff_t n1, weft_real *in,
    weft_real *out, const MPI_Fint *comm, FFTW(r2r_kind) kind0, FFTW(r2r_kind) kind1,
    unsigned flags)
{
    return weft_mpi_plan_r2r_2d(n0, n1, in, out, weft_comm_of(*comm), kind0, kind1, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_r2r_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, weft_real *in,
    weft_real *out, MPI_Comm comm, FFTW(r2r_kind) kind0, FFTW(r2r_kind) kind1,
    FFTW(r2r_kind) kind2, unsigned flags)
{
    return weft_mpi_plan_r2r_3d(n0, n1, n2, in, out, comm, kind0, kind1, kind2, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_r2r_3d_f03)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    weft_real *in, weft_real *out, MPI_Fint comm, FFTW(r2r_kind) kind0, FFTW(r2r_kind) kind1,
    FFTW(r2r_kind) kind2, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_r2r_3d_f03)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    weft_real *in, weft_real *out, MPI_Fint comm, FFTW(r2r_kind) kind0, FFTW(r2r_kind) kind1,
    FFTW(r2r_kind) kind2, unsigned flags)
{
    return weft_mpi_plan_r2r_3d(n0, n1, n2, in, out, weft_comm_of(comm), kind0, kind1, kind2,
        flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_r2r_3d_f08)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    weft_real *in, weft_real *out, const MPI_Fint *comm, FFTW(r2r_kind) kind0,
    FFTW(r2r_kind) kind1, FFTW(r2r_kind) kind2, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_r2r_3d_f08)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    weft_real *in, weft_real *out, const MPI_Fint *comm, FFTW(r2r_kind) kind0,
    FFTW(r2r_kind) kind1, FFTW(r2r_kind) kind2, unsigned flags)
{
    return weft_mpi_plan_r2r_3d(n0, n1, n2, in, out, weft_comm_of(*comm), kind0, kind1, kind2,
        flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_many_dft_r2c)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, weft_real *in, FFTW(complex) *out, MPI_Comm comm,
    unsigned flags)
{
    return weft_mpi_plan_many_dft_r2c(rnk, n, howmany, iblock, oblock, in, out, comm, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_many_dft_r2c_f03)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, weft_real *in, FFTW(complex) *out, MPI_Fint comm,
    unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_many_dft_r2c_f03)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, weft_real *in, FFTW(complex) *out, MPI_Fint comm,
    unsigned flags)
{
    return weft_mpi_plan_many_dft_r2c(rnk, n, howmany, iblock, oblock, in, out, weft_comm_of(comm),
        flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_many_dft_r2c_f08)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, weft_real *in, FFTW(complex) *out, const MPI_Fint *comm,
    unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_many_dft_r2c_f08)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, weft_real *in, FFTW(complex) *out, const MPI_Fint *comm,
    unsigned flags)
{
    return weft_mpi_plan_many_dft_r2c(rnk, n, howmany, iblock, oblock, in, out,
        weft_comm_of(*comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_r2c)(int rnk, const ptrdiff_t *n, weft_real *in,
    FFTW(complex) *out, MPI_Comm comm, unsigned flags)
{
    return weft_mpi_plan_dft_r2c(rnk, n, in, out, comm, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_r2c_f03)(int rnk, const ptrdiff_t *n, weft_real *in,
    FFTW(complex) *out, MPI_Fint comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_r2c_f03)(int rnk, const ptrdiff_t *n, weft_real *in,
    FFTW(complex) *out, MPI_Fint comm, unsigned flags)
{
    return weft_mpi_plan_dft_r2c(rnk, n, in, out, weft_comm_of(comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_r2c_f08)(int rnk, const ptrdiff_t *n, weft_real *in,
    FFTW(complex) *out, const MPI_Fint *comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_r2c_f08)(int rnk, const ptrdiff_t *n, weft_real *in,
    FFTW(complex) *out, const MPI_Fint *comm, unsigned flags)
{
    return weft_mpi_plan_dft_r2c(rnk, n, in, out, weft_comm_of(*comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_r2c_2d)(ptrdiff_t n0, ptrdiff_t n1, weft_real *in,
    FFTW(complex) *out, MPI_Comm comm, unsigned flags)
{
    return weft_mpi_plan_dft_r2c_2d(n0, n1, in, out, comm, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_r2c_2d_f03)(ptrdiff_t n0, ptrdiff_t n1, weft_real *in,
    FFTW(complex) *out, MPI_Fint comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_r2c_2d_f03)(ptrdiff_t n0, ptrdiff_t n1, weft_real *in,
    FFTW(complex) *out, MPI_Fint comm, unsigned flags)
{
    return weft_mpi_plan_dft_r2c_2d(n0, n1, in, out, weft_comm_of(comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_r2c_2d_f08)(ptrdiff_t n0, ptrdiff_t n1, weft_real *in,
    FFTW(complex) *out, const MPI_Fint *comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_r2c_2d_f08)(ptrdiff_t n0, ptrdiff_t n1, weft_real *in,
    FFTW(complex) *out, const MPI_Fint *comm, unsigned flags)
{
    return weft_mpi_plan_dft_r2c_2d(n0, n1, in, out, weft_comm_of(*comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_r2c_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    weft_real *in, FFTW(complex) *out, MPI_Comm comm, unsigned flags)
{
    return weft_mpi_plan_dft_r2c_3d(n0, n1, n2, in, out, comm, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_r2c_3d_f03)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    weft_real *in, FFTW(complex) *out, MPI_Fint comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_r2c_3d_f03)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    weft_real *in, FFTW(complex) *out, MPI_Fint comm, unsigned flags)
{
    return weft_mpi_plan_dft_r2c_3d(n0, n1, n2, in, out, weft_comm_of(comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_r2c_3d_f08)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    weft_real *in, FFTW(complex) *out, const MPI_Fint *comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_r2c_3d_f08)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    weft_real *in, FFTW(complex) *out, const MPI_Fint *comm, unsigned flags)
{
    return weft_mpi_plan_dft_r2c_3d(n0, n1, n2, in, out, weft_comm_of(*comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_many_dft_c2r)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, FFTW(complex) *in, weft_real *out, MPI_Comm comm,
    unsigned flags)
{
    return weft_mpi_plan_many_dft_c2r(rnk, n, howmany, iblock, oblock, in, out, comm, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_many_dft_c2r_f03)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, FFTW(complex) *in, weft_real *out, MPI_Fint comm,
    unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_many_dft_c2r_f03)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, FFTW(complex) *in, weft_real *out, MPI_Fint comm,
    unsigned flags)
{
    return weft_mpi_plan_many_dft_c2r(rnk, n, howmany, iblock, oblock, in, out, weft_comm_of(comm),
        flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_many_dft_c2r_f08)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, FFTW(complex) *in, weft_real *out, const MPI_Fint *comm,
    unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_many_dft_c2r_f08)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
    ptrdiff_t iblock, ptrdiff_t oblock, FFTW(complex) *in, weft_real *out, const MPI_Fint *comm,
    unsigned flags)
{
    return weft_mpi_plan_many_dft_c2r(rnk, n, howmany, iblock, oblock, in, out,
        weft_comm_of(*comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_c2r)(int rnk, const ptrdiff_t *n, FFTW(complex) *in,
    weft_real *out, MPI_Comm comm, unsigned flags)
{
    return weft_mpi_plan_dft_c2r(rnk, n, in, out, comm, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_c2r_f03)(int rnk, const ptrdiff_t *n, FFTW(complex) *in,
    weft_real *out, MPI_Fint comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_c2r_f03)(int rnk, const ptrdiff_t *n, FFTW(complex) *in,
    weft_real *out, MPI_Fint comm, unsigned flags)
{
    return weft_mpi_plan_dft_c2r(rnk, n, in, out, weft_comm_of(comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_c2r_f08)(int rnk, const ptrdiff_t *n, FFTW(complex) *in,
    weft_real *out, const MPI_Fint *comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_c2r_f08)(int rnk, const ptrdiff_t *n, FFTW(complex) *in,
    weft_real *out, const MPI_Fint *comm, unsigned flags)
{
    return weft_mpi_plan_dft_c2r(rnk, n, in, out, weft_comm_of(*comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_c2r_2d)(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) *in,
    weft_real *out, MPI_Comm comm, unsigned flags)
{
    return weft_mpi_plan_dft_c2r_2d(n0, n1, in, out, comm, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_c2r_2d_f03)(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) *in,
    weft_real *out, MPI_Fint comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_c2r_2d_f03)(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) *in,
    weft_real *out, MPI_Fint comm, unsigned flags)
{
    return weft_mpi_plan_dft_c2r_2d(n0, n1, in, out, weft_comm_of(comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_c2r_2d_f08)(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) *in,
    weft_real *out, const MPI_Fint *comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_c2r_2d_f08)(ptrdiff_t n0, ptrdiff_t n1, FFTW(complex) *in,
    weft_real *out, const MPI_Fint *comm, unsigned flags)
{
    return weft_mpi_plan_dft_c2r_2d(n0, n1, in, out, weft_comm_of(*comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_c2r_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    FFTW(complex) *in, weft_real *out, MPI_Comm comm, unsigned flags)
{
    return weft_mpi_plan_dft_c2r_3d(n0, n1, n2, in, out, comm, flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_c2r_3d_f03)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    FFTW(complex) *in, weft_real *out, MPI_Fint comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_c2r_3d_f03)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    FFTW(complex) *in, weft_real *out, MPI_Fint comm, unsigned flags)
{
    return weft_mpi_plan_dft_c2r_3d(n0, n1, n2, in, out, weft_comm_of(comm), flags);
}

WEFT_API FFTW(plan) FFTW(mpi_plan_dft_c2r_3d_f08)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    FFTW(complex) *in, weft_real *out, const MPI_Fint *comm, unsigned flags);
WEFT_API FFTW(plan) FFTW(mpi_plan_dft_c2r_3d_f08)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2,
    FFTW(complex) *in, weft_real *out, const MPI_Fint *comm, unsigned flags)
{
    return weft_mpi_plan_dft_c2r_3d(n0, n1, n2, in, out, weft_comm_of(*comm), flags);
}

WEFT_API void FFTW(mpi_gather_wisdom)(MPI_Comm comm_)
{
    weft_mpi_gather_wisdom(comm_);
}

WEFT_API void FFTW(mpi_gather_wisdom_f03)(MPI_Fint comm_);
WEFT_API void FFTW(mpi_gather_wisdom_f03)(MPI_Fint comm_)
{
    weft_mpi_gather_wisdom(weft_comm_of(comm_));
}

WEFT_API void FFTW(mpi_gather_wisdom_f08)(const MPI_Fint *comm_);
WEFT_API void FFTW(mpi_gather_wisdom_f08)(const MPI_Fint *comm_)
{
    weft_mpi_gather_wisdom(weft_comm_of(*comm_));
}

WEFT_API void FFTW(mpi_broadcast_wisdom)(MPI_Comm comm_)
{
    weft_mpi_broadcast_wisdom(comm_);
}

WEFT_API void FFTW(mpi_broadcast_wisdom_f03)(MPI_Fint comm_);
WEFT_API void FFTW(mpi_broadcast_wisdom_f03)(MPI_Fint comm_)
{
    weft_mpi_broadcast_wisdom(weft_comm_of(comm_));
}

WEFT_API void FFTW(mpi_broadcast_wisdom_f08)(const MPI_Fint *comm_);
WEFT_API void FFTW(mpi_broadcast_wisdom_f08)(const MPI_Fint *comm_)
{
    weft_mpi_broadcast_wisdom(weft_comm_of(*comm_));
}

WEFT_API void FFTW(mpi_execute_dft)(FFTW(plan) p, FFTW(complex) *in, FFTW(complex) *out)
{
    weft_mpi_execute_dft(p, in, out);
}

WEFT_API void FFTW(mpi_execute_dft_r2c)(FFTW(plan) p, weft_real *in, FFTW(complex) *out)
{
    weft_mpi_execute_dft_r2c(p, in, out);
}

WEFT_API void FFTW(mpi_execute_dft_c2r)(FFTW(plan) p, FFTW(complex) *in, weft_real *out)
{
    weft_mpi_execute_dft_c2r(p, in, out);
}

WEFT_API void FFTW(mpi_execute_r2r)(FFTW(plan) p, weft_real *in, weft_real *out)
{
    weft_mpi_execute_r2r(p, in, out);
}

WEFT_API weft_grid WEFT(grid_create_f08)(const MPI_Fint *comm, int rank, const int *dims);
WEFT_API weft_grid WEFT(grid_create_f08)(const MPI_Fint *comm, int rank, const int *dims)
{
    return WEFT(grid_create)(weft_comm_of(*comm), rank, dims);
}

WEFT_API weft_grid WEFT(grid_create_column_major_f08)(const MPI_Fint *comm, int rank,
    const int *dims);
WEFT_API weft_grid WEFT(grid_create_column_major_f08)(const MPI_Fint *comm, int rank,
    const int *dims)
{
    return WEFT(grid_create_column_major)(weft_comm_of(*comm), rank, dims);
}

WEFT_API weft_grid WEFT(grid_tune_f08)(const MPI_Fint *comm, int rank, int rnk, const ptrdiff_t *n,
    ptrdiff_t howmany, int kind, unsigned flags);
WEFT_API weft_grid WEFT(grid_tune_f08)(const MPI_Fint *comm, int rank, int rnk, const ptrdiff_t *n,
    ptrdiff_t howmany, int kind, unsigned flags)
{
    return WEFT(grid_tune)(weft_comm_of(*comm), rank, rnk, n, howmany, kind, flags);
}

WEFT_API weft_real *WEFT(alloc_real_f08)(ptrdiff_t n, const MPI_Fint *comm);
WEFT_API weft_real *WEFT(alloc_real_f08)(ptrdiff_t n, const MPI_Fint *comm)
{
    return WEFT(alloc_real)(n, weft_comm_of(*comm));
}

WEFT_API FFTW(complex) *WEFT(alloc_complex_f08)(ptrdiff_t n, const MPI_Fint *comm);
WEFT_API FFTW(complex) *WEFT(alloc_complex_f08)(ptrdiff_t n, const MPI_Fint *comm)
{
    return WEFT(alloc_complex)(n, weft_comm_of(*comm));
}

WEFT_API weft_real *WEFT(alloc_device_real_f08)(ptrdiff_t n, const MPI_Fint *comm);
WEFT_API weft_real *WEFT(alloc_device_real_f08)(ptrdiff_t n, const MPI_Fint *comm)
{
    return WEFT(alloc_device_real)(n, weft_comm_of(*comm));
}

WEFT_API FFTW(complex) *WEFT(alloc_device_complex_f08)(ptrdiff_t n, const MPI_Fint *comm);
WEFT_API FFTW(complex) *WEFT(alloc_device_complex_f08)(ptrdiff_t n, const MPI_Fint *comm)
{
    return WEFT(alloc_device_complex)(n, weft_comm_of(*comm));
}

WEFT_API weft_distribution WEFT(distribution_boxes_f08)(const MPI_Fint *comm, int rnk,
    const ptrdiff_t *n, const ptrdiff_t *start, const ptrdiff_t *count);
WEFT_API weft_distribution WEFT(distribution_boxes_f08)(const MPI_Fint *comm, int rnk,
    const ptrdiff_t *n, const ptrdiff_t *start, const ptrdiff_t *count)
{
    return WEFT(distribution_boxes)(weft_comm_of(*comm), rnk, n, start, count);
}

WEFT_API weft_distribution WEFT(distribution_many_boxes_f08)(const MPI_Fint *comm, int rnk,
    const ptrdiff_t *n, int boxes, const ptrdiff_t *start, const ptrdiff_t *count);
WEFT_API weft_distribution WEFT(distribution_many_boxes_f08)(const MPI_Fint *comm, int rnk,
    const ptrdiff_t *n, int boxes, const ptrdiff_t *start, const ptrdiff_t *count)
{
    return WEFT(distribution_many_boxes)(weft_comm_of(*comm), rnk, n, boxes, start, count);
}

WEFT_API weft_distribution WEFT(plan_layout_f08)(FFTW(plan) plan, const MPI_Fint *comm,
    int output);
WEFT_API weft_distribution WEFT(plan_layout_f08)(FFTW(plan) plan, const MPI_Fint *comm, int output)
{
    return WEFT(plan_layout)(plan, weft_comm_of(*comm), output);
}

WEFT_API FFTW(plan) WEFT(plan_redistribute_boxes_f08)(int rnk, const ptrdiff_t *n,
    ptrdiff_t howmany, const ptrdiff_t *start_in, const ptrdiff_t *count_in,
    const ptrdiff_t *start_out, const ptrdiff_t *count_out, weft_real *in, weft_real *out,
    const MPI_Fint *comm, unsigned flags);
WEFT_API FFTW(plan) WEFT(plan_redistribute_boxes_f08)(int rnk, const ptrdiff_t *n,
    ptrdiff_t howmany, const ptrdiff_t *start_in, const ptrdiff_t *count_in,
    const ptrdiff_t *start_out, const ptrdiff_t *count_out, weft_real *in, weft_real *out,
    const MPI_Fint *comm, unsigned flags)
{
    return WEFT(plan_redistribute_boxes)(rnk, n, howmany, start_in, count_in, start_out, count_out,
        in, out, weft_comm_of(*comm), flags);
}
