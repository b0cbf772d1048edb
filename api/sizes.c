/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The local_size functions. They are not collective, so each rank checks for itself. Where FFTW-MPI
 * crashes (howmany of 0, sizes below 1) they return 0; a result may be given as NULL when it is not
 * wanted.
 */
#include "api/entries.h"
#include "kernels/base/error.h"
#include "api/local-size.h"
#include "api/mpi-state.h"
#include "api/names.h"
#include "api/request.h"

/* Where the results go: of n0 or the input, of n1 or the output. */
typedef struct {
    ptrdiff_t *count, *start;
} place;

static void put(place to, weft_span span)
{
    if (to.count)
        *to.count = span.count;
    if (to.start)
        *to.start = span.start;
}

static ptrdiff_t give(weft_local_size size, place first, place second)
{
    put(first, size.in);
    put(second, size.out);
    return size.allocation;
}

/* Blocks are those of the request; a single dimension is that of a forward transform. */
static ptrdiff_t many(const weft_request *request, bool transposed, place first, place second)
{
    int rank, ranks;
    weft_error_clear();
    if (!weft_comm_usable(request->function, request->comm, &rank, &ranks) ||
        !weft_sizes_valid(request->function, request->axes, request->size, request->howmany) ||
        !weft_blocks_valid(request->function, request->in_block, request->out_block))
        return give((weft_local_size){0}, first, second);
    if (request->axes == 1)
        return give(weft_local_size_line(request->size[0], request->howmany, FFTW_FORWARD, false,
                                         false, rank, ranks),
                    first, second);
    return give(weft_local_size_of(request->axes, request->size, request->howmany,
                                   request->in_block, request->out_block, transposed, rank, ranks),
                first, second);
}

static ptrdiff_t plain(const char *function, int rnk, const ptrdiff_t *n, MPI_Comm comm,
                       place first)
{
    weft_request request = {
        .function = function, .axes = rnk, .size = n, .howmany = 1, .comm = comm};
    return many(&request, false, first, (place){0});
}

static ptrdiff_t transposed(const char *function, int rnk, const ptrdiff_t *n, MPI_Comm comm,
                            place first, place second)
{
    weft_request request = {
        .function = function, .axes = rnk, .size = n, .howmany = 1, .comm = comm};
    return many(&request, true, first, second);
}

static ptrdiff_t line(const char *function, ptrdiff_t n0, ptrdiff_t howmany, MPI_Comm comm,
                      int sign, unsigned flags, place in, place out)
{
    int rank, ranks;
    weft_error_clear();
    if (!weft_comm_usable(function, comm, &rank, &ranks) ||
        !weft_sizes_valid(function, 1, &n0, howmany) || !weft_flags_valid(function, flags))
        return give((weft_local_size){0}, in, out);
    return give(weft_local_size_line(n0, howmany, weft_sign(sign), flags & WEFT_SCRAMBLED_IN,
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
    return many(&request, true, (place){local_n0, local_0_start}, (place){local_n1, local_1_start});
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
    return many(&request, false, (place){local_n0, local_0_start}, (place){0});
}

ptrdiff_t weft_mpi_local_size_transposed(int rnk, const ptrdiff_t *n, MPI_Comm comm,
                                         ptrdiff_t *local_n0, ptrdiff_t *local_0_start,
                                         ptrdiff_t *local_n1, ptrdiff_t *local_1_start)
{
    return transposed(NAME("local_size_transposed"), rnk, n, comm, (place){local_n0, local_0_start},
                      (place){local_n1, local_1_start});
}

ptrdiff_t weft_mpi_local_size(int rnk, const ptrdiff_t *n, MPI_Comm comm, ptrdiff_t *local_n0,
                              ptrdiff_t *local_0_start)
{
    return plain(NAME("local_size"), rnk, n, comm, (place){local_n0, local_0_start});
}

ptrdiff_t weft_mpi_local_size_many_1d(ptrdiff_t n0, ptrdiff_t howmany, MPI_Comm comm, int sign,
                                      unsigned flags, ptrdiff_t *local_ni, ptrdiff_t *local_i_start,
                                      ptrdiff_t *local_no, ptrdiff_t *local_o_start)
{
    return line(NAME("local_size_many_1d"), n0, howmany, comm, sign, flags,
                (place){local_ni, local_i_start}, (place){local_no, local_o_start});
}

ptrdiff_t weft_mpi_local_size_1d(ptrdiff_t n0, MPI_Comm comm, int sign, unsigned flags,
                                 ptrdiff_t *local_ni, ptrdiff_t *local_i_start, ptrdiff_t *local_no,
                                 ptrdiff_t *local_o_start)
{
    return line(NAME("local_size_1d"), n0, 1, comm, sign, flags, (place){local_ni, local_i_start},
                (place){local_no, local_o_start});
}

ptrdiff_t weft_mpi_local_size_2d(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm, ptrdiff_t *local_n0,
                                 ptrdiff_t *local_0_start)
{
    return plain(NAME("local_size_2d"), 2, (ptrdiff_t[]){n0, n1}, comm,
                 (place){local_n0, local_0_start});
}

ptrdiff_t weft_mpi_local_size_2d_transposed(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm,
                                            ptrdiff_t *local_n0, ptrdiff_t *local_0_start,
                                            ptrdiff_t *local_n1, ptrdiff_t *local_1_start)
{
    return transposed(NAME("local_size_2d_transposed"), 2, (ptrdiff_t[]){n0, n1}, comm,
                      (place){local_n0, local_0_start}, (place){local_n1, local_1_start});
}

ptrdiff_t weft_mpi_local_size_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,
                                 ptrdiff_t *local_n0, ptrdiff_t *local_0_start)
{
    return plain(NAME("local_size_3d"), 3, (ptrdiff_t[]){n0, n1, n2}, comm,
                 (place){local_n0, local_0_start});
}

ptrdiff_t weft_mpi_local_size_3d_transposed(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,
                                            ptrdiff_t *local_n0, ptrdiff_t *local_0_start,
                                            ptrdiff_t *local_n1, ptrdiff_t *local_1_start)
{
    return transposed(NAME("local_size_3d_transposed"), 3, (ptrdiff_t[]){n0, n1, n2}, comm,
                      (place){local_n0, local_0_start}, (place){local_n1, local_1_start});
}
