/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FFTW-MPI's functions for slabs: local_size and plans. The basic forms call the "many" forms with
 * defaults. The local_size functions are not collective, so each rank checks its arguments for
 * itself. Where FFTW-MPI crashes (howmany of 0, sizes below 1) these functions return 0. A program
 * may pass NULL for a result that it does not need.
 */
#include "kernels/base/error.h"
#include "api/entries.h"
#include "api/fftw3-mpi.h"
#include "api/mpi-state.h"
#include "api/planning.h"

/* Where to write the results for n0 (or the input), or for n1 (or the output); each pointer may be
 * NULL. */
typedef struct {
    ptrdiff_t *count, *start;
} local_range;

static void put_span(local_range to, weft_span span)
{
    if (to.count)
        *to.count = span.count;
    if (to.start)
        *to.start = span.start;
}

static ptrdiff_t give_size(weft_slab_size size, local_range first, local_range second)
{
    put_span(first, size.in);
    put_span(second, size.out);
    return size.allocation;
}

/* Computes the sizes for a request. One dimension is divided as for a forward transform. */
static ptrdiff_t local_many(const weft_request *request, bool transposed, local_range first,
                            local_range second)
{
    int rank, ranks;
    weft_error_clear();
    if (!weft_comm_usable(request->function, request->comm, &rank, &ranks) ||
        !weft_sizes_valid(request->function, request->axes, request->size, request->howmany) ||
        !weft_blocks_valid(request->function, request->in_block, request->out_block))
        return give_size((weft_slab_size){0}, first, second);
    if (request->axes == 1)
        return give_size(weft_local_size_line(request->size[0], request->howmany, FFTW_FORWARD,
                                              false, false, rank, ranks),
                         first, second);
    return give_size(weft_local_size_of(request->axes, request->size, request->howmany,
                                        request->in_block, request->out_block, transposed, rank,
                                        ranks),
                     first, second);
}

static ptrdiff_t local_plain(const char *function, int rnk, const ptrdiff_t *n, MPI_Comm comm,
                             local_range first)
{
    weft_request request = {
        .function = function, .axes = rnk, .size = n, .howmany = 1, .comm = comm};
    return local_many(&request, false, first, (local_range){0});
}

static ptrdiff_t local_transposed(const char *function, int rnk, const ptrdiff_t *n, MPI_Comm comm,
                                  local_range first, local_range second)
{
    weft_request request = {
        .function = function, .axes = rnk, .size = n, .howmany = 1, .comm = comm};
    return local_many(&request, true, first, second);
}

static ptrdiff_t local_line(const char *function, ptrdiff_t n0, ptrdiff_t howmany, MPI_Comm comm,
                            int sign, unsigned flags, local_range in, local_range out)
{
    int rank, ranks;
    weft_error_clear();
    if (!weft_comm_usable(function, comm, &rank, &ranks) ||
        !weft_sizes_valid(function, 1, &n0, howmany) ||
        !weft_flags_valid(function, flags, WEFT_SLAB_FLAGS | WEFT_IGNORED_FLAGS))
        return give_size((weft_slab_size){0}, in, out);
    return give_size(weft_local_size_line(n0, howmany, weft_sign(sign), flags & WEFT_SCRAMBLED_IN,
                                          flags & WEFT_SCRAMBLED_OUT, rank, ranks),
                     in, out);
}

ptrdiff_t weft_mpi_local_size_many_transposed(int rnk, const ptrdiff_t *n, ptrdiff_t howmany,
                                              ptrdiff_t block0, ptrdiff_t block1, MPI_Comm comm,
                                              ptrdiff_t *local_n0, ptrdiff_t *local_0_start,
                                              ptrdiff_t *local_n1, ptrdiff_t *local_1_start)
{
    weft_request request = {.function = NAME("local_size_many_transposed"),
                            .axes = rnk,
                            .size = n,
                            .howmany = howmany,
                            .in_block = block0,
                            .out_block = block1,
                            .comm = comm};
    return local_many(&request, true, (local_range){local_n0, local_0_start},
                      (local_range){local_n1, local_1_start});
}

