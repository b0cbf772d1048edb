/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The distributions, compared with those recorded from FFTW-MPI (tests/conformance): every row, for
 * every rank, by arithmetic only.
 */
#include <fftw3.h>
#include <stdint.h>
#include "tests/conformance/recorded.h"
#include "api/request.h"
#include "tests/unit/harness.h"

static weft_request request_of(const recorded *row)
{
    return (weft_request){.function = row->call,
                          .axes = row->axes,
                          .size = row->n,
                          .howmany = row->howmany,
                          .in_block = row->block0,
                          .out_block = row->transposed ? row->block1 : 0,
                          .sign = row->sign,
                          .flags = row->flags};
}

static void check_sizes(const recorded *row)
{
    const weft_request request = request_of(row);
    ck_assert_int_eq(row->results, row->line || row->transposed ? 5 : 3);
    for (int rank = 0; rank < row->ranks; rank++) {
        weft_slab_size size = weft_slab_size_of(&request, rank, row->ranks);
        ptrdiff_t got[] = {size.allocation, size.in.count, size.in.start, size.out.count,
                           size.out.start};
        for (int i = 0; i < row->results; i++)
            ck_assert_msg(row->result[rank][i] == got[i],
                          "%s, rank %d of %d: result %d is %td, not %td", row->call, rank,
                          row->ranks, i, got[i], row->result[rank][i]);
    }
}

/* Expects natural order if FFTW-MPI makes no plan. */
static void check_order(const recorded *row)
{
    weft_problem problem;
    const weft_request request = request_of(row);
    ck_assert(weft_request_valid(&request, 0, row->ranks, &problem));
    ptrdiff_t radix =
        row->flags & WEFT_SCRAMBLED_IN ? problem.from.scrambled : problem.to.scrambled;
    ck_assert_msg(radix == row->radix, "%s, %d ranks: radix %td, not %td", row->call, row->ranks,
                  radix, row->radix);
}

TEST(sizes_and_orders_are_as_recorded)
{
    FILE *file = recorded_open();
    ck_assert_ptr_nonnull(file);
    int sizes = 0, orders = 0;
    for (recorded row; recorded_read(file, &row, NULL);) {
        recorded_correct(&row);
        (row.order ? check_order : check_sizes)(&row);
        orders += row.order;
        sizes += !row.order;
    }
    fclose(file);
    ck_assert_int_eq(sizes, 176);
    ck_assert_int_eq(orders, 32);
}

TEST(nothing_is_allocated_for_no_transforms)
{
    const ptrdiff_t n[] = {6, 8};
    weft_slab_size size = weft_slab_size_of(&(weft_request){.axes = 2, .size = n}, 1, 2);
    ck_assert_int_eq(size.allocation, 0);
    ck_assert_int_eq(size.in.count, 3);
    ck_assert_int_eq(size.out.start, 4);
    ck_assert_int_eq(weft_slab_size_of(&(weft_request){.axes = 1, .size = n}, 0, 2).allocation, 0);
}

TEST(huge_sizes_do_not_overflow)
{
    ptrdiff_t n = PTRDIFF_MAX / 4;
    for (int rank = 0; rank < 3; rank++) {
        weft_span span = weft_block_span(n, n - 1, rank);
        ck_assert_int_eq(span.start, rank == 1 ? n - 1 : 0);
        ck_assert_int_eq(span.count, rank == 0 ? n - 1 : rank == 1 ? 1 : 0);
    }
}
