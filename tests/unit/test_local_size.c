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

static weft_slab_size computed(const recorded *row, int rank)
{
    if (row->axes == 1)
        return weft_local_size_line(row->n[0], row->howmany, row->block0, row->sign,
                                    row->scrambled_in, row->scrambled_out, rank, row->ranks);
    return weft_local_size_slabs(row->axes, row->n, row->howmany, row->block0, row->block1,
                                 row->transposed, rank, row->ranks);
}

static void check_sizes(const recorded *row)
{
    ck_assert_int_eq(row->results, row->line || row->transposed ? 5 : 3);
    for (int rank = 0; rank < row->ranks; rank++) {
        weft_slab_size size = computed(row, rank);
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
    weft_line line = weft_line_division(row->n[0], 1, 0, row->sign, row->scrambled_in,
                                        row->scrambled_out, row->ranks);
    ptrdiff_t radix = row->scrambled_in ? line.scrambled_in : line.scrambled_out;
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
        if (row.order) {
            check_order(&row);
            orders++;
        } else {
            check_sizes(&row);
            sizes++;
        }
    }
    fclose(file);
    ck_assert_int_eq(sizes, 176);
    ck_assert_int_eq(orders, 32);
}

TEST(nothing_is_allocated_for_no_transforms)
{
    ptrdiff_t n[] = {6, 8};
    weft_slab_size size = weft_local_size_slabs(2, n, 0, 0, 0, true, 1, 2);
    ck_assert_int_eq(size.allocation, 0);
    ck_assert_int_eq(size.in.count, 3);
    ck_assert_int_eq(size.out.start, 4);
    ck_assert_int_eq(weft_local_size_line(16, 0, 0, FFTW_FORWARD, false, false, 0, 2).allocation,
                     0);
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