ptrdiff_t weft_mpi_local_size_many(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block0,
                                   MPI_Comm comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start)
{
    weft_request request = {.function = NAME("local_size_many"),
                            .axes = rnk,
                            .size = n,
                            .howmany = howmany,
                            .in_block = block0,
                            .comm = comm};
    return local_many(&request, false, (local_range){local_n0, local_0_start}, (local_range){0});
}

ptrdiff_t weft_mpi_local_size_transposed(int rnk, const ptrdiff_t *n, MPI_Comm comm,
                                         ptrdiff_t *local_n0, ptrdiff_t *local_0_start,
                                         ptrdiff_t *local_n1, ptrdiff_t *local_1_start)
{
    return local_transposed(NAME("local_size_transposed"), rnk, n, comm,
                            (local_range){local_n0, local_0_start},
                            (local_range){local_n1, local_1_start});
}

ptrdiff_t weft_mpi_local_size(int rnk, const ptrdiff_t *n, MPI_Comm comm, ptrdiff_t *local_n0,
                              ptrdiff_t *local_0_start)
{
    return local_plain(NAME("local_size"), rnk, n, comm, (local_range){local_n0, local_0_start});
}

ptrdiff_t weft_mpi_local_size_many_1d(ptrdiff_t n0, ptrdiff_t howmany, MPI_Comm comm, int sign,
                                      unsigned flags, ptrdiff_t *local_ni, ptrdiff_t *local_i_start,
                                      ptrdiff_t *local_no, ptrdiff_t *local_o_start)
{
    return local_line(NAME("local_size_many_1d"), n0, howmany, comm, sign, flags,
                      (local_range){local_ni, local_i_start},
                      (local_range){local_no, local_o_start});
}

ptrdiff_t weft_mpi_local_size_1d(ptrdiff_t n0, MPI_Comm comm, int sign, unsigned flags,
                                 ptrdiff_t *local_ni, ptrdiff_t *local_i_start, ptrdiff_t *local_no,
                                 ptrdiff_t *local_o_start)
{
    return local_line(NAME("local_size_1d"), n0, 1, comm, sign, flags,
                      (local_range){local_ni, local_i_start},
                      (local_range){local_no, local_o_start});
}

ptrdiff_t weft_mpi_local_size_2d(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm, ptrdiff_t *local_n0,
                                 ptrdiff_t *local_0_start)
{
    return local_plain(NAME("local_size_2d"), 2, (ptrdiff_t[]){n0, n1}, comm,
                       (local_range){local_n0, local_0_start});
}

ptrdiff_t weft_mpi_local_size_2d_transposed(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm,
                                            ptrdiff_t *local_n0, ptrdiff_t *local_0_start,
                                            ptrdiff_t *local_n1, ptrdiff_t *local_1_start)
{
    return local_transposed(NAME("local_size_2d_transposed"), 2, (ptrdiff_t[]){n0, n1}, comm,
                            (local_range){local_n0, local_0_start},
                            (local_range){local_n1, local_1_start});
}

ptrdiff_t weft_mpi_local_size_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,
                                 ptrdiff_t *local_n0, ptrdiff_t *local_0_start)
{
    return local_plain(NAME("local_size_3d"), 3, (ptrdiff_t[]){n0, n1, n2}, comm,
                       (local_range){local_n0, local_0_start});
}

ptrdiff_t weft_mpi_local_size_3d_transposed(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,
                                            ptrdiff_t *local_n0, ptrdiff_t *local_0_start,
                                            ptrdiff_t *local_n1, ptrdiff_t *local_1_start)
{
    return local_transposed(NAME("local_size_3d_transposed"), 3, (ptrdiff_t[]){n0, n1, n2}, comm,
                            (local_range){local_n0, local_0_start},
                            (local_range){local_n1, local_1_start});
}

/* Plan functions: each makes a request of its arguments. */

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

/* Real to real (r2r). */

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
