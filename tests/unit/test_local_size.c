/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The distributions against those recorded from FFTW-MPI (tests/conformance): every row of the
 * tables, for every rank, as arithmetic alone.
 */
#include <fftw3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/conformance.h"
#include "api/local-size.h"
#include "tests/unit/harness.h"

static weft_local_size computed(const size_row *row)
{
    if (row->line)
        return weft_local_size_line(row->n[0], row->howmany, row->sign, row->scrambled_in,
                                    row->scrambled_out, row->rank, row->ranks);
    return weft_local_size_of(row->axes, row->n, row->howmany, row->block0, row->block1,
                              row->transposed, row->rank, row->ranks);
}

START_TEST(sizes_are_those_of_the_table)
{
    FILE *file = table_open("local_size.tsv");
    ck_assert_ptr_nonnull(file);
    char line[TABLE_LINE], *field[TABLE_FIELDS];
    int rows = 0;
    for (int fields; (fields = table_row(file, line, field)) > 0; rows++) {
        size_row row;
        ck_assert_int_ge(fields, 7);
        size_row_read(field, fields, &row);
        weft_local_size size = computed(&row);
        ptrdiff_t got[] = {size.allocation, size.in.count, size.in.start, size.out.count,
                           size.out.start};
        for (int i = 0; i < row.results; i++)
            ck_assert_msg(row.result[i] == got[i],
                          "%s %s, rank %d of %d: result %d is %td, not %td", field[0], field[1],
                          row.rank, row.ranks, i, got[i], row.result[i]);
    }
    fclose(file);
    ck_assert_int_eq(rows, 13005);
}
END_TEST

START_TEST(scrambled_orders_are_those_of_the_table)
{
    FILE *file = table_open("scrambled_1d.tsv");
    ck_assert_ptr_nonnull(file);
    char line[TABLE_LINE], *field[TABLE_FIELDS];
    int rows = 0;
    for (int fields; (fields = table_row(file, line, field)) > 0;) {
        ck_assert_int_eq(fields, 5);
        ptrdiff_t n = atoll(field[0]);
        bool in = strcmp(field[3], "SCRAMBLED_IN") == 0;
        weft_line order = weft_line_of(n, 1, atoi(field[2]), in, !in, atoi(field[1]));
        ptrdiff_t radix = in ? order.scrambled_in : order.scrambled_out;
        char *at = field[4];
        if (strcmp(at, "NULL") == 0) {
            ck_assert_int_eq(radix, 0); /* the natural order, where FFTW-MPI makes no plan */
            continue;
        }
        ck_assert_msg(radix > 0 && n % radix == 0, "n %td radix %td", n, radix);
        for (ptrdiff_t place = 0; place < n; place++, at++) {
            ptrdiff_t index = place / (n / radix) + place % (n / radix) * radix;
            ck_assert_msg(index == strtoll(at, &at, 10), "n %td place %td index %td", n, place,
                          index);
        }
        rows++;
    }
    fclose(file);
    ck_assert_int_eq(rows, 72);
}
END_TEST

START_TEST(nothing_is_allocated_for_no_transforms)
{
    ptrdiff_t n[] = {6, 8};
    weft_local_size size = weft_local_size_of(2, n, 0, 0, 0, true, 1, 2);
    ck_assert_int_eq(size.allocation, 0);
    ck_assert_int_eq(size.in.count, 3);
    ck_assert_int_eq(size.out.start, 4);
    ck_assert_int_eq(weft_local_size_line(16, 0, FFTW_FORWARD, false, false, 0, 2).allocation, 0);
}
END_TEST

START_TEST(huge_sizes_do_not_overflow)
{
    ptrdiff_t n = PTRDIFF_MAX / 4;
    for (int rank = 0; rank < 3; rank++) {
        weft_span span = weft_block_span(n, n - 1, rank);
        ck_assert_int_eq(span.start, rank == 1 ? n - 1 : 0);
        ck_assert_int_eq(span.count, rank == 0 ? n - 1 : rank == 1 ? 1 : 0);
    }
    ck_assert(!weft_block_fits(n, 1, 1000));
    ck_assert(weft_block_fits(n, n, 1));
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("local_size");
    TCase *tests = tcase_create("distributions");
    tcase_add_test(tests, sizes_are_those_of_the_table);
    tcase_add_test(tests, scrambled_orders_are_those_of_the_table);
    tcase_add_test(tests, nothing_is_allocated_for_no_transforms);
    tcase_add_test(tests, huge_sizes_do_not_overflow);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return run_unit(suite());
}
